#include "core/cluster/capacities.hpp"

#include "core/base/result.hpp"

#include <algorithm>

namespace core {

namespace {

/// So many blocks of a region are looked at through their maxima first.
constexpr int worth_bounds = 4;

/// The first device's, if it is to be read together with what every node has; mostly it is the only
/// one.
const DeviceColumn* find_joint_column(const ScanSource& source, const ScanDemand& demand) {
    if (demand.device_count == 0 || demand.part_count == demand.parts.size()) return nullptr;
    const ExtendedId first = demand.devices[0].id;
    return source.columns.columns->names().is_offered_by_all(first)
               ? nullptr
               : source.free_capacity.devices.find(first);
}

/// Takes the devices' columns into account, but for rows that were read already, and into `wide` the
/// nodes of which these are bounds. False: some device has no column.
bool limit_by_devices(
    const ScanSource& source,
    const ScanDemand& demand,
    const DeviceColumn* joint,
    std::size_t block,
    std::int32_t* capacities,
    std::uint64_t& wide) {
    bool is_exact = !(demand.leaves_devices_out && source.demand.wants_listed);
    for (std::size_t i = 0; i < demand.device_count; ++i) {
        const ScanDemand::Device& device = demand.devices[i];
        if (source.columns.columns->names().is_offered_by_all(device.id)) {
            is_exact = is_exact && !demand.wants_cards;  // it may be what cards are asked for by
            continue;
        }
        const DeviceColumn* const column = source.free_capacity.devices.find(device.id);
        if (column == nullptr) {
            is_exact = false;
            continue;
        }
        if (column != joint) limit_rows(device, column->rows(0, block), capacities);
        const std::size_t cards = demand.wants_cards ? column->card_count(block) : 0;
        if (cards > 0) limit_rows_by_cards(device, column->cards(block), cards, capacities);
        wide |= column->is_wide(block);
    }
    return is_exact;
}

}  // namespace

void scan_block(
    const ScanSource& source,
    const ScanDemand& demand,
    std::size_t block,
    std::uint64_t takers,
    std::int32_t* capacities) {
    if (source.demand.wants_listed) takers &= source.free_capacity.has_extended[block];
    if (takers == 0) {
        std::fill_n(capacities, block_size, 0);
        return;
    }
    const FreeRows rows = source.free_capacity.rows(0, block);
    const DeviceColumn* const joint = find_joint_column(source, demand);
    if (joint == nullptr) {
        scan_rows(demand, rows, capacities);
    } else {
        scan_rows_and_device(
            demand, rows, demand.devices[0], joint->rows(0, block), capacities);
    }
    if (takers != ~std::uint64_t{0}) {
        mask_rows(capacities, takers, capacities);
    }
    cap_rows(capacities, source.demand.at_most);
    std::uint64_t bounds = source.free_capacity.is_wide[block];
    const bool is_exact = limit_by_devices(source, demand, joint, block, capacities, bounds);
    if (!is_exact || demand.is_wide) bounds = takers;
    // What every node offers is short only where somebody holds some.
    if (source.demand.wants_exclusive) bounds |= source.free_capacity.has_extended[block];
    bounds &= takers;
    for (; bounds != 0; bounds &= bounds - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(bounds));
        if (capacities[i] == 0) continue;
        capacities[i] = static_cast<std::int32_t>(
            capacity_of(source.columns, source.order[block * block_size + i], source.demand));
    }
}

/// What is not in the columns only ever makes capacities smaller.
void scan_bounds(
    const ScanSource& source,
    const ScanDemand& demand,
    std::size_t level,
    std::size_t group,
    std::int32_t* bounds) {
    scan_rows(demand, source.free_capacity.rows(level, group), bounds);
    cap_rows(bounds, source.demand.at_most);
    for (std::size_t i = 0; i < demand.device_count; ++i) {
        const ScanDemand::Device& device = demand.devices[i];
        const DeviceColumn* const column = source.free_capacity.devices.find(device.id);
        if (column != nullptr) limit_rows(device, column->rows(level, group), bounds);
    }
}

void Capacities::Extremes::resize(std::size_t used) {
    for (std::vector<std::int32_t>* numbers : {&least, &most}) {
        numbers->resize(padded_to_blocks(used));
        std::fill(numbers->begin() + static_cast<std::ptrdiff_t>(used), numbers->end(), 0);
    }
}

void Capacities::Extremes::note_group(const Extremes& below, std::size_t group) {
    least[group] = core::least_of(below.least.data() + group * block_size);
    most[group] = core::largest_of(below.most.data() + group * block_size);
}

void Capacities::resize(std::size_t blocks) {
    for (std::size_t gone = blocks; gone < totals_.size(); ++gone) total_ -= totals_[gone];
    totals_.resize(blocks);
    by_position_.resize(blocks * block_size);
    blocks_.resize(blocks);
    extreme_nodes_.resize(blocks);
    regions_.resize((blocks + block_size - 1) / block_size);
}

std::uint64_t Capacities::refresh(const ScanSource& source) {
    ENSURE(log_.empty());
    if (version_ == source.free_capacity.version()) return 0;
    if (totals_.size() != source.free_capacity.block_count())
        resize(source.free_capacity.block_count());
    std::uint64_t scanned = 0;
    std::array<std::int32_t, block_size> bounds;
    for (std::size_t region = 0; region * block_size < block_count(); ++region) {
        const std::size_t at = region % block_size;
        if (at == 0 && !is_built()) {
            scan_bounds(source, demand_, 2, region / block_size, bounds.data());
            ++scanned;
        }
        if (source.free_capacity.region_version(region) <= version_) continue;
        scanned += refresh_region(source, region, is_built() || bounds[at] > 0);
    }
    version_ = source.free_capacity.version();
    return scanned;
}

/// A region, or a block, whose maxima take no pod is not looked into; to know that for a single
/// block saves nothing.
std::uint64_t Capacities::refresh_region(
    const ScanSource& source, std::size_t region, bool may_take) {
    const std::size_t first = region * block_size;
    const std::size_t end = std::min(block_count(), first + block_size);
    std::uint64_t changed = 0;
    for (std::size_t block = first; block < end; ++block) {
        changed |= std::uint64_t{source.free_capacity.block_version(block) > version_}
                   << (block - first);
    }
    std::uint64_t scanned = 0;
    std::uint64_t worth_scanning = may_take ? changed : 0;
    std::array<std::int32_t, block_size> bounds;
    if (std::popcount(worth_scanning) >= worth_bounds) {
        scan_bounds(source, demand_, 1, region, bounds.data());
        worth_scanning &= bits_from(bounds.data(), 1);
        ++scanned;
    }
    for (; changed != 0; changed &= changed - 1) {
        const auto at = static_cast<std::size_t>(std::countr_zero(changed));
        const std::size_t block = first + at;
        const std::uint64_t takers = source.eligible.word(block);
        if (takers == 0 || ((worth_scanning >> at) & 1U) == 0) {
            note(block, {});
            continue;
        }
        std::int32_t* const into = by_position_.data() + block * block_size;
        scan_block(source, demand_, block, takers, into);
        note(block, summarize(into, source.free_capacity.levels[1][plain_resources - 1][block]));
        ++scanned;
    }
    regions_.note_group(blocks_, region);
    return scanned;
}

void Capacities::copy_some(const Capacities& whole, const NodeBitmap& nodes) {
    ENSURE(log_.empty());
    resize(whole.block_count());
    for (std::size_t block = 0; block < block_count(); ++block) {
        const std::uint64_t wanted = nodes.word(block);
        if (!whole.takes_any(block) || wanted == 0) {
            note(block, {});
            continue;
        }
        std::int32_t* const into = by_position_.data() + block * block_size;
        mask_rows(whole.of_block(block), wanted, into);
        note(block, summarize(into, whole.blocks_.most[block]));
    }
    for (std::size_t i = 0; i * block_size < block_count(); ++i) regions_.note_group(blocks_, i);
    version_ = whole.version_;
}

void Capacities::note(std::size_t block, const Summary& summary) {
    total_ += summary.total - totals_[block];
    totals_[block] = summary.total;
    blocks_.set(block, {summary.least, summary.most});
    extreme_nodes_[block] = {};
}

std::int32_t Capacities::least() const {
    std::int32_t least = 0;
    for (std::size_t i = 0; i < regions_.least.size(); i += block_size) {
        const std::int32_t here = core::least_of(regions_.least.data() + i);
        if (here != 0 && (least == 0 || here < least)) least = here;
    }
    return least;
}

std::int32_t Capacities::most() const {
    std::int32_t most = 0;
    for (std::size_t i = 0; i < regions_.most.size(); i += block_size) {
        most = std::max(most, core::largest_of(regions_.most.data() + i));
    }
    return most;
}

std::int32_t Capacities::next_above(std::int32_t capacity) const {
    std::int32_t next = 0;
    const auto offer = [&next](std::int32_t here) {
        if (here != 0 && (next == 0 || here < next)) next = here;
    };
    for (std::size_t region = 0; region * block_size < block_count(); ++region) {
        if (regions_.most[region] <= capacity) continue;
        const std::int32_t* const least = blocks_.least.data() + region * block_size;
        offer(core::least_above(least, capacity));
        std::uint64_t blocks = bits_up_to(least, capacity);
        for (; blocks != 0; blocks &= blocks - 1) {
            const std::size_t block =
                region * block_size + static_cast<std::size_t>(std::countr_zero(blocks));
            if (blocks_.most[block] > capacity) offer(core::least_above(of_block(block), capacity));
        }
    }
    return next;
}

std::int32_t Capacities::next_below(std::int32_t capacity) const {
    std::int32_t next = 0;
    for (std::size_t region = 0; region * block_size < block_count(); ++region) {
        if (regions_.least[region] == 0 || regions_.least[region] >= capacity) continue;
        const std::int32_t* const most = blocks_.most.data() + region * block_size;
        next = std::max(next, core::largest_below(most, capacity));
        std::uint64_t blocks = bits_from(most, capacity);
        for (; blocks != 0; blocks &= blocks - 1) {
            const std::size_t block =
                region * block_size + static_cast<std::size_t>(std::countr_zero(blocks));
            if (blocks_.least[block] >= capacity) continue;
            next = std::max(next, core::largest_below(of_block(block), capacity));
        }
    }
    return next;
}

void Capacities::put(Position position, std::int32_t capacity) {
    std::int32_t& here = by_position_[position];
    totals_[position / block_size] += capacity - here;
    total_ += capacity - here;
    here = capacity;
}

void Capacities::set(Position position, std::int64_t capacity) {
    const auto after = static_cast<std::int32_t>(capacity);
    const auto before = static_cast<std::int32_t>(at(position));
    if (before == capacity) return;
    ENSURE(capacity < before);  // so its block is one of those that were scanned
    const std::size_t block = position / block_size;
    const std::size_t region = block / block_size;
    const Two of_block = blocks_.at(block);
    log_.push_back({position, before, of_block, regions_.at(region), extreme_nodes_[block]});
    put(position, after);
    extreme_nodes_[block] = {};
    const bool is_least = after > 0 && after <= of_block.least;
    if (is_least) {
        blocks_.least[block] = after;
    } else if (before == of_block.least) {
        blocks_.least[block] = core::least_of(this->of_block(block));
    }
    if (before == of_block.most) blocks_.most[block] = core::largest_of(this->of_block(block));
    regions_.note_group(blocks_, region);
}

/// What a set() has changed is as it was before: whatever was set after it is undone already.
void Capacities::undo(std::size_t set_count) {
    for (; log_.size() > set_count; log_.pop_back()) {
        const Before& before = log_.back();
        const std::size_t block = before.position / block_size;
        put(before.position, before.capacity);
        blocks_.set(block, before.of_block);
        regions_.set(block / block_size, before.of_region);
        extreme_nodes_[block] = before.extreme_nodes;
    }
}

}  // namespace core
