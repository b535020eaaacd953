#include "core/cluster/standard_reasons.hpp"

#include "core/base/result.hpp"
#include "core/cluster/capacity.hpp"
#include "core/filter/filters.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {

namespace {

using Counts = std::map<std::string, std::int64_t, std::less<>>;

/// A node that is not ready has the control plane's taint for that. What we alone know of a node
/// has no word there.
std::string_view text_of(FilterReason reason) {
    switch (reason) {
        case FilterReason::not_ready:
        case FilterReason::untolerated_taint:
            return "node(s) had untolerated taint(s)";
        case FilterReason::quarantined:
            return "node(s) just refused a pod";
        case FilterReason::port_refused:
            return "node(s) didn't have free ports for the requested pod ports";
        case FilterReason::cordoned:
            return "node(s) were unschedulable";
        case FilterReason::node_selector:
        case FilterReason::node_affinity:
            return "node(s) didn't match Pod's node affinity/selector";
        case FilterReason::volume_affinity:
            return "node(s) didn't match PersistentVolume's node affinity";
        case FilterReason::volume_zone:
            return "node(s) had no available volume zone";
        case FilterReason::volume_unreachable:
            return "node(s) didn't find available persistent volumes to bind";
        case FilterReason::volume_storage:
            return "node(s) did not have enough free storage";
        case FilterReason::none:
            break;
    }
    ENSURE(!"a reason to refuse a node");
    return {};
}

void note(Counts& counts, std::string_view reason) {
    const auto found = counts.find(reason);
    if (found != counts.end()) {
        ++found->second;
    } else {
        counts.emplace(reason, 1);
    }
}

bool is_short(std::int64_t left, std::int64_t wanted) {
    return wanted > 0 && left < wanted;
}

/// Of a node that every filter before lets pass. False: it is short of nothing.
bool note_shortages(
    Counts& counts,
    const Cluster& cluster,
    const FreeColumns& free,
    NodeIndex node,
    const Demand& wanted) {
    const auto left = [&](ExtendedId id) { return free.columns->extended(node, id, free.view); };
    const auto is_taken = [&](const ExtendedDemand& one, bool is_port) {
        const std::string& name = cluster.extended_names().name(one.id);
        return is_exclusive(name) && !is_volume_limit(name) && is_host_port(name) == is_port &&
               is_short(left(one.id), one.amount);
    };
    const auto is_any_taken = [&](bool is_port) {
        return std::any_of(
            wanted.extended.begin(), wanted.extended.end(), [&](const ExtendedDemand& one) {
                return is_taken(one, is_port);
            });
    };
    if (is_any_taken(true)) {
        note(counts, text_of(FilterReason::port_refused));
        return true;
    }
    bool is_any = false;
    const auto note_if = [&](bool lacks, const std::string& text) {
        if (lacks) note(counts, text);
        is_any = is_any || lacks;
    };
    const std::size_t row = node.value;
    const std::int64_t cpu = beyond(free.cpu[row], free.headroom.cpu_milli);
    const std::int64_t memory = beyond(free.memory[row], free.headroom.memory_bytes);
    note_if(pod_slots(free.pods[row]) < 1, "Too many pods");
    note_if(is_short(cpu, wanted.cpu_milli), "Insufficient cpu");
    note_if(is_short(memory, wanted.memory_bytes), "Insufficient memory");
    note_if(
        is_short(free.ephemeral[row], wanted.ephemeral_bytes), "Insufficient ephemeral-storage");
    const std::string too_few_gpus = "node(s) had too few GPUs, or too full ones";
    bool has_no_card = false;
    for (const ExtendedDemand& one : wanted.extended) {
        const std::string& name = cluster.extended_names().name(one.id);
        const bool lacks = !is_exclusive(name) && is_short(left(one.id), one.amount);
        note_if(lacks, is_gpu_wish(name) ? too_few_gpus : "Insufficient " + name);
        has_no_card = has_no_card || (!lacks && wanted.wants_cards &&
                                      times_on_cards(*free.columns, node, one, free.view) < 1);
    }
    note_if(has_no_card, too_few_gpus);
    if (!is_any) note_if(is_any_taken(false), "node(s) had no available disk");
    const auto is_over_limit = [&](const ExtendedDemand& one) {
        const std::int64_t brought = new_volumes(*free.columns, node, wanted, one.id);
        return is_volume_limit(cluster.extended_names().name(one.id)) &&
               is_short(left(one.id), one.amount + brought);
    };
    if (!is_any) {
        note_if(
            std::any_of(wanted.extended.begin(), wanted.extended.end(), is_over_limit),
            "node(s) exceed max volume count");
    }
    return is_any;
}

/// The nodes that required node affinity names in each of its terms (NodeAffinity's PreFilter):
/// kube-scheduler does not even look at others. Nothing: some term leaves the name open.
std::optional<std::set<std::string>> named_nodes(const Constraints& constraints) {
    const bool is_asked = constraints.has_required_affinity &&
                          !constraints.left_out.contains(FilterId::node_affinity);
    if (!is_asked || constraints.required_affinity.empty()) return std::nullopt;
    std::set<std::string> names;
    for (const NodeSelectorTerm& term : constraints.required_affinity) {
        std::optional<std::set<std::string>> of_term;
        for (const NodeSelectorRequirement& field : term.match_fields) {
            if (field.op != SelectorOperator::in) continue;
            std::set<std::string> values(field.values.begin(), field.values.end());
            if (of_term) {
                std::erase_if(values, [&](const auto& name) { return !of_term->contains(name); });
            }
            of_term = std::move(values);
        }
        if (!of_term) return std::nullopt;
        names.merge(*of_term);
    }
    return names;
}

}  // namespace

std::string describe_as_kube_scheduler(
    const Cluster& cluster, ShapeId shape, View view, std::span<const std::string_view> further) {
    if (cluster.nodes().count() == 0) return "no nodes available to schedule pods";
    const auto named = named_nodes(cluster.shapes().constraints(shape));
    if (named && named->empty()) {
        return fmt::format(
            "0/{} nodes are available: pod affinity terms conflict.", cluster.nodes().count());
    }
    const FreeColumns free(cluster.columns(), view, cluster.room().headroom());
    Counts counts;
    for (const NodeIndex node : cluster.nodes().by_name()) {
        if (named && !named->contains(cluster.nodes().name(node))) {
            note(counts, "node(s) didn't satisfy plugin(s) [NodeAffinity]");
            continue;
        }
        const FilterVerdict verdict = filter_node(cluster.nodes().node(node), cluster.shapes().constraints(shape));
        const bool is_about_volumes = core::is_about_volumes(verdict.reason);
        if (!verdict.passes() && !is_about_volumes) {
            note(counts, text_of(verdict.reason));
        } else if (note_shortages(counts, cluster, free, node, cluster.demand(shape))) {
            continue;
        } else if (is_about_volumes) {
            note(counts, text_of(verdict.reason));
        } else if (!further.empty() && !further[cluster.position_of(node)].empty()) {
            note(counts, further[cluster.position_of(node)]);
        }
    }
    std::vector<std::string> reasons;
    for (const auto& [reason, count] : counts)
        reasons.push_back(fmt::format("{} {}", count, reason));
    std::sort(reasons.begin(), reasons.end());
    return fmt::format(
        "0/{} nodes are available: {}.", cluster.nodes().count(), fmt::join(reasons, ", "));
}

}  // namespace core
