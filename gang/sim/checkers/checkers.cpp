#include "gang/sim/checkers/checkers.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::sim {
namespace {

std::string describe(const Amount& amount) {
    return fmt::format(
        "{}m {}Mi {} pods {} gpus {} ports {} units",
        amount.cpu_milli,
        amount.memory_bytes >> 20,
        amount.pods,
        amount.gpus,
        amount.ports,
        amount.units);
}

/// Whose slots are open there, for people.
std::string open_slots_text(const std::map<PodId, NodeSlots>& slots_there) {
    std::string text;
    for (const auto& [driver, slots] : slots_there) {
        if (slots.open() > 0) {
            text +=
                fmt::format(", p{} {} slots of {}", driver, slots.open(), describe(slots.room()));
        }
    }
    return text;
}

const std::string* role_of(const core::Pod& pod) {
    return core::find_value(pod.labels, "spark-role");
}

}  // namespace

Checkers::Checkers(World& world)
    : world_(world), capacity_model_(world.cluster.seal, world.cluster.group_jobs) {}

void Checkers::violated(std::string rule, std::string text) {
    world_.record.say([&] { return "VIOLATED " + rule + ": " + text; });
    violations_.push_back(Violation{world_.now_ms, std::move(rule), std::move(text)});
}

bool Checkers::fits_beside_pods(NodeId node, const core::Resources& requests) const {
    Amount sum = capacity_model_.nodes().pods_on(node);
    sum.add(amount_of(requests), 1);
    return sum.is_within(capacity_model_.nodes().allocatable(node));
}

void Checkers::node_changed(const Entry<core::Node>& entry, const Author&) {
    capacity_model_.node_changed(entry);
    if (entry.id >= harms_.size()) {
        harms_.resize(entry.id + 1);
    }
    harms_[entry.id].by_nodes = entry.revision;
}

bool Checkers::is_excused(NodeId node, const Author& author) const {
    return node >= harms_.size() || harms_[node].by_pods > author.pods_seen ||
           harms_[node].by_nodes > author.nodes_seen;
}

void Checkers::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    const bool is_ours = author.actor == Actor::scheduler;
    const bool was_bound =
        capacity_model_.pods().knows(entry.id) && capacity_model_.pods()[entry.id].is_bound;
    const GangRecord* const gang = capacity_model_.gangs().find(entry.id);
    const std::int64_t slots_before =
        gang == nullptr || !gang->has_reservation || gang->is_void ? 0 : gang->slots;
    std::vector<Amount> before;
    if (is_ours) {
        for (NodeId node = 0; node < capacity_model_.nodes().size(); ++node) {
            before.push_back(capacity_model_.nodes().usage(node));
        }
    }
    capacity_model_.pod_changed(entry, author, world_.now_ms);
    const bool is_bind = !was_bound && capacity_model_.pods()[entry.id].is_bound;
    if (!is_ours) {
        const NodeId node = capacity_model_.pods()[entry.id].node;
        if (is_bind && node < harms_.size()) {
            harms_[node].by_pods = entry.revision;
        }
        return;
    }
    if (is_bind) {
        ++world_.record.counts.binds;
        check_bind(entry, author);
    }
    check_declared(entry);
    check_minimum(entry, slots_before);
    const std::string what =
        fmt::format("{} {}", is_bind ? "the bind of" : "the patch of", full_name(entry.object));
    for (NodeId node = 0; node < before.size(); ++node) {
        check_capacity(node, entry.id, before[node], author, what);
    }
}

void Checkers::check_capacity(
    NodeId node, PodId pod, const Amount& before, const Author& author, const std::string& what) {
    const Amount after = capacity_model_.nodes().usage(node);
    if (capacity_model_.is_restored(pod, node)) {
        return;  // it was the gang's all the time
    }
    if (!after.is_more_than(before) || after.is_within(capacity_model_.nodes().allocatable(node))) {
        return;
    }
    if (is_excused(node, author)) {
        ++world_.record.counts.attributed;
        return;
    }
    // Others had taken the room of a slot here: it was lost at that moment, and the gang that lost
    // it writes so in its own time. What is left may be used, as long as pods and new slots fit.
    // Without a key a relabelled driver's gang is one to whom knew it before, and none to others.
    Amount kept = capacity_model_.nodes().pods_on(node);
    if (const auto own = capacity_model_.nodes().slots_on(node).find(pod);
        own != capacity_model_.nodes().slots_on(node).end()) {
        kept.add(own->second.room(), 1);
    }
    const bool is_lost = !before.is_within(capacity_model_.nodes().allocatable(node)) ||
                         capacity_model_.gangs().is_forsaken(capacity_model_.pods()[pod].gang);
    if (is_lost && kept.is_within(capacity_model_.nodes().allocatable(node))) {
        ++world_.record.counts.forfeited;
        return;
    }
    violated(
        "no-overcommit",
        fmt::format(
            "{} by r{} (epoch {}) takes n{} from {} to {}, it has {}; pods {}{}",
            what,
            author.replica,
            author.epoch,
            node,
            describe(before),
            describe(after),
            describe(capacity_model_.nodes().allocatable(node)),
            describe(capacity_model_.nodes().pods_on(node)),
            open_slots_text(capacity_model_.nodes().slots_on(node))));
}

void Checkers::check_usable(NodeId id, const Author& author, const std::string& what) {
    const core::Node* node = world_.store.find_node(id);
    const bool is_usable =
        node != nullptr && node->ready && !node->unschedulable && node->taints.empty();
    if (!is_usable && harms_[id].by_nodes <= author.nodes_seen) {
        violated("usable-nodes", fmt::format("{} on n{}, which was seen to be unusable", what, id));
    }
}

/// Labels of nodes do not change here, so no process can have seen another one.
void Checkers::check_pool(NodeId id, const std::string& pool, const std::string& what) {
    const core::Node* node = world_.store.find_node(id);
    if (node != nullptr && !is_in_pool(*node, pool)) {
        violated("node-selector", fmt::format("{} on n{}, it is for pool {}", what, id, pool));
    }
}

void Checkers::check_bind(const Entry<core::Pod>& entry, const Author& author) {
    const core::Pod& pod = entry.object;
    const std::string name = full_name(pod);
    if (pod.scheduler_name != "gang-scheduler" || pod.gated || pod.deleting) {
        violated("bind-only-ours", name + " is not ours, gated or being deleted");
    }
    check_usable(number_of(pod.node_name), author, "the bind of " + name);
    const ApplicationId application = world_.cluster.applications.find(entry.id);
    if (application == nobody) {
        return;
    }
    check_pool(
        number_of(pod.node_name),
        world_.cluster.applications.at(application).pool,
        "the bind of " + name);
    if (world_.cluster.applications.at(application).driver == entry.id) {
        check_admission(entry, author);
    } else {
        check_executor(entry);
    }
}

void Checkers::check_admission(const Entry<core::Pod>& entry, const Author& author) {
    const Application& one =
        world_.cluster.applications.at(world_.cluster.applications.find(entry.id));
    const std::string* role = role_of(entry.object);
    if (one.was_tampered || role == nullptr || *role != "driver" ||
        core::find_value(entry.object.labels, "edited") != nullptr) {
        return;  // a tenant has made something else of it
    }
    const GangRecord* gang = capacity_model_.gangs().find(entry.id);
    const std::string name = full_name(entry.object);
    if (gang == nullptr || !gang->has_reservation) {
        const bool may_be_alone = std::find(one.ever.begin(), one.ever.end(), 0) != one.ever.end();
        if (!may_be_alone) {
            violated("complete-admission", name + " is bound without a reservation");
        }
        return;
    }
    ++world_.record.counts.gangs_admitted;
    world_.record.counts.gangs_with_gpus += one.gpus > 0 ? 1 : 0;
    world_.record.counts.gangs_with_shares += one.card_units > 0 ? 1 : 0;
    world_.record.counts.gangs_with_volumes += one.has_volumes ? 1 : 0;
    world_.record.counts.gangs_with_ports += one.has_port ? 1 : 0;
    world_.record.counts.gangs_of_a_pool += one.pool.empty() ? 0 : 1;
    if (std::find(one.ever.begin(), one.ever.end(), gang->slots) == one.ever.end()) {
        violated(
            "complete-admission",
            fmt::format("{} is bound with {} slots, declared {}", name, gang->slots, one.declared));
    }
    for (const NodeId node : gang->nodes) {
        check_usable(node, author, "a slot of " + name);
        check_pool(node, one.pool, "a slot of " + name);
        const NodeSlots& node_slots = capacity_model_.nodes().slots_on(node).at(entry.id);
        const std::int64_t mebibyte = 1024 * 1024;
        const Amount& unit = node_slots.sizes.front().unit;
        if (unit.cpu_milli < one.cpu_milli || unit.memory_bytes < one.memory_mib * mebibyte ||
            unit.gpus < one.gpus || unit.units < one.card_units ||
            unit.ports < (one.has_port ? 1 : 0)) {
            violated("complete-admission", "the slots of " + name + " are smaller than declared");
        }
    }
}

/// Whatever its tenant has written there: what a scheduler writes was declared at some time.
void Checkers::check_declared(const Entry<core::Pod>& entry) {
    const ApplicationId application = world_.cluster.applications.find(entry.id);
    const GangRecord* gang = capacity_model_.gangs().find(entry.id);
    if (application == nobody || gang == nullptr) {
        return;
    }
    const Application& one = world_.cluster.applications.at(application);
    if (gang->slots > *std::max_element(one.ever.begin(), one.ever.end())) {
        violated(
            "never-more-than-declared",
            fmt::format(
                "the reservation of {} names {} slots, its conf declares {}",
                full_name(entry.object),
                gang->slots,
                one.declared));
    }
}

/// What others are given of it is beyond its minimum. One that never ran gives all back; and
/// without a key a text is believed as far as a conf vouches for it.
void Checkers::check_minimum(const Entry<core::Pod>& entry, std::int64_t slots_before) {
    const ApplicationId application = world_.cluster.applications.find(entry.id);
    const GangRecord* gang = capacity_model_.gangs().find(entry.id);
    if (application == nobody || gang == nullptr || !gang->is_live || gang->slots >= slots_before) {
        return;
    }
    const Application& one = world_.cluster.applications.at(application);
    const bool is_edited = one.was_tampered || one.conf_was_edited || !world_.plan.has_key;
    if (gang->slots < one.minimum && gang->slots > 0 && !is_edited) {
        violated(
            "soft-slots",
            fmt::format(
                "the reservation of {} names {} slots, {} before, and its minimum is {}",
                full_name(entry.object),
                gang->slots,
                slots_before,
                one.minimum));
    }
    // As many executors may be without a slot now: which of them were let go is not said, and who
    // is on his way out is let go before a slot that is open.
    LetGo let_go{slots_before - gang->slots, {}};
    for (const PodId executor : one.executors) {
        if (capacity_model_.pods()[executor].gang == entry.id) {
            let_go.any_of.push_back(executor);
        }
    }
    let_go_[entry.id] = std::move(let_go);
    world_.record.counts.slots_given_up += static_cast<std::uint64_t>(slots_before - gang->slots);
}

/// At most, of those that were let go when slots left its reservation.
std::int64_t Checkers::sit_beside(PodId driver) const {
    const auto found = let_go_.find(driver);
    if (found == let_go_.end()) {
        return 0;
    }
    const auto& pods = found->second.any_of;
    const auto there = std::count_if(pods.begin(), pods.end(), [this](PodId pod) {
        return capacity_model_.pods()[pod].node != nobody;
    });
    return std::clamp<std::int64_t>(found->second.count, 0, there);
}

/// An executor that a set made names its driver by its application alone. If a tenant has taken the
/// labels of a driver from its own driver, and there is no key to tell that it is one, the executor
/// is in a slot of another driver that he gave the same application.
bool Checkers::is_claimed(const core::Pod& executor, PodId driver, PodId by) const {
    const core::OwnerReference* owner = core::find_controller(executor);
    const core::Pod* claimant = world_.store.find_pod(by);
    return owner != nullptr && owner->kind == "StatefulSet" &&
           capacity_model_.gangs().is_forsaken(driver) && claimant != nullptr &&
           claimant->namespace_name == executor.namespace_name &&
           core::find_value(claimant->labels, "edited") != nullptr;
}

void Checkers::check_executor(const Entry<core::Pod>& entry) {
    const Seen& seen = capacity_model_.pods()[entry.id];
    if (seen.gang == nobody) {
        return;  // elastic
    }
    const std::string name = full_name(entry.object);
    const core::OwnerReference* owner = core::find_controller(entry.object);
    const PodId driver = owner == nullptr ? nobody : number_of(owner->uid);
    if (driver != seen.gang && !is_claimed(entry.object, driver, seen.gang)) {
        violated("no-theft", fmt::format("{} sits in a slot of p{}", name, seen.gang));
    }
    if (seen.slot < 0) {
        return;  // its gang has no slots now
    }
    if (capacity_model_.pods().rivals(entry.id) > 0) {
        violated("slot-discipline", name + " is in a slot that another live pod is in");
    }
    const GangRecord* gang = capacity_model_.gangs().find(seen.gang);
    if (gang != nullptr && !gang->is_void && !gang->is_forsaken && gang->is_live &&
        capacity_model_.pods().assigned(seen.gang) > gang->slots + sit_beside(seen.gang)) {
        violated(
            "slot-discipline",
            fmt::format(
                "with {} {} pods sit in the {} slots of p{}",
                name,
                capacity_model_.pods().assigned(seen.gang),
                gang->slots,
                seen.gang));
    }
}

}  // namespace gang::sim
