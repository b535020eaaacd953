#pragma once
// The three idioms every long-running coroutine of the edge uses.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <chrono>
#include <cstdint>
#include <exception>
#include <memory>
#include <utility>

namespace k8s {

/// Waits, or until the timer is cancelled. True: the whole time has passed.
inline boost::asio::awaitable<bool> sleep_ms(boost::asio::steady_timer& timer, std::int64_t ms) {
    timer.expires_after(std::chrono::milliseconds(ms));
    auto [ec] = co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    co_return !ec;
}

inline boost::asio::awaitable<void> sleep_until_cancelled(boost::asio::steady_timer& timer) {
    timer.expires_at(std::chrono::steady_clock::time_point::max());
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
}

/// Completion handler of co_spawn: the object lives as long as its coroutine. An exception is a
/// programming error there and leaves io_context::run().
template <typename Owner>
auto keep_alive(std::shared_ptr<Owner> owner) {
    return [kept = std::move(owner)](std::exception_ptr error) {
        if (error) std::rethrow_exception(error);
    };
}

}  // namespace k8s
