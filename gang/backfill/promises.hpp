#pragma once
// Promises those who wait for room an instant at which they fit, and says when they are expected to
// start.

#include "gang/backfill/endings.hpp"
#include "gang/backfill/waiters.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/placer.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace gang {

class Promises {
public:
    Promises(Model& model, StepContext& step, Placer& placer)
        : model_(model), step_(step), placer_(placer) {}

    /// With `easy` the first of each queue is promised one, with `conservative` everybody, as far
    /// as promises_max goes. Who should have one and cannot be given any is passed by nobody.
    void plan(std::vector<Waiter>& waiters);
    /// When they start, with medians, if nobody passes anybody: into their outlooks. `waiters` have
    /// been planned.
    void expect(const std::vector<Waiter>& waiters);

private:
    using Group = std::vector<std::size_t>;
    static std::vector<Group> groups_of(
        const std::vector<Waiter>& waiters, const std::vector<std::size_t>& chosen);
    /// `endings` by RunTimeKind.
    void expect_group(
        const std::vector<Waiter>& waiters,
        const Group& group,
        const std::array<Endings, 2>& endings);

    Model& model_;
    StepContext& step_;
    Placer& placer_;
};

}  // namespace gang
