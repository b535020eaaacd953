#pragma once
// What a PodGroup's status says, by the rules of those who defined the kind: pure.
//
// coscheduling   as its controller has it: Pending until the pods are there, Scheduling until the
//                minimum runs, then Running, Failed (one failed, all the minimum began) or Finished;
//                the last two are for good
// Volcano        Inqueue for pods that wait, Running once the minimum is on nodes, Unknown while some
//                run and the minimum is not, Completed when all that began have ended
// kube-batch     the same without Inqueue and Completed
// Kubernetes     no phase: a condition, which is not taken back once the minimum was scheduled
//
// Of a Spark application's group the driver decides: the room of all is reserved with its bind, so
// that is when the gang is scheduled, and with its end the group has ended. Executors are counted.

#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "gang/explain.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace gang {

/// What has become of a Spark application, by its driver.
enum class ApplicationEnd : std::uint8_t { none, succeeded, failed };

/// A group as its pods are.
struct GroupFacts {
    core::GroupDialect dialect = core::GroupDialect::coscheduling;
    std::string_view api_version;
    std::int64_t minimum = 1;
    bool is_sound = true;        ///< its object makes sense
    std::int64_t pods = 0;       ///< that are there; of an application also those to come
    std::int64_t scheduled = 0;  ///< of these, on a node, also those that have ended
    std::int64_t running = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    bool is_application = false;  ///< drivers name it, and no others; `minimum` is 1 then
    ApplicationEnd end = ApplicationEnd::none;  ///< of an application
    bool is_waiting = false;  ///< one of them may be bound, and is not
    ReasonCode code = ReasonCode::none;  ///< why it is not
    std::string text;                    ///< likewise, a sentence; empty: nothing is known yet
    std::string occupied_by;             ///< owners of its pods; empty: not known
};

/// `stored` is what stands there now: what is for good stays.
core::PodGroupStatus status_of(const GroupFacts& facts, const core::PodGroupStatus& stored);

}  // namespace gang
