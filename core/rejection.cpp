#include "core/rejection.hpp"

#include "core/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace core {

namespace {

std::int64_t clamped(Wide value) {
    return static_cast<std::int64_t>(std::min<Wide>(value, unlimited));
}

std::int64_t add_clamped(std::int64_t total, std::int64_t amount, std::int64_t count) {
    return clamped(static_cast<Wide>(amount) * count + total);
}

void add_times(Resources& total, const Resources& one, std::int64_t count) {
    if (count == 0) return;
    total.cpu_milli = add_clamped(total.cpu_milli, one.cpu_milli, count);
    total.memory_bytes = add_clamped(total.memory_bytes, one.memory_bytes, count);
    total.ephemeral_bytes = add_clamped(total.ephemeral_bytes, one.ephemeral_bytes, count);
    for (const ExtendedResource& wanted : one.extended) {
        const auto at = std::lower_bound(
            total.extended.begin(),
            total.extended.end(),
            wanted.name,
            [](const auto& entry, const auto& name) { return entry.name < name; });
        if (at != total.extended.end() && at->name == wanted.name) {
            at->amount = add_clamped(at->amount, wanted.amount, count);
        } else {
            total.extended.insert(at, {wanted.name, add_clamped(0, wanted.amount, count)});
        }
    }
}

/// The first pod that did not fit stands for the rest in the reasons.
std::optional<ShapeId> failed_shape(const Shortfall& shortfall) {
    if (shortfall.driver && !shortfall.driver_fits) return shortfall.driver;
    for (const Shortfall::Part& part : shortfall.executors) {
        if (part.placed < part.wanted) return part.shape;
    }
    return std::nullopt;
}

std::string insufficient(std::string_view resource) {
    return resource == "pods" ? "Too many pods" : fmt::format("Insufficient {}", resource);
}

/// Counts, over the eligible nodes, the resources that keep one more pod of the shape off.
void count_shortages(const Packing& packing, ShapeId shape, Rejection& rejection) {
    std::vector<std::int64_t> short_nodes(packing.resource_count(shape), 0);
    std::int64_t excluded = 0;
    for (Position position = 0; position < packing.size(); ++position) {
        if (!packing.cluster().is_eligible(packing.node_at(position), shape)) continue;
        ++rejection.eligible_nodes;
        if (packing.is_excluded(position)) {
            ++excluded;
            continue;
        }
        for (std::size_t i = 0; i < short_nodes.size(); ++i) {
            if (packing.times(position, shape, i) == 0) ++short_nodes[i];
        }
    }
    const auto most = std::max_element(short_nodes.begin(), short_nodes.end());
    if (*most > 0) {
        const auto resource = static_cast<std::size_t>(most - short_nodes.begin());
        rejection.binding = packing.resource_name(shape, resource);
    }
    for (std::size_t i = 0; i < short_nodes.size(); ++i) {
        if (short_nodes[i] == 0) continue;
        rejection.reasons.push_back(
            {insufficient(packing.resource_name(shape, i)), short_nodes[i]});
    }
    if (excluded > 0) rejection.reasons.push_back({"excluded", excluded});
}

void explain_shape(const Packing& packing, ShapeId shape, Rejection& rejection) {
    count_shortages(packing, shape, rejection);
    const Cluster& cluster = packing.cluster();
    for (ReasonCount& reason : cluster.exclusions(cluster.class_of(shape))) {
        rejection.reasons.push_back(std::move(reason));
    }
    std::stable_sort(
        rejection.reasons.begin(), rejection.reasons.end(), [](const auto& a, const auto& b) {
            return a.count > b.count;
        });
}

/// Parts per million of what the cluster has; a resource that nobody has counts as all of it.
Wide share_of(std::int64_t request, Wide total) {
    if (request == 0) return 0;
    return total <= request ? Wide{1'000'000} : static_cast<Wide>(request) * 1'000'000 / total;
}

Wide total_of(std::span<const std::int64_t> column) {
    Wide total = 0;
    for (const std::int64_t amount : column) total += amount;
    return total;
}

Wide dominant_share(const Cluster& cluster, ShapeId shape) {
    const Demand& demand = cluster.demand(shape);
    const NodeColumns& columns = cluster.columns();
    return std::max(
        {share_of(demand.cpu_milli, total_of(columns.cpu(View::allocatable))),
         share_of(demand.memory_bytes, total_of(columns.memory(View::allocatable))),
         share_of(demand.ephemeral_bytes, total_of(columns.ephemeral(View::allocatable)))});
}

// --- words --------------------------------------------------------------------------------------

std::string executors_text(std::int64_t count) {
    return fmt::format("{} executor{}", count, count == 1 ? "" : "s");
}

std::string needs_text(const Rejection& rejection) {
    const std::string total = describe(rejection.wanted);
    if (rejection.executors_wanted == 0) return fmt::format("needs {}", total);
    return fmt::format(
        "needs {}{} ({})",
        rejection.wants_driver ? "1 driver + " : "",
        executors_text(rejection.executors_wanted),
        total);
}

std::string fit_text(const Rejection& rejection) {
    if (rejection.executors_wanted == 0) return "no node fits";
    if (!rejection.wants_driver) return fmt::format("{} fit", rejection.executors_fit);
    return fmt::format("{} + {} fit", rejection.driver_fits ? 1 : 0, rejection.executors_fit);
}

std::string missing_text(const Rejection& rejection) {
    const Resources& missing = rejection.missing;
    const std::string& binding = rejection.binding;
    if (binding.empty()) return "no node is eligible";
    Resources only;
    if (binding == "pods") {
        const std::int64_t driver = rejection.wants_driver && !rejection.driver_fits ? 1 : 0;
        const std::int64_t pods = rejection.executors_wanted - rejection.executors_fit + driver;
        return fmt::format("short of {} pod slot{}", pods, pods == 1 ? "" : "s");
    }
    if (binding == "cpu") {
        only.cpu_milli = missing.cpu_milli;
    } else if (binding == "memory") {
        only.memory_bytes = missing.memory_bytes;
    } else if (binding == "ephemeral-storage") {
        only.ephemeral_bytes = missing.ephemeral_bytes;
    } else {
        only.extended = {{binding, missing.extended_amount(binding)}};
    }
    return "short of " + describe(only);
}

}  // namespace

Rejection make_rejection(const Packing& packing, const Shortfall& shortfall) {
    const Cluster& cluster = packing.cluster();
    Rejection rejection;
    rejection.nodes = static_cast<std::int64_t>(cluster.node_count());
    if (shortfall.driver) {
        rejection.wants_driver = true;
        rejection.driver_fits = shortfall.driver_fits;
        const Resources& driver = cluster.resources(*shortfall.driver);
        add_times(rejection.wanted, driver, 1);
        add_times(rejection.missing, driver, shortfall.driver_fits ? 0 : 1);
    }
    for (const Shortfall::Part& part : shortfall.executors) {
        const Resources& executor = cluster.resources(part.shape);
        rejection.executors_wanted = add_clamped(rejection.executors_wanted, part.wanted, 1);
        rejection.executors_fit = add_clamped(rejection.executors_fit, part.placed, 1);
        add_times(rejection.wanted, executor, part.wanted);
        add_times(rejection.missing, executor, part.wanted - part.placed);
    }
    if (const std::optional<ShapeId> shape = failed_shape(shortfall)) {
        explain_shape(packing, *shape, rejection);
    }
    return rejection;
}

bool is_larger(const Cluster& cluster, ShapeId a, ShapeId b) {
    const bool a_extended = !cluster.demand(a).extended.empty();
    const bool b_extended = !cluster.demand(b).extended.empty();
    if (a_extended != b_extended) return a_extended;
    return dominant_share(cluster, a) > dominant_share(cluster, b);
}

std::string describe(const Rejection& rejection) {
    std::string text = fmt::format(
        "{}; {}, {}", needs_text(rejection), fit_text(rejection), missing_text(rejection));
    std::string_view separator = ". ";
    for (const ReasonCount& reason : rejection.reasons) {
        text += fmt::format("{}{} {}", separator, reason.count, reason.reason);
        separator = ", ";
    }
    return text;
}

}  // namespace core
