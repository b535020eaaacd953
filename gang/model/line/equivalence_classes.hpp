#pragma once
// Equivalence classes of gangs that wait: those that ask for the same shapes differ by their size
// alone, so one comparison with the smallest size that was refused answers for all of them. With
// queues a class is of one lane, and the lanes are known, too.

#include "core/base/ids.hpp"
#include "core/placement/packing_policy.hpp"
#include "gang/model/application.hpp"
#include "gang/model/cluster/fit_cache.hpp"
#include "gang/shares/queue_tree.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

/// In which order nodes are chosen.
struct OrderKey {
    core::PackingPolicy policy = core::PackingPolicy::tightest;
    std::int64_t scores = 0;  ///< the profile that has them, counted from 1; 0: none
    friend auto operator<=>(const OrderKey&, const OrderKey&) = default;
};

/// Those of one lane are in the order of their ranks. Without queues there is one lane.
struct Lane {
    QueueIndex queue = no_queue;
    /// The lesser goes first: in a queue by priority, that, negated; far less of who is overdue.
    std::int64_t before = 0;
    std::string user = {};    ///< in a queue that is fair between users: who of them goes first changes
    friend auto operator<=>(const Lane&, const Lane&) = default;
};

/// What gangs of one equivalence class have in common.
struct EquivalenceKey {
    bool is_surplus = false;
    OrderKey order;
    std::optional<DomainWish> domain;
    std::vector<core::ShapeId> shapes;  ///< the driver's first
    /// Of executors, where there are several shapes of them; else the size tells.
    std::vector<std::int64_t> counts;
    std::vector<core::Resources> min_resources = {};  ///< one at most: Declared::min_resources
    Lane lane = {};
    std::string user = {};  ///< where users have limits
    friend auto operator<=>(const EquivalenceKey&, const EquivalenceKey&) = default;
};

/// What is known of an equivalence class in one view of the cluster.
struct ClassVerdict {
    std::int64_t refused = std::numeric_limits<std::int64_t>::max();  ///< the smallest such size
    std::uint64_t refused_at = 0;                                     ///< FreeCapacityGains::version()
    std::uint64_t unchanged_at = 0;  ///< version of what the view is made of
    std::int64_t fits = -1;          ///< the largest such size
    std::uint64_t fits_at = 0;       ///< version of what can make the view smaller
};

/// By rank, whatever the address.
struct ByRank {
    using is_transparent = void;
    static RankView of(const RankView& rank) { return rank; }
    static RankView of(const Application* app) { return app->order(); }
    bool operator()(const auto& a, const auto& b) const { return of(a) < of(b); }
};

using Line = std::set<Application*, ByRank>;

struct EquivalenceClass {
    Line members;
    std::map<std::int64_t, std::int32_t> sizes;  ///< executors, and how many gangs have so many
    std::int32_t unattempted = 0;                ///< members that were not tried yet
    std::array<ClassVerdict, core::view_count> verdicts;  ///< by core::View
    /// The smallest size that was over quota in a queue by priority, when usage had that version.
    std::int64_t over_quota = std::numeric_limits<std::int64_t>::max();
    std::uint64_t over_quota_at = 0;
    // Whether it shares nodes with those who block, as found for that state of who blocks.
    std::uint64_t apart_for = 0;
    bool is_apart = false;
};

using KeyedClass = std::pair<const EquivalenceKey, EquivalenceClass>;

/// One that waits, and what was found of it when it was last looked at.
struct QueueEntry {
    Application* app = nullptr;          ///< nullptr: it waits no more
    KeyedClass* gang_class = nullptr;    ///< nullptr: not classified, or no room would help
    std::int64_t size = 0;               ///< executors
    std::int32_t position = 0;           ///< 0: it holds up nobody
    std::int32_t ahead = 0;              ///< gangs that hold it up
    ReasonCode code = ReasonCode::none;  ///< why it waits, as last found
    bool is_reported = false;            ///< so
    bool is_attempted = false;           ///< it was tried since it was classified
    bool is_infeasible = false;          ///< does not fit even without the other gangs
    bool is_behind = false;              ///< of one that is blocked
    bool failed_before = false;          ///< a pause may stand against a try
    /// ClusterModel::ceiling_version(), when is_infeasible was found.
    std::uint64_t infeasible_at = 0;
    /// Of what is free and who is placed, when rules between pods last kept it off; 0: they did
    /// not.
    std::uint64_t refused_by_rules_at = 0;
};

class EquivalenceClasses {
public:
    /// The gang's entry is of this class from now on; it was of none.
    void join(QueueEntry& entry, EquivalenceKey key, std::int64_t size);
    /// The gang is of no class any more, and nothing that was said of it counts.
    void leave(QueueEntry& entry);
    /// It is tried now.
    void note_attempt(QueueEntry& entry);
    /// Forgets classes that nobody is of. No cycle may stand in one.
    void erase_empty();

    std::map<EquivalenceKey, EquivalenceClass>& all() { return classes_; }
    /// With queues, those that are of a class. None is empty.
    const std::map<Lane, Line>& lanes() const { return lanes_; }

private:
    std::map<EquivalenceKey, EquivalenceClass> classes_;
    std::map<Lane, Line> lanes_;
};

}  // namespace gang
