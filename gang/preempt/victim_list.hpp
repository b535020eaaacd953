#pragma once
// Who may be evicted for one gang that waits, and in which order. Looks at every gang once; sends
// and changes nothing.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/shares/amounts.hpp"
#include "gang/shares/dominant_share.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gang {

/// From this priority on a pod is part of the system (system-cluster-critical, which is as high,
/// and system-node-critical): it is never evicted.
inline constexpr std::int32_t critical_priority = 2'000'000'000;

/// One that may be evicted, as a whole.
struct Evictable {
    Victim victim;
    QueueIndex queue = no_queue;
    std::int32_t priority = 0;
    DominantShare share;         ///< its queue's
    std::int64_t work_lost = 0;  ///< pods times ms since the gang was bound
    Rank rank;
    Amounts amounts;                        ///< that its queue gets back
    std::vector<core::AllocationId> room;  ///< that it leaves
    std::int64_t pods = 0;
};

/// Slots that nobody is in, beyond the minimum of dynamic allocation; the last ones, ascending.
std::vector<std::size_t> soft_slots(const Application& app);

class VictimList {
public:
    /// `spared`: until when (Unix ms) somebody is not asked again, by the victim's uid.
    VictimList(
        const Model& model,
        const Amounts& totals,
        const std::map<std::string, std::int64_t>& spared,
        std::int64_t now_ms)
        : model_(model), totals_(totals), spared_(spared), now_ms_(now_ms) {}

    /// For this one, whose amounts are known: in the order in which they go. Nobody's queue is left
    /// with less than its guarantee, whoever of them goes, but by a higher priority in the same
    /// queue.
    std::vector<Evictable> find(const Application& preemptor, const Amounts& wanted);
    /// After find(): it may have some of the running evicted, whoever runs.
    bool has_rights() const { return has_rights_; }
    /// Room of those who end already: of it nobody has to be evicted for.
    const std::vector<core::AllocationId>& ending() const { return ending_; }

private:
    /// What the preemptor may do.
    struct Rights {
        QueueIndex queue = no_queue;
        QueueIndex below_guarantee = no_queue;  ///< outside of it others are reclaimed from
        std::int32_t priority = 0;
        bool is_within = false;
        bool is_across = false;
    };
    Rights rights_of(const Application& preemptor, const Amounts& wanted) const;
    std::optional<EvictReason> reason_for(
        const Rights& rights, QueueIndex queue, std::int32_t priority) const;
    bool is_reclaimable(QueueIndex queue) const;
    bool is_below(QueueIndex queue, QueueIndex above) const;
    bool is_safe(const Application& app) const;
    bool goes_whole(const Application& app) const;
    void look_at(const Application& app, const Rights& rights);
    void add_surplus(const Application& app, Evictable& of_gang);
    void add_soft_slots(
        const Application& app, const std::vector<std::size_t>& slots, Evictable& of_gang);
    void add_room(const std::string& uid, std::vector<core::AllocationId>& room) const;
    void add_gang_room(
        const Application& app, const std::vector<std::size_t>& soft, Evictable& gang) const;
    void add_ending(const Application& app);
    bool keeps_guarantees(const Evictable& one, QueueIndex preemptor);

    const Model& model_;
    const Amounts& totals_;
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
