#include "k8s/write/writer_pool.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/write/run/writer_run.hpp"
#include "k8s/write/writer_parts.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>

#include <algorithm>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

std::int64_t monotonic_us() {
    using std::chrono::steady_clock;
    return std::chrono::duration_cast<std::chrono::microseconds>(
               steady_clock::now().time_since_epoch())
        .count();
}

WorkerPool::WorkerPool(WriterParts& writer, std::shared_ptr<Endpoint> endpoint)
    : writer_(writer),
      endpoint_(std::move(endpoint)),
      event_timer_(writer.context.io),
      hold_timer_(writer.context.io) {}

bool WorkerPool::is_full() const {
    return busy() >= writer_.flow.allowed() && writer_.has_work();
}

std::size_t WorkerPool::opening() const {
    const auto is_opening = [](const WorkerPointer& worker) { return !worker->has_stood; };
    return static_cast<std::size_t>(std::count_if(workers_.begin(), workers_.end(), is_opening));
}

void WorkerPool::wake() {
    if (busy() >= writer_.flow.allowed()) return;
    if (const std::int64_t hold_ms = writer_.flow.hold_ms(monotonic_us()); hold_ms > 0) {
        return come_back_after_hold(hold_ms);
    }
    if (!idle_.empty()) {
        const WorkerPointer worker = idle_.back();
        idle_.pop_back();
        worker->timer.cancel();
        return;
    }
    if (opening() >= openings_max) return;
    asio::io_context& io = writer_.context.io;
    auto worker = std::make_shared<Worker>(io, endpoint_);
    workers_.push_back(worker);
    asio::co_spawn(io, work(worker), keep_alive(writer_.shared_from_this()));
}

void WorkerPool::note_stands(Worker& worker) {
    if (std::exchange(worker.has_stood, true)) return;
    if (!writer_.context.is_closed() && writer_.has_work()) wake();
}

void WorkerPool::come_back_for_events() {
    const std::int64_t wait = writer_.backlog.queue().event_wait_ms(monotonic_ms());
    if (wait < 0 || event_timer_.is_set() || writer_.context.is_stopping()) return;
    event_timer_.set(std::max<std::int64_t>(wait, 1), [this, self = writer_.shared_from_this()] {
        if (!self->context.is_stopping()) wake();
    });
}

void WorkerPool::come_back_after_hold(std::int64_t ms) {
    if (hold_timer_.is_set() || writer_.context.is_closed()) return;
    hold_timer_.set(ms, [this, self = writer_.shared_from_this()] {
        if (!self->context.is_closed()) wake();
    });
}

void WorkerPool::drain() {
    event_timer_.cancel();
    for (const WorkerPointer& worker : idle_) worker->timer.cancel();
    idle_.clear();
}

void WorkerPool::close() {
    for (const WorkerPointer& worker : workers_) {
        worker->connection.close();
        worker->timer.cancel();
    }
    event_timer_.cancel();
    hold_timer_.cancel();
}

asio::awaitable<void> WorkerPool::work(WorkerPointer worker) {
    // Started from inside bind() and its like, whose callbacks must not come before they return.
    co_await asio::post(writer_.context.io, asio::use_awaitable);
    while (!writer_.context.is_closed()) {
        const std::int64_t hold_ms = writer_.flow.hold_ms(monotonic_us());
        if (hold_ms > 0 && writer_.context.is_stopping()) {
            co_await sleep_ms(worker->timer, hold_ms);
            continue;
        }
        if (hold_ms > 0 && writer_.has_work()) come_back_after_hold(hold_ms);
        if (hold_ms == 0 && busy() <= writer_.flow.allowed()) {
            if (writer_.delays.has_due()) {
                WriteUnderWay write = writer_.delays.take_due();
                if (writer_.has_work()) wake();
                co_await carry_on(writer_, worker, std::move(write));
                continue;
            }
            auto job = writer_.backlog.take(monotonic_ms(), writer_.flow.allowed());
            if (job) {
                if (writer_.has_work()) wake();
                co_await carry_out(writer_, worker, *std::move(job));
                continue;
            }
        }
        const bool goes_on = co_await wait_for_work(worker);
        if (!goes_on) break;
    }
    ended(worker);
}

// False: nothing has come for so long that the connection is not worth keeping.
asio::awaitable<bool> WorkerPool::wait_for_work(WorkerPointer worker) {
    if (writer_.context.is_stopping()) co_return false;
    come_back_for_events();
    idle_.push_back(worker);
    const bool whole = co_await sleep_ms(worker->timer, writer_.context.options.idle_close_ms);
    // Woken by wake(), which took us off the stack, or by the timer; both may have happened.
    const auto place = std::find(idle_.begin(), idle_.end(), worker);
    if (place == idle_.end()) co_return true;
    idle_.erase(place);
    co_return !whole;
}

void WorkerPool::ended(const WorkerPointer& worker) {
    worker->connection.close();
    workers_.erase(std::find(workers_.begin(), workers_.end(), worker));
    if (!writer_.context.is_stopping() || !workers_.empty()) return;
    const bool is_closed = writer_.context.is_closed();
    if (!is_closed && (!writer_.delays.is_empty() || writer_.has_work())) return;
    writer_.shutdown.finish();
}

}  // namespace k8s
