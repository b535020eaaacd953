// What kubernetes-gang-scheduler promised, and did not always keep: each scenario by its name. The
// headroom of 1 cpu and 1Gi on every node is its rule that so much must remain.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using gang::ReasonCode;
using tests::World;

config::Schema seed_schema() {
    config::Schema schema;
    schema.nodes.headroom_cpu_milli = 1000;
    schema.nodes.headroom_memory_bytes = 1024 * tests::mebibyte;
    return schema;
}

struct Seed : World {
    explicit Seed(config::Schema schema = seed_schema()) : World(std::move(schema)) {
        check_whole_gangs = false;
    }

    void node(const std::string& name, std::int64_t cpu, const std::string& cost = "") {
        core::Node made = tests::node(name, cpu, cpu * 2048);
        if (!cost.empty()) {
            made.labels = {{"cost", cost}};
        }
        add_node(made);
    }

    /// Labels and requests of 1 cpu, 1Gi each.
    static core::Pod driver_pod(const std::string& name, std::int64_t executors) {
        core::Pod pod = tests::pod(name, 1000, 1024);
        pod.labels = {
            {"driver-cpu", "1"},
            {"driver-mem", "1"},
            {"exec-cpu", "1"},
            {"exec-mem", "1"},
            {"executors", std::to_string(executors)},
            {"spark-app-selector", "app-" + name},
            {"spark-role", "driver"}};
        return pod;
    }

    std::string driver(const std::string& name, std::int64_t executors, std::int64_t created = 1) {
        core::Pod pod = driver_pod(name, executors);
        pod.created = 1'000 + created;
        return create(pod);
    }

    core::Pod executor_pod(const std::string& driver) {
        core::Pod pod =
            tests::pod(this->pod(driver).name + "-e" + std::to_string(++made_), 1000, 1024);
        pod.created = 2'000;
        pod.labels = {
            {"exec-cpu", "1"},
            {"exec-mem", "1"},
            {"spark-app-selector", "app-" + this->pod(driver).name},
            {"spark-role", "executor"}};
        return pod;
    }

    std::vector<std::string> executors(const std::string& driver, int count) {
        std::vector<std::string> made;
        for (int i = 0; i < count; ++i) {
            made.push_back(create(executor_pod(driver)));
        }
        settle();
        return made;
    }

    bool has_event(const std::string& reason, const std::string& part) const {
        return std::any_of(events.begin(), events.end(), [&](const auto& event) {
            return event.reason == reason && event.message.find(part) != std::string::npos;
        });
    }

private:
    int made_ = 0;
};

}  // namespace

TEST_CASE("GANG-1 admit and place: the cheapest node that has room for all") {
    Seed world;
    world.node("n1", 4, "10");
    world.node("n2", 4, "5");
    const auto driver = world.driver("d", 2);
    world.settle();
    CHECK(world.node_of(driver) == "n2");
    for (const auto& executor : world.executors(driver, 2)) {
        CHECK(world.node_of(executor) == "n2");
    }
    CHECK(world.has_event("Scheduled", "Successfully assigned etl/d to n2"));
}

TEST_CASE("GANG-2 all or nothing: no pod is bound before all have room") {
    Seed world;
    world.node("n1", 4);
    world.node("n2", 4);
    const auto driver = world.driver("d", 8);
    world.settle();
    CHECK(world.binds.empty());
    CHECK(world.condition(driver).find("needs 1 driver + 8 executors") != std::string::npos);
    CHECK(world.condition(driver).find("1 + 5 fit") != std::string::npos);
    CHECK(world.has_event("FailedScheduling", "8 executors"));
    world.node("n3", 4);
    world.settle();
    REQUIRE(world.is_bound(driver));
    CHECK(world.bound_count(world.executors(driver, 8)) == 8);
}

TEST_CASE("GANG-3 the driver is counted, too") {
    Seed world;
    world.node("n1", 4);
    const auto driver = world.driver("d", 3);
    core::Pod silent = Seed::driver_pod("silent", 3);
    silent.requests = {};  // its labels are all there is to know of its size
    const auto other = world.create(silent);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK_FALSE(world.is_bound(other));
}

TEST_CASE("GANG-4 of two jobs that do not fit together one waits, whole") {
    Seed world;
    world.node("n1", 8);
    const auto x = world.driver("x", 4, 1);
    const auto y = world.driver("y", 4, 2);
    world.settle();
    CHECK(world.is_bound(x));
    CHECK_FALSE(world.is_bound(y));
    const auto executors = world.executors(x, 4);
    CHECK(world.bound_count(executors) == 4);
    CHECK_FALSE(world.is_bound(y));
    world.set_phase(x, core::PodPhase::succeeded);
    world.settle();
    CHECK_FALSE(world.is_bound(y));  // its executors are still there, and three cores are not five
    for (const auto& executor : executors) {
        world.set_phase(executor, core::PodPhase::succeeded);
    }
    world.settle();
    CHECK(world.is_bound(y));
}

TEST_CASE("GANG-5 release: ten jobs, each of which fills the cluster") {
    Seed world;
    world.node("n1", 8);
    std::vector<std::string> drivers;
    for (int i = 0; i < 10; ++i) {
        drivers.push_back(world.driver("d" + std::to_string(i), 6, i));
    }
    for (const auto& driver : drivers) {
        world.settle();
        REQUIRE(world.is_bound(driver));
        const auto executors = world.executors(driver, 6);
        CHECK(world.bound_count(executors) == 6);
        for (const auto& executor : executors) {
            world.set_phase(executor, core::PodPhase::succeeded);
        }
        world.set_phase(driver, core::PodPhase::succeeded);
    }
    CHECK(world.violations.empty());
}

TEST_CASE("GANG-6 cost: no ceiling, absent is 0, unreadable is 0, then policy and name") {
    Seed world;
    SUBCASE("the only node costs 150") {
        world.node("n1", 4, "150");
        const auto driver = world.driver("d", 1);
        world.settle();
        CHECK(world.node_of(driver) == "n1");
    }
    SUBCASE("absent is cheaper than 3, whatever is tighter or first by name") {
        world.node("a", 2, "3");
        world.node("n1", 8);
        const auto driver = world.driver("d", 0);
        world.settle();
        CHECK(world.node_of(driver) == "n1");
    }
    SUBCASE("no number is 0") {
        world.node("n1", 4, "1");
        world.node("n2", 4, "cheap");
        const auto driver = world.driver("d", 0);
        world.settle();
        CHECK(world.node_of(driver) == "n2");
    }
    SUBCASE("equal cost: the tighter one, then the first by name") {
        world.node("n1", 8, "7");
        world.node("n2", 4, "7");
        world.node("n3", 4, "7");
        const auto driver = world.driver("d", 0);
        world.settle();
        CHECK(world.node_of(driver) == "n2");
    }
    SUBCASE("a price that changes counts from then on") {
        world.node("n1", 4, "1");
        world.node("n2", 4, "2");
        world.settle();
        world.change_node("n1", [](core::Node& node) { node.labels = {{"cost", "9"}}; });
        const auto driver = world.driver("d", 0);
        world.settle();
        CHECK(world.node_of(driver) == "n2");
    }
}

TEST_CASE("GANG-7 per-node packing, not sums") {
    Seed world;
    world.node("n1", 4);
    world.node("n2", 4);
    core::Pod pod = Seed::driver_pod("d", 2);
    for (auto& [key, value] : pod.labels) {
        value = key == "exec-cpu" || key == "driver-cpu" ? "2" : value;
    }
    pod.requests.cpu_milli = 2000;
    const auto driver = world.create(pod);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
}

TEST_CASE("GANG-8 units: equal amounts are equal, a wrong one is said and not admitted") {
    for (const char* memory : {"2g", "2048m", "2Gi", "2147483648"}) {
        Seed world;
        world.node("n1", 8);
        core::Pod pod = Seed::driver_pod("d", 1);
        pod.annotations = {{"spark-executor-mem", memory}};
        const auto driver = world.create(pod);
        world.settle();
        REQUIRE_MESSAGE(world.reservation(driver), memory);
        CHECK(world.reservation(driver)->shapes[0].requests.memory_bytes == 2048 * tests::mebibyte);
    }
    Seed world;
    world.node("n1", 8);
    core::Pod half = Seed::driver_pod("half", 1);
    core::Pod lots = Seed::driver_pod("lots", 1);
    for (auto& [key, value] : half.labels) {
        value = key == "exec-cpu" ? "500m" : key == "exec-mem" ? "2" : value;
    }
    for (auto& [key, value] : lots.labels) {
        value = key == "driver-mem" ? "lots" : value;
    }
    const auto first = world.create(half);
    const auto second = world.create(lots);
    world.settle();
    CHECK(
        world.reservation(first)->shapes[0].requests ==
        core::Resources{500, 2048 * tests::mebibyte, 0, {}});
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.view(second).code == ReasonCode::misconfigured);
    CHECK(world.has_event("FailedScheduling", "label driver-mem = \"lots\""));
}

TEST_CASE("GANG-9 existing use: pods that are there already count") {
    Seed world;
    world.node("n1", 4);
    core::Pod daemon = tests::pod("daemon", 2000, 64);
    daemon.scheduler_name = "default-scheduler";
    daemon.node_name = "n1";
    world.create(daemon);
    const auto two = world.driver("two", 1);
    const auto one = world.driver("one", 0, 2);
    world.settle();
    CHECK_FALSE(world.is_bound(two));
    CHECK(world.is_bound(one));
}

TEST_CASE("GANG-10 a node that joins, is cordoned or goes while a reservation names it") {
    Seed world;
    world.node("n1", 4);
    world.node("n2", 4);
    const auto driver = world.driver("d", 4);
    world.settle();
    const auto first = world.executors(driver, 1).front();
    const std::string stays = world.node_of(first);
    const std::string driver_node = world.node_of(driver);
    SUBCASE("cordoned") {
        world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
        world.change_node("n2", [](core::Node& node) { node.unschedulable = true; });
    }
    SUBCASE("deleted, the one without running pods") {
        world.remove_node(
            driver_node == "n1" && stays == "n1" ? "n2"
            : stays == "n2"                      ? "n1"
                                                 : "n2");
    }
    world.settle();
    world.node("n3", 8);
    world.settle();
    const auto moved = world.reservation(driver);
    for (const gang::ReservedShape& shape : moved->shapes) {
        for (const auto& [name, count] : shape.slots_per_node) {
            const auto& nodes = world.nodes();
            const bool is_there = nodes.contains(name) && !nodes.at(name).unschedulable;
            CHECK((is_there || (name == stays && count == 1)));
        }
    }
    const auto rest = world.executors(driver, 3);
    CHECK(world.bound_count(rest) == 3);
    CHECK(world.node_of(first) == stays);
    CHECK(world.node_of(driver) == driver_node);
    CHECK(world.violations.empty());
}

TEST_CASE("GANG-11 restart: what is left of a gang is reserved before any new driver") {
    Seed world;
    world.node("n1", 6);
    const auto driver = world.driver("d", 4);
    world.settle();
    const auto first = world.executors(driver, 2);
    const auto next = world.driver("next", 1, 2);
    world.settle();
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.view(driver).slots_open == 2);
    CHECK_FALSE(world.is_bound(next));
    CHECK(world.bound_count(world.executors(driver, 2)) == 2);
    CHECK_FALSE(world.is_bound(next));
    SUBCASE("also when a pod has used up the headroom meanwhile") {
        Seed other;
        other.node("n1", 6);
        const auto gang = other.driver("d", 4);
        other.settle();
        core::Pod daemon = tests::pod("daemon", 1000, 64);
        daemon.scheduler_name = "default-scheduler";
        daemon.node_name = "n1";
        other.create(daemon);
        other.restart();
        other.settle();
        CHECK(other.view(gang).slots_open == 4);
        CHECK(other.view(gang).state == gang::GangState::running);
    }
}

TEST_CASE("GANG-12 one executor too many gets unreserved room only") {
    Seed world;
    world.node("n1", 6);
    const auto x = world.driver("x", 1, 1);
    const auto y = world.driver("y", 1, 2);
    world.settle();
    const auto executors = world.executors(x, 3);
    CHECK(world.bound_count(executors) == 2);  // its slot, and the one core that nobody has
    CHECK(world.view(y).slots_open == 1);
    CHECK(world.bound_count(world.executors(y, 1)) == 1);
}

TEST_CASE("GANG-13 an executor without admitted driver waits, or not, as configured") {
    config::Schema schema = seed_schema();
    SUBCASE("wait") {
        Seed world(schema);
        world.node("n1", 4);
        const auto waiting = world.driver("d", 9);
        const auto executor = world.executors(waiting, 1).front();
        core::Pod stray = world.executor_pod(waiting);
        stray.labels = {{"exec-cpu", "1"}, {"exec-mem", "1"}, {"spark-role", "executor"}};
        const auto ownerless = world.create(stray);
        world.advance(60'000);
        CHECK_FALSE(world.is_bound(executor));
        CHECK_FALSE(world.is_bound(ownerless));
        CHECK(
            world.condition(ownerless).find("waits for the admitted driver") != std::string::npos);
        const auto why = world.scheduler->explain(world.pod(ownerless).name);
        REQUIRE(why);
        CHECK(why->gang.code == gang::ReasonCode::waiting_in_queue);
        CHECK(why->gang.message.find("waits for the admitted driver") != std::string::npos);
        CHECK(why->gang.needs == world.pod(ownerless).requests);
        CHECK(why->driver == world.pod(ownerless).requests);
        CHECK(world.view(ownerless).code == gang::ReasonCode::waiting_in_queue);
        CHECK(world.view(ownerless).state == gang::GangState::waiting);
        const auto totals = world.scheduler->totals(world.now_ms);
        const auto in_queue = static_cast<std::size_t>(gang::ReasonCode::waiting_in_queue);
        CHECK(totals.pending_gangs[in_queue] == 2);
        CHECK(totals.gangs[static_cast<std::size_t>(gang::GangState::waiting)] == 2);
        CHECK(totals.pending_pods.unschedulable == 3);
        world.node("n2", 16);
        world.settle();
        CHECK(world.is_bound(waiting));
        CHECK(world.is_bound(executor));
        CHECK_FALSE(world.is_bound(ownerless));
        CHECK(world.scheduler->explain(world.pod(ownerless).name));
        CHECK(world.view(ownerless).code == gang::ReasonCode::waiting_in_queue);
    }
    SUBCASE("wait, and nothing is kept but the pod and what it was told") {
        Seed world(schema);
        world.node("n1", 4);
        const auto waiting = world.driver("d", 9);
        world.executors(waiting, 1);
        world.settle();
        const std::size_t before = world.scheduler->remembered();
        world.executors(waiting, 20);
        world.advance(10'000);
        CHECK(world.scheduler->remembered() == before + 2 * 20);
    }
    SUBCASE("schedule") {
        schema.gang.orphan_executors = config::OrphanExecutors::schedule;
        Seed world(schema);
        world.node("n1", 4);
        const auto waiting = world.driver("d", 9);
        core::Pod stray = world.executor_pod(waiting);
        stray.labels = {{"spark-app-selector", "of-nobody"}, {"spark-role", "executor"}};
        const auto ownerless = world.create(stray);
        world.settle();
        CHECK(world.is_bound(ownerless));
    }
}

TEST_CASE("GANG-14 a driver that goes before its executors gives the reservation back at once") {
    Seed world;
    world.node("n1", 5);
    const auto first = world.driver("a", 3, 1);
    const auto second = world.driver("b", 3, 2);
    world.settle();
    SUBCASE("failed") {
        world.set_phase(first, core::PodPhase::failed);
    }
    SUBCASE("deleted") {
        world.remove_pod(first);
    }
    world.settle();
    CHECK(world.is_bound(second));
}

TEST_CASE("GANG-15 a failed bind keeps the slot for the retry, and no event tells of it") {
    for (const auto outcome : {gang::BindOutcome::changed, gang::BindOutcome::not_sent}) {
        Seed world;
        world.node("n1", 4);
        const auto driver = world.driver("d", 2);
        world.settle();
        const auto others = world.driver("e", 0, 2);
        world.settle();
        CHECK_FALSE(world.is_bound(others));
        bool failed = false;
        world.on_bind = [&](const gang::BindPod&) -> std::optional<gang::BindOutcome> {
            return std::exchange(failed, true) ? std::nullopt : std::optional(outcome);
        };
        const auto executor = world.executors(driver, 1).front();
        CHECK_FALSE(world.is_bound(executor));
        CHECK_FALSE(world.is_bound(others));
        world.advance(20'000);
        CHECK(world.is_bound(executor));
        CHECK_FALSE(world.is_bound(others));
        CHECK_FALSE(world.has_event("Scheduled", "d-e1"));
    }
}

TEST_CASE("GANG-16 annotations give what labels give, and win where both are") {
    config::Schema schema = seed_schema();
    schema.profiles.emplace_back().scheduler_name = "spark-scheduler";
    Seed world(schema);
    world.node("n1", 8);
    const core::StringMap sample = {
        {"spark-driver-cpus", "1"},
        {"spark-driver-mem", "1g"},
        {"spark-executor-count", "2"},
        {"spark-executor-cpu", "1"},
        {"spark-executor-mem", "1g"}};
    core::Pod sleep = tests::pod("sleep-driver", 1000, 1024);
    sleep.scheduler_name = "spark-scheduler";
    sleep.annotations = sample;
    core::Pod both = Seed::driver_pod("both", 5);
    both.annotations = sample;
    const auto first = world.create(sleep);
    const auto labelled = world.driver("labels", 2, 1);
    world.settle();
    REQUIRE(world.reservation(first));
    CHECK(
        world.reservation(first)->shapes[0].requests ==
        world.reservation(labelled)->shapes[0].requests);
    world.node("n2", 8);
    const auto second = world.create(both);
    world.settle();
    REQUIRE(world.reservation(second));
    CHECK(gang::slot_count(*world.reservation(second)) == 2);
    CHECK(world.has_event("DeclarationMismatch", "annotation spark-executor-count"));
}

TEST_CASE("GANG-17 a driver that differs from its declaration: the larger counts, with a Warning") {
    Seed world;
    world.node("n1", 4);
    core::Pod large = Seed::driver_pod("large", 2);
    large.requests.cpu_milli = 2000;
    core::Pod small = Seed::driver_pod("small", 2);
    small.created += 1;
    for (auto& [key, value] : small.labels) {
        value = key == "driver-cpu" ? "2" : value;
    }
    const auto first = world.create(large);
    const auto second = world.create(small);
    world.settle();
    CHECK_FALSE(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.has_event(
        "DeclarationMismatch", "label driver-cpu says 1 cpu, the driver's own request is 2 cpu"));
    CHECK(world.has_event("DeclarationMismatch", "label driver-cpu says 2 cpu"));
}

TEST_CASE("GANG-18 executors larger than declared need unreserved room for the difference") {
    Seed world;
    world.node("n1", 6);
    const auto driver = world.driver("d", 2);
    world.settle();
    core::Pod large = world.executor_pod(driver);
    large.requests.cpu_milli = 2000;
    const auto first = world.create(large);
    world.settle();
    CHECK(world.is_bound(first));
    core::Pod larger = world.executor_pod(driver);
    larger.requests.cpu_milli = 3000;  // two of its own and of nobody's, one short
    const auto second = world.create(larger);
    world.settle();
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.has_event("ExecutorsLargerThanDeclared", "asks 3 cpu"));
    CHECK(world.violations.empty());
}

TEST_CASE("GANG-19 dynamic allocation: the least is reserved, the rest is placed as room is left") {
    Seed world;
    world.node("n1", 5);
    core::Pod pod = Seed::driver_pod("d", 1);
    pod.annotations = {
        {"spark-dynamic-allocation-enabled", "true"},
        {"spark-dynamic-allocation-max-executor-count", "6"},
        {"spark-dynamic-allocation-min-executor-count", "2"}};
    const auto driver = world.create(pod);
    world.settle();
    CHECK(gang::slot_count(*world.reservation(driver)) == 2);
    const auto executors = world.executors(driver, 7);
    CHECK(world.bound_count(executors) == 3);
    world.node("n2", 16);
    world.settle();
    CHECK(world.bound_count(executors) == 6);  // and not the seventh
}

TEST_CASE("GANG-20 constraints say which nodes count as room, the driver's for executors to come") {
    Seed world;
    world.node("n1", 16);
    core::Node tainted = tests::node("n2", 4, 8192);
    tainted.labels = {{"pool", "spark"}};
    tainted.taints = {{"dedicated", "spark", core::TaintEffect::no_schedule}};
    world.add_node(tainted);
    core::Pod pod = Seed::driver_pod("d", 3);
    pod.constraints.edit().node_selector = {{"pool", "spark"}};
    pod.constraints.edit().tolerations = {{"dedicated", false, "spark", true, {}, -1}};
    const auto driver = world.create(pod);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));  // n1 has room, but not for its executors
    core::Node second = tainted;
    second.name = "n3";
    world.add_node(second);
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto reservation = world.reservation(driver);
    for (const auto& [node, count] : reservation->shapes[0].slots_per_node) {
        CHECK(node != "n1");
    }
    // An executor may really go anywhere: its own constraints decide once it is there.
    CHECK(world.node_of(world.executors(driver, 1).front()) == "n1");
    core::Pod tolerant = world.executor_pod(driver);
    tolerant.constraints.edit().tolerations = pod.constraints->tolerations;
    const auto executor = world.create(tolerant);
    world.settle();
    CHECK(world.is_bound(executor));
}

TEST_CASE("GANG-21 a plain pod is scheduled alone") {
    Seed world;
    world.node("n1", 2);
    const auto pod = world.create(tests::pod("plain", 1000, 1024));
    world.settle();
    CHECK(world.is_bound(pod));
    CHECK_FALSE(world.reservation(pod));
}

TEST_CASE("GANG-22 nothing is done while nothing happens") {
    Seed world;
    world.node("n1", 5);
    const auto runs = world.driver("runs", 2, 1);
    world.driver("waits", 2, 2);
    world.settle();
    world.set_phase(runs, core::PodPhase::running);
    world.advance(660'000);  // all that is to be said has been said, missing executors too
    const auto before = world.conditions.size() + world.events.size() + world.binds.size();
    world.settle();
    CHECK_FALSE(world.take_due_wake());
    const std::size_t wakes = world.wakes;
    world.advance(24 * 3'600'000);
    // Once: when a driver that had never run would have been found out.
    CHECK(world.wakes - wakes <= 1);
    CHECK(world.conditions.size() + world.events.size() + world.binds.size() == before);
}
