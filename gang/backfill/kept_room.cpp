#include "gang/backfill/kept_room.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace gang {

void KeptRoom::set(const std::vector<Waiter>& waiters) {
    give_back();
    promises_.clear();
    for (const Waiter& waiter : waiters) {
        if (!waiter.promise) {
            continue;
        }
        Promise& promise = promises_.emplace_back(
            Promise{waiter.app, waiter.promise->at_ms, {}});
        for (const NodeRest& rest : waiter.promise->rests) {
            promise.nodes.emplace(rest.node, kept_on(rest));
        }
    }
}

void KeptRoom::drop(const Application& app) {
    give_back();
    std::erase_if(promises_, [&app](const Promise& promise) { return promise.app == &app; });
}

KeptRoom::Kept KeptRoom::kept_on(const NodeRest& rest) const {
    const core::NodeColumns& columns = model_.cluster.columns();
    const core::View view = core::View::free;
    const std::size_t row = rest.node.value;
    const auto more = [&rest](std::int64_t now, std::int64_t then) {
        return rest.is_whole ? std::max<std::int64_t>(now, 0)
                             : std::max<std::int64_t>(now - std::max<std::int64_t>(then, 0), 0);
    };
    Kept kept;
    kept.pods = more(columns.pods(view)[row], rest.pods);
    kept.amounts.cpu_milli = more(columns.cpu(view)[row], rest.left.cpu_milli);
    kept.amounts.memory_bytes = more(columns.memory(view)[row], rest.left.memory_bytes);
    kept.amounts.ephemeral_bytes = more(columns.ephemeral(view)[row], rest.left.ephemeral_bytes);
    for (const auto& [name, then] : rest.left.extended) {
        const auto id = model_.cluster.extended_names().find(name);
        const std::int64_t amount =
            id && !rest.is_whole ? more(columns.extended(rest.node, *id, view), then) : 0;
        if (amount > 0) {
            kept.amounts.extended.push_back({name, amount});
        }
    }
    return kept;
}

std::uint32_t KeptRoom::promises_of(const Application& app, std::int64_t until_ms) const {
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < promises_.size(); ++i) {
        if (promises_[i].app != &app && promises_[i].at_ms < until_ms) {
            bits |= std::uint32_t{1} << i;
        }
    }
    return bits;
}

/// Of several promises on one node the largest amounts: each of them is what its own instant needs,
/// with all that was promised before.
void KeptRoom::take(const Application& app, std::int64_t until_ms) {
    const std::uint32_t wanted = promises_of(app, until_ms);
    if (trial_ && wanted == taken_) {
        return;
    }
    give_back();
    trial_.emplace(model_.cluster);
    taken_ = wanted;
    std::map<core::NodeIndex, Kept> all;
    for (std::size_t i = 0; i < promises_.size(); ++i) {
        if ((wanted >> i & 1U) == 0) {
            continue;
        }
        for (const auto& [node, kept] : promises_[i].nodes) {
            Kept& most = all[node];
            most.pods = std::max(most.pods, kept.pods);
            most.amounts = core::larger(most.amounts, kept.amounts);
        }
    }
    for (const auto& [node, kept] : all) {
        allocate(node, kept);
    }
}

/// One allocation is one pod at least.
void KeptRoom::allocate(core::NodeIndex node, const Kept& kept) {
    if (kept.amounts != core::Resources{}) {
        shapes_.push_back(model_.cluster.intern_shape(kept.amounts, {}));
        trial_->allocate(node, shapes_.back(), core::UsedBy::gang);
    }
    const std::int64_t others = kept.pods - (kept.amounts != core::Resources{} ? 1 : 0);
    if (others > 0) {
        shapes_.push_back(model_.cluster.intern_shape({}, {}));
        trial_->allocate(
            node, shapes_.back(), core::UsedBy::gang, static_cast<std::uint32_t>(others));
    }
}

void KeptRoom::give_back() {
    trial_.reset();
    for (const core::ShapeId shape : shapes_) {
        model_.cluster.release_shape(shape);
    }
    shapes_.clear();
}

}  // namespace gang
