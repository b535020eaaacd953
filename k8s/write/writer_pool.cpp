#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/write/writer_impl.hpp"

#include <boost/asio/co_spawn.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

std::int64_t monotonic_us() {
    using std::chrono::steady_clock;
    return std::chrono::duration_cast<std::chrono::microseconds>(
               steady_clock::now().time_since_epoch())
        .count();
}

bool is_throttled(const Response& response) {
    return response.status == 429 || (response.status == 503 && response.retry_after_ms);
}

}  // namespace

std::string pod_target(const PodName& pod) {
    return fmt::format(
        "/api/v1/namespaces/{}/pods/{}",
        percent_encode(pod.namespace_name),
        percent_encode(pod.name));
}

protocol::HttpAnswer answer_of(const Response& response) {
    protocol::HttpAnswer answer;
    answer.status = response.status;
    if (response.status >= 300) {
        answer.message = decode_status(response.status, response.body).message;
    }
    answer.retry_after_ms = response.retry_after_ms.value_or(-1);
    return answer;
}

// For what only a leader may write: asked once more when the connection stands.
CallLimits Writer::Impl::write_limits(const WorkerPointer& worker) {
    CallLimits made(options.call_timeout_ms);
    made.may_send = [this, worker] {
        stands(*worker);
        return may_write();
    };
    return made;
}

std::size_t Writer::Impl::allowed() const {
    return static_cast<std::size_t>(limiter.size());
}

bool Writer::Impl::has_work() {
    return !resumed.empty() || queue.has_work(monotonic_ms());
}

// A bind finds half of the limit free of what nobody waits for.
bool Writer::Impl::may_take_droppable() const {
    return droppable_taken < std::max<std::size_t>(allowed() / 2, 1);
}

std::size_t Writer::Impl::opening() const {
    const auto is_opening = [](const WorkerPointer& worker) { return !worker->has_stood; };
    return static_cast<std::size_t>(std::count_if(workers.begin(), workers.end(), is_opening));
}

// Wakes an idle worker, or starts one, if the limiter allows one more. Called for each new job;
// each worker that has found one calls it for the next.
void Writer::Impl::wake_worker() {
    if (busy() >= allowed()) return;
    if (const std::int64_t hold_ms = limiter.hold_ms(monotonic_us()); hold_ms > 0) {
        return watch_hold(hold_ms);
    }
    if (!idle.empty()) {
        const WorkerPointer worker = idle.back();
        idle.pop_back();
        worker->timer.cancel();
        return;
    }
    if (opening() >= openings_max) return;
    auto worker = std::make_shared<Worker>(io, endpoint);
    workers.push_back(worker);
    asio::co_spawn(io, work(worker), keep_alive(shared_from_this()));
}

// The next one may open its own.
void Writer::Impl::stands(Worker& worker) {
    if (std::exchange(worker.has_stood, true)) return;
    if (!closed && has_work()) wake_worker();
}

// Events that wait for the rate limit need somebody to come back for them.
void Writer::Impl::watch_events() {
    const std::int64_t wait = queue.event_wait_ms(monotonic_ms());
    if (wait < 0 || event_timer_set || stopping) return;
    event_timer_set = true;
    event_timer.expires_after(std::chrono::milliseconds(std::max<std::int64_t>(wait, 1)));
    event_timer.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        self->event_timer_set = false;
        if (!ec && !self->stopping) self->wake_worker();
    });
}

void Writer::Impl::watch_hold(std::int64_t ms) {
    if (hold_timer_set || closed) return;
    hold_timer_set = true;
    hold_timer.expires_after(std::chrono::milliseconds(ms));
    hold_timer.async_wait([self = shared_from_this()](boost::system::error_code) {
        self->hold_timer_set = false;
        if (!self->closed) self->wake_worker();
    });
}

// False: too many are delayed already.
bool Writer::Impl::delay(WriteUnderWay write, std::int64_t ms) {
    if (delayed.size() >= options.delayed_max) return false;
    delayed.emplace_back(io, std::move(write));
    const auto place = std::prev(delayed.end());
    place->timer.expires_after(std::chrono::milliseconds(ms));
    place->timer.async_wait([self = shared_from_this(), place](boost::system::error_code) {
        if (!self->closed) self->resume(place);
    });
    return true;
}

void Writer::Impl::resume(std::list<Delayed>::iterator place) {
    resumed.push_back(std::move(place->write));
    delayed.erase(place);
    wake_worker();
}

// A condition that waits to be repeated does not hold up what somebody waits for.
void Writer::Impl::yield_to(const std::string& uid) {
    for (Delayed& one : delayed) {
        auto* patch = std::get_if<PatchPointer>(&one.write);
        if (patch == nullptr || (*patch)->job.done || (*patch)->job.patch.pod.uid != uid) continue;
        (*patch)->action = protocol::PatchFinished{false, "something newer is to be written"};
        one.timer.cancel();
    }
}

void Writer::Impl::note_reply(const Reply& reply) {
    const auto* failure = std::get_if<Failure>(&reply);
    if (failure == nullptr || failure->answered) {
        if (!breaker.is_closed() && options.notice && !closed) {
            options.notice(NoticeLevel::info, "the API server answers again");
        }
        breaker.answered();
        return;
    }
    if (failure->maybe_sent) return;  // its outcome is unknown, the server is there
    ++stats.unreachable;
    const bool is_change = breaker.unreachable(monotonic_ms(), chance());
    if (is_change && options.notice && !closed) {
        options.notice(NoticeLevel::warning, "writes wait problem=\"" + failure->message + "\"");
    }
}

// Only writes are compared with each other; whoever is asked to come back later, all of us are.
void Writer::Impl::note_load(const Reply& reply, std::int64_t sent_us, bool is_write) {
    const std::int64_t now = monotonic_us();
    const auto* response = std::get_if<Response>(&reply);
    if (response == nullptr) {
        if (is_write && std::get<Failure>(reply).maybe_sent) limiter.unanswered(sent_us, now);
    } else if (is_throttled(*response)) {
        ++stats.throttled;
        limiter.throttled(sent_us, now, response->retry_after_ms.value_or(-1));
    } else if (is_write) {
        limiter.answered(sent_us, now, busy() >= allowed() && has_work());
    }
}

// While the server cannot be reached, one of all workers at a time may find out if that is over.
asio::awaitable<void> Writer::Impl::pass_breaker(WorkerPointer worker) {
    while (!closed) {
        const std::int64_t wait = breaker.wait_ms(monotonic_ms());
        if (wait == 0) co_return;
        co_await sleep_ms(worker->timer, wait);
    }
}

asio::awaitable<Reply> Writer::Impl::call(
    WorkerPointer worker, Request request, CallLimits limits) {
    co_await pass_breaker(worker);
    const std::int64_t sent_us = monotonic_us();
    ++in_flight;
    Reply reply = co_await worker->connection.call(std::move(request), limits);
    --in_flight;
    if (std::holds_alternative<Response>(reply)) stands(*worker);
    note_reply(reply);
    note_load(reply, sent_us, false);
    co_return reply;
}

// The circuit breaker may have taken long: the lead is asked for once more, right before the write.
asio::awaitable<Reply> Writer::Impl::write(WorkerPointer worker, Request request) {
    co_await pass_breaker(worker);
    if (!may_write()) {
        Failure failure;
        failure.message = "not the leader";
        co_return failure;
    }
    CallLimits bounds = write_limits(worker);
    const std::int64_t sent_us = monotonic_us();
    ++in_flight;
    Reply reply = co_await worker->connection.call(std::move(request), std::move(bounds));
    --in_flight;
    note_reply(reply);
    note_load(reply, sent_us, true);
    co_return reply;
}

asio::awaitable<void> Writer::Impl::work(WorkerPointer worker) {
    // Started from inside bind() and its like, whose callbacks must not come before they return.
    co_await asio::post(io, asio::use_awaitable);
    while (!closed) {
        const std::int64_t hold_ms = limiter.hold_ms(monotonic_us());
        if (hold_ms > 0 && stopping) {
            co_await sleep_ms(worker->timer, hold_ms);
            continue;
        }
        if (hold_ms > 0 && has_work()) watch_hold(hold_ms);
        if (hold_ms == 0 && busy() <= allowed()) {
            if (!resumed.empty()) {
                WriteUnderWay write = std::move(resumed.front());
                resumed.pop_front();
                if (has_work()) wake_worker();
                co_await carry_on(worker, std::move(write));
                continue;
            }
            auto job = queue.take(monotonic_ms(), may_take_droppable());
            if (job) {
                ++taken;
                if (has_work()) wake_worker();
                co_await carry_out(worker, *std::move(job));
                continue;
            }
        }
        const bool goes_on = co_await wait_for_work(worker);
        if (!goes_on) break;
    }
    worker_ended(worker);
}

// False: nothing has come for so long that the connection is not worth keeping.
asio::awaitable<bool> Writer::Impl::wait_for_work(WorkerPointer worker) {
    if (stopping) co_return false;
    watch_events();
    idle.push_back(worker);
    const bool whole = co_await sleep_ms(worker->timer, options.idle_close_ms);
    // Woken by wake_worker(), which took us off the stack, or by the timer; both may have happened.
    const auto place = std::find(idle.begin(), idle.end(), worker);
    if (place == idle.end()) co_return true;
    idle.erase(place);
    co_return !whole;
}

void Writer::Impl::worker_ended(const WorkerPointer& worker) {
    worker->connection.close();
    workers.erase(std::find(workers.begin(), workers.end(), worker));
    if (!stopping || !workers.empty()) return;
    if (!closed && (!delayed.empty() || has_work())) return;
    closed = true;
    drain_timer.cancel();
    report_stopped();
}

asio::awaitable<void> Writer::Impl::carry_out(WorkerPointer worker, WriteJob job) {
    if (auto* to_bind = std::get_if<BindJob>(&job)) {
        BindPointer bind = begin(std::move(*to_bind));
        co_await go_on(worker, std::move(bind));
    } else if (auto* to_patch = std::get_if<PatchJob>(&job)) {
        PatchPointer patch = begin(std::move(*to_patch));
        co_await go_on(worker, std::move(patch));
    } else if (auto* to_evict = std::get_if<EvictJob>(&job)) {
        EvictPointer eviction = begin(std::move(*to_evict));
        co_await go_on(worker, std::move(eviction));
    } else if (auto* to_fetch = std::get_if<FetchJob>(&job)) {
        co_await fetch(worker, std::move(*to_fetch));
    } else if (auto* to_write = std::get_if<ObjectStatusJob>(&job)) {
        co_await write_object_status(worker, std::move(*to_write));
    } else {
        co_await send_event(worker, std::get<EventJob>(std::move(job)));
    }
}

asio::awaitable<void> Writer::Impl::carry_on(WorkerPointer worker, WriteUnderWay write) {
    if (auto* bind = std::get_if<BindPointer>(&write)) {
        (*bind)->action = (*bind)->state.on_waited(may_write());
        co_await go_on(worker, *bind);
        co_return;
    }
    if (auto* eviction = std::get_if<EvictPointer>(&write)) {
        (*eviction)->action = (*eviction)->state.on_waited(may_write());
        co_await go_on(worker, *eviction);
        co_return;
    }
    const PatchPointer& patch = std::get<PatchPointer>(write);
    // It may have been given up while it was delayed.
    if (std::holds_alternative<protocol::Wait>(patch->action)) {
        patch->action = patch->state.on_waited(may_write());
    }
    co_await go_on(worker, patch);
}

}  // namespace k8s
