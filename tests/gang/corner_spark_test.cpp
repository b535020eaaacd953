// Corner cases of Spark by their numbers in docs/concepts/corner-cases.md.

#include "gang/report/status_reporter.hpp"
#include "tests/gang/corner.hpp"

using gang::GangState;
using tests::World;

TEST_CASE("spark 1: a driver is not bound before its config map exists") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.create(tests::driver("a"));
    world.advance(3'600'000);
    CHECK_FALSE(world.is_bound(driver));
    world.confs[driver].conf = tests::conf(3);
    world.advance(30'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("spark 2: an application submitted again under the same driver name is another gang") {
    World world;
    const auto old = tests::fill_node(world);
    const auto fresh = world.submit("a", 1, 2);  // the old pod is not even gone
    world.settle();
    CHECK_FALSE(world.is_bound(fresh));
    CHECK(world.view(old).slots_open == 3);
    world.remove_application(old);
    world.settle();
    CHECK(world.is_bound(fresh));
    CHECK(world.view(fresh).slots_open == 1);
}

TEST_CASE("spark 3: an application deleted right after it was made leaves nothing behind") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.hold_conf_answers = true;
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const core::Pod owner = world.pod(driver);
    world.remove_pod(driver);
    world.hold_conf_answers = false;
    world.settle();
    CHECK(world.scheduler->gangs().empty());
    const auto next = world.submit("b", 3, 2);
    world.settle();
    CHECK(world.is_bound(next));
}

TEST_CASE("spark 4: executors that outlive their driver count until they are gone") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    world.remove_pod(driver);
    const auto next = world.submit("b", 1, 2);
    world.settle();
    CHECK_FALSE(world.is_bound(next));
    world.set_phase(executors[0], core::PodPhase::succeeded);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("spark 5: spark-app-name ties nothing together") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    std::vector<std::string> drivers;
    for (const char* name : {"a", "b"}) {
        core::Pod pod = tests::driver(name);
        pod.labels.insert(pod.labels.begin(), {"spark-app-name", "nightly"});
        drivers.push_back(world.submit(pod, tests::conf(3)));
    }
    world.settle();
    CHECK(world.bound_count(drivers) == 2);
    const auto executors = world.create_executors(drivers[1], 3);
    world.settle();
    CHECK(world.view(drivers[0]).slots_open == 3);
    CHECK(world.view(drivers[1]).slots_bound == 3);
}

TEST_CASE("spark 6: names as long as Kubernetes allows them are served, texts stay bounded") {
    World world;
    core::Pod pod = tests::driver(std::string(253, 'n'), std::string(63, 'i'));
    const auto driver = world.submit(pod, tests::conf(3));
    world.settle();
    CHECK(world.condition(driver).size() <= gang::status_message_bytes_max);
    CHECK(world.condition(driver).ends_with("]"));
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.settle();
    CHECK(world.is_bound(driver));
    for (const auto& event : world.events) {
        CHECK(event.message.size() <= gang::status_message_bytes_max);
    }
}

TEST_CASE("spark 7: two applications with one pod name prefix: slots wait for late executors") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto first = world.submit("a", 3, 1);
    const auto second = world.submit("b", 3, 2);
    world.settle();
    for (const auto& driver : {first, second}) {
        world.set_phase(driver, core::PodPhase::running);
    }
    // The API server has refused the second one's pods: they exist already.
    world.create_executors(first, 3);
    world.advance(700'000);
    CHECK(world.view(second).slots_open == 3);
    CHECK(tests::events_of(world, "ExecutorsMissing") == 1);
    const auto late = world.create_executors(second, 3);
    world.settle();
    CHECK(world.bound_count(late) == 3);
}

TEST_CASE("spark 8: executors are known by their owner, whatever their name begins with") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto uid = tests::create_executor(
        world, driver, [](core::Pod& pod) { pod.name = "something-else-0123-exec-1"; });
    world.settle();
    CHECK(world.is_bound(uid));
    CHECK(world.view(driver).slots_bound == 1);
}

TEST_CASE("spark 9: executor ids and names that begin again are other executors") {
    World world;
    const auto driver = tests::fill_node(world);
    for (int round = 0; round < 3; ++round) {
        std::vector<std::string> executors;
        for (int id = 1; id <= 3; ++id) {
            executors.push_back(tests::create_executor(world, driver, [id](core::Pod& pod) {
                pod.name = "a-exec-" + std::to_string(id);
                pod.labels.insert(pod.labels.begin() + 1, {"spark-exec-id", std::to_string(id)});
            }));
        }
        world.settle();
        CHECK(world.bound_count(executors) == 3);
        for (const auto& uid : executors) {
            world.remove_pod(uid);
        }
        world.settle();
        CHECK(world.view(driver).slots_open == 3);
    }
    CHECK(world.violations.empty());
}

TEST_CASE("spark 10: stage-level profiles are elastic and leave the default profile's size alone") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    std::vector<std::string> staged;
    for (int i = 0; i < 2; ++i) {
        staged.push_back(tests::create_executor(world, driver, [](core::Pod& pod) {
            pod.labels[1].second = "1";
            pod.requests.cpu_milli = 2000;
        }));
    }
    world.settle();
    CHECK(world.bound_count(staged) == 2);
    CHECK(world.view(driver).slots_open == 2);
    CHECK(world.reservation(driver)->shapes[0].requests.cpu_milli == 1000);
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("spark 11: a storm of failing executors costs a bounded number of binds and words") {
    World world;
    const auto driver = tests::fill_node(world);
    for (int second = 0; second < 300; ++second) {
        for (const auto& uid : world.create_executors(driver, 5)) {
            world.settle();
            if (world.is_bound(uid)) {
                world.set_phase(uid, core::PodPhase::failed);
            }
        }
        for (const auto& uid : world.executors_of(driver)) {
            world.remove_pod(uid);
        }
        world.advance(1'000);
    }
    CHECK(world.binds.size() <= 1 + 10 + 300 / 5 + 5);
    CHECK(world.binds.size() >= 20);
    CHECK(world.events.size() <= 6);
    CHECK(tests::events_of(world, "ExecutorsFailing") == 1);
    CHECK(world.scheduler->gangs().size() == 1);
}

TEST_CASE("spark 12: an executor killed for its memory is replaced in its slot") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    const auto next = world.submit("b", 1, 2);
    for (int i = 0; i < 5; ++i) {
        world.set_phase(executors.back(), core::PodPhase::failed);
        executors.push_back(world.create_executors(driver, 1)[0]);
        world.advance(5'000);
        CHECK(world.is_bound(executors.back()));
    }
    CHECK_FALSE(world.is_bound(next));
    CHECK(world.updates.empty());
    CHECK(world.violations.empty());
}

TEST_CASE("spark 13: an executor that grows in place moves the slots that it displaces") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 1);
    world.settle();
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.change_pod(executors[0], [](core::Pod& pod) { pod.requests.cpu_milli = 2000; });
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
    const auto rest = world.create_executors(driver, 2);
    world.settle();
    CHECK(world.bound_count(rest) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("spark 14: executors that a sidecar or a policy kills look like failing ones") {
    World world;
    const auto driver = tests::fill_node(world);
    int bound = 0;
    for (int i = 0; i < 40; ++i) {
        const auto executors = world.create_executors(driver, 1);
        world.advance(1'000);
        bound += world.is_bound(executors[0]) ? 1 : 0;
        if (world.is_bound(executors[0])) {
            world.set_phase(executors[0], core::PodPhase::running);
            world.set_phase(executors[0], core::PodPhase::failed);
        } else {
            world.remove_pod(executors[0]);
        }
    }
    CHECK(bound >= 10);
    CHECK(bound < 30);
    CHECK(world.view(driver).slots_open == 3);
}

TEST_CASE("spark 15: nothing is asked about the executors' own config map") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    world.advance(60'000);
    CHECK(world.fetches.size() == 1);
    CHECK(world.fetches[0].second == driver);
}

TEST_CASE("spark 16: executors that were one too many go unbound and leave nothing behind") {
    World world;
    std::vector<std::string> executors;
    const auto driver = tests::fill_node(world, executors);
    const auto excess = world.create_executors(driver, 4);
    world.advance(60'000);
    CHECK(world.bound_count(excess) == 0);
    for (const auto& uid : excess) {
        world.remove_pod(uid);
    }
    world.settle();
    CHECK(world.scheduler->gangs().size() == 1);
    CHECK(world.view(driver).slots_bound == 3);
}

TEST_CASE("spark 17: a driver alone, a count of nothing, and a minimum of nothing") {
    World world;
    world.check_whole_gangs = false;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto reserved = [&world](const std::string& name, const gang::spark::Conf& conf) {
        const auto uid = world.create(tests::driver(name));
        world.confs[uid].conf = conf;
        world.settle();
        REQUIRE(world.is_bound(uid));
        return gang::slot_count(*world.reservation(uid));
    };
    CHECK(
        reserved("alone", tests::with(tests::conf(3), "spark.kubernetes.driver.master", "local")) ==
        0);
    CHECK(reserved("none", tests::conf(0)) == 0);
    CHECK(
        reserved(
            "dynamic", tests::with(tests::conf(0), "spark.dynamicAllocation.enabled", "true")) ==
        1);
}

TEST_CASE("spark 18: a set's executors are counted by uid: ids are EXECID, names come again") {
    World world;
    const auto driver = tests::fill_node(world);
    auto executors = world.create_set_executors(driver, 3);
    for (const auto& uid : executors) {
        world.change_pod(uid, [](core::Pod& pod) {
            pod.labels.insert(pod.labels.begin() + 1, {"spark-exec-id", "EXECID"});
        });
    }
    world.settle();
    REQUIRE(world.bound_count(executors) == 3);
    core::Pod again = world.pod(executors[0]);
    world.remove_pod(executors[0]);
    again.uid.clear();
    again.node_name.clear();
    again.annotations.clear();
    again.scheduled.reset();
    const auto replacement = world.create(again);
    world.settle();
    CHECK(world.is_bound(replacement));
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("spark 19: size and count of a gang may change while it lives, and survive a restart") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    tests::create_executor(world, driver, [](core::Pod& pod) { pod.requests.cpu_milli = 1500; });
    tests::create_executor(world, driver, [](core::Pod& pod) {
        pod.scheduler_name = "default-scheduler";
        pod.node_name = "n1";
    });
    world.advance(1'000);
    world.restart();
    world.advance(1'000);
    CHECK(world.view(driver).executors == 2);
    CHECK(world.scheduler->explain("a")->executor.cpu_milli == 1500);
    CHECK(world.violations.empty());
}
