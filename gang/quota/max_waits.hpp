#pragma once
// Gangs that are to wait for so long at most: who has waited for longer is overdue, and goes before
// the others of its queue, and those behind it who use a limit that it waits for wait as well.
// Nothing else changes for it: limits hold, and for whom room is made is decided by priorities.
// Where its queue, or one above it, says so (maxWaitStrict), it is passed by nobody: all queues have
// their turns after it, nobody is placed on nodes that it could use, by backfill, by evictions or on
// nodes that were bought, and nobody uses a limit that it waits for.
// Without queues all are in the order of their creation, overdue or not.
//
//   says max-wait, or its queue does --> waits --creation + max-wait has come--> overdue

#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <cstdint>
#include <optional>

namespace gang {

/// Lane::before of one that is overdue: those of ten minutes are of one lane, the earlier goes first.
/// Coarser than it could be, for each lane is looked at by itself.
std::int64_t overdue_lane(std::uint32_t overdue_from_s);
bool is_overdue(const Lane& lane);
/// Those of the lane are overdue, and passed by nobody.
bool is_strict(const QueueTree& tree, const Lane& lane);

class MaxWaits {
public:
    MaxWaits(Model& model, StepContext& step) : model_(model), step_(step) {}

    /// Who has become overdue is to be classified anew.
    void run();
    /// It waits, and is being classified.
    void look_at(Application& app);

private:
    Model& model_;
    StepContext& step_;
    std::optional<std::uint32_t> next_s_;  ///< the first of those who wait becomes overdue
};

}  // namespace gang
