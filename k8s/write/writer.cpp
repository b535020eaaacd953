#include "k8s/write/writer.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/group/codec_group_status.hpp"
#include "k8s/codec/queue/codec_queue_status.hpp"
#include "k8s/write/writer_impl.hpp"

#include <fmt/format.h>

#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace {

protocol::BackoffOptions breaker_options() {
    protocol::BackoffOptions made;
    made.ms_min = 250;
    made.ms_max = 2'000;
    return made;
}

protocol::ConcurrencyLimiterOptions limiter_options(const WriterOptions& options) {
    protocol::ConcurrencyLimiterOptions made;
    made.max = static_cast<std::int32_t>(options.connections_max);
    return made;
}

}  // namespace

Writer::Impl::Impl(asio::io_context& context, std::shared_ptr<Endpoint> to, WriterOptions given)
    : io(context),
      endpoint(std::move(to)),
      options(std::move(given)),
      queue(options),
      breaker(breaker_options()),
      limiter(limiter_options(options)),
      event_timer(context),
      hold_timer(context),
      drain_timer(context),
      random(std::random_device()()) {}

template <typename Job>
bool Writer::Impl::enqueue(Job&& job) {
    if (stopping || !queue.add(std::move(job))) return false;
    wake_worker();
    return true;
}

/// For a job that somebody waits for: in the order of the answers for its pod.
template <typename Job, typename Refuse>
void Writer::Impl::enqueue_awaited(const std::string& uid, Job job, Refuse refuse) {
    if (!answers.has_refusals(uid) && enqueue(std::move(job))) {
        answers.taken(uid);
        yield_to(uid);
        return;
    }
    // A job that was not taken is as it was.
    auto refusal = refuse(job);
    answers.refuse(
        uid, [done = std::move(job.done), refusal = std::move(refusal)] { done(refusal); });
    asio::post(io, [self = shared_from_this(), uid] { self->report_refusals(uid); });
}

void Writer::Impl::finished(const std::string& order_key, bool is_awaited) {
    --taken;
    queue.finished(order_key);
    if (!is_awaited) {
        --droppable_taken;
        return;
    }
    answers.answered(order_key);
    report_refusals(order_key);
}

void Writer::Impl::report_refusals(const std::string& uid) {
    if (closed) return;
    for (const AnswerOrder::Answer& answer : answers.due_refusals(uid)) answer();
}

void Writer::Impl::report_stopped() {
    if (!stop_done) return;
    asio::post(
        io, [done = std::exchange(stop_done, nullptr), drained = !cut_off] { done(drained); });
}

void Writer::Impl::close_all() {
    closed = true;
    cut_off = taken > 0;
    for (const WorkerPointer& worker : workers) {
        worker->connection.close();
        worker->timer.cancel();
    }
    for (Delayed& one : delayed) one.timer.cancel();
    hold_timer.cancel();
    if (workers.empty()) report_stopped();
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
    impl_->enqueue_awaited(uid, BindJob{std::move(request), std::move(done)}, [](BindJob& job) {
        return BindResult{
            BindOutcome::not_sent,
            "too many binds wait, or we are stopping",
            std::move(job.request)};
    });
}

void Writer::patch_status(StatusPatch patch, std::function<void(StatusResult)> done) {
    const std::string uid = patch.pod.uid;
    PatchJob job{std::move(patch), std::move(done), monotonic_ms()};
    if (!job.done) {
        if (!impl_->enqueue(std::move(job))) ++impl_->stats.conditions_dropped;
        return;
    }
    impl_->enqueue_awaited(uid, std::move(job), [](const PatchJob&) {
        StatusResult refusal;
        refusal.message = "too many patches wait, or we are stopping";
        return refusal;
    });
}

void Writer::evict(PodName pod, std::function<void(EvictResult)> done) {
    const std::string uid = pod.uid;
    impl_->enqueue_awaited(uid, EvictJob{std::move(pod), std::move(done)}, [](const EvictJob&) {
        EvictResult refusal;
        refusal.message = "too many evictions wait, or we are stopping";
        return refusal;
    });
}

void Writer::record_event(PodEvent event) {
    if (!impl_->enqueue(EventJob{std::move(event), monotonic_ms()})) {
        ++impl_->stats.events_dropped;
    }
}

void Writer::write_group_status(
    const GroupStatusWrite& write, std::function<void(ObjectStatusResult)> done) {
    std::string path = fmt::format(
        "/apis/{}/namespaces/{}/podgroups/{}",
        write.api_version,
        percent_encode(write.namespace_name),
        percent_encode(write.name));
    ObjectStatusWrite status{std::move(path), "gang-scheduler", encode_group_status(write), {}, false};
    // Volcano's and kube-batch's definitions have no subresource.
    if (write.dialect == core::GroupDialect::volcano) status.kind_with_status = write.api_version;
    status.is_forced = write.is_forced;
    impl_->apply_status(std::move(status), std::move(done));
}

void Writer::write_queue_status(
    const QueueStatusWrite& write, std::function<void(ObjectStatusResult)> done) {
    std::string path =
        "/apis/scheduling.volcano.sh/v1beta1/queues/" + percent_encode(write.name);
    const bool is_state = write.part == QueueStatusPart::state;
    std::string manager = is_state ? "gang-scheduler-state" : "gang-scheduler";
    impl_->apply_status(
        {std::move(path), std::move(manager), encode_queue_status(write), {}, false}, std::move(done));
}

void Writer::Impl::apply_status(
    ObjectStatusWrite write, std::function<void(ObjectStatusResult)> done) {
    if (enqueue(ObjectStatusJob{std::move(write), done, monotonic_ms()})) return;
    ObjectStatusResult result;
    result.message = "too many statuses wait, or we are stopping";
    asio::post(io, [self = shared_from_this(), done = std::move(done), result = std::move(result)] {
        if (!self->closed) done(result);
    });
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
    if (impl_->workers.empty() && impl_->delayed.empty() && !impl_->has_work()) {
        impl_->closed = true;
        impl_->report_stopped();
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
    stats.waiting = impl_->queue.size() + impl_->taken;
    stats.in_flight = impl_->in_flight;
    stats.in_flight_max = impl_->allowed();
    stats.connections = impl_->workers.size();
    return stats;
}

}  // namespace k8s
