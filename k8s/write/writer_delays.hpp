#pragma once
// DelayedWrites: the writes that wait to be repeated. Their pods stay busy, their workers have gone
// on with others.
//
//   add() --its time is over--> due --take_due()--> a worker

#include "k8s/write/run/write_under_way.hpp"
#include "k8s/write/writer_context.hpp"

#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <deque>
#include <iterator>
#include <list>
#include <string>
#include <utility>

namespace k8s {

class DelayedWrites {
public:
    explicit DelayedWrites(WriterContext& context) : context_(context) {}

    /// False: too many are delayed already. `wake` is called when this one is due, and has to keep
    /// the writer alive until then.
    template <typename Wake>
    bool add(WriteUnderWay write, std::int64_t ms, Wake wake) {
        if (delayed_.size() >= context_.options.delayed_max) return false;
        delayed_.emplace_back(context_.io, std::move(write));
        const auto place = std::prev(delayed_.end());
        place->timer.expires_after(std::chrono::milliseconds(ms));
        place->timer.async_wait([this, place, wake = std::move(wake)](boost::system::error_code) {
            if (context_.is_closed()) return;
            due_.push_back(std::move(place->write));
            delayed_.erase(place);
            wake();
        });
        return true;
    }

    /// A condition that waits to be repeated does not hold up what somebody waits for.
    void yield_to(const std::string& uid);

    bool has_due() const { return !due_.empty(); }
    WriteUnderWay take_due();
    /// None has still to wait.
    bool is_empty() const { return delayed_.empty(); }
    void cancel();

private:
    struct Delayed {
        Delayed(boost::asio::io_context& io, WriteUnderWay waiting)
            : timer(io), write(std::move(waiting)) {}
        boost::asio::steady_timer timer;
        WriteUnderWay write;
    };

    WriterContext& context_;
    std::list<Delayed> delayed_;
    std::deque<WriteUnderWay> due_;  ///< no worker has come by yet
};

}  // namespace k8s
