// Between the scheduler's values and those of the Kubernetes edge: requests and answers beside those of binds.

#include "gang/host/requests.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

TEST_CASE("requests: a condition says whether the pod gets it anew, a bind where its pod is") {
    for (const bool is_transition : {true, false}) {
        const auto patch = gang::to_patch(
            gang::SetCondition{{"a", "b", "c"}, "Unschedulable", "m", true, "7", is_transition});
        CHECK(patch.pod == k8s::PodName{"a", "b", "c"});
        CHECK(patch.condition == k8s::PodCondition{"Unschedulable", "m", is_transition});
    }
    const auto reservation = gang::to_patch(gang::UpdateReservation{{"a", "b", "c"}, "41", {}});
    CHECK(reservation.pod == k8s::PodName{"a", "b", "c"});
    const gang::BindFinished finished =
        gang::to_event(k8s::BindResult{k8s::BindOutcome::refused, "why", {{"a", "b", "c"}, "", "", {}, "", false}});
    CHECK(finished.message == "why");
}

TEST_CASE("requests: a status is written, changed or failed, and says why not") {
    k8s::StatusResult result{true, false, "", "n1"};
    CHECK(gang::to_event("u", result).outcome == gang::WriteOutcome::written);
    CHECK(gang::to_event("u", result).pod_uid == "u");
    result = {false, true, "409", ""};
    CHECK(gang::to_event("u", result).outcome == gang::WriteOutcome::changed);
    result = {false, false, "422", ""};
    CHECK(gang::to_event("u", result).outcome == gang::WriteOutcome::failed);
    CHECK(gang::to_event("u", result).message == "422");
}

TEST_CASE("requests: the status of a group, without precondition but its uid, and its outcomes") {
    core::PodGroupStatus status;
    status.phase = core::GroupPhase::running;
    status.running = 3;
    const gang::WriteGroupStatus write{
        core::GroupDialect::volcano, "ml", "g", "u", "scheduling.volcano.sh/v1beta1", status};
    const k8s::GroupStatusWrite request = gang::to_request(write);
    CHECK(request.dialect == core::GroupDialect::volcano);
    CHECK(request.api_version == "scheduling.volcano.sh/v1beta1");
    CHECK(request.namespace_name == "ml");
    CHECK(request.name == "g");
    CHECK(request.uid == "u");
    CHECK(request.resource_version.empty());
    CHECK_FALSE(request.is_forced);
    CHECK(request.status == status);
    using From = k8s::ObjectStatusOutcome;
    using To = gang::GroupStatusOutcome;
    for (const auto& [from, to] :
         {std::pair(From::written, To::written),
          std::pair(From::others, To::others),
          std::pair(From::gone, To::gone),
          std::pair(From::forbidden, To::forbidden),
          std::pair(From::refused, To::refused),
          std::pair(From::failed, To::failed)}) {
        const gang::GroupStatusWritten written = gang::to_event(write, {from, "why"});
        CHECK(written.outcome == to);
        CHECK(written.dialect == core::GroupDialect::volcano);
        CHECK(written.namespace_name == "ml");
        CHECK(written.name == "g");
        CHECK(written.message == "why");
    }
}

TEST_CASE("requests: an eviction and its outcomes") {
    CHECK(
        gang::to_name(gang::EvictPod{{"etl", "p", "u"}, gang::EvictReason::preempt}) ==
        k8s::PodName{"etl", "p", "u"});
    using From = k8s::EvictOutcome;
    using To = gang::EvictOutcome;
    for (const auto& [from, to] :
         {std::pair(From::evicted, To::evicted),
          std::pair(From::budget, To::budget),
          std::pair(From::gone, To::gone),
          std::pair(From::refused, To::refused),
          std::pair(From::not_sent, To::not_sent)}) {
        const gang::EvictFinished finished = gang::to_event("u", {from, "why"});
        CHECK(finished.outcome == to);
        CHECK(finished.pod_uid == "u");
        CHECK(finished.message == "why");
    }
}

TEST_CASE("requests: an event on a pod, on a node and on a group") {
    for (const bool flag : {false, true}) {
        const k8s::PodEvent event = gang::to_pod_event(
            {{"etl", "p", "u"}, flag, "Reason", "text", !flag, flag ? "a/v1" : ""});
        CHECK(event.pod == k8s::PodName{"etl", "p", "u"});
        CHECK(event.warning == flag);
        CHECK(event.reason == "Reason");
        CHECK(event.message == "text");
        CHECK(event.is_about_node == !flag);
        CHECK(event.group_api_version == (flag ? "a/v1" : ""));
    }
}

TEST_CASE("requests: why there is no conf; one that came cannot be read") {
    using From = k8s::FetchOutcome;
    using To = gang::ConfProblem;
    CHECK(gang::to_problem(From::not_found) == To::not_found);
    CHECK(gang::to_problem(From::forbidden) == To::forbidden);
    CHECK(gang::to_problem(From::found) == To::unreadable);
    CHECK(gang::to_problem(From::unreadable) == To::unreadable);
    CHECK(gang::to_problem(From::failed) == To::failed);
}

TEST_CASE("requests: capacity that is wanted and dropped, and the outcomes") {
    core::CapacityShape shape;
    shape.count = 4;
    const gang::WantCapacity want{{"etl", "d", "u"}, {shape, core::CapacityShape{}}};
    const k8s::DemandRequest wanted = gang::to_request(want);
    CHECK(wanted.driver == k8s::PodName{"etl", "d", "u"});
    CHECK(wanted.shapes == want.shapes);
    CHECK(wanted.shapes_max == 2);
    const gang::DropCapacity drop{{"etl", "d", "u"}, 3};
    const k8s::DemandRequest dropped = gang::to_request(drop);
    CHECK(dropped.driver == k8s::PodName{"etl", "d", "u"});
    CHECK(dropped.shapes.empty());
    CHECK(dropped.shapes_max == 3);
    using From = k8s::DemandOutcome;
    using To = gang::CapacityOutcome;
    for (const auto& [from, to] :
         {std::pair(From::no_kind, To::no_kind),
          std::pair(From::forbidden, To::forbidden),
          std::pair(From::refused, To::refused),
          std::pair(From::failed, To::failed)}) {
        for (const bool may_exist : {true, false}) {
            for (const gang::CapacityAnswered& answered :
                 {gang::to_event(want, {from, may_exist, "why"}),
                  gang::to_event(drop, {from, may_exist, "why"})}) {
                CHECK(answered.outcome == to);
                CHECK(answered.driver_uid == "u");
                CHECK(answered.may_exist == may_exist);
                CHECK(answered.message == "why");
            }
        }
    }
    CHECK(gang::to_event(want, {From::done, true, ""}).outcome == To::written);
    CHECK(gang::to_event(drop, {From::done, false, ""}).outcome == To::dropped);
}

TEST_CASE("requests: capacity that was found, and whether that is all of it") {
    for (const bool is_complete : {true, false}) {
        const gang::CapacityListed listed =
            gang::to_event(k8s::DemandList{is_complete, {{"etl", "u", 2, 17}, {"ml", "v", 1, 9}}, ""});
        CHECK(listed.is_complete == is_complete);
        REQUIRE(listed.found.size() == 2);
        CHECK(listed.found[0].namespace_name == "etl");
        CHECK(listed.found[0].driver_uid == "u");
        CHECK(listed.found[0].shapes == 2);
        CHECK(listed.found[0].created_ms == 17);
        CHECK(listed.found[1].driver_uid == "v");
    }
}
