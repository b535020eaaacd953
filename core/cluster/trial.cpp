#include "core/cluster/trial.hpp"

#include "core/base/result.hpp"

#include <utility>

namespace core {

AllocationId Trial::allocate(
    NodeIndex node, ShapeId shape, UsedBy used_by, std::uint32_t count, CardChoice choice) {
    if (count > 1 && cluster_.demand(shape).wants_cards) {
        for (; count > 1; --count) allocate(node, shape, used_by, 1, choice);
    }
    const std::size_t tokens_before = cluster_.allocations_.size();
    const AllocationId id = cluster_.allocate(node, shape, used_by, count, choice);
    log_.push_back({id, {}, true, cluster_.allocations_.size() > tokens_before});
    return id;
}

void Trial::release(AllocationId id) {
    if (!gains_) gains_ = cluster_.gains_;
    // The amounts keep their reference: the allocation may have been the last to hold them.
    log_.push_back({id, cluster_.detach(id), false, false});
}

void Trial::commit() {
    for (const Step& step : log_) {
        if (step.taken) continue;
        cluster_.release_amounts(step.allocation.resources);
        cluster_.note_if_idle(step.allocation.node);
    }
    log_.clear();
    gains_.reset();
    free_capacity_version_ = cluster_.free_capacity_version_;
}

void Trial::roll_back() {
    for (; !log_.empty(); log_.pop_back()) {
        const Step& step = log_.back();
        if (step.taken) {
            cluster_.undo_attach(step.id, step.appended);
        } else {
            cluster_.undo_detach(step.id, step.allocation);
        }
    }
    cluster_.free_capacity_version_ = free_capacity_version_;
    // More releases than are kept have overwritten those from before.
    if (gains_) cluster_.gains_ = *std::exchange(gains_, std::nullopt);
}

}  // namespace core
