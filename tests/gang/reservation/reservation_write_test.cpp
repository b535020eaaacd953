// Reservations written anew: on which state of the pod, what comes of a write that came too late,
// and who may change what a driver carries.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

using tests::World;

namespace {

constexpr const char* reservation_key = "gang-scheduler/reservation";

/// n1 holds the driver and three of the four slots, n2 the other one; n3 is empty.
struct Placed {
    World world;
    std::string driver;
    std::string home;
    std::string other;

    Placed() {
        for (const char* name : {"n1", "n2", "n3"}) {
            world.add_node(tests::node(name, 4, 16 * 1024));
        }
        driver = world.submit("a", 4, 1);
        world.settle();
        home = world.node_of(driver);
        const auto held = world.reservation(driver);
        for (const auto& [node, count] : held->shapes[0].slots_per_node) {
            other = node == home ? other : node;
        }
        REQUIRE_FALSE(other.empty());
    }

    void cordon(const std::string& node) {
        world.change_node(node, [](core::Node& changed) { changed.unschedulable = true; });
    }

    std::int64_t slots_on(const std::string& node) const {
        const auto held = world.reservation(driver);
        for (const auto& [name, count] : held->shapes[0].slots_per_node) {
            if (name == node) {
                return count;
            }
        }
        return 0;
    }

    void edit(const std::string& text) {
        world.change_pod(driver, [&text](core::Pod& pod) {
            pod.annotations = {{reservation_key, text}};
        });
    }
};

}  // namespace

TEST_CASE("reservation write: it names the state of the pod that it was decided on") {
    Placed placed;
    World& world = placed.world;
    placed.cordon(placed.other);
    const std::string before = world.pod(placed.driver).resource_version;
    world.settle();
    REQUIRE(world.updates.size() == 1);
    CHECK(world.updates[0].resource_version == before);
    CHECK(placed.slots_on(placed.other) == 0);
}

TEST_CASE("reservation write: one that came too late is decided again on the pod's next state") {
    Placed placed;
    World& world = placed.world;
    world.hold_watch = true;  // the pod changes, and we do not see it yet
    world.change_pod(placed.driver, [](core::Pod& pod) { pod.labels.emplace_back("a", "b"); });
    placed.cordon(placed.other);
    world.settle();
    CHECK(world.updates.size() == 1);
    CHECK(world.reservation(placed.driver)->generation == 1);
    SUBCASE("which the watch shows: at once") {
        world.hold_watch = false;
        world.settle();
    }
    SUBCASE("which the watch has lost: after a pause") {
        world.settle();
        CHECK(world.updates.size() == 1);
        world.hold_watch = false;
        world.advance(1'000);
    }
    CHECK(world.updates.size() == 2);
    CHECK(world.reservation(placed.driver)->generation == 2);
    CHECK(placed.slots_on(placed.other) == 0);
}

TEST_CASE("reservation write: a pod that always changes does not make us write as often") {
    Placed placed;
    World& world = placed.world;
    world.hold_watch = true;
    const auto change = [&world, &placed] {
        world.change_pod(placed.driver, [](core::Pod& pod) { pod.labels.emplace_back("a", "b"); });
    };
    change();
    placed.cordon(placed.other);
    world.settle();
    for (int i = 0; i < 500; ++i) {
        world.hold_watch = false;
        while (world.deliver_one()) {
        }
        world.hold_watch = true;
        change();  // again behind our back
        world.advance(100);
    }
    CHECK(world.updates.size() >= 4);
    CHECK(world.updates.size() <= 10);  // in 50 s
    world.hold_watch = false;
    world.advance(31'000);
    CHECK(placed.slots_on(placed.other) == 0);
}

TEST_CASE("reservation write: one that landed without an answer is not written twice") {
    Placed placed;
    World& world = placed.world;
    world.lose_status_answers = true;
    placed.cordon(placed.other);
    world.advance(60'000);
    CHECK(world.updates.size() == 1);
    CHECK(world.reservation(placed.driver)->generation == 2);
    const auto next = world.submit("b", 5, 2);
    world.change_node(placed.other, [](core::Node& node) { node.unschedulable = false; });
    world.settle();
    CHECK(world.is_bound(next));  // the room it left is free
}

TEST_CASE("reservation write: an executor goes to a moved slot only once that is written") {
    Placed placed;
    World& world = placed.world;
    world.fail_status_writes = true;
    placed.cordon(placed.other);
    const auto executors = world.create_executors(placed.driver, 4);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
    world.fail_status_writes = false;
    world.advance(31'000);
    CHECK(world.bound_count(executors) == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("reservation write: what somebody else has put in its place is overwritten") {
    Placed placed;
    World& world = placed.world;
    const std::string ours =
        *core::find_value(world.pod(placed.driver).annotations, reservation_key);
    SUBCASE("nothing") {
        world.change_pod(placed.driver, [](core::Pod& pod) { pod.annotations.clear(); });
    }
    SUBCASE("garbage") {
        placed.edit("garbage");
    }
    SUBCASE("another leader's, of the same generation") {
        std::string text = ours;
        text.replace(text.find("epoch=1"), 7, "epoch=0");
        placed.edit(text);
    }
    SUBCASE("much more") {
        std::string text = ours;
        text.replace(text.find("nodes="), 6, "nodes=n9:400,");
        placed.edit(text);
    }
    world.settle();
    const auto now = world.reservation(placed.driver);
    CHECK(now->generation == 2);
    CHECK(gang::slot_count(*now) == 4);
    CHECK(placed.slots_on("n9") == 0);
    CHECK(world.scheduler->counters().reservations_disputed == 1);
    CHECK(world.view(placed.driver).slots_open == 4);
    world.restart();
    world.settle();
    CHECK(world.view(placed.driver).slots_open == 4);
    CHECK(world.updates.size() == 2);  // the fence of the new leadership term
}

TEST_CASE("reservation write: who edits it again and again is answered less and less often") {
    Placed placed;
    World& world = placed.world;
    for (int i = 0; i < 600; ++i) {
        placed.edit("garbage " + std::to_string(i));
        world.advance(100);
    }
    CHECK(world.updates.size() >= 4);
    CHECK(world.updates.size() <= 10);  // in a minute
    world.advance(61'000);
    CHECK(gang::slot_count(*world.reservation(placed.driver)) == 4);
}

TEST_CASE("reservation write: a state of before our own write is not taken for an edit") {
    Placed placed;
    World& world = placed.world;
    world.hold_watch = true;
    world.set_phase(placed.driver, core::PodPhase::running);  // seen late, with the old text
    world.hold_watch = false;
    world.step(gang::PodUpserted{world.pod(placed.driver)});
    core::Pod old = world.pod(placed.driver);
    placed.cordon(placed.other);
    world.late_watch = true;
    world.settle();
    REQUIRE(world.updates.size() == 1);
    world.step(gang::PodUpserted{old});
    world.settle();
    CHECK(world.updates.size() == 1);
    CHECK(world.scheduler->counters().reservations_disputed == 0);
}

TEST_CASE("reservation write: a follower leaves alone what it finds") {
    Placed placed;
    World& world = placed.world;
    world.lose_lead();
    world.settle();
    placed.edit("garbage");
    world.advance(60'000);
    CHECK(world.updates.empty());
}
