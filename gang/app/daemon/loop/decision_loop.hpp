#pragma once
// The loop around the scheduler: events wait in an inbox, and in turns of at most 256 the scheduler
// steps through them. Each decision is carried out before the next event is stepped. No socket is
// known here; the daemon says what carrying out is.
//
//   push() --> Host's inbox --turn--> recorder, Scheduler::step, recorder --> carry_out, one by one
//                 '-- full: hold_watches(true); half empty: hold_watches(false)
//
// It is kept alive by its own handlers: one that is on its way when the daemon ends finds it there,
// stopped.

#include "gang/app/base/log.hpp"
#include "gang/app/daemon/loop/steady_unix_clock.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/host/host.hpp"
#include "gang/scheduler.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <memory>

namespace gang::app {

class Recorder;

class DecisionLoop : public std::enable_shared_from_this<DecisionLoop> {
public:
    struct Wiring {
        Scheduler* scheduler = nullptr;  ///< outlives the loop's last turn
        Metrics* metrics = nullptr;      ///< likewise
        const Log* log = nullptr;        ///< likewise
        Recorder* recorder = nullptr;    ///< likewise; none: nothing is recorded
        std::function<void(const Decision&)> carry_out;
        /// True: the inbox is full, and nothing more should be read.
        std::function<void(bool)> hold_watches;
    };
    struct Counts {
        std::uint64_t events = 0;  ///< stepped
        std::uint64_t decisions = 0;
        std::uint64_t pauses = 0;  ///< times that the full inbox stopped the reading of watches
    };

    DecisionLoop(boost::asio::io_context& io, Wiring wiring);

    /// After lose() or stop() nothing is taken any more.
    void push(Event event);
    /// A Tick is wanted at this Unix time, in ms. To be called by what carries decisions out.
    void wake_at(std::int64_t time_ms) { host_.wake_at(time_ms); }

    /// See Host::lead().
    [[nodiscard]] Host::Lead lead(const LeadershipGained& term, bool nodes_are_listed);
    void nodes_listed();
    /// The Lease is lost, or another leader was met. False: that is known.
    bool lose();
    void stop();

    const Host& host() const { return host_; }
    const Counts& counts() const { return counts_; }
    /// Unix time as events are stamped: it never goes back.
    std::int64_t now_ms() const { return clock_.now(); }
    /// For how long events have waited without any being worked on.
    std::int64_t overdue_ms() const;

private:
    void wake();
    void turn();
    void step(const StampedEvent& event);
    void arm_timer();
    void hold_watches(bool full);

    boost::asio::io_context& io_;
    Wiring wiring_;
    SteadyUnixClock clock_;
    Host host_;
    boost::asio::steady_timer timer_;
    std::int64_t last_step_ms_ = 0;  ///< of the clock; or when somebody began to wait
    Counts counts_;
    bool turn_is_posted_ = false;
    bool watches_are_held_ = false;
};

}  // namespace gang::app
