// The parts that watch gangs, each alone: who never runs, who is missing, who fails too often, and
// whether every slot has room.

#include "gang/slots/crash_loop_back_off.hpp"
#include "gang/slots/executors_elsewhere.hpp"
#include "gang/slots/gang_health.hpp"
#include "gang/slots/missing_executors.hpp"
#include "gang/slots/stuck_drivers.hpp"
#include "tests/gang/parts.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using gang::Application;
using gang::SlotState;
using tests::Known;
using tests::minute_ms;
using Reasons = std::vector<std::string>;

TEST_CASE("stuck drivers: what never runs gives its slots back, once, and not before its time") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 3);
    gang::Publisher publisher(known.model, known.step, known.reporter);
    gang::StuckDrivers stuck(known.model, known.step, known.reporter, publisher);
    app.bound_ms = 0;
    stuck.expect_running(app);

    known.step.now_ms = 15 * minute_ms - 1;
    stuck.check();
    CHECK(app.slots.size() == 3);
    CHECK(known.step.timers.next_ms() == 15 * minute_ms);

    known.step.now_ms = 15 * minute_ms;
    stuck.check();
    CHECK(app.slots.empty());
    CHECK(known.events() == Reasons{"GangStuck"});
    CHECK(known.model.worklist.to_publish.contains(app.uid));
    CHECK(stuck.remembered() == 0);
}

TEST_CASE("stuck drivers: a driver that runs is left alone") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 3);
    known.model.pods.at(app.uid).pod.phase = core::PodPhase::running;
    gang::Publisher publisher(known.model, known.step, known.reporter);
    gang::StuckDrivers stuck(known.model, known.step, known.reporter, publisher);
    stuck.expect_running(app);
    known.step.now_ms = 20 * minute_ms;
    stuck.check();
    CHECK(app.slots.size() == 3);
    CHECK(known.events().empty());
}

TEST_CASE("missing executors: told once, and each that comes begins the wait anew") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 2);
    app.health.driver_runs = true;
    gang::Publisher publisher(known.model, known.step, known.reporter);
    gang::GangHealth health(known.model, known.reporter);
    gang::MissingExecutors missing(known.model, known.step, known.reporter, publisher, health);

    missing.watch(app);
    CHECK(app.health.missing == 2);
    known.step.now_ms = 9 * minute_ms;
    known.model.ledger.assign(app, 0, known.add_executor("e1", app, "n1"));
    missing.watch(app);
    CHECK(app.health.missing == 1);
    known.step.now_ms = 11 * minute_ms;
    missing.check();
    CHECK(known.events().empty());
    known.step.now_ms = 19 * minute_ms;
    missing.check();
    CHECK(known.events() == Reasons{"ExecutorsMissing"});
    CHECK(app.slots.size() == 2);  // kept, as configured
    known.step.now_ms = 60 * minute_ms;
    missing.watch(app);
    missing.check();
    CHECK(known.events().empty());
    CHECK(missing.remembered() == 0);
}

TEST_CASE("missing executors: given back where the configuration says so") {
    config::Schema schema;
    schema.gang.missing_executors_then = config::UnusedThen::release;
    Known known(schema);
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 2);
    app.health.driver_runs = true;
    gang::Publisher publisher(known.model, known.step, known.reporter);
    gang::GangHealth health(known.model, known.reporter);
    gang::MissingExecutors missing(known.model, known.step, known.reporter, publisher, health);
    missing.watch(app);
    known.step.now_ms = 10 * minute_ms;
    missing.check();
    CHECK(app.slots.empty());
    CHECK(known.model.worklist.to_publish.contains(app.uid));
}

TEST_CASE("executors elsewhere: the slot of one that another scheduler bound is given back, once") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 2);
    gang::Publisher publisher(known.model, known.step, known.reporter);
    gang::ExecutorsElsewhere elsewhere(known.model, known.reporter, publisher);
    core::Pod pod = tests::executor("e1", known.model.pods.at(app.uid).pod);
    pod.uid = "e1";
    pod.scheduler_name = "default-scheduler";

    SUBCASE("it is bound") {
        elsewhere.observe(pod);
        CHECK(app.slots.size() == 2);  // not yet
        pod.node_name = "n1";
        elsewhere.observe(pod);
        elsewhere.observe(pod);
        CHECK(app.slots.size() == 1);
        CHECK(app.declared.shapes.front().count == 1);
        CHECK(known.events() == Reasons{"ExecutorsElsewhere"});
        CHECK(elsewhere.remembered() == 1);
        elsewhere.forget("e1");
        CHECK(elsewhere.remembered() == 0);
    }
    SUBCASE("a pod of another namespace takes no slot") {
        pod.namespace_name = "somewhere-else";
        pod.node_name = "n1";
        elsewhere.observe(pod);
        CHECK(app.slots.size() == 2);
    }
}

TEST_CASE(
    "gang health: an event when the first slot lost its room, one when the last got it back") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 2);
    gang::GangHealth health(known.model, known.reporter);
    health.report(app);
    CHECK(known.events().empty());

    known.model.ledger.unplace(app, app.slots[0]);
    health.report(app);
    known.model.ledger.unplace(app, app.slots[1]);
    health.report(app);
    CHECK(known.events() == Reasons{"GangDegraded"});
    CHECK(known.model.worklist.degraded.contains(app.rank()));

    known.model.ledger.open(app, app.slots[0], "n1");
    known.model.ledger.open(app, app.slots[1], "n1");
    health.report(app);
    CHECK(known.events() == Reasons{"GangRepaired"});
    CHECK(known.model.worklist.degraded.empty());
}

TEST_CASE(
    "crash-loop back-off: executors that only fail are paused, and their gang is matched again") {
    Known known;
    known.add_node("n1");
    Application& app = known.add_gang("d1", "n1", 1);
    gang::CrashLoopBackOff back_off(known.model, known.step, known.reporter);
    CHECK_FALSE(back_off.back_off(app));
    for (int i = 0; i < 20; ++i) {
        gang::PodEntry& entry = known.add_executor("e" + std::to_string(i), app, "n1");
        back_off.note_failure(entry, &app);  // it has a node
        entry.pod.phase = core::PodPhase::failed;
        back_off.note_failure(entry, &app);
        back_off.note_failure(entry, &app);  // counted once
    }
    CHECK(back_off.back_off(app));
    CHECK(known.events() == Reasons{"ExecutorsFailing"});
    const std::int64_t until_ms = gang::crash_backoff_until_ms(app);
    CHECK(until_ms > known.step.now_ms);

    known.model.worklist.dirty_gangs.clear();
    known.step.now_ms = until_ms - 1;
    back_off.end_due();
    CHECK(known.model.worklist.dirty_gangs.empty());
    known.step.now_ms = until_ms;
    back_off.end_due();
    CHECK(known.model.worklist.dirty_gangs.contains(app.uid));
    CHECK_FALSE(back_off.back_off(app));
}
