#include "gang/sim/plane/application_fit.hpp"

#include "core/value/exclusive.hpp"
#include "gang/sim/world.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace gang::sim {
namespace {

constexpr std::int64_t mebibyte = 1024 * 1024;
constexpr std::int64_t driver_memory_mib = 1'408;

/// Of an executor, with the volume that the API server's pod does not show.
core::Resources needs_of_executor(const Application& one) {
    core::Resources made = executor_requests_of(one);
    if (one.has_volumes) {
        core::add_volumes(made, {{volume_driver, {}}});
    }
    return made;
}

/// How many of them go on a node with so much of each left.
std::int64_t times(
    const core::Node& node,
    const core::Resources& taken,
    std::int64_t pods_taken,
    const core::Resources& each) {
    const std::int64_t by_cpu = (node.allocatable.cpu_milli - taken.cpu_milli) / each.cpu_milli;
    const std::int64_t by_memory =
        (node.allocatable.memory_bytes - taken.memory_bytes) / each.memory_bytes;
    std::int64_t count = std::min({by_cpu, by_memory, node.pods - pods_taken});
    for (const core::ExtendedResource& wanted : each.extended) {
        const std::int64_t by_all = core::is_exclusive(wanted.name) ? core::exclusive_all : 0;
        const std::int64_t offered = by_all + node.allocatable.extended_amount(wanted.name);
        count = std::min(count, offered / wanted.amount);
        if (wanted.name == card_resource) {
            count = std::min(count, times_on_cards(node, wanted.amount));
        }
    }
    return std::max<std::int64_t>(0, count);
}

/// Each executor has a volume of the node's.
void limit_volumes(const World& world, const Application& one, NodeId id, core::Node& node) {
    const std::int64_t limit = world.cluster.volumes.first_limit(id);
    if (one.has_volumes && limit >= 0) {
        core::set_volume_limits(node.allocatable, {{volume_driver, limit}});
    }
}

/// Executors are alike, so counting them per node is exact; the driver is tried on every node.
bool fits(const Application& one, const std::vector<core::Node>& nodes) {
    const core::Resources driver = driver_requests_of(one);
    const core::Resources executor = needs_of_executor(one);
    std::int64_t all = 0;
    for (const core::Node& node : nodes) {
        all += times(node, {}, 0, executor);
    }
    for (const core::Node& node : nodes) {
        if (times(node, {}, 0, driver) == 0) {
            continue;
        }
        const std::int64_t alone = times(node, {}, 0, executor);
        const std::int64_t beside = times(node, driver, 1, executor);
        if (all - alone + beside >= one.declared) {
            return true;
        }
    }
    return false;
}

}  // namespace

core::Resources driver_requests_of(const Application& one) {
    return {one.driver_cpu_milli, driver_memory_mib * mebibyte, 0, {}};
}

core::Resources executor_requests_of(const Application& one) {
    core::Resources made{one.cpu_milli, one.memory_mib * mebibyte, 0, {}};
    if (one.gpus > 0) {
        made.extended = {{std::string(gpu_resource), one.gpus}};
    }
    ask_for_units(made, one.card_units);
    if (one.has_port) {
        core::add_host_ports(made, {host_port});
    }
    return made;
}

bool fits_empty_cluster(const World& world, const Application& one) {
    std::map<std::string, std::vector<core::Node>> zones;
    for (NodeId id = 0; id < static_cast<NodeId>(world.plan.nodes); ++id) {
        core::Node node = world.writes.original_nodes()[id];
        limit_volumes(world, one, id, node);
        const bool wants_zone = one.rules.needs_zone || one.rules.must_be_in_one_zone();
        if (!is_in_pool(node, one.pool) || (wants_zone && !has_zone(node))) {
            continue;
        }
        const bool is_apart = one.rules.must_be_in_one_zone();
        zones[is_apart ? *core::find_value(node.labels, zone_label) : ""].push_back(
            std::move(node));
    }
    const GangRules& rules = one.rules;
    // A driver alone is not asked for.
    const bool may_be_bought = world.plan.has_autoscaler && one.may_need_nodes &&
                               one.declared > 0 && !rules.needs_zone && !rules.in_one_zone &&
                               rules.group.empty() && !one.has_volumes && one.gpus == 0 &&
                               one.card_units == 0 && !one.has_port;
    for (int i = 0; may_be_bought && i < world.cluster.autoscaler.nodes_max(); ++i) {
        zones[""].push_back(world.cluster.autoscaler.node_for(one.pool));
    }
    return std::any_of(
        zones.begin(), zones.end(), [&one](const auto& zone) { return fits(one, zone.second); });
}

bool can_keep_rules(const World& world, const Application& one) {
    const core::Resources driver = driver_requests_of(one);
    const bool have_all_to = one.rules.needs_zone && !one.rules.executors.spread.empty();
    bool is_found = false;
    for (NodeId id = 0; id < static_cast<NodeId>(world.plan.nodes); ++id) {
        const core::Node& node = world.writes.original_nodes()[id];
        if (have_all_to && !has_zone(node)) {
            return false;
        }
        is_found = is_found || (is_in_pool(node, one.pool) && has_zone(node) &&
                                times(node, driver, 1, executor_requests_of(one)) > 0);
    }
    return is_found;
}

}  // namespace gang::sim
