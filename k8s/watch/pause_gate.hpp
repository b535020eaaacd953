#pragma once
// PauseGate: where one coroutine waits while its receiver has paused it.

#include "k8s/base/sleep.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

namespace k8s {

class PauseGate {
public:
    explicit PauseGate(boost::asio::io_context& io) : timer_(io) {}

    void pause() { is_paused_ = true; }
    void resume() {
        is_paused_ = false;
        timer_.cancel();
    }
    /// Nobody waits here any more.
    void stop() {
        is_stopped_ = true;
        timer_.cancel();
    }

    boost::asio::awaitable<void> until_resumed() {
        while (is_paused_ && !is_stopped_) co_await sleep_until_cancelled(timer_);
    }

private:
    boost::asio::steady_timer timer_;
    bool is_paused_ = false;
    bool is_stopped_ = false;
};

}  // namespace k8s
