#pragma once
// What a pod that may be bound is: an executor with a gang, one that waits for its driver, or a pod
// of its own that stands in the queue.

#include "core/value/pod.hpp"
#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"

namespace gang {

class PodClassifier {
public:
    PodClassifier(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        ExecutorOwners& owners,
        PodCompaction& compaction)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          owners_(owners),
          compaction_(compaction) {}

    /// False: the tick's work was used up.
    bool run();

private:
    void classify(PodEntry& entry);
    void let_ownerless_wait(const PodEntry& entry);
    void note_unread(Application& app, const PodEntry& entry) const;

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    ExecutorOwners& owners_;
    PodCompaction& compaction_;
};

}  // namespace gang
