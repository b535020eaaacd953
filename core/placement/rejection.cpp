#include "core/placement/rejection.hpp"

#include "core/cluster/node/node_preferences.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/quantity.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>

namespace core {

namespace {

/// The first pod that did not fit stands for the rest in the reasons.
std::optional<ShapeId> failed_shape(const Shortfall& shortfall) {
    if (shortfall.driver && !shortfall.driver_fits) return shortfall.driver;
    for (const Shortfall::Part& part : shortfall.executors) {
        if (part.placed < part.wanted) return part.shape;
    }
    return std::nullopt;
}

std::string insufficient(std::string_view resource) {
    if (is_volume_limit(resource)) return fmt::format("at the limit of {}", resource);
    if (is_exclusive(resource)) return fmt::format("{} taken", resource);
    if (is_gpu_wish(resource)) return "too few GPUs, or too full ones";
    return resource == "pods" ? "Too many pods" : fmt::format("Insufficient {}", resource);
}

/// Pods of one shape that fill the nodes, beside what is planned.
struct Filling {
    ShapeId shape;
    const Capacities* capacities = nullptr;  ///< nullptr: there are none
};

/// What each of the filling's pods asks of the shape's resource.
std::int64_t asked_of(
    const Packing& packing, const Filling& filling, ShapeId shape, std::size_t resource) {
    if (resource < plain_resources) return request_of(packing.view().demand(filling.shape), resource);
    const Cluster& cluster = packing.view().cluster();
    const ExtendedId id = extended_id(cluster.demand(shape), resource);
    return amount_of(cluster.demand(filling.shape), id);
}

/// What the filling's pods take at the position of the shape's resource.
std::int64_t taken_by(
    const Filling& filling,
    const Packing& packing,
    Position position,
    ShapeId shape,
    std::size_t resource) {
    if (filling.capacities == nullptr) return 0;
    return asked_of(packing, filling, shape, resource) * filling.capacities->at(position);
}

/// Of a limit: volumes that the filling's pods, and then one of the shape, bring to the position.
std::int64_t volumes_beside(
    const Packing& packing,
    const Filling& filling,
    Position position,
    ShapeId shape,
    std::size_t resource) {
    if (resource < plain_resources) return 0;
    const ExtendedId limit =
        extended_id(packing.view().demand(shape), resource);
    if (filling.capacities == nullptr || filling.capacities->at(position) == 0) {
        return packing.planned().new_volumes(position, shape, limit);
    }
    return packing.planned().new_volumes(position, filling.shape, limit) +
           packing.planned().new_volumes(position, shape, limit, &packing.view().demand(filling.shape));
}

/// 64 nodes' free amounts of the shape's resource; nullptr: they are not side by side.
const double* rows_of(
    const Packing& packing, ShapeId shape, std::size_t resource, std::size_t block) {
    const FreeCapacity& free = packing.view().free_capacity();
    if (resource < plain_resources) return free.rows(0, block)[resource];
    const Demand& demand = packing.view().demand(shape);
    const DeviceColumn* const column =
        free.devices.find(extended_id(demand, resource));
    return column == nullptr || column->is_wide(block) != 0 ? nullptr : column->rows(0, block);
}

/// As bits_short(), of `nodes`, for whatever there is, one by one.
std::int64_t count_short(
    const Packing& packing,
    ShapeId shape,
    std::size_t resource,
    std::size_t block,
    std::uint64_t nodes,
    const Filling& filling) {
    const std::int64_t request = request_of(packing.view().demand(shape), resource);
    const bool has_volumes = packing.view().demand(shape).wants_volumes;
    if (request == 0 && !has_volumes) return 0;
    std::int64_t count = 0;
    for (; nodes != 0; nodes &= nodes - 1) {
        const auto position = static_cast<Position>(
            block * block_size + static_cast<std::size_t>(std::countr_zero(nodes)));
        const std::int64_t left = packing.planned().left(position, shape, resource) -
                                  taken_by(filling, packing, position, shape, resource);
        const std::int64_t wanted =
            request + (has_volumes ? volumes_beside(packing, filling, position, shape, resource) : 0);
        if (wanted > 0 && left < wanted) ++count;
    }
    return count;
}

std::string no_single_card(const CardShortage& shortage) {
    return "no " + shortage.what;
}

std::optional<NodeColumns::CardRoom> find_emptiest_card(
    const Packing& packing, ShapeId shape, const Filling& filling, Position position) {
    const std::int64_t filled =
        filling.capacities == nullptr ? 0 : filling.capacities->at(position);
    return packing.planned().emptiest_card(position, shape, filling.shape, filled);
}

bool has_cards_left(
    const Packing& packing, ShapeId shape, const Filling& filling, Position position) {
    const std::int64_t filled =
        filling.capacities == nullptr ? 0 : filling.capacities->at(position);
    return packing.planned().has_cards_for(position, shape, filling.shape, filled);
}

/// Of the cards of 64 nodes, where one card resource is asked for, by the shape and by what fills
/// them in the same amount, and nothing else is planned there. Nothing: look at each node.
std::optional<FilledCards> fill_block(
    const Packing& packing, ShapeId shape, const Filling& filling, std::size_t block) {
    const Cluster& cluster = packing.view().cluster();
    const ScanDemand demand(cluster.demand(shape));
    const bool is_one = demand.device_count == 1 && !demand.leaves_devices_out && !demand.is_wide;
    if (!is_one || packing.planned().is_block_touched(block)) return std::nullopt;
    const ScanDemand::Device& device = demand.devices[0];
    const DeviceColumn* const column = packing.view().free_capacity().devices.find(device.id);
    if (column == nullptr || column->is_wide(block) != 0) return std::nullopt;
    const std::size_t cards = column->card_count(block);
    if (cards == 0) return FilledCards{};
    const bool is_filled = filling.capacities != nullptr && filling.capacities->takes_any(block);
    const std::int64_t filler =
        is_filled ? amount_of(cluster.demand(filling.shape), device.id) : 0;
    if (filler != 0 && static_cast<double>(filler) != device.request) return std::nullopt;
    return fill_cards(
        device,
        column->cards(block),
        cards,
        filler != 0 ? filling.capacities->of_block(block) : nullptr);
}

/// Counts nodes that have enough of the units, and no card with enough of them left.
void count_card_shortages(
    const Packing& packing, ShapeId shape, const Filling& filling, Rejection& rejection) {
    const Cluster& cluster = packing.view().cluster();
    const Demand& demand = cluster.demand(shape);
    if (!demand.wants_cards) return;
    CardShortage shortage;
    std::int64_t wanted_units = 0;
    const CountedCardAsk* asked = nullptr;
    for (const ExtendedDemand& wanted : demand.extended) {
        asked = cluster.extended_names().find_card_ask(wanted.id);
        if (asked != nullptr) {
            shortage.resource = asked->ask.family->units;
            shortage.what = describe(asked->ask);
            break;
        }
        const std::string& name = cluster.extended_names().name(wanted.id);
        if (!is_card_resource(name)) continue;
        shortage.resource = name;
        shortage.what = fmt::format("single GPU with {} free {}", wanted.amount, name);
        wanted_units = wanted.amount;
    }
    std::int64_t short_nodes = 0;
    std::optional<Position> best;
    const NodeBitmap& eligible = cluster.shapes().eligible(shape);
    const auto note = [&](Position position, std::int64_t left) {
        ++short_nodes;
        if (best && left <= shortage.best) return;
        best = position;
        shortage.best = left;
    };
    for (std::size_t block = 0; block < packing.view().free_capacity().block_count(); ++block) {
        std::uint64_t nodes = packing.view().usable(eligible, block);
        const auto cards = nodes == 0 ? std::nullopt : fill_block(packing, shape, filling, block);
        if (cards) nodes &= cards->is_short;
        for (; nodes != 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            const auto position = static_cast<Position>(block * block_size + i);
            if (cards) {
                note(position, static_cast<std::int64_t>(cards->best[i]));
                continue;
            }
            const auto card = find_emptiest_card(packing, shape, filling, position);
            const bool is_short = asked == nullptr ? card && card->free < wanted_units
                                                   : !has_cards_left(packing, shape, filling, position);
            if (is_short && card) note(position, std::max<std::int64_t>(card->free, 0));
            if (is_short && !card) ++short_nodes;  // its cards are unknown
        }
    }
    if (short_nodes == 0) return;
    if (best) {
        const NodeIndex node = packing.view().node_at(*best);
        shortage.node = cluster.nodes().name(node);
        const auto card = find_emptiest_card(packing, shape, filling, *best);
        shortage.card = cluster.columns().cards().id(node, card->order);
    }
    rejection.reasons.push_back({no_single_card(shortage), short_nodes});
    rejection.card = std::move(shortage);
}

/// Counts, over the eligible nodes, the resources that keep one more pod of the shape off.
void count_shortages(
    const Packing& packing, ShapeId shape, const Filling& filling, Rejection& rejection) {
    std::vector<std::int64_t> short_nodes(resource_count(packing.view().demand(shape)), 0);
    const Cluster& cluster = packing.view().cluster();
    const NodeBitmap& eligible = cluster.shapes().eligible(shape);
    const bool is_wide = ScanDemand(cluster.demand(shape)).is_wide;
    std::int64_t excluded = 0;
    for (std::size_t block = 0; block < packing.view().free_capacity().block_count(); ++block) {
        rejection.eligible_nodes += std::popcount(eligible.word(block));
        const std::uint64_t usable = packing.view().usable(eligible, block);
        excluded += std::popcount(eligible.word(block) & ~usable);
        if (usable == 0) continue;
        const bool by_node = is_wide || packing.view().free_capacity().is_wide[block] != 0 ||
                             packing.planned().is_block_touched(block);
        const bool is_filled =
            filling.capacities != nullptr && filling.capacities->takes_any(block);
        const std::int32_t* const filled =
            is_filled ? filling.capacities->of_block(block) : nullptr;
        for (std::size_t i = 0; i < short_nodes.size(); ++i) {
            const double* const rows = by_node ? nullptr : rows_of(packing, shape, i, block);
            if (rows == nullptr) {
                short_nodes[i] += count_short(packing, shape, i, block, usable, filling);
                continue;
            }
            const std::int64_t request = request_of(packing.view().demand(shape), i);
            if (request == 0) continue;
            const std::int64_t filler = is_filled ? asked_of(packing, filling, shape, i) : 0;
            const std::uint64_t nodes = bits_short(
                rows,
                static_cast<double>(request),
                filled,
                static_cast<double>(filler));
            short_nodes[i] += std::popcount(nodes & usable);
        }
    }
    const auto most = std::max_element(short_nodes.begin(), short_nodes.end());
    if (*most > 0) {
        const auto resource = static_cast<std::size_t>(most - short_nodes.begin());
        rejection.binding = resource_name(packing.view(), shape, resource);
    }
    for (std::size_t i = 0; i < short_nodes.size(); ++i) {
        if (short_nodes[i] == 0) continue;
        rejection.reasons.push_back(
            {insufficient(resource_name(packing.view(), shape, i)), short_nodes[i]});
    }
    if (excluded > 0) rejection.reasons.push_back({"excluded", excluded});
}

void explain_shape(
    const Packing& packing, ShapeId shape, const Filling& filling, Rejection& rejection) {
    count_shortages(packing, shape, filling, rejection);
    count_card_shortages(packing, shape, filling, rejection);
    const Cluster& cluster = packing.view().cluster();
    for (ReasonCount& reason : find_exclusions(cluster, cluster.shapes().class_of(shape))) {
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

Wide dominant_share(const Cluster& cluster, ShapeId shape) {
    const Demand& demand = cluster.demand(shape);
    const NodeColumns::Totals all = cluster.columns().allocatable();
    return std::max(
        {share_of(demand.cpu_milli, all.cpu),
         share_of(demand.memory_bytes, all.memory),
         share_of(demand.ephemeral_bytes, all.ephemeral)});
}

// --- words --------------------------------------------------------------------------------------

std::string executors_text(std::int64_t count) {
    return fmt::format("{} executor{}", count, count == 1 ? "" : "s");
}

std::int64_t pods_wanted(const Rejection& rejection) {
    return rejection.executors_wanted + (rejection.wants_driver ? 1 : 0);
}

std::string needs_text(const Rejection& rejection) {
    const std::string total = describe(rejection.wanted);
    if (rejection.is_of_pods) {
        const std::int64_t pods = pods_wanted(rejection);
        return fmt::format("needs {} pod{} ({})", pods, pods == 1 ? "" : "s", total);
    }
    if (rejection.executors_wanted == 0) return fmt::format("needs {}", total);
    return fmt::format(
        "needs {}{} ({})",
        rejection.wants_driver ? "1 driver + " : "",
        executors_text(rejection.executors_wanted),
        total);
}

std::string fit_text(const Rejection& rejection) {
    if (rejection.is_of_pods && rejection.executors_wanted > 0) {
        return fmt::format(
            "{} fit",
            rejection.executors_fit + (rejection.wants_driver && rejection.driver_fits ? 1 : 0));
    }
    if (rejection.executors_wanted == 0) return "no node fits";
    if (!rejection.wants_driver) return fmt::format("{} fit", rejection.executors_fit);
    return fmt::format("{} + {} fit", rejection.driver_fits ? 1 : 0, rejection.executors_fit);
}

std::string missing_text(const Rejection& rejection) {
    const Resources& missing = rejection.missing;
    const std::string& binding = rejection.binding;
    // Where units are short altogether it is said of those.
    if (rejection.card && (binding.empty() || binding == rejection.card->resource)) {
        if (rejection.card->node.empty()) {
            return no_single_card(*rejection.card) + ": no node says its cards";
        }
        return fmt::format(
            "{}, best has {} on {}/{}",
            no_single_card(*rejection.card),
            rejection.card->best,
            rejection.card->node,
            rejection.card->card);
    }
    if (binding.empty()) return "no node is eligible";
    Resources only;
    if (binding == "pods") {
        const std::int64_t driver = rejection.wants_driver && !rejection.driver_fits ? 1 : 0;
        const std::int64_t pods = rejection.executors_wanted - rejection.executors_fit + driver;
        return fmt::format("short of {} pod slot{}", pods, pods == 1 ? "" : "s");
    }
    if (is_exclusive(binding)) return "short of " + binding;
    if (is_gpu_wish(binding)) return "short of GPUs";
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

Rejection make_rejection(
    const Packing& packing, const Shortfall& shortfall, const Capacities* filled) {
    const Cluster& cluster = packing.view().cluster();
    Rejection rejection;
    rejection.nodes = static_cast<std::int64_t>(cluster.nodes().count());
    if (shortfall.driver) {
        rejection.wants_driver = true;
        rejection.driver_fits = shortfall.driver_fits;
        const Resources& driver = cluster.resources(*shortfall.driver);
        add_times(rejection.wanted, driver, 1);
        add_times(rejection.missing, driver, shortfall.driver_fits ? 0 : 1);
    }
    for (const Shortfall::Part& part : shortfall.executors) {
        const Resources& executor = cluster.resources(part.shape);
        rejection.executors_wanted = add_times(rejection.executors_wanted, part.wanted, 1);
        rejection.executors_fit = add_times(rejection.executors_fit, part.placed, 1);
        add_times(rejection.wanted, executor, part.wanted);
        add_times(rejection.missing, executor, part.wanted - part.placed);
    }
    if (const std::optional<ShapeId> shape = failed_shape(shortfall)) {
        const Filling filling{filled == nullptr ? ShapeId{} : shortfall.executors[0].shape, filled};
        explain_shape(packing, *shape, filling, rejection);
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
