#pragma once
// The fence of a new leader: before it promises room to anybody, every pod that an older leader may
// still be writing to gets a write of ours. That moves the pod's resourceVersion, so whatever the
// older leader has in flight for it is refused.
//
// A write counts when the watch shows it, not when it is answered: then the watch has also shown
// everything that was written before, and what we decide on is no view from before our leadership
// term.
//
//   added --due--> outstanding --written--> awaited --seen--> passed
//     ^                 '--refused--'           |
//     '------------------ not seen for long ----'

#include "gang/model/refusals.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace gang {

inline constexpr std::size_t fence_outstanding_max = 256;
inline constexpr std::int64_t fence_pause_ms_min = 500;
/// A write that the watch does not show after this long was overwritten, or the watch is late.
inline constexpr std::int64_t fence_unseen_ms = 3'000;

class Fence {
public:
    /// A leadership term begins or ends: whatever was under way is void, nothing is known of older
    /// leaders.
    void raise();

    /// This pod must be written to, once in a leadership term.
    void add(const std::string& uid, std::int64_t now_ms);

    /// The write was answered. A failed one is repeated after a pause.
    void answered(const std::string& uid, bool written, std::int64_t now_ms);

    /// The write came too late: the pod is past the state that we saw. It counts as refused when
    /// the watch shows that; until then it is our view that is old, and no reason to give up.
    void conflicted(const std::string& uid, std::int64_t now_ms);

    /// The watch shows our write.
    void seen(const std::string& uid);

    /// The watch shows another state of the pod: a write that was refused may pass now.
    void changed(const std::string& uid, std::int64_t now_ms);

    /// The pod is gone or bound: nothing that is in flight can bind it.
    void drop(const std::string& uid) { pods_.erase(uid); }

    /// To which pods to write now; they are outstanding from here on.
    std::vector<std::string> due(std::int64_t now_ms);

    std::optional<std::int64_t> next_due_ms() const;
    std::size_t size() const { return pods_.size(); }
    bool passed() const { return pods_.empty(); }
    bool is_waiting_for(const std::string& uid) const { return pods_.contains(uid); }

    /// The watch has shown a write of this leadership term: our view is not older than our
    /// leadership term.
    bool view_is_current() const { return view_is_current_; }
    void set_view_is_current() { view_is_current_ = true; }

private:
    enum class State : std::uint8_t { added, outstanding, awaited };
    struct Pod {
        State state = State::added;
        std::int64_t added_ms = 0;
        std::int64_t at_ms = 0;
        Refusals refusals;
    };
    Pod* find(const std::string& uid, State state);
    bool give_up_if_hopeless(const std::string& uid, const Pod& pod, std::int64_t now_ms);
    static void repeat(Pod& pod, std::int64_t now_ms, int times);

    std::map<std::string, Pod> pods_;
    std::set<std::string> known_;  ///< added in this leadership term
    bool view_is_current_ = false;
};

}  // namespace gang
