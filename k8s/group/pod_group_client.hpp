#pragma once
// Reads objects of pod groups by name, one after the other, over one connection of its own. Nobody
// has to say which of their kinds the cluster has: one that is not there is looked for again with
// the next question.

#include "core/value/group/pod_group.hpp"
#include "core/value/group/pod_group_status.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace k8s {

struct PodGroupResult {
    FetchOutcome outcome = FetchOutcome::failed;
    core::PodGroup group;
    std::string uid;
    std::string api_version;  ///< in which it was found
    core::PodGroupStatus status;
    std::string priority_class;  ///< that it names; its value is in `group`, if it could be read
    std::string message;  ///< why there is none
};

struct PodGroupQuestion {
    core::GroupDialect dialect = core::GroupDialect::coscheduling;
    std::string namespace_name;
    std::string name;
};

class PodGroupClient {
public:
    PodGroupClient(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        std::int64_t call_timeout_ms = 4'000);
    ~PodGroupClient();
    PodGroupClient(const PodGroupClient&) = delete;
    PodGroupClient& operator=(const PodGroupClient&) = delete;

    /// The answer comes on the loop's thread, once, never from inside the call or after stop().
    void read(PodGroupQuestion question, std::function<void(const PodGroupResult&)> done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
