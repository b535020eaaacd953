#include "k8s/base/sleep.hpp"
#include "k8s/base/time.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/run/writer_run.hpp"

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

void finish_patch(WriterParts& writer, PatchUnderWay& patch, protocol::PatchFinished& how) {
    if (how.written) ++writer.context.stats.patches;
    const bool is_awaited = static_cast<bool>(patch.job.done);
    if (is_awaited) {
        if (how.unsettled) ++writer.context.stats.patches_unsettled;
        patch.job.done(
            StatusResult{how.written, how.changed, std::move(how.message), std::move(patch.node)});
    }
    const std::string& uid = patch.job.patch.pod.uid;
    if (is_awaited) {
        writer.finish_awaited(uid);
    } else {
        writer.backlog.finish_droppable(uid);
    }
}

// Nobody waits for it, and its pod or a connection is wanted by somebody else.
void give_up(WriterParts& writer, PatchUnderWay& condition) {
    ++writer.context.stats.conditions_dropped;
    writer.backlog.finish_droppable(condition.job.patch.pod.uid);
}

asio::awaitable<protocol::PatchAction> send_patch(
    WriterParts& writer, WorkerPointer worker, PatchUnderWay& under_way) {
    const StatusPatch& patch = under_way.job.patch;
    Request request("PATCH", pod_target(patch.pod) + "/status");
    request.content_type = "application/strategic-merge-patch+json";
    request.body = encode_status_patch(patch, unix_ms());
    Reply reply = co_await writer.sender.write(worker, std::move(request));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return under_way.state.on_no_answer(
            failure->maybe_sent, failure->message, writer.context.chance());
    }
    auto& response = std::get<Response>(reply);
    if (response.status == 200) {
        const auto pod = decode_pod_state(std::move(response.body));
        if (pod) {
            writer.versions.wrote(patch.pod.uid, pod->resource_version);
            if (patch.condition) writer.versions.wrote_condition(patch.pod.uid);
            under_way.node = pod->node;
        }
    }
    co_return under_way.state.on_answer(answer_of(response), writer.context.chance());
}

}  // namespace

PatchPointer begin_write(WriterParts& writer, PatchJob job) {
    StatusPatch& patch = job.patch;
    patch.resource_version = writer.versions.newest(patch.pod.uid, patch.resource_version);
    if (patch.condition && writer.versions.has_condition(patch.pod.uid)) {
        patch.condition->is_transition = false;
    }
    auto made = std::make_shared<PatchUnderWay>(std::move(job));
    made->action = made->state.start(writer.context.may_write());
    return made;
}

asio::awaitable<void> go_on_with(WriterParts& writer, WorkerPointer worker, PatchPointer patch) {
    protocol::PatchAction& action = patch->action;
    const bool is_droppable = !patch->job.done;
    while (!writer.context.is_closed()) {
        if (auto* how = std::get_if<protocol::PatchFinished>(&action)) {
            finish_patch(writer, *patch, *how);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            const bool is_in_the_way =
                is_droppable && writer.backlog.answers().is_awaited(patch->job.patch.pod.uid);
            if (!is_in_the_way && writer.delay(patch, wait->ms)) co_return;
            if (is_droppable) {
                give_up(writer, *patch);
                co_return;
            }
            co_await sleep_ms(worker->timer, wait->ms);
            action = patch->state.on_waited(writer.context.may_write());
        } else {
            action = co_await send_patch(writer, worker, *patch);
        }
    }
}

}  // namespace k8s
