#include "core/cluster/capacity_cache.hpp"

#include <algorithm>

namespace core {

const CapacityCache::Entry* CapacityCache::find(ShapeId shape, View view) const {
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) {
        return entry->shape == shape && entry->view == view;
    });
    return found == kept_.end() ? nullptr : found->get();
}

CapacityCache::Entry& CapacityCache::ask(ShapeId shape, View view, const Demand& demand) {
    const auto found = std::find_if(kept_.begin(), kept_.end(), [&](const auto& entry) {
        return entry->shape == shape && entry->view == view;
    });
    Entry& entry = found == kept_.end() ? make(shape, view, demand) : **found;
    ++entry.questions;
    entry.asked_last = ++questions_;
    return entry;
}

/// In the place of the one that was asked for the longest time ago; forgotten ones are older still.
CapacityCache::Entry& CapacityCache::make(ShapeId shape, View view, const Demand& demand) {
    const auto oldest =
        std::min_element(kept_.begin(), kept_.end(), [](const auto& a, const auto& b) {
            if (a->is_lent != b->is_lent) return b->is_lent;
            return a->asked_last < b->asked_last;
        });
    const bool has_free = oldest != kept_.end() && !(*oldest)->is_lent &&
                          ((*oldest)->shape.is_none() || kept_.size() >= kept_max);
    if (!has_free) {
        return *kept_.emplace_back(
            std::make_unique<Entry>(Entry{shape, view, 0, 0, false, Capacities(demand)}));
    }
    Entry& entry = **oldest;
    entry.shape = shape;
    entry.view = view;
    entry.questions = 0;
    entry.capacities.begin_anew(demand);
    return entry;
}

void CapacityCache::forget(ShapeId shape) {
    for (const auto& entry : kept_) {
        if (entry->shape != shape) continue;
        entry->shape = {};
        entry->asked_last = 0;
    }
}

}  // namespace core
