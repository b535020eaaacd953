// Corner cases of scheduling by their numbers in docs/concepts/corner-cases.md: drivers,
// executors, leaders.

#include "gang/declare/spark/properties.hpp"
#include "tests/gang/corner.hpp"
#include "tests/gang/shares/trees.hpp"

using gang::GangState;
using gang::ReasonCode;
using tests::World;

TEST_CASE("rules 5: executors beyond the declared count take what nobody has reserved") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    world.add_node(tests::node("n2", 4, 16 * 1024));
    const auto other = world.submit("b", 2, 2);
    world.settle();
    const auto more = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(more) == 1);
    CHECK(world.view(other).slots_open == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("rules 6: slots wait for late executors as long as the driver lives") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto next = world.submit("b", 1, 2);
    world.advance(48LL * 3'600'000);
    CHECK_FALSE(world.is_bound(next));
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
}

TEST_CASE("rules 7: fewer executors than declared: room goes only if the configuration says so") {
    for (const bool release : {false, true}) {
        config::Schema schema;
        schema.gang.missing_executors_then =
            release ? config::UnusedThen::release : config::UnusedThen::keep;
        World world(schema);
        const auto driver = tests::fill_node(world);
        world.create_executors(driver, 1);
        const auto next = world.submit("b", 1, 2);
        world.advance(700'000);
        CHECK(world.is_bound(next) == release);
        CHECK(tests::events_of(world, "ExecutorsMissing") == 1);
    }
}

TEST_CASE("rules 8: a driver is never bound before its conf, and a gate is honoured") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.create(tests::driver("a"));
    world.advance(60'000);
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.view(driver).code == ReasonCode::waiting_for_spark_conf);
    world.change_pod(driver, [](core::Pod& pod) { pod.gated = true; });
    world.confs[driver].conf = tests::conf(3);
    world.advance(60'000);
    CHECK_FALSE(world.is_bound(driver));
    world.change_pod(driver, [](core::Pod& pod) { pod.gated = false; });
    world.advance(60'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("rules 9: a conf is asked for by name, once, and secrets in it are not kept") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.advance(600'000);
    CHECK(world.fetches.size() == 1);
    CHECK(world.fetches[0].second == driver);
    const auto read = gang::spark::read_properties(
        "spark.executor.memory=1g\nspark.hadoop.fs.s3a.secret.key=hush\n"
        "spark.kubernetes.driverEnv.PASSWORD=hush\n");
    REQUIRE(read);
    CHECK(*read == core::StringMap{{"spark.executor.memory", "1g"}});
}

TEST_CASE("rules 10: a real executor wins over the conf, and that is said once") {
    World world;
    world.add_node(tests::node("n1", 16, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    for (int i = 0; i < 3; ++i) {
        tests::create_executor(
            world, driver, [](core::Pod& pod) { pod.requests.cpu_milli = 2000; });
    }
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.reservation(driver)->shapes[0].requests.cpu_milli == 2000);
    CHECK(tests::events_of(world, "ShapeCorrected") == 1);
}

TEST_CASE("rules 11: a driver that is submitted again under its name and id starts anew") {
    World world;
    std::vector<std::string> executors;
    const auto old = tests::fill_node(world, executors);
    world.set_phase(old, core::PodPhase::failed);
    world.remove_pod(old);
    const auto fresh = world.submit("a", 3, 2);
    world.settle();
    CHECK_FALSE(world.is_bound(fresh));  // the executors of the old one still run
    for (const auto& uid : executors) {
        world.remove_pod(uid);
    }
    world.settle();
    CHECK(world.is_bound(fresh));
    CHECK(world.view(fresh).slots_open == 3);
    CHECK(world.reservation(fresh)->anchor == fresh);
    CHECK(world.violations.empty());
}

TEST_CASE("rules 12: a driver whose container restarts keeps its slots for the new executors") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    for (const auto& uid : executors) {
        world.remove_pod(uid);
    }
    const auto next = world.submit("b", 1, 2);
    world.settle();
    CHECK_FALSE(world.is_bound(next));
    const auto again = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(again) == 3);
}

TEST_CASE("rules 13: executor failure: the replacement reuses the slot") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    const auto next = world.submit("b", 1, 2);
    world.set_phase(executors[1], core::PodPhase::failed);
    world.advance(30'000);
    CHECK_FALSE(world.is_bound(next));
    const auto replacement = world.create_executors(driver, 1);
    world.settle();
    CHECK(world.is_bound(replacement[0]));
    CHECK(world.violations.empty());
}

TEST_CASE("rules 14: a pod that takes long to end counts until it is gone") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    world.change_pod(executors[0], [](core::Pod& pod) { pod.deleting = true; });
    const auto replacement = world.create_executors(driver, 1);
    world.advance(120'000);
    CHECK_FALSE(world.is_bound(replacement[0]));
    world.remove_pod(executors[0]);
    world.settle();
    CHECK(world.is_bound(replacement[0]));
    CHECK(world.violations.empty());
}

TEST_CASE("rules 15: a driver that has ended frees its slots, not only one that is deleted") {
    for (const auto phase : {core::PodPhase::succeeded, core::PodPhase::failed}) {
        World world;
        const auto driver = tests::fill_node(world);
        const auto next = world.submit("b", 3, 2);
        world.set_phase(driver, phase);
        world.settle();
        CHECK(world.is_bound(next));
        CHECK(world.has_pod(driver));
    }
}

TEST_CASE("rules 16: executors without their driver: waiting ones are not bound, others count") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    world.set_phase(driver, core::PodPhase::failed);
    const auto late = world.create_executors(driver, 1);
    const auto next = world.submit("b", 2, 2);
    world.settle();
    CHECK_FALSE(world.is_bound(late[0]));
    CHECK(world.condition(late[0]).find("has ended") != std::string::npos);
    CHECK(world.condition(late[0]).ends_with("[DriverEnded]"));
    CHECK_FALSE(world.is_bound(next));  // 2 cpu are still in use
    world.remove_pod(executors[0]);
    world.settle();
    CHECK(world.is_bound(next));
}

TEST_CASE("rules 17: a namespace that is being deleted leaves nothing behind") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::refused); };
    world.fail_status_writes = true;
    world.advance(60'000);
    core::Pod elsewhere = tests::driver("z");
    elsewhere.namespace_name = "other";
    elsewhere.created = 5;
    world.on_bind = [](const gang::BindPod& bind) {
        return bind.pod.namespace_name == "etl" ? std::optional(gang::BindOutcome::refused)
                                                : std::nullopt;
    };
    const auto other = world.submit(elsewhere, tests::conf(3));
    world.advance(60'000);
    CHECK(world.is_bound(other));
    world.remove_application(driver);
    world.remove_application(other);
    world.advance(600'000);
    CHECK(world.scheduler->gangs().empty());
}

TEST_CASE("rules 18: a restart gives each gang back what it had, before anybody else is admitted") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto next = world.submit("b", 1, 0);  // even one that is older
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_open == 3);
    CHECK_FALSE(world.is_bound(next));
}

TEST_CASE("rules 19: while a list is under way nothing is decided") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.settle();
    world.step(gang::RelistBegun{gang::Kind::pods});
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    world.step(gang::RelistEnded{gang::Kind::pods});
    world.settle();
    CHECK(world.is_bound(driver));
}

TEST_CASE("rules 25: an executor that is resized in place is counted as large as it is") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    world.change_node("n1", [](core::Node& node) { node.allocatable.cpu_milli = 5000; });
    world.change_pod(executors[0], [](core::Pod& pod) { pod.requests.cpu_milli = 1500; });
    const auto lone = world.create(tests::pod("lone", 1000, 100));
    world.settle();
    CHECK_FALSE(world.is_bound(lone));
    world.change_pod(executors[0], [](core::Pod& pod) { pod.requests.cpu_milli = 1000; });
    world.settle();
    CHECK(world.is_bound(lone));
    CHECK(world.violations.empty());
}

TEST_CASE("rules 27: a quota that lets the driver in and not its executors") {
    config::Schema schema = World::sealed_schema();
    SUBCASE("is not looked at: the driver runs, and its slots stay open") {}
    SUBCASE("is looked at: the driver waits") { schema.quota.preflight = true; }
    World world(schema);
    world.add_node(tests::node("n1", 8, 16 * 1024));
    world.quotas["etl"] = {{{"team", {{"pods", 3, 1}}, {}}}, {}};
    const auto driver = world.submit("a", 3, 1);
    world.advance(2'000);
    CHECK(world.is_bound(driver) != schema.quota.preflight);
    world.quotas.clear();
    world.advance(31'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("rules 28: a webhook that gives an executor to another scheduler: counted, said, freed") {
    World world;
    const auto driver = tests::fill_node(world);
    core::Node roomy = tests::node("n2", 2, 16 * 1024);
    roomy.allocatable.cpu_milli = 2'100;
    world.add_node(roomy);
    const auto next = world.submit("b", 1, 2);
    world.settle();
    REQUIRE(world.is_bound(next));
    const auto third = world.submit("c", 0, 3);
    tests::create_executor(world, driver, [](core::Pod& pod) {
        pod.scheduler_name = "default-scheduler";
        pod.node_name = "n2";
        pod.requests.cpu_milli = 100;
    });
    world.settle();
    CHECK(world.view(driver).slots_open == 2);
    CHECK(tests::events_of(world, "ExecutorsElsewhere") == 1);
    CHECK(world.is_bound(third));
}

TEST_CASE("rules 29: an executor of another profile takes a slot that fits it, or is one more") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto small = tests::create_executor(world, driver, [](core::Pod& pod) {
        pod.labels[1].second = "7";
        pod.requests.cpu_milli = 500;
    });
    world.settle();
    CHECK(world.is_bound(small));
    CHECK(world.view(driver).slots_bound == 1);
    const auto large = tests::create_executor(world, driver, [](core::Pod& pod) {
        pod.labels[1].second = "7";
        pod.requests.cpu_milli = 2000;
    });
    world.settle();
    CHECK_FALSE(world.is_bound(large));
    CHECK(world.view(driver).slots_open == 2);
    world.add_node(tests::node("n2", 2, 16 * 1024));
    world.settle();
    CHECK(world.node_of(large) == "n2");
    CHECK(world.view(driver).slots_open == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("rules 30: executors of a set take slots; without a driver of ours they go one by one") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto executors = world.create_set_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    core::Pod client = tests::pod("nb-exec-1", 1000, 100);
    client.labels = {
        {"spark-app-selector", "nb"}, {"spark-exec-id", "1"}, {"spark-role", "executor"}};
    const auto notebook = world.create(client);
    world.settle();
    CHECK_FALSE(world.is_bound(notebook));
    world.add_node(tests::node("n2", 1, 16 * 1024));
    world.settle();
    CHECK(world.is_bound(notebook));
    CHECK(world.violations.empty());
}

TEST_CASE("rules 31: a driver that works alone reserves no executors") {
    World world;
    world.add_node(tests::node("n1", 1, 16 * 1024));
    const auto driver = world.create(tests::driver("a"));
    world.check_whole_gangs = false;
    world.confs[driver].conf =
        tests::with(tests::conf(5), "spark.kubernetes.driver.master", "local[*]");
    world.settle();
    CHECK(world.is_bound(driver));
    CHECK(gang::slot_count(*world.reservation(driver)) == 0);
}

TEST_CASE("rules 32: dynamic allocation: what is reserved, and how far it may grow") {
    for (const auto& [policy, reserved] :
         std::vector<std::pair<config::DynamicAllocation, std::int64_t>>{
             {config::DynamicAllocation::reserve_min, 1},
             {config::DynamicAllocation::reserve_initial, 3},
             {config::DynamicAllocation::reserve_max, 5}}) {
        config::Schema schema;
        schema.gang.dynamic_allocation = policy;
        World world(schema);
        world.check_whole_gangs = false;
        world.add_node(tests::node("n1", 16, 64 * 1024));
        const auto driver = world.create(tests::driver("a"));
        auto conf = tests::with(tests::conf(2), "spark.dynamicAllocation.enabled", "true");
        conf = tests::with(conf, "spark.dynamicAllocation.minExecutors", "1");
        conf = tests::with(conf, "spark.dynamicAllocation.initialExecutors", "3");
        conf = tests::with(conf, "spark.dynamicAllocation.maxExecutors", "5");
        world.confs[driver].conf = conf;
        world.settle();
        CHECK(gang::slot_count(*world.reservation(driver)) == reserved);
        const auto executors = world.create_executors(driver, 8);
        world.settle();
        CHECK(world.bound_count(executors) == 5);
    }
}

TEST_CASE("rules 41: executors that may not go where they were expected get slots where they may") {
    World world;
    const auto driver = tests::fill_node(world);
    core::Node pool = tests::node("n2", 4, 16 * 1024);
    pool.labels = {{"pool", "spot"}};
    world.add_node(pool);
    const auto uid = tests::create_executor(world, driver, [](core::Pod& pod) {
        pod.constraints.edit().node_selector = {{"pool", "spot"}};
    });
    world.settle();
    CHECK(world.node_of(uid) == "n2");
    CHECK(
        world.reservation(driver)->shapes[0].slots_per_node ==
        std::vector<std::pair<std::string, std::int64_t>>{{"n2", 3}});
    CHECK(world.violations.empty());
}

TEST_CASE("rules 42: gated pods are not bound and hold nothing") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Pod gated = tests::driver("a");
    gated.gated = true;
    const auto first = world.submit(gated, tests::conf(3));
    const auto second = world.submit("b", 3, 2'000);
    world.settle();
    CHECK_FALSE(world.is_bound(first));
    CHECK(world.is_bound(second));
    world.remove_application(second);
    world.change_pod(first, [](core::Pod& pod) { pod.gated = false; });
    world.settle();
    CHECK(world.is_bound(first));
}

TEST_CASE("rules 43: a pod that goes between decision and bind leaves its room") {
    World world;
    const auto driver = tests::fill_node(world);
    world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::gone); };
    const auto lost = world.create_executors(driver, 1);
    world.settle();
    world.on_bind = nullptr;
    CHECK(world.view(driver).slots_open == 3);
    world.remove_pod(lost[0]);
    world.remove_application(driver);
    world.on_bind = [](const gang::BindPod&) { return std::optional(gang::BindOutcome::gone); };
    const auto gone = world.submit("b", 3, 2);
    world.settle();
    world.on_bind = nullptr;
    const auto next = world.submit("c", 3, 3);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK_FALSE(world.is_bound(gone));
}

TEST_CASE("rules 37: a higher priority has a gang evicted, whole, where its queue allows it") {
    for (const bool allowed : {false, true}) {
        config::Queue etl = tests::queue("etl");
        etl.order = config::QueueOrder::priority;
        if (allowed) {
            etl.preemption.within_queue = config::PreemptionWithin::lower_priority;
        }
        World world(tests::with_queues({etl}, World::sealed_schema()));
        world.add_node(tests::node("n1", 4, 16 * 1024));
        const auto submit = [&world](const char* name, std::int32_t priority) {
            core::Pod pod = tests::driver(name);
            pod.priority = priority;
            pod.created = priority;
            pod.annotations = {{"gang-scheduler/queue", "etl"}};
            return world.submit(std::move(pod), tests::conf(3));
        };
        const auto low = submit("low", 1);
        world.advance(1'000);
        REQUIRE(world.is_bound(low));
        const auto executors = world.create_executors(low, 3);
        world.advance(1'000);
        const auto high = submit("high", 10);
        world.advance(2'000);
        CHECK(world.evictions.size() == (allowed ? executors.size() + 1 : 0));
        CHECK_FALSE(world.is_bound(high));  // before the room has come free
    }
}

TEST_CASE("rules 44: absurd numbers are said, and others go on") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.check_whole_gangs = false;
    std::vector<std::string> absurd;
    for (const char* count : {"1000000000", "-1", "9223372036854775807", "1e400", ""}) {
        const auto uid = world.create(tests::driver("x" + std::to_string(absurd.size())));
        world.confs[uid].conf = tests::with(tests::conf(1), "spark.executor.instances", count);
        absurd.push_back(uid);
    }
    const auto fine = world.submit("fine", 3, 2'000);
    world.settle();
    CHECK(world.is_bound(fine));
    for (const auto& uid : absurd) {
        CHECK(world.view(uid).code == ReasonCode::misconfigured);
        CHECK(world.condition(uid).find("spark.executor.instances") != std::string::npos);
    }
}
