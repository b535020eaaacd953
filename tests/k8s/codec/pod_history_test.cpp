#include "k8s/codec/pod/pod_history.hpp"

#include <doctest/doctest.h>

TEST_CASE("pod history: times, ends and owners of a pod") {
    const auto page = k8s::decode_pod_histories(R"({"kind":"PodList","metadata":{"continue":"t"},
      "items":[{"metadata":{"namespace":"etl","name":"e1","uid":"u1",
        "creationTimestamp":"2026-07-01T12:00:00Z","deletionTimestamp":"2026-07-01T12:01:00Z",
        "deletionGracePeriodSeconds":30,
        "labels":{"spark-app-selector":"spark-1","spark-role":"executor"},
        "annotations":{"gang-scheduler/slot":"x","other":"y"},
        "ownerReferences":[{"uid":"d0"},{"uid":"d1","controller":true}]},
       "spec":{"nodeName":"n1","schedulerName":"gang-scheduler"},
       "status":{"phase":"Failed","startTime":"2026-07-01T12:00:02Z",
        "conditions":[{"type":"PodScheduled","status":"True",
                       "lastTransitionTime":"2026-07-01T12:00:01Z"}],
        "containerStatuses":[{"state":{"terminated":{"exitCode":137,"reason":"OOMKilled",
          "startedAt":"2026-07-01T12:00:03Z","finishedAt":"2026-07-01T12:00:20Z"}}}]}}]})");
    REQUIRE(page.has_value());
    CHECK(page->continue_token == "t");
    const k8s::PodHistory& pod = page->items.at(0);
    const std::int64_t start = pod.created_ms;
    CHECK(pod.bound_ms - start == 1'000);
    CHECK(pod.started_ms - start == 3'000);
    CHECK(pod.ended_ms - start == 20'000);
    CHECK(pod.deleting_ms - start == 30'000);
    CHECK(pod.end_reason == "OOMKilled, exit code 137");
    CHECK(pod.controller_uid == "d1");
    CHECK(pod.application == "spark-1");
    CHECK(pod.annotations == core::StringMap{{"gang-scheduler/slot", "x"}});
}

TEST_CASE("pod history: the kubelet's refusal, and pods that say nothing") {
    const auto page = k8s::decode_pod_histories(
        R"({"kind":"PodList","metadata":{},"items":[
            {"metadata":{"name":"a"},"status":{"phase":"Failed","reason":"OutOfcpu"}},
            {"metadata":{"name":"b","creationTimestamp":7},"spec":null,"status":[]}]})");
    REQUIRE(page.has_value());
    CHECK(page->items.at(0).end_reason == "OutOfcpu");
    CHECK(page->items.at(1).created_ms == 0);
    CHECK_FALSE(k8s::decode_pod_histories("{}").has_value());
    CHECK_FALSE(k8s::decode_pod_histories("[").has_value());
}

TEST_CASE("pod history: an event's latest time, in each of its three forms") {
    const auto page = k8s::decode_events(R"({"kind":"EventList","metadata":{},"items":[
        {"metadata":{"creationTimestamp":"2026-07-01T12:00:00Z"},"reason":"A","type":"Warning",
         "message":"m","reportingComponent":"gang-scheduler"},
        {"metadata":{},"eventTime":"2026-07-01T12:00:01.250000Z","reason":"B"},
        {"metadata":{},"lastTimestamp":"2026-07-01T12:00:02Z",
         "series":{"lastObservedTime":"2026-07-01T12:00:03.000000Z"},"reason":"C"}]})");
    REQUIRE(page.has_value());
    const std::int64_t start = page->items.at(0).time_ms;
    CHECK(page->items.at(0).warning);
    CHECK(page->items.at(0).component == "gang-scheduler");
    CHECK(page->items.at(1).time_ms - start == 1'250);
    CHECK(page->items.at(2).time_ms - start == 3'000);
}
