// Whose pod it is, part by part.

#include "tests/gang/parts.hpp"

#include "gang/classify/executor_owners.hpp"
#include "gang/classify/pod_compaction.hpp"
#include "gang/classify/retry_pauses.hpp"

#include <doctest/doctest.h>

#include <string>

using gang::Application;
using tests::Known;

namespace {

/// An executor as Spark's stateful set makes it: the set is its controller.
core::Pod of_a_set(const std::string& name, const core::Pod& driver) {
    core::Pod pod = tests::executor(name, driver);
    const std::string& id = *core::find_value(driver.labels, "spark-app-selector");
    pod.owners = {{"StatefulSet", "spark-s-" + id + "-0", "set-uid", true}};
    return pod;
}

}  // namespace

TEST_CASE("executor owners: one of a set belongs to the only driver that has its id") {
    Known known;
    known.add_node("n1");
    gang::ExecutorOwners owners(known.model);
    Application& app = known.add_gang("d1", "n1", 2);
    owners.note_application(known.model.pods.at("d1"));
    gang::PodEntry& entry = known.add(of_a_set("e1", known.model.pods.at("d1").pod));
    owners.note_application(entry);
    CHECK(owners.has_unknown_driver(entry));
    owners.follow_application(entry);
    CHECK(known.model.gangs.find_owner(entry) == &app);
    CHECK_FALSE(owners.has_unknown_driver(entry));
}

TEST_CASE("executor owners: two live drivers with one id, and it belongs to none") {
    Known known;
    known.add_node("n1");
    gang::ExecutorOwners owners(known.model);
    known.add_gang("d1", "n1", 2);
    known.add_gang("d2", "n1", 2);
    for (const char* name : {"d1", "d2"}) {
        gang::PodEntry& driver = known.model.pods.at(name);
        driver.pod.labels.front() = {"spark-app-selector", "spark-same"};
        owners.note_application(driver);
    }
    gang::PodEntry& entry = known.add(of_a_set("e1", known.model.pods.at("d1").pod));
    owners.note_application(entry);
    owners.follow_application(entry);
    CHECK(known.model.gangs.find_owner(entry) == nullptr);
}

TEST_CASE("executor owners: one that is larger than every slot is no member by its labels") {
    Known known;
    known.add_node("n1");
    gang::ExecutorOwners owners(known.model);
    known.add_gang("d1", "n1", 2);
    owners.note_application(known.model.pods.at("d1"));
    core::Pod large = of_a_set("e1", known.model.pods.at("d1").pod);
    large.requests.cpu_milli = 9'000;
    gang::PodEntry& entry = known.add(large);
    owners.note_application(entry);
    owners.follow_application(entry);
    CHECK(owners.has_unknown_driver(entry));
}

TEST_CASE("retry pauses: over at their time, or when the pod has changed") {
    Known known;
    gang::PodEntry& entry = known.add(tests::pod("p1", 1000, 1024));
    entry.pod.resource_version = entry.bound_version = "41";
    gang::RetryPauses pauses(known.model, known.step);
    pauses.pause(entry, gang::ReasonCode::backing_off, 5'000, true);
    CHECK_FALSE(entry.is_ready(4'999));
    CHECK(entry.is_ready(5'000));
    entry.pod.resource_version = "42";
    CHECK(entry.is_ready(0));

    known.model.worklist.queue_changed = false;
    known.step.now_ms = 4'999;
    pauses.end_pauses();
    CHECK(known.model.worklist.dirty_pods.empty());
    CHECK(known.step.timers.next_ms() == 5'000);
    known.step.now_ms = 5'000;
    pauses.end_pauses();
    CHECK(known.model.worklist.dirty_pods.contains("p1"));
    CHECK(known.model.worklist.queue_changed);
    CHECK(pauses.remembered() == 0);
}

TEST_CASE("pod compaction: a pod that is bound and awaits only its end, and no other") {
    Known known;
    known.add_node("n1");
    gang::Declarations declarations(known.model, known.step);
    gang::ExecutorOwners owners(known.model);
    gang::PodCompaction compaction(known.model, declarations, owners);
    gang::PodEntry& waiting = known.add(tests::pod("p1", 1000, 1024));
    compaction.compact_if_settled(waiting);
    CHECK(known.model.pods.find_active("p1") != nullptr);

    core::Pod bound = tests::pod("p2", 1000, 1024);
    bound.node_name = "n1";
    gang::PodEntry& entry = known.add(bound);
    entry.bind_in_flight = true;  // its answer is awaited
    compaction.compact_if_settled(entry);
    CHECK(known.model.pods.find_active("p2") != nullptr);
    entry.bind_in_flight = false;
    compaction.compact_if_settled(entry);
    CHECK(known.model.pods.find_active("p2") == nullptr);
}
