#pragma once
// Pauses of pods whose bind was not carried out.

#include "gang/explain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/timers.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace gang {

class RetryPauses {
public:
    RetryPauses(Model& model, StepContext& step) : model_(model), step_(step) {}

    std::size_t remembered() const { return retry_due_.size(); }

    /// The pod is not tried again before that, or before it changes if `until_changed`.
    void pause(PodEntry& entry, ReasonCode code, std::int64_t pause_ms, bool until_changed);
    /// Pauses that are over: their pods are looked at again.
    void end_pauses();

private:
    Model& model_;
    StepContext& step_;
    DueList<std::string> retry_due_;
};

}  // namespace gang
