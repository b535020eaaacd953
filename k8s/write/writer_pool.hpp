#pragma once
// WorkerPool: the workers of a writer, each with its connection. They are started when there is
// something to do and end when nothing has come for a while.
//
//   started --> takes one job after the other <--> idle --> ended
//
// A new job wakes one idle worker or starts one; each worker that has found a job does the same for
// the next.

#include "k8s/net/connection.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/system/error_code.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace k8s {

struct WriterParts;

/// So many workers open their connection at a time. A burst would open all of them at once: dozens
/// of handshakes that the server must do beside the binds, each with 24 KB in our memory.
inline constexpr std::size_t openings_max = 4;

/// Microseconds of the clock of monotonic_ms().
std::int64_t monotonic_us();

/// One connection of the pool and the coroutine that owns it.
struct Worker {
    Worker(boost::asio::io_context& io, const std::shared_ptr<Endpoint>& endpoint)
        : connection(io, endpoint), timer(io) {}
    Connection connection;
    boost::asio::steady_timer timer;
    bool has_stood = false;  ///< its connection was open once
};
using WorkerPointer = std::shared_ptr<Worker>;

/// A timer that is set only where it is not set already.
class WakeTimer {
public:
    explicit WakeTimer(boost::asio::io_context& io) : timer_(io) {}

    bool is_set() const { return is_set_; }
    /// `wake` is called also after cancel(), and has to keep the timer's owner alive.
    template <typename Wake>
    void set(std::int64_t ms, Wake wake) {
        is_set_ = true;
        timer_.expires_after(std::chrono::milliseconds(ms));
        timer_.async_wait([this, wake = std::move(wake)](boost::system::error_code) {
            is_set_ = false;
            wake();
        });
    }
    void cancel() { timer_.cancel(); }

private:
    boost::asio::steady_timer timer_;
    bool is_set_ = false;
};

class WorkerPool {
public:
    WorkerPool(WriterParts& writer, std::shared_ptr<Endpoint> endpoint);

    /// Gets a worker for one more job, if flow control allows one more.
    void wake();
    /// A connection is open, so that the next worker may open its own.
    void note_stands(Worker& worker);

    std::size_t size() const { return workers_.size(); }
    bool is_empty() const { return workers_.empty(); }
    /// As many as allowed are busy, and more waits.
    bool is_full() const;

    /// Nothing new comes: who is idle ends.
    void drain();
    /// All end at once.
    void close();

private:
    std::size_t busy() const { return workers_.size() - idle_.size(); }
    std::size_t opening() const;
    void come_back_for_events();
    void come_back_after_hold(std::int64_t ms);
    void ended(const WorkerPointer& worker);
    boost::asio::awaitable<void> work(WorkerPointer worker);
    boost::asio::awaitable<bool> wait_for_work(WorkerPointer worker);

    WriterParts& writer_;
    std::shared_ptr<Endpoint> endpoint_;
    std::vector<WorkerPointer> workers_;
    std::vector<WorkerPointer> idle_;  ///< a stack: few connections stay warm, the others close
    WakeTimer event_timer_;            ///< events that wait for their rate limit
    WakeTimer hold_timer_;             ///< the server has asked for a pause
};

}  // namespace k8s
