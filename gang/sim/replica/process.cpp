#include "gang/sim/replica/process.hpp"

#include "gang/record/event_log.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace gang::sim {
namespace {

std::uint64_t tag(std::uint32_t life, std::uint32_t serial) {
    return (std::uint64_t{life} << 32U) | serial;
}

}  // namespace

Process::Process(
    World& world,
    std::uint32_t replica,
    std::uint32_t life,
    const Clock& clock,
    config::Schema schema)
    : scheduler(std::move(schema)),
      pods(world, *this, false),
      nodes(world, *this, true),
      elector(world, *this, "r" + std::to_string(replica) + "-" + std::to_string(life)),
      writer(world, *this),
      groups(world, *this),
      volumes(world, *this),
      quotas(*this),
      demand(world, *this),
      world_(world),
      replica_(replica),
      life_(life),
      clock_(clock),
      mono_begin_(clock.mono(world.now_ms)),
      unix_begin_(clock.wall(world.now_ms)) {}

std::int64_t Process::mono() const {
    return clock_.mono(world_.now_ms);
}

std::int64_t Process::wall() const {
    return clock_.wall(world_.now_ms);
}

Author Process::author() const {
    return Author{Actor::scheduler, replica_, life_, epoch_, pods_seen_, nodes_seen_};
}

void Process::start() {
    pods.go_on();
    nodes.go_on();
    elector.go_on();
}

std::uint32_t Process::send(Call call, std::uint32_t ticket, std::int64_t limit_ms) {
    call.replica = replica_;
    call.life = life_;
    call.ticket = ticket;
    call.gives_up_ms = world_.now_ms + clock_.to_true(limit_ms);
    return world_.servers.send(std::move(call));
}

void Process::wake_watcher(bool is_of_nodes, std::int64_t ms, std::uint32_t serial) {
    world_.queue.plan(
        world_.now_ms + clock_.to_true(ms),
        Happening::watcher_pause,
        replica_ * 2 + (is_of_nodes ? 1 : 0),
        tag(life_, serial));
}

void Process::wake_elector(std::int64_t ms, std::uint32_t serial) {
    world_.queue.plan(
        world_.now_ms + clock_.to_true(ms), Happening::elector_wakes, replica_, tag(life_, serial));
}

void Process::wake_writer(std::int64_t ms, std::uint32_t job) {
    world_.queue.plan(
        world_.now_ms + clock_.to_true(ms), Happening::writer_wakes, replica_, tag(life_, job));
}

void Process::wake_volumes(std::int64_t ms, std::uint32_t what) {
    world_.queue.plan(
        world_.now_ms + clock_.to_true(ms), Happening::volumes_wake, replica_, tag(life_, what));
}

void Process::wake_demand() {
    world_.queue.plan(world_.now_ms, Happening::demand_wakes, replica_, life_);
}

void Process::bind_after_volumes(const BindPod& decision, const Author& author) {
    if (host_.is_deciding()) {
        writer.bind(decision, author);
    }
}

void Process::push(Event event, bool is_of_nodes, std::uint64_t revision) {
    if (!host_.is_deciding()) {
        return;
    }
    if (auto* upserted = std::get_if<PodUpserted>(&event)) {
        world_.seal.open(upserted->pod);
    }
    host_.push(std::move(event));
    pushed(is_of_nodes, revision);
}

void Process::pushed(bool is_of_nodes, std::uint64_t revision) {
    freshness_.push_back(Freshness{is_of_nodes, revision});
    post_turn();
}

void Process::lead(const LeadershipGained& term) {
    const Host::Lead begins = host_.lead(term, nodes.is_synced());
    if (begins == Host::Lead::ignored) {
        return;
    }
    epoch_ = term.epoch;
    world_.counts.handed_over += term.handed_over ? 1 : 0;
    world_.decision_checker.leads(replica_, term.epoch);
    world_.group_checker.leads();
    leads_since_ms_ = world_.now_ms;
    if (begins == Host::Lead::list_nodes) {
        nodes.list_again();
    } else {
        pushed(false, 0);
    }
}

void Process::nodes_listed() {
    if (host_.nodes_listed()) {
        pushed(false, 0);
    }
}

void Process::lost() {
    host_.lost();
    if (!host_.is_stopping()) {
        world_.replicas[replica_].exit();
    }
}

void Process::terminate() {
    if (host_.is_stopping()) {
        return;
    }
    host_.stop();
    pods.stop();
    nodes.stop();
    world_.queue.plan(
        world_.now_ms + clock_.to_true(drain_ms), Happening::drain_ends, replica_, life_);
    writer.stop();
}

void Process::drain_ends() {
    writer.cut_off();
}

void Process::pods_listed() {
    if (!listed_) {
        listed_.emplace();
        for (const auto& pod : world_.store.pods) {
            if (pod && !pod->node_name.empty() && !core::is_terminal(*pod)) {
                listed_->push_back(
                    PodListed{pod->uid, pod->namespace_name, pod->labels, pod->deleting});
            }
        }
        return plan_list();
    }
    const std::vector<PodListed> listed = *std::exchange(listed_, std::nullopt);
    const bool is_complete = world_.is_calm || !world_.random.percent(20);
    for (const PodListed& pod : listed) {
        if (is_complete) {
            push_answer(pod);
        }
    }
    push_answer(PodsListed{is_complete});
}

void Process::plan_list() {
    world_.queue.plan(
        world_.now_ms + world_.random.between(1, 250), Happening::pods_listed, replica_, life_);
}

void Process::drained(bool is_drained) {
    elector.stop(lease_end(is_drained));
}

// Nothing was decided since the stop began: what the scheduler knew then still holds.
LeaseEnd Process::lease_end(bool is_drained) const {
    const bool is_settled =
        !host_.is_lost() && scheduler.is_settled() && writer.patches_unsettled() == 0;
    return k8s::protocol::choose_lease_end(is_drained, is_settled);
}

void Process::end() {
    world_.replicas[replica_].leave();
}

void Process::post_turn() {
    if (std::exchange(turn_is_posted_, true)) {
        return;
    }
    world_.queue.plan(world_.now_ms, Happening::replica_turn, replica_, life_);
}

void Process::turn() {
    turn_is_posted_ = false;
    const Host::Then then = host_.turn(
        [this] { return unix_ms(); }, [this](const StampedEvent& event) { step(event); });
    if (then == Host::Then::again) {
        turn_is_posted_ = true;
        world_.queue.plan(world_.now_ms + 1, Happening::replica_turn, replica_, life_);
    } else if (then == Host::Then::rest) {
        arm();
    }
}

void Process::step(const StampedEvent& event) {
    if (!std::holds_alternative<Tick>(event.event)) {
        const Freshness freshness = freshness_.front();
        freshness_.pop_front();
        auto& seen = freshness.is_of_nodes ? nodes_seen_ : pods_seen_;
        seen = std::max(seen, freshness.revision);
        world_.checkers.event_applied(replica_, event.event);
        world_.decision_checker.event_applied(replica_, event.event);
        world_.quota_checker.event_applied(replica_, event.event);
        world_.demand_checker.event_applied(replica_, event.event);
    }
    world_.count_step();
    const Decisions decisions = scheduler.step(event);
    world_.digest.add(add_to_digest(0, event.sequence, decisions));
    for (const Decision& decision : decisions) {
        carry_out(decision);
    }
}

void Process::arm() {
    const auto wake = host_.wake_time();
    if (!wake) {
        return;
    }
    const std::int64_t at_ms = world_.now_ms + clock_.to_true(*wake - unix_ms());
    if (armed_ms_ > world_.now_ms && armed_ms_ <= at_ms) {
        return;
    }
    armed_ms_ = at_ms;
    world_.queue.plan(at_ms, Happening::replica_wakes, replica_, life_);
}

bool Process::is_quiescent() const {
    return host_.is_deciding() && !turn_is_posted_ && host_.waiting() == 0 && writer.is_idle() &&
           groups.is_idle() && volumes.is_idle() && quotas.is_idle() && demand.is_idle() &&
           pods.is_synced() && nodes.is_synced() && !host_.awaits_nodes();
}

namespace {

struct CarryOut {
    World& world;
    Process& process;
    Host& host;
    void operator()(const BindPod& decision) const {
        world.decision_checker.decided(process.replica(), process, decision);
        if (world.plan.has_autoscaler) {
            world.demand_checker.binds(process.replica(), process, decision);
        }
        if (world.plan.has_quotas && decision.starts_gang) {
            world.quota_checker.admits(process.replica(), process, decision);
        }
        BindPod sealed = decision;
        world.seal.close(sealed.pod.uid, sealed.annotations);
        if (sealed.claims.empty()) {
            process.writer.bind(sealed, process.author());
        } else {
            process.volumes.provision(sealed);
        }
    }
    void operator()(const FetchSparkConf& decision) const { process.writer.fetch(decision); }
    void operator()(const SetCondition& decision) const { process.writer.set_condition(decision); }
    void operator()(const UpdateReservation& decision) const {
        UpdateReservation sealed = decision;
        world.seal.close(sealed.driver.uid, sealed.annotations);
        process.writer.update_reservation(sealed);
    }
    void operator()(const EvictPod& decision) const {
        world.decision_checker.evicts(process.replica(), process, decision);
        process.writer.evict(decision);
    }
    void operator()(const FetchClaim& decision) const { process.volumes.fetch(decision); }
    void operator()(const WatchVolumeLimits&) const { process.volumes.watch_limits(); }
    void operator()(const WatchStorage&) const {}     // its driver does not say what it has left
    void operator()(const WatchNamespaces&) const {}  // nobody has a rule that speaks of them
    void operator()(const FetchPodGroup& decision) const { process.groups.fetch(decision); }
    void operator()(const FetchQuotas& decision) const {
        world.quota_checker.asks(process.replica(), process, decision.namespace_name);
        process.quotas.fetch(decision);
    }
    void operator()(const WriteGroupStatus& decision) const { process.groups.write(decision); }
    void operator()(const ListPods&) const {
        ++world.counts.label_lists;
        process.plan_list();
    }
    void operator()(const RecordEvent&) const {}
    void operator()(const WantCapacity& decision) const {
        world.demand_checker.wants(process.replica(), process, decision);
        process.demand.want(decision);
    }
    void operator()(const DropCapacity& decision) const {
        world.demand_checker.drops(process.replica(), decision);
        process.demand.drop(decision);
    }
    void operator()(const ListCapacity&) const { process.demand.list(); }
    void operator()(const AskExtenders&) const {}
    void operator()(const AnswerExtender&) const {}  // no kube-scheduler asks in the model
    void operator()(const WakeAt& decision) const { host.wake_at(decision.time_ms); }
    void operator()(const StepDown&) const { process.lost(); }
};

}  // namespace

void Process::carry_out(const Decision& decision) {
    if (world_.trace) {
        world_.trace_decision(replica_, decision);
    }
    std::visit(CarryOut{world_, *this, host_}, decision);
}

}  // namespace gang::sim
