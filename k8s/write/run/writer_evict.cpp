#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/run/writer_run.hpp"

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

void finish_eviction(
    WriterParts& writer, EvictUnderWay& eviction, protocol::EvictionFinished& how) {
    if (how.outcome == EvictOutcome::evicted) ++writer.context.stats.evictions;
    if (how.unsettled) ++writer.context.stats.patches_unsettled;
    eviction.job.done(EvictResult{how.outcome, std::move(how.message)});
    writer.finish_awaited(eviction.job.pod.uid);
}

asio::awaitable<protocol::EvictAction> send_eviction(
    WriterParts& writer, WorkerPointer worker, EvictUnderWay& under_way) {
    Request request("POST", pod_target(under_way.job.pod) + "/eviction");
    request.content_type = "application/json";
    request.body = encode_eviction(under_way.job.pod);
    Reply reply = co_await writer.sender.write(worker, std::move(request));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return under_way.state.on_no_answer(
            failure->maybe_sent, failure->message, writer.context.chance());
    }
    co_return under_way.state.on_answer(
        answer_of(std::get<Response>(reply)), writer.context.chance());
}

}  // namespace

EvictPointer begin_write(WriterParts& writer, EvictJob job) {
    auto made = std::make_shared<EvictUnderWay>(std::move(job));
    made->action = made->state.start(writer.context.may_write());
    return made;
}

asio::awaitable<void> go_on_with(WriterParts& writer, WorkerPointer worker, EvictPointer eviction) {
    protocol::EvictAction& action = eviction->action;
    while (!writer.context.is_closed()) {
        if (auto* how = std::get_if<protocol::EvictionFinished>(&action)) {
            finish_eviction(writer, *eviction, *how);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            if (writer.delay(eviction, wait->ms)) co_return;
            co_await sleep_ms(worker->timer, wait->ms);
            action = eviction->state.on_waited(writer.context.may_write());
        } else {
            action = co_await send_eviction(writer, worker, *eviction);
        }
    }
}

}  // namespace k8s
