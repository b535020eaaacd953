#include "gang/host/requests.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using gang::to_event;
using gang::to_patch;
using gang::to_request;

TEST_CASE("requests: a bind and its outcomes") {
    const gang::BindPod bind{{"etl", "p", "u"}, "17", "n1", {{"gang-scheduler/slot", "0"}}};
    const auto request = to_request(bind);
    CHECK(request.pod == k8s::PodName{"etl", "p", "u"});
    CHECK(request.resource_version == "17");
    CHECK(request.node == "n1");
    CHECK(request.annotations == bind.annotations);
    using gang::BindOutcome;
    for (const auto& [from, to] :
         {std::pair(k8s::BindOutcome::bound, BindOutcome::bound),
          std::pair(k8s::BindOutcome::taken, BindOutcome::taken),
          std::pair(k8s::BindOutcome::gone, BindOutcome::gone),
          std::pair(k8s::BindOutcome::changed, BindOutcome::changed),
          std::pair(k8s::BindOutcome::not_bindable, BindOutcome::not_bindable),
          std::pair(k8s::BindOutcome::refused, BindOutcome::refused),
          std::pair(k8s::BindOutcome::not_sent, BindOutcome::not_sent)}) {
        const gang::BindFinished finished = to_event(k8s::BindResult{from, "m", request});
        CHECK(finished.outcome == to);
        CHECK(finished.pod_uid == "u");
    }
}

TEST_CASE("requests: a bind waits for its gang's turn, or without a slot for its namespace's") {
    gang::BindPod bind{{"etl", "pi-driver", "u1"}, "7", "n1", {}, 0, true};
    CHECK(to_request(bind).gang == "u1");
    CHECK(to_request(bind).starts_gang);
    bind.pod.uid = "u2";
    bind.starts_gang = false;
    CHECK(to_request(bind).gang == "");
    CHECK_FALSE(to_request(bind).starts_gang);
    bind.annotations = {{"gang-scheduler/slot", "u1/12"}};
    CHECK(to_request(bind).gang == "u1");
    bind.annotations = {{"gang-scheduler/slot", "elastic"}};
    CHECK(to_request(bind).gang == "");
}

TEST_CASE("requests: conditions carry no annotations, reservations no condition") {
    const auto condition =
        to_patch(gang::SetCondition{{"a", "b", "c"}, "Unschedulable", "m", false, "7"});
    CHECK(condition.resource_version == "7");
    CHECK(condition.condition == k8s::PodCondition{"Unschedulable", "m"});
    CHECK(condition.annotations.empty());
    const auto reservation = to_patch(gang::UpdateReservation{{"a", "b", "c"}, "41", {{"k", "v"}}});
    CHECK(reservation.resource_version == "41");
    CHECK_FALSE(reservation.condition.has_value());
    CHECK(reservation.annotations == core::StringMap{{"k", "v"}});
}
