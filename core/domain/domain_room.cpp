#include "core/domain/domain_room.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace core {

namespace {

/// The level that each domain may rise to.
std::vector<std::int64_t> spread_levels(const RoomByDomain& room) {
    std::optional<std::int64_t> least;
    for (const DomainRoom& one : room.domains) {
        const std::int64_t filled = one.matching + one.capacity;
        least = std::min(least.value_or(filled), filled);
    }
    const bool has_too_few = static_cast<std::int64_t>(room.domains.size()) < room.min_domains;
    const std::int64_t most = (has_too_few ? 0 : least.value_or(0)) + room.max_skew;
    std::vector<std::int64_t> levels;
    for (const DomainRoom& one : room.domains) {
        levels.push_back(std::max(one.matching, std::min(one.matching + one.capacity, most)));
    }
    return levels;
}

/// Pods that domains below `level` take to reach it, or their own level if that is lower.
std::int64_t pods_to_level(
    const RoomByDomain& room, const std::vector<std::int64_t>& levels, std::int64_t level) {
    std::int64_t pods = 0;
    for (std::size_t i = 0; i < levels.size(); ++i) {
        pods += std::max<std::int64_t>(0, std::min(levels[i], level) - room.domains[i].matching);
    }
    return pods;
}

/// The highest level that takes no more pods than wanted.
std::int64_t level_of(
    const RoomByDomain& room, const std::vector<std::int64_t>& levels, std::int64_t wanted) {
    std::int64_t low = 0;
    std::int64_t high = *std::max_element(levels.begin(), levels.end());
    while (low < high) {
        const std::int64_t middle = low + (high - low + 1) / 2;
        if (pods_to_level(room, levels, middle) <= wanted) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

DomainQuotas spread_quotas(const RoomByDomain& room, std::int64_t wanted) {
    DomainQuotas quotas{std::vector<std::int64_t>(room.domains.size()), 0};
    if (wanted == 0) return quotas;
    const std::vector<std::int64_t> levels = spread_levels(room);
    const std::int64_t level = level_of(room, levels, wanted);
    std::int64_t left = wanted - pods_to_level(room, levels, level);
    for (std::size_t i = 0; i < levels.size(); ++i) {
        const std::int64_t matching = room.domains[i].matching;
        quotas.by_domain[i] = std::max<std::int64_t>(0, std::min(levels[i], level) - matching);
        if (left > 0 && matching <= level && level < levels[i]) {
            ++quotas.by_domain[i];
            --left;
        }
    }
    return quotas;
}

/// Under the other two kinds each domain takes so many by itself.
std::vector<std::int64_t> takes(const RoomByDomain& room) {
    std::vector<std::int64_t> result;
    for (const DomainRoom& one : room.domains) {
        const bool is_apart = room.kind == RuleKind::anti_affinity;
        const std::int64_t most = is_apart ? std::min<std::int64_t>(1, one.capacity) : one.capacity;
        result.push_back((one.matching > 0) != is_apart ? most : 0);
    }
    return result;
}

std::vector<std::size_t> by_preference(const RoomByDomain& room) {
    std::vector<std::size_t> order(room.domains.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&room](std::size_t a, std::size_t b) {
        return room.domains[a].preference < room.domains[b].preference;
    });
    return order;
}

/// Nobody that they want to be near is anywhere, so the first of them decides for all.
bool is_first_of_its_kind(const RoomByDomain& room) {
    return room.kind == RuleKind::affinity &&
           std::all_of(room.domains.begin(), room.domains.end(), [](const DomainRoom& one) {
               return one.matching == 0;
           });
}

std::int64_t largest_capacity(const RoomByDomain& room) {
    std::int64_t most = 0;
    for (const DomainRoom& one : room.domains) most = std::max(most, one.capacity);
    return most;
}

}  // namespace

std::int64_t most_pods(const RoomByDomain& room) {
    if (is_first_of_its_kind(room)) return largest_capacity(room);
    if (room.kind == RuleKind::spread) {
        return pods_to_level(room, spread_levels(room), INT64_MAX);
    }
    const std::vector<std::int64_t> most = takes(room);
    return std::accumulate(
        most.begin(),
        most.end(),
        room.kind == RuleKind::anti_affinity ? room.capacity_without_key : 0);
}

std::optional<DomainQuotas> share_out(const RoomByDomain& room, std::int64_t wanted) {
    ENSURE(wanted >= 0);
    if (wanted > most_pods(room)) return std::nullopt;
    if (room.kind == RuleKind::spread) return spread_quotas(room, wanted);
    DomainQuotas quotas{std::vector<std::int64_t>(room.domains.size()), 0};
    const bool in_one = is_first_of_its_kind(room);
    const std::vector<std::int64_t> most = takes(room);
    std::int64_t left = wanted;
    for (const std::size_t at : by_preference(room)) {
        const std::int64_t capacity = in_one ? room.domains[at].capacity : most[at];
        if (in_one && capacity < left) continue;
        quotas.by_domain[at] = std::min(left, capacity);
        left -= quotas.by_domain[at];
    }
    quotas.without_key = left;
    return quotas;
}

}  // namespace core
