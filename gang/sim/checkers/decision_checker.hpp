#pragma once
// What a process asks for, held against what it has been shown: before anything of it is on its
// way, so that no refusal of an API server can hide a wrong decision. And whose turn it is to lead.
//
//   bind-only-ours   no bind of a pod that was shown gated, being deleted, ended or bound
//   preconditions    every bind names the uid and a resourceVersion
//   fifo             no gang is admitted while an older one, by our own words, waits for room, and
//                    would fit the nodes if only pods of others were there
//                    in a world with queues: none while one waits that goes first in the same queue,
//                    by what the file says (line_order.hpp): by creation, by priority with aging, or
//                    because it is overdue
//   overdue          likewise, none in any queue while one waits whom nobody is to pass
//   quota            in a world with queues: no admission leaves a queue above one of its limits
//   eviction         where queues allow evictions: for a gang that waits for them, of drivers first,
//                    never of an executor in a slot whose driver stays, unless its gang has more
//                    than the minimum that its reservation names; so many a minute at most
//   first-plan       a new leader admits nobody before it has asked for the confs of the older ones
//   headroom         a gang is admitted beside the headroom of its nodes
//   extra-slot       no executor is bound beside its gang while a slot of the gang is open for it
//   lease            nobody writes while somebody else holds the Lease
//   epochs           every leader has a higher epoch than the one before it

#include "gang/event.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/line_order.hpp"
#include "gang/sim/checkers/rule_checker.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gang {
struct BindPod;
struct GangView;
struct QueueView;
struct EvictPod;
}

namespace gang::sim {

/// A wrong clock, or a Lease that others write: two may lead until they have noticed.
inline constexpr std::int64_t lease_doubtful_ms = 180'000;

struct World;
class Process;

class DecisionChecker {
public:
    explicit DecisionChecker(World& world) : world_(world), rules_(world) {}

    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    void decided(std::uint32_t replica, const Process& process, const BindPod& bind);
    void evicts(std::uint32_t replica, const Process& process, const EvictPod& decision);
    void pod_changed(const Entry<core::Pod>& entry, const Author& author);
    /// A write leaves the process that calls itself `holder` in the Lease.
    void sent(std::uint32_t replica, const std::string& holder);
    void leads(std::uint32_t replica, std::int64_t epoch);
    void clock_was_wrong(std::uint32_t replica);
    void lease_was_touched();
    RuleChecker& rules() { return rules_; }
    const RuleChecker& rules() const { return rules_; }

private:
    /// What one process has been shown.
    struct View {
        std::map<PodId, core::Pod> pods;
        std::map<std::string, core::Node> nodes;
        std::map<std::string, std::int64_t>
            refused_ms;         ///< when a node's kubelet last refused a pod
        std::set<PodId> confs;  ///< drivers whose conf was answered for, found or not
        std::int64_t leads_since_ms = -1;
        std::set<std::string> evicted;      ///< drivers and members of groups that it asked to be evicted
        std::deque<std::int64_t> victims_ms;  ///< when: of these, and of executors without a slot
        std::int64_t headroom_cpu_milli = 0;  ///< that the process was started with
        config::Schema file;                  ///< as it was last told
        std::int64_t clock_wrong_ms = -1;     ///< when it was last; -1: never
        std::map<std::string, std::int64_t> passed;  ///< by driver's uid: how often it was
    };

    void check_quota(std::uint32_t replica, const Process& process, const BindPod& bind);
    void check_order(std::uint32_t replica, const Process& process, const BindPod& bind);
    bool may_be_passed(std::uint32_t replica, const GangView& gang);
    bool could_fit(std::uint32_t replica, PodId driver) const;
    bool has_quota(
        const std::vector<QueueView>& queues, const std::string& queue, PodId driver) const;
    Standing standing(
        std::uint32_t replica, const Process& process, const std::string& queue, PodId pod) const;
    void count_overdue(const Standing& admitted);
    void check_first_plan(std::uint32_t replica, const Process& process, const core::Pod& admitted);
    void check_headroom(const Entry<core::Pod>& entry, const Author& author);
    void check_extra_slot(const Entry<core::Pod>& entry, const Author& author);
    bool is_driver(PodId pod) const;
    bool was_tampered(PodId driver) const;
    bool keeps_minimum(const core::Pod& driver) const;
    bool goes_with_anchor(const View& view, PodId member) const;
    void count_with_ended_anchor(View& view, PodId member) const;

    World& world_;
    RuleChecker rules_;
    std::vector<View> views_;                     ///< by replica
    std::map<PodId, std::uint64_t> gangs_moved_;  ///< revision: reservation or executors changed
    std::int64_t lease_counts_from_ms_ = 0;
    std::int64_t epoch_ = 0;
    bool lease_was_touched_ = false;
};

}  // namespace gang::sim
