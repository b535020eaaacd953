// The life of gangs in a whole cluster: admission, members, ends.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace {

using gang::GangState;
using gang::ReasonCode;
using tests::World;

std::size_t count_events(const World& world, const std::string& reason) {
    return static_cast<std::size_t>(
        std::count_if(world.events.begin(), world.events.end(), [&reason](const auto& event) {
            return event.reason == reason;
        }));
}

void run_driver(World& world, const std::string& driver) {
    world.set_phase(driver, core::PodPhase::running);
}

}  // namespace

TEST_CASE("scheduler: a gang that fits is reserved whole in the driver's bind") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto reservation = world.reservation(driver);
    REQUIRE(reservation);
    CHECK(gang::slot_count(*reservation) == 7);
    CHECK(reservation->anchor == driver);
    CHECK(reservation->epoch == 1);
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.view(driver).slots_open == 7);
    // One transition, one event.
    REQUIRE(world.events.size() == 1);
    CHECK(world.events.front().reason == "Scheduled");
    CHECK(
        world.events.front().message.find(", with room reserved for 7 executors on 2 nodes") !=
        std::string::npos);
}

TEST_CASE("scheduler: executors are bound to their slots the moment they appear") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    run_driver(world, driver);
    const auto executors = world.create_executors(driver, 7);
    world.settle();
    CHECK(world.bound_count(executors) == 7);
    CHECK(world.view(driver).slots_bound == 7);
    CHECK(world.violations.empty());
    std::map<std::string, std::int64_t> per_node;
    for (const auto& uid : executors) {
        ++per_node[world.node_of(uid)];
        CHECK(core::find_value(world.pod(uid).annotations, "gang-scheduler/slot") != nullptr);
    }
    const auto declared = world.reservation(driver)->shapes.front().slots_per_node;
    CHECK(std::map<std::string, std::int64_t>(declared.begin(), declared.end()) == per_node);
}

TEST_CASE("scheduler: a gang that does not fit holds nothing and says what is missing") {
    World world;
    world.add_small_cluster();
    const auto first = world.submit("a", 7, 1);
    const auto second = world.submit("b", 7, 2);
    world.settle();
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.view(second).state == GangState::waiting);
    CHECK(world.view(second).slots_open == 0);
    CHECK(world.view(second).code == ReasonCode::waiting_for_capacity);
    CHECK(world.view(second).position == 1);
    const std::string said = world.condition(second);
    CHECK(said.starts_with("0/3 nodes can take gang spark-b now: needs 1 driver + 7 executors"));
    CHECK(said.ends_with("[WaitingForCapacity]"));
    CHECK(world.pod(second).scheduled->reason == "Unschedulable");
}

TEST_CASE("scheduler: a driver's end frees its gang at once") {
    World world;
    world.add_small_cluster();
    const auto first = world.submit("a", 7, 1);
    const auto second = world.submit("b", 7, 2);
    world.settle();
    SUBCASE("completed, with its pods still there") {
        world.set_phase(first, core::PodPhase::succeeded);
    }
    SUBCASE("deleted") {
        world.remove_application(first);
    }
    SUBCASE("deleted while executors have a bind in flight") {
        world.hold_bind_answers = true;
        world.create_executors(first, 3);
        world.settle();
        world.remove_application(first);
    }
    world.settle();
    CHECK(world.is_bound(second));
    CHECK(world.violations.empty());
}

TEST_CASE("S11: a driver that is being deleted counts until it is gone") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto first = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(first, 2);
    world.settle();
    world.change_pod(first, [](core::Pod& pod) { pod.deleting = true; });
    const auto late = world.create_executors(first, 1);
    const auto second = world.submit("b", 3, 2);
    const auto small = world.submit("c", 0, 3);
    world.confs[small].conf =
        tests::with(tests::conf(0), "spark.kubernetes.driver.master", "local[*]");
    world.settle();
    CHECK_FALSE(world.is_bound(late[0]));
    CHECK_FALSE(world.is_bound(second));
    world.remove_application(first);
    world.settle();
    CHECK(world.is_bound(second));
}

TEST_CASE("scheduler: ten drivers that fill the cluster pod by pod finish one by one as gangs") {
    World world;
    world.add_small_cluster();
    std::vector<std::string> drivers;
    for (int i = 0; i < 10; ++i) {
        drivers.push_back(world.submit("app-" + std::to_string(i), 5, i));
    }
    std::set<std::string> finished;
    for (int round = 0; round < 10; ++round) {
        world.settle();
        for (const auto& driver : drivers) {
            if (finished.contains(driver) || !world.is_bound(driver)) {
                continue;
            }
            run_driver(world, driver);
            const auto executors = world.create_executors(driver, 5);
            world.settle();
            CHECK(world.bound_count(executors) == 5);
            for (const auto& uid : executors) {
                world.remove_pod(uid);
            }
            world.set_phase(driver, core::PodPhase::succeeded);
            finished.insert(driver);
        }
    }
    CHECK(finished.size() == 10);
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: without gangs the same ten drivers deadlock") {
    config::Schema schema;
    schema.gang.discovery = config::Discovery::none;
    World world(schema);
    world.check_whole_gangs = false;
    world.add_small_cluster();
    std::vector<std::string> drivers;
    for (int i = 0; i < 12; ++i) {
        drivers.push_back(world.submit("app-" + std::to_string(i), 5, i));
    }
    world.settle();
    CHECK(world.bound_count(drivers) == 12);
    CHECK(world.bound_count(world.create_executors(drivers[0], 5)) == 0);
    world.settle();
    CHECK(world.fetches.empty());
}

TEST_CASE("scheduler: a replacement takes the slot of the executor that was lost") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    world.submit("b", 3, 2);
    SUBCASE("failed, still there") {
        world.set_phase(executors[0], core::PodPhase::failed);
    }
    SUBCASE("deleted") {
        world.remove_pod(executors[0]);
    }
    SUBCASE("first deleting, then gone") {
        world.change_pod(executors[0], [](core::Pod& pod) { pod.deleting = true; });
        const auto early = world.create_executors(driver, 1);
        world.settle();
        CHECK_FALSE(world.is_bound(early[0]));
        world.advance(2'000);  // told only when it lasts
        CHECK(world.condition(early[0]).ends_with("see driver etl/a [WaitingInQueue]"));
        world.remove_pod(executors[0]);
        world.settle();
        CHECK(world.is_bound(early[0]));
        return;
    }
    world.settle();
    CHECK(world.view(driver).slots_open == 1);
    const auto replacement = world.create_executors(driver, 1);
    world.settle();
    CHECK(world.is_bound(replacement[0]));
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: executors beyond the declared count go behind others, without their slots") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    const auto other = world.submit("b", 5, 2);
    world.settle();
    REQUIRE(world.is_bound(other));
    const auto executors = world.create_executors(driver, 6);
    world.settle();
    // 12 cpu: two drivers, 2 + 5 slots, so 3 are left for 4 more executors.
    CHECK(world.bound_count(executors) == 5);
    CHECK(world.view(other).slots_open == 5);
    CHECK(world.bound_count(world.executors_of(driver)) == 5);
    const auto theirs = world.create_executors(other, 5);
    world.settle();
    CHECK(world.bound_count(theirs) == 5);
    CHECK(world.violations.empty());
}

TEST_CASE("S23: dynamic allocation never gets more executors than its maximum") {
    World world;
    world.add_small_cluster();
    const auto driver = world.create(tests::driver("a"));
    auto& conf = world.confs[driver].conf;
    conf = tests::with(tests::conf(2), "spark.dynamicAllocation.enabled", "true");
    conf = tests::with(*conf, "spark.dynamicAllocation.maxExecutors", "4");
    world.settle();
    const auto executors = world.create_executors(driver, 6);
    world.settle();
    CHECK(world.bound_count(executors) == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: FIFO is strict among gangs that could fit") {
    World world;
    world.add_small_cluster();
    const auto running = world.submit("a", 7, 1);
    const auto large = world.submit("b", 9, 2);
    const auto small = world.submit("c", 1, 3);
    world.settle();
    CHECK(world.is_bound(running));
    CHECK_FALSE(world.is_bound(large));
    CHECK_FALSE(world.is_bound(small));
    world.advance(2'000);
    CHECK(world.view(small).code == ReasonCode::waiting_in_queue);
    CHECK(world.condition(small).find("1 gang is ahead, first etl/b") != std::string::npos);
    CHECK(world.pod(small).scheduled->reason == "SchedulingSkipped");
    CHECK(world.view(small).position == 2);
    world.remove_application(running);
    world.settle();
    CHECK(world.is_bound(large));
    CHECK(world.is_bound(small));
}

TEST_CASE("scheduler: equal creation times are ordered by uid, whatever the order of arrival") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Pod late = tests::driver("late");
    late.uid = "uid-b";
    core::Pod early = tests::driver("early");
    early.uid = "uid-a";
    world.submit(late, tests::conf(3));
    world.submit(early, tests::conf(3));
    world.settle();
    CHECK(world.is_bound("uid-a"));
    CHECK_FALSE(world.is_bound("uid-b"));
}

TEST_CASE("S15: a gang that no cluster of this size holds is parked and blocks nobody") {
    World world;
    world.add_small_cluster();
    const auto huge = world.submit("huge", 100, 1);
    const auto next = world.submit("next", 3, 2);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.view(huge).state == GangState::parked);
    CHECK(world.view(huge).code == ReasonCode::exceeds_cluster);
    CHECK(world.condition(huge).starts_with("0/3 nodes could take gang spark-huge"));
    CHECK(
        world.condition(huge).find("needs 1 driver + 100 executors (101 cpu") != std::string::npos);
    CHECK(world.condition(huge).ends_with("[ExceedsCluster]"));
    SUBCASE("until nodes are added") {
        for (int i = 0; i < 30; ++i) {
            world.add_node(tests::node("big-" + std::to_string(i), 4, 16 * 1024));
        }
        world.settle();
        CHECK(world.is_bound(huge));
    }
}

TEST_CASE("scheduler: pods of other schedulers park a gang that would fit without them") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Pod other_pod = tests::pod("daemon", 2000, 100);
    other_pod.scheduler_name = "default-scheduler";
    other_pod.node_name = "n1";
    const auto daemon = world.create(other_pod);
    const auto driver = world.submit("a", 3, 1);
    const auto small = world.submit("b", 1, 2);
    world.settle();
    CHECK(world.view(driver).code == ReasonCode::waiting_for_capacity);
    CHECK(world.view(driver).message.find("other schedulers") != std::string::npos);
    CHECK(world.is_bound(small));
    world.remove_application(small);
    SUBCASE("terminating pods still count") {
        world.change_pod(daemon, [](core::Pod& pod) { pod.deleting = true; });
        world.settle();
        CHECK_FALSE(world.is_bound(driver));
        world.remove_pod(daemon);
    }
    SUBCASE("terminal ones do not") {
        world.set_phase(daemon, core::PodPhase::failed);
    }
    world.settle();
    CHECK(world.is_bound(driver));
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: whoever waits first after a start is told by an event, once") {
    World world;
    world.add_small_cluster();
    const auto fits = [&world] { world.submit("fills", 9, 1); };
    SUBCASE("it waits already") {
        fits();
        world.submit("waits", 8, 2);
    }
    SUBCASE("it comes seconds later") {
        world.advance(5'000);
        fits();
        world.submit("waits", 8, 2);
    }
    SUBCASE("another leader has told it before") {
        fits();
        world.submit("waits", 8, 2);
        world.advance(10'000);
        world.events.clear();
        world.restart();
    }
    world.advance(10'000);
    CHECK(count_events(world, "FailedScheduling") == 1);
    CHECK(std::any_of(world.events.begin(), world.events.end(), [](const auto& event) {
        return event.pod.name == "waits" && event.message.ends_with("[WaitingForCapacity]");
    }));
}

TEST_CASE("scheduler: a gang that closed nodes could take is not told that it is too large") {
    World world;
    world.add_small_cluster();
    const auto close = [&world](const char* node, const std::function<void(core::Node&)>& how) {
        world.change_node(node, how);
    };
    const auto cordon = [](core::Node& node) { node.unschedulable = true; };
    const char* state = "";
    SUBCASE("cordoned") {
        close("n1", cordon);
        state = "1 cordoned";
    }
    SUBCASE("not ready") {
        close("n1", [](core::Node& node) {
            node.ready = false;
            node.taints = {
                {"node.kubernetes.io/not-ready", "", core::TaintEffect::no_schedule},
                {"node.kubernetes.io/not-ready", "", core::TaintEffect::no_execute}};
        });
        state = "1 not ready";
    }
    SUBCASE("short of its own disk") {
        close("n1", [](core::Node& node) {
            node.taints = {
                {"node.kubernetes.io/disk-pressure", "", core::TaintEffect::no_schedule}};
        });
        state = "1 untolerated taint node.kubernetes.io/disk-pressure";
    }
    SUBCASE("all of them") {
        for (const char* node : {"n1", "n2", "n3"}) {
            close(node, cordon);
        }
        state = "no node is eligible. 3 cordoned";
    }
    const auto driver = world.submit("a", 11, 1);
    const auto small = world.submit("b", 3, 2);
    world.settle();
    CHECK(world.view(driver).code == ReasonCode::waiting_for_capacity);
    CHECK(world.view(driver).state == GangState::parked);
    const std::string told = world.condition(driver);
    CHECK(told.starts_with(
        "0/3 nodes can take gang spark-a now: nodes that it could use are closed: needs 1 driver"));
    CHECK_MESSAGE(told.find(state) != std::string::npos, told);
    CHECK(told.ends_with("[WaitingForCapacity]"));
    CHECK(world.is_bound(small) == !told.ends_with("3 cordoned [WaitingForCapacity]"));
    world.remove_application(small);
    for (const char* node : {"n1", "n2", "n3"}) {
        world.add_node(tests::node(node, 4, 16 * 1024));
    }
    world.settle();
    CHECK(world.is_bound(driver));
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: a closed node that would not help is no reason") {
    World world;
    world.add_small_cluster();
    world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
    SUBCASE("all nodes together are too small") {
        const auto driver = world.submit("a", 20, 1);
        world.settle();
        CHECK(world.view(driver).code == ReasonCode::exceeds_cluster);
        CHECK(world.condition(driver).ends_with("[ExceedsCluster]"));
    }
    SUBCASE("it is another pool's") {
        for (const char* name : {"n2", "n3"}) {
            world.change_node(name, [](core::Node& node) { node.labels = {{"pool", "a"}}; });
        }
        core::Pod pod = tests::pod("lone", 5'000, 100);
        pod.constraints.edit().node_selector = {{"pool", "a"}};
        const auto lone = world.create(pod);
        world.settle();
        CHECK(world.view(lone).code == ReasonCode::exceeds_cluster);
    }
    SUBCASE("nothing would satisfy the pod's constraints") {
        core::Pod pod = tests::pod("lone", 1'000, 100);
        pod.constraints.edit().node_selector = {{"pool", "a"}};
        const auto lone = world.create(pod);
        world.settle();
        CHECK(world.view(lone).code == ReasonCode::constraints_unsatisfiable);
        CHECK(world.condition(lone).ends_with("[ConstraintsUnsatisfiable]"));
    }
}

TEST_CASE("scheduler: a pod that only a quarantined node could take waits for it") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto first = world.create(tests::pod("first", 1'000, 100));
    world.settle();
    world.change_pod(first, [](core::Pod& pod) {
        pod.phase = core::PodPhase::failed;
        pod.failure = "OutOfcpu";
    });
    const auto next = world.create(tests::pod("next", 1'000, 100));
    world.settle();
    CHECK(world.condition(next).find("1 just refused a pod") != std::string::npos);
    CHECK(world.condition(next).ends_with("[WaitingForCapacity]"));
}

TEST_CASE("scheduler: a gang in another scheduler's words is no gang, and that is said") {
    config::Schema schema;
    SUBCASE("") {}
    SUBCASE("not where nobody reads labels") {
        schema.gang.discovery = config::Discovery::none;
    }
    const bool is_read = schema.gang.discovery != config::Discovery::none;
    World world(schema);
    world.add_small_cluster();
    std::vector<std::string> pods;
    for (int i = 0; i < 20; ++i) {
        core::Pod pod = tests::pod("worker-" + std::to_string(i), 1'000, 100);
        pod.annotations = {{"godel.bytedance.com/pod-group-name", ""}};
        pods.push_back(world.create(pod));
    }
    world.advance(60'000);
    CHECK(world.bound_count(pods) == 12);
    // Each is told once, be it bound at once or not.
    CHECK(count_events(world, "DeclarationMismatch") == (is_read ? 20 : 0));
    world.remove_pod(pods.front());
    world.advance(60'000);
    CHECK(count_events(world, "DeclarationMismatch") == (is_read ? 20 : 0));
    const auto waits = std::find_if(
        pods.rbegin(), pods.rend(), [&world](const auto& uid) { return !world.is_bound(uid); });
    const auto notes = world.scheduler->explain(*waits)->notes;
    CHECK(std::any_of(notes.begin(), notes.end(), [](const std::string& note) {
              return note.ends_with("is not supported yet: the pod is scheduled by itself");
          }) == is_read);
}

TEST_CASE("scheduler: a driver's own group is read: nobody of the gang is told that it is not supported") {
    World world;
    world.add_small_cluster();
    core::Pod pod = tests::driver("a");
    pod.pod_group = std::string("workers");
    const auto driver = world.submit(pod, tests::conf(2));
    world.settle();
    CHECK(count_events(world, "DeclarationMismatch") == 0);
    run_driver(world, driver);
    for (int i = 0; i < 4; ++i) {
        core::Pod executor = tests::executor("exec-" + std::to_string(i), world.pod(driver));
        executor.pod_group = std::string("workers");
        world.create(executor);
    }
    world.settle();
    CHECK(count_events(world, "DeclarationMismatch") == 0);
}

TEST_CASE("scheduler: constraints that no node meets are said as such") {
    World world;
    world.add_small_cluster();
    const auto driver = world.create(tests::driver("a"));
    world.confs[driver].conf =
        tests::with(tests::conf(2), "spark.kubernetes.node.selector.pool", "gpu");
    world.settle();
    CHECK(world.view(driver).code == ReasonCode::constraints_unsatisfiable);
    CHECK(world.condition(driver).ends_with("[ConstraintsUnsatisfiable]"));
    world.change_node("n2", [](core::Node& node) { node.labels = {{"pool", "gpu"}}; });
    world.settle();
    CHECK(world.is_bound(driver));
    CHECK(
        world.reservation(driver)->shapes[0].slots_per_node ==
        std::vector<std::pair<std::string, std::int64_t>>{{"n2", 2}});
}

TEST_CASE("scheduler: two drivers of one application id are two gangs") {
    World world;
    world.add_small_cluster();
    const auto first = world.submit(tests::driver("a", "spark-same"), tests::conf(2));
    const auto second = world.submit(tests::driver("b", "spark-same"), tests::conf(3));
    world.settle();
    CHECK(world.view(first).slots_open == 2);
    CHECK(world.view(second).slots_open == 3);
    const auto executors = world.create_executors(second, 3);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.view(first).slots_open == 2);
    CHECK(world.view(second).slots_bound == 3);
}

TEST_CASE("S22: labels alone never take a slot") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    core::Pod thief = tests::executor("thief", world.pod(driver));
    SUBCASE("no owner") {
        thief.owners.clear();
    }
    SUBCASE("the owner is not the controller") {
        thief.owners[0].controller = false;
    }
    SUBCASE("an unknown owner") {
        thief.owners[0].uid = "uid-nobody";
    }
    SUBCASE("another namespace") {
        thief.namespace_name = "other";
    }
    SUBCASE("not an executor") {
        thief.labels.clear();
    }
    const auto uid = world.create(thief);
    world.settle();
    CHECK_FALSE(world.is_bound(uid));
    CHECK(world.view(driver).slots_open == 3);
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    world.set_phase(driver, core::PodPhase::succeeded);
    for (const auto& executor : executors) {
        world.remove_pod(executor);
    }
    world.settle();
    CHECK(world.is_bound(uid));  // a lone pod, when there is room
}

TEST_CASE("scheduler: an executor of another scheduler's name takes no slot: one is given back") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    core::Pod other_pod = tests::executor("x", world.pod(driver));
    other_pod.scheduler_name = "default-scheduler";
    other_pod.node_name = "n1";
    world.create(other_pod);
    world.settle();
    CHECK(world.view(driver).slots_open == 1);
    CHECK(world.view(driver).slots_bound == 0);
}

TEST_CASE("scheduler: an executor larger than the first has its slot grown where there is room") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto normal = world.create_executors(driver, 1);
    world.settle();
    core::Pod large = tests::executor("large", world.pod(driver));
    large.requests.cpu_milli = 2000;
    SUBCASE("there is") {
        const auto uid = world.create(large);
        world.settle();
        CHECK(world.is_bound(uid));
        CHECK(world.is_bound(normal[0]));
        CHECK(world.view(driver).slots_bound == 2);
    }
    SUBCASE("there is not: it waits, and the driver is told") {
        const auto other = world.submit("b", 0, 2);
        world.confs[other].conf =
            tests::with(tests::conf(0), "spark.kubernetes.driver.master", "local");
        world.settle();
        REQUIRE(world.is_bound(other));
        const auto uid = world.create(large);
        world.settle();
        CHECK_FALSE(world.is_bound(uid));
        CHECK(world.view(driver).slots_open == 1);
        CHECK(count_events(world, "ExecutorsLargerThanDeclared") == 1);
        CHECK(world.condition(uid).ends_with("see driver etl/a [WaitingForCapacity]"));
        world.set_phase(other, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.is_bound(uid));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: a grown slot has its gang's size again when its executor is gone") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.create_executors(driver, 1);
    world.settle();
    core::Pod large = tests::executor("large", world.pod(driver));
    large.requests.cpu_milli = 2000;
    const auto uid = world.create(large);
    world.settle();
    REQUIRE(world.is_bound(uid));
    const auto lone = world.create(tests::pod("web", 1000, 100));
    world.settle();
    CHECK_FALSE(world.is_bound(lone));
    world.set_phase(uid, core::PodPhase::failed);
    world.settle();
    CHECK(world.view(driver).slots_open == 1);
    CHECK(world.is_bound(lone));
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: executors that outlive their driver count until they are gone") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    const auto next = world.submit("b", 3, 2);
    world.settle();
    world.set_phase(driver, core::PodPhase::succeeded);
    world.settle();
    CHECK_FALSE(world.is_bound(next));
    for (const auto& uid : executors) {
        world.remove_pod(uid);
    }
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("scheduler: an older state that comes late changes nothing") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 2, 1);
    const core::Pod unbound = world.pod(driver);
    world.settle();
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    const core::Pod running = world.pod(executors[0]);
    world.set_phase(executors[0], core::PodPhase::failed);
    world.settle();
    const auto binds = world.binds.size();
    world.step(gang::PodUpserted{unbound});
    world.step(gang::PodUpserted{running});
    world.settle();
    CHECK(world.binds.size() == binds);
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.view(driver).slots_open == 1);
    CHECK(world.view(driver).slots_bound == 1);
}

TEST_CASE("scheduler: a lone pod waits in the same queue") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto lone = world.create(tests::pod("web", 3000, 1024));
    const auto driver = world.submit("a", 3, 2'000);
    world.settle();
    CHECK(world.is_bound(lone));
    CHECK(world.pod(lone).annotations.empty());
    CHECK(world.view(driver).code == ReasonCode::waiting_for_capacity);
    world.remove_pod(lone);
    world.settle();
    CHECK(world.is_bound(driver));
}

TEST_CASE("scheduler: gated, deleting and unreadable pods are not bound") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    core::Pod gated = tests::driver("gated");
    gated.gated = true;
    const auto gated_uid = world.submit(gated, tests::conf(1));
    core::Pod deleting = tests::driver("deleting");
    deleting.deleting = true;
    const auto deleting_uid = world.submit(deleting, tests::conf(1));
    core::Pod broken = tests::driver("broken");
    broken.problem = "cpu request does not fit 64 bits";
    const auto broken_uid = world.submit(broken, tests::conf(1));
    world.settle();
    CHECK(world.binds.empty());
    CHECK(world.view(broken_uid).code == ReasonCode::misconfigured);
    CHECK(world.condition(broken_uid).find("cpu request") != std::string::npos);
    CHECK_FALSE(world.is_bound(deleting_uid));
    world.change_pod(gated_uid, [](core::Pod& pod) { pod.gated = false; });
    world.settle();
    CHECK(world.is_bound(gated_uid));
}

TEST_CASE("scheduler: absurd sizes are parked and said, the others go on") {
    World world;
    world.add_small_cluster();
    const auto absurd = world.create(tests::driver("absurd"));
    world.confs[absurd].conf = tests::conf(10'000);
    const auto negative = world.create(tests::driver("negative"));
    world.confs[negative].conf = tests::conf(-3);
    const auto fine = world.submit("fine", 2, 9'000);
    world.settle();
    CHECK(world.is_bound(fine));
    for (const auto& uid : {absurd, negative}) {
        CHECK(world.view(uid).code == ReasonCode::misconfigured);
        CHECK(world.view(uid).state == GangState::parked);
        CHECK(world.condition(uid).ends_with("[Misconfigured]"));
        CHECK(world.pod(uid).scheduled->reason == "SchedulingSkipped");
    }
}

TEST_CASE("scheduler: explain knows pods by name, application id and executor") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 1);
    world.settle();
    for (const char* question : {"a", "etl/a", "spark-a", "uid-00001"}) {
        const auto answer = world.scheduler->explain(question);
        REQUIRE(answer);
        CHECK(answer->gang.driver_uid == driver);
        CHECK_FALSE(answer->is_executor);
        CHECK(answer->executor.cpu_milli == 1000);
        CHECK(answer->gang.needs.cpu_milli == 3000);
    }
    const auto answer = world.scheduler->explain(world.pod(executors[0]).name);
    REQUIRE(answer);
    CHECK(answer->is_executor);
    CHECK(answer->gang.slots_bound == 1);
    CHECK_FALSE(world.scheduler->explain("nobody"));
}

TEST_CASE("scheduler: that a conf is missing counts while its driver needs one") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto before = world.conditions.size();
    world.step(gang::SparkConfMissing{driver, gang::ConfProblem::not_found, "late"});
    world.step(gang::SparkConfMissing{"uid-of-nobody", gang::ConfProblem::forbidden, "no"});
    world.advance(60'000);
    CHECK(world.conditions.size() == before);
    CHECK(world.fetches.size() == 1);
    world.set_phase(driver, core::PodPhase::running);
    CHECK(world.bound_count(world.create_executors(driver, 2)) == 0);
    world.settle();
    CHECK(world.bound_count(world.executors_of(driver)) == 2);
}
