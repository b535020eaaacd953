#include "k8s/write/writer_sender.hpp"

#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"

#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

// Asked once more when the connection stands.
CallLimits WriteSender::write_limits(const WorkerPointer& worker) {
    CallLimits made = limits();
    made.may_send = [this, worker] {
        pool_.note_stands(*worker);
        return context_.may_write();
    };
    return made;
}

// While the server cannot be reached, one of all workers at a time may find out if that is over.
asio::awaitable<void> WriteSender::pass_breaker(WorkerPointer worker) {
    while (!context_.is_closed()) {
        const std::int64_t wait = flow_.breaker_wait_ms(monotonic_ms());
        if (wait == 0) co_return;
        co_await sleep_ms(worker->timer, wait);
    }
}

asio::awaitable<Reply> WriteSender::call(WorkerPointer worker, Request request, CallLimits limits) {
    co_await pass_breaker(worker);
    const std::int64_t sent_us = monotonic_us();
    ++in_flight_;
    Reply reply = co_await worker->connection.call(std::move(request), limits);
    --in_flight_;
    if (std::holds_alternative<Response>(reply)) pool_.note_stands(*worker);
    flow_.note_reply(reply, monotonic_ms());
    flow_.note_throttling(reply, sent_us, monotonic_us());
    co_return reply;
}

// The circuit breaker may have taken long: the lead is asked for once more, right before the write.
asio::awaitable<Reply> WriteSender::write(WorkerPointer worker, Request request) {
    co_await pass_breaker(worker);
    if (!context_.may_write()) {
        Failure failure;
        failure.message = "not the leader";
        co_return failure;
    }
    CallLimits bounds = write_limits(worker);
    const std::int64_t sent_us = monotonic_us();
    ++in_flight_;
    Reply reply = co_await worker->connection.call(std::move(request), std::move(bounds));
    --in_flight_;
    flow_.note_reply(reply, monotonic_ms());
    note_write(reply, sent_us);
    co_return reply;
}

void WriteSender::note_write(const Reply& reply, std::int64_t sent_us) {
    const std::int64_t now = monotonic_us();
    if (flow_.note_throttling(reply, sent_us, now)) return;
    if (std::holds_alternative<Response>(reply)) {
        flow_.note_answered(sent_us, now, pool_.is_full());
    } else if (std::get<Failure>(reply).maybe_sent) {
        flow_.note_unanswered(sent_us, now);
    }
}

}  // namespace k8s
