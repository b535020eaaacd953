#include "k8s/writer.hpp"

#include "k8s/annotations.hpp"
#include "k8s/answer_order.hpp"
#include "k8s/codec_status.hpp"
#include "k8s/codec_write.hpp"
#include "k8s/connection.hpp"
#include "k8s/protocol/gate.hpp"
#include "k8s/protocol/status.hpp"
#include "k8s/sleep.hpp"
#include "k8s/time.hpp"
#include "k8s/write_queue.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <iterator>
#include <list>
#include <random>
#include <utility>
#include <vector>

// GCC 12 takes Asio's frame allocator for a mismatch when it inlines one coroutine into another.
#pragma GCC diagnostic ignored "-Wmismatched-new-delete"

namespace k8s {
namespace asio = boost::asio;
namespace {

/// One connection of the pool and the coroutine that owns it.
struct Worker {
    Worker(asio::io_context& io, const std::shared_ptr<Endpoint>& endpoint)
        : connection(io, endpoint), timer(io) {}
    Connection connection;
    asio::steady_timer timer;
};

/// From its first action to its outcome; one worker after another may carry it on.
struct BindUnderWay {
    BindUnderWay(BindJob of, protocol::BindTarget target)
        : job(std::move(of)), state(std::move(target)) {}
    BindJob job;
    protocol::Bind state;
    protocol::BindAction action;
};
using BindPointer = std::shared_ptr<BindUnderWay>;

/// A bind that waits to be repeated. Its pod's lane stays busy.
struct Parked {
    Parked(asio::io_context& io, BindPointer waiting) : timer(io), bind(std::move(waiting)) {}
    asio::steady_timer timer;
    BindPointer bind;
};

protocol::BackoffOptions gate_options() {
    protocol::BackoffOptions made;
    made.ms_min = 250;
    made.ms_max = 2'000;
    return made;
}

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

ConfigMapResult config_map_result(const Reply& reply) {
    ConfigMapResult result;
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        result.message = failure->message;
        return result;
    }
    const auto& response = std::get<Response>(reply);
    if (response.status == 200) {
        auto decoded = decode_config_map(response.body);
        result.outcome = decoded ? FetchOutcome::found : FetchOutcome::unreadable;
        if (decoded) {
            result.config_map = *std::move(decoded);
        } else {
            result.message = decoded.error().message;
        }
        return result;
    }
    if (response.status == 404) result.outcome = FetchOutcome::not_found;
    if (response.status == 401 || response.status == 403) result.outcome = FetchOutcome::forbidden;
    result.message = decode_status(response.status, response.body).message;
    return result;
}

}  // namespace

struct Writer::Impl : std::enable_shared_from_this<Writer::Impl> {
    using WorkerPointer = std::shared_ptr<Worker>;

    Impl(asio::io_context& context, std::shared_ptr<Endpoint> to, WriterOptions given)
        : io(context),
          endpoint(std::move(to)),
          options(std::move(given)),
          queue(options),
          event_timer(context),
          drain_timer(context),
          random(std::random_device()()) {}

    asio::io_context& io;
    std::shared_ptr<Endpoint> endpoint;
    WriterOptions options;
    WriteQueue queue;
    AnswerOrder answers;
    PodVersions versions;
    protocol::Gate gate{gate_options()};
    asio::steady_timer event_timer;
    asio::steady_timer drain_timer;
    std::minstd_rand random;
    std::vector<WorkerPointer> workers;
    std::vector<WorkerPointer> idle;  // a stack: few connections stay warm, the others close
    std::list<Parked> parked;
    std::deque<BindPointer> woken;  // their wait is over, a worker has not come by yet
    std::size_t in_flight = 0;
    std::uint64_t event_serial = 0;
    bool event_timer_set = false;
    WriterStats stats;
    std::function<void(bool)> stop_done;
    bool stopping = false;
    bool closed = false;   // callbacks are over
    bool cut_off = false;  // close_all() met writes under way

    std::uint32_t chance() { return static_cast<std::uint32_t>(random()); }
    // After the end the owner's callbacks may be gone.
    bool may_write() const { return !closed && (!options.may_write || options.may_write()); }
    CallLimits limits() const { return CallLimits(options.call_timeout_ms); }
    // For what only a leader may write: asked once more when the connection stands.
    CallLimits write_limits() const {
        CallLimits made(options.call_timeout_ms);
        made.may_send = [this] { return may_write(); };
        return made;
    }

    template <typename Job>
    bool enqueue(Job&& job) {
        if (stopping || !queue.add(std::move(job))) return false;
        kick();
        return true;
    }
    /// For a job that somebody waits for: in the order of the answers for its pod.
    template <typename Job, typename Result>
    void enqueue_awaited(const std::string& uid, Job&& job, Result refusal) {
        auto done = job.done;
        if (!answers.has_refusals(uid) && enqueue(std::forward<Job>(job))) {
            answers.taken(uid);
            return;
        }
        answers.refuse(
            uid, [done = std::move(done), refusal = std::move(refusal)] { done(refusal); });
        asio::post(io, [self = shared_from_this(), uid] { self->tell_refusals(uid); });
    }
    void tell_refusals(const std::string& uid);

    void kick();
    void park(BindPointer bind, std::int64_t ms);
    void finished(const std::string& lane, bool is_awaited);
    void watch_events();
    void close_all();
    void tell_stopped();
    void worker_ended(const WorkerPointer& worker);
    void count_throttled(const Response& response);

    void note_reply(const Reply& reply);

    asio::awaitable<void> work(WorkerPointer worker);
    asio::awaitable<void> pass_gate(WorkerPointer worker);
    asio::awaitable<Reply> call(WorkerPointer worker, Request request, CallLimits limits);
    asio::awaitable<Reply> write(WorkerPointer worker, Request request);
    asio::awaitable<bool> rest(WorkerPointer worker);
    asio::awaitable<void> carry_out(WorkerPointer worker, WriteJob job);
    BindPointer begin(BindJob job);
    asio::awaitable<void> go_on(WorkerPointer worker, BindPointer bind);
    asio::awaitable<protocol::BindAction> post_binding(
        WorkerPointer worker, const BindRequest& request, protocol::Bind& state);
    asio::awaitable<protocol::BindAction> read_pod(
        WorkerPointer worker, const PodName& pod, protocol::Bind& state);
    asio::awaitable<void> patch(WorkerPointer worker, PatchJob job);
    asio::awaitable<protocol::PatchAction> send_patch(
        WorkerPointer worker,
        const StatusPatch& patch,
        protocol::StatusWrite& state,
        StatusResult& result);
    asio::awaitable<void> fetch(WorkerPointer worker, FetchJob job);
    asio::awaitable<void> send_event(WorkerPointer worker, EventJob job);
};

// Wakes a resting worker, or starts one if there is room. Called for each new job.
void Writer::Impl::kick() {
    if (!idle.empty()) {
        const WorkerPointer worker = idle.back();
        idle.pop_back();
        worker->timer.cancel();
        return;
    }
    if (workers.size() >= options.connections_max) return;
    auto worker = std::make_shared<Worker>(io, endpoint);
    workers.push_back(worker);
    asio::co_spawn(io, work(worker), keep_alive(shared_from_this()));
}

void Writer::Impl::park(BindPointer bind, std::int64_t ms) {
    parked.emplace_back(io, std::move(bind));
    const auto place = std::prev(parked.end());
    place->timer.expires_after(std::chrono::milliseconds(ms));
    place->timer.async_wait([self = shared_from_this(), place](boost::system::error_code) {
        if (self->closed) return;
        self->woken.push_back(std::move(place->bind));
        self->parked.erase(place);
        self->kick();
    });
}

void Writer::Impl::finished(const std::string& lane, bool is_awaited) {
    --in_flight;
    queue.finished(lane);
    if (!is_awaited) return;
    answers.answered(lane);
    tell_refusals(lane);
}

// Events that wait for the rate limit need somebody to come back for them.
void Writer::Impl::watch_events() {
    const std::int64_t wait = queue.event_wait_ms(monotonic_ms());
    if (wait < 0 || event_timer_set || stopping) return;
    event_timer_set = true;
    event_timer.expires_after(std::chrono::milliseconds(std::max<std::int64_t>(wait, 1)));
    event_timer.async_wait([self = shared_from_this()](boost::system::error_code ec) {
        self->event_timer_set = false;
        if (!ec && !self->stopping) self->kick();
    });
}

void Writer::Impl::tell_refusals(const std::string& uid) {
    if (closed) return;
    for (const AnswerOrder::Answer& answer : answers.due_refusals(uid)) answer();
}

void Writer::Impl::count_throttled(const Response& response) {
    if (response.status == 429 || (response.status == 503 && response.retry_after_ms)) {
        ++stats.throttled;
    }
}

// While the server cannot be reached, one of all workers at a time may find out if that is over.
asio::awaitable<void> Writer::Impl::pass_gate(WorkerPointer worker) {
    while (!closed) {
        const std::int64_t wait = gate.wait_ms(monotonic_ms());
        if (wait == 0) co_return;
        co_await sleep_ms(worker->timer, wait);
    }
}

void Writer::Impl::note_reply(const Reply& reply) {
    const auto* failure = std::get_if<Failure>(&reply);
    if (failure == nullptr || failure->answered) {
        if (!gate.is_open() && options.notice && !closed) {
            options.notice(NoticeLevel::info, "the API server answers again");
        }
        gate.answered();
        return;
    }
    if (failure->maybe_sent) return;  // its outcome is unknown, the server is there
    ++stats.unreachable;
    const bool is_news = gate.unreachable(monotonic_ms(), chance());
    if (is_news && options.notice && !closed) {
        options.notice(NoticeLevel::warning, "writes wait: " + failure->message);
    }
}

asio::awaitable<Reply> Writer::Impl::call(
    WorkerPointer worker, Request request, CallLimits limits) {
    co_await pass_gate(worker);
    Reply reply = co_await worker->connection.call(std::move(request), limits);
    note_reply(reply);
    co_return reply;
}

// The gate may have taken long: the lead is asked for once more, right before the write.
asio::awaitable<Reply> Writer::Impl::write(WorkerPointer worker, Request request) {
    co_await pass_gate(worker);
    if (!may_write()) {
        Failure failure;
        failure.message = "not the leader";
        co_return failure;
    }
    CallLimits bounds = write_limits();
    Reply reply = co_await worker->connection.call(std::move(request), std::move(bounds));
    note_reply(reply);
    co_return reply;
}

asio::awaitable<void> Writer::Impl::work(WorkerPointer worker) {
    // Started from inside bind() and its like, whose callbacks must not come before they return.
    co_await asio::post(io, asio::use_awaitable);
    while (!closed) {
        if (!woken.empty()) {
            BindPointer bind = std::move(woken.front());
            woken.pop_front();
            bind->action = bind->state.on_waited(may_write());
            co_await go_on(worker, std::move(bind));
            continue;
        }
        auto job = queue.take(monotonic_ms());
        if (!job) {
            const bool goes_on = co_await rest(worker);
            if (goes_on) continue;
            break;
        }
        const std::string lane = lane_of(*job);
        const bool is_awaited = is_awaited_write(*job);
        ++in_flight;
        if (auto* to_bind = std::get_if<BindJob>(&*job)) {
            BindPointer bind = begin(std::move(*to_bind));
            co_await go_on(worker, std::move(bind));
            continue;
        }
        co_await carry_out(worker, std::move(*job));
        finished(lane, is_awaited);
    }
    worker_ended(worker);
}

// False: nothing has come for so long that the connection is not worth keeping.
asio::awaitable<bool> Writer::Impl::rest(WorkerPointer worker) {
    if (stopping) co_return false;
    watch_events();
    idle.push_back(worker);
    const bool whole = co_await sleep_ms(worker->timer, options.idle_close_ms);
    // Woken by kick(), which took us off the stack, or by the timer; both may have happened.
    const auto resting = std::find(idle.begin(), idle.end(), worker);
    if (resting == idle.end()) co_return true;
    idle.erase(resting);
    co_return !whole;
}

void Writer::Impl::worker_ended(const WorkerPointer& worker) {
    worker->connection.close();
    workers.erase(std::find(workers.begin(), workers.end(), worker));
    if (!stopping || !workers.empty() || (!closed && !parked.empty())) return;
    closed = true;
    drain_timer.cancel();
    tell_stopped();
}

void Writer::Impl::tell_stopped() {
    if (!stop_done) return;
    asio::post(
        io, [done = std::exchange(stop_done, nullptr), drained = !cut_off] { done(drained); });
}

void Writer::Impl::close_all() {
    closed = true;
    cut_off = in_flight > 0;
    for (const WorkerPointer& worker : workers) {
        worker->connection.close();
        worker->timer.cancel();
    }
    for (Parked& one : parked) one.timer.cancel();
    if (workers.empty()) tell_stopped();
}

asio::awaitable<void> Writer::Impl::carry_out(WorkerPointer worker, WriteJob job) {
    if (auto* to_patch = std::get_if<PatchJob>(&job)) {
        co_await patch(worker, std::move(*to_patch));
    } else if (auto* to_fetch = std::get_if<FetchJob>(&job)) {
        co_await fetch(worker, std::move(*to_fetch));
    } else {
        co_await send_event(worker, std::get<EventJob>(std::move(job)));
    }
}

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

// Until it is through, or has to wait: then it leaves the connection to others.
asio::awaitable<void> Writer::Impl::go_on(WorkerPointer worker, BindPointer bind) {
    const BindRequest& request = bind->job.request;
    protocol::BindAction& action = bind->action;
    while (!closed) {
        if (auto* done = std::get_if<protocol::BindFinished>(&action)) {
            const std::string& uid = request.pod.uid;
            const bool bound = done->outcome == BindOutcome::bound;
            if (bound) ++stats.binds;
            if (bound || done->outcome == BindOutcome::taken) queue.discard_condition(uid);
            bind->job.done(BindResult{done->outcome, std::move(done->message)});
            finished(uid, true);
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            if (parked.size() < options.parked_max) {
                park(bind, wait->ms);
                co_return;
            }
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
    const auto& response = std::get<Response>(reply);
    count_throttled(response);
    co_return state.on_answer(answer_of(response), chance());
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
                "the bind of {}/{} is unsettled, its pod cannot be read: {}",
                pod.namespace_name,
                pod.name,
                why));
    }
    co_return state.on_pod_unreadable(chance());
}

asio::awaitable<void> Writer::Impl::patch(WorkerPointer worker, PatchJob job) {
    StatusPatch& patch = job.patch;
    patch.resource_version = versions.newest(patch.pod.uid, patch.resource_version);
    StatusResult result;
    if (patch.condition && versions.has_condition(patch.pod.uid)) {
        patch.condition->is_transition = false;
    }
    protocol::StatusWrite state(!patch.resource_version.empty());
    protocol::PatchAction action = state.start(may_write());
    while (!closed) {
        if (auto* finished = std::get_if<protocol::PatchFinished>(&action)) {
            result.written = finished->written;
            result.changed = finished->changed;
            result.message = std::move(finished->message);
            if (result.written) ++stats.patches;
            if (job.done) job.done(std::move(result));
            co_return;
        }
        if (const auto* wait = std::get_if<protocol::Wait>(&action)) {
            co_await sleep_ms(worker->timer, wait->ms);
            action = state.on_waited(may_write());
        } else {
            action = co_await send_patch(worker, patch, state, result);
        }
    }
}

asio::awaitable<protocol::PatchAction> Writer::Impl::send_patch(
    WorkerPointer worker,
    const StatusPatch& patch,
    protocol::StatusWrite& state,
    StatusResult& result) {
    Request request("PATCH", pod_target(patch.pod) + "/status");
    request.content_type = "application/strategic-merge-patch+json";
    request.body = encode_status_patch(patch, unix_ms());
    Reply reply = co_await write(worker, std::move(request));
    if (const auto* failure = std::get_if<Failure>(&reply)) {
        co_return state.on_no_answer(failure->message, chance());
    }
    auto& response = std::get<Response>(reply);
    count_throttled(response);
    if (response.status == 200) {
        const auto pod = decode_pod_state(std::move(response.body));
        if (pod) {
            versions.wrote(patch.pod.uid, pod->resource_version);
            if (patch.condition) versions.wrote_condition(patch.pod.uid);
            result.node = pod->node;
        }
    }
    co_return state.on_answer(answer_of(response), chance());
}

asio::awaitable<void> Writer::Impl::fetch(WorkerPointer worker, FetchJob job) {
    Request get(
        "GET",
        fmt::format(
            "/api/v1/namespaces/{}/configmaps/{}",
            percent_encode(job.namespace_name),
            percent_encode(job.name)));
    Reply reply = co_await call(
        worker, std::move(get), CallLimits(options.call_timeout_ms, config_map_json_max));
    if (!closed) job.done(config_map_result(reply));
}

asio::awaitable<void> Writer::Impl::send_event(WorkerPointer worker, EventJob job) {
    const EventSource source{options.component, options.instance};
    Request post(
        "POST",
        fmt::format(
            "/apis/events.k8s.io/v1/namespaces/{}/events",
            percent_encode(job.event.pod.namespace_name)));
    post.content_type = "application/json";
    post.body = encode_event(job.event, source, unix_ms(), ++event_serial);
    Reply reply = co_await call(worker, std::move(post), limits());
    const auto* response = std::get_if<Response>(&reply);
    if (response != nullptr && response->status < 300) {
        ++stats.events;
        co_return;
    }
    ++stats.events_dropped;
    if (response != nullptr && options.notice && !closed) {
        count_throttled(*response);
        options.notice(NoticeLevel::debug, "event dropped: " + answer_of(*response).message);
    }
}

Writer::Writer(asio::io_context& io, std::shared_ptr<Endpoint> endpoint, WriterOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(endpoint), std::move(options))) {}

Writer::~Writer() {
    impl_->stopping = true;
    impl_->stop_done = nullptr;
    impl_->close_all();
    impl_->event_timer.cancel();
    impl_->drain_timer.cancel();
}

void Writer::bind(BindRequest request, std::function<void(BindResult)> done) {
    const std::string uid = request.pod.uid;
    impl_->enqueue_awaited(
        uid,
        BindJob{std::move(request), std::move(done)},
        BindResult{BindOutcome::not_sent, "too many binds wait, or we are stopping"});
}

void Writer::patch_status(StatusPatch patch, std::function<void(StatusResult)> done) {
    const std::string uid = patch.pod.uid;
    PatchJob job{std::move(patch), std::move(done)};
    if (!job.done) {
        if (!impl_->enqueue(std::move(job))) ++impl_->stats.conditions_dropped;
        return;
    }
    StatusResult refusal;
    refusal.message = "too many patches wait, or we are stopping";
    impl_->enqueue_awaited(uid, std::move(job), std::move(refusal));
}

void Writer::record_event(PodEvent event) {
    if (!impl_->enqueue(EventJob{std::move(event)})) ++impl_->stats.events_dropped;
}

void Writer::get_config_map(
    std::string namespace_name, std::string name, std::function<void(ConfigMapResult)> done) {
    FetchJob job{std::move(namespace_name), std::move(name), done};
    if (impl_->enqueue(std::move(job))) return;
    ConfigMapResult result;
    result.message = "too many requests wait, or we are stopping";
    asio::post(impl_->io, [self = impl_, done = std::move(done), result = std::move(result)] {
        if (!self->closed) done(result);
    });
}

void Writer::stop(std::int64_t drain_ms, std::function<void(bool)> done) {
    impl_->stopping = true;
    impl_->stop_done = std::move(done);
    impl_->event_timer.cancel();
    impl_->queue.keep_only_awaited_writes();
    if (impl_->workers.empty() && impl_->parked.empty()) {
        impl_->closed = true;
        impl_->tell_stopped();
        return;
    }
    for (const auto& worker : impl_->idle) worker->timer.cancel();
    impl_->idle.clear();
    impl_->drain_timer.expires_after(std::chrono::milliseconds(drain_ms));
    impl_->drain_timer.async_wait([self = impl_](boost::system::error_code ec) {
        if (!ec) self->close_all();
    });
}

WriterStats Writer::stats() const {
    WriterStats stats = impl_->stats;
    stats.waiting = impl_->queue.size() + impl_->in_flight;
    stats.connections = impl_->workers.size();
    return stats;
}

}  // namespace k8s
