#include "gang/sim/replica/process.hpp"

#include "gang/record/event_log.hpp"
#include "gang/sim/world.hpp"

#include <utility>
#include <variant>

namespace gang::sim {

Process::Process(
    World& world,
    std::uint32_t replica,
    std::uint32_t life,
    const Clock& clock,
    config::Schema schema)
    : time(world.now_ms, clock),
      wakeups(world, time, replica, life),
      scheduler(std::move(schema)),
      watches(world, *this),
      elector(world, *this, "r" + std::to_string(replica) + "-" + std::to_string(life)),
      writer(world, *this),
      clients(world, *this),
      world_(world),
      self_{Actor::scheduler, replica, life} {}

Author Process::author() const {
    Author author = self_;
    author.pods_seen = seen_.pods();
    author.nodes_seen = seen_.nodes();
    return author;
}

void Process::start() {
    watches.start();
    elector.go_on();
}

std::uint32_t Process::send(Call call, std::uint32_t ticket, std::int64_t limit_ms) {
    call.replica = self_.replica;
    call.life = self_.life;
    call.ticket = ticket;
    call.gives_up_ms = time.true_ms_after(limit_ms);
    return world_.cluster.api.calls.send(std::move(call));
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
        world_.cluster.seal.open(upserted->pod);
    }
    host_.push(std::move(event));
    event_waits(is_of_nodes, revision);
}

void Process::event_waits(bool is_of_nodes, std::uint64_t revision) {
    seen_.event_waits(is_of_nodes, revision);
    wakeups.turn();
}

void Process::lead(const LeadershipGained& term) {
    const Host::Lead begins = host_.lead(term, watches.nodes().is_synced());
    if (begins == Host::Lead::ignored) {
        return;
    }
    self_.epoch = term.epoch;
    world_.record.counts.handed_over += term.handed_over ? 1 : 0;
    world_.checker_suite.leads(self_.replica, term.epoch);
    leads_since_ms_ = world_.now_ms;
    if (begins == Host::Lead::list_nodes) {
        watches.nodes().list_again();
    } else {
        event_waits(false, 0);
    }
}

void Process::nodes_listed() {
    if (host_.nodes_listed()) {
        event_waits(false, 0);
    }
}

void Process::lost() {
    host_.lost();
    if (!host_.is_stopping()) {
        world_.replicas[self_.replica].exit();
    }
}

void Process::terminate() {
    if (host_.is_stopping()) {
        return;
    }
    host_.stop();
    watches.stop();
    wakeups.end_of_drain(drain_ms);
    writer.stop();
}

// Nothing was decided since the stop began: what the scheduler knew then still holds.
void Process::drained(bool is_drained) {
    const bool is_settled =
        !host_.is_lost() && scheduler.is_settled() && writer.patches_unsettled() == 0;
    elector.stop(k8s::protocol::choose_lease_end(is_drained, is_settled));
}

void Process::turn() {
    wakeups.turn_begins();
    const Host::Then then = host_.turn(
        [this] { return time.unix_ms(); }, [this](const StampedEvent& event) { step(event); });
    if (then == Host::Then::again) {
        wakeups.next_turn();
    } else if (then == Host::Then::rest) {
        if (const auto wake = host_.wake_time()) {
            wakeups.tick(*wake);
        }
    }
}

void Process::step(const StampedEvent& event) {
    if (!std::holds_alternative<Tick>(event.event)) {
        seen_.event_is_done();
        world_.checker_suite.event_applied(self_.replica, event.event);
    }
    ++world_.record.counts.steps;
    const Decisions decisions = scheduler.step(event);
    world_.record.digest.add(add_to_digest(0, event.sequence, decisions));
    for (const Decision& decision : decisions) {
        carry_out(decision);
    }
}

bool Process::is_quiescent() const {
    return host_.is_deciding() && !wakeups.is_turn_planned() && host_.waiting() == 0 &&
           writer.is_idle() && clients.are_idle() && watches.are_synced() && !host_.awaits_nodes();
}

namespace {

struct CarryOut {
    World& world;
    Process& process;
    Host& host;
    void operator()(const BindPod& decision) const {
        world.checker_suite.decisions.decided(process.replica(), process, decision);
        if (world.plan.has_autoscaler) {
            world.checker_suite.demand.binds(process.replica(), process, decision);
        }
        if (world.plan.has_quotas && decision.starts_gang) {
            world.checker_suite.quotas.admits(process.replica(), process, decision);
        }
        BindPod sealed = decision;
        world.cluster.seal.close(sealed.pod.uid, sealed.annotations);
        if (sealed.claims.empty()) {
            process.writer.bind(sealed, process.author());
        } else {
            process.clients.volumes.provision(sealed);
        }
    }
    void operator()(const FetchSparkConf& decision) const { process.writer.fetch(decision); }
    void operator()(const SetCondition& decision) const { process.writer.set_condition(decision); }
    void operator()(const UpdateReservation& decision) const {
        UpdateReservation sealed = decision;
        world.cluster.seal.close(sealed.driver.uid, sealed.annotations);
        process.writer.update_reservation(sealed);
    }
    void operator()(const EvictPod& decision) const {
        world.checker_suite.decisions.evicts(process.replica(), process, decision);
        process.writer.evict(decision);
    }
    void operator()(const FetchClaim& decision) const { process.clients.volumes.fetch(decision); }
    void operator()(const WatchVolumeLimits&) const { process.clients.volumes.watch_limits(); }
    void operator()(const WatchStorage&) const {}     // its driver does not say what it has left
    void operator()(const WatchNamespaces&) const {}  // nobody has a rule that speaks of them
    void operator()(const FetchPodGroup& decision) const { process.clients.groups.fetch(decision); }
    void operator()(const FetchQuotas& decision) const {
        world.checker_suite.quotas.asks(process.replica(), process, decision.namespace_name);
        process.clients.quotas.fetch(decision);
    }
    void operator()(const WriteGroupStatus& decision) const {
        process.clients.groups.write(decision);
    }
    void operator()(const ListPods&) const {
        ++world.record.counts.label_lists;
        process.clients.pods.list();
    }
    void operator()(const RecordEvent&) const {}
    void operator()(const WantCapacity& decision) const {
        world.checker_suite.demand.wants(process.replica(), process, decision);
        process.clients.demand.want(decision);
    }
    void operator()(const DropCapacity& decision) const {
        world.checker_suite.demand.drops(process.replica(), decision);
        process.clients.demand.drop(decision);
    }
    void operator()(const ListCapacity&) const { process.clients.demand.list(); }
    void operator()(const AskExtenders&) const {}
    void operator()(const AnswerExtender&) const {}  // no kube-scheduler asks in the model
    void operator()(const WakeAt& decision) const { host.wake_at(decision.time_ms); }
    void operator()(const StepDown&) const { process.lost(); }
};

}  // namespace

void Process::carry_out(const Decision& decision) {
    world_.record.trace_decision(self_.replica, decision);
    std::visit(CarryOut{world_, *this, host_}, decision);
}

}  // namespace gang::sim
