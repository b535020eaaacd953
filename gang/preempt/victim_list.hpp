#pragma once
// Who may be evicted for one gang that waits, and in which order. Looks at every gang once; sends
// and changes nothing.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/preempt/evictions.hpp"
#include "gang/preempt/preemptor_rights.hpp"
#include "gang/shares/amounts.hpp"
#include "gang/shares/dominant_share.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// From this priority on a pod is part of the system (system-cluster-critical, which is as high,
/// and system-node-critical): it is never evicted.
inline constexpr std::int32_t critical_priority = 2'000'000'000;

/// Who of two goes first, whatever their priorities: all of a step before any of the next.
enum class VictimStep : std::uint8_t { beyond_reservation, open_slot, soft_executor, whole };

/// One that may be evicted, as a whole.
struct Evictable {
    Victim victim;
    VictimStep step = VictimStep::whole;
    QueueIndex queue = no_queue;
    std::int32_t priority = 0;
    DominantShare share;         ///< its queue's
    std::int64_t work_lost = 0;  ///< pods times ms since the gang was bound
    std::int64_t created = 0;
    Amounts amounts;                        ///< that its queue gets back
    std::vector<core::AllocationId> room;  ///< that it leaves
    std::int64_t pods = 0;
    std::vector<std::string> others;  ///< pods that go with it, each evicted by itself
};

/// Slots beyond the minimum of dynamic allocation, by their numbers, ascending. Those that nobody is
/// in come first, the last of them; if they are fewer than what is beyond it, those whose executor
/// is on its way out, and then the newest executors'.
struct SoftSlots {
    std::vector<std::size_t> open;
    std::vector<std::size_t> filled;
};
SoftSlots soft_slots(const Application& app, const Pods& pods);

class VictimList {
public:
    /// `spared`: until when (Unix ms) somebody is not asked again, by the victim's uid.
    VictimList(
        const Model& model,
        const Amounts& totals,
        const Evictions& evictions,
        const std::map<std::string, std::int64_t>& spared,
        std::int64_t now_ms)
        : model_(model),
          totals_(totals),
          evictions_(evictions),
          spared_(spared),
          now_ms_(now_ms) {}

    /// For this one, whose amounts are known: in the order in which they go. Nobody's queue is left
    /// with less than its guarantee, whoever of them goes, but by a higher priority in the same
    /// queue.
    std::vector<Evictable> find(const Application& preemptor, const Amounts& wanted);
    /// After find(): it may have some of the running evicted, whoever runs.
    bool has_rights() const { return has_rights_; }
    /// Room of those who end already: of it nobody has to be evicted for.
    const std::vector<core::AllocationId>& ending() const { return ending_; }

private:
    bool is_safe(
        const std::string& uid, std::string_view namespace_name, std::int32_t priority) const;
    bool is_spared(const std::string& uid) const;
    bool is_left_alone(PodId pod) const;
    bool goes_whole(const Application& app) const;
    void look_at(const Application& app, const PreemptorRights& rights);
    void look_at_lone(const std::string& uid, const PreemptorRights& rights);
    bool is_lone(PodId pod) const;
    void look_at_rest(const PodGroup& group, const PreemptorRights& rights);
    std::vector<PodId> rest_of(const PodGroup& group) const;
    bool is_seen(PodId pod) const;
    void set_queue(Evictable& one, QueueIndex queue);
    void add_surplus(const Application& app, Evictable& of_gang);
    void add_open_slots(
        const Application& app, const std::vector<std::size_t>& slots, Evictable& of_gang);
    void add_soft_executors(
        const Application& app, const std::vector<std::size_t>& slots, Evictable& of_gang);
    void add_room(const std::string& uid, std::vector<core::AllocationId>& room) const;
    std::vector<std::size_t> executors_that_may_go(
        const Application& app, const std::vector<std::size_t>& slots) const;
    void add_gang_room(
        const Application& app, const SoftSlots& soft, Evictable& gang) const;
    void add_ending(const Application& app);
    bool keeps_guarantees(const Evictable& one, const PreemptorRights& rights);
    std::vector<std::size_t> in_order() const;

    const Model& model_;
    const Amounts& totals_;
    const Evictions& evictions_;
    const std::map<std::string, std::int64_t>& spared_;
    std::int64_t now_ms_;
    std::set<std::string> nominated_;  ///< they go for others
    bool has_rights_ = false;
    std::vector<Evictable> found_;
    std::vector<core::AllocationId> ending_;
    std::map<QueueIndex, DominantShare> shares_;
    std::map<QueueIndex, Amounts> gone_;  ///< of those before, by queue
};

}  // namespace gang
