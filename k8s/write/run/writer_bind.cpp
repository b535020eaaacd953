#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/annotations.hpp"
#include "k8s/write/run/writer_run.hpp"

#include <fmt/format.h>

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

void finish_bind(WriterParts& writer, BindUnderWay& bind, protocol::BindFinished& how) {
    const std::string uid = bind.job.request.pod.uid;
    const bool bound = how.outcome == BindOutcome::bound;
    if (bound) ++writer.context.stats.binds;
    if (bound || how.outcome == BindOutcome::taken) writer.backlog.queue().discard_condition(uid);
    bind.job.done(BindResult{how.outcome, std::move(how.message), std::move(bind.job.request)});
    writer.finish_awaited(uid);
}

asio::awaitable<protocol::BindAction> post_binding(
    WriterParts& writer, WorkerPointer worker, const BindRequest& request, protocol::Bind& state) {
    Request post("POST", pod_target(request.pod) + "/binding");
    post.content_type = "application/json";
    post.body = encode_binding(request);
    Reply reply = co_await writer.sender.write(worker, std::move(post));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return state.on_no_answer(
            failure->maybe_sent, failure->message, writer.context.chance());
    }
    co_return state.on_answer(answer_of(std::get<Response>(reply)), writer.context.chance());
}

// No resourceVersion in the query: the newest state, from a quorum.
asio::awaitable<protocol::BindAction> read_pod(
    WriterParts& writer, WorkerPointer worker, const PodName& pod, protocol::Bind& state) {
    Request get("GET", pod_target(pod));
    Reply reply = co_await writer.sender.call(worker, std::move(get), writer.sender.limits());
    const auto* response = std::get_if<Response>(&reply);
    protocol::PodState seen;
    if (response != nullptr && response->status == 404) {
        co_return state.on_pod(seen, writer.context.may_write());
    }
    if (response != nullptr && response->status == 200) {
        const auto decoded = decode_pod_state(response->body);
        if (decoded) co_return state.on_pod(*decoded, writer.context.may_write());
    }
    const auto* failure = std::get_if<Failure>(&reply);
    const std::string why = failure ? failure->message : answer_of(*response).message;
    writer.context.notice(
        NoticeLevel::warning,
        fmt::format(
            "the bind is unsettled, its pod cannot be read pod={}/{} problem=\"{}\"",
            pod.namespace_name,
            pod.name,
            why));
    co_return state.on_pod_unreadable(writer.context.chance());
}

}  // namespace

BindPointer begin_write(WriterParts& writer, BindJob job) {
    BindRequest& request = job.request;
    const std::string uid = request.pod.uid;
    const auto& annotation_bytes = writer.context.options.annotation_bytes;
    const std::size_t existing = annotation_bytes ? annotation_bytes(uid) : 0;
    const auto fine = check_annotations(request.annotations, existing);
    request.resource_version = writer.versions.newest(uid, request.resource_version);
    protocol::BindTarget target{uid, request.resource_version, request.node};
    auto bind = std::make_shared<BindUnderWay>(std::move(job), std::move(target));
    if (fine) {
        bind->action = bind->state.start(writer.context.may_write());
    } else {
        bind->action = protocol::BindFinished{BindOutcome::refused, fine.error().message};
    }
    return bind;
}

asio::awaitable<void> go_on_with(WriterParts& writer, WorkerPointer worker, BindPointer bind) {
    const BindRequest& request = bind->job.request;
    protocol::BindAction& action = bind->action;
    while (!writer.context.is_closed()) {
        if (auto* how = std::get_if<protocol::BindFinished>(&action)) {
            finish_bind(writer, *bind, *how);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            if (writer.delay(bind, wait->ms)) co_return;
            co_await sleep_ms(worker->timer, wait->ms);
            action = bind->state.on_waited(writer.context.may_write());
        } else if (std::holds_alternative<protocol::PostBinding>(action)) {
            action = co_await post_binding(writer, worker, request, bind->state);
        } else {
            ++writer.context.stats.binds_unknown;
            action = co_await read_pod(writer, worker, request.pod, bind->state);
        }
    }
}

}  // namespace k8s
