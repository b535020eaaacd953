// The consistency check: a fresh list against what the scheduler believes, and the ledger as it is
// shown.

#include "gang/consistency/consistency_check.hpp"

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

using gang::ConsistencyCheck;
using gang::DriftKind;
using tests::World;

namespace {

struct Small {
    World world;
    std::string driver;
    std::vector<std::string> executors;

    Small() {
        world.add_node(tests::node("n1", 4, 16 * 1024));
        world.add_node(tests::node("n2", 4, 16 * 1024));
        core::Pod other_pod = tests::pod("foreign", 500, 100);
        other_pod.scheduler_name = "another";
        other_pod.node_name = "n1";
        world.create(other_pod);
        driver = world.submit("a", 4, 1);
        world.settle();
        executors = world.create_executors(driver, 2);
        world.settle();
    }

    /// One list; true: it needs no second one.
    bool list(ConsistencyCheck& check) {
        check.begin();
        for (const auto& [name, node] : world.nodes()) {
            check.see(*world.scheduler, node);
        }
        for (const auto& [uid, pod] : world.pods()) {
            check.see(*world.scheduler, pod);
        }
        return check.finish(*world.scheduler);
    }

    /// What two lists in a row find.
    std::vector<gang::Drift> check() {
        ConsistencyCheck check;
        CHECK_FALSE(list(check));
        CHECK(list(check));
        return check.drift();
    }
};

std::int64_t cpu_of(const std::vector<gang::HeldUnit>& units) {
    std::int64_t sum = 0;
    for (const gang::HeldUnit& unit : units) {
        sum += unit.requests.cpu_milli;
    }
    return sum;
}

}  // namespace

TEST_CASE("consistency check: what agrees needs one list") {
    Small small;
    ConsistencyCheck check;
    CHECK(small.list(check));
    CHECK(check.drift().empty());
    CHECK(check.pods_seen() == small.world.pods().size());
    small.world.restart();
    small.world.settle();
    CHECK(small.list(check));
}

TEST_CASE("consistency check: what is only on its way is no drift") {
    Small small;
    World& world = small.world;
    ConsistencyCheck check;
    world.hold_watch = true;
    world.remove_pod(small.executors[0]);
    world.create(tests::pod("new", 100, 100));
    CHECK_FALSE(small.list(check));
    CHECK(check.drift().empty());
    world.hold_watch = false;
    world.settle();
    CHECK(small.list(check));
    CHECK(check.drift().empty());
    CHECK(small.list(check));  // and the next consistency check begins afresh
}

TEST_CASE("consistency check: every kind of event that was lost is found") {
    Small small;
    World& world = small.world;
    world.hold_watch = true;  // for good: what follows is never heard of
    SUBCASE("a pod of another scheduler came") {
        core::Pod other_pod = tests::pod("late", 500, 100);
        other_pod.scheduler_name = "another";
        other_pod.node_name = "n2";
        world.create(other_pod);
        const auto drift = small.check();
        REQUIRE(drift.size() == 1);
        CHECK(drift[0].kind == DriftKind::pod_unknown);
        CHECK(drift[0].name == "etl/late");
    }
    SUBCASE("an executor went") {
        world.remove_pod(small.executors[0]);
        const auto drift = small.check();
        REQUIRE(drift.size() == 1);
        CHECK(drift[0].kind == DriftKind::pod_gone);
        CHECK(drift[0].uid == small.executors[0]);
    }
    SUBCASE("an executor ended") {
        world.set_phase(small.executors[0], core::PodPhase::failed);
        const auto drift = small.check();
        REQUIRE(drift.size() == 1);
        CHECK(drift[0].kind == DriftKind::pod_differs);
    }
    SUBCASE("a tenant edited the reservation") {
        world.change_pod(small.driver, [](core::Pod& pod) { pod.annotations.clear(); });
        const auto drift = small.check();
        REQUIRE(drift.size() == 1);
        CHECK(drift[0].kind == DriftKind::reservation_differs);
    }
    SUBCASE("and what changes from list to list is still on its way") {
        ConsistencyCheck check;
        world.set_phase(small.executors[0], core::PodPhase::failed);
        CHECK_FALSE(small.list(check));
        world.change_pod(small.executors[0], [](core::Pod& pod) { pod.labels.clear(); });
        CHECK(small.list(check));
        CHECK(check.drift().empty());
    }
}

TEST_CASE("consistency check: nodes that are not as believed are found") {
    Small small;
    core::Node changed = small.world.nodes().at("n1");
    const auto compare = [&small, &changed] { return small.world.scheduler->compare(changed); };
    CHECK_FALSE(compare());
    SUBCASE("room") {
        changed.allocatable.cpu_milli = 1;
    }
    SUBCASE("pods") {
        changed.pods = 1;
    }
    SUBCASE("cordon") {
        changed.unschedulable = true;
    }
    SUBCASE("readiness") {
        changed.ready = false;
    }
    SUBCASE("labels") {
        changed.labels = {{"a", "b"}};
    }
    SUBCASE("taints") {
        changed.taints = {{"a", "b", core::TaintEffect::no_execute}};
    }
    REQUIRE(compare());
    CHECK(compare()->kind == DriftKind::node_differs);
    changed.name = "n9";
    CHECK(compare()->kind == DriftKind::node_unknown);
}

TEST_CASE("consistency check: a relist mends what it found, a word mends the reservation") {
    Small small;
    World& world = small.world;
    world.hold_watch = true;
    world.remove_pod(small.executors[0]);
    world.change_pod(small.driver, [](core::Pod& pod) { pod.annotations.clear(); });
    REQUIRE(small.check().size() == 2);
    world.hold_watch = false;
    world.step(gang::ReservationDiffers{small.driver});
    world.settle();
    CHECK(gang::slot_count(*world.reservation(small.driver)) == 4);
    ConsistencyCheck check;
    CHECK(small.list(check));
}

TEST_CASE("ledger: each node is what is bound, held and free, each unit traced to its gang") {
    Small small;
    World& world = small.world;
    std::int64_t held = 0;
    std::int64_t bound = 0;
    for (const gang::NodeLedger& node : world.scheduler->ledger()) {
        CAPTURE(node.name);
        CHECK(node.is_present);
        CHECK(node.adds_up);
        CHECK(
            node.allocatable.cpu_milli ==
            node.bound.cpu_milli + node.held.cpu_milli + node.free.cpu_milli);
        CHECK(node.held.cpu_milli == cpu_of(node.units));
        for (const gang::HeldUnit& unit : node.units) {
            CHECK(unit.gang == "etl/a");
            CHECK(unit.state == gang::HeldUnit::State::open);
            CHECK(unit.slot >= 0);
            CHECK(unit.since_ms == world.now_ms);
        }
        held += node.held.cpu_milli;
        bound += node.bound.cpu_milli;
    }
    CHECK(held == 2'000);   // of four slots two have their executor
    CHECK(bound == 3'500);  // driver, executors, the other scheduler's pod
}

TEST_CASE("ledger: a slot whose bind is under way, and room that a slot has left, are told apart") {
    Small small;
    World& world = small.world;
    world.hold_bind_answers = true;
    world.hold_watch = true;
    world.step(gang::PodUpserted{world.pod(world.create_executors(small.driver, 1)[0])});
    world.step(gang::Tick{});
    std::map<gang::HeldUnit::State, int> states;
    const auto count = [&] {
        states.clear();
        for (const gang::NodeLedger& node : world.scheduler->ledger()) {
            CHECK(node.adds_up);
            for (const gang::HeldUnit& unit : node.units) {
                ++states[unit.state];
            }
        }
    };
    count();
    CHECK(states[gang::HeldUnit::State::assumed] == 1);
    CHECK(states[gang::HeldUnit::State::open] == 1);
    world.fail_status_writes = true;
    const std::string home = world.node_of(small.driver);
    for (const char* name : {"n1", "n2"}) {
        world.add_node(tests::node(std::string(name) + "-spare", 4, 16 * 1024));
        world.change_node(name, [](core::Node& node) { node.unschedulable = true; });
    }
    world.settle();
    count();
    CHECK(states[gang::HeldUnit::State::leaving] == 1);
    CHECK(states[gang::HeldUnit::State::open] == 1);
}

TEST_CASE("consistency check: a node that was seen otherwise, and one that is gone, are found") {
    Small small;
    World& world = small.world;
    ConsistencyCheck check;
    const auto list = [&](std::int64_t pods, bool has_second) {
        check.begin();
        for (auto [name, node] : world.nodes()) {
            node.pods = name == "n1" ? pods : node.pods;
            if (has_second || name != "n2") {
                check.see(*world.scheduler, node);
            }
        }
        for (const auto& [uid, pod] : world.pods()) {
            check.see(*world.scheduler, pod);
        }
        return check.finish(*world.scheduler);
    };
    SUBCASE("otherwise") {
        CHECK_FALSE(list(1, true));
        CHECK(list(1, true));
        REQUIRE(check.drift().size() == 1);
        CHECK(check.drift()[0].kind == DriftKind::node_differs);
        CHECK(check.drift()[0].name == "n1");
    }
    SUBCASE("gone") {
        CHECK_FALSE(list(110, false));
        CHECK(list(110, false));
        REQUIRE(check.drift().size() == 1);
        CHECK(check.drift()[0].kind == DriftKind::node_gone);
        CHECK(check.drift()[0].name == "n2");
    }
    // The next consistency check begins afresh: nothing of what was listed or found counts any
    // more.
    CHECK(list(110, true));
    CHECK(check.drift().empty());
    world.hold_watch = true;
    world.remove_pod(small.executors[0]);
    CHECK_FALSE(list(110, true));
    CHECK(check.pods_seen() == world.pods().size());
}
