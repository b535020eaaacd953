#pragma once
// What came of our requests: questions for a conf, binds, status writes; and what a consistency
// check found of a reservation.

#include "gang/classify/retry_pauses.hpp"
#include "gang/event.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/life/gang_life.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"

namespace gang {

class Answers {
public:
    Answers(
        Model& model,
        StepContext& step,
        Declarations& declarations,
        Publisher& publisher,
        Leadership& leadership,
        RetryPauses& pauses,
        GangLife& life)
        : model_(model),
          step_(step),
          declarations_(declarations),
          publisher_(publisher),
          leadership_(leadership),
          pauses_(pauses),
          life_(life) {}

    void on(const SparkConfFound& event);
    void on(const SparkConfMissing& event);
    void on(const BindFinished& event);
    void on(const StatusWritten& event);
    /// Told by the consistency check: what the watch last showed is not a state of before our own
    /// write.
    void on(const ReservationDiffers& event);

private:
    void bind_failed(PodEntry& entry, const BindFinished& event);

    Model& model_;
    StepContext& step_;
    Declarations& declarations_;
    Publisher& publisher_;
    Leadership& leadership_;
    RetryPauses& pauses_;
    GangLife& life_;
};

}  // namespace gang
