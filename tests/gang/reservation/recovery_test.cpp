// Restarts, two leaders, forged annotations: what is given back, and what is not.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

using gang::GangState;
using gang::ReasonCode;
using tests::World;

namespace {

void annotate(World& world, const std::string& uid, const std::string& text) {
    world.change_pod(uid, [&text](core::Pod& pod) {
        pod.annotations = {{"gang-scheduler/reservation", text}};
    });
}

}  // namespace

TEST_CASE("recovery: after a restart every live gang has exactly what it had") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    const auto waiting = world.submit("b", 7, 2);
    world.settle();
    auto executors = world.create_executors(driver, 3);
    world.settle();
    const auto before = world.scheduler->explain("a")->slots_per_node;
    world.restart();
    world.settle();
    CHECK(world.scheduler->explain("a")->slots_per_node == before);
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.view(driver).slots_open == 4);
    CHECK(world.view(driver).executors == 7);
    CHECK_FALSE(world.is_bound(waiting));
    CHECK(world.fetches.back().second == waiting);  // the admitted gang's conf is not read again
    executors = world.create_executors(driver, 4);
    world.settle();
    CHECK(world.bound_count(executors) == 4);
    CHECK(world.updates.size() == 1);  // the fence
    CHECK(world.violations.empty());
}

TEST_CASE("S9: a restart between any two decisions leaves whole gangs only") {
    for (std::size_t stop = 0; stop < 40; ++stop) {
        CAPTURE(stop);
        World world;
        world.add_small_cluster();
        const auto first = world.submit("a", 5, 1);
        const auto second = world.submit("b", 4, 2);
        std::size_t steps = 0;
        bool restarted = false;
        const auto drive = [&] {
            for (int round = 0; round < 300; ++round) {
                if (!restarted && steps++ == stop) {
                    restarted = true;
                    world.restart();
                }
                if (!world.deliver_one()) {
                    world.step(gang::Tick{});
                    if (world.queues_empty()) {
                        return;
                    }
                }
            }
        };
        drive();
        for (const auto& driver : {first, second}) {
            REQUIRE(world.is_bound(driver));
            const auto executors = world.create_executors(driver, driver == first ? 5 : 4);
            drive();
            CHECK(world.bound_count(executors) == static_cast<std::int64_t>(executors.size()));
        }
        CHECK(world.violations.empty());
    }
}

TEST_CASE("recovery: the wait for a driver that never runs does not begin anew with a restart") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    world.advance(10 * 60'000);
    world.restart();
    world.advance(4 * 60'000);
    CHECK(world.view(driver).slots_open == 7);
    world.advance(2 * 60'000);
    CHECK(world.view(driver).slots_open == 0);
}

TEST_CASE("recovery: an ended driver's gang is not taken up again") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    world.set_phase(driver, core::PodPhase::succeeded);
    world.restart();
    const auto next = world.submit("b", 10, 2);
    const auto left_behind = world.create_executors(driver, 1);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK_FALSE(world.is_bound(left_behind[0]));
    CHECK(world.condition(left_behind[0]).find("its driver etl/a has ended") != std::string::npos);
}

TEST_CASE("recovery: slots on nodes that went meanwhile are placed anew before new gangs") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 4, 1);
    world.settle();
    const std::string lost = world.reservation(driver)->shapes[0].slots_per_node.back().first;
    REQUIRE(lost != world.node_of(driver));
    world.remove_node(lost);
    const auto next = world.submit("b", 6, 2);
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_open == 4);
    CHECK(world.updates.size() == 2);  // the fence, and the slots' new nodes
    CHECK_FALSE(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("recovery: slots on a node that was closed meanwhile are placed anew, those beside them stay") {
    for (const bool leads : {true, false}) {
        World world;
        world.add_small_cluster();
        const auto driver = world.submit("a", 7, 1);
        world.settle();
        REQUIRE(world.view(driver).slots_open == 7);
        const std::string home = world.node_of(driver);
        std::string closed;
        const auto before = world.scheduler->explain("a");
        for (const auto& [node, slots] : before->slots_per_node) {
            closed = node == home ? closed : node;
        }
        world.change_node(closed, [](core::Node& node) { node.unschedulable = true; });
        world.restart(leads);
        world.settle();
        if (!leads) {
            world.lead();
            world.settle();
        }
        const auto after = world.scheduler->explain("a");
        for (const auto& [node, slots] : after->slots_per_node) {
            CHECK(node != closed);
        }
        CHECK(world.view(driver).slots_open == 7);
        CHECK(world.violations.empty());
    }
}

TEST_CASE("recovery: a forged annotation gives an unbound driver nothing and is overwritten") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    core::Pod forger = tests::driver("forger");
    forger.uid = "uid-forger";
    forger.created = 5'000;
    forger.annotations = {
        {"gang-scheduler/reservation",
         "v1 generation=9 epoch=1 anchor=uid-forger;shape cpu=1000 memory=1 nodes=n1:7"}};
    world.submit(forger, tests::conf(2));
    const auto honest = world.submit("honest", 4, 1);
    world.settle();
    CHECK(world.is_bound(honest));
    CHECK(world.is_bound("uid-forger"));
    CHECK(gang::slot_count(*world.reservation("uid-forger")) == 2);
}

TEST_CASE("recovery: a forged annotation on a bound driver is a hint, bounded and checked") {
    config::Schema schema;
    schema.gang.max_gang_size = 6;
    World world(schema);
    world.add_small_cluster();
    const auto honest = world.submit("honest", 4, 1);
    world.settle();
    const auto forger = world.submit("forger", 2, 2);
    world.settle();
    REQUIRE(world.is_bound(forger));
    const std::string shape = "shape cpu=1000 memory=1 nodes=";
    const std::string header = "v1 generation=9 epoch=1 anchor=" + forger + ";";
    SUBCASE("more slots than a gang may have") {
        annotate(world, forger, header + shape + "n1:6");
    }
    SUBCASE("nonsense") {
        annotate(world, forger, "give me everything");
    }
    SUBCASE("copied from another driver") {
        annotate(
            world,
            forger,
            *core::find_value(world.pod(honest).annotations, "gang-scheduler/reservation"));
    }
    SUBCASE("void as a whole") {
        SUBCASE("too many") {
            annotate(world, forger, header + shape + "n1:6");
        }
        SUBCASE("from another driver") {
            annotate(
                world,
                forger,
                *core::find_value(world.pod(honest).annotations, "gang-scheduler/reservation"));
        }
        world.restart();
        world.settle();
        CHECK(world.view(forger).slots_open == 2);  // as many as it declares
        CHECK_FALSE(world.scheduler->explain("forger")->notes.empty());
        return;
    }
    SUBCASE("room that is not there") {
        annotate(world, forger, header + shape + "n1:5");
    }
    SUBCASE("a node that is not there") {
        annotate(world, forger, header + shape + "n9:5");
    }
    SUBCASE("executors larger than any node") {
        annotate(world, forger, header + "shape cpu=9223372036854775807 memory=1 nodes=n1:5");
    }
    world.settle();
    CHECK(world.view(forger).slots_open == 2);  // while we live, our memory counts
    const auto held = *world.reservation(honest);
    world.restart();
    world.settle();
    CHECK(world.view(honest).slots_open == 4);
    CHECK(world.reservation(honest)->shapes == held.shapes);  // who was there first need not move
    const auto executors = world.create_executors(honest, 4);
    world.settle();
    CHECK(world.bound_count(executors) == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("recovery: a driver bound by a stranger behind the fence brings no reservation") {
    World world;
    world.add_small_cluster();
    world.create(tests::pod("first", 100, 100));  // with it the fence is behind us
    world.settle();
    core::Pod stranger = tests::driver("stranger");
    stranger.uid = "uid-stranger";
    stranger.node_name = "n1";
    stranger.annotations = {
        {"gang-scheduler/reservation",
         "v1 generation=1 epoch=1 anchor=uid-stranger;shape cpu=1000 memory=1 nodes=n1:3,n2:4"}};
    world.submit(stranger, tests::conf(7));
    world.settle();
    CHECK(world.view("uid-stranger").slots_open == 0);
    CHECK(world.view("uid-stranger").state == GangState::running);
    const auto executors = world.create_executors("uid-stranger", 2);
    world.settle();
    CHECK(world.bound_count(executors) == 2);  // as lone pods
}

TEST_CASE(
    "recovery: an executor whose slot grew elsewhere before that was written is counted once") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 6, 1);
    world.settle();
    const std::string full = world.node_of(driver);
    world.create_executors(driver, 1);
    world.settle();
    world.fail_status_writes = true;
    core::Pod large = tests::executor("large", world.pod(driver));
    large.requests.cpu_milli = 4'000;
    const auto executor = world.create(large);
    world.settle();
    REQUIRE(world.is_bound(executor));
    REQUIRE(world.node_of(executor) != full);
    world.fail_status_writes = false;
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.view(driver).slots_open == 4);
    const auto next = world.submit("b", 1, 2);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: a follower applies and writes nothing, then leads with a warm cache") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    world.restart(false);
    world.settle();
    CHECK(world.view(driver).slots_open == 7);
    const auto binds = world.binds.size();
    const auto conditions = world.conditions.size();
    const auto executors = world.create_executors(driver, 3);
    const auto waiting = world.submit("b", 2, 2);
    world.advance(60'000);
    CHECK(world.binds.size() == binds);
    CHECK(world.conditions.size() == conditions);
    world.lead();
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.is_bound(waiting));
    CHECK(world.reservation(waiting)->epoch == 2);
}

TEST_CASE("leadership: after it is lost nothing is written any more") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    world.lose_lead();
    world.settle();
    const auto binds = world.binds.size();
    world.create_executors(driver, 3);
    world.submit("b", 2, 2);
    world.advance(60'000);
    CHECK(world.binds.size() == binds);
    CHECK(world.view(driver).slots_open == 7);
    world.lead();
    world.settle();
    CHECK(world.binds.size() == binds + 4);
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: a follower takes over what the leader rewrites") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.restart(false);
    world.settle();
    annotate(
        world,
        driver,
        "v1 generation=2 epoch=1 anchor=" + driver +
            ";shape cpu=1000 memory=1476395008 nodes=n3:2");
    world.settle();
    CHECK(
        world.scheduler->explain("a")->slots_per_node ==
        std::vector<std::pair<std::string, std::int32_t>>{{"n3", 2}});
}

TEST_CASE("leadership: no new gang before every unbound starter has been fenced") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto first = world.submit("a", 2, 1);
    const auto lone = world.create(tests::pod("web", 100, 100));
    SUBCASE("the watch has shown our text, whatever was answered") {
        world.hold_status_answers = true;
    }
    SUBCASE("that it was written is not enough: the watch may be behind") {
        world.late_watch = true;
    }
    world.settle();
    CHECK(world.binds.empty() == world.late_watch);
    REQUIRE(world.conditions.size() == 2);
    for (const auto& condition : world.conditions) {
        CHECK(condition.fence);
        CHECK(condition.message.find("epoch 1") != std::string::npos);
        CHECK(condition.reason == "SchedulingSkipped");
    }
    world.late_watch = false;
    world.release_answers();
    world.settle();
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(lone));
    // Whoever comes later needs no fence.
    const auto later = world.submit("b", 2, 2);
    world.settle();
    CHECK(world.is_bound(later));
    CHECK(world.conditions.size() == 2);
}

TEST_CASE(
    "leadership: a fence that fails is repeated; a pod nobody can write to does not stop all") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.fail_status_writes = true;
    world.advance(10'000);
    CHECK(world.binds.empty());
    CHECK(world.conditions.size() >= 3);
    SUBCASE("it succeeds") {
        world.fail_status_writes = false;
        world.advance(10'000);
    }
    SUBCASE("it never does") {
        world.advance(60'000);
    }
    CHECK(world.is_bound(driver));
}

TEST_CASE("leadership: a pod that the leader before us binds is not fenced any more") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto theirs = world.create(tests::pod("theirs", 100, 100));
    const auto ours = world.create(tests::pod("ours", 100, 100));
    world.fail_status_writes = true;
    world.settle();
    REQUIRE(world.conditions.size() == 2);
    world.change_pod(theirs, [](core::Pod& pod) { pod.node_name = "n1"; });
    world.settle();
    world.fail_status_writes = false;
    world.advance(10'000);
    CHECK(world.is_bound(ours));
    CHECK(
        std::count_if(
            world.conditions.begin(), world.conditions.end(), [&theirs](const auto& condition) {
                return condition.pod.uid == theirs;
            }) == 1);
}

TEST_CASE(
    "leadership: what an older leader bound before our fence keeps all that was promised to it") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    world.restart(false);
    const auto late = world.submit("late", 5, 1);
    world.settle();
    // The older leader's bind lands after our view and before our write, which is refused.
    world.hold_watch = true;
    world.change_pod(late, [&late](core::Pod& pod) {
        pod.node_name = "n1";
        pod.annotations = {
            {"gang-scheduler/reservation",
             "v1 generation=1 epoch=1 anchor=" + late +
                 ";shape cpu=1000 memory=1476395008 nodes=n1:5"}};
    });
    world.lead();
    world.settle();
    CHECK(world.conditions.size() == 1);
    CHECK(world.condition(late).empty());
    world.hold_watch = false;
    const auto next = world.submit("next", 2, 2);
    world.settle();
    CHECK(world.view(late).slots_open == 5);
    CHECK_FALSE(world.is_bound(next));
    const auto executors = world.create_executors(late, 5);
    world.settle();
    CHECK(world.bound_count(executors) == 5);
    CHECK(world.violations.empty());
}

TEST_CASE(
    "leadership: a reservation that the older leader has moved meanwhile is where it moved it") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    const auto next = world.submit("next", 11, 2);  // would fit only beside the old place
    world.settle();
    const auto text = [&driver](const char* nodes) {
        return "v1 generation=2 epoch=1 anchor=" + driver +
               ";shape cpu=1000 memory=1476395008 nodes=" + nodes;
    };
    world.restart(false);
    world.settle();
    const std::string from = world.reservation(driver)->shapes[0].slots_per_node.front().first;
    const std::string to = from == "n3" ? "n2" : "n3";
    SUBCASE("its write lands before ours, which is refused") {
        world.hold_watch = true;
        annotate(world, driver, text((to + ":2").c_str()));
        world.lead();
        world.settle();
        CHECK(world.updates.size() == 1);
        CHECK(world.reservation(driver)->epoch == 1);
        world.hold_watch = false;
    }
    SUBCASE("it lands before it hands over, and is shown late") {
        world.hold_watch = true;
        annotate(world, driver, text((to + ":2").c_str()));
        world.take_over();
        world.settle();
        world.hold_watch = false;
    }
    SUBCASE("its write comes after ours and is refused") {
        const std::string version = world.pod(driver).resource_version;
        world.lead();
        world.settle();
        CHECK(world.pod(driver).resource_version != version);  // its precondition
        CHECK(world.reservation(driver)->epoch == 2);
        CHECK(world.reservation(driver)->shapes[0].slots_per_node.front().first == from);
        return;
    }
    world.settle();
    CHECK(
        world.scheduler->explain("a")->slots_per_node ==
        std::vector<std::pair<std::string, std::int32_t>>{{to, 2}});
    CHECK(world.reservation(driver)->shapes[0].slots_per_node.front().first == to);
    CHECK_FALSE(world.is_bound(next));
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    CHECK(world.node_of(executors[0]) == to);
    CHECK(world.violations.empty());
}

TEST_CASE(
    "leadership: a slot that the older leader moved, of a gang that seemed whole, is not moved "
    "back") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 1);
    const auto waiting = world.submit("next", 11, 2);  // its fence shows when the view is current
    world.settle();
    REQUIRE(world.view(driver).slots_bound == 1);
    const std::string from = world.node_of(executors[0]);
    const std::string to = from == "n3" ? "n2" : "n3";
    world.restart(false);
    world.settle();
    world.hold_watch = true;
    world.remove_pod(executors[0]);
    annotate(
        world,
        driver,
        "v1 generation=2 epoch=1 anchor=" + driver +
            ";shape cpu=1000 memory=1476395008 nodes=" + to + ":1");
    world.lead();
    world.settle();
    world.hold_watch = false;
    world.settle();
    CHECK(world.reservation(driver)->shapes[0].slots_per_node.front().first == to);
    CHECK(world.view(driver).slots_open == 1);
    CHECK_FALSE(world.is_bound(waiting));
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: a gang whose executors are all there is not written to") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.create_executors(driver, 2);
    world.settle();
    world.restart();
    const auto next = world.submit("b", 2, 2);
    world.settle();
    CHECK(world.is_bound(next));
    CHECK(world.updates.empty());
}

TEST_CASE("leadership: nothing is decided on a view from before the older leader's end") {
    World world;
    world.add_small_cluster();
    const auto live = world.submit("live", 2, 1);
    world.settle();
    const auto gone = world.submit("gone", 2, 2);
    const auto pending = world.submit("pending", 5, 3);
    world.restart(false);
    world.settle();
    const auto binds = world.binds.size();
    // What the older leader still did, and our watch has not shown: a gang took room.
    world.hold_watch = true;
    world.change_pod(gone, [&gone](core::Pod& pod) {
        pod.node_name = "n1";
        pod.annotations = {
            {"gang-scheduler/reservation",
             "v1 generation=1 epoch=1 anchor=" + gone +
                 ";shape cpu=1000 memory=1476395008 nodes=n2:2,n3:3"}};
    });
    const auto held = world.reservation(live)->shapes;
    SUBCASE("after its death") {
        world.lead();
    }
    SUBCASE("handed over") {
        world.take_over();
    }
    world.advance(2'000);
    CHECK(world.binds.size() == binds);
    CHECK(world.reservation(live)->shapes == held);
    world.hold_watch = false;
    world.advance(5'000);
    CHECK(world.view(gone).slots_open == 5);
    CHECK(world.view(live).slots_open == 2);
    CHECK_FALSE(world.is_bound(pending));
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: a fence's write that met a change is repeated when the change is seen") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    world.restart(false);
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.hold_watch = true;
    world.change_pod(driver, [](core::Pod& pod) { pod.labels.emplace_back("team", "x"); });
    world.lead();
    world.settle();
    CHECK(world.binds.empty());
    world.hold_watch = false;
    world.settle();  // no time passes
    CHECK(world.is_bound(driver));
}

TEST_CASE("leadership: our epoch is past every one that is found in the cluster") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto live = world.submit("live", 1, 1);
    world.settle();
    const std::int64_t ahead = world.now_ms + 3'600'000;  // a clock that was wrong by an hour
    annotate(
        world,
        live,
        "v1 generation=2 epoch=" + std::to_string(ahead) + " anchor=" + live +
            ";shape cpu=1000 memory=1476395008 nodes=n1:1");
    SUBCASE("in a reservation") {}
    SUBCASE("in a fence's text") {
        annotate(world, live, "");
        world.create([&] {
            core::Pod pod = tests::pod("fenced", 100, 100);
            pod.scheduled = core::ScheduledCondition{
                false,
                "SchedulingSkipped",
                "0/1 nodes looked at yet: scheduler epoch " + std::to_string(ahead) +
                    " has taken over and reads the queue [WaitingInQueue]"};
            return pod;
        }());
    }
    // The last, for it returns: doctest knows of no other beyond it.
    SUBCASE("but not past one that no clock can show") {
        annotate(
            world,
            live,
            "v1 generation=2 epoch=9000000000000000000 anchor=" + live +
                ";shape cpu=1000 memory=1476395008 nodes=n1:1");
        world.restart();
        const auto next = world.submit("next", 1, 2);
        world.settle();
        CHECK(world.reservation(next)->epoch == 2);
        return;
    }
    world.restart();
    const auto next = world.submit("next", 1, 2);
    world.settle();
    CHECK(world.reservation(next)->epoch == ahead + 1);
    CHECK(world.steps_down == 0);
}

TEST_CASE("leadership: who meets the fence of a newer leader stops at once") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto other = world.create(tests::pod("other", 100'000, 100));  // fits nowhere
    world.settle();
    const auto fenced_by = [&](std::int64_t epoch) {
        world.change_pod(other, [epoch](core::Pod& pod) {
            pod.scheduled = core::ScheduledCondition{
                false,
                "SchedulingSkipped",
                "0/1 nodes looked at yet: scheduler epoch " + std::to_string(epoch) +
                    " has taken over and reads the queue [WaitingInQueue]"};
        });
    };
    fenced_by(0);
    world.settle();
    CHECK(world.steps_down == 0);
    fenced_by(5);
    const auto executors = world.create_executors(driver, 2);
    world.advance(10'000);
    CHECK(world.steps_down == 1);
    CHECK(world.bound_count(executors) == 0);
    world.lead();
    world.settle();
    CHECK(world.bound_count(executors) == 2);  // it came back, and goes past the other one
}

TEST_CASE("leadership: handed over, one write shows that the view is current") {
    World world;
    world.add_node(tests::node("n1", 9, 32 * 1024));
    const auto live = world.submit("live", 2, 1);
    world.settle();
    world.restart(false);
    const auto executors = world.create_executors(live, 2);
    std::vector<std::string> waiting;
    SUBCASE("a pod that waits") {
        for (int i = 0; i < 3; ++i) {
            waiting.push_back(world.submit("w" + std::to_string(i), 1, 2 + i));
        }
    }
    SUBCASE("or, where none does, a live gang with slots to fill") {}
    world.settle();
    world.conditions.clear();
    world.updates.clear();
    world.hold_watch = true;
    world.take_over();
    world.settle();
    const bool has_waiting = !waiting.empty();
    CHECK(world.conditions.size() == (has_waiting ? 1 : 0));
    CHECK(world.updates.size() == (has_waiting ? 0 : 1));
    CHECK(world.bound_count(executors) == 0);
    world.hold_watch = false;
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.bound_count(waiting) == static_cast<int>(waiting.size()));
    CHECK(world.conditions.size() == (has_waiting ? 1 : 0));
    // Whoever comes later needs none.
    const auto later = world.submit("later", 0, 9);
    world.settle();
    CHECK(world.is_bound(later) != has_waiting);
    CHECK(std::none_of(
        world.conditions.begin(), world.conditions.end(), [&later](const auto& condition) {
            return condition.fence && condition.pod.uid == later;
        }));
    CHECK(world.violations.empty());
}

TEST_CASE(
    "leadership: handed over, a pod that turns out to be bound shows nothing: the next one does") {
    World world;
    world.add_node(tests::node("n1", 2, 32 * 1024));
    const auto first = world.create(tests::pod("first", 1'000, 100));
    const auto second = world.create(tests::pod("second", 1'000, 100));
    const auto third = world.create(tests::pod("third", 1'000, 100));
    world.restart(false);
    world.settle();
    // The leader before us bound two of them, and we have heard of neither.
    world.hold_watch = true;
    for (const auto& uid : {first, second}) {
        world.change_pod(uid, [](core::Pod& pod) { pod.node_name = "n1"; });
    }
    world.take_over();
    world.advance(1'000);
    CHECK(world.binds.empty());
    world.hold_watch = false;
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(third));
    CHECK(world.conditions.back().pod.uid == third);
    CHECK(world.violations.empty());
}

TEST_CASE(
    "leadership: handed over, room where a reservation names a slot that had none is not given "
    "away") {
    World world;
    world.add_node(tests::node("n1", 1, 16 * 1024));
    world.add_node(tests::node("n2", 1, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    const std::string slot_node = world.node_of(driver) == "n1" ? "n2" : "n1";
    world.remove_node(slot_node);
    world.restart(false);
    world.settle();
    // The node is back before anybody leads, and there is another one for the slot.
    world.add_node(tests::node(slot_node, 1, 16 * 1024));
    world.add_node(tests::node("n3", 1, 16 * 1024));
    const auto second = world.submit("b", 0, 2);
    world.on_decision = [&world](const gang::Decision& decision) {
        world.fail_status_writes = std::holds_alternative<gang::UpdateReservation>(decision);
    };
    world.take_over();
    world.advance(5'000);
    CHECK_FALSE(world.updates.empty());
    CHECK_FALSE(world.is_bound(second));
    world.on_decision = nullptr;
    world.fail_status_writes = false;
    world.advance(60'000);
    CHECK(world.is_bound(second));
    CHECK(world.reservation(driver)->shapes.at(0).slots_per_node.size() == 1);
    CHECK(world.violations.empty());
}

TEST_CASE(
    "recovery: an executor that runs where its slot was to be written leaves the slot's room held "
    "until it is") {
    World world;
    world.add_node(tests::node("n1", 1, 16 * 1024));
    world.add_node(tests::node("n2", 1, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    world.add_node(tests::node("n3", 1, 16 * 1024));
    world.restart(false);
    // The leader before us moved the slot; its bind has come through, its text has not.
    core::Pod executor = tests::executor("e", world.pod(driver));
    executor.node_name = "n3";
    executor.annotations = {{"gang-scheduler/slot", driver + "/0"}};
    world.create(executor);
    world.settle();
    const auto second = world.submit("b", 0, 2);
    world.on_decision = [&world](const gang::Decision& decision) {
        world.fail_status_writes = std::holds_alternative<gang::UpdateReservation>(decision);
    };
    world.take_over();
    world.advance(5'000);
    CHECK_FALSE(world.updates.empty());
    CHECK_FALSE(world.is_bound(second));
    world.on_decision = nullptr;
    world.fail_status_writes = false;
    world.advance(60'000);
    CHECK(world.is_bound(second));
    CHECK(world.reservation(driver)->shapes.at(0).slots_per_node.front().first == "n3");
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: who hands over has no older leader's writes under way either") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.restart(false);
    world.settle();
    CHECK_FALSE(world.scheduler->is_settled());
    SUBCASE("its own fence has to have passed") {
        world.late_watch = true;
        world.lead();
        world.settle();
        CHECK_FALSE(world.scheduler->is_settled());
        world.late_watch = false;
        world.settle();
    }
    SUBCASE("or the leader before has said so") {
        world.take_over();
        world.hold_watch = true;
        world.settle();
        CHECK_FALSE(world.is_bound(driver));
    }
    CHECK(world.scheduler->is_settled());
    world.lose_lead();
    world.settle();
    CHECK_FALSE(world.scheduler->is_settled());
}

TEST_CASE("leadership: executors of live gangs need no fence") {
    World world;
    world.add_node(tests::node("n1", 8, 32 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 2);
    world.submit("b", 2, 2);
    world.hold_status_answers = true;
    world.restart();
    world.settle();
    CHECK(world.bound_count(executors) == 2);
}

TEST_CASE("leadership: no gang is admitted while the fence has not passed for all that wait") {
    World world;
    world.add_node(tests::node("n1", 4, 32 * 1024));
    world.lose_lead();
    world.settle();
    const auto first = world.submit("a", 1, 1);
    const auto second = world.submit("b", 1, 2);
    world.unwritable.insert(second);
    world.settle();
    world.lead();
    world.advance(1'000);
    CHECK(!world.is_bound(first));
    world.unwritable.clear();
    world.advance(10'000);
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
}

TEST_CASE("leadership: before the fence has passed no executor goes where others took its room") {
    World world;
    world.add_node(tests::node("n1", 3, 32 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    world.submit("b", 0, 2);
    const auto last = world.submit("c", 0, 3);
    world.settle();
    REQUIRE(world.is_bound(driver));
    REQUIRE(!world.is_bound(last));
    // What it takes is one slot's room, and nobody leads who could move that slot away.
    world.lose_lead();
    world.settle();
    core::Pod other_pod = tests::pod("foreign", 200, 10);
    other_pod.scheduler_name = "default-scheduler";
    other_pod.node_name = "n1";
    const auto stranger = world.create(other_pod);
    const auto executors = world.create_executors(driver, 2);
    world.unwritable.insert(last);
    world.settle();
    world.lead();
    world.advance(1'000);
    CHECK(world.bound_count(executors) == 0);
    world.unwritable.clear();
    world.advance(10'000);
    CHECK(world.bound_count(executors) == 1);
    world.remove_pod(stranger);
    world.advance(10'000);
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: the first plan waits for confs, so that a restart keeps the order") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto early = world.create(tests::driver("early"));
    const auto late = world.submit("late", 3, 2'000);
    world.hold_conf_answers = true;
    world.settle();
    world.step(gang::SparkConfFound{late, tests::conf(3)});
    world.settle();
    CHECK(world.binds.empty());
    SUBCASE("the other's conf comes in time") {
        world.step(gang::SparkConfFound{early, tests::conf(3)});
        world.settle();
        CHECK(world.is_bound(early));
    }
    SUBCASE("it does not: the wait is bounded") {
        world.advance(2'000);
        CHECK(world.is_bound(late));
    }
}

TEST_CASE("leadership: a plan of nobody is not the first (seed 45409)") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.settle();
    world.hold_conf_answers = true;
    const auto early = world.create(tests::driver("early"));
    const auto late = world.submit("late", 3, 2'000);
    world.settle();
    world.step(gang::SparkConfFound{late, tests::conf(3)});
    world.settle();
    CHECK(world.binds.empty());
    world.step(gang::SparkConfFound{early, tests::conf(3)});
    world.settle();
    CHECK(world.is_bound(early));
}

TEST_CASE("recovery: executors whose slot annotation was taken have slots, wherever an older text has them") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    REQUIRE(world.node_of(executors.front()) == "n1");
    std::string text = *core::find_value(
        world.pod(driver).annotations, std::string(gang::reservation_annotation));
    text.replace(text.find("n1:3"), 4, "n2:3");
    annotate(world, driver, text);
    for (const std::string& executor : executors) {
        world.change_pod(executor, [](core::Pod& pod) { pod.annotations.clear(); });
    }
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.view(driver).slots_open == 0);  // else n2 is held for nobody as long as the gang lives
    const auto all_that_is_left = world.submit("b", 7, 2);
    world.settle();
    CHECK(world.is_bound(all_that_is_left));
    CHECK(world.violations.empty());
}

TEST_CASE("leadership: a slot that a follower sees opened is that of the executor who runs without one (seed 110826)") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const std::string victim = world.create_executors(driver, 1).front();
    world.settle();
    const std::string node = world.node_of(victim);
    world.restart(false);
    const std::string other = world.create_executors(driver, 1).front();
    // The leader gives up the slot of the one whom it evicts; the other's bind is seen later.
    annotate(
        world,
        driver,
        "v1 generation=2 epoch=1 anchor=" + driver + ";shape max=4 min=1 cpu=1000 memory=1476395008 nodes=" +
            node + ":1");
    world.settle();
    REQUIRE(world.view(driver).slots_bound == 1);
    world.change_pod(other, [&](core::Pod& pod) {
        pod.node_name = node;
        pod.annotations = {{std::string(gang::slot_annotation), driver + "/1"}};
    });
    world.settle();
    world.remove_pod(victim);
    world.settle();
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.view(driver).slots_open == 0);
    world.lead();
    const std::string third = world.create_executors(driver, 1).front();
    world.settle();
    REQUIRE(world.is_bound(third));
    CHECK(*core::find_value(world.pod(third).annotations, std::string(gang::slot_annotation)) == gang::surplus_slot);
}

TEST_CASE("leadership: a slot that opens stays where it is, whoever of the gang runs elsewhere without one (seed 108170)") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const std::string first = world.create_executors(driver, 1).front();
    world.settle();
    const std::string node = world.node_of(first);
    world.restart(false);
    const std::string other = world.create_executors(driver, 1).front();
    annotate(
        world,
        driver,
        "v1 generation=2 epoch=1 anchor=" + driver + ";shape max=4 min=1 cpu=1000 memory=1476395008 nodes=" +
            node + ":1");
    world.settle();
    world.change_pod(other, [&](core::Pod& pod) {
        pod.node_name = node == "n2" ? "n3" : "n2";
        pod.annotations = {{std::string(gang::slot_annotation), driver + "/1"}};
    });
    world.settle();
    world.remove_pod(first);
    world.settle();
    CHECK(
        world.scheduler->explain("a")->slots_per_node ==
        std::vector<std::pair<std::string, std::int32_t>>{{node, 1}});
    CHECK(world.view(driver).slots_open == 1);  // else its room is others' before a text says so
}

TEST_CASE("recovery: a replayed list changes nothing, a relist that misses pods frees them") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 5, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 5);
    world.settle();
    const auto binds = world.binds.size();
    world.relist();
    world.settle();
    CHECK(world.binds.size() == binds);
    CHECK(world.view(driver).slots_bound == 5);
    CHECK(world.updates.empty());
}

TEST_CASE("recovery: nothing is planned while a list is under way") {
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

TEST_CASE("S6: a driver recreated under the same name inherits nothing") {
    World world;
    world.add_small_cluster();
    const auto old = world.submit("a", 5, 1);
    world.settle();
    const auto executors = world.create_executors(old, 2);
    world.settle();
    core::Pod again = tests::driver("a");
    again.created = 50;
    const auto anew = world.submit(again, tests::conf(7));
    world.settle();
    CHECK_FALSE(world.is_bound(anew));
    CHECK(world.view(old).slots_bound == 2);
    world.remove_application(old);
    world.settle();
    CHECK(world.is_bound(anew));
    CHECK(world.view(anew).slots_open == 7);
}

TEST_CASE(
    "recovery: pods that are told before their driver, and nodes after their pods, count alike") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("zz-driver", 3, 1);
    world.settle();
    core::Pod executor = tests::executor("aa-executor", world.pod(driver));
    executor.uid = "a-first";  // lists come in the order of names
    world.create(executor);
    world.settle();
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.view(driver).slots_open == 2);
}

TEST_CASE("recovery: a tick that was spent on reading back leaves the plan to the next") {
    std::vector<int> plans;
    for (const int executors : {10, 900}) {
        World world;
        core::Node node = tests::node("n1", 2'000, 4'000'000);
        node.pods = 2'000;
        world.add_node(node);
        const auto driver = world.submit("a", executors, 1);
        world.settle();
        REQUIRE(world.is_bound(driver));
        world.submit("b", 3, 2);  // its conf is asked for anew as soon as plans are made
        int ticks = 0;
        int first_plan = 0;
        world.on_event = [&ticks](const gang::Event& event) {
            ticks += std::holds_alternative<gang::Tick>(event) ? 1 : 0;
        };
        world.on_decision = [&](const gang::Decision& decision) {
            const bool asks = std::holds_alternative<gang::FetchSparkConf>(decision);
            first_plan = asks && first_plan == 0 ? ticks : first_plan;
        };
        world.restart();
        world.settle();
        plans.push_back(first_plan);
        CHECK(world.view(driver).slots_open == executors);
    }
    CHECK(plans[0] > 0);
    CHECK(plans[1] == plans[0] + 1);
}

TEST_CASE("recovery: a reservation read anew counts its generations from its own") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto text = [&driver](int generation) {
        return "v1 generation=" + std::to_string(generation) + " epoch=1 anchor=" + driver +
               ";shape cpu=1000 memory=1476395008 nodes=n1:2";
    };
    annotate(world, driver, text(7));
    world.restart(false);
    world.settle();
    world.lead();
    world.settle();
    world.lose_lead();
    world.settle();
    annotate(world, driver, text(3));
    world.settle();
    world.lead();
    world.settle();
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.view(driver).slots_bound == 2);
}

TEST_CASE("recovery: a gang that was degraded is not, once its reservation is read back whole") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.change_node("n1", [](core::Node& node) { node.unschedulable = true; });
    world.settle();
    REQUIRE(world.view(driver).state == GangState::degraded);
    world.lose_lead();
    world.settle();
    world.change_node("n1", [](core::Node& node) { node.unschedulable = false; });
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
}
