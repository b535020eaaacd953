#pragma once
// Reservations read back from the annotations of bound drivers: after a start, and while another
// leader decides. The annotation is a hint that a tenant may have edited: it is bounded by the
// config, its nodes are checked for room again, and it never gives a gang more than it says in
// shape and count.

#include "gang/classify/executor_owners.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/slot_assigner.hpp"

#include <string>

namespace gang {

class Recovery {
public:
    Recovery(
        Model& model,
        StepContext& step,
        Declarations& declarations,
        ExecutorOwners& owners,
        SlotAssigner& assigner,
        Publisher& publisher)
        : model_(model),
          step_(step),
          declarations_(declarations),
          owners_(owners),
          assigner_(assigner),
          publisher_(publisher) {}

    /// False: most of the tick's work was used up, and what follows from it is for the next.
    bool run();

private:
    void adopt(Application& app);
    Application& choose_newest(Application& app);
    bool read_reservation(Application& app, const std::string* text);
    void assign_members(Application& app);

    Model& model_;
    StepContext& step_;
    Declarations& declarations_;
    ExecutorOwners& owners_;
    SlotAssigner& assigner_;
    Publisher& publisher_;
};

}  // namespace gang
