#include "gang/sim/checkers/rule_checker.hpp"

#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

namespace gang::sim {
namespace {

/// A node whose kubelet has refused a pod is not used for a while, and one more inspection.
constexpr std::int64_t refused_ms = 70'000;
/// Longer than a list of all pods takes that fails a few times.
constexpr std::int64_t in_vain_ms_max = 20'000;
constexpr std::int64_t inspection_gap_ms_max = 2'500;

bool is_same_life(const Author& a, const Author& b) {
    return a.actor == b.actor && a.replica == b.replica && a.life == b.life;
}

/// By the label that Spark gives to all pods of an application.
bool has_same_application(const core::Pod& driver, const core::Pod& executor) {
    const std::string* const said = core::find_value(driver.labels, "spark-app-selector");
    const std::string* const wanted = core::find_value(executor.labels, "spark-app-selector");
    return said != nullptr && wanted != nullptr && *said == *wanted;
}

}  // namespace

void RuleChecker::process_started(std::uint32_t replica) {
    if (replica >= views_.size()) {
        views_.resize(replica + 1);
    }
    views_[replica] = {};
}

void RuleChecker::event_applied(std::uint32_t replica, const Event& event) {
    View& view = views_[replica];
    if (const auto* upserted = std::get_if<PodUpserted>(&event)) {
        const PodId id = number_of(upserted->pod.uid);
        view.listed.erase(id);
        if (!upserted->pod.node_name.empty()) {
            view.under_way.erase(id);
        }
    } else if (const auto* deleted = std::get_if<PodDeleted>(&event)) {
        view.listed.erase(number_of(deleted->uid));
        view.under_way.erase(number_of(deleted->uid));
    } else if (const auto* listed = std::get_if<PodListed>(&event)) {
        view.listed[number_of(listed->uid)] = *listed;
    } else if (const auto* finished = std::get_if<BindFinished>(&event)) {
        if (finished->outcome != BindOutcome::bound &&
            view.under_way.erase(number_of(finished->pod_uid)) > 0) {
            view.dropped_at = world_.store.revision;
        }
    }
}

Surroundings RuleChecker::shown(
    const View& view, const Pods& pods, const Nodes& nodes, bool as_listed) const {
    Surroundings around;
    for (const auto& [name, node] : nodes) {
        around.nodes.emplace(name, &node);
    }
    for (const auto& [id, pod] : pods) {
        const auto sent = view.under_way.find(id);
        const bool is_sent = pod.node_name.empty() && sent != view.under_way.end();
        if (core::is_terminal(pod) || (pod.node_name.empty() && !is_sent)) {
            continue;
        }
        Neighbour other{
            id, &pod, is_sent ? sent->second : pod.node_name, &pod.labels, pod.deleting};
        const auto listed = view.listed.find(id);
        if (as_listed && listed != view.listed.end()) {
            other.labels = &listed->second.labels;
            other.is_deleting = listed->second.deleting;
        }
        around.pods.push_back(std::move(other));
    }
    return around;
}

Surroundings RuleChecker::store_without(PodId pod) const {
    Surroundings around;
    for (const auto& node : world_.store.nodes) {
        if (node) {
            around.nodes.emplace(node->name, &*node);
        }
    }
    for (PodId id = 0; id < world_.store.pods.size(); ++id) {
        const core::Pod* other = world_.store.find_pod(id);
        if (id != pod && other != nullptr && !other->node_name.empty() &&
            !core::is_terminal(*other)) {
            around.pods.push_back({id, other, other->node_name, &other->labels, other->deleting});
        }
    }
    return around;
}

std::string RuleChecker::text(
    const Broken& broken, const core::Pod& pod, const std::string& node) const {
    return fmt::format(
        "{} on {} breaks {}{}",
        full_name(pod) + "/" + pod.uid,
        node,
        to_string(broken.rule),
        broken.by == nobody ? std::string() : ", with p" + std::to_string(broken.by));
}

/// What a list has told may be newer than the watch, or older: one of the two must excuse it.
void RuleChecker::decided(
    std::uint32_t replica, const Pods& pods, const Nodes& nodes, const BindPod& bind) {
    const PodId id = number_of(bind.pod.uid);
    const auto pod = pods.find(id);
    if (world_.plan.rule_percent == 0 || pod == pods.end() || !nodes.contains(bind.node)) {
        return;
    }
    check_zone(replica, pods, nodes, bind);
    View& view = views_[replica];
    view.under_way.erase(id);
    std::optional<Broken> broken;
    for (const bool as_listed : {false, true}) {
        broken = find_broken_rule(shown(view, pods, nodes, as_listed), pod->second, bind.node);
        if (!broken) {
            break;
        }
    }
    if (broken) {
        world_.checkers.violated(
            "pod-rules",
            fmt::format("r{} decides: {}", replica, text(*broken, pod->second, bind.node)));
    }
    view.under_way[id] = bind.node;
    view.order[id] = ++view.decisions;
}

/// A tenant may take the annotation away, and the driver's node may be gone. Executors of a set are
/// their driver's by label alone, and a tenant may edit that, too; or make a driver an executor by
/// its label, which nobody but a seal denies.
void RuleChecker::check_zone(
    std::uint32_t replica, const Pods& pods, const Nodes& nodes, const BindPod& bind) {
    const ApplicationId id = world_.cluster.applications.find(number_of(bind.pod.uid));
    if (id == nobody) {
        return;
    }
    const Application& one = world_.cluster.applications.at(id);
    const auto driver = pods.find(one.driver);
    const bool is_driver_by_label = [&] {
        const std::string* const role =
            driver == pods.end() ? nullptr : core::find_value(driver->second.labels, "spark-role");
        return role != nullptr && *role == "driver";
    }();
    // Relabelled once, it is no driver to whoever sees it later, whatever its label is then.
    const bool is_forsaken = world_.checkers.capacity_model().gangs().is_forsaken(one.driver);
    if (!one.rules.must_be_in_one_zone() || one.was_tampered || driver == pods.end() ||
        is_forsaken || (!is_driver_by_label && !world_.plan.has_key) ||
        (one.by_set && !has_same_application(driver->second, pods.at(number_of(bind.pod.uid))))) {
        return;
    }
    const auto home = nodes.find(driver->second.node_name);
    if (home == nodes.end()) {
        return;
    }
    world_.record.counts.binds_in_one_zone += 1;
    const std::string* wanted = core::find_value(home->second.labels, zone_label);
    const std::string* found = core::find_value(nodes.at(bind.node).labels, zone_label);
    if (wanted == nullptr || found == nullptr || *wanted != *found) {
        world_.checkers.violated(
            "one-zone",
            fmt::format(
                "r{} sends {} to {}, its driver is on {}",
                replica,
                bind.pod.name,
                bind.node,
                home->first));
    }
}

void RuleChecker::pod_changed(
    const Entry<core::Pod>& entry, const Author& author, bool is_first_bind) {
    if (world_.plan.rule_percent == 0) {
        return;
    }
    if (core::is_refused_by_kubelet(entry.object)) {
        refused_ms_[entry.object.node_name] = world_.now_ms;
    }
    if (is_first_bind && author.actor == Actor::scheduler) {
        world_.record.counts.binds_with_rules += entry.object.rules ? 1 : 0;
        const ApplicationId application = world_.cluster.applications.find(entry.id);
        const bool is_executor =
            application != nobody && world_.cluster.applications.at(application).driver != entry.id;
        world_.record.counts.executors_with_rules += entry.object.rules && is_executor ? 1 : 0;
        check_commit(entry, author);
    }
    note_move(entry, author);
}

void RuleChecker::note_move(const Entry<core::Pod>& entry, const Author& author) {
    Moved& moved = moved_[entry.id];
    const core::Pod& pod = entry.object;
    const bool is_over = entry.change == Change::deleted || core::is_terminal(pod);
    if (pod.node_name == moved.pod.node_name && pod.labels == moved.pod.labels &&
        pod.deleting == moved.pod.deleting && is_over == moved.is_over) {
        return;
    }
    moved.labels_before = std::move(moved.pod.labels);
    moved.pod = pod;
    moved.is_over = is_over;
    moved.revision = entry.revision;
    moved.author = author;
}

void RuleChecker::check_commit(const Entry<core::Pod>& entry, const Author& author) {
    const core::Pod& pod = entry.object;
    const Surroundings around = store_without(entry.id);
    if (!around.nodes.contains(pod.node_name)) {
        return;  // it went meanwhile, and the pod goes too
    }
    const auto broken = find_broken_rule(around, pod, pod.node_name);
    if (!broken) {
        return;
    }
    if (is_excused(*broken, entry, author)) {
        ++world_.record.counts.rules_excused;
        return;
    }
    world_.checkers.violated(
        "pod-rules",
        fmt::format(
            "bound by r{} (epoch {}): {}",
            author.replica,
            author.epoch,
            text(*broken, pod, pod.node_name)));
}

bool RuleChecker::is_excused(
    const Broken& broken, const Entry<core::Pod>& entry, const Author& author) const {
    if (broken.by != nobody) {
        const Moved& other = moved_.at(broken.by);
        const core::Node& node = *world_.store.find_node(number_of(other.pod.node_name));
        const bool came_later = std::stoull(node.resource_version) > author.nodes_seen;
        return came_later ||
               (other.revision > author.pods_seen && !is_same_life(other.author, author));
    }
    return world_.store.node_log.newest_revision() > author.nodes_seen ||
           was_moved_by_others(broken, entry, author);
}

/// Of those whom the rule counts. A bind of its own on which the process had counted may have
/// failed since, or be under way.
bool RuleChecker::was_moved_by_others(
    const Broken& broken, const Entry<core::Pod>& entry, const Author& author) const {
    const View& view = views_[author.replica];
    const bool lives = world_.replicas[author.replica].life() == author.life;
    if (!lives || view.dropped_at > author.pods_seen) {
        return true;
    }
    const core::Pod& pod = entry.object;
    const auto order_of = [&view](PodId id) {
        const auto found = view.order.find(id);
        return found == view.order.end() ? std::uint64_t{0} : found->second;
    };
    return std::any_of(moved_.begin(), moved_.end(), [&](const auto& one) {
        const Moved& other = one.second;
        const bool is_meant =
            is_counted(pod, broken, other.pod.namespace_name, other.pod.labels) ||
            is_counted(pod, broken, other.pod.namespace_name, other.labels_before);
        const bool is_others =
            other.revision > author.pods_seen && !is_same_life(other.author, author);
        // A bind of its own that was decided later may be carried out first.
        const bool is_later = is_same_life(other.author, author) &&
                              order_of(one.first) > order_of(entry.id);
        return one.first != entry.id && is_meant &&
               (is_others || is_later || view.under_way.contains(one.first));
    });
}

bool RuleChecker::has_no_node(PodId id) const {
    const core::Pod* pod = world_.store.find_pod(id);
    if (pod == nullptr || !pod->rules || world_.cluster.applications.find(id) != nobody) {
        return false;
    }
    const Surroundings around = store_without(id);
    return std::all_of(around.nodes.begin(), around.nodes.end(), [&](const auto& node) {
        return find_broken_rule(around, *pod, node.first).has_value();
    });
}

/// On a node that is usable, and was all the time.
bool RuleChecker::has_place(PodId id, std::int64_t headroom_cpu_milli) const {
    const core::Pod& pod = *world_.store.find_pod(id);
    const CapacityModel& model = world_.checkers.capacity_model();
    const Surroundings around = store_without(id);
    return std::any_of(around.nodes.begin(), around.nodes.end(), [&](const auto& entry) {
        const core::Node& node = *entry.second;
        const auto refused = refused_ms_.find(node.name);
        const bool is_quarantined =
            refused != refused_ms_.end() && world_.now_ms - refused->second < refused_ms;
        if (!node.ready || node.unschedulable || !node.taints.empty() || is_quarantined) {
            return false;
        }
        Amount taken = model.nodes().usage(number_of(node.name));
        taken.add(amount_of(pod.requests), 1);
        taken.cpu_milli += headroom_cpu_milli;
        return taken.is_within(model.nodes().allocatable(number_of(node.name))) &&
               !find_broken_rule(around, pod, node.name);
    });
}

void RuleChecker::inspect(std::uint32_t replica, const Process& process) {
    if (world_.plan.rule_percent == 0) {
        return;
    }
    const auto before = std::exchange(waits_since_ms_, {});
    const bool is_on_time =
        world_.now_ms - std::exchange(inspected_ms_, world_.now_ms) <= inspection_gap_ms_max;
    const std::vector<GangView> gangs = process.scheduler.gangs();
    const bool is_blocked = std::any_of(gangs.begin(), gangs.end(), [](const GangView& gang) {
        return gang.code == ReasonCode::waiting_for_capacity;
    });
    for (const GangView& gang : gangs) {
        const PodId id = number_of(gang.driver_uid);
        const core::Pod* pod = world_.store.find_pod(id);
        const bool waits = gang.code == ReasonCode::pod_rules_not_met && !is_blocked &&
                           pod != nullptr && pod->node_name.empty() &&
                           !pod->claims.has_value() &&  // its volumes may be what leaves it no node
                           world_.cluster.applications.find(id) == nobody;
        if (!waits || !has_place(id, world_.replicas[replica].schema.nodes.headroom_cpu_milli)) {
            continue;
        }
        const auto known = before.find(id);
        const std::int64_t since_ms =
            is_on_time && known != before.end() ? known->second : world_.now_ms;
        waits_since_ms_[id] = since_ms;
        if (world_.now_ms - since_ms > in_vain_ms_max) {
            world_.checkers.violated(
                "needless-wait",
                fmt::format(
                    "r{} lets {} wait for rules that leave it a node", replica, full_name(*pod)));
        }
    }
}

}  // namespace gang::sim
