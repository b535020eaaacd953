#pragma once
// ElectorStop: the end of an elector. A renewal under way may finish, then comes the release, then
// the owner is told.

#include "k8s/base/time.hpp"
#include "k8s/protocol/election/election.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace k8s {

class ElectorStop {
public:
    explicit ElectorStop(boost::asio::io_context& io) : timer_(io) {}

    static constexpr std::int64_t total_ms = 2'000;    ///< for a renewal under way and the release
    static constexpr std::int64_t renewal_ms = 1'000;  ///< of these, for the renewal

    bool is_begun() const { return is_begun_; }
    protocol::LeaseEnd lease_end() const { return lease_end_; }
    /// What is left for the release.
    std::int64_t left_ms() const { return by_ms_ - monotonic_ms(); }

    /// `cut_off` is called if the renewal takes too long; it has to keep this alive.
    template <typename CutOff>
    void begin(protocol::LeaseEnd end, std::function<void()> done, CutOff cut_off) {
        begin_at_once(end);
        done_ = std::move(done);
        by_ms_ = monotonic_ms() + total_ms;
        timer_.expires_after(std::chrono::milliseconds(renewal_ms));
        timer_.async_wait([cut_off = std::move(cut_off)](boost::system::error_code ec) {
            if (!ec) cut_off();
        });
    }
    /// Nothing is waited for and nobody is told.
    void begin_at_once(protocol::LeaseEnd end) {
        is_begun_ = true;
        lease_end_ = end;
        done_ = nullptr;
        timer_.cancel();
    }
    /// No renewal is under way any more.
    void note_renewal_over() { timer_.cancel(); }
    void finish(boost::asio::io_context& io) {
        if (done_) boost::asio::post(io, std::exchange(done_, nullptr));
    }

private:
    boost::asio::steady_timer timer_;
    std::function<void()> done_;
    std::int64_t by_ms_ = 0;
    bool is_begun_ = false;
    protocol::LeaseEnd lease_end_ = protocol::LeaseEnd::release;
};

}  // namespace k8s
