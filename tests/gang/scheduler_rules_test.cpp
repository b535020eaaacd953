// The scheduler's rules S1 to S24 that are best shown by trying every moment or many orders; the
// others are tests by the rule's name beside what they are about. README.md lists them all.

#include "core/value/exclusive.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string>

using gang::BindOutcome;
using tests::Random;
using tests::World;

namespace {

constexpr std::size_t moments_max = 60;

void add_nodes(World& world, int count, std::int64_t cpu) {
    for (int i = 1; i <= count; ++i) {
        world.add_node(tests::node("n" + std::to_string(i), cpu, 64 * 1024));
    }
}

/// Delivers everything one by one and lets `strike` happen before the event of that number. False:
/// all came to rest before.
bool drive(World& world, std::size_t moment, const std::function<void()>& strike) {
    bool struck = false;
    std::size_t steps = 0;
    for (int round = 0; round < 2'000; ++round) {
        if (!struck && steps++ == moment) {
            struck = true;
            strike();
        }
        if (!world.deliver_one()) {
            world.step(gang::Tick{});
            if (world.queues_empty() && !world.take_due_wake()) {
                break;
            }
        }
    }
    world.settle();
    return struck;
}

/// The ledger says nobody has anything: a gang as large as the cluster fits it.
void check_all_room_is_free(World& world, std::int64_t cpus) {
    const auto whole = world.submit("whole", cpus - 1, 9'000);
    world.advance(60'000);
    CHECK(world.is_bound(whole));
    CHECK(gang::slot_count(*world.reservation(whole)) == cpus - 1);
}

}  // namespace

TEST_CASE("S1: what is assumed, confirmed and unclaimed is counted once, in any order") {
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        CAPTURE(seed);
        Random chance(seed);
        World world;
        world.chaos = &chance;
        add_nodes(world, 2, 4);
        const auto driver = world.submit("a", 3, 1);
        const auto step = [&] {
            world.hold_bind_answers = chance.chance(50);
            world.hold_watch = chance.chance(50);
            world.settle();
            world.hold_watch = false;
            world.release_answers();
            world.settle();
        };
        step();
        REQUIRE(world.is_bound(driver));
        const auto executors = world.create_executors(driver, 2);
        step();
        CHECK(world.bound_count(executors) == 2);
        // 1 driver + 3 slots, two of them filled: four of eight are left, and not one more.
        const auto five = world.submit("five", 4, 2);
        world.settle();
        CHECK_FALSE(world.is_bound(five));
        world.remove_application(five);
        const auto four = world.submit("four", 3, 3);
        world.settle();
        CHECK(world.is_bound(four));
        CHECK(world.violations.empty());
    }
}

TEST_CASE("S2: a pod that somebody else races us for is on one node, and its room is given back") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        Random chance(seed);
        World world;
        add_nodes(world, 3, 4);
        world.add_node(tests::node("theirs", 400, 640 * 1024));
        world.change_node("theirs", [](core::Node& node) { node.unschedulable = true; });
        int taken = 0;
        world.on_bind = [&](const gang::BindPod& bind) -> std::optional<BindOutcome> {
            if (!world.is_bound(bind.pod.uid) && chance.chance(50)) {
                ++taken;
                world.change_pod(bind.pod.uid, [](core::Pod& pod) { pod.node_name = "theirs"; });
                return BindOutcome::taken;
            }
            return std::nullopt;
        };
        std::vector<std::string> drivers;
        for (int i = 0; i < 6; ++i) {
            drivers.push_back(world.submit("app-" + std::to_string(i), 2, i));
            world.settle();
            if (world.is_bound(drivers.back())) {
                world.create_executors(drivers.back(), 2);
            }
            world.advance(1'000);
        }
        for (const auto& driver : drivers) {
            world.remove_application(driver);
        }
        world.settle();
        world.on_bind = nullptr;
        check_all_room_is_free(world, 12);
        CHECK(world.violations.empty());
    }
}

TEST_CASE("S4: a gang whose driver is deleted at any moment leaves nothing behind") {
    bool struck = true;
    std::size_t moment = 0;
    for (; struck && moment < moments_max; ++moment) {
        CAPTURE(moment);
        World world;
        add_nodes(world, 2, 4);
        const auto driver = world.submit("a", 5, 1);
        struck = drive(world, moment, [&] { world.remove_application(driver); });
        if (struck) {
            check_all_room_is_free(world, 8);
        }
        CHECK(world.violations.empty());
    }
    CHECK(moment > 8);  // list, conf, bind, watch ... were all struck
    CHECK_FALSE(struck);
}

TEST_CASE("S5: a driver that goes before its executors come gives every slot back") {
    World world;
    add_nodes(world, 2, 4);
    const auto driver = world.submit("a", 6, 1);
    world.settle();
    REQUIRE(world.view(driver).slots_open == 6);
    SUBCASE("deleted") {
        world.remove_pod(driver);
    }
    SUBCASE("ended, and its object stays while the garbage collector is away") {
        world.set_phase(driver, core::PodPhase::failed);
        world.advance(600'000);
    }
    world.settle();
    check_all_room_is_free(world, 8);
}

TEST_CASE("S7: no bind to a node known to be bad, whatever happens to it at any moment") {
    using Change = std::function<void(World&, const std::string&)>;
    const auto change_to = [](const std::function<void(core::Node&)>& change) {
        return [change](World& world, const std::string& node) { world.change_node(node, change); };
    };
    const std::vector<std::pair<const char*, Change>> changes = {
        {"deleted", [](World& world, const std::string& node) { world.remove_node(node); }},
        {"cordoned", change_to([](core::Node& node) { node.unschedulable = true; })},
        {"not ready", change_to([](core::Node& node) { node.ready = false; })},
        {"tainted", change_to([](core::Node& node) {
             node.taints = {{"gone", "soon", core::TaintEffect::no_schedule}};
         })},
        {"half as large", change_to([](core::Node& node) { node.allocatable.cpu_milli /= 2; })}};
    for (const auto& [name, change] : changes) {
        CAPTURE(name);
        bool struck = true;
        for (std::size_t moment = 0; struck && moment < moments_max; ++moment) {
            CAPTURE(moment);
            World world;
            world.check_whole_gangs = true;
            add_nodes(world, 3, 4);
            world.settle();
            const auto driver = world.submit("a", 5, 1);
            std::vector<std::string> executors;
            std::string bad = "n1";
            struck = drive(world, moment, [&] {
                if (world.is_bound(driver)) {  // never the driver's own node: that ends the gang
                    bad = world.node_of(driver) == "n1" ? "n2" : "n1";
                    executors = world.create_executors(driver, 5);
                }
                change(world, bad);
            });
            if (!struck) {
                break;
            }
            const bool has_room = std::string_view(name) == "half as large";
            if (executors.empty()) {
                CHECK(world.is_bound(driver));
                const auto held = world.reservation(driver);
                for (const auto& [node, count] : held->shapes[0].slots_per_node) {
                    CHECK((node != bad || (has_room && count <= 2)));
                }
                executors = world.create_executors(driver, 5);
            }
            world.settle();
            std::int64_t on_bad = world.node_of(driver) == bad ? 1 : 0;
            for (const auto& executor : executors) {
                on_bad += world.node_of(executor) == bad ? 1 : 0;
            }
            CHECK(world.bound_count(executors) == 5);  // there are eight cpus beside the bad node
            CHECK((has_room ? on_bad <= 4 : true));
            CHECK(
                world.violations.empty());  // the referee knows which state of a node we have seen
        }
    }
}

TEST_CASE("S8: what an older leader has still on its way is refused once a new one decides") {
    World world;
    add_nodes(world, 2, 4);
    world.on_bind = [](const gang::BindPod&) { return BindOutcome::not_sent; };  // held up
    const auto driver = world.submit("a", 5, 1);
    world.settle();
    REQUIRE(world.binds.size() == 1);
    const gang::BindPod late_bind = world.binds[0];
    world.on_bind = nullptr;
    // The new leader fences before it decides, so the room may be promised to somebody else.
    world.confs[driver].conf.reset();
    world.restart();
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    const auto other = world.submit("b", 5, 2);
    world.settle();
    REQUIRE(world.is_bound(other));
    CHECK(world.arrive(late_bind) == BindOutcome::changed);
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.violations.empty());
}

TEST_CASE("S8: a reservation that an older leader writes too late is refused") {
    World world;
    add_nodes(world, 3, 4);
    const auto driver = world.submit("a", 4, 1);
    world.settle();
    const gang::Reservation before = *world.reservation(driver);
    world.fail_status_writes = true;  // held up as well
    const std::string home = world.node_of(driver);
    std::string other;
    for (const auto& [node, count] : before.shapes[0].slots_per_node) {
        other = node == home ? other : node;
    }
    REQUIRE_FALSE(other.empty());
    world.change_node(other, [](core::Node& node) { node.unschedulable = true; });
    world.settle();
    REQUIRE(world.updates.size() == 1);
    const gang::UpdateReservation late_write = world.updates[0];
    world.fail_status_writes = false;
    world.change_node(other, [](core::Node& node) { node.unschedulable = false; });
    world.restart();
    world.settle();
    // The new leader has written the reservation anew, which is what refuses it.
    CHECK(world.arrive(late_write) == gang::WriteOutcome::changed);
    const auto now = world.reservation(driver);
    CHECK(now->shapes[0].slots_per_node == before.shapes[0].slots_per_node);
    CHECK(now->epoch > before.epoch);
    world.settle();
    CHECK(world.view(driver).slots_open == 4);
}

TEST_CASE("S10: a node whose kubelet refuses is left alone until something is heard of it") {
    World world;
    add_nodes(world, 2, 4);
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const std::string node = world.node_of(driver);
    auto executors = world.create_executors(driver, 3);
    world.settle();
    REQUIRE(world.bound_count(executors) == 3);
    REQUIRE(world.node_of(executors[0]) == node);
    const auto refuse = [&world](const std::string& uid, const char* reason) {
        world.change_pod(uid, [reason](core::Pod& pod) {
            pod.phase = core::PodPhase::failed;
            pod.failure = reason;
        });
        world.settle();
    };
    SUBCASE("for want of room that we cannot see: its need goes elsewhere") {
        refuse(executors[0], "OutOfcpu");
        CHECK(world.scheduler->counters().kubelet_rejections == 1);
        world.remove_pod(executors[0]);  // Spark deletes it and makes another one
        const auto again = world.create_executors(driver, 1);
        world.settle();
        CHECK(world.is_bound(again[0]));
        CHECK(world.node_of(again[0]) != node);
        SUBCASE("until the node's next state") {
            world.change_node(node, [](core::Node&) {});
        }
        SUBCASE("until the pod that was missing is seen") {
            core::Pod other_pod = tests::pod("foreign", 100, 1);
            other_pod.scheduler_name = "another";
            other_pod.node_name = node;
            world.create(other_pod);
        }
        SUBCASE("or for half a minute") {
            world.advance(30'000);
        }
        world.settle();
        core::Pod next = tests::pod("next", 500, 1);
        next.constraints.edit().node_selector = {{"pool", "a"}};
        world.change_node(
            node == "n1" ? "n2" : "n1", [](core::Node& other) { other.unschedulable = true; });
        const auto lone = world.create(tests::pod("lone", 500, 1));
        world.settle();
        CHECK(world.node_of(lone) == node);
    }
    SUBCASE("a container that fails is nobody's refusal") {
        refuse(executors[0], "Error");
        CHECK(world.scheduler->counters().kubelet_rejections == 0);
        const auto again = world.create_executors(driver, 1);
        world.settle();
        CHECK(world.node_of(again[0]) == node);
    }
    SUBCASE("with no other room the executor waits, and goes when the node is heard of") {
        world.change_node(
            node == "n1" ? "n2" : "n1", [](core::Node& other) { other.unschedulable = true; });
        refuse(executors[0], "OutOfmemory");
        const auto again = world.create_executors(driver, 1);
        world.settle();
        CHECK_FALSE(world.is_bound(again[0]));
        world.change_node(node, [](core::Node&) {});
        world.settle();
        CHECK(world.node_of(again[0]) == node);
    }
    CHECK(world.violations.empty());
}

TEST_CASE("PRED-3: a pod that wants a port goes where it is free, or waits for it") {
    World world;
    add_nodes(world, 2, 8);
    const auto with_port = [](const char* name, const std::string& protocol) {
        core::Pod pod = tests::pod(name, 500, 1);
        core::add_host_ports(pod.requests, {{"", protocol, 8080}});
        return pod;
    };
    core::Pod theirs = with_port("theirs", "TCP");
    theirs.scheduler_name = "default-scheduler";
    theirs.node_name = "n1";
    const auto foreign = world.create(theirs);
    const auto first = world.create(with_port("first", "TCP"));
    const auto second = world.create(with_port("second", "TCP"));
    const auto udp = world.create(with_port("udp", "UDP"));
    world.settle();
    CHECK(world.node_of(first) == "n2");
    CHECK(world.is_bound(udp));
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.condition(second).find("2 host port 8080/TCP taken") != std::string::npos);
    world.remove_pod(foreign);
    world.settle();
    CHECK(world.node_of(second) == "n1");
    CHECK(world.violations.empty());
}

TEST_CASE("PRED-7: a disk of the pod's own is for one pod of a node, executors included") {
    World world;
    add_nodes(world, 2, 8);
    core::Pod theirs = tests::pod("theirs", 500, 1);
    core::add_disks(theirs.requests, {{"gce-pd d1", false}});
    theirs.scheduler_name = "default-scheduler";
    theirs.node_name = "n1";
    const auto foreign = world.create(theirs);
    gang::spark::Conf conf = tests::conf(2);
    conf.executor_template.emplace().disks = {{"gce-pd d1", false}};
    const auto driver = world.submit(tests::driver("a"), conf);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.condition(driver).find("short of disk gce-pd d1") != std::string::npos);
    world.remove_pod(foreign);
    world.settle();
    REQUIRE(world.is_bound(driver));
    SUBCASE("also after a restart") {
        world.restart();
        world.settle();
    }
    SUBCASE("at once") {}
    std::set<std::string> nodes;
    for (int i = 0; i < 2; ++i) {
        core::Pod pod = tests::executor("exec-" + std::to_string(i), world.pod(driver));
        core::add_disks(pod.requests, {{"gce-pd d1", false}});
        const auto executor = world.create(pod);
        world.settle();
        nodes.insert(world.node_of(executor));
    }
    CHECK(nodes == std::set<std::string>{"n1", "n2"});
    CHECK(world.violations.empty());
}

TEST_CASE("PRED-3b: executors with a port are admitted when each has a node where it is free") {
    World world;
    add_nodes(world, 3, 8);
    core::Pod theirs = tests::pod("theirs", 500, 1);
    core::add_host_ports(theirs.requests, {{"", "TCP", 7078}});
    theirs.scheduler_name = "default-scheduler";
    theirs.node_name = "n1";
    const auto foreign = world.create(theirs);
    gang::spark::Conf conf = tests::conf(3);
    conf.executor_template.emplace().sidecar_ports = {{"", "TCP", 7078}};
    const auto driver = world.submit(tests::driver("a"), conf);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.condition(driver).find("short of host port 7078/TCP") != std::string::npos);
    world.remove_pod(foreign);
    world.settle();
    REQUIRE(world.is_bound(driver));

    SUBCASE("each executor has a node of its own") {
        std::set<std::string> nodes;
        for (int i = 0; i < 3; ++i) {
            core::Pod pod = tests::executor("exec-" + std::to_string(i), world.pod(driver));
            core::add_host_ports(pod.requests, {{"", "TCP", 7078}});
            const auto executor = world.create(pod);
            world.settle();
            nodes.insert(world.node_of(executor));
        }
        CHECK(nodes == std::set<std::string>{"n1", "n2", "n3"});
    }
    SUBCASE("a lone pod does not get the port that a slot waits for") {
        core::Pod late = tests::pod("late", 500, 1);
        core::add_host_ports(late.requests, {{"", "TCP", 7078}});
        const auto uid = world.create(late);
        world.settle();
        CHECK_FALSE(world.is_bound(uid));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("a profile may speak as kube-scheduler does, and leave gangs alone") {
    config::Schema schema = World::sealed_schema();
    config::Profile& profile = schema.profiles.emplace_back();
    profile.scheduler_name = "toyscheduler";
    profile.gangs = false;
    profile.messages = config::Messages::kube_scheduler;
    World world(schema);
    add_nodes(world, 2, 4);
    SUBCASE("what kubectl describe shows is Kubernetes' own line, without a code") {
        core::Pod pod = tests::pod("large", 5'000, 1);
        pod.scheduler_name = "toyscheduler";
        const auto large = world.create(pod);
        const auto ours = world.create(tests::pod("ours", 5'000, 1));
        world.settle();
        CHECK(world.condition(large) == "0/2 nodes are available: 2 Insufficient cpu.");
        CHECK(world.condition(ours).ends_with("[ExceedsCluster]"));
        world.restart();
        world.settle();
        world.advance(2'000);
        CHECK(world.condition(large) == "0/2 nodes are available: 2 Insufficient cpu.");
        world.add_node(tests::node("n3", 8, 64 * 1024));
        world.settle();
        CHECK(world.is_bound(large));
    }
    SUBCASE("a Spark driver of such a profile is a pod like others") {
        world.check_whole_gangs = false;
        core::Pod driver = tests::driver("d");
        driver.scheduler_name = "toyscheduler";
        const auto uid = world.submit(driver, tests::conf(100));
        world.settle();
        CHECK(world.is_bound(uid));
        CHECK(world.pod(uid).annotations.empty());
    }
    CHECK(world.violations.empty());
}

TEST_CASE("a profile's pods are not asked the filters that it leaves out, nor are its gangs") {
    config::Schema schema = World::sealed_schema();
    config::Profile& profile = schema.profiles.emplace_back();
    profile.scheduler_name = "lenient";
    profile.left_out =
        core::FilterSet{}.with(core::FilterId::taint_toleration).with(core::FilterId::node_ports);
    World world(schema);
    core::Node tainted = tests::node("n1", 8, 64 * 1024);
    tainted.taints = {{"dedicated", "gpu", core::TaintEffect::no_schedule}};
    world.add_node(tainted);
    const auto with_port = [](core::Pod pod, const char* scheduler) {
        core::add_host_ports(pod.requests, {{"", "TCP", 7078}});
        pod.constraints.edit().has_host_ports = true;
        pod.scheduler_name = scheduler;
        return pod;
    };
    SUBCASE("lone pods") {
        const auto first = world.create(with_port(tests::pod("a", 500, 1), "lenient"));
        const auto second = world.create(with_port(tests::pod("b", 500, 1), "lenient"));
        const auto strict = world.create(with_port(tests::pod("c", 500, 1), "gang-scheduler"));
        world.settle();
        CHECK(world.is_bound(first));
        CHECK(world.is_bound(second));
        CHECK_FALSE(world.is_bound(strict));
        for (const std::string& uid : {first, second, strict}) {
            CHECK_FALSE(world.scheduler->compare(world.pod(uid)));
        }
        world.change_pod(first, [](core::Pod& pod) {
            pod.phase = core::PodPhase::failed;
            pod.failure = "TaintToleration";
        });
        core::Pod tolerant = tests::pod("d", 500, 1);
        tolerant.constraints.edit().tolerations.emplace_back().exists = true;
        const auto next = world.create(tolerant);
        world.settle();
        CHECK(world.is_bound(next));
    }
    SUBCASE("a gang, also after a restart") {
        core::Pod driver = tests::driver("d");
        driver.scheduler_name = "lenient";
        gang::spark::Conf conf = tests::conf(2);
        conf.executor_template.emplace().sidecar_ports = {{"", "TCP", 7078}};
        const auto uid = world.submit(driver, conf);
        world.settle();
        REQUIRE(world.is_bound(uid));
        const auto first =
            world.create(with_port(tests::executor("e1", world.pod(uid)), "lenient"));
        world.settle();
        CHECK(world.is_bound(first));
        world.restart();
        world.settle();
        world.advance(2'000);
        const auto second =
            world.create(with_port(tests::executor("e2", world.pod(uid)), "lenient"));
        world.settle();
        CHECK(world.is_bound(second));
    }
}

TEST_CASE("SEC-8: one profile packs, another spreads") {
    config::Schema schema = World::sealed_schema();
    const auto add_profile = [&schema](const char* name, const char* score) {
        config::Profile& profile = schema.profiles.emplace_back();
        profile.scheduler_name = name;
        profile.scores = {{*core::find_score_id(score), 1, {}, {}}};
    };
    add_profile("packing", "MostRequestedPriority");
    add_profile("spreading", "LeastRequestedPriority");
    World world(schema);
    add_nodes(world, 2, 4);
    const auto place = [&world](const char* name, const char* scheduler) {
        core::Pod pod = tests::pod(name, 1'000, 1);
        pod.scheduler_name = scheduler;
        const auto uid = world.create(pod);
        world.settle();
        return world.node_of(uid);
    };
    CHECK(place("a", "packing") == "n1");
    CHECK(place("b", "packing") == "n1");
    CHECK(place("c", "spreading") == "n2");
    CHECK(place("d", "spreading") == "n2");
    CHECK(world.violations.empty());
}

TEST_CASE("S10, PRED-13: a host port that is taken keeps only those off who want host ports") {
    World world;
    add_nodes(world, 1, 8);
    const auto with_port = [](core::Pod pod) {
        pod.constraints.edit().has_host_ports = true;
        return pod;
    };
    const auto refuse = [&world](const std::string& uid) {
        world.change_pod(uid, [](core::Pod& pod) {
            pod.phase = core::PodPhase::failed;
            pod.failure = "NodePorts";
        });
        world.settle();
    };
    const auto first = world.create(with_port(tests::pod("first", 500, 1)));
    world.settle();
    refuse(first);
    CHECK(world.scheduler->counters().kubelet_rejections == 1);
    const auto other = world.create(tests::pod("other", 500, 1));
    const auto gang = world.submit("a", 2, 1);
    world.settle();
    CHECK(world.is_bound(other));
    CHECK(world.is_bound(gang));
    const auto replacement = world.create(with_port(tests::pod("replacement", 500, 1)));
    world.settle();
    SUBCASE("and they wait for the port, for half a minute at most") {
        CHECK_FALSE(world.is_bound(replacement));
        CHECK(world.condition(replacement).find("1 just refused a host port") != std::string::npos);
        CHECK(world.condition(replacement).ends_with("[WaitingForCapacity]"));
        world.advance(29'000);
        CHECK_FALSE(world.is_bound(replacement));
        world.advance(1'000);
        CHECK(world.is_bound(replacement));
    }
    SUBCASE("or until a pod there has ended") {
        world.set_phase(other, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.is_bound(replacement));
    }
    SUBCASE("or go elsewhere, as executors with their slots do") {
        world.add_node(tests::node("n2", 8, 64 * 1024));
        world.settle();
        CHECK(world.node_of(replacement) == "n2");
        REQUIRE(world.node_of(gang) == "n1");
        const auto executor = world.create(with_port(tests::executor("exec-1", world.pod(gang))));
        world.settle();
        CHECK(world.node_of(executor) == "n2");
        CHECK(world.view(gang).slots_bound == 1);
        CHECK(std::none_of(world.events.begin(), world.events.end(), [](const auto& event) {
            return event.reason == "ShapeCorrected" || event.reason == "GangDegraded";
        }));
        const auto lone = world.create(tests::pod("lone", 500, 1));
        world.settle();
        CHECK(world.node_of(lone) == "n1");
    }
    CHECK(world.violations.empty());
}

TEST_CASE("S12: members that have ended count towards nothing") {
    World world;
    add_nodes(world, 1, 4);
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    world.set_phase(executors[0], core::PodPhase::succeeded);
    world.set_phase(executors[1], core::PodPhase::failed);
    world.settle();
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.view(driver).slots_open == 2);
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.view(driver).slots_open == 2);
    const auto again = world.create_executors(driver, 2);
    world.settle();
    CHECK(world.bound_count(again) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("S13: of two gangs that need more than half each exactly one is admitted, always") {
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        CAPTURE(seed);
        Random chance(seed);
        World world;
        world.chaos = &chance;
        add_nodes(world, 2, 4);
        const auto a = world.submit("a", 4, 1);
        const auto b = world.submit("b", 4, chance.between(1, 2));
        world.settle();
        const bool a_runs = world.is_bound(a);
        CHECK(a_runs != world.is_bound(b));
        const auto held = world.view(a_runs ? b : a);
        CHECK(held.slots_open + held.slots_assumed + held.slots_bound == 0);
        world.remove_application(a_runs ? a : b);
        world.settle();
        CHECK(world.is_bound(a_runs ? b : a));
    }
}

TEST_CASE("S14: a stream of small gangs never overtakes a large one that could fit") {
    World world;
    add_nodes(world, 2, 4);
    std::deque<std::string> running;
    int number = 0;
    const auto submit_small = [&] {
        ++number;
        running.push_back(world.submit("small-" + std::to_string(number), 1, number));
        world.settle();
    };
    for (int i = 0; i < 4; ++i) {
        submit_small();
    }
    const auto large = world.submit("large", 7, ++number);
    world.settle();
    CHECK_FALSE(world.is_bound(large));
    for (int i = 0; i < 4; ++i) {  // the older ones end, younger ones keep coming
        submit_small();
        CHECK_FALSE(world.is_bound(running.back()));
        world.remove_application(running.front());
        running.pop_front();
        world.settle();
    }
    CHECK(world.is_bound(large));
}

TEST_CASE("S16: room that appears at any moment of a gang's attempt is never missed") {
    bool struck = true;
    std::size_t moment = 0;
    for (; struck && moment < moments_max; ++moment) {
        CAPTURE(moment);
        World world;
        add_nodes(world, 1, 4);
        const auto driver = world.submit("a", 5, 1);
        struck = drive(world, moment, [&] { world.add_node(tests::node("n2", 4, 64 * 1024)); });
        // No time has passed: nothing periodic can have helped.
        CHECK(world.is_bound(driver) == struck);
    }
    CHECK(moment > 6);
}

TEST_CASE("S17: an event wakes nobody whom it cannot help") {
    World world;
    add_nodes(world, 2, 4);
    for (int i = 0; i < 500; ++i) {
        world.submit("app-" + std::to_string(i), 6 + i % 20, i);
    }
    world.advance(10'000);
    const auto before = world.scheduler->counters().placements;
    const auto said = world.conditions.size();
    for (int i = 0; i < 1'000; ++i) {
        world.change_node("n1", [](core::Node&) {});  // a heartbeat: nothing of it matters
        world.settle();
    }
    CHECK(world.scheduler->counters().placements == before);
    CHECK(world.conditions.size() == said);
    for (int i = 0; i < 100; ++i) {  // less room each time, which helps nobody either
        core::Pod other_pod = tests::pod("foreign-" + std::to_string(i), 1, 1);
        other_pod.scheduler_name = "another";
        other_pod.node_name = "n1";
        world.create(other_pod);
        world.settle();
    }
    // Whether a gang could ever fit depends on pods of other schedulers: one look per distinct size
    // and view.
    CHECK(world.scheduler->counters().placements - before <= 100 * 3 * 20);
}

TEST_CASE("S18: attempts that were not sent are repeated after 1, 2, 4, 8, 10, 10 seconds") {
    World world;
    add_nodes(world, 1, 4);
    world.on_bind = [](const gang::BindPod&) { return BindOutcome::not_sent; };
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    std::int64_t last_ms = world.now_ms;
    for (const std::int64_t pause_ms : {1'000, 2'000, 4'000, 8'000, 10'000, 10'000}) {
        CAPTURE(pause_ms);
        const auto before = world.binds.size();
        world.advance(last_ms + pause_ms - 1 - world.now_ms);
        CHECK(world.binds.size() == before);
        world.advance(1);
        CHECK(world.binds.size() == before + 1);
        last_ms = world.now_ms;
    }
    world.on_bind = nullptr;
    world.advance(10'000);
    REQUIRE(world.is_bound(driver));
    // A bind that goes through ends the row: the next failure begins with a second again.
    const auto executor = world.create_executors(driver, 1)[0];
    world.on_bind = [](const gang::BindPod&) { return BindOutcome::not_sent; };
    world.settle();
    const auto before = world.binds.size();
    world.on_bind = nullptr;
    world.advance(1'000);
    CHECK(world.binds.size() == before + 1);
    CHECK(world.is_bound(executor));
}

TEST_CASE("S19: when all is gone nothing is remembered") {
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        CAPTURE(seed);
        Random chance(seed);
        World world;
        world.chaos = &chance;
        add_nodes(world, 2, 6);
        std::vector<std::string> drivers;
        for (int i = 0; i < 12; ++i) {
            drivers.push_back(world.submit("app-" + std::to_string(i), chance.between(1, 4), i));
            if (chance.chance(30)) {
                world.confs.erase(drivers.back());
            }
            if (chance.chance(30)) {
                world.on_bind = [](const gang::BindPod&) { return BindOutcome::not_sent; };
            }
            for (std::int64_t steps = chance.between(0, 30); steps > 0; --steps) {
                world.deliver_one();
            }
            world.on_bind = nullptr;
            if (world.is_bound(drivers.back())) {
                world.create_executors(drivers.back(), static_cast<int>(chance.between(0, 6)));
            }
            if (chance.chance(40)) {
                world.remove_application(drivers[static_cast<std::size_t>(chance.between(0, i))]);
            }
            if (chance.chance(20)) {
                world.remove_node("n2");
            } else {
                world.add_node(tests::node("n2", 6, 64 * 1024));
            }
        }
        world.settle();
        for (const auto& driver : drivers) {
            world.remove_application(driver);
        }
        world.advance(1'200'000);  // timers of pods that are gone run out
        CHECK(world.scheduler->remembered() == 0);
        world.check_accounts();  // of which that of texts says something only now
    }
}

TEST_CASE("S21: a gang is admitted if and only if all of it fits, on one view") {
    for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
        CAPTURE(seed);
        Random chance(seed);
        World world;
        std::int64_t room = 0;  // executors and driver ask 1 cpu each, so cpus are all that counts
        for (std::int64_t i = chance.between(1, 5); i > 0; --i) {
            const auto cpu = chance.between(0, 4);
            world.add_node(tests::node("n" + std::to_string(i), cpu, 64 * 1024));
            room += cpu;
        }
        const auto executors = chance.between(1, 9);
        const auto driver = world.submit("a", executors, 1);
        world.settle();
        CHECK(world.is_bound(driver) == (executors + 1 <= room));
        if (world.is_bound(driver)) {
            CHECK(gang::slot_count(*world.reservation(driver)) == executors);
        } else {
            CHECK(world.binds.empty());
        }
        CHECK(world.violations.empty());
    }
}

TEST_CASE("S24: hostile sizes cost bounded work and stop nobody") {
    World world;
    add_nodes(world, 2, 4);
    world.submit(tests::driver("giant"), tests::conf(1'000'000'000));
    world.submit(tests::driver("endless"), tests::conf(INT64_MAX));
    core::Pod picky = tests::driver("picky");
    for (int i = 0; i < 100'000; ++i) {
        char key[16];
        std::snprintf(key, sizeof key, "k%06d", i);
        picky.constraints.edit().node_selector.emplace_back(key, "v");
    }
    world.submit(picky, tests::conf(3));
    core::Pod tolerant = tests::driver("tolerant");
    tolerant.constraints.edit().tolerations.resize(10'000);
    world.submit(tolerant, tests::conf(2));
    const auto honest = world.submit("honest", 3, 5'000);
    world.advance(5'000);
    CHECK(world.is_bound(honest));
    const auto before = world.scheduler->counters().placements;
    CHECK(before < 50);
    world.advance(60'000);
    CHECK(world.scheduler->counters().placements - before < 50);
    CHECK(world.violations.empty());
}

TEST_CASE("counters: each search for room and each write of a reservation is counted") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    // Whether it fits the empty cluster, and what pods of others leave; and then where.
    CHECK(world.scheduler->counters().placements == 3);
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.settle();
    CHECK(world.scheduler->counters().placements == 3);
    world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
    world.settle();
    CHECK(world.scheduler->counters().placements == 4);
    REQUIRE(world.updates.size() == 1);
    CHECK(world.scheduler->counters().reservations_rewritten == 1);
    CHECK(world.scheduler->counters().reservation_writes_failed == 0);
    CHECK(world.scheduler->counters().reservations_disputed == 0);
}
