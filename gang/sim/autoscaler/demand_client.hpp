#pragma once
// Writes, deletes and lists what an autoscaler is asked for, one call after the other, as
// k8s/demand does with sockets.

#include "gang/decision.hpp"
#include "gang/sim/autoscaler/autoscaler.hpp"
#include "gang/sim/base/call.hpp"
#include "k8s/protocol/write/demand.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <variant>
#include <vector>

namespace gang::sim {

class Process;
struct World;

class DemandClient {
public:
    DemandClient(World& world, Process& process) : world_(world), process_(process) {}

    void want(const WantCapacity& decision);
    void drop(const DropCapacity& decision);
    void list() { add({ListCapacity{}, {}}); }
    void answered(const Call& call);
    /// The loop goes on: what could not be sent is answered then, never from inside the call.
    void wakes();
    /// Nothing is under way.
    bool is_idle() const { return jobs_.empty(); }

    static constexpr std::uint32_t first_ticket = std::uint32_t{1} << 27;

private:
    struct Step {
        Operation operation = Operation::list_demand;
        DemandPart part = DemandPart::pod_template;
        std::size_t shape = 0;
    };
    struct Job {
        std::variant<WantCapacity, DropCapacity, ListCapacity> what;
        std::vector<Step> steps;
        std::size_t at = 0;
        bool may_exist = false;
        bool is_made_anew = false;      ///< its request, which has another number
        k8s::DemandResult result = {};  ///< of what is deleted: the first that went wrong
    };

    void add(Job job);
    void send();
    void take(const Step& step, const k8s::DemandResult& result);
    void take_written(const Step& step, const k8s::DemandResult& result);
    void take_dropped(const Step& step, const k8s::DemandResult& result);
    void go_on(std::size_t at, k8s::DemandResult result);
    void finish(k8s::DemandResult result);

    World& world_;
    Process& process_;
    std::deque<Job> jobs_;  ///< the first is under way
    std::uint32_t sent_ = 0;
};

}  // namespace gang::sim
