#pragma once
// Slots that nobody's valid text vouches for, held against what the gang declares
// (gang/reservation/declarations.hpp): those of a text that was read without a key are bounded by
// it; where no text counts, they are made anew, from the declaration and from the executors that
// run.
//
// New slots are found all at once or not at all: who strips his own annotation, or was bound by
// somebody else, must not hold the cluster's holes one by one for a gang that does not fit. Until
// then the gang's executors are placed as they come (gang/slots/slot_matcher.hpp).

#include "core/value/resources.hpp"
#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/placer.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/slot_assigner.hpp"

#include <cstddef>

namespace gang {

class SlotRebuilder {
public:
    SlotRebuilder(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Declarations& declarations,
        Publisher& publisher,
        Leadership& leadership,
        Placer& placer,
        ExecutorOwners& owners,
        PodCompaction& compaction,
        SlotAssigner& assigner)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          declarations_(declarations),
          publisher_(publisher),
          leadership_(leadership),
          placer_(placer),
          owners_(owners),
          compaction_(compaction),
          assigner_(assigner) {}

    /// New slots are found behind the fence only: before that, free room is nobody's yet.
    void run();

private:
    core::Resources bound_of(const Application& app, const core::Resources& declared) const;
    void bound_by(Application& app, const GangSize& size);
    void reshape(Application& app, std::size_t slot, std::size_t shape);
    bool rebuild(Application& app, const GangSize& size);
    void report_bounded(Application& app);
    void report_rebuilt(Application& app);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Declarations& declarations_;
    Publisher& publisher_;
    Leadership& leadership_;
    Placer& placer_;
    ExecutorOwners& owners_;
    PodCompaction& compaction_;
    SlotAssigner& assigner_;
};

}  // namespace gang
