#include "k8s/base/sleep.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/codec/codec_write.hpp"
#include "k8s/write/annotations.hpp"
#include "k8s/write/writer_impl.hpp"

#include <fmt/format.h>

#include <utility>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;

BindPointer Writer::Impl::begin(BindJob job) {
    BindRequest& request = job.request;
    const std::string uid = request.pod.uid;
    const std::size_t existing = options.annotation_bytes ? options.annotation_bytes(uid) : 0;
    const auto fine = check_annotations(request.annotations, existing);
    request.resource_version = versions.newest(uid, request.resource_version);
    protocol::BindTarget target{uid, request.resource_version, request.node};
    auto bind = std::make_shared<BindUnderWay>(std::move(job), std::move(target));
    if (fine) {
        bind->action = bind->state.start(may_write());
    } else {
        bind->action = protocol::BindFinished{BindOutcome::refused, fine.error().message};
    }
    return bind;
}

void Writer::Impl::finish(BindUnderWay& bind, protocol::BindFinished& how) {
    const std::string uid = bind.job.request.pod.uid;
    const bool bound = how.outcome == BindOutcome::bound;
    if (bound) ++stats.binds;
    if (bound || how.outcome == BindOutcome::taken) queue.discard_condition(uid);
    bind.job.done(BindResult{how.outcome, std::move(how.message), std::move(bind.job.request)});
    finished(uid, true);
}

// Until it is through, or has to wait: then it leaves the connection to others.
asio::awaitable<void> Writer::Impl::go_on(WorkerPointer worker, BindPointer bind) {
    const BindRequest& request = bind->job.request;
    protocol::BindAction& action = bind->action;
    while (!closed) {
        if (auto* how = std::get_if<protocol::BindFinished>(&action)) {
            finish(*bind, *how);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            if (delay(bind, wait->ms)) co_return;
            co_await sleep_ms(worker->timer, wait->ms);
            action = bind->state.on_waited(may_write());
        } else if (std::holds_alternative<protocol::PostBinding>(action)) {
            action = co_await post_binding(worker, request, bind->state);
        } else {
            ++stats.binds_unknown;
            action = co_await read_pod(worker, request.pod, bind->state);
        }
    }
}

asio::awaitable<protocol::BindAction> Writer::Impl::post_binding(
    WorkerPointer worker, const BindRequest& request, protocol::Bind& state) {
    Request post("POST", pod_target(request.pod) + "/binding");
    post.content_type = "application/json";
    post.body = encode_binding(request);
    Reply reply = co_await write(worker, std::move(post));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return state.on_no_answer(failure->maybe_sent, failure->message, chance());
    }
    co_return state.on_answer(answer_of(std::get<Response>(reply)), chance());
}

// No resourceVersion in the query: the newest state, from a quorum.
asio::awaitable<protocol::BindAction> Writer::Impl::read_pod(
    WorkerPointer worker, const PodName& pod, protocol::Bind& state) {
    Request get("GET", pod_target(pod));
    Reply reply = co_await call(worker, std::move(get), limits());
    const auto* response = std::get_if<Response>(&reply);
    protocol::PodState seen;
    if (response != nullptr && response->status == 404) {
        co_return state.on_pod(seen, may_write());
    }
    if (response != nullptr && response->status == 200) {
        const auto decoded = decode_pod_state(response->body);
        if (decoded) co_return state.on_pod(*decoded, may_write());
    }
    if (options.notice && !closed) {
        const auto* failure = std::get_if<Failure>(&reply);
        const std::string why = failure ? failure->message : answer_of(*response).message;
        options.notice(
            NoticeLevel::warning,
            fmt::format(
                "the bind is unsettled, its pod cannot be read pod={}/{} problem=\"{}\"",
                pod.namespace_name,
                pod.name,
                why));
    }
    co_return state.on_pod_unreadable(chance());
}

}  // namespace k8s
