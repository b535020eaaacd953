#pragma once
// Has all pods listed once more when a rule between pods names a label that was not asked for
// before (model/cluster/rule_labels.hpp), and lets those who waited for it be tried.

#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <cstdint>

namespace gang {

class LabelLister {
public:
    LabelLister(Model& model, StepContext& step) : model_(model), step_(step) {}

    void on(const PodListed& event);
    void on(const PodsListed& event);
    /// Asks for a list if one is wanted; counts for new rules what is known.
    void run();

private:
    void place_assumed();

    Model& model_;
    StepContext& step_;
    std::int64_t not_before_ms_ = 0;
};

}  // namespace gang
