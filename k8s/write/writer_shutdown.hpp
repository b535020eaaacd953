#pragma once
// WriterShutdown: the end of a writer: how long it may drain, and who is told when it is over.

#include "k8s/write/writer_context.hpp"

#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <utility>

namespace k8s {

class WriterShutdown {
public:
    explicit WriterShutdown(WriterContext& context) : context_(context), timer_(context.io) {}

    /// Draining begins.
    void begin(std::function<void(bool drained)> done) {
        context_.enter(WriterPhase::draining);
        done_ = std::move(done);
    }
    /// `cut_off` is called if the writer is not through by then; it has to keep it alive.
    template <typename CutOff>
    void set_deadline(std::int64_t ms, CutOff cut_off) {
        timer_.expires_after(std::chrono::milliseconds(ms));
        timer_.async_wait([cut_off = std::move(cut_off)](boost::system::error_code ec) {
            if (!ec) cut_off();
        });
    }
    /// Writes may have been under way when everything was closed.
    void close(bool is_cut_off) {
        context_.enter(WriterPhase::closed);
        is_cut_off_ = is_cut_off;
    }
    /// All workers have ended: `done` is called, on one of the loop's next turns.
    void finish() {
        context_.enter(WriterPhase::closed);
        timer_.cancel();
        if (!done_) return;
        boost::asio::post(
            context_.io,
            [done = std::exchange(done_, nullptr), drained = !is_cut_off_] { done(drained); });
    }
    /// Nobody is told.
    void abandon() {
        done_ = nullptr;
        timer_.cancel();
    }

private:
    WriterContext& context_;
    boost::asio::steady_timer timer_;
    std::function<void(bool drained)> done_;
    bool is_cut_off_ = false;
};

}  // namespace k8s
