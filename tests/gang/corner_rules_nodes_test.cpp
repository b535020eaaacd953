// Corner cases of scheduling by their numbers in docs/concepts/corner-cases.md: nodes, room and
// the queue.

#include "tests/gang/corner.hpp"

using gang::GangState;
using gang::ReasonCode;
using tests::World;

TEST_CASE("rules 1: two schedulers on one node: room that others take is found elsewhere") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto other_pod = world.create(tests::other_pod("x", 2000, "n1"));
    world.settle();
    CHECK(world.view(driver).state == GangState::degraded);
    CHECK(tests::events_of(world, "GangDegraded") == 1);
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.view(driver).slots_open == 3);
    world.remove_pod(other_pod);
    world.settle();
}

TEST_CASE("rules 2: a kubelet that refuses a pod keeps its slot and gets no other for a while") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto executors = world.create_executors(driver, 1);
    world.settle();
    REQUIRE(world.is_bound(executors[0]));
    world.change_pod(executors[0], [](core::Pod& pod) {
        pod.phase = core::PodPhase::failed;
        pod.failure = "OutOfcpu";
    });
    const auto next = world.create_executors(driver, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(next[0]));
    CHECK(gang::slot_count(*world.reservation(driver)) == 3);
    world.advance(31'000);
    CHECK(world.is_bound(next[0]));
}

TEST_CASE("rules 3: an executor on its way is counted once, whatever is heard first") {
    World world;
    const auto driver = tests::fill_node(world);
    world.add_node(tests::node("n2", 1, 16 * 1024));
    world.hold_bind_answers = true;
    const auto executors = world.create_executors(driver, 3);
    const auto lone = world.create(tests::pod("lone", 1000, 100));
    world.settle();
    // 5 cpu in all, and all of them in use: nothing is allocated twice, nothing not at all.
    CHECK(world.bound_count(executors) == 3);
    CHECK(world.is_bound(lone));
    world.release_answers();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("rules 4: what was bound while we were away takes a slot, on its node or another one's") {
    World world;
    const auto driver = tests::fill_node(world);
    world.add_node(tests::node("n2", 1, 16 * 1024));
    core::Pod there = tests::executor("there", world.pod(driver));
    there.node_name = "n1";
    core::Pod elsewhere = tests::executor("elsewhere", world.pod(driver));
    elsewhere.node_name = "n2";
    world.create(there);
    world.create(elsewhere);
    world.restart();
    const auto lone = world.create(tests::pod("lone", 500, 100));
    world.settle();
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.view(driver).slots_open == 1);
    CHECK(world.is_bound(lone));  // where the slot was that has moved
}

TEST_CASE("rules 20: a bind that failed, or whose outcome is not known, is never sent twice") {
    World world;
    const auto driver = tests::fill_node(world);
    world.hold_bind_answers = true;
    const auto executors = world.create_executors(driver, 3);
    world.settle();
    const auto sent = world.binds.size();
    world.advance(600'000);
    CHECK(world.binds.size() == sent);
    world.release_answers();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    for (const auto outcome :
         {gang::BindOutcome::changed, gang::BindOutcome::taken, gang::BindOutcome::not_sent}) {
        world.remove_pod(world.executors_of(driver).front());
        world.on_bind = [outcome, left = 1](const gang::BindPod&) mutable {
            return left-- > 0 ? std::optional(outcome) : std::nullopt;
        };
        const auto replacement = world.create_executors(driver, 1);
        world.advance(30'000);
        CHECK(world.is_bound(replacement[0]));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("rules 21: open slots leave a node that is cordoned, not ready or gone; pods stay") {
    for (const int what : {0, 1, 2}) {
        CAPTURE(what);
        World world;
        std::vector<std::string> executors;
        const auto driver = tests::fill_node(world);
        executors = world.create_executors(driver, 1);
        world.settle();
        world.add_node(tests::node("n2", 4, 16 * 1024));
        if (what == 2) {
            world.remove_node("n1");
        } else {
            world.change_node("n1", [what](core::Node& node) {
                node.unschedulable = what == 0;
                node.ready = what == 0;
            });
        }
        world.settle();
        CHECK(world.view(driver).slots_open == 2);
        CHECK(world.view(driver).slots_bound == 1);
        CHECK(world.node_of(executors[0]) == "n1");
        const auto rest = world.create_executors(driver, 2);
        world.settle();
        CHECK(world.node_of(rest[0]) == "n2");
        CHECK(world.node_of(rest[1]) == "n2");
        CHECK(world.violations.empty());
    }
}

TEST_CASE("rules 22: a node that shrinks loses open slots, never pods") {
    World world;
    const auto driver = tests::fill_node(world);
    const auto executors = world.create_executors(driver, 1);
    world.settle();
    world.change_node("n1", [](core::Node& node) { node.allocatable.cpu_milli = 2'500; });
    world.settle();
    CHECK(world.view(driver).state == GangState::degraded);
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.has_pod(executors[0]));
    world.add_node(tests::node("n2", 2, 16 * 1024));
    world.settle();
    CHECK(world.view(driver).state == GangState::running);
    CHECK(world.view(driver).slots_open == 2);
}

TEST_CASE("rules 23: a new node is used at once, without waiting for a clock") {
    World world;
    world.add_node(tests::node("n1", 2, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    REQUIRE_FALSE(world.is_bound(driver));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.settle();  // no time passes
    CHECK(world.is_bound(driver));
}

TEST_CASE("rules 26: a pod that asks nothing takes one of the node's pods") {
    World world;
    core::Node small = tests::node("n1", 8, 16 * 1024);
    small.pods = 2;
    world.add_node(small);
    const auto first = world.create(tests::pod("p1", 0, 0));
    const auto second = world.create(tests::pod("p2", 0, 0));
    const auto third = world.create(tests::pod("p3", 0, 0));
    world.settle();
    CHECK(world.bound_count({first, second, third}) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("rules 33: room enough in all, but not on any node, is said as such") {
    World world;
    for (const char* name : {"n1", "n2", "n3", "n4"}) {
        world.add_node(tests::node(name, 2, 16 * 1024));
        core::Pod pinned = tests::pod("pin-" + std::string(name), 1000, 64);
        pinned.constraints.edit().node_selector = {};
        pinned.node_name = name;
        world.create(pinned);
    }
    const auto driver = world.create(tests::driver("a"));
    world.confs[driver].conf = tests::with(tests::conf(1), "spark.executor.cores", "2");
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.view(driver).message.find("Insufficient cpu") != std::string::npos);
    CHECK(world.view(driver).message.find("1 + 0 fit") != std::string::npos);
}

TEST_CASE("rules 34: a driver does not take the only hole that is large enough for an executor") {
    World world;
    world.add_node(tests::node("a-large", 4, 16 * 1024));
    world.add_node(tests::node("b-small", 1, 16 * 1024));
    const auto driver = world.create(tests::driver("a"));
    world.confs[driver].conf = tests::with(tests::conf(1), "spark.executor.cores", "4");
    world.settle();
    CHECK(world.node_of(driver) == "b-small");
    CHECK(world.violations.empty());
}

TEST_CASE("rules 35: first come, first served; who cannot fit at all holds up nobody") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto running = world.submit("r", 3, 1);
    world.settle();
    const auto huge = world.submit("huge", 20, 2);
    const auto head = world.submit("head", 6, 3);
    const auto small = world.submit("small", 1, 4);
    world.advance(2'000);
    CHECK(world.view(huge).state == GangState::parked);
    CHECK(world.view(head).position == 1);
    CHECK_FALSE(world.is_bound(small));
    CHECK(world.view(small).code == ReasonCode::waiting_in_queue);
    world.remove_application(running);
    world.settle();
    CHECK(world.is_bound(head));
    CHECK_FALSE(world.is_bound(small));
}

TEST_CASE("rules 36: gangs of the same second are ordered by uid, after a restart as well") {
    World world;
    for (const char* name : {"c", "a", "b"}) {
        world.submit(name, 3, 7);
    }
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.hold_bind_answers = true;
    world.settle();
    REQUIRE(world.binds.size() == 1);
    CHECK(world.binds[0].pod.uid == "uid-00001");
    world.remove_application("uid-00001");
    world.hold_bind_answers = false;
    world.restart();
    world.settle();
    CHECK(world.is_bound("uid-00002"));
    CHECK_FALSE(world.is_bound("uid-00003"));
}

TEST_CASE("rules 38: want of room is Unschedulable, anything else SchedulingSkipped") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.submit("r", 3, 1);
    world.settle();
    const auto head = world.submit("head", 6, 2);
    const auto behind = world.submit("behind", 1, 3);
    const auto wrong = world.create(tests::driver("wrong"));
    world.confs[wrong].conf = tests::with(tests::conf(1), "spark.executor.memory", "1.5g");
    world.advance(2'000);
    CHECK(world.pod(head).scheduled->reason == "Unschedulable");
    CHECK(world.pod(behind).scheduled->reason == "SchedulingSkipped");
    CHECK(world.pod(wrong).scheduled->reason == "SchedulingSkipped");
    CHECK(world.condition(head).starts_with("0/2 nodes "));
}

TEST_CASE("rules 39: slots leave a node that is tainted to be taken away") {
    World world;
    const auto driver = tests::fill_node(world);
    world.add_node(tests::node("n2", 4, 16 * 1024));
    world.change_node("n1", [](core::Node& node) {
        node.taints = {
            {"ToBeDeletedByClusterAutoscaler", "1700000000", core::TaintEffect::no_schedule}};
    });
    world.settle();
    const auto held = world.reservation(driver)->shapes[0].slots_per_node;
    CHECK(held == std::vector<std::pair<std::string, std::int64_t>>{{"n2", 3}});
}

TEST_CASE("rules 40: an executor's slot moves to where its volume is") {
    World world;
    const auto driver = tests::fill_node(world);
    core::Node other = tests::node("n2", 4, 16 * 1024);
    other.labels = {{"zone", "b"}};
    world.add_node(other);
    core::Claim claim;
    claim.state = core::ClaimState::bound;
    claim.nodes = {
        {core::VolumeRule::affinity, {{{{"zone", core::SelectorOperator::in, {"b"}}}, {}}}}};
    world.claims[world.pod(driver).namespace_name + "/data"] = claim;
    const auto executor = tests::create_executor(world, driver, [](core::Pod& pod) {
        pod.claims = std::vector<core::ClaimUse>{{"data", false}};
    });
    world.advance(1'000);
    CHECK(world.node_of(executor) == "n2");
    CHECK(world.violations.empty());
}

TEST_CASE("rules 45: a gang of two thousand is placed in one look; bursts are bounded per tick") {
    World world;
    for (int i = 0; i < 70; ++i) {
        world.add_node(tests::node("n" + std::to_string(100 + i), 32, 256 * 1024));
    }
    const auto driver = world.submit("a", 1999, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    CHECK(gang::slot_count(*world.reservation(driver)) == 1999);
    const auto executors = world.create_executors(driver, 1999);
    world.settle();
    CHECK(world.bound_count(executors) == 1999);
    CHECK(world.most_binds_in_a_step <= 1'000);
    CHECK(world.violations.empty());
}

TEST_CASE("rules 46: executors that keep apart have slots on nodes of their own") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) {
        core::Node node = tests::node(name, 16, 64 * 1024);
        node.labels = {{"kubernetes.io/hostname", name}};
        world.add_node(node);
    }
    core::LabelSelector executors{true, {}};
    executors.require({"spark-role", core::LabelOperator::in, {"executor"}});
    auto conf = tests::conf(3);
    conf.executor_template.emplace().rules =
        core::PodRules{{}, {{"kubernetes.io/hostname", executors, {""}, {}}}, {}};
    const auto driver = world.submit(tests::driver("a"), conf);
    world.advance(3'000);
    REQUIRE(world.is_bound(driver));
    CHECK(world.reservation(driver)->shapes[0].slots_per_node.size() == 3);
}
