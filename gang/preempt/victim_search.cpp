#include "gang/preempt/victim_search.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

void release_all(core::Trial& trial, const std::vector<core::AllocationId>& room) {
    for (const core::AllocationId one : room) {
        trial.release(one);
    }
}

}  // namespace

std::optional<ChosenVictims> VictimSearch::find(
    std::vector<Evictable> all, const std::vector<core::AllocationId>& ending) {
    std::optional<core::Plan> plan;
    {
        core::Trial base(model_.cluster);
        release_all(base, ending);
        plan = placer_.find_plan(preemptor_);
        if (plan) {
            return ChosenVictims{{}, *std::move(plan)};
        }
        const std::size_t count = shortest_part(base, all);
        if (count == 0) {
            return std::nullopt;
        }
        all.resize(count);
        release_all(base, all.back().room);
        plan = placer_.find_plan(preemptor_);
    }
    if (!plan) {
        return std::nullopt;
    }
    std::vector<Evictable> victims = on_nodes_of(*plan, std::move(all));
    drop_unneeded(victims, ending);
    plan = plan_without(victims, ending, 0, 0);
    if (!plan) {
        return std::nullopt;
    }
    return ChosenVictims{std::move(victims), *std::move(plan)};
}

/// How many of the first must go; 0: all are not enough. `base` is left with all of these released
/// but the last.
std::size_t VictimSearch::shortest_part(core::Trial& base, const std::vector<Evictable>& all) {
    std::size_t least = 0;  // it does not fit without so many
    std::size_t enough = 1;
    if (all.empty()) {
        return 0;
    }
    const auto release = [&](core::Trial& trial, std::size_t from, std::size_t to) {
        for (; from < to; ++from) {
            release_all(trial, all[from].room);
        }
    };
    const auto fits_with = [&](std::size_t count) {
        core::Trial trial(model_.cluster);
        release(trial, least, count);
        return fits();
    };
    // From the front, by parts that double: mostly few of many have to go.
    while (!fits_with(enough)) {
        if (enough == all.size()) {
            return 0;
        }
        release(base, least, enough);
        least = enough;
        enough = std::min(2 * enough, all.size());
    }
    while (enough - least > 1) {
        const std::size_t middle = least + (enough - least) / 2;
        if (fits_with(middle)) {
            enough = middle;
        } else {
            release(base, least, middle);
            least = middle;
        }
    }
    return enough;
}

/// The others' room is of no use to the plan.
std::vector<Evictable> VictimSearch::on_nodes_of(
    const core::Plan& plan, std::vector<Evictable> part) const {
    std::vector<std::uint32_t> nodes = {plan.driver.value};
    for (const auto& shape : plan.executors) {
        for (const core::NodeCount& found : shape) {
            nodes.push_back(found.node.value);
        }
    }
    std::sort(nodes.begin(), nodes.end());
    const auto is_apart = [&](const Evictable& one) {
        return std::none_of(one.room.begin(), one.room.end(), [&](core::AllocationId room) {
            return std::binary_search(
                nodes.begin(), nodes.end(), model_.cluster.allocations().of(room).node.value);
        });
    };
    part.erase(std::remove_if(part.begin(), part.end(), is_apart), part.end());
    return part;
}

/// In parts that become smaller, so that of hundreds of executors none goes for nothing, however few
/// questions the planner is asked.
void VictimSearch::drop_unneeded(
    std::vector<Evictable>& victims, const std::vector<core::AllocationId>& ending) {
    constexpr std::size_t parts = second_looks_max / 2;
    std::size_t looks = 0;
    std::size_t part = victims.size() <= second_looks_max ? 1 : (victims.size() + parts - 1) / parts;
    for (; part > 0; part /= 2) {
        for (std::size_t to = victims.size(); to > 0 && looks < second_looks_max; ++looks) {
            const std::size_t from = to > part ? to - part : 0;
            if (plan_without(victims, ending, from, to)) {
                const auto first = victims.begin();
                victims.erase(
                    first + static_cast<std::ptrdiff_t>(from),
                    first + static_cast<std::ptrdiff_t>(to));
            }
            to = from;
        }
    }
}

/// Without those of [from, to).
std::optional<core::Plan> VictimSearch::plan_without(
    const std::vector<Evictable>& victims,
    const std::vector<core::AllocationId>& ending,
    std::size_t from,
    std::size_t to) {
    core::Trial trial(model_.cluster);
    release_all(trial, ending);
    for (std::size_t i = 0; i < victims.size(); ++i) {
        if (i < from || i >= to) {
            release_all(trial, victims[i].room);
        }
    }
    return placer_.find_plan(preemptor_);
}

}  // namespace gang
