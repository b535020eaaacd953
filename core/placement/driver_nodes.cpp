#include "core/placement/driver_nodes.hpp"

#include <algorithm>
#include <array>
#include <bit>

namespace core {

void DriverNodes::begin(
    std::span<const GangPart> parts, ShapeId driver, const Capacities& capacities) {
    parts_ = parts;
    driver_ = driver;
    capacities_ = &capacities;
}

/// Executors of this part that a driver displaces there.
std::int64_t DriverNodes::loss_at(const GangPart& part, Position position) const {
    const std::int64_t alone = part.capacities->at(position);
    return alone == 0 ? 0 : alone - capacity_beside(packing_.view(), position, part.shape, driver_);
}

/// With one part this is exact: the other nodes keep their capacities, so the gang fits beside a
/// driver here if and only if the total less the loss here suffices. The loss is at most the whole
/// node, which settles most cases without computing it.
bool DriverNodes::parts_fit_beside(Position position) const {
    return std::all_of(parts_.begin(), parts_.end(), [&](const GangPart& part) {
        const std::int64_t total = part.capacities->total();
        if (total - part.capacities->at(position) >= part.wanted) return true;
        return total - loss_at(part, position) >= part.wanted;
    });
}

/// Some node takes the driver.
Position DriverNodes::first_by_capacity(PackingPolicy policy) const {
    Position first = 0;
    const auto find = [&](std::int32_t level) {
        return [this, &first, level](std::size_t block) {
            const std::uint64_t nodes = capacities_->nodes_at(block, level);
            const auto at = static_cast<std::size_t>(std::countr_zero(nodes));
            first = static_cast<Position>(block * block_size + at);
            return false;
        };
    };
    if (policy == PackingPolicy::fewest_nodes) {
        capacities_->for_each_block_from(capacities_->most(), find(capacities_->most()));
    } else {
        capacities_->for_each_block_up_to(capacities_->least(), find(capacities_->least()));
    }
    return first;
}

bool DriverNodes::keep_if_it_fits(Position position) {
    if (!parts_fit_beside(position)) return false;
    nodes_.push_back({0, 0, 0, 0, position});
    return true;
}

bool DriverNodes::has_any() const {
    bool found = false;
    capacities_->for_each_block_from(1, [&](std::size_t block) {
        std::uint64_t nodes = bits_from(capacities_->of_block(block), 1);
        for (; nodes != 0 && !found; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            found = parts_fit_beside(static_cast<Position>(block * block_size + i));
        }
        return !found;
    });
    return found;
}

std::span<const NodeRank> DriverNodes::list(PackingPolicy policy) {
    const std::size_t kept_max = parts_.size() > 1 ? attempts_max : 1;
    const bool ranked = packing_.is_ranked(driver_, policy);
    const bool largest = policy == PackingPolicy::fewest_nodes;
    nodes_.clear();
    // Mostly the executors fit beside the very first node by the policy.
    if (kept_max == 1 && !ranked && keep_if_it_fits(first_by_capacity(policy))) return nodes_;
    packing_.ranking().begin(driver_, policy);
    if (kept_max == 1) {
        const auto first = packing_.find_first(*capacities_);
        if (first && keep_if_it_fits(*first)) return nodes_;
    }
    capacities_->for_each_block_from(1, [&](std::size_t block) {
        // The usual case, block by block: nothing comes before what is there already.
        const std::int64_t first_here = largest ? -std::int64_t{capacities_->most_of_block(block)}
                                                : std::int64_t{capacities_->least_of_block(block)};
        if (nodes_.size() == kept_max && !ranked && first_here >= nodes_.back().measure) {
            return true;
        }
        const std::int32_t* const of_block = capacities_->of_block(block);
        for (std::size_t i = 0; i < block_size; ++i) {
            if (of_block[i] == 0) continue;
            const auto position = static_cast<Position>(block * block_size + i);
            offer(packing_.ranking().rank(position, of_block[i]), kept_max);
        }
        return true;
    });
    return nodes_;
}

void DriverNodes::offer(const NodeRank& node, std::size_t kept_max) {
    const bool full = nodes_.size() == kept_max;
    if (full && !(node < nodes_.back())) return;
    if (!parts_fit_beside(node.position)) return;
    if (full) nodes_.pop_back();
    nodes_.insert(std::upper_bound(nodes_.begin(), nodes_.end(), node), node);
}

std::optional<Position> DriverNodes::find_least_loss() const {
    std::optional<Position> best;
    std::int64_t least = 0;
    capacities_->for_each_block_from(1, [&](std::size_t block) {
        std::array<std::int64_t, block_size> losses = {};
        for (const GangPart& part : parts_) {
            const auto of_part =
                losses_beside(packing_.view(), block, part.shape, *part.capacities, driver_);
            for (std::size_t j = 0; j < block_size; ++j) losses[j] += of_part[j];
        }
        std::uint64_t nodes = bits_from(capacities_->of_block(block), 1);
        for (; nodes != 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            if (best && losses[i] >= least) continue;
            best = static_cast<Position>(block * block_size + i);
            least = losses[i];
        }
        return !best || least > 0;
    });
    return best;
}

}  // namespace core
