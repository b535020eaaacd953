#pragma once
// Metrics of GPUs: what nodes offer follows them, and the pods that come and go
// (model/gpu/gpu_board.hpp).

#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

namespace gang {

class GpuEvents {
public:
    GpuEvents(Model& model, StepContext& step) : model_(model), step_(step) {}

    void on(const MetricsSampled& event);
    void on(const MetricsMissing& event);
    /// Before something is planned: samples that are too old by now offer nothing, and each node
    /// what it has left beside the pods that it was given meanwhile.
    void run();

private:
    Model& model_;
    StepContext& step_;
};

}  // namespace gang
