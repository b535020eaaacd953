#pragma once
// The parts of a daemon that its endpoints ask for their answers. All outlive the endpoints.

#include "gang/app/daemon/consistency_checker.hpp"
#include "gang/app/daemon/daemon_options.hpp"
#include "gang/app/daemon/loop/decision_loop.hpp"
#include "gang/app/daemon/loop/replica_role.hpp"
#include "gang/app/daemon/queues/queue_objects.hpp"
#include "gang/app/daemon/volcano/volcano_groups.hpp"
#include "gang/app/daemon/watches/optional_watches.hpp"
#include "gang/app/daemon/watches/pod_node_watches.hpp"
#include "gang/scheduler.hpp"
#include "k8s/write/writer.hpp"

namespace gang::app {

struct DaemonView {
    const DaemonOptions* options;
    const Scheduler* scheduler;
    DecisionLoop* loop;
    const ReplicaRole* role;
    const PodNodeWatches* watches;
    const OptionalWatches* optional_watches;
    const k8s::Writer* writer;
    const QueueObjects* queue_objects;
    const VolcanoGroups* volcano_groups;
    ConsistencyChecker* consistency_checker;
};

}  // namespace gang::app
