#include "gang/host/requests.hpp"

#include "core/base/result.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <optional>

namespace gang {
namespace {

k8s::PodName to_name(const PodRef& pod) {
    return k8s::PodName{pod.namespace_name, pod.name, pod.uid};
}

/// For whose turn a bind waits: the uid of the gang's driver, which a slot's name begins with.
/// Empty: a lone pod, or an executor without a slot.
std::string gang_of(const BindPod& decision) {
    if (decision.starts_gang) {
        return decision.pod.uid;
    }
    const std::string* slot = core::find_value(decision.annotations, slot_annotation);
    const std::size_t end = slot == nullptr ? std::string::npos : slot->find('/');
    return end == std::string::npos ? std::string() : slot->substr(0, end);
}

BindOutcome to_outcome(k8s::BindOutcome outcome) {
    switch (outcome) {
        case k8s::BindOutcome::bound:
            return BindOutcome::bound;
        case k8s::BindOutcome::taken:
            return BindOutcome::taken;
        case k8s::BindOutcome::gone:
            return BindOutcome::gone;
        case k8s::BindOutcome::changed:
            return BindOutcome::changed;
        case k8s::BindOutcome::not_bindable:
            return BindOutcome::not_bindable;
        case k8s::BindOutcome::refused:
            return BindOutcome::refused;
        case k8s::BindOutcome::not_sent:
            return BindOutcome::not_sent;
    }
    ENSURE(false);
    return BindOutcome::not_sent;
}

CapacityOutcome to_outcome(k8s::DemandOutcome outcome, CapacityOutcome when_done) {
    switch (outcome) {
        case k8s::DemandOutcome::done:
            return when_done;
        case k8s::DemandOutcome::no_kind:
            return CapacityOutcome::no_kind;
        case k8s::DemandOutcome::forbidden:
            return CapacityOutcome::forbidden;
        case k8s::DemandOutcome::refused:
            return CapacityOutcome::refused;
        case k8s::DemandOutcome::failed:
            return CapacityOutcome::failed;
    }
    ENSURE(false);
    return CapacityOutcome::failed;
}

GroupStatusOutcome to_outcome(k8s::ObjectStatusOutcome outcome) {
    switch (outcome) {
        case k8s::ObjectStatusOutcome::written:
            return GroupStatusOutcome::written;
        case k8s::ObjectStatusOutcome::others:
            return GroupStatusOutcome::others;
        case k8s::ObjectStatusOutcome::gone:
            return GroupStatusOutcome::gone;
        case k8s::ObjectStatusOutcome::forbidden:
            return GroupStatusOutcome::forbidden;
        case k8s::ObjectStatusOutcome::refused:
            return GroupStatusOutcome::refused;
        case k8s::ObjectStatusOutcome::failed:
            return GroupStatusOutcome::failed;
    }
    ENSURE(false);
    return GroupStatusOutcome::failed;
}

EvictOutcome to_outcome(k8s::EvictOutcome outcome) {
    switch (outcome) {
        case k8s::EvictOutcome::evicted:
            return EvictOutcome::evicted;
        case k8s::EvictOutcome::budget:
            return EvictOutcome::budget;
        case k8s::EvictOutcome::gone:
            return EvictOutcome::gone;
        case k8s::EvictOutcome::refused:
            return EvictOutcome::refused;
        case k8s::EvictOutcome::not_sent:
            return EvictOutcome::not_sent;
    }
    ENSURE(false);
    return EvictOutcome::not_sent;
}

}  // namespace

k8s::BindRequest to_request(const BindPod& decision) {
    return k8s::BindRequest{
        to_name(decision.pod),
        decision.resource_version,
        decision.node,
        decision.annotations,
        gang_of(decision),
        decision.starts_gang};
}

BindFinished to_event(const k8s::BindResult& result) {
    return BindFinished{result.request.pod.uid, to_outcome(result.outcome), result.message};
}

k8s::StatusPatch to_patch(const SetCondition& decision) {
    return k8s::StatusPatch{
        to_name(decision.pod),
        decision.resource_version,
        k8s::PodCondition{decision.reason, decision.message, decision.is_transition},
        {}};
}

k8s::StatusPatch to_patch(const UpdateReservation& decision) {
    return k8s::StatusPatch{
        to_name(decision.driver), decision.resource_version, std::nullopt, decision.annotations};
}

StatusWritten to_event(const std::string& pod_uid, const k8s::StatusResult& result) {
    const auto outcome = result.written   ? WriteOutcome::written
                         : result.changed ? WriteOutcome::changed
                                          : WriteOutcome::failed;
    return StatusWritten{pod_uid, outcome, result.message};
}

k8s::GroupStatusWrite to_request(const WriteGroupStatus& decision) {
    return {
        decision.dialect,
        decision.api_version,
        decision.namespace_name,
        decision.name,
        decision.uid,
        {},
        false,
        decision.status};
}

GroupStatusWritten to_event(
    const WriteGroupStatus& decision, const k8s::ObjectStatusResult& result) {
    return {
        decision.dialect,
        decision.namespace_name,
        decision.name,
        to_outcome(result.outcome),
        result.message};
}

k8s::PodName to_name(const EvictPod& decision) {
    return to_name(decision.pod);
}

EvictFinished to_event(const std::string& pod_uid, const k8s::EvictResult& result) {
    return EvictFinished{pod_uid, to_outcome(result.outcome), result.message};
}

k8s::PodEvent to_pod_event(const RecordEvent& decision) {
    return k8s::PodEvent{
        to_name(decision.pod),
        decision.warning,
        decision.reason,
        decision.message,
        decision.is_about_node,
        decision.group_api_version};
}

ConfProblem to_problem(k8s::FetchOutcome outcome) {
    switch (outcome) {
        case k8s::FetchOutcome::not_found:
            return ConfProblem::not_found;
        case k8s::FetchOutcome::forbidden:
            return ConfProblem::forbidden;
        case k8s::FetchOutcome::found:
        case k8s::FetchOutcome::unreadable:
            return ConfProblem::unreadable;
        case k8s::FetchOutcome::failed:
            return ConfProblem::failed;
    }
    ENSURE(false);
    return ConfProblem::failed;
}

k8s::DemandRequest to_request(const WantCapacity& decision) {
    return k8s::DemandRequest{
        to_name(decision.driver), decision.shapes, decision.shapes.size()};
}

k8s::DemandRequest to_request(const DropCapacity& decision) {
    return k8s::DemandRequest{
        to_name(decision.driver), {}, static_cast<std::size_t>(decision.shapes)};
}

CapacityAnswered to_event(const WantCapacity& decision, const k8s::DemandResult& result) {
    return CapacityAnswered{
        decision.driver.uid,
        to_outcome(result.outcome, CapacityOutcome::written),
        result.may_exist,
        result.message};
}

CapacityAnswered to_event(const DropCapacity& decision, const k8s::DemandResult& result) {
    return CapacityAnswered{
        decision.driver.uid,
        to_outcome(result.outcome, CapacityOutcome::dropped),
        result.may_exist,
        result.message};
}

CapacityListed to_event(const k8s::DemandList& list) {
    CapacityListed event{list.is_complete, {}};
    for (const k8s::DemandFound& found : list.found) {
        event.found.push_back(
            {found.namespace_name, found.driver_uid, found.shapes, found.created_ms});
    }
    return event;
}

}  // namespace gang
