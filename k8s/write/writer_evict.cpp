#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/writer_impl.hpp"

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

EvictPointer Writer::Impl::begin(EvictJob job) {
    auto made = std::make_shared<EvictUnderWay>(std::move(job));
    made->action = made->state.start(may_write());
    return made;
}

void Writer::Impl::finish(EvictUnderWay& eviction, protocol::EvictionFinished& how) {
    if (how.outcome == EvictOutcome::evicted) ++stats.evictions;
    if (how.unsettled) ++stats.patches_unsettled;
    eviction.job.done(EvictResult{how.outcome, std::move(how.message)});
    finished(eviction.job.pod.uid, true);
}

// As a bind: who has to wait leaves the connection to others.
asio::awaitable<void> Writer::Impl::go_on(WorkerPointer worker, EvictPointer eviction) {
    protocol::EvictAction& action = eviction->action;
    while (!closed) {
        if (auto* how = std::get_if<protocol::EvictionFinished>(&action)) {
            finish(*eviction, *how);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            if (delay(eviction, wait->ms)) co_return;
            co_await sleep_ms(worker->timer, wait->ms);
            action = eviction->state.on_waited(may_write());
        } else {
            action = co_await send_eviction(worker, *eviction);
        }
    }
}

asio::awaitable<protocol::EvictAction> Writer::Impl::send_eviction(
    WorkerPointer worker, EvictUnderWay& under_way) {
    Request request("POST", pod_target(under_way.job.pod) + "/eviction");
    request.content_type = "application/json";
    request.body = encode_eviction(under_way.job.pod);
    Reply reply = co_await write(worker, std::move(request));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return under_way.state.on_no_answer(failure->maybe_sent, failure->message, chance());
    }
    co_return under_way.state.on_answer(answer_of(std::get<Response>(reply)), chance());
}

}  // namespace k8s
