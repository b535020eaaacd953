#pragma once
// Sends a pod's bind, and remembers that it is under way.

#include "core/value/pod.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"

#include <optional>
#include <string>

namespace gang {

class BindSender {
public:
    BindSender(Model& model, StepContext& step, StatusReporter& status_reporter)
        : model_(model), step_(step), status_reporter_(status_reporter) {}

    /// The pod counts on the node from now on; the answer comes as BindFinished. What
    /// kube-scheduler asks us about is held until it says that it goes there (gang/extender).
    void send_bind(PodEntry& entry, const std::string& node, core::StringMap annotations);

    /// After its room is taken: which cards that is on is written with the bind.
    void say_cards(const PodEntry& entry, std::optional<core::AllocationId> room);

private:
    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
};

}  // namespace gang
