#pragma once
// The life of a process around the scheduler, without clock or sockets: which events are still
// taken, when the scheduler has its turn, and when a new leader may begin. The daemon and the
// simulation drive the same one.
//
//   follows --lead()--> nodes are listed anew --nodes_listed()--> leads
//      '---- nodes were never listed: leads at once -----------------^
//   any of them --lost(), stop()--> over: nothing is taken, nothing is decided any more
//
// A view from before the leadership term is not decided on. Of pods the scheduler finds that out
// itself, by its own writes to them; to nodes it does not write, so they are listed anew.

#include "gang/event.hpp"
#include "gang/host/inbox.hpp"

#include <cstdint>
#include <optional>
#include <utility>

namespace gang {

/// After so many events timers and sockets get their turn.
inline constexpr int events_per_turn = 256;
/// So long a process that ends waits for its writes: less than a Lease, or others wait for that.
inline constexpr std::int64_t drain_ms = 2'500;

class Host {
public:
    explicit Host(InboxLimits limits = InboxLimits()) : inbox_(limits) {}

    enum class Lead : std::uint8_t { ignored, list_nodes, leads };
    /// The Lease is ours. `list_nodes`: the caller has them listed, and says nodes_listed().
    [[nodiscard]] Lead lead(const LeadershipGained& term, bool nodes_are_listed);
    /// True: a term begins by that.
    bool nodes_listed();
    /// The Lease is lost, or another leader was met. False: that is known.
    bool lost();
    void stop() { is_stopping_ = true; }

    /// False: it is not taken any more.
    bool push(Event event);
    /// A Tick is wanted at this Unix time, in ms.
    void wake_at(std::int64_t time_ms) { inbox_.wake_at(time_ms); }

    /// What is to be done after a turn: have another one soon, or rest until wake_time().
    enum class Then : std::uint8_t { again, rest, over };
    /// Steps what there is, an event after the other. `now_ms()` is Unix time that never goes back;
    /// `step(StampedEvent)` may call anything here but turn().
    template <typename Now, typename Step>
    Then turn(const Now& now_ms, const Step& step) {
        for (int i = 0; i < events_per_turn && is_deciding() && inbox_.has_work(now_ms()); ++i) {
            step(inbox_.next(now_ms()));
        }
        if (!is_deciding()) {
            return Then::over;
        }
        return inbox_.has_work(now_ms()) ? Then::again : Then::rest;
    }
    std::optional<std::int64_t> wake_time() const { return inbox_.wake_time(); }
    /// Whether the reading of watches should pause now.
    bool is_full() { return inbox_.is_full(); }
    std::size_t waiting() const { return inbox_.waiting(); }

    bool is_deciding() const { return !is_lost_ && !is_stopping_; }
    bool is_stopping() const { return is_stopping_; }
    bool is_lost() const { return is_lost_; }
    /// Leads, or will as soon as the nodes are listed.
    bool is_leading() const { return leads_; }
    /// A term waits for the nodes.
    bool awaits_nodes() const { return term_begins_.has_value(); }

private:
    Inbox inbox_;
    std::optional<LeadershipGained> term_begins_;  ///< while the nodes are listed for it
    bool leads_ = false;
    bool is_lost_ = false;
    bool is_stopping_ = false;
};

}  // namespace gang
