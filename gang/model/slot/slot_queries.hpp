#pragma once
// Questions about slots that need no more than the gang and the cluster: what one holds, whether it
// is written and can stay, and which open one an executor may get.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"

#include <cstddef>
#include <optional>

namespace gang {

/// Whether the API server has the reservation that names this slot where it is.
inline bool is_stored(const Application& app, const Slot& slot) {
    return app.published.first_generation + slot.since <= app.published.stored;
}

/// What the slot is to its queue: its room; of one without any, what it is to have.
inline const core::Resources& held_by(
    const core::Cluster& cluster, const Application& app, const Slot& slot) {
    return slot.allocation.is_none() ? cluster.resources(app.declared.shapes[slot.shape].id)
                                     : cluster.allocations().resources_of(slot.allocation);
}

/// Whether each amount of `inner` is within `outer`.
bool fits_within(const core::Resources& inner, const core::Resources& outer);

/// Whether an open slot can stay where it is.
bool is_usable(const core::Cluster& cluster, const Application& app, const Slot& slot);

/// Which slots are good for an executor.
struct SlotWish {
    const PodEntry& executor;
    /// None on a node where more is allocated than it has, as long as nobody may move slots away
    /// from it.
    bool avoids_overcommitted = false;
    const core::NodeBitmap* allowed = nullptr;  ///< the executor's nodes, if not all
};

/// An open slot on a usable node that takes this executor, those of its own profile first.
std::optional<std::size_t> find_open_slot(
    const core::Cluster& cluster, const Application& app, const SlotWish& wish);

}  // namespace gang
