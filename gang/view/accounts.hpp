#pragma once
// What is held, and whether somebody owns it: room, shapes, texts and places in lines. A step
// leaves every account even; a difference is a leak, or something given back twice.

#include "core/value/account.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gang {

class Accounts {
public:
    Accounts(Model& model, StepContext& step) : model_(model), step_(step) {}

    /// See Scheduler::accounts. `remembered` is what the parts have of pods, all together.
    std::vector<core::Account> accounts(std::size_t remembered) const;

private:
    std::uint64_t count_wrong_queues() const;

    Model& model_;
    StepContext& step_;
};

}  // namespace gang
