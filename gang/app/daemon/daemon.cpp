#include "gang/app/daemon/daemon.hpp"

#include "gang/app/base/server_name.hpp"
#include "gang/app/daemon/execute/executor.hpp"
#include "gang/app/daemon/loop/decision_loop.hpp"
#include "gang/app/daemon/loop/idle_notice.hpp"
#include "gang/app/daemon/loop/replica_role.hpp"
#include "gang/app/daemon/queues/queue_objects.hpp"
#include "gang/app/daemon/served/daemon_endpoints.hpp"
#include "gang/app/daemon/volcano/enqueue_view.hpp"
#include "gang/app/daemon/volcano/volcano_groups.hpp"
#include "gang/app/daemon/watches/optional_watches.hpp"
#include "gang/app/daemon/watches/pod_node_watches.hpp"
#include "gang/scheduler.hpp"
#include "k8s/lease/elector.hpp"

#include <boost/asio/io_context.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace gang::app {
namespace {

namespace asio = boost::asio;
using config::LogLevel;

}  // namespace

/// The parts, and the way in which they are wired.
struct Daemon::Impl : std::enable_shared_from_this<Daemon::Impl> {
    Impl(asio::io_context& io, DaemonOptions with);

    void start();
    void stop(std::function<void()> done);
    void await_namespaces();
    void answered(Event event);
    bool is_idle() const;
    bool holds_are_known() const;
    std::optional<EnqueueView> view_for_enqueuer() const;
    k8s::LeaseEnd lease_end(bool drained) const;

    DecisionLoop::Wiring loop_wiring();
    PodNodeWatches::Wiring watches_wiring();
    ReplicaRole::Wiring role_wiring();
    Executor::Wiring executor_wiring();
    QueueObjects::Wiring queue_objects_wiring();
    VolcanoGroups::Wiring volcano_groups_wiring();
    ConsistencyChecker::Wiring consistency_checker_wiring();
    DaemonView view();

    DaemonOptions options;
    Scheduler scheduler;
    DaemonEndpoints endpoints;
    std::shared_ptr<DecisionLoop> loop;
    PodNodeWatches watches;
    OptionalWatches optional_watches;
    ReplicaRole role;
    Executor executor;
    QueueObjects queue_objects;
    VolcanoGroups volcano_groups;
    ConsistencyChecker consistency_checker;
    IdleNotice idle;
};

Daemon::Impl::Impl(asio::io_context& io, DaemonOptions with)
    : options(std::move(with)),
      scheduler(options.config),
      endpoints(io, options),
      loop(std::make_shared<DecisionLoop>(io, loop_wiring())),
      watches(io, options.endpoint, options.config, watches_wiring()),
      optional_watches(io, options, loop.get()),
      role(io, options, role_wiring()),
      executor(io, options, executor_wiring()),
      queue_objects(io, options.endpoint, queue_objects_wiring()),
      volcano_groups(io, options.endpoint, volcano_groups_wiring()),
      consistency_checker(io, options.endpoint, consistency_checker_wiring()),
      idle(
          io,
          IdleNotice::Wiring{
              [this] { return is_idle(); }, options.on_idle, options.idle_after_ms}) {}

DecisionLoop::Wiring Daemon::Impl::loop_wiring() {
    DecisionLoop::Wiring out;
    out.scheduler = &scheduler;
    out.metrics = &endpoints.metrics();
    out.log = options.log;
    out.recorder = options.recorder;
    out.carry_out = [this](const Decision& decision) { executor.carry_out(decision); };
    out.hold_watches = [this](bool are_held) { watches.hold(are_held); };
    return out;
}

PodNodeWatches::Wiring Daemon::Impl::watches_wiring() {
    return {loop.get(), &options.seal, options.log, [this] { idle.await(); }};
}

ReplicaRole::Wiring Daemon::Impl::role_wiring() {
    return {
        loop.get(),
        [this] { return watches.nodes().stats().synced; },
        [this] { watches.list_again(k8s::WatchKind::nodes); }};
}

Executor::Wiring Daemon::Impl::executor_wiring() {
    Executor::Wiring out;
    out.loop = loop.get();
    out.watches = &optional_watches;
    out.metrics = &endpoints.metrics();
    out.may_write = [this] { return role.may_write(); };
    out.annotation_bytes = [this](const std::string& uid) {
        return watches.pods().annotation_bytes(uid);
    };
    out.answer = [this](Event event) { answered(std::move(event)); };
    out.answer_extender = [this](const AnswerExtender& decision) {
        endpoints.extender().answer(decision);
    };
    out.step_down = [this](const std::string& why) {
        role.lose("another scheduler has taken over: " + why);
    };
    return out;
}

QueueObjects::Wiring Daemon::Impl::queue_objects_wiring() {
    QueueObjects::Wiring out;
    out.log = options.log;
    out.file = &options.config;
    out.tell = [this](config::Schema now) { loop->push(ConfigChanged{std::move(now)}); };
    out.queues = [this] {
        return holds_are_known() ? scheduler.queues() : std::vector<QueueView>();
    };
    out.write_status = [this](const k8s::QueueStatusWrite& write, auto done) {
        executor.writer().write_queue_status(write, std::move(done));
    };
    return out;
}

VolcanoGroups::Wiring Daemon::Impl::volcano_groups_wiring() {
    VolcanoGroups::Wiring out;
    out.log = options.log;
    out.view = [this] { return view_for_enqueuer(); };
    out.write_status = [this](const k8s::GroupStatusWrite& write, auto done) {
        executor.writer().write_group_status(write, std::move(done));
    };
    out.notice = notice_sink(options.log, "podgroups");
    return out;
}

ConsistencyChecker::Wiring Daemon::Impl::consistency_checker_wiring() {
    ConsistencyChecker::Wiring out;
    out.scheduler = &scheduler;
    out.seal = &options.seal;
    out.log = options.log;
    out.relist = [this](k8s::WatchKind kind) { watches.list_again(kind); };
    out.push = [this](Event event) { loop->push(std::move(event)); };
    out.is_synced = [this] { return watches.are_synced(); };
    out.interval_ms = options.config.audit_interval_ms;
    out.second_list_after_ms = options.second_list_after_ms;
    return out;
}

DaemonView Daemon::Impl::view() {
    return {
        &options,
        &scheduler,
        loop.get(),
        &role,
        &watches,
        &optional_watches,
        &executor.writer(),
        &queue_objects,
        &volcano_groups,
        &consistency_checker};
}

void Daemon::Impl::start() {
    options.log->write(
        LogLevel::info,
        "starting",
        {{"server", server_name(options.endpoint->access())},
         {"identity", options.identity},
         {"schedulerNames", fmt::format("{}", fmt::join(options.config.scheduler_names(), ","))},
         {"leaderElection", role.has_election() ? "on" : "off"}});
    options.endpoint->set_notice(notice_sink(options.log, "credentials"));
    endpoints.start(view());
    watches.start();
    consistency_checker.start();
    optional_watches.poll_gpu_metrics();
    if (options.config.volcano.enqueue) {
        volcano_groups.start();
    }
    if (options.config.queue_objects.enabled) {
        queue_objects.start([this] { await_namespaces(); });
    } else {
        await_namespaces();
    }
}

/// Stands when it is known, or cannot be, which queues there are and who belongs where: whoever leads
/// decides.
void Daemon::Impl::await_namespaces() {
    const bool are_needed = std::any_of(
        options.config.placement.begin(), options.config.placement.end(), [](const auto& rule) {
            return rule.kind == config::PlacementRule::Kind::namespace_label;
        });
    if (are_needed) {
        optional_watches.await_namespaces([this] { role.stand(); });
    } else {
        role.stand();
    }
}

/// What came of a decision; kube-scheduler may wait for it as well.
void Daemon::Impl::answered(Event event) {
    if (const auto* bound = std::get_if<BindFinished>(&event)) {
        endpoints.extender().bind_answered(*bound);
    }
    loop->push(std::move(event));
}

bool Daemon::Impl::is_idle() const {
    return watches.are_synced() && loop->host().waiting() == 0 &&
           executor.writer().stats().waiting == 0;
}

/// It leads, and has seen all that runs.
bool Daemon::Impl::holds_are_known() const {
    return role.is_leading() && watches.are_synced();
}

/// Nothing: it is not ours to let anybody in.
std::optional<EnqueueView> Daemon::Impl::view_for_enqueuer() const {
    if (!holds_are_known()) {
        return std::nullopt;
    }
    return enqueue_view(scheduler, queue_objects.config(), loop->now_ms());
}

void Daemon::Impl::stop(std::function<void()> done) {
    ENSURE(!loop->host().is_stopping());
    loop->stop();
    idle.stop();
    watches.stop();
    consistency_checker.stop();
    executor.stop_reading();
    optional_watches.stop();
    queue_objects.stop();
    volcano_groups.stop();
    endpoints.stop_all_but_health();
    // Health and metrics are served to the end: not ready, but alive.
    // The lease goes last: after it somebody else leads, and nothing of ours may still be on its
    // way. If something may be, the others wait until the lease has expired.
    auto end = [self = shared_from_this(), done = std::move(done)] {
        self->endpoints.stop_health();
        done();
    };
    executor.writer().stop(
        drain_ms, [self = shared_from_this(), end = std::move(end)](bool drained) mutable {
            if (!drained) {
                self->options.log->write(
                    LogLevel::warning, "writes were cut off, the lease is left to expire");
            }
            self->role.stop(std::move(end), self->lease_end(drained));
        });
}

// Nothing was decided since the stop began: what the scheduler knew then still holds.
k8s::LeaseEnd Daemon::Impl::lease_end(bool drained) const {
    const bool is_settled = !loop->host().is_lost() && scheduler.is_settled() &&
                            executor.writer().stats().patches_unsettled == 0;
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
    impl_->queue_objects.file_changed();
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
    const DecisionLoop::Counts& counts = impl_->loop->counts();
    DaemonStats out;
    out.synced = impl_->watches.are_synced();
    out.leading = impl_->role.is_leading();
    out.events = counts.events;
    out.decisions = counts.decisions;
    out.pauses = counts.pauses;
    out.binds = impl_->executor.writer().stats().binds;
    out.unsealed = impl_->watches.unsealed();
    return out;
}

}  // namespace gang::app
