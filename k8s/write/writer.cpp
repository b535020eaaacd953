#include "k8s/write/writer.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/group/codec_group_status.hpp"
#include "k8s/codec/queue/codec_queue_status.hpp"
#include "k8s/write/writer_parts.hpp"

#include <fmt/format.h>

#include <utility>

namespace k8s {
namespace asio = boost::asio;
namespace {

/// False: we are stopping, or the bound is reached; the job is as it was.
template <typename Job>
bool enqueue(WriterParts& writer, Job&& job) {
    if (writer.context.is_stopping() || !writer.backlog.queue().add(std::move(job))) return false;
    writer.pool.wake();
    return true;
}

/// For a job that somebody waits for: in the order of the answers for its pod.
template <typename Job, typename Refuse>
void enqueue_awaited(WriterParts& writer, const std::string& uid, Job job, Refuse refuse) {
    AnswerOrder& answers = writer.backlog.answers();
    if (!answers.has_refusals(uid) && enqueue(writer, std::move(job))) {
        answers.taken(uid);
        writer.delays.yield_to(uid);
        return;
    }
    // A job that was not taken is as it was.
    auto refusal = refuse(job);
    answers.refuse(
        uid, [done = std::move(job.done), refusal = std::move(refusal)] { done(refusal); });
    asio::post(writer.context.io, [self = writer.shared_from_this(), uid] {
        self->report_refusals(uid);
    });
}

/// For a job that was not taken and whose pod has no order to keep.
template <typename Result>
void refuse_later(WriterParts& writer, std::function<void(Result)> done, const char* why) {
    Result result;
    result.message = why;
    asio::post(
        writer.context.io,
        [self = writer.shared_from_this(), done = std::move(done), result = std::move(result)] {
            if (!self->context.is_closed()) done(result);
        });
}

void apply_status(
    WriterParts& writer,
    ObjectStatusWrite write,
    std::function<void(ObjectStatusResult)> done) {
    if (enqueue(writer, ObjectStatusJob{std::move(write), done, monotonic_ms()})) return;
    refuse_later(writer, std::move(done), "too many statuses wait, or we are stopping");
}

}  // namespace

Writer::Writer(asio::io_context& io, std::shared_ptr<Endpoint> endpoint, WriterOptions options)
    : parts_(std::make_shared<WriterParts>(io, std::move(endpoint), std::move(options))) {}

Writer::~Writer() {
    parts_->shutdown.abandon();
    parts_->close_all();
}

void Writer::bind(BindRequest request, std::function<void(BindResult)> done) {
    const std::string uid = request.pod.uid;
    enqueue_awaited(*parts_, uid, BindJob{std::move(request), std::move(done)}, [](BindJob& job) {
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
        if (!enqueue(*parts_, std::move(job))) ++parts_->context.stats.conditions_dropped;
        return;
    }
    enqueue_awaited(*parts_, uid, std::move(job), [](const PatchJob&) {
        StatusResult refusal;
        refusal.message = "too many patches wait, or we are stopping";
        return refusal;
    });
}

void Writer::evict(PodName pod, std::function<void(EvictResult)> done) {
    const std::string uid = pod.uid;
    enqueue_awaited(*parts_, uid, EvictJob{std::move(pod), std::move(done)}, [](const EvictJob&) {
        EvictResult refusal;
        refusal.message = "too many evictions wait, or we are stopping";
        return refusal;
    });
}

void Writer::record_event(PodEvent event) {
    if (!enqueue(*parts_, EventJob{std::move(event), monotonic_ms()})) {
        ++parts_->context.stats.events_dropped;
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
    apply_status(*parts_, std::move(status), std::move(done));
}

void Writer::write_queue_status(
    const QueueStatusWrite& write, std::function<void(ObjectStatusResult)> done) {
    std::string path =
        "/apis/scheduling.volcano.sh/v1beta1/queues/" + percent_encode(write.name);
    const bool is_state = write.part == QueueStatusPart::state;
    std::string manager = is_state ? "gang-scheduler-state" : "gang-scheduler";
    apply_status(*parts_, 
        {std::move(path), std::move(manager), encode_queue_status(write), {}, false}, std::move(done));
}

void Writer::get_config_map(
    std::string namespace_name, std::string name, std::function<void(ConfigMapResult)> done) {
    FetchJob job{std::move(namespace_name), std::move(name), done};
    if (enqueue(*parts_, std::move(job))) return;
    refuse_later(*parts_, std::move(done), "too many requests wait, or we are stopping");
}

void Writer::stop(std::int64_t drain_ms, std::function<void(bool)> done) {
    parts_->shutdown.begin(std::move(done));
    parts_->backlog.queue().keep_only_awaited_writes();
    parts_->pool.drain();
    if (parts_->pool.is_empty() && parts_->delays.is_empty() && !parts_->has_work()) {
        parts_->shutdown.finish();
        return;
    }
    parts_->shutdown.set_deadline(drain_ms, [self = parts_] { self->close_all(); });
}

WriterStats Writer::stats() const {
    WriterStats stats = parts_->context.stats;
    stats.waiting = parts_->backlog.size();
    stats.in_flight = parts_->sender.in_flight();
    stats.in_flight_max = parts_->flow.allowed();
    stats.connections = parts_->pool.size();
    return stats;
}

}  // namespace k8s
