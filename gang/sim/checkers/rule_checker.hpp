#pragma once
// Rules between pods: that every bind keeps them, and that nobody waits for them in vain.
//
//   pod-rules      decision: by what the process was shown, and what it has sent itself.
//                  Commit: by the store; excused, and counted, if another has changed what the rule
//                  counts after the revision that was seen
//   needless-wait  at rest: a pod that is told that rules keep it waiting has a node with room that
//                  they leave it
//
//   one-zone       no executor of a gang that must be in one zone is sent to another one than its
//                  driver's
//
// Worlds without such rules are not looked at.

#include "gang/event.hpp"
#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/naive_rules.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {
struct BindPod;
}

namespace gang::sim {

struct World;
class Process;

class RuleChecker {
public:
    using Pods = std::map<PodId, core::Pod>;
    using Nodes = std::map<std::string, core::Node>;

    explicit RuleChecker(World& world) : world_(world) {}

    void process_started(std::uint32_t replica);
    void event_applied(std::uint32_t replica, const Event& event);
    /// `pods`, `nodes`: what the process was shown.
    void decided(std::uint32_t replica, const Pods& pods, const Nodes& nodes, const BindPod& bind);
    void pod_changed(const Entry<core::Pod>& entry, const Author& author, bool is_first_bind);
    /// A leader that has seen everything and has nothing to do.
    void inspect(std::uint32_t replica, const Process& process);
    /// Its rules leave no node of those that are there now.
    bool has_no_node(PodId pod) const;

private:
    /// What of a process is not in what it was shown.
    struct View {
        std::map<PodId, std::string> under_way;  ///< sent to a node, and not shown there yet
        std::map<PodId, PodListed> listed;       ///< newer than what was shown, or older
        std::map<PodId, std::uint64_t> order;    ///< of its decisions: the last for each pod
        std::uint64_t decisions = 0;
        std::uint64_t dropped_at = 0;            ///< revision when the last bind of its failed
    };
    /// The last change of a pod that rules can see.
    struct Moved {
        std::uint64_t revision = 0;
        Author author;
        core::Pod pod;  ///< as it was then
        core::StringMap labels_before;
        bool is_over = false;
    };

    Surroundings shown(
        const View& view, const Pods& pods, const Nodes& nodes, bool as_listed) const;
    Surroundings store_without(PodId pod) const;
    void check_commit(const Entry<core::Pod>& entry, const Author& author);
    bool is_excused(
        const Broken& broken, const Entry<core::Pod>& entry, const Author& author) const;
    bool was_moved_by_others(
        const Broken& broken, const Entry<core::Pod>& entry, const Author& author) const;
    void note_move(const Entry<core::Pod>& entry, const Author& author);
    void check_zone(
        std::uint32_t replica, const Pods& pods, const Nodes& nodes, const BindPod& bind);
    bool has_place(PodId id, std::int64_t headroom_cpu_milli) const;
    std::string text(const Broken& broken, const core::Pod& pod, const std::string& node) const;

    World& world_;
    std::vector<View> views_;  ///< by replica
    std::map<PodId, Moved> moved_;
    std::map<std::string, std::int64_t> refused_ms_;  ///< nodes whose kubelet has refused a pod
    std::map<PodId, std::int64_t> waits_since_ms_;    ///< in vain
    std::int64_t inspected_ms_ = 0;
};

}  // namespace gang::sim
