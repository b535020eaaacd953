#include "gang/app/serve/metrics_view.hpp"

#include <array>
#include <limits>
#include <set>
#include <string>
#include <utility>

namespace gang::app {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

/// Families of numbers that are read, not kept.
class Families {
public:
    explicit Families(std::vector<MetricFamily>& out) : out_(out) {}

    void begin(const char* name, const char* help, MetricType type) {
        out_.push_back({name, help, type, {}});
    }
    template <typename Number>
    void add(Number number, Labels labels = {}) {
        ClientMetric metric;
        metric.label = std::move(labels);
        const bool is_counter = out_.back().type == MetricType::Counter;
        (is_counter ? metric.counter.value : metric.gauge.value) = static_cast<double>(number);
        out_.back().metric.push_back(std::move(metric));
    }
    void add(ClientMetric metric) { out_.back().metric.push_back(std::move(metric)); }

    template <typename Number>
    void counter(const char* name, const char* help, Number number) {
        begin(name, help, MetricType::Counter);
        add(number);
    }
    template <typename Number>
    void gauge(const char* name, const char* help, Number number) {
        begin(name, help, MetricType::Gauge);
        add(number);
    }

private:
    std::vector<MetricFamily>& out_;
};

double seconds(std::int64_t ms) {
    return static_cast<double>(ms) / 1'000;
}

void add_gangs(Families& to, const Totals& totals) {
    to.begin("gang_scheduler_gangs", "Gangs by state, of the leader.", MetricType::Gauge);
    for (std::size_t i = 0; i < totals.gangs.size(); ++i) {
        to.add(totals.gangs[i], {{"state", std::string(to_string(static_cast<GangState>(i)))}});
    }
    to.begin(
        "gang_scheduler_pending_gangs",
        "Gangs that wait, by the code of what was last found out; None: not looked at yet.",
        MetricType::Gauge);
    for (std::size_t i = 0; i < totals.pending_gangs.size(); ++i) {
        const auto code = static_cast<ReasonCode>(i);
        to.add(
            totals.pending_gangs[i],
            {{"code", code == ReasonCode::none ? "None" : std::string(to_string(code))}});
    }
    to.begin(
        "scheduler_pending_pods",
        "Pods of ours without a node, by what they wait for.",
        MetricType::Gauge);
    to.add(totals.pending_pods.active, {{"queue", "active"}});
    to.add(totals.pending_pods.backoff, {{"queue", "backoff"}});
    to.add(totals.pending_pods.unschedulable, {{"queue", "unschedulable"}});
    to.add(totals.pending_pods.gated, {{"queue", "gated"}});
    to.gauge(
        "gang_scheduler_oldest_waiting_seconds",
        "How long the gang that has waited longest has waited; those that can never run left out.",
        seconds(totals.oldest_waiting_ms));
    to.gauge(
        "gang_scheduler_stuck_drivers",
        "Drivers that were bound longer than gang.neverRunning.after ago and have never run.",
        totals.stuck_drivers);
    to.gauge("gang_scheduler_nodes", "Nodes in view, of the leader.", totals.nodes);
    to.gauge(
        "gang_scheduler_fence_outstanding_pods",
        "Pods that a new leader has still to write to before it promises room.",
        totals.fence_outstanding);
}

/// Of the file's queues, and of the resources that it names: a tenant adds no label.
void add_queues(Families& to, const std::vector<QueueView>& queues) {
    if (queues.empty()) {
        return;
    }
    using Amounts = std::vector<core::ExtendedResource>;
    std::set<std::string> named = {"cpu", "memory"};
    for (const QueueView& queue : queues) {
        for (const Amounts* amounts : {&queue.guarantee, &queue.limit, &queue.user_limit}) {
            for (const core::ExtendedResource& amount : *amounts) named.insert(amount.name);
        }
    }
    const auto in_units = [](const std::string& resource, std::int64_t amount) {
        return resource == "cpu" ? seconds(amount) : static_cast<double>(amount);
    };
    const auto used = [](const core::Resources& usage, const std::string& resource) {
        return resource == "cpu"                 ? usage.cpu_milli
               : resource == "memory"            ? usage.memory_bytes
               : resource == "ephemeral-storage" ? usage.ephemeral_bytes
                                                 : usage.extended_amount(resource);
    };
    to.begin(
        "gang_scheduler_queue_usage",
        "What a queue of the configuration holds, those below it included: cores, bytes, devices.",
        MetricType::Gauge);
    for (const QueueView& queue : queues) {
        for (const std::string& resource : named) {
            to.add(
                in_units(resource, used(queue.usage, resource)),
                {{"queue", queue.name}, {"resource", resource}});
        }
    }
    const auto each_bound = [&](const char* name, const char* help, Amounts QueueView::*member) {
        to.begin(name, help, MetricType::Gauge);
        for (const QueueView& queue : queues) {
            for (const auto& [resource, amount] : queue.*member) {
                to.add(in_units(resource, amount), {{"queue", queue.name}, {"resource", resource}});
            }
        }
    };
    each_bound(
        "gang_scheduler_queue_guarantee",
        "What a queue is guaranteed, those below it included.",
        &QueueView::guarantee);
    each_bound("gang_scheduler_queue_limit", "The limits of a queue.", &QueueView::limit);
    to.begin(
        "gang_scheduler_queue_share",
        "Dominant share of a queue beyond its guarantee, by its weight: the smallest goes first.",
        MetricType::Gauge);
    for (const QueueView& queue : queues) {
        to.add(static_cast<double>(queue.share_millionths) / 1e6, {{"queue", queue.name}});
    }
    to.begin(
        "gang_scheduler_queue_gangs",
        "Gangs and lone pods of a queue, those below it included.",
        MetricType::Gauge);
    for (const QueueView& queue : queues) {
        to.add(queue.running, {{"queue", queue.name}, {"state", "running"}});
        to.add(queue.waiting, {{"queue", queue.name}, {"state", "waiting"}});
    }
}

void add_reservations(Families& to, const Totals& totals) {
    to.begin(
        "gang_scheduler_reservation_slots",
        "Slots of all reservations by state, of the leader.",
        MetricType::Gauge);
    to.add(totals.slots_open, {{"state", "open"}});
    to.add(totals.slots_assumed, {{"state", "claimed"}});
    to.add(totals.slots_bound, {{"state", "bound"}});
    to.add(totals.slots_unplaced, {{"state", "degraded"}});
    to.gauge(
        "gang_scheduler_oldest_open_slot_seconds",
        "The longest that executors of one running gang have been missing.",
        seconds(totals.oldest_open_slot_ms));
    to.gauge(
        "gang_scheduler_reservation_open_cores",
        "CPU of open slots: reserved, and nobody runs there yet.",
        seconds(totals.open_cpu_milli));
    to.gauge(
        "gang_scheduler_reservation_open_bytes",
        "Memory of open slots: reserved, and nobody runs there yet.",
        totals.open_memory_bytes);
    to.counter(
        "gang_scheduler_reservation_idle_core_seconds_total",
        "CPU of open slots over time: what waiting for executors costs.",
        seconds(totals.idle_milli_ms) / 1'000);
}

void add_repairs(Families& to, const Counters& counters) {
    to.counter(
        "gang_scheduler_reservations_rewritten_total",
        "Changed reservations sent to the API server.",
        counters.reservations_rewritten);
    to.counter(
        "gang_scheduler_reservation_write_failures_total",
        "Changed reservations that were not written; they are tried again.",
        counters.reservation_writes_failed);
    to.counter(
        "gang_scheduler_reservations_disputed_total",
        "Reservations that somebody else had changed on the pod.",
        counters.reservations_disputed);
    to.counter(
        "gang_scheduler_kubelet_rejections_total",
        "Pods of ours that a kubelet refused for want of room.",
        counters.kubelet_rejections);
    to.counter(
        "gang_scheduler_label_lists_total",
        "Lists of all pods because a rule between pods named a label for the first time.",
        counters.label_lists);
    to.begin(
        "gang_scheduler_evictions_total",
        "Answers of the API server to evictions, by why and how.",
        MetricType::Counter);
    for (std::size_t reason = 0; reason < evict_reason_count; ++reason) {
        for (std::size_t outcome = 0; outcome < evict_outcome_count; ++outcome) {
            to.add(
                counters.evictions[reason][outcome],
                {{"reason", to_string(static_cast<EvictReason>(reason))},
                 {"outcome", to_string(static_cast<EvictOutcome>(outcome))}});
        }
    }
    to.begin(
        "gang_scheduler_soft_slots_given_up_total",
        "Slots beyond the minimum of dynamic allocation that gangs lost to others, by why.",
        MetricType::Counter);
    for (std::size_t reason = 0; reason < evict_reason_count; ++reason) {
        to.add(
            counters.soft_slots_given_up[reason],
            {{"reason", to_string(static_cast<EvictReason>(reason))}});
    }
}

void add_backfill(Families& to, const Counters& counters) {
    to.counter(
        "gang_scheduler_backfilled_gangs_total",
        "Gangs admitted before others that wait for room.",
        counters.backfilled);
    to.counter(
        "gang_scheduler_broken_promises_total",
        "Gangs that ran longer than expected while others waited.",
        counters.broken_promises);
    to.begin(
        "gang_scheduler_eta_error_seconds",
        "How far off the first expected start was that a gang was told.",
        MetricType::Histogram);
    ClientMetric metric;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < StartErrors::bounds_ms.size(); ++i) {
        sum += counters.start_errors.buckets[i];
        metric.histogram.bucket.push_back({sum, seconds(StartErrors::bounds_ms[i])});
    }
    sum += counters.start_errors.buckets.back();
    metric.histogram.bucket.push_back({sum, std::numeric_limits<double>::infinity()});
    metric.histogram.sample_count = sum;
    metric.histogram.sample_sum = seconds(counters.start_errors.sum_ms);
    to.add(std::move(metric));
}

void add_demand(Families& to, const MetricsView& view) {
    const Counters& counters = view.counters;
    to.begin(
        "gang_scheduler_capacity_writes_total",
        "Requests to an autoscaler that were written or deleted, or not, by outcome.",
        MetricType::Counter);
    to.add(counters.capacity_written, {{"outcome", "written"}});
    to.add(counters.capacity_dropped, {{"outcome", "dropped"}});
    to.add(counters.capacity_refused, {{"outcome", "refused"}});
    to.add(counters.capacity_failed, {{"outcome", "failed"}});
    to.gauge(
        "gang_scheduler_capacity_requests",
        "Gangs for which an autoscaler is being asked for nodes.",
        view.totals.capacity_requests);
}

void add_quotas(Families& to, const MetricsView& view) {
    to.counter(
        "gang_scheduler_quota_reads_total",
        "Questions for the quotas of a namespace in which a gang waits.",
        view.counters.quotas_asked);
    to.counter(
        "gang_scheduler_quota_read_errors_total",
        "Questions for the quotas of a namespace that had no readable answer.",
        view.counters.quotas_unreadable);
}

void add_extenders(Families& to, const MetricsView& view) {
    to.counter(
        "gang_scheduler_extender_questions_total",
        "Questions to the extenders that the configuration names, one for each kind of pod.",
        view.counters.extenders_asked);
    to.counter(
        "gang_scheduler_extender_question_failures_total",
        "Questions to extenders that had no usable answer.",
        view.counters.extenders_failed);
}

void add_group_statuses(Families& to, const MetricsView& view) {
    constexpr std::array<const char*, group_status_outcome_count> words = {
        "written", "others", "gone", "forbidden", "refused", "failed"};
    to.begin(
        "gang_scheduler_pod_group_statuses_total",
        "Statuses of PodGroups that were written, or not, by outcome.",
        MetricType::Counter);
    for (std::size_t i = 0; i < words.size(); ++i) {
        to.add(view.counters.group_statuses[i], {{"outcome", words[i]}});
    }
    to.gauge(
        "gang_scheduler_pod_groups_without_pods",
        "PodGroups that were let in and count no more, for their pods did not come in time.",
        view.late_groups);
}

void add_consistency_checks(Families& to, const MetricsView& view) {
    to.counter(
        "gang_scheduler_audits_total",
        "Comparisons of the ledger with a fresh list that came to a verdict.",
        view.consistency_checks);
    to.counter(
        "gang_scheduler_audit_failures_total",
        "Comparisons without one: the API server did not list.",
        view.consistency_check_failures);
    to.counter(
        "gang_scheduler_unsealed_annotations_total",
        "States of pods shown with an annotation of ours whose seal was not valid.",
        view.unsealed);
    to.counter(
        "gang_scheduler_drift_total",
        "Differences from the API server that lasted.",
        view.drift);
}

void add_reloads(Families& to, const ReloadStats& stats) {
    to.begin(
        "gang_scheduler_config_reloads_total",
        "Times that the configuration file was read again, by what came of it.",
        MetricType::Counter);
    to.add(stats.applied, {{"outcome", "applied"}});
    to.add(stats.unchanged, {{"outcome", "unchanged"}});
    to.add(stats.refused, {{"outcome", "refused"}});
    to.gauge(
        "gang_scheduler_config_last_reload_success_timestamp_seconds",
        "When the configuration in use was read, Unix time.",
        seconds(stats.success_ms));
    to.gauge(
        "gang_scheduler_config_last_reload_successful",
        "0: the file was refused when it was read last.",
        stats.last_was_refused ? 0 : 1);
    to.gauge(
        "gang_scheduler_config_hash",
        "Of the text of the file in use, the same for the same text; 0: no file.",
        stats.hash);
}

void add_gpu_metrics(Families& to, const MetricsView& view) {
    if (!view.gpu_metrics) {
        return;
    }
    const k8s::MetricsPollerStats& stats = *view.gpu_metrics;
    to.begin(
        "gang_scheduler_gpu_metrics_polls_total",
        "Times that Prometheus was asked for the metrics of GPUs.",
        MetricType::Counter);
    to.add(stats.polls, {{"result", "sampled"}});
    to.add(stats.failures, {{"result", "failed"}});
    to.gauge(
        "gang_scheduler_gpu_metrics_age_seconds",
        "Since the last sample; -1: none has come yet.",
        stats.sampled_ms == 0 ? -1.0 : seconds(view.monotonic_ms - stats.sampled_ms));
    to.gauge("gang_scheduler_gpu_metrics_nodes", "Nodes of the last sample.", stats.nodes);
    to.gauge("gang_scheduler_gpu_metrics_gpus", "GPUs of the last sample.", stats.gpus);
    to.begin(
        "gang_scheduler_gpu_metrics_model_gpus",
        "GPUs of the last sample by model; models beyond the first are \"other\".",
        MetricType::Gauge);
    for (const k8s::GpuModelTotal& one : stats.models) to.add(one.gpus, {{"model", one.model}});
    to.begin(
        "gang_scheduler_gpu_metrics_model_free_bytes",
        "Memory that the GPUs of a model had free in the last sample.",
        MetricType::Gauge);
    for (const k8s::GpuModelTotal& one : stats.models) {
        to.add(static_cast<double>(one.free_mib) * 1'048'576, {{"model", one.model}});
    }
    to.gauge(
        "gang_scheduler_gpu_metrics_left_out",
        "Series and values of the last sample of which nothing could be made.",
        stats.left_out + stats.unreadable);
}

void add_watches(Families& to, const MetricsView& view) {
    const std::array<std::pair<const char*, const k8s::WatcherStats*>, 2> watches = {
        {{"pods", &view.pods}, {"nodes", &view.nodes}}};
    const auto each = [&](const char* name, const char* help, MetricType type, auto number) {
        to.begin(name, help, type);
        for (const auto& [resource, stats] : watches) {
            to.add(number(*stats), {{"resource", resource}});
        }
    };
    const auto since = [&view](std::int64_t then) {
        return then == 0 ? 0.0 : seconds(view.monotonic_ms - then);
    };
    each(
        "gang_scheduler_watch_interrupted_seconds",
        "For how long no watch has been open: how old the view may be; 0: one is open.",
        MetricType::Gauge,
        [&](const k8s::WatcherStats& stats) { return since(stats.interrupted_ms); });
    each(
        "gang_scheduler_watch_silence_seconds",
        "Time since the API server last sent anything on this watch, bookmarks included.",
        MetricType::Gauge,
        [&](const k8s::WatcherStats& stats) { return since(stats.heard_ms); });
    each(
        "gang_scheduler_watch_synced",
        "1: a list is complete and no new one is needed.",
        MetricType::Gauge,
        [](const k8s::WatcherStats& stats) { return stats.synced ? 1 : 0; });
    each(
        "gang_scheduler_watch_lists_total",
        "Lists begun.",
        MetricType::Counter,
        [](const k8s::WatcherStats& stats) { return stats.lists; });
    each(
        "gang_scheduler_watch_starts_total",
        "Watches opened; the API server ends each after some minutes.",
        MetricType::Counter,
        [](const k8s::WatcherStats& stats) { return stats.watches; });
    each(
        "gang_scheduler_watch_failures_total",
        "Lists and watches that failed or broke off.",
        MetricType::Counter,
        [](const k8s::WatcherStats& stats) { return stats.failures; });
    each(
        "gang_scheduler_watch_events_total",
        "Watch events other than bookmarks.",
        MetricType::Counter,
        [](const k8s::WatcherStats& stats) { return stats.events; });
    each(
        "gang_scheduler_watch_repeats_total",
        "Watch events that said nothing new and were dropped: heartbeats, conditions nobody reads.",
        MetricType::Counter,
        [](const k8s::WatcherStats& stats) { return stats.repeats; });
}

void add_writer(Families& to, const k8s::WriterStats& writer) {
    to.counter(
        "gang_scheduler_binds_unknown_total",
        "Times that what came of a bind had to be read back.",
        writer.binds_unknown);
    to.counter("gang_scheduler_status_patches_total", "Status patches written.", writer.patches);
    to.counter("gang_scheduler_events_written_total", "Kubernetes Events written.", writer.events);
    to.counter(
        "gang_scheduler_events_dropped_total",
        "Kubernetes Events not written: refused, or too many.",
        writer.events_dropped);
    to.counter(
        "gang_scheduler_conditions_dropped_total",
        "Conditions not written because too many waited.",
        writer.conditions_dropped);
    to.counter(
        "gang_scheduler_throttled_total",
        "Answers that asked us to come back later (429, or 503 with Retry-After).",
        writer.throttled);
    to.gauge("gang_scheduler_writes_waiting", "Writes queued or in flight.", writer.waiting);
    to.gauge(
        "gang_scheduler_writes_in_flight",
        "Requests of the writer that the API server has not answered yet.",
        writer.in_flight);
    to.gauge(
        "gang_scheduler_write_window",
        "Writes that may be in flight at once; it follows what the API server can take.",
        writer.in_flight_max);
    to.gauge(
        "gang_scheduler_write_connections",
        "Connections that are open for writes.",
        writer.connections);
}

ClientMetric histogram_of(const k8s::RequestTimes& times) {
    ClientMetric metric;
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < k8s::request_bounds_ms.size(); ++i) {
        sum += times.buckets[i];
        metric.histogram.bucket.push_back({sum, seconds(k8s::request_bounds_ms[i])});
    }
    metric.histogram.sample_count = sum + times.buckets.back();
    metric.histogram.bucket.push_back(
        {metric.histogram.sample_count, std::numeric_limits<double>::infinity()});
    metric.histogram.sample_sum = seconds(times.sum_ms);
    return metric;
}

void add_requests(Families& to, const k8s::RequestStats& requests, const std::string& host) {
    to.begin(
        "rest_client_requests_total",
        "Requests to the API server, by status and method; <error>: no answer came.",
        MetricType::Counter);
    for (const auto& [key, count] : requests.counts()) {
        const auto& [method, status] = key;
        to.add(
            count,
            {{"code", status == 0 ? "<error>" : std::to_string(status)},
             {"method", method},
             {"host", host}});
    }
    to.begin(
        "rest_client_request_duration_seconds",
        "Time until the whole answer of the API server was there; of a watch, its header.",
        MetricType::Histogram);
    for (const auto& [method, times] : requests.times()) {
        ClientMetric metric = histogram_of(times);
        metric.label = {{"verb", method}, {"host", host}};
        to.add(std::move(metric));
    }
}

void add_process(Families& to, const ProcessStats& process) {
    to.counter("process_cpu_seconds_total", "User and system CPU time spent.", process.cpu_seconds);
    to.gauge("process_resident_memory_bytes", "Resident memory.", process.resident_bytes);
    to.gauge("process_virtual_memory_bytes", "Virtual memory.", process.virtual_bytes);
    to.gauge("process_open_fds", "Open file descriptors.", process.open_descriptors);
    to.gauge("process_max_fds", "Most file descriptors allowed.", process.descriptors_max);
    to.gauge(
        "process_start_time_seconds",
        "When the process began, in seconds since 1970.",
        process.start_unix_seconds);
}

}  // namespace

void add_families(
    const MetricsView& view, const Metrics::Identity& identity, std::vector<MetricFamily>& out) {
    Families to(out);
    to.begin("gang_scheduler_build_info", "Which build this is; always 1.", MetricType::Gauge);
    to.add(1, {{"version", identity.version}});
    to.begin(
        "leader_election_master_status",
        "1: this process leads; 0: it is a standby.",
        MetricType::Gauge);
    to.add(view.leading ? 1 : 0, {{"name", identity.lease}});
    add_gangs(to, view.totals);
    add_queues(to, view.queues);
    add_reservations(to, view.totals);
    add_repairs(to, view.counters);
    add_group_statuses(to, view);
    add_demand(to, view);
    add_quotas(to, view);
    add_extenders(to, view);
    add_backfill(to, view.counters);
    add_consistency_checks(to, view);
    add_reloads(to, view.reloads);
    add_gpu_metrics(to, view);
    add_watches(to, view);
    add_writer(to, view.writer);
    to.begin(
        "gang_scheduler_credential_problems",
        "1: the file cannot be used, and what was read from it before is.",
        MetricType::Gauge);
    to.add(view.token_is_bad ? 1 : 0, {{"what", "token"}});
    to.add(view.trust_is_bad ? 1 : 0, {{"what", "trust"}});
    to.counter("gang_scheduler_inbox_events_total", "Events worked through.", view.events);
    to.counter("gang_scheduler_decisions_total", "Decisions carried out.", view.decisions);
    to.gauge(
        "gang_scheduler_inbox_waiting", "Events that wait for their turn.", view.inbox_waiting);
    to.counter(
        "gang_scheduler_inbox_pauses_total",
        "Times that a full inbox stopped the reading of watches.",
        view.inbox_pauses);
    if (view.requests != nullptr) {
        add_requests(to, *view.requests, identity.server);
    }
    add_process(to, view.process);
}

}  // namespace gang::app
