#pragma once
// The gangs that wait, in order, and again by kind: those that ask for the same shapes differ by
// their size alone, so one comparison with the smallest size that was refused answers for all of
// them. Places only: what gangs are, and what refuses them, is the engine's business.
//
// What a look at everybody reads and writes of a gang stands in a row of one array, so that ten
// thousand are looked through in a fraction of a millisecond. A row keeps its number while its gang
// waits, or the line is sorted anew, and Application::row is that number.

#include "core/base/ids.hpp"
#include "core/placement/packing_policy.hpp"
#include "gang/model/application.hpp"

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

/// By rank, whatever the address.
struct ByRank {
    using is_transparent = void;
    static RankView of(const RankView& rank) { return rank; }
    static RankView of(const Application* app) { return app->order(); }
    bool operator()(const auto& a, const auto& b) const { return of(a) < of(b); }
};

using Line = std::set<Application*, ByRank>;

struct WaitingKind {
    Line members;
    std::map<std::int64_t, std::int32_t> sizes;  ///< executors, and how many gangs have so many
    std::int32_t unseen = 0;                     ///< members whose turn has not come
    std::array<KindVerdict, core::view_count> verdicts;  ///< by core::View
    // Whether it shares nodes with those who block, as found for that state of who blocks.
    std::uint64_t apart_for = 0;
    bool is_apart = false;
};

using KindEntry = std::pair<const KindKey, WaitingKind>;

/// One that waits, and what was found of it when it was last looked at.
struct WaitingRow {
    Application* app = nullptr;          ///< nullptr: it waits no more
    KindEntry* kind = nullptr;           ///< nullptr: not filed, or no room would help
    std::int64_t size = 0;               ///< executors
    std::int32_t position = 0;           ///< 0: it holds up nobody
    std::int32_t ahead = 0;              ///< gangs that hold it up
    ReasonCode code = ReasonCode::none;  ///< why it waits, as last found
    bool is_told = false;                ///< so
    bool is_seen = false;                ///< its turn has come since it was filed
    bool is_parked = false;              ///< does not fit even without the other gangs
    bool is_behind = false;              ///< of one that is blocked
    bool failed_before = false;          ///< a pause may stand against a try
};

class WaitingLine {
public:
    WaitingLine() = default;
    WaitingLine(const WaitingLine&) = delete;
    WaitingLine& operator=(const WaitingLine&) = delete;

    /// False: it waits already.
    bool insert(Application& app, bool failed_before);
    /// False: it did not wait. To be called before its rank, or it, goes away.
    bool erase(Application& app);
    /// It asks for something else now, or there is news of it.
    void changed(Application& app);
    /// What anybody was told, or it, counts no more.
    void forget_told();
    void forget_told(const Application& app) {
        if (contains(app)) rows_[app.row].is_told = false;
    }

    static bool contains(const Application& app) { return app.row != no_row; }
    std::size_t size() const { return line_.size(); }
    Line::const_iterator begin() const { return line_.begin(); }
    Line::const_iterator end() const { return line_.end(); }
    Line::const_iterator lower_bound(const RankView& rank) const { return line_.lower_bound(rank); }

    /// Must wait. Valid until somebody comes.
    WaitingRow& row(const Application& app) { return rows_[app.row]; }
    const WaitingRow* find_row(const Application& app) const {
        return contains(app) ? &rows_[app.row] : nullptr;
    }
    /// By rank; those of gangs that wait no more have no `app`.
    std::vector<WaitingRow>& sorted_rows();

    /// Those that came or changed since this was last asked: to be filed, if they can be.
    Line take_unfiled();
    void file(Application& app, KindKey key, std::int64_t size);
    bool is_filed() const { return unfiled_.empty(); }
    /// Its turn has come.
    void see(WaitingRow& row);
    std::map<KindKey, WaitingKind>& kinds() { return kinds_; }

private:
    void leave_kind(Application& app);
    void add_row(Application& app, bool failed_before);
    void move_row(std::uint32_t from, std::uint32_t to);

    Line line_;
    Line unfiled_;
    std::map<KindKey, WaitingKind> kinds_;
    std::vector<WaitingRow> rows_;
    std::size_t free_rows_ = 0;  ///< rows of nobody
    bool is_sorted_ = true;
};

}  // namespace gang
