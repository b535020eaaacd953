#include "k8s/volume/claim_progress.hpp"

#include <utility>

namespace k8s {

ClaimProgress::Step ClaimProgress::give_up(std::string why) {
    why_ = std::move(why);
    return Step::give_up;
}

ClaimProgress::Step ClaimProgress::next(const core::Claim& claim) {
    if (claim.is_deleting) return give_up("it is being deleted");
    if (claim.state == core::ClaimState::lost) return give_up("its volume is gone");
    if (is_there_) return next_of_volume(claim);
    if (claim.state == core::ClaimState::bound) {
        // Bound for somebody else's node, the volume may be out of this one's reach.
        const bool is_for_us = is_written_ || claim.selected_node == node_;
        return is_for_us ? Step::done : give_up("it was bound meanwhile");
    }
    if (claim.selected_node == node_) return Step::wait;
    if (!claim.selected_node.empty()) {
        return give_up("its volume is to be made for node " + claim.selected_node);
    }
    return is_written_ ? give_up("no volume could be made for node " + node_) : Step::annotate;
}

/// A claim that names the volume, and is not bound, is being bound to it.
ClaimProgress::Step ClaimProgress::next_of_volume(const core::Claim& claim) {
    if (volume_.empty()) return give_up("no volume is left for it on node " + node_);
    if (claim.state == core::ClaimState::bound) {
        return claim.volume == volume_ ? Step::done : give_up("it was bound meanwhile");
    }
    if (!claim.selected_node.empty()) {
        return give_up("its volume is to be made for node " + claim.selected_node);
    }
    return is_written_ || claim.volume == volume_ ? Step::wait : Step::claim_volume;
}

}  // namespace k8s
