#include "gang/sim/checkers/decisions/lease_checker.hpp"

#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::sim {

void LeaseChecker::sent(std::uint32_t replica, const std::string& holder) {
    const auto& lease = world_.store.lease();
    if (world_.now_ms < counts_from_ms_ || !lease || lease->holder.empty() ||
        lease->holder == holder) {
        return;
    }
    world_.checkers.violated(
        "lease", fmt::format("r{} writes while {} holds the lease", replica, lease->holder));
}

/// A Lease that is deleted takes its epoch with it; what a clock says then may be less.
void LeaseChecker::leads(std::uint32_t replica, std::int64_t epoch) {
    if (epoch <= epoch_ && !was_touched_) {
        world_.checkers.violated(
            "epochs",
            fmt::format("r{} leads with epoch {}, the last one was {}", replica, epoch, epoch_));
    }
    epoch_ = std::max(epoch_, epoch);
}

void LeaseChecker::clock_was_wrong() {
    counts_from_ms_ = world_.now_ms + lease_doubtful_ms;
}

void LeaseChecker::lease_was_touched() {
    was_touched_ = true;
    counts_from_ms_ = world_.now_ms + lease_doubtful_ms;
}

}  // namespace gang::sim
