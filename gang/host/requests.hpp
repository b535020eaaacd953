#pragma once
// Between the scheduler's values and those of the Kubernetes edge: what a decision asks of the API
// server, and what an answer means to the scheduler. Pure functions, for the daemon and the
// simulation alike.

#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "k8s/protocol/write/demand.hpp"
#include "k8s/protocol/write/group_status.hpp"
#include "k8s/protocol/write/object_status.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <string>

namespace gang {

k8s::BindRequest to_request(const BindPod& decision);
BindFinished to_event(const k8s::BindResult& result);

k8s::StatusPatch to_patch(const SetCondition& decision);
k8s::StatusPatch to_patch(const UpdateReservation& decision);
StatusWritten to_event(const std::string& pod_uid, const k8s::StatusResult& result);

k8s::GroupStatusWrite to_request(const WriteGroupStatus& decision);
GroupStatusWritten to_event(
    const WriteGroupStatus& decision, const k8s::ObjectStatusResult& result);
k8s::PodName to_name(const EvictPod& decision);
EvictFinished to_event(const std::string& pod_uid, const k8s::EvictResult& result);

k8s::PodEvent to_pod_event(const RecordEvent& decision);

k8s::DemandRequest to_request(const WantCapacity& decision);
k8s::DemandRequest to_request(const DropCapacity& decision);
CapacityAnswered to_event(const WantCapacity& decision, const k8s::DemandResult& result);
CapacityAnswered to_event(const DropCapacity& decision, const k8s::DemandResult& result);
CapacityListed to_event(const k8s::DemandList& list);

/// Why there is no conf. `found`: it came, and cannot be read.
ConfProblem to_problem(k8s::FetchOutcome outcome);

}  // namespace gang
