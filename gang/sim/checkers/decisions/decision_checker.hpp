#pragma once
// What a process asks for, held against what it has been shown: before anything of it is on its
// way, so that no refusal of an API server can hide a wrong decision. Rules between pods, the order
// of those who wait and evictions have checkers of their own, which are asked here.
//
//   bind-only-ours   no bind of a pod that was shown gated, being deleted, ended or bound
//   preconditions    every bind names the uid and a resourceVersion
//   quota            in a world with queues: no admission leaves a queue above one of its limits
//   first-plan       a new leader admits nobody before it has asked for the confs of the older ones
//   headroom         a gang is admitted beside the headroom of its nodes
//   extra-slot       no executor is bound beside its gang while a slot of the gang is open for it

#include "gang/event.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/decisions/eviction_checker.hpp"
#include "gang/sim/checkers/decisions/order_checker.hpp"
#include "gang/sim/checkers/decisions/shown_view.hpp"
#include "gang/sim/checkers/rule_checker.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace gang {
struct BindPod;
struct EvictPod;
}  // namespace gang

namespace gang::sim {

struct World;
class Process;

class DecisionChecker {
public:
    explicit DecisionChecker(World& world)
        : world_(world), rules_(world), order_(world), evictions_(world) {}

    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    void decided(std::uint32_t replica, const Process& process, const BindPod& bind);
    void evicts(std::uint32_t replica, const Process& process, const EvictPod& decision);
    void pod_changed(const Entry<core::Pod>& entry, const Author& author);
    void clock_was_wrong(std::uint32_t replica);
    RuleChecker& rules() { return rules_; }
    const RuleChecker& rules() const { return rules_; }

private:
    void check_quota(std::uint32_t replica, const Process& process, const BindPod& bind);
    void check_first_plan(std::uint32_t replica, const Process& process, const core::Pod& admitted);
    void check_headroom(const Entry<core::Pod>& entry, const Author& author);
    void check_extra_slot(const Entry<core::Pod>& entry, const Author& author);

    World& world_;
    RuleChecker rules_;
    OrderChecker order_;
    EvictionChecker evictions_;
    std::vector<ShownView> views_;                ///< by replica
    std::map<PodId, std::uint64_t> gangs_moved_;  ///< revision: reservation or executors changed
};

}  // namespace gang::sim
