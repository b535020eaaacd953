#pragma once
// The fewest victims, in their order, whose room lets the whole gang in: tried on the cluster
// itself, and rolled back (core/cluster/allocation/trial.hpp). No plan, no victims.
//
//   the first one, two, four, ... of them gone: does it fit? --not with all--> nothing
//     yes --> the shortest part of the list that does (by halves)
//         --> of it those on whose nodes the plan is
//         --> without the last of them, and those before, as long as it still fits: of many
//             victims first in parts, then one after another

#include "core/cluster/allocation/trial.hpp"
#include "core/placement/placement.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/preempt/victim_list.hpp"
#include "gang/queue/placer.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace gang {

struct ChosenVictims {
    std::vector<Evictable> victims;  ///< in their order; none: who ends already makes enough room
    core::Plan plan;
};

class VictimSearch {
public:
    /// Times that it is asked whether it fits without some of them.
    static constexpr std::size_t second_looks_max = 64;

    VictimSearch(Model& model, Placer& placer, const Application& preemptor)
        : model_(model), placer_(placer), preemptor_(preemptor) {}

    /// `ending`: room that comes free anyway. A room may stand in both: it is freed once.
    std::optional<ChosenVictims> find(
        std::vector<Evictable> all, const std::vector<core::AllocationId>& ending);

private:
    std::size_t shortest_part(core::Trial& base, const std::vector<Evictable>& all);
    std::vector<Evictable> on_nodes_of(
        const core::Plan& plan, std::vector<Evictable> part) const;
    void drop_unneeded(
        std::vector<Evictable>& victims, const std::vector<core::AllocationId>& ending);
    std::optional<core::Plan> plan_without(
        const std::vector<Evictable>& victims,
        const std::vector<core::AllocationId>& ending,
        std::size_t from,
        std::size_t to);
    bool fits() { return placer_.find_plan(preemptor_).has_value(); }

    Model& model_;
    Placer& placer_;
    const Application& preemptor_;
};

}  // namespace gang
