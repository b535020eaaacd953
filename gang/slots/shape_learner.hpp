#pragma once
// What an executor asks is predicted from the conf; the first real one says what it is. A webhook,
// a version that computes otherwise, values set in application code: when it differs, the shape of
// its profile is corrected, and with it every slot that is still free.
//
//   smaller   slots shrink where they are; what they leave is free once that is written
//   larger    slots grow where they are, from the gang's own and from free room; those that cannot
//             move; those that fit nowhere are unplaced: repaired before new gangs get anything
//
// The room of no other gang is touched, and of its own room the gang uses what is of use: with
// three slots of 4Gi it may run two executors of 5Gi. Executors that differ from the first one are
// dealt with one by one (slot_matcher.hpp), or a tenant could have the reservation written all
// the time.

#include "core/cluster/cluster.hpp"
#include "core/value/pod.hpp"
#include "core/value/resources.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/placer.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/gang_health.hpp"

#include <cstddef>
#include <cstdint>

namespace gang {

class ShapeLearner {
public:
    ShapeLearner(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Publisher& publisher,
        Leadership& leadership,
        Placer& placer,
        GangHealth& health)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          publisher_(publisher),
          leadership_(leadership),
          placer_(placer),
          health_(health) {}

    /// Looks at executors that wait, as long as a shape is not known to be right.
    void learn_shapes(Application& app);

private:
    struct PlacedSlots {
        std::int64_t total = 0;
        std::int64_t without = 0;  ///< of these, slots without room
    };

    void learn_shape(Application& app, const core::Pod& pod);
    void correct_shape(Application& app, std::size_t index, const core::Pod& pod);
    void report_corrected(
        Application& app,
        const core::Resources& predicted,
        core::ShapeId corrected,
        PlacedSlots placed);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    Leadership& leadership_;
    Placer& placer_;
    GangHealth& health_;
};

}  // namespace gang
