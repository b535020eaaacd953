// Gangs made by hand: what starts them, who belongs to them, and what nobody may take by a label.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using gang::ReasonCode;
using tests::World;

core::StringMap labels(std::int64_t executors, const std::string& application) {
    core::StringMap map = {
        {"driver-cpu", "1"},
        {"driver-mem", "1"},
        {"exec-cpu", "1"},
        {"exec-mem", "1"},
        {"executors", std::to_string(executors)},
        {"spark-role", "driver"}};
    if (!application.empty()) {
        map.emplace_back("spark-app-selector", application);
    }
    std::sort(map.begin(), map.end());
    return map;
}

/// Made by hand: 1 cpu, 1Gi.
core::Pod made_driver(
    const std::string& name, std::int64_t executors, const std::string& application) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.labels = labels(executors, application);
    return pod;
}

core::Pod made_executor(const std::string& name, const std::string& application) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.created = 1'100;
    pod.labels = {{"spark-role", "executor"}};
    if (!application.empty()) {
        pod.labels.insert(pod.labels.begin(), {"spark-app-selector", application});
    }
    return pod;
}

World one_node(std::int64_t cpu, config::Schema schema = {}) {
    World world(std::move(schema));
    world.check_whole_gangs = false;
    world.add_node(tests::node("n1", cpu, 64 * 1024));
    return world;
}

bool is_event(const World& world, const std::string& reason, const std::string& part) {
    return std::any_of(world.events.begin(), world.events.end(), [&](const auto& event) {
        return event.reason == reason && event.message.find(part) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("labelled: executors without owner take the slots of their application") {
    World world = one_node(3);
    const auto driver = world.create(made_driver("d", 2, "app"));
    world.settle();
    REQUIRE(world.is_bound(driver));
    CHECK(gang::slot_count(*world.reservation(driver)) == 2);
    const auto first = world.create(made_executor("e1", "app"));
    const auto second = world.create(made_executor("e2", "app"));
    world.settle();
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.violations.empty());
    CHECK(is_event(world, "Scheduled", "label executors"));
    SUBCASE("and a replacement takes the slot again, also after a restart") {
        world.set_phase(first, core::PodPhase::failed);
        world.restart();
        const auto third = world.create(made_executor("e3", "app"));
        world.settle();
        CHECK(world.is_bound(third));
        CHECK(world.view(driver).slots_bound == 2);
    }
    SUBCASE("and the room is free when the driver has ended") {
        world.set_phase(driver, core::PodPhase::succeeded);
        world.set_phase(first, core::PodPhase::succeeded);
        world.set_phase(second, core::PodPhase::succeeded);
        const auto next = world.create(made_driver("d2", 2, "app2"));
        world.settle();
        CHECK(world.is_bound(next));
    }
}

TEST_CASE("labelled: no label opens a slot of a Spark application") {
    World world = one_node(4);
    world.check_whole_gangs = true;
    const auto spark = world.submit("a", 3, 1);
    world.settle();
    core::Pod thief = made_executor("thief", "spark-a");
    SUBCASE("with the application's id") {}
    SUBCASE("and the driver as an owner that does not control it") {
        thief.owners = {{"Pod", "a", spark, false}};
    }
    SUBCASE("and no id at all") {
        thief = made_executor("thief", "");
    }
    const auto uid = world.create(thief);
    world.settle();
    CHECK_FALSE(world.is_bound(uid));
    CHECK(world.view(spark).slots_open == 3);
}

TEST_CASE("labelled: other namespaces and other ids take no slot") {
    World world = one_node(3);
    const auto driver = world.create(made_driver("d", 2, "app"));
    world.settle();
    core::Pod thief = made_executor("thief", "app");
    SUBCASE("another namespace") {
        thief.namespace_name = "other";
    }
    SUBCASE("another id") {
        thief = made_executor("thief", "app2");
    }
    SUBCASE("no id") {
        thief = made_executor("thief", "");
    }
    SUBCASE("no role") {
        thief.labels = {{"spark-app-selector", "app"}};
    }
    SUBCASE("an id that a second driver bears as well") {
        world.create(made_driver("d2", 2, "app"));
        world.settle();
    }
    const auto uid = world.create(thief);
    world.settle();
    CHECK_FALSE(world.is_bound(uid));
    CHECK(world.view(driver).slots_open == 2);
}

TEST_CASE("labelled: owner references work as well, whatever they control") {
    World world = one_node(3);
    const auto driver = world.create(made_driver("d", 2, "app"));
    world.settle();
    core::Pod owned = made_executor("e1", "");
    owned.owners = {{"Pod", "d", driver, true}};
    core::Pod mentioned = made_executor("e2", "");
    mentioned.owners = {{"Pod", "d", driver, false}};
    const auto first = world.create(owned);
    const auto second = world.create(mentioned);
    world.settle();
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
    CHECK(world.view(driver).slots_bound == 2);
}

TEST_CASE("labelled: executors of a job or a set that somebody wrote") {
    World world = one_node(3);
    const auto driver = world.create(made_driver("d", 2, "app"));
    world.settle();
    core::Pod of_job = made_executor("e1", "app");
    of_job.owners = {{"Job", "workers", "uid-job", true}};
    core::Pod of_set = made_executor("e2", "app");
    of_set.owners = {{"StatefulSet", "workers", "uid-set", true}};
    const auto first = world.create(of_job);
    const auto second = world.create(of_set);
    world.settle();
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
    CHECK(world.view(driver).slots_bound == 2);
}

TEST_CASE("labelled: without any id the oldest gang with an open slot gets the executor") {
    World world = one_node(6);
    core::Pod older = made_driver("x", 2, "");
    core::Pod younger = made_driver("y", 2, "");
    younger.created = older.created + 1;
    const auto first = world.create(older);
    const auto second = world.create(younger);
    world.settle();
    REQUIRE(world.is_bound(second));
    for (int i = 0; i < 4; ++i) {
        world.create(made_executor("e" + std::to_string(i), ""));
        world.settle();
        CHECK(world.view(first).slots_bound == std::min(i + 1, 2));
        CHECK(world.view(second).slots_bound == std::max(i - 1, 0));
    }
}

TEST_CASE(
    "labelled: nameless executors made at once with two gangs do not take the second's room") {
    World world = one_node(5);
    core::Pod later = made_driver("y", 3, "");
    later.created += 1;
    const auto first = world.create(made_driver("x", 3, ""));
    const auto second = world.create(later);
    std::vector<std::string> executors;
    for (int i = 0; i < 6; ++i) {
        executors.push_back(world.create(made_executor("e" + std::to_string(i), "")));
    }
    world.settle();
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.bound_count(executors) == 3);
    world.set_phase(first, core::PodPhase::succeeded);
    for (const auto& uid : executors) {
        if (world.is_bound(uid)) {
            world.set_phase(uid, core::PodPhase::succeeded);
        }
    }
    world.settle();
    CHECK(world.is_bound(second));
    CHECK(world.bound_count(executors) == 6);
    CHECK(world.violations.empty());
}

TEST_CASE("labelled: a pod becomes a driver when its labels come, as long as it is not bound") {
    World world = one_node(2);
    const auto blocker = world.create(tests::pod("blocker", 2000, 1024));
    world.settle();
    const auto late = world.create(tests::pod("late", 1000, 1024));
    world.settle();
    world.change_pod(late, [](core::Pod& pod) { pod.labels = labels(1, "app"); });
    world.settle();
    CHECK(world.view(late).executors == 1);
    SUBCASE("and its last word counts") {
        world.change_pod(late, [](core::Pod& pod) { pod.labels = labels(2, "app"); });
        world.settle();
        CHECK(world.view(late).code == ReasonCode::exceeds_cluster);
        world.change_pod(late, [](core::Pod& pod) { pod.labels = labels(0, "app"); });
        world.settle();
        CHECK(world.view(late).executors == 0);
    }
    world.set_phase(blocker, core::PodPhase::succeeded);
    world.settle();
    CHECK(world.is_bound(late));
    const auto held = world.view(late).slots_open;
    world.change_pod(late, [](core::Pod& pod) { pod.labels = labels(50, "app"); });
    world.settle();
    CHECK(world.view(late).slots_open == held);
}

TEST_CASE("labelled: a bad value parks the driver with a Warning, and mending it is enough") {
    World world = one_node(4);
    core::Pod bad = made_driver("bad", 2, "app");
    for (auto& [key, value] : bad.labels) {
        value = key == "driver-mem" ? "lots" : value;
    }
    const auto driver = world.create(bad);
    const auto other = world.create(made_driver("good", 3, "other"));
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.is_bound(other));
    CHECK(world.view(driver).code == ReasonCode::misconfigured);
    CHECK(world.condition(driver).find("label driver-mem = \"lots\"") != std::string::npos);
    CHECK(is_event(world, "FailedScheduling", "driver-mem"));
    world.set_phase(other, core::PodPhase::succeeded);
    world.change_pod(driver, [](core::Pod& pod) { pod.labels = labels(2, "app"); });
    world.settle();
    CHECK(world.is_bound(driver));
}

TEST_CASE("labelled: contradictions are said once") {
    World world = one_node(1);
    core::Pod both = made_driver("d", 4, "app");
    both.annotations = {{"spark-executor-count", "3"}};
    const auto driver = world.create(both);
    world.settle();
    world.change_pod(driver, [](core::Pod&) {});
    world.advance(60'000);
    CHECK(std::count_if(world.events.begin(), world.events.end(), [](const auto& event) {
              return event.reason == "DeclarationMismatch" && event.warning;
          }) == 1);
    CHECK(is_event(world, "DeclarationMismatch", "annotation spark-executor-count"));
    const auto why = world.scheduler->explain("d");
    REQUIRE(why);
    CHECK(std::any_of(why->notes.begin(), why->notes.end(), [](const auto& note) {
        return note.find("say different numbers of executors") != std::string::npos;
    }));
}

TEST_CASE("labelled: what a configuration does not want read is not read") {
    config::Schema schema;
    SUBCASE("sparkConf: labels are only labels") {
        schema.gang.discovery = config::Discovery::spark_conf;
        World world = one_node(1, schema);
        const auto driver = world.create(made_driver("d", 4, "app"));
        world.settle();
        CHECK(world.is_bound(driver));
    }
    SUBCASE("annotations: no config map is asked for") {
        schema.gang.discovery = config::Discovery::annotations;
        World world = one_node(6, schema);
        core::Pod declared = tests::driver("d");
        declared.annotations = {
            {"gang-scheduler/executor-cpu", "1"},
            {"gang-scheduler/executor-memory", "1408Mi"},
            {"gang-scheduler/executors", "2"}};
        const auto driver = world.submit(declared, tests::conf(4));
        const auto silent = world.submit("s", 4, 2);
        world.settle();
        CHECK(world.fetches.empty());
        CHECK(gang::slot_count(*world.reservation(driver)) == 2);
        CHECK(world.is_bound(silent));  // alone, as the configuration wants it
        CHECK_FALSE(world.reservation(silent));
        // Its executors are not ownerless: their driver runs.
        const auto executors = world.create_executors(silent, 1);
        world.settle();
        CHECK(world.bound_count(executors) == 1);
    }
    SUBCASE("none: no gangs") {
        schema.gang.discovery = config::Discovery::none;
        World world = one_node(1, schema);
        const auto driver = world.create(made_driver("d", 4, "app"));
        world.settle();
        CHECK(world.is_bound(driver));
        CHECK_FALSE(world.reservation(driver));
    }
}

TEST_CASE("labelled: a conf that may not be read is no reason to wait if the driver says it all") {
    World world = one_node(6);
    core::Pod declared = tests::driver("d");
    declared.annotations = {
        {"spark-executor-count", "2"}, {"spark-executor-cpu", "1"}, {"spark-executor-mem", "2g"}};
    const auto driver = world.create(declared);
    world.confs[driver].problem = gang::ConfProblem::forbidden;
    world.confs[driver].message = "403";
    world.settle();
    CHECK(world.is_bound(driver));
    CHECK(gang::slot_count(*world.reservation(driver)) == 2);
    SUBCASE("one that is to come is waited for") {
        const auto early = world.create([&] {
            core::Pod pod = tests::driver("e");
            pod.annotations = declared.annotations;
            return pod;
        }());
        world.settle();
        CHECK_FALSE(world.is_bound(early));
    }
}

TEST_CASE("labelled: pools that share no node are lines of their own") {
    World world;
    world.check_whole_gangs = false;
    for (const char* name : {"a", "b"}) {
        core::Node node = tests::node(name, 2, 8192);
        node.labels = {{"pool", name}};
        world.add_node(node);
    }
    const auto wants = [&world](const char* name, std::int64_t cpu, const char* pool) {
        core::Pod pod = tests::pod(name, cpu * 1000, 64);
        pod.created = 1'000 + static_cast<std::int64_t>(world.pods().size());
        if (*pool != 0) {
            pod.constraints.edit().node_selector = {{"pool", pool}};
        }
        return world.create(pod);
    };
    const auto running = wants("running", 1, "a");
    world.settle();
    const auto head = wants("head", 2, "a");
    const auto behind = wants("behind", 1, "a");
    const auto apart = wants("apart", 1, "b");
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(head));
    CHECK_FALSE(world.is_bound(behind));
    CHECK(world.is_bound(apart));
    // It blocks its own pool as well, and who could use either has to wait for both.
    const auto second = wants("second", 2, "b");
    const auto anywhere = wants("anywhere", 1, "");
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(second));
    CHECK_FALSE(world.is_bound(anywhere));
    world.set_phase(running, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(head));
}
