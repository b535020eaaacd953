#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/writer_impl.hpp"

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

PatchPointer Writer::Impl::begin(PatchJob job) {
    if (!job.done) ++droppable_taken;
    StatusPatch& patch = job.patch;
    patch.resource_version = versions.newest(patch.pod.uid, patch.resource_version);
    if (patch.condition && versions.has_condition(patch.pod.uid)) {
        patch.condition->is_transition = false;
    }
    auto made = std::make_shared<PatchUnderWay>(std::move(job));
    made->action = made->state.start(may_write());
    return made;
}

void Writer::Impl::finish(PatchUnderWay& patch, protocol::PatchFinished& how) {
    if (how.written) ++stats.patches;
    const bool is_awaited = static_cast<bool>(patch.job.done);
    if (is_awaited) {
        if (how.unsettled) ++stats.patches_unsettled;
        patch.job.done(
            StatusResult{how.written, how.changed, std::move(how.message), std::move(patch.node)});
    }
    finished(patch.job.patch.pod.uid, is_awaited);
}

// Nobody waits for it, and its pod or a connection is wanted by somebody else.
void Writer::Impl::give_up(PatchUnderWay& condition) {
    ++stats.conditions_dropped;
    finished(condition.job.patch.pod.uid, false);
}

// As a bind: who has to wait leaves the connection to others.
asio::awaitable<void> Writer::Impl::go_on(WorkerPointer worker, PatchPointer patch) {
    protocol::PatchAction& action = patch->action;
    const bool is_droppable = !patch->job.done;
    while (!closed) {
        if (auto* how = std::get_if<protocol::PatchFinished>(&action)) {
            finish(*patch, *how);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            const bool is_in_the_way = is_droppable && answers.is_awaited(patch->job.patch.pod.uid);
            if (!is_in_the_way && delay(patch, wait->ms)) co_return;
            if (is_droppable) {
                give_up(*patch);
                co_return;
            }
            co_await sleep_ms(worker->timer, wait->ms);
            action = patch->state.on_waited(may_write());
        } else {
            action = co_await send_patch(worker, *patch);
        }
    }
}

asio::awaitable<protocol::PatchAction> Writer::Impl::send_patch(
    WorkerPointer worker, PatchUnderWay& under_way) {
    const StatusPatch& patch = under_way.job.patch;
    Request request("PATCH", pod_target(patch.pod) + "/status");
    request.content_type = "application/strategic-merge-patch+json";
    request.body = encode_status_patch(patch, unix_ms());
    Reply reply = co_await write(worker, std::move(request));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return under_way.state.on_no_answer(failure->maybe_sent, failure->message, chance());
    }
    auto& response = std::get<Response>(reply);
    if (response.status == 200) {
        const auto pod = decode_pod_state(std::move(response.body));
        if (pod) {
            versions.wrote(patch.pod.uid, pod->resource_version);
            if (patch.condition) versions.wrote_condition(patch.pod.uid);
            under_way.node = pod->node;
        }
    }
    co_return under_way.state.on_answer(answer_of(response), chance());
}

}  // namespace k8s
