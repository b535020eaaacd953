#pragma once
// Says once that all is quiet: some time after it was asked to, and where somebody is still busy
// then, so much later again.

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <functional>
#include <utility>

namespace gang::app {

class IdleNotice {
public:
    struct Wiring {
        std::function<bool()> is_idle;
        std::function<void()> on_idle;  ///< empty: nobody wants to know, and no timer runs
        std::int64_t after_ms = 0;      ///< from await() on; and how often it is tried
    };

    IdleNotice(boost::asio::io_context& io, Wiring wiring)
        : timer_(io), wiring_(std::move(wiring)) {}

    /// While it is awaited already, the time begins anew.
    void await();
    void stop();

private:
    boost::asio::steady_timer timer_;
    Wiring wiring_;
    bool is_stopped_ = false;
};

}  // namespace gang::app
