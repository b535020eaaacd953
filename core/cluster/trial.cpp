#include "core/cluster/trial.hpp"

#include "core/base/result.hpp"

namespace core {

ChargeId Trial::charge(NodeIndex node, ShapeId shape, Holder holder, std::uint32_t count) {
    const std::size_t tokens_before = cluster_.charges_.size();
    const ChargeId id = cluster_.charge(node, shape, holder, count);
    log_.push_back({id, {}, true, cluster_.charges_.size() > tokens_before});
    return id;
}

void Trial::release(ChargeId id) {
    // The amounts keep their reference: the charge may have been the last to hold them.
    log_.push_back({id, cluster_.detach(id), false, false});
}

void Trial::commit() {
    for (const Step& step : log_) {
        if (step.taken) continue;
        cluster_.release_amounts(step.charge.resources);
        cluster_.note_if_idle(step.charge.node);
    }
    log_.clear();
    room_version_ = cluster_.room_version_;
}

void Trial::roll_back() {
    for (; !log_.empty(); log_.pop_back()) {
        const Step& step = log_.back();
        if (step.taken) {
            cluster_.undo_attach(step.id, step.appended);
        } else {
            cluster_.undo_detach(step.id, step.charge);
        }
    }
    cluster_.room_version_ = room_version_;
}

}  // namespace core
