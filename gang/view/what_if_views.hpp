#pragma once
// Answers about gangs that do not exist, by the planner that places those that do.

#include "gang/model/model.hpp"
#include "gang/what_if.hpp"

namespace gang {

class WhatIfViews {
public:
    explicit WhatIfViews(const Model& model) : model_(model) {}

    /// See Scheduler::what_if.
    WhatIfAnswer answer(const WhatIf& question) const;

private:
    const Model& model_;
};

}  // namespace gang
