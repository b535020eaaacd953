#pragma once
// Between the scheduler's values and those of the Kubernetes edge: what a decision asks of the API
// server, and what an answer means to the scheduler. Pure functions, for the daemon and the
// simulation alike.

#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "k8s/protocol/write/writes.hpp"

#include <string>

namespace gang {

k8s::BindRequest to_request(const BindPod& decision);
BindFinished to_event(const k8s::BindResult& result);

k8s::StatusPatch to_patch(const SetCondition& decision);
k8s::StatusPatch to_patch(const UpdateReservation& decision);
StatusWritten to_event(const std::string& pod_uid, const k8s::StatusResult& result);

k8s::PodName to_name(const EvictPod& decision);
EvictFinished to_event(const std::string& pod_uid, const k8s::EvictResult& result);

k8s::PodEvent to_pod_event(const RecordEvent& decision);

/// Why there is no conf. `found`: it came, and cannot be read.
ConfProblem to_problem(k8s::FetchOutcome outcome);

}  // namespace gang
