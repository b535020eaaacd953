#include "gang/app/daemon/served/sources.hpp"

#include "gang/app/base/json_text.hpp"
#include "gang/app/base/server_name.hpp"
#include "gang/app/daemon/served/history_point.hpp"
#include "gang/app/show/ledger_report.hpp"
#include "gang/app/show/queue_report.hpp"
#include "k8s/base/time.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace gang::app {

ControlSource control_source(const DaemonView& daemon) {
    const std::string server = server_name(daemon.options->endpoint->access());
    ControlSource source;
    source.gangs = [daemon, server] {
        return to_json(
            GangList{"daemon", server, daemon.scheduler->gangs(), daemon.role->standing()});
    };
    source.explain = [daemon, server](const std::string& question) -> std::optional<std::string> {
        auto explanation = daemon.scheduler->explain(question);
        if (!explanation) {
            return std::nullopt;
        }
        return to_json(Answer{"daemon", server, *std::move(explanation), daemon.role->standing()});
    };
    source.ledger = [daemon, server](bool check_consistency) {
        if (check_consistency) {
            daemon.consistency_checker->run_now();
        }
        return to_json(LedgerReport{
            "daemon",
            server,
            daemon.scheduler->ledger(),
            daemon.consistency_checker->status(),
            daemon.role->standing()});
    };
    source.queues = [daemon, server] {
        return to_json(
            QueueReport{"daemon", server, daemon.scheduler->queues(), daemon.role->standing()});
    };
    return source;
}

ApiSource api_source(const DaemonView& daemon) {
    const Scheduler* const scheduler = daemon.scheduler;
    ApiSource source;
    source.standing = [role = daemon.role] { return role->standing(); };
    source.leader_api = [role = daemon.role] { return role->leader_api(); };
    source.synced = [watches = daemon.watches] { return watches->are_synced(); };
    source.changes = [loop = daemon.loop] { return loop->counts().events; };
    source.gangs = [scheduler] { return scheduler->gangs(); };
    source.nodes = [scheduler] { return scheduler->ledger(); };
    source.queues = [scheduler] { return scheduler->queues(); };
    source.what_if = [scheduler](const WhatIf& question) { return scheduler->what_if(question); };
    source.explain = [scheduler](const std::string& question) {
        return scheduler->explain(question);
    };
    source.history_point = [daemon]() -> std::optional<HistoryPoint> {
        if (!daemon.role->is_leading()) {
            return std::nullopt;
        }
        return history_point(*daemon.scheduler, daemon.loop->now_ms());
    };
    source.server = server_name(daemon.options->endpoint->access());
    source.current_config = [options = daemon.options] { return options->config; };
    source.config = daemon.options->config;
    return source;
}

ExtenderSource extender_source(const DaemonView& daemon) {
    const Scheduler* const scheduler = daemon.scheduler;
    ExtenderSource source;
    source.leads = [role = daemon.role] { return role->is_leading(); };
    source.push = [loop = daemon.loop](Event event) { loop->push(std::move(event)); };
    source.is_of_extender = [scheduler](std::string_view uid) {
        return scheduler->is_of_extender(uid);
    };
    source.is_needed = [scheduler](std::string_view uid) { return scheduler->is_needed(uid); };
    return source;
}

Health health(const DaemonView& daemon) {
    const std::int64_t now = k8s::monotonic_ms();
    const auto interrupted = [now](const k8s::WatcherStats& watch) {
        return watch.interrupted_ms == 0 ? 0 : now - watch.interrupted_ms;
    };
    const k8s::WatcherStats pods = daemon.watches->pods().stats();
    const k8s::WatcherStats nodes = daemon.watches->nodes().stats();
    Health out;
    out.stopping = daemon.loop->host().is_stopping();
    out.lease_lost = daemon.loop->host().is_lost();
    out.pods_synced = pods.synced;
    out.nodes_synced = nodes.synced;
    out.pods_interrupted_ms = interrupted(pods);
    out.nodes_interrupted_ms = interrupted(nodes);
    out.leads = daemon.role->is_leading();
    out.leader_known = daemon.role->is_leader_known();
    out.overdue_ms = daemon.loop->overdue_ms();
    return out;
}

MetricsView metrics_view(const DaemonView& daemon) {
    const DaemonOptions& options = *daemon.options;
    const bool is_leading = daemon.role->is_leading();
    MetricsView view;
    view.totals = daemon.scheduler->totals(daemon.loop->now_ms());
    view.counters = daemon.scheduler->counters();
    if (is_leading && !daemon.queue_objects->config().queues.empty()) {
        view.queues = daemon.scheduler->queues();
    }
    view.consistency_checks = daemon.consistency_checker->status().runs;
    view.consistency_check_failures = daemon.consistency_checker->status().failures;
    view.drift = daemon.consistency_checker->status().drift_total;
    view.reloads = options.reloads ? options.reloads() : ReloadStats{};
    view.writer = daemon.writer->stats();
    view.pods = daemon.watches->pods().stats();
    view.nodes = daemon.watches->nodes().stats();
    view.requests = &options.endpoint->requests();
    view.process = read_process_stats();
    view.token_is_bad = !options.endpoint->problems().token.empty();
    view.trust_is_bad = !options.endpoint->problems().trust.empty();
    if (const k8s::MetricsPoller* gpus = daemon.optional_watches->gpu_metrics()) {
        view.gpu_metrics = gpus->stats();
    }
    view.unsealed = daemon.watches->unsealed();
    view.late_groups = is_leading ? daemon.volcano_groups->late_count() : 0;
    view.leading = is_leading;
    view.events = daemon.loop->counts().events;
    view.decisions = daemon.loop->counts().decisions;
    view.inbox_pauses = daemon.loop->counts().pauses;
    view.inbox_waiting = daemon.loop->host().waiting();
    view.monotonic_ms = k8s::monotonic_ms();
    return view;
}

}  // namespace gang::app
