#pragma once
// The gangs that wait, in order, and again by kind: those that ask for the same
// shapes differ by their size alone, so one comparison with the smallest size
// that was refused answers for all of them. Ranks and sizes only: what gangs
// are, and what refuses them, is the engine's business.

#include "core/ids.hpp"
#include "core/packing_policy.hpp"
#include "gang/application.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace gang {

/// What gangs of one kind have in common.
struct KindKey {
    bool is_elastic = false;
    core::PackingPolicy policy = core::PackingPolicy::tightest;
    std::vector<core::ShapeId> shapes;  ///< the driver's first
    /// Of executors, where there are several shapes of them; else the size tells.
    std::vector<std::int64_t> counts;
    friend auto operator<=>(const KindKey&, const KindKey&) = default;
};

/// What is known of a kind in one view of the cluster.
struct KindVerdict {
    std::int64_t refused = std::numeric_limits<std::int64_t>::max();  ///< the smallest such size
    std::uint64_t refused_at = 0;                                     ///< room_version
    std::uint64_t unchanged_at = 0;  ///< version of what the view is made of
    std::int64_t fits = -1;          ///< the largest such size
    std::uint64_t fits_at = 0;       ///< version of what can make the view smaller
};

struct WaitingKind {
    struct Member {
        std::int64_t size = 0;  ///< executors
        bool is_seen = false;   ///< its turn has come, and it was told why it waits
    };
    std::map<Rank, Member> members;
    std::array<KindVerdict, core::view_count> verdicts;  ///< by core::View
};

using KindEntry = std::pair<const KindKey, WaitingKind>;

class WaitingLine {
public:
    using Ranks = std::set<Rank>;

    std::pair<Ranks::iterator, bool> insert(const Rank& rank) {
        const auto inserted = ranks_.insert(rank);
        if (inserted.second) unfiled_.insert(rank);
        return inserted;
    }
    std::size_t erase(const Rank& rank) {
        leave_kind(rank);
        unfiled_.erase(rank);
        return ranks_.erase(rank);
    }
    /// It asks for something else now, or there is news of it.
    void changed(const Rank& rank) {
        if (!ranks_.contains(rank)) return;
        leave_kind(rank);
        unfiled_.insert(rank);
    }
    bool contains(const Rank& rank) const { return ranks_.contains(rank); }
    std::size_t size() const { return ranks_.size(); }
    Ranks::const_iterator begin() const { return ranks_.begin(); }
    Ranks::const_iterator end() const { return ranks_.end(); }
    Ranks::const_iterator lower_bound(const Rank& rank) const { return ranks_.lower_bound(rank); }

    /// Those that came or changed since this was last asked: to be filed, if they
    /// can be.
    Ranks take_unfiled() {
        std::erase_if(kinds_, [](const auto& kind) { return kind.second.members.empty(); });
        return std::exchange(unfiled_, {});
    }
    void file(const Rank& rank, KindKey key, std::int64_t size) {
        const auto kind = kinds_.try_emplace(std::move(key)).first;
        kind->second.members[rank] = {size, false};
        filed_[rank] = kind;
    }
    bool is_filed() const { return unfiled_.empty(); }
    /// Some cannot be placed whatever room there is.
    bool has_unkind() const { return filed_.size() + unfiled_.size() < ranks_.size(); }
    std::map<KindKey, WaitingKind>& kinds() { return kinds_; }

private:
    /// An empty kind is kept for a walk that stands in it, and knows nothing any
    /// more: the numbers of its shapes may come to mean others.
    void leave_kind(const Rank& rank) {
        const auto it = filed_.find(rank);
        if (it == filed_.end()) return;
        WaitingKind& kind = it->second->second;
        kind.members.erase(rank);
        if (kind.members.empty()) kind.verdicts = {};
        filed_.erase(it);
    }

    Ranks ranks_;
    Ranks unfiled_;
    std::map<KindKey, WaitingKind> kinds_;
    std::map<Rank, std::map<KindKey, WaitingKind>::iterator> filed_;
};

}  // namespace gang
