#pragma once
// Labels of namespaces: asks for them once somebody's rule speaks of them, and takes such rules over
// anew when they change (model/cluster/inter_pod_rules.hpp, shares/queue_placement.hpp).

#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

namespace gang {

class NamespaceEvents {
public:
    NamespaceEvents(Model& model, StepContext& step) : model_(model), step_(step) {}

    // Each says whether anything is other than before.
    bool on(const NamespacesListed& event);
    bool on(const NamespaceChanged& event);
    bool on(const NamespaceDeleted& event);
    bool on(const NamespacesMissing& event);
    /// Asks, if there is reason to and nobody has asked.
    void run();

private:
    bool look_again(bool is_news);

    Model& model_;
    StepContext& step_;
    bool is_asked_ = false;
};

}  // namespace gang
