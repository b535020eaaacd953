#pragma once
// What pods say. Nothing is decided here.

#include "core/value/pod.hpp"
#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/classify/pod_roles.hpp"
#include "gang/event.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/life/gang_life.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/slots/crash_loop_back_off.hpp"
#include "gang/slots/executors_elsewhere.hpp"
#include "gang/slots/slot_assigner.hpp"

namespace gang {

class PodEvents {
public:
    PodEvents(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Leadership& leadership,
        ExecutorOwners& owners,
        PodRoles& roles,
        PodCompaction& compaction,
        SlotAssigner& assigner,
        ExecutorsElsewhere& elsewhere,
        CrashLoopBackOff& back_off,
        GangLife& life)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          leadership_(leadership),
          owners_(owners),
          roles_(roles),
          compaction_(compaction),
          assigner_(assigner),
          elsewhere_(elsewhere),
          back_off_(back_off),
          life_(life) {}

    void on(const PodUpserted& event);
    void on(const PodDeleted& event);
    /// Of a pod that is not bound: kube-scheduler asks where it goes, or does not any more.
    void asked(PodEntry& entry);
    void unasked(PodEntry& entry);

private:
    bool is_ours(const core::Pod& pod);
    void forget_other(const std::string& uid);
    void keep_volumes(core::Pod& pod) const;
    void take(const core::Pod& pod);
    void warn_of_gpus(const PodEntry& entry);
    void take_state(PodEntry& entry, const core::Pod& update);
    bool is_no_op(PodId id, const core::Pod& update);
    bool is_no_op_of_driver(const Application& app, const core::Pod& update) const;
    void observe(PodEntry& entry);
    void observe_end(const PodEntry& entry);
    void observe_driver(PodEntry& entry, bool behind_fence);
    bool awaits_adoption(const Application& app, const PodEntry& entry, bool behind_fence) const;
    void observe_member(PodEntry& entry);
    bool is_queued(const PodEntry& entry, const Application* owner) const;
    void forget_pod(PodEntry& entry);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Leadership& leadership_;
    ExecutorOwners& owners_;
    PodRoles& roles_;
    PodCompaction& compaction_;
    SlotAssigner& assigner_;
    ExecutorsElsewhere& elsewhere_;
    CrashLoopBackOff& back_off_;
    GangLife& life_;
};

}  // namespace gang
