#pragma once
// Claims that pods mount: asks for them, and lets pods that wait be looked at again when more is
// known (model/volume/claims.hpp).

#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <string>
#include <vector>

namespace gang {

class ClaimEvents {
public:
    ClaimEvents(Model& model, StepContext& step) : model_(model), step_(step) {}

    void on(const ClaimFound& event);
    void on(const ClaimMissing& event);
    /// The pod's own bind was answered: others may wait for what it holds.
    void bind_answered(const std::string& uid, bool bound);
    /// Asks for those whose turn it is, and looks again at who waited for a claim that is free now.
    void run();

private:
    void look_at_executors(Application& app, const core::Pod& driver);
    void look_again(const std::vector<std::string>& uids);

    Model& model_;
    StepContext& step_;
};

}  // namespace gang
