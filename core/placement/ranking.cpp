// How Packing chooses where more counts than capacities: every node gets a rank, and the first by
// rank stands on top of a heap. A node that stays the best is filled in one go; else it gets one
// pod, its rank is computed anew, and it goes back into the heap. So the nodes are those that would
// be chosen pod by pod, at O(nodes + pods log nodes).

#include "core/placement/packing.hpp"
#include "core/score/preference_score.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace core {

namespace {

/// GPUs, whoever makes them.
bool is_gpu(std::string_view name) {
    return name.ends_with("/gpu");
}

/// Of the same sign as if there were no limits.
std::int64_t clamped_difference(std::int64_t a, std::int64_t b) {
    std::int64_t difference = 0;
    if (!__builtin_sub_overflow(a, b, &difference)) return difference;
    return a > b ? std::numeric_limits<std::int64_t>::max()
                 : std::numeric_limits<std::int64_t>::min();
}

/// What is taken of a resource: by pods that count in the view, and by those planned now.
std::int64_t taken(std::int64_t allocatable, std::int64_t free_capacity, std::int64_t planned) {
    const std::int64_t counted =
        std::max<std::int64_t>(clamped_difference(allocatable, free_capacity), 0);
    return Load{0, counted, planned}.after();
}

}  // namespace

bool Packing::is_ranked(ShapeId shape, PackingPolicy policy) const {
    return preferring_ != nullptr || is_weighted() || find_score(policy) != nullptr ||
           cluster_->has_costs() || cluster_->keeps_off_scarce(shape) ||
           cluster_->find_preferences(cluster_->class_of(shape)) != nullptr ||
           cluster_->find_pod_scores(cluster_->class_of(shape)) != nullptr;
}

/// If the shape asks for GPUs, they are its devices; else all extended resources that it asks for.
void Packing::begin_ranks(ShapeId shape, PackingPolicy policy) {
    ranking_ = {
        shape,
        policy,
        is_weighted() ? nullptr : find_score(policy),
        true,
        cluster_->find_preferences(cluster_->class_of(shape)),
        cluster_->find_pod_scores(cluster_->class_of(shape)),
        cluster_->has_costs(),
        cluster_->keeps_off_scarce(shape)};
    devices_ = cluster_->demand(shape).extended;
    std::erase_if(devices_, [this](const ExtendedDemand& wanted) {
        const std::string& name = cluster_->extended_name(wanted.id);
        return is_exclusive(name) || is_gpu_wish(name) || is_card_ask(name);
    });
    const auto is_other = [this](const ExtendedDemand& wanted) {
        return !is_gpu(cluster_->extended_name(wanted.id));
    };
    if (!std::all_of(devices_.begin(), devices_.end(), is_other)) std::erase_if(devices_, is_other);
    if (is_weighted()) begin_weighing(shape);
    ranking_.in_one_go = is_weighted()               ? stays_best(*scores_)
                         : ranking_.score == nullptr ? true
                                                     : stays_best(ranking_.score->kind);
}

NodeRank Packing::rank(Position position, std::int64_t capacity, std::int64_t placed) {
    ++nodes_ranked_;
    NodeRank rank;
    rank.position = position;
    const Node& node = cluster_->node(order_[position]);
    if (ranking_.has_costs) rank.cost = node.cost;
    if (ranking_.keeps_off_scarce) rank.scarcity = node.is_scarce ? 1 : 0;
    if (is_weighted()) {
        rank.measure = -weighted_score(position, placed);
        return rank;
    }
    if (ranking_.preferences != nullptr || ranking_.pod_scores != nullptr) {
        const Preferences* const all = ranking_.preferences;
        rank.dislike = -preference_score(
            all == nullptr ? Preference{} : all->by_position[position],
            all == nullptr ? Preference{} : all->most,
            pod_score(position));
        if (all != nullptr) rank.dislike -= all->by_position[position].points;
    }
    if (ranking_.score != nullptr) {
        rank.measure = -ranking_.score->of(load(position, placed));
    } else {
        rank.measure = ranking_.policy == PackingPolicy::fewest_nodes ? -capacity : capacity;
    }
    return rank;
}

PodScore Packing::pod_score(Position position) const {
    PodScore score;
    const PodScores* const all = ranking_.pod_scores;
    if (all == nullptr) return score;
    if (!all->affinity.empty()) score.affinity = all->affinity[position];
    if (!all->spread.empty()) score.spread = all->spread[position];
    return score;
}

/// What is planned there, or placed, fits there: none of these sums overflows.
NodeLoad Packing::load(Position position, std::int64_t placed) const {
    const NodeIndex node = order_[position];
    const Demand& demand = cluster_->demand(ranking_.shape);
    const Planned* planned = find_planned(position);
    const auto of = [&](std::span<const std::int64_t> free_capacity,
                        std::span<const std::int64_t> allocatable,
                        std::size_t resource,
                        std::int64_t asked) -> Load {
        const std::int64_t now =
            (planned == nullptr ? 0 : planned->plain[resource]) + placed * asked;
        const std::int64_t whole = allocatable[node.value];
        return {whole, taken(whole, free_capacity[node.value], now), asked};
    };
    const NodeColumns& all = *columns_->columns;
    return {
        of(columns_->cpu, all.cpu(View::allocatable), 0, demand.cpu_milli),
        of(columns_->memory, all.memory(View::allocatable), 1, demand.memory_bytes),
        device_load(position, placed),
        demand.wants_gpus ? cluster_->node(node).gpu_score : 0};
}

Load Packing::extended_load(
    Position position, const ExtendedDemand& asked, std::int64_t placed) const {
    const NodeIndex node = order_[position];
    const NodeColumns& all = *columns_->columns;
    const Planned* planned = find_planned(position);
    if (cluster_->demand(ranking_.shape).wants_cards) {
        if (const Load on_card = card_load(position, asked, placed); on_card.allocatable > 0)
            return on_card;
    }
    std::int64_t now = placed * asked.amount;
    if (planned != nullptr) now += planned->extended_amount(asked.id);
    const std::int64_t whole = all.extended(node, asked.id, View::allocatable);
    return {whole, taken(whole, all.extended(node, asked.id, view_), now), asked.amount};
}

/// Of the card that the next pod would be on; nothing: no cards are known.
Load Packing::card_load(Position position, const ExtendedDemand& asked, std::int64_t placed) const {
    const NodeColumns& all = *columns_->columns;
    std::vector<CardDemand> planned;
    if (const Planned* const before = find_planned(position)) planned = before->cards;
    for (;; --placed) {
        const auto card = choose_card(all, order_[position], asked, view_, card_choice_, planned);
        if (!card) return {};
        if (placed == 0) {
            return {card->units, std::max<std::int64_t>(card->units - card->free, 0), asked.amount};
        }
        planned.push_back({card->resource, card->order, asked.amount});
    }
}

Load Packing::device_load(Position position, std::int64_t placed) const {
    Load sum;
    for (const ExtendedDemand& wanted : devices_) {
        const Load one = extended_load(position, wanted, placed);
        sum.allocatable = Load{0, sum.allocatable, one.allocatable}.after();
        sum.requested = Load{0, sum.requested, one.requested}.after();
        sum.asked = Load{0, sum.asked, one.asked}.after();
    }
    return sum;
}

/// Of nodes with at least this capacity; answers how many pods are left over.
std::int64_t Packing::take_ranked(
    std::int32_t least, std::int64_t wanted, const Capacities& capacities) {
    candidates_.clear();
    capacities.for_each_block_from(least, [&](std::size_t block) {
        const std::int32_t* const of_block = capacities.of_block(block);
        for (std::uint64_t nodes = bits_from(of_block, least); nodes != 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            const auto position = static_cast<Position>(block * block_size + i);
            candidates_.push_back({rank(position, of_block[i]), of_block[i], 0});
        }
        return true;
    });
    const auto is_behind = [](const Candidate& a, const Candidate& b) { return b.rank < a.rank; };
    std::make_heap(candidates_.begin(), candidates_.end(), is_behind);
    while (wanted > 0 && !candidates_.empty()) {
        std::pop_heap(candidates_.begin(), candidates_.end(), is_behind);
        Candidate& best = candidates_.back();
        const std::int64_t count = ranking_.in_one_go ? std::min(wanted, best.capacity) : 1;
        wanted -= count;
        best.placed += count;
        if (best.placed == best.capacity || wanted == 0) {
            filled_.push_back({best.rank.position, best.placed});
            candidates_.pop_back();
            continue;
        }
        best.rank = rank(best.rank.position, best.capacity, best.placed);
        std::push_heap(candidates_.begin(), candidates_.end(), is_behind);
    }
    for (const Candidate& candidate : candidates_) {
        if (candidate.placed > 0) filled_.push_back({candidate.rank.position, candidate.placed});
    }
    return wanted;
}

}  // namespace core
