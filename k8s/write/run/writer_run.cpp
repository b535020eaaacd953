#include "k8s/write/run/writer_run.hpp"

#include "k8s/codec/codec_status.hpp"

#include <fmt/format.h>

#include <utility>
#include <variant>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

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

asio::awaitable<void> carry_out(WriterParts& writer, WorkerPointer worker, WriteJob job) {
    if (auto* to_bind = std::get_if<BindJob>(&job)) {
        BindPointer bind = begin_write(writer, std::move(*to_bind));
        co_await go_on_with(writer, worker, std::move(bind));
    } else if (auto* to_patch = std::get_if<PatchJob>(&job)) {
        PatchPointer patch = begin_write(writer, std::move(*to_patch));
        co_await go_on_with(writer, worker, std::move(patch));
    } else if (auto* to_evict = std::get_if<EvictJob>(&job)) {
        EvictPointer eviction = begin_write(writer, std::move(*to_evict));
        co_await go_on_with(writer, worker, std::move(eviction));
    } else if (auto* to_fetch = std::get_if<FetchJob>(&job)) {
        co_await fetch_config_map(writer, worker, std::move(*to_fetch));
    } else if (auto* to_write = std::get_if<ObjectStatusJob>(&job)) {
        co_await write_object_status(writer, worker, std::move(*to_write));
    } else {
        co_await send_event(writer, worker, std::get<EventJob>(std::move(job)));
    }
}

asio::awaitable<void> carry_on(WriterParts& writer, WorkerPointer worker, WriteUnderWay write) {
    if (auto* bind = std::get_if<BindPointer>(&write)) {
        (*bind)->action = (*bind)->state.on_waited(writer.context.may_write());
        co_await go_on_with(writer, worker, *bind);
        co_return;
    }
    if (auto* eviction = std::get_if<EvictPointer>(&write)) {
        (*eviction)->action = (*eviction)->state.on_waited(writer.context.may_write());
        co_await go_on_with(writer, worker, *eviction);
        co_return;
    }
    const PatchPointer& patch = std::get<PatchPointer>(write);
    // It may have been given up while it was delayed.
    if (std::holds_alternative<protocol::Wait>(patch->action)) {
        patch->action = patch->state.on_waited(writer.context.may_write());
    }
    co_await go_on_with(writer, worker, patch);
}

}  // namespace k8s
