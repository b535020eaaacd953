#include "core/cluster/allocation/trial.hpp"

#include <utility>

namespace core {

AllocationId Trial::allocate(
    NodeIndex node, ShapeId shape, UsedBy used_by, std::uint32_t count, CardChoice choice) {
    if (count > 1 && cluster_.demand(shape).wants_cards) {
        for (; count > 1; --count) allocate(node, shape, used_by, 1, choice);
    }
    if (cluster_.demand(shape).wants_volumes) keep_gains();
    const std::size_t numbers_before = allocations_.table_.size();
    const AllocationId id = cluster_.allocate(node, shape, used_by, count, choice);
    log_.push_back({id, {}, true, allocations_.table_.size() > numbers_before});
    return id;
}

void Trial::keep_gains() {
    if (!gains_) gains_ = gains();
}

void Trial::release(AllocationId id) {
    keep_gains();
    // The amounts keep their reference: the allocation may have been the last to hold them.
    log_.push_back({id, allocations_.detach(id), false, false});
}

void Trial::commit() {
    for (const Step& step : log_) {
        if (step.taken) continue;
        allocations_.room().release(step.allocation.resources);
        allocations_.room().nodes().note_if_idle(step.allocation.node);
    }
    log_.clear();
    gains_.reset();
}

void Trial::roll_back() {
    for (; !log_.empty(); log_.pop_back()) {
        const Step& step = log_.back();
        if (step.taken) {
            allocations_.undo_attach(step.id, step.was_new);
        } else {
            allocations_.undo_detach(step.id, step.allocation);
        }
    }
    if (gains_) gains() = *std::exchange(gains_, std::nullopt);
}

}  // namespace core
