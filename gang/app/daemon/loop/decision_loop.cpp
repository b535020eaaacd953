#include "gang/app/daemon/loop/decision_loop.hpp"

#include "gang/app/daemon/recorder.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <variant>

namespace gang::app {
namespace {

using config::LogLevel;

constexpr std::int64_t wake_max_ms = 3'600'000;

}  // namespace

DecisionLoop::DecisionLoop(boost::asio::io_context& io, Wiring wiring)
    : io_(io), wiring_(std::move(wiring)), timer_(io) {}

void DecisionLoop::push(Event event) {
    if (!host_.is_deciding()) {
        return;
    }
    if (host_.waiting() == 0) {
        last_step_ms_ = clock_.now();  // from here on somebody waits
    }
    host_.push(std::move(event));
    hold_watches(host_.is_full());
    wake();
}

Host::Lead DecisionLoop::lead(const LeadershipGained& term, bool nodes_are_listed) {
    const Host::Lead begins = host_.lead(term, nodes_are_listed);
    if (begins == Host::Lead::leads) {
        wake();
    }
    return begins;
}

void DecisionLoop::nodes_listed() {
    if (host_.nodes_listed()) {
        wake();
    }
}

bool DecisionLoop::lose() {
    if (!host_.lost()) {
        return false;
    }
    timer_.cancel();
    return true;
}

void DecisionLoop::stop() {
    host_.stop();
    timer_.cancel();
}

std::int64_t DecisionLoop::overdue_ms() const {
    return host_.is_deciding() && host_.waiting() > 0 ? clock_.now() - last_step_ms_ : 0;
}

void DecisionLoop::wake() {
    if (turn_is_posted_) {
        return;
    }
    turn_is_posted_ = true;
    boost::asio::post(io_, [self = shared_from_this()] {
        self->turn_is_posted_ = false;
        self->turn();
    });
}

/// A handful of events, then the loop's other work gets its turn.
void DecisionLoop::turn() {
    const auto now = [this] { return clock_.now(); };
    const Host::Then then = host_.turn(now, [this](const StampedEvent& event) { step(event); });
    if (then == Host::Then::over) {
        return;
    }
    hold_watches(host_.is_full());
    if (then == Host::Then::again) {
        wake();
    } else {
        arm_timer();
    }
}

void DecisionLoop::step(const StampedEvent& event) {
    ++counts_.events;
    last_step_ms_ = event.time_ms;
    if (wiring_.recorder != nullptr) {
        wiring_.recorder->before(event);
    }
    const bool plans = std::holds_alternative<Tick>(event.event);
    const auto began =
        plans ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const Decisions decisions = wiring_.scheduler->step(event);
    if (plans) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        wiring_.metrics->planned(took.count());
    }
    if (wiring_.recorder != nullptr) {
        wiring_.recorder->after(event, decisions, *wiring_.scheduler);
    }
    for (const Decision& decision : decisions) {
        ++counts_.decisions;
        wiring_.carry_out(decision);
    }
}

void DecisionLoop::arm_timer() {
    const auto wake_time = host_.wake_time();
    if (!wake_time) {
        timer_.cancel();
        return;
    }
    const std::int64_t wait = std::clamp<std::int64_t>(*wake_time - clock_.now(), 0, wake_max_ms);
    timer_.expires_after(std::chrono::milliseconds(wait));
    timer_.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
        if (!ec) {
            self->wake();
        }
    });
}

void DecisionLoop::hold_watches(bool full) {
    if (full == watches_are_held_ || host_.is_stopping()) {
        return;
    }
    watches_are_held_ = full;
    if (full) {
        ++counts_.pauses;
        wiring_.log->write(
            LogLevel::warning,
            "inbox full, watches rest",
            {{"waiting", std::to_string(host_.waiting())}});
    } else {
        wiring_.log->write(LogLevel::info, "inbox drained, watches go on");
    }
    wiring_.hold_watches(full);
}

}  // namespace gang::app
