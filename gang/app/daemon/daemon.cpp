#include "gang/app/daemon/daemon.hpp"

#include "gang/app/api/api_endpoint.hpp"
#include "gang/app/api/leader_forward.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/server_name.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/daemon/executor.hpp"
#include "gang/app/daemon/queues/first_answer.hpp"
#include "gang/app/daemon/queues/queue_objects.hpp"
#include "gang/app/daemon/volcano/volcano_groups.hpp"
#include "gang/app/daemon/recorder.hpp"
#include "gang/app/daemon/translate.hpp"
#include "gang/app/extender/extender_endpoint.hpp"
#include "gang/app/serve/endpoints.hpp"
#include "gang/app/serve/metrics.hpp"
#include "gang/app/show/ledger_report.hpp"
#include "gang/app/show/queue_report.hpp"
#include "gang/host/host.hpp"
#include "gang/scheduler.hpp"
#include "k8s/base/time.hpp"
#include "k8s/lease/elector.hpp"
#include "k8s/metrics/metrics_poller.hpp"
#include "k8s/review/caller_reviewer.hpp"
#include "k8s/watch/watcher.hpp"
#include "k8s/write/writer.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <utility>

namespace gang::app {
namespace {

namespace asio = boost::asio;
using config::LogLevel;

constexpr std::int64_t wake_max_ms = 3'600'000;

/// Unix time that never goes back and does not jump when somebody sets the clock.
class SteadyUnixClock {
public:
    std::int64_t now() const { return unix_start_ + (k8s::monotonic_ms() - start_); }

private:
    std::int64_t start_ = k8s::monotonic_ms();
    std::int64_t unix_start_ = k8s::unix_ms();
};

LogLevel to_level(k8s::NoticeLevel level) {
    switch (level) {
        case k8s::NoticeLevel::debug:
            return LogLevel::debug;
        case k8s::NoticeLevel::info:
            return LogLevel::info;
        case k8s::NoticeLevel::warning:
            return LogLevel::warning;
        case k8s::NoticeLevel::error:
            return LogLevel::error;
    }
    return LogLevel::error;
}

}  // namespace

struct Daemon::Impl : std::enable_shared_from_this<Daemon::Impl> {
    Impl(asio::io_context& context, DaemonOptions with);

    void start();
    void stop(std::function<void()> done);
    void push(Event event);
    void answered(Event event);
    void wake(std::int64_t time_ms);
    void wake_loop();
    void turn();
    void arm_timer();
    void hold_watches(bool full);
    void await_idle();
    void step(const StampedEvent& event);
    void lost(const std::string& why);
    void await_namespaces();
    bool holds_are_known() const;
    std::optional<EnqueueView> enqueue_view() const;
    void stand();
    void tell_config();
    void lead(const k8s::LeadershipTerm& term);
    k8s::LeaseEnd lease_end(bool drained) const;
    ControlSource control_source();
    ApiSource api_source();
    std::optional<HistoryPoint> history_point() const;
    ExtenderSource extender_source();
    Standing standing() const;
    ServedSource served_source();
    Health health();
    MetricsView metrics_view();
    k8s::NoticeSink notices(std::string from) const;
    k8s::WatcherOptions watcher_options(k8s::WatchKind kind);
    k8s::WriterOptions writer_options();
    k8s::ClaimClientOptions claim_options();
    k8s::CsiNodeWatchOptions csi_node_options();
    k8s::StorageWatchOptions storage_options();
    k8s::NamespaceWatchOptions namespace_options();
    k8s::DemandClientOptions demand_options();
    bool may_write() const;
    k8s::ElectorOptions elector_options();
    k8s::MetricsPollerOptions poller_options();

    asio::io_context& io;
    DaemonOptions options;
    SteadyUnixClock clock;
    Scheduler scheduler;
    Host host;
    asio::steady_timer timer;
    asio::steady_timer idle_timer;
    std::unique_ptr<k8s::Elector> elector;  ///< none: this process leads from the start
    k8s::Watcher pods;
    k8s::Watcher nodes;
    k8s::Writer writer;
    Metrics metrics;
    PodLister pod_lister;
    k8s::ClaimClient claims;
    k8s::CsiNodeWatch csi_nodes;
    k8s::StorageWatch storage;
    k8s::NamespaceWatch namespace_watch;
    FirstAnswer first_namespaces;
    k8s::PodGroupClient groups;
    k8s::QuotaClient quotas;
    k8s::DemandClient demand;
    QueueObjects queue_objects;
    VolcanoGroups volcano_groups;
    config::Schema told;    ///< the configuration with the queue objects, as the scheduler has it
    ExtenderClient called;  ///< extenders of others
    k8s::CallerReviewer reviewer;
    std::unique_ptr<k8s::MetricsPoller> gpu_metrics;  ///< none: the configuration names no source
    Executor executor;
    ConsistencyChecker consistency_checker;
    Endpoints endpoints;
    ApiEndpoint api;
    ExtenderEndpoint extender;
    std::int64_t last_step_ms = 0;  ///< of the clock; or when somebody began to wait
    DaemonStats stats;
    bool turn_is_posted = false;
    bool watches_paused = false;
};

Daemon::Impl::Impl(asio::io_context& context, DaemonOptions with)
    : io(context),
      options(std::move(with)),
      scheduler(options.config),
      timer(io),
      idle_timer(io),
      pods(io, options.endpoint, watcher_options(k8s::WatchKind::pods)),
      nodes(io, options.endpoint, watcher_options(k8s::WatchKind::nodes)),
      writer(io, options.endpoint, writer_options()),
      metrics(Metrics::Identity{
          std::string(version),
          fmt::format("{}", fmt::join(options.config.scheduler_names(), ",")),
          options.config.leader_election.lease_name,
          server_name(options.endpoint->access())}),
      pod_lister(
          io, options.endpoint, options.log, [this](Event event) { push(std::move(event)); }),
      claims(io, options.endpoint, claim_options()),
      csi_nodes(io, options.endpoint, csi_node_options()),
      storage(io, options.endpoint, storage_options()),
      namespace_watch(io, options.endpoint, namespace_options()),
      first_namespaces(io, options.log, "labels of namespaces"),
      groups(io, options.endpoint),
      quotas(io, options.endpoint),
      demand(io, options.endpoint, demand_options()),
      queue_objects(
          io,
          options.endpoint,
          QueueObjects::Wiring{
              options.log,
              [this] { tell_config(); },
              [this] { return holds_are_known() ? scheduler.queues() : std::vector<QueueView>(); },
              [this](const k8s::QueueStatusWrite& write, auto done) {
                  writer.write_queue_status(write, std::move(done));
              }}),
      volcano_groups(
          io,
          options.endpoint,
          VolcanoGroups::Wiring{
              options.log,
              [this] { return enqueue_view(); },
              [this](const k8s::GroupStatusWrite& write, auto done) {
                  writer.write_group_status(write, std::move(done));
              },
              notices("podgroups")}),
      told(options.config),
      called(io, options.endpoint, options.extenders, notices("extenders")),
      reviewer(io, options.endpoint),
      executor(Executor::Wiring{
          &writer,
          &pod_lister,
          &claims,
          &csi_nodes,
          &storage,
          &namespace_watch,
          &groups,
          &quotas,
          &demand,
          &called,
          &options.seal,
          options.log,
          &metrics,
          [this](Event event) { answered(std::move(event)); },
          [this] { return clock.now(); },
          [this](std::int64_t time_ms) { wake(time_ms); },
          [this](const AnswerExtender& decision) { extender.answer(decision); },
          [this](const std::string& why) { lost("another scheduler has taken over: " + why); }}),
      consistency_checker(
          io,
          options.endpoint,
          ConsistencyChecker::Wiring{
              &scheduler,
              &options.seal,
              options.log,
              [this](k8s::WatchKind kind) {
                  (kind == k8s::WatchKind::pods ? pods : nodes).list_again();
              },
              [this](Event event) { push(std::move(event)); },
              [this] { return pods.stats().synced && nodes.stats().synced; },
              options.config.audit_interval_ms,
              options.second_list_after_ms}),
      endpoints(io, options.log),
      api(io, options.log),
      extender(io, options.log, &metrics) {
    told.kubeconfig.clear();
    if (options.config.leader_election.enabled) {
        elector = std::make_unique<k8s::Elector>(io, options.endpoint, elector_options());
    }
    if (options.gpu_metrics.endpoint != nullptr) {
        gpu_metrics = std::make_unique<k8s::MetricsPoller>(
            io, options.gpu_metrics.endpoint, poller_options());
    }
}

k8s::MetricsPollerOptions Daemon::Impl::poller_options() {
    k8s::MetricsPollerOptions out;
    out.target_prefix = options.gpu_metrics.target_prefix;
    out.node_label = options.config.gpu_metrics.node_label;
    out.interval_ms = options.config.gpu_metrics.interval_ms;
    out.sampled = [this](std::vector<core::SampledNode> gpus) {
        push(MetricsSampled{std::move(gpus)});
    };
    out.missed = [this](std::string why) { push(MetricsMissing{std::move(why)}); };
    out.notice = notices("gpu-metrics");
    return out;
}

k8s::NoticeSink Daemon::Impl::notices(std::string from) const {
    return [log = options.log, from = std::move(from)](
               k8s::NoticeLevel level, const std::string& text) {
        log->write_notice(to_level(level), from, text);
    };
}

k8s::WatcherOptions Daemon::Impl::watcher_options(k8s::WatchKind kind) {
    k8s::WatcherOptions out;
    out.kind = kind;
    out.keeps_images = options.config.asks_images();
    out.version_use = [reader = DeclarationReader(options.config)](const auto& object) {
        return version_use(reader, object);
    };
    out.sink = [this, kind](k8s::WatchEvent event) {
        const bool is_listed = std::holds_alternative<k8s::RelistEnded>(event);
        const bool nodes_are_new = kind == k8s::WatchKind::nodes && is_listed;
        if (auto* upserted = std::get_if<k8s::PodUpserted>(&event)) {
            stats.unsealed += options.seal.open(upserted->pod) ? 0 : 1;
        }
        push(to_event(kind, std::move(event)));
        if (is_listed) {
            await_idle();
        }
        if (nodes_are_new && host.nodes_listed()) {
            wake_loop();
        }
    };
    out.notice = notices(kind == k8s::WatchKind::pods ? "pods" : "nodes");
    return out;
}

// The elector may take the lease again while we end: that leadership term is not ours.
bool Daemon::Impl::may_write() const {
    return elector == nullptr || (!host.is_lost() && elector->may_write());
}

k8s::ClaimClientOptions Daemon::Impl::claim_options() {
    k8s::ClaimClientOptions out;
    out.may_write = [this] { return may_write(); };
    out.notice = notices("volumes");
    return out;
}

k8s::CsiNodeWatchOptions Daemon::Impl::csi_node_options() {
    k8s::CsiNodeWatchOptions out;
    out.listed = [this](std::vector<core::NodeVolumeLimits> all) {
        push(VolumeLimitsListed{std::move(all)});
    };
    out.changed = [this](core::NodeVolumeLimits node) {
        push(VolumeLimitsChanged{std::move(node)});
    };
    out.denied = [this](std::string why) {
        options.log->write(
            LogLevel::warning,
            "volume limits of nodes are not counted: CSINodes cannot be listed",
            {{"why", why}});
        push(VolumeLimitsMissing{std::move(why)});
    };
    out.notice = notices("csi-nodes");
    return out;
}

k8s::StorageWatchOptions Daemon::Impl::storage_options() {
    k8s::StorageWatchOptions out;
    out.listed = [this](std::vector<core::StorageSegment> all) {
        push(StorageListed{std::move(all)});
    };
    out.changed = [this](core::StorageSegment one) { push(StorageChanged{std::move(one)}); };
    out.denied = [this](std::string why) {
        options.log->write(
            LogLevel::warning,
            "free storage is not looked at: CSIStorageCapacities cannot be listed",
            {{"why", why}});
        push(StorageMissing{std::move(why)});
    };
    out.notice = notices("storage");
    return out;
}

k8s::NamespaceWatchOptions Daemon::Impl::namespace_options() {
    k8s::NamespaceWatchOptions out;
    out.listed = [this](std::vector<core::NamespaceLabels> all) {
        push(NamespacesListed{std::move(all)});
        first_namespaces.came();
    };
    out.changed = [this](core::NamespaceLabels one) { push(NamespaceChanged{std::move(one)}); };
    out.deleted = [this](std::string name) { push(NamespaceDeleted{std::move(name)}); };
    out.denied = [this](std::string why) {
        options.log->write(
            LogLevel::warning,
            "namespaces cannot be listed: what their labels say stays unknown, or as it was",
            {{"why", why}});
        push(NamespacesMissing{std::move(why)});
        first_namespaces.came();
    };
    out.failed = [this](std::string why) { push(NamespacesMissing{std::move(why)}); };
    out.notice = notices("namespaces");
    return out;
}

k8s::DemandClientOptions Daemon::Impl::demand_options() {
    k8s::DemandClientOptions out;
    out.kind = options.config.autoscaling.mode == config::AutoscalingMode::provisioning_request
                   ? k8s::DemandKind::provisioning_request
                   : k8s::DemandKind::capacity_buffer;
    out.may_write = [this] { return may_write(); };
    return out;
}

k8s::WriterOptions Daemon::Impl::writer_options() {
    k8s::WriterOptions out;
    out.component = options.config.profiles.front().scheduler_name;
    out.instance = options.instance;
    out.may_write = [this] { return may_write(); };
    out.annotation_bytes = [this](const std::string& uid) { return pods.annotation_bytes(uid); };
    out.notice = notices("writer");
    out.events_per_second = options.config.events_per_second;
    // What was sent before the renew deadline must be over before somebody else can lead.
    if (const config::LeaderElection& lease = options.config.leader_election; lease.enabled) {
        const std::int64_t margin = lease.lease_duration_ms - lease.renew_deadline_ms;
        out.call_timeout_ms = std::min(out.call_timeout_ms, margin - margin / 10);
    }
    return out;
}

k8s::ElectorOptions Daemon::Impl::elector_options() {
    const config::LeaderElection& lease = options.config.leader_election;
    k8s::ElectorOptions out;
    out.namespace_name = lease.lease_namespace.empty() ? options.endpoint->access().namespace_name
                                                       : lease.lease_namespace;
    out.lease_name = lease.lease_name;
    out.scheduler_names = fmt::format("{}", fmt::join(options.config.scheduler_names(), ","));
    out.api = advertised_api(options.config.api, std::getenv("POD_IP"));
    out.identity = options.identity;
    out.lease_duration_ms = lease.lease_duration_ms;
    out.renew_deadline_ms = lease.renew_deadline_ms;
    out.retry_period_ms = lease.retry_period_ms;
    out.gained = [this](const k8s::LeadershipTerm& term) { lead(term); };
    out.lost = [this](const std::string& why) { lost(why); };
    out.notice = notices("lease");
    return out;
}

void Daemon::Impl::start() {
    options.log->write(
        LogLevel::info,
        "starting",
        {{"server", server_name(options.endpoint->access())},
         {"identity", options.identity},
         {"schedulerNames", fmt::format("{}", fmt::join(options.config.scheduler_names(), ","))},
         {"leaderElection", elector ? "on" : "off"}});
    options.endpoint->set_notice(notices("credentials"));
    endpoints.start(options.config, control_source(), served_source());
    api.start(api_source());
    extender.start(options.config.extender, extender_source());
    pods.start();
    nodes.start();
    consistency_checker.start();
    if (gpu_metrics) {
        if (options.gpu_metrics.endpoint != options.endpoint) {
            options.gpu_metrics.endpoint->set_notice(notices("gpu-metrics"));
        }
        gpu_metrics->start();
    }
    if (options.config.volcano.enqueue) {
        volcano_groups.start();
    }
    if (options.config.queue_objects.enabled) {
        queue_objects.start([this] { await_namespaces(); });
    } else {
        await_namespaces();
    }
}

void Daemon::Impl::await_namespaces() {
    const bool are_needed = std::any_of(
        options.config.placement.begin(), options.config.placement.end(), [](const auto& rule) {
            return rule.kind == config::PlacementRule::Kind::namespace_label;
        });
    if (are_needed) {
        first_namespaces.await([this] { stand(); });
        namespace_watch.start();
    } else {
        stand();
    }
}

/// It leads, and has seen all that runs.
bool Daemon::Impl::holds_are_known() const {
    return stats.leading && pods.stats().synced && nodes.stats().synced;
}

/// Nothing: it is not ours to let anybody in.
std::optional<EnqueueView> Daemon::Impl::enqueue_view() const {
    if (!holds_are_known()) {
        return std::nullopt;
    }
    constexpr std::int64_t second_ms = 1'000;
    EnqueueView view;
    view.nodes = scheduler.node_sums();
    if (!told.queues.empty()) {
        view.queues = scheduler.queues();
        view.is_queue_required = told.queue_objects.are_there;
    }
    view.overcommit_percent = told.volcano.overcommit_percent;
    view.is_strict_order = told.volcano.is_strict_order;
    view.pods_within_s = told.volcano.pods_within_ms / second_ms;
    view.has_pods = [this](const k8s::SeenPodGroup& seen) {
        return scheduler.has_pods_of_group(
            core::GroupDialect::volcano,
            seen.namespace_name,
            seen.name,
            std::max<std::int64_t>(seen.object.group.min_members, 1));
    };
    view.now_s = clock.now() / second_ms;
    for (const config::Queue& queue : told.queues) {
        view.max_wait_ms.emplace(queue.name, queue.max_wait_ms);
    }
    return view;
}

/// Stands for election, or leads at once where there is none. Called when it is known, or cannot
/// be, which queues there are and who belongs where: whoever leads decides.
void Daemon::Impl::stand() {
    if (elector) {
        elector->start();
        return;
    }
    lead({clock.now(), false, "there is no leader election"});
}

/// What the scheduler is to go by, unless it does so already.
void Daemon::Impl::tell_config() {
    config::Schema now = queue_objects.with(options.config);
    now.kubeconfig.clear();  // no decision reads it, and no recording has it
    if (now == told) {
        return;
    }
    told = now;
    push(ConfigChanged{std::move(now)});
}

void Daemon::Impl::lead(const k8s::LeadershipTerm& term) {
    const Host::Lead begins =
        host.lead(LeadershipGained{term.epoch, term.handed_over}, nodes.stats().synced);
    if (begins == Host::Lead::ignored) {
        return;
    }
    options.log->write(
        LogLevel::info, "leading", {{"epoch", std::to_string(term.epoch)}, {"why", term.why}});
    stats.leading = true;
    if (begins == Host::Lead::list_nodes) {
        nodes.list_again();
    } else {
        wake_loop();
    }
}

ControlSource Daemon::Impl::control_source() {
    const std::string server = server_name(options.endpoint->access());
    ControlSource source;
    source.gangs = [this, server] {
        return to_json(GangList{"daemon", server, scheduler.gangs(), standing()});
    };
    source.explain = [this, server](const std::string& question) -> std::optional<std::string> {
        auto explanation = scheduler.explain(question);
        if (!explanation) {
            return std::nullopt;
        }
        return to_json(Answer{"daemon", server, *std::move(explanation), standing()});
    };
    source.ledger = [this, server](bool check_consistency) {
        if (check_consistency) {
            consistency_checker.run_now();
        }
        return to_json(
            LedgerReport{
                "daemon", server, scheduler.ledger(), consistency_checker.status(), standing()});
    };
    source.queues = [this, server] {
        return to_json(QueueReport{"daemon", server, scheduler.queues(), standing()});
    };
    return source;
}

ApiSource Daemon::Impl::api_source() {
    ApiSource source;
    source.standing = [this] { return standing(); };
    source.leader_api = [this] { return elector ? elector->holder_api() : std::string(); };
    source.synced = [this] { return pods.stats().synced && nodes.stats().synced; };
    source.changes = [this] { return stats.events; };
    source.gangs = [this] { return scheduler.gangs(); };
    source.nodes = [this] { return scheduler.ledger(); };
    source.queues = [this] { return scheduler.queues(); };
    source.what_if = [this](const WhatIf& question) { return scheduler.what_if(question); };
    source.explain = [this](const std::string& question) { return scheduler.explain(question); };
    source.history_point = [this] { return history_point(); };
    source.server = server_name(options.endpoint->access());
    source.current_config = [this] { return options.config; };
    source.config = options.config;
    if (!options.config.api.shows_all_namespaces) {
        source.review = [this](
                            const std::string& token,
                            const std::vector<std::string>& namespaces,
                            Callers::Seen seen) {
            reviewer.ask(
                token,
                namespaces,
                [this, seen = std::move(seen)](const core::Result<k8s::CallerVerdict>& verdict) {
                    if (!verdict) {
                        options.log->write(
                            LogLevel::warning,
                            "cannot ask who a caller is",
                            {{"why", verdict.error().message}});
                        seen(core::Error{
                            "the API server does not say who you are: " + verdict.error().message});
                    } else if (!verdict->is_known) {
                        seen(core::Error{std::string(token_is_nobodys)});
                    } else {
                        seen(Sight{verdict->may_see_all, verdict->namespaces});
                    }
                });
        };
    }
    return source;
}

std::optional<HistoryPoint> Daemon::Impl::history_point() const {
    if (!stats.leading) {
        return std::nullopt;
    }
    const std::int64_t now = clock.now();
    const Totals totals = scheduler.totals(now);
    const auto count = [&totals](GangState state) {
        return totals.gangs[static_cast<std::size_t>(state)];
    };
    HistoryPoint point;
    point.unix_ms = now;
    point.waiting = count(GangState::waiting) + count(GangState::waiting_for_conf);
    point.never_fit = count(GangState::parked);
    point.running = count(GangState::running) + count(GangState::admitted);
    point.degraded = count(GangState::degraded);
    point.oldest_waiting_ms = totals.oldest_waiting_ms;
    point.slots_open = totals.slots_open;
    for (const NodeLedger& node : scheduler.ledger()) {
        if (node.is_present) {
            point.cpu_milli_bound += node.bound.cpu_milli;
            point.cpu_milli_held += node.held.cpu_milli;
            point.cpu_milli_allocatable += node.allocatable.cpu_milli;
            point.memory_bytes_bound += node.bound.memory_bytes;
            point.memory_bytes_held += node.held.memory_bytes;
            point.memory_bytes_allocatable += node.allocatable.memory_bytes;
        }
    }
    return point;
}

ExtenderSource Daemon::Impl::extender_source() {
    ExtenderSource source;
    source.leads = [this] { return stats.leading; };
    source.push = [this](Event event) { push(std::move(event)); };
    source.is_of_extender = [this](std::string_view uid) { return scheduler.is_of_extender(uid); };
    source.is_needed = [this](std::string_view uid) { return scheduler.is_needed(uid); };
    return source;
}

Standing Daemon::Impl::standing() const {
    return {stats.leading, elector ? elector->holder() : options.identity};
}

ServedSource Daemon::Impl::served_source() {
    return ServedSource{
        [this] { return health(); }, [this] { return metrics.text(metrics_view()); }};
}

Health Daemon::Impl::health() {
    const std::int64_t now = k8s::monotonic_ms();
    const auto interrupted = [now](const k8s::WatcherStats& watch) {
        return watch.interrupted_ms == 0 ? 0 : now - watch.interrupted_ms;
    };
    Health out;
    out.stopping = host.is_stopping();
    out.lease_lost = host.is_lost();
    out.pods_synced = pods.stats().synced;
    out.nodes_synced = nodes.stats().synced;
    out.pods_interrupted_ms = interrupted(pods.stats());
    out.nodes_interrupted_ms = interrupted(nodes.stats());
    out.leads = stats.leading;
    out.leader_known = elector && !elector->holder().empty();
    out.overdue_ms = host.is_deciding() && host.waiting() > 0 ? clock.now() - last_step_ms : 0;
    return out;
}

MetricsView Daemon::Impl::metrics_view() {
    MetricsView view;
    view.totals = scheduler.totals(clock.now());
    view.counters = scheduler.counters();
    if (stats.leading && !told.queues.empty()) {
        view.queues = scheduler.queues();
    }
    view.consistency_checks = consistency_checker.status().runs;
    view.consistency_check_failures = consistency_checker.status().failures;
    view.drift = consistency_checker.status().drift_total;
    view.reloads = options.reloads ? options.reloads() : ReloadStats{};
    view.writer = writer.stats();
    view.pods = pods.stats();
    view.nodes = nodes.stats();
    view.requests = &options.endpoint->requests();
    view.process = read_process_stats();
    view.token_is_bad = !options.endpoint->problems().token.empty();
    view.trust_is_bad = !options.endpoint->problems().trust.empty();
    if (gpu_metrics) {
        view.gpu_metrics = gpu_metrics->stats();
    }
    view.unsealed = stats.unsealed;
    view.late_groups = stats.leading ? volcano_groups.late_count() : 0;
    view.leading = stats.leading;
    view.events = stats.events;
    view.decisions = stats.decisions;
    view.inbox_pauses = stats.pauses;
    view.inbox_waiting = host.waiting();
    view.monotonic_ms = k8s::monotonic_ms();
    return view;
}

void Daemon::Impl::push(Event event) {
    if (!host.is_deciding()) {
        return;
    }
    if (host.waiting() == 0) {
        last_step_ms = clock.now();  // from here on somebody waits
    }
    host.push(std::move(event));
    hold_watches(host.is_full());
    wake_loop();
}

/// What came of a decision; kube-scheduler may wait for it as well.
void Daemon::Impl::answered(Event event) {
    if (const auto* bound = std::get_if<BindFinished>(&event)) {
        extender.bind_answered(*bound);
    }
    push(std::move(event));
}

void Daemon::Impl::wake(std::int64_t time_ms) {
    host.wake_at(time_ms);
}

void Daemon::Impl::wake_loop() {
    if (turn_is_posted) {
        return;
    }
    turn_is_posted = true;
    asio::post(io, [self = shared_from_this()] {
        self->turn_is_posted = false;
        self->turn();
    });
}

/// A handful of events, then the loop's other work gets its turn.
void Daemon::Impl::turn() {
    const auto now = [this] { return clock.now(); };
    const Host::Then then = host.turn(now, [this](const StampedEvent& event) { step(event); });
    if (then == Host::Then::over) {
        return;
    }
    hold_watches(host.is_full());
    if (then == Host::Then::again) {
        wake_loop();
    } else {
        arm_timer();
    }
}

void Daemon::Impl::step(const StampedEvent& event) {
    ++stats.events;
    last_step_ms = event.time_ms;
    if (options.recorder != nullptr) {
        options.recorder->before(event);
    }
    const bool plans = std::holds_alternative<Tick>(event.event);
    const auto began =
        plans ? std::chrono::steady_clock::now() : std::chrono::steady_clock::time_point();
    const Decisions decisions = scheduler.step(event);
    if (plans) {
        const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
        metrics.planned(took.count());
    }
    if (options.recorder != nullptr) {
        options.recorder->after(event, decisions, scheduler);
    }
    for (const Decision& decision : decisions) {
        ++stats.decisions;
        executor.carry_out(decision);
    }
}

void Daemon::Impl::arm_timer() {
    const auto wake = host.wake_time();
    if (!wake) {
        timer.cancel();
        return;
    }
    const std::int64_t wait = std::clamp<std::int64_t>(*wake - clock.now(), 0, wake_max_ms);
    timer.expires_after(std::chrono::milliseconds(wait));
    timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
        if (!ec) {
            self->wake_loop();
        }
    });
}

void Daemon::Impl::hold_watches(bool full) {
    if (full == watches_paused || host.is_stopping()) {
        return;
    }
    watches_paused = full;
    if (full) {
        ++stats.pauses;
        options.log->write(
            LogLevel::warning,
            "inbox full, watches rest",
            {{"waiting", std::to_string(host.waiting())}});
        pods.pause();
        nodes.pause();
        return;
    }
    options.log->write(LogLevel::info, "inbox drained, watches go on");
    pods.resume();
    nodes.resume();
}

void Daemon::Impl::await_idle() {
    if (!options.on_idle || host.is_stopping()) {
        return;
    }
    idle_timer.expires_after(std::chrono::milliseconds(options.idle_after_ms));
    idle_timer.async_wait([self = shared_from_this()](const boost::system::error_code& ec) {
        if (ec) {
            return;
        }
        const bool is_known = self->pods.stats().synced && self->nodes.stats().synced;
        if (is_known && self->host.waiting() == 0 && self->writer.stats().waiting == 0) {
            self->options.on_idle();
        } else {
            self->await_idle();
        }
    });
}

void Daemon::Impl::lost(const std::string& why) {
    if (!host.lost()) {
        return;
    }
    options.log->write(
        LogLevel::error, "leadership lost, nothing is decided any more", {{"why", why}});
    stats.leading = false;
    timer.cancel();
    if (options.lost_lease) {
        options.lost_lease();
    }
}

void Daemon::Impl::stop(std::function<void()> done) {
    ENSURE(!host.is_stopping());
    host.stop();
    timer.cancel();
    idle_timer.cancel();
    pods.stop();
    nodes.stop();
    consistency_checker.stop();
    pod_lister.stop();
    claims.stop();
    csi_nodes.stop();
    storage.stop();
    namespace_watch.stop();
    first_namespaces.stop();
    groups.stop();
    quotas.stop();
    demand.stop();
    queue_objects.stop();
    volcano_groups.stop();
    called.stop();
    reviewer.stop();
    if (gpu_metrics) {
        gpu_metrics->stop();
    }
    endpoints.stop_control();
    api.stop();
    extender.stop();
    // Health and metrics are served to the end: not ready, but alive.
    // The lease goes last: after it somebody else leads, and nothing of ours may still be on its
    // way. If something may be, the others wait until the lease has expired.
    auto end = [self = shared_from_this(), done = std::move(done)] {
        self->endpoints.stop();
        done();
    };
    writer.stop(drain_ms, [self = shared_from_this(), end = std::move(end)](bool drained) mutable {
        if (!drained) {
            self->options.log->write(
                LogLevel::warning, "writes were cut off, the lease is left to expire");
        }
        if (self->elector) {
            self->elector->stop(std::move(end), self->lease_end(drained));
        } else {
            asio::post(self->io, std::move(end));
        }
    });
}

// Nothing was decided since the stop began: what the scheduler knew then still holds.
k8s::LeaseEnd Daemon::Impl::lease_end(bool drained) const {
    const bool is_settled =
        !host.is_lost() && scheduler.is_settled() && writer.stats().patches_unsettled == 0;
    return k8s::protocol::choose_lease_end(drained, is_settled);
}

Daemon::Daemon(asio::io_context& io, DaemonOptions options)
    : impl_(std::make_shared<Impl>(io, std::move(options))) {}

Daemon::~Daemon() {
    // The endpoint may outlive us and the log.
    impl_->options.endpoint->set_notice({});
    if (impl_->options.gpu_metrics.endpoint != nullptr) {
        impl_->options.gpu_metrics.endpoint->set_notice({});
    }
}

void Daemon::start() {
    impl_->start();
}

void Daemon::stop(std::function<void()> done) {
    impl_->stop(std::move(done));
}

void Daemon::reconfigure(const config::Schema& config) {
    impl_->options.config = config;
    impl_->tell_config();
}

std::vector<GangView> Daemon::gangs() const {
    return impl_->scheduler.gangs();
}

std::optional<Explanation> Daemon::explain(std::string_view pod_or_app) const {
    return impl_->scheduler.explain(pod_or_app);
}

ConsistencyStatus Daemon::consistency() const {
    return impl_->consistency_checker.status();
}

void Daemon::check_consistency() {
    impl_->consistency_checker.run_now();
}

std::vector<NodeLedger> Daemon::ledger() const {
    return impl_->scheduler.ledger();
}

DaemonStats Daemon::stats() const {
    DaemonStats out = impl_->stats;
    out.synced = impl_->pods.stats().synced && impl_->nodes.stats().synced;
    out.binds = impl_->writer.stats().binds;
    return out;
}

}  // namespace gang::app
