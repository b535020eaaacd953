#include "gang/scheduler.hpp"

#include "gang/backfill/backfill.hpp"
#include "gang/backfill/promises.hpp"
#include "gang/backfill/run_observer.hpp"
#include "gang/backfill/waiters.hpp"
#include "gang/called/called_extenders.hpp"
#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_classifier.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/classify/retry_pauses.hpp"
#include "gang/demand/bought_nodes.hpp"
#include "gang/demand/capacity_demand.hpp"
#include "gang/extender/extender_desk.hpp"
#include "gang/group/group_former.hpp"
#include "gang/group_status/group_statuses.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/life/answers.hpp"
#include "gang/life/claim_events.hpp"
#include "gang/life/cluster_events.hpp"
#include "gang/life/gang_life.hpp"
#include "gang/life/gpu_events.hpp"
#include "gang/life/label_lister.hpp"
#include "gang/life/namespace_events.hpp"
#include "gang/life/pod_events.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/work.hpp"
#include "gang/queue/admission.hpp"
#include "gang/queue/admitter.hpp"
#include "gang/queue/bind_sender.hpp"
#include "gang/queue/class_verdicts.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/head_of_line.hpp"
#include "gang/queue/placer.hpp"
#include "gang/queue/status/status_messages.hpp"
#include "gang/queue/status/status_refresh.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/preempt/preemption.hpp"
#include "gang/preflight/quota_preflight.hpp"
#include "gang/quota/quota_gate.hpp"
#include "gang/reconfigure/reconfiguration.hpp"
#include "gang/recovery/recovery.hpp"
#include "gang/recovery/slot_rebuilder.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/crash_loop_back_off.hpp"
#include "gang/slots/executors_elsewhere.hpp"
#include "gang/slots/gang_health.hpp"
#include "gang/slots/missing_executors.hpp"
#include "gang/slots/shape_learner.hpp"
#include "gang/slots/slot_assigner.hpp"
#include "gang/slots/slot_matcher.hpp"
#include "gang/slots/slot_repair.hpp"
#include "gang/slots/stuck_drivers.hpp"
#include "gang/view/accounts.hpp"
#include "gang/view/comparison.hpp"
#include "gang/view/gang_views.hpp"
#include "gang/view/node_ledgers.hpp"
#include "gang/view/queue_views.hpp"
#include "gang/view/totals_view.hpp"
#include "gang/view/what_if_views.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace gang {

/// The parts, each after those that it works with.
struct Scheduler::State {
    explicit State(config::Schema schema) : model(std::move(schema)) {}
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    Model model;
    StepContext step;
    StatusReporter status_reporter;

    Declarations declarations{model, step};
    Publisher publisher{model, step, status_reporter};
    Leadership leadership{model, step, status_reporter, declarations, publisher};
    Placer placer{model, step};
    DomainPlacer domain_placer{model, step, placer};
    BindSender binder{model, step, status_reporter};

    ClassVerdicts verdicts{model, placer};
    QuotaGate quota{model};
    StatusMessages messages{model, step, placer, domain_placer, quota};
    WaitingStatus status{model, step, status_reporter, messages};
    HeadOfLine head{model, step, status};
    StatusRefresh refresh{model, step, verdicts, messages, status, head, quota};
    CalledExtenders called{model, step};
    LineClassifier line_classifier{
        model, step, placer, domain_placer, status, refresh, quota, called};
    Admitter admitter{
        model,
        step,
        publisher,
        placer,
        domain_placer,
        binder,
        verdicts,
        status,
        quota,
        called};
    Admission admission{
        model, step, verdicts, status, head, refresh, quota, line_classifier, admitter};
    Preemption preemption{
        model, step, status_reporter, publisher, placer, domain_placer, quota, status};
    RunObserver run_observer{model, step};
    WaiterList waiters{model, step, domain_placer, verdicts, quota};
    Promises promises{model, step, placer};
    Backfill backfill{
        model, step, placer, domain_placer, run_observer, waiters, promises, admitter};

    CapacityDemand demand{model, step, status_reporter, status, refresh};
    BoughtNodes bought{model, step, domain_placer, quota, admitter};

    ExecutorOwners owners{model};
    PodRoles roles{model, owners};
    PodCompaction compaction{model, declarations, owners};
    PodClassifier classifier{model, step, status_reporter, owners, compaction};
    RetryPauses pauses{model, step};

    GangHealth health{model, status_reporter};
    SlotAssigner assigner{model};
    ShapeLearner learner{model, step, status_reporter, publisher, leadership, placer, health};
    SlotRepair repair{model, step, publisher, placer, health, assigner, called};
    StuckDrivers stuck{model, step, status_reporter, publisher};
    MissingExecutors missing{model, step, status_reporter, publisher, health};
    ExecutorsElsewhere elsewhere{model, status_reporter, publisher};
    CrashLoopBackOff back_off{model, step, status_reporter};
    SlotMatcher matcher{
        model,
        step,
        status_reporter,
        publisher,
        leadership,
        placer,
        domain_placer,
        binder,
        learner,
        missing,
        back_off};

    Recovery recovery{model, step, declarations, owners, assigner, publisher};
    SlotRebuilder rebuilder{
        model,
        step,
        status_reporter,
        declarations,
        publisher,
        leadership,
        placer,
        owners,
        compaction,
        assigner};

    ClusterEvents cluster_events{model};
    AnchorHandover handover{model, publisher, compaction, stuck};
    GangLife life{
        model,
        step,
        status_reporter,
        declarations,
        publisher,
        leadership,
        owners,
        stuck,
        handover};
    PodEvents pod_events{
        model,
        step,
        status_reporter,
        leadership,
        owners,
        roles,
        compaction,
        assigner,
        elsewhere,
        back_off,
        life};
    Answers answers{model, step, declarations, publisher, leadership, pauses, life};
    GroupGangs group_gangs{model, publisher, life};
    GroupFormer groups{model, step, status_reporter, life, group_gangs};
    GroupStatuses group_statuses{model, step};
    LabelLister label_lister{model, step};
    ClaimEvents claim_events{model, step, compaction};
    NamespaceEvents namespace_events{model, step};
    GpuEvents gpu_events{model, step};
    QuotaPreflight quota_preflight{model, step};
    Reconfiguration reconfiguration{model, cluster_events, admission};

    GangViews views{model, step, messages, refresh, owners, groups};
    ExtenderDesk extender{model, step, owners, pod_events, answers, views};
    QueueViews queue_views{model, quota};
    WhatIfViews what_if_views{model};
    TotalsView totals_view{model, step, leadership, owners, views};
    NodeLedgers node_ledgers{model};
    Comparison comparison{model};
    Accounts accounts{model, step};

    // --- events: they change what is known; what follows from it is decided in a tick ---
    void on(const PodUpserted& event) {
        quota_preflight.on(event);
        pod_events.on(event);
        run_observer.on(event);
    }
    void on(const PodDeleted& event) {
        quota_preflight.on(event);
        pod_events.on(event);
        run_observer.on(event);
    }
    void on(const NodeUpserted& event) {
        bought.on(event);
        cluster_events.on(event);
    }
    void on(const NodeDeleted& event) {
        bought.on(event);
        cluster_events.on(event);
    }
    void on(const RelistBegun& event) { cluster_events.on(event); }
    void on(const RelistEnded& event) { cluster_events.on(event); }
    void on(const SparkConfFound& event) { answers.on(event); }
    void on(const SparkConfMissing& event) { answers.on(event); }
    void on(const ClaimFound& event) { claim_events.on(event); }
    void on(const ClaimMissing& event) { claim_events.on(event); }
    void on(const VolumeLimitsListed& event) { claim_events.on(event); }
    void on(const VolumeLimitsChanged& event) { claim_events.on(event); }
    void on(const VolumeLimitsMissing& event) { claim_events.on(event); }
    void on(const StorageListed& event) { claim_events.on(event); }
    void on(const StorageChanged& event) { claim_events.on(event); }
    void on(const StorageMissing& event) { claim_events.on(event); }
    void on(const NamespacesListed& event) {
        const bool were_known = model.namespaces.is_known();
        if (namespace_events.on(event)) reconfiguration.namespaces_changed(were_known);
    }
    void on(const NamespaceChanged& event) {
        if (namespace_events.on(event)) reconfiguration.namespace_changed(event.one.name);
    }
    void on(const NamespaceDeleted& event) { namespace_events.on(event); }
    void on(const NamespacesMissing& event) {
        if (namespace_events.on(event)) reconfiguration.namespaces_changed(false);
    }
    void on(const PodGroupFound& event) {
        groups.on(event);
        group_statuses.on(event);
    }
    void on(const PodGroupMissing& event) {
        groups.on(event);
        group_statuses.on(event);
    }
    void on(const QuotasFound& event) { quota_preflight.on(event); }
    void on(const QuotasMissing& event) { quota_preflight.on(event); }
    void on(const GroupStatusWritten& event) { group_statuses.on(event); }
    void on(const BindFinished& event) {
        answers.on(event);
        claim_events.bind_answered(event.pod_uid, event.outcome == BindOutcome::bound);
    }
    void on(const StatusWritten& event) { answers.on(event); }
    void on(const EvictFinished& event) { preemption.on(event); }
    void on(const ReservationDiffers& event) { answers.on(event); }
    void on(const PodListed& event) { label_lister.on(event); }
    void on(const PodsListed& event) { label_lister.on(event); }
    void on(const ExtenderAsked& event) { extender.on(event); }
    void on(const ExtenderBinds& event) { extender.on(event); }
    void on(const ExtendersAnswered& event) { called.on(event); }
    void on(const MetricsSampled& event) { gpu_events.on(event); }
    void on(const MetricsMissing& event) { gpu_events.on(event); }
    void on(const CapacityAnswered& event) { demand.on(event); }
    void on(const CapacityListed& event) { demand.on(event); }
    void on(const LeadershipGained& event) {
        leadership.on(event);
        group_statuses.on(event);
        demand.on(event);
        quota_preflight.on(event);
        called.on(event);
    }
    void on(const LeadershipLost& event) {
        extender.on(event);
        preemption.on(event);
        called.on(event);
        model.outlooks.all().clear();
        leadership.on(event);
        group_statuses.on(event);
        demand.on(event);
        bought.on(event);
    }
    void on(const ConfigChanged& event) {
        reconfiguration.on(event);
        run_observer.config_changed();
        preemption.config_changed();
    }
    void on(const Tick& event);

    bool plan();
    void wake();
    std::size_t remembered() const;
};

void Scheduler::State::on(const Tick&) {
    // What cannot be planned now (a list is under way, another leads) begins with another event.
    if (model.pods_list != ListState::complete || model.nodes_list != ListState::complete) {
        return;
    }
    if (!recovery.run()) {
        step.decisions.emplace_back(WakeAt{step.now_ms});  // nothing is planned on half a ledger
        return;
    }
    model.cluster_model.expire_quarantine(step.now_ms);
    if (!model.term.leads) {
        return;
    }
    step.timers.forget_past(step.now_ms);
    cluster_events.report_unreadable(step.decisions);
    extender.begin_tick();
    const bool is_planned = plan();
    status_reporter.flush(step.decisions, step.now_ms, [this](const std::string& uid) {
        return ref_of(model.pods.at(uid).pod);
    });
    if (leadership.is_fence_passed()) {
        group_statuses.run();
    }
    extender.end_tick(is_planned);
    wake();
}

/// False: it stopped on its way, and is to go on.
bool Scheduler::State::plan() {
    step.work_left = work_per_tick;
    gpu_events.run();
    life.ask_for_confs();
    claim_events.run();
    namespace_events.run();
    quota_preflight.run();
    pauses.end_pauses();
    back_off.end_due();
    if (!classifier.run()) {
        return false;  // whoever is not known yet may have to be fenced, or come before those who
                       // are
    }
    groups.run();
    groups.ask();
    if (!classifier.run()) {
        return false;  // members of groups that are gangs now
    }
    label_lister.run();
    rebuilder.run();
    leadership.fence_step();
    if (!leadership.fence().view_is_current() && !leadership.is_fence_passed()) {
        publisher.publish_changed();
        return false;  // what we see may be from before the last leader's end
    }
    preemption.hold_room();
    stuck.check();
    missing.check();
    if (leadership.is_fence_passed()) {
        rebuilder.run();  // there is free room from here on
        model.settle_gpus();  // slots that were read back are on their nodes
        repair.run();
        bought.hold_room();
        matcher.retry_oversized();
    }
    model.settle_gpus();
    step.work_left = work_per_tick;  // executors have a budget of their own: no repair takes it
    matcher.run();
    leadership.fence_step();  // executors beyond their gangs' slots are known only now
    publisher.publish_changed();
    leadership.complete_fence();
    if (!leadership.is_fence_passed() || leadership.is_first_plan_waiting()) {
        return false;
    }
    if (!repair.is_done()) {
        return false;  // slots without room come before new gangs
    }
    step.work_left = work_per_tick;
    called.run();
    bought.run();
    if (!admission.run()) {
        demand.run();
        return false;
    }
    if (backfill.run()) {
        refresh.request();  // those who were passed have more to be told
    }
    preemption.run();
    demand.run();
    return true;
}

void Scheduler::State::wake() {
    std::optional<std::int64_t> next;
    const auto consider = [&next](std::optional<std::int64_t> time_ms) {
        if (time_ms && (!next || *time_ms < *next)) {
            next = time_ms;
        }
    };
    consider(step.timers.next_ms());
    consider(model.conf_asker.next_due_ms(step.now_ms));
    consider(model.claims.next_due_ms(step.now_ms));
    consider(model.volume_counts.next_due_ms(step.now_ms));
    consider(model.groups.next_due_ms(step.now_ms));
    consider(model.quotas.next_due_ms());
    consider(leadership.fence().next_due_ms());
    consider(status_reporter.next_due_ms());
    if (next) {
        step.decisions.emplace_back(WakeAt{std::max(*next, step.now_ms)});
    }
}

std::size_t Scheduler::State::remembered() const {
    return model.remembered() + leadership.remembered() + stuck.remembered() + pauses.remembered() +
           missing.remembered() + back_off.remembered() + elsewhere.remembered() +
           status_reporter.remembered() + extender.remembered() + preemption.remembered() +
           called.remembered() +
           group_statuses.remembered();
}

Scheduler::Scheduler(config::Schema schema) : state_(std::make_unique<State>(std::move(schema))) {}
Scheduler::~Scheduler() = default;
Scheduler::Scheduler(Scheduler&&) noexcept = default;
Scheduler& Scheduler::operator=(Scheduler&&) noexcept = default;

Decisions Scheduler::step(const StampedEvent& event) {
    State& state = *state_;
    StepContext& step = state.step;
    empty_buffer(step.decisions);
    const std::int64_t passed_ms = std::max<std::int64_t>(event.time_ms - step.now_ms, 0);
    const std::int64_t open_milli = state.model.ledger.counts().open_milli();
    step.idle_milli_ms += state.model.term.leads ? open_milli * passed_ms : 0;
    step.now_ms += passed_ms;
    std::visit([&state](const auto& happened) { state.on(happened); }, event.event);
    return step.decisions;
}

std::vector<GangView> Scheduler::gangs() const {
    return state_->views.gangs();
}

std::optional<Explanation> Scheduler::explain(std::string_view pod_or_app) const {
    return state_->views.explain(pod_or_app);
}

std::optional<Drift> Scheduler::compare(const core::Pod& listed) const {
    return state_->comparison.compare(listed);
}

std::optional<Drift> Scheduler::compare(const core::Node& listed) const {
    return state_->comparison.compare(listed);
}

void Scheduler::for_each_pod(
    const std::function<void(std::string_view uid, std::string_view name)>& visit) const {
    state_->comparison.for_each_pod(visit);
}

std::vector<NodeLedger> Scheduler::ledger() const {
    return state_->node_ledgers.ledger();
}

NodeSums Scheduler::node_sums() const {
    return state_->node_ledgers.sums();
}

std::size_t Scheduler::remembered() const {
    return state_->remembered();
}

std::vector<core::Account> Scheduler::accounts() const {
    return state_->accounts.accounts(state_->remembered());
}

std::vector<QueueView> Scheduler::queues() const {
    return state_->queue_views.queues();
}

WhatIfAnswer Scheduler::what_if(const WhatIf& question) const {
    return state_->what_if_views.answer(question);
}

bool Scheduler::is_of_extender(std::string_view pod_uid) const {
    return state_->extender.is_of_extender(pod_uid);
}

bool Scheduler::is_needed(std::string_view pod_uid) const {
    return state_->extender.is_needed(pod_uid);
}

bool Scheduler::has_pods_of_group(
    core::GroupDialect dialect,
    const std::string& namespace_name,
    const std::string& name,
    std::int64_t count) const {
    const PodGroup* const group =
        state_->model.groups.find(PodGroups::key_of(dialect, namespace_name, name));
    return group != nullptr && (!group->drivers.empty() ||
                                static_cast<std::int64_t>(group->members.size()) >= count);
}

const Counters& Scheduler::counters() const {
    return state_->step.counters;
}

bool Scheduler::is_settled() const {
    return state_->leadership.is_settled();
}

Totals Scheduler::totals(std::int64_t now_ms) const {
    return state_->totals_view.totals(now_ms);
}

}  // namespace gang
