#include "k8s/write_queue.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using namespace k8s;

namespace {

PodName pod(const std::string& uid) {
    return PodName{"ns", "pod-" + uid, uid};
}

BindJob bind_of(const std::string& uid) {
    BindJob job;
    job.request.pod = pod(uid);
    return job;
}

PatchJob awaited(const std::string& uid) {
    PatchJob job;
    job.patch.pod = pod(uid);
    job.done = [](StatusResult) {};
    return job;
}

PatchJob condition(const std::string& uid, const std::string& message = "") {
    PatchJob job;
    job.patch.pod = pod(uid);
    job.patch.condition = PodCondition{"Unschedulable", message};
    return job;
}

EventJob event_of(const std::string& uid) {
    EventJob job;
    job.event.pod = pod(uid);
    return job;
}

// "bind 1", "patch 2", ... or "nothing".
std::string taken(WriteQueue& queue, std::int64_t now = 0) {
    const auto job = queue.take(now);
    if (!job) return "nothing";
    if (std::holds_alternative<BindJob>(*job)) return "bind " + lane_of(*job);
    if (const auto* patch = std::get_if<PatchJob>(&*job)) {
        return (patch->done ? "patch " : "condition ") + lane_of(*job);
    }
    return std::holds_alternative<FetchJob>(*job) ? "fetch" : "event";
}

}  // namespace

TEST_CASE("write queue: binds, awaited patches, fetches, conditions, events, in this order") {
    WriteQueue queue{WriterOptions{}};
    REQUIRE(queue.add(event_of("1")));
    REQUIRE(queue.add(condition("2")));
    REQUIRE(queue.add(FetchJob{"ns", "cm", nullptr}));
    REQUIRE(queue.add(awaited("3")));
    REQUIRE(queue.add(bind_of("4")));
    CHECK(queue.size() == 5);
    CHECK(taken(queue) == "bind 4");
    CHECK(taken(queue) == "patch 3");
    CHECK(taken(queue) == "fetch");
    CHECK(taken(queue) == "condition 2");
    CHECK(taken(queue) == "event");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: one write per pod at a time, others pass") {
    WriteQueue queue{WriterOptions{}};
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(awaited("1")));
    REQUIRE(queue.add(condition("1")));
    REQUIRE(queue.add(bind_of("2")));
    CHECK(taken(queue) == "bind 1");
    CHECK(taken(queue) == "bind 2");
    CHECK(taken(queue) == "nothing");
    queue.finished("1");
    CHECK(taken(queue) == "bind 1");
    queue.finished("1");
    CHECK(taken(queue) == "patch 1");
    queue.finished("1");
    CHECK(taken(queue) == "condition 1");
}

TEST_CASE("write queue: a fence that was there before a bind of its pod goes first") {
    WriteQueue queue{WriterOptions{}};
    REQUIRE(queue.add(awaited("1")));
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(awaited("1")));
    REQUIRE(queue.add(bind_of("2")));
    CHECK(taken(queue) == "bind 2");
    CHECK(taken(queue) == "patch 1");
    queue.finished("1");
    CHECK(taken(queue) == "bind 1");
    queue.finished("1");
    CHECK(taken(queue) == "patch 1");
}

TEST_CASE("write queue: of droppable conditions only the newest per pod waits, in its old place") {
    WriteQueue queue{WriterOptions{}};
    REQUIRE(queue.add(condition("1", "old")));
    REQUIRE(queue.add(condition("2", "other")));
    REQUIRE(queue.add(condition("1", "new")));
    CHECK(queue.size() == 2);
    const auto job = queue.take(0);
    REQUIRE(job);
    CHECK(std::get<PatchJob>(*job).patch.condition->message == "new");
    CHECK(taken(queue) == "condition 2");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: a bound pod's waiting condition is discarded") {
    WriteQueue queue{WriterOptions{}};
    REQUIRE(queue.add(condition("1")));
    queue.discard_condition("1");
    queue.discard_condition("unknown");
    CHECK(taken(queue) == "nothing");
}

TEST_CASE("write queue: at each bound the newcomer is refused, what waits stays") {
    WriterOptions options;
    options.binds_max = options.patches_max = options.fetches_max = 1;
    options.conditions_max = options.events_max = 1;
    WriteQueue queue(options);
    CHECK(queue.add(bind_of("1")));
    CHECK_FALSE(queue.add(bind_of("2")));
    CHECK(queue.add(awaited("1")));
    CHECK_FALSE(queue.add(awaited("2")));
    CHECK(queue.add(FetchJob{"ns", "a", nullptr}));
    CHECK_FALSE(queue.add(FetchJob{"ns", "b", nullptr}));
    CHECK(queue.add(condition("1")));
    CHECK_FALSE(queue.add(condition("2")));
    CHECK(queue.add(condition("1", "newer of a pod that waits already")));
    CHECK(queue.add(event_of("1")));
    CHECK_FALSE(queue.add(event_of("2")));
    CHECK(queue.size() == 5);
}

TEST_CASE("write queue: events keep to their rate") {
    WriterOptions options;
    options.events_per_second = 1;
    WriteQueue queue(options);
    for (int i = 0; i < 20; ++i) REQUIRE(queue.add(event_of("1")));
    CHECK(queue.event_wait_ms(0) == 0);
    int sent = 0;
    while (taken(queue, 0) == "event") ++sent;
    CHECK(sent == 10);
    CHECK(queue.event_wait_ms(0) == 1'000);
    CHECK(taken(queue, 999) == "nothing");
    CHECK(taken(queue, 1'000) == "event");
}

TEST_CASE("write queue: for a graceful end only awaited writes stay") {
    WriteQueue queue{WriterOptions{}};
    REQUIRE(queue.add(bind_of("1")));
    REQUIRE(queue.add(awaited("2")));
    REQUIRE(queue.add(FetchJob{"ns", "cm", nullptr}));
    REQUIRE(queue.add(condition("3")));
    REQUIRE(queue.add(event_of("4")));
    queue.keep_only_awaited_writes();
    CHECK(queue.size() == 2);
    CHECK(queue.event_wait_ms(0) == -1);
}

TEST_CASE("pod versions: our own later answer replaces what the watch has shown so far") {
    PodVersions versions;
    CHECK(versions.newest("u", "10") == "10");
    versions.wrote("u", "12");
    CHECK(versions.newest("u", "10") == "12");
    CHECK(versions.newest("u", "15") == "15");
    CHECK(versions.newest("other", "10") == "10");
    CHECK(versions.newest("u", "") == "");  // no precondition was asked for
    CHECK(versions.newest("u", "opaque") == "opaque");
}

TEST_CASE("pod versions: the oldest pods are forgotten at the bound") {
    PodVersions versions;
    for (std::size_t i = 0; i <= PodVersions::kept_max; ++i) {
        versions.wrote(std::to_string(i), "100");
    }
    CHECK(versions.newest("0", "10") == "10");
    CHECK(versions.newest("1", "10") == "100");
}
