// Slots that no valid text vouches for: made anew from the declaration, never more than that, and
// never for a stranger. The edge takes out what has no valid seal, so to the engine an edited text
// is one that is missing.

#include "gang/declare/declaration.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using tests::World;

namespace {

config::Schema unsealed() {
    return config::Schema{};
}

/// As the edge shows it when its tenant has edited it.
void lose_text(World& world, const std::string& driver) {
    world.change_pod(driver, [](core::Pod& pod) { pod.annotations.clear(); });
}

void write_text(World& world, const std::string& driver, const std::string& shapes) {
    world.change_pod(driver, [&](core::Pod& pod) {
        pod.annotations = {
            {std::string(gang::reservation_annotation),
             "v1 generation=9 epoch=1 queue=default anchor=" + driver + ";" + shapes}};
    });
}

std::int64_t written(const World& world, const std::string& driver) {
    const auto held = world.reservation(driver);
    return held ? gang::slot_count(*held) : -1;
}

std::int64_t held(const World& world, const std::string& driver) {
    const gang::GangView view = world.view(driver);
    return view.slots_open + view.slots_bound + view.slots_assumed;
}

bool has_event(const World& world, const std::string& reason) {
    return std::any_of(world.events.begin(), world.events.end(), [&](const auto& event) {
        return event.reason == reason;
    });
}

}  // namespace

TEST_CASE("declared: a driver whose reservation was lost gets its slots anew") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    auto executors = world.create_executors(driver, 3);
    world.settle();
    lose_text(world, driver);
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.view(driver).slots_open == 4);
    CHECK(written(world, driver) == 7);
    CHECK(has_event(world, "ReservationRebuilt"));
    executors = world.create_executors(driver, 4);
    world.settle();
    CHECK(world.bound_count(executors) == 4);
    CHECK(world.violations.empty());
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 7);
}

TEST_CASE("declared: executors that all run have their slots anew where nothing else is free") {
    World world;
    world.add_node(tests::node("n1", 3, 64 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    REQUIRE(world.bound_count(world.create_executors(driver, 2)) == 0);
    world.settle();
    REQUIRE(world.view(driver).slots_bound == 2);
    lose_text(world, driver);
    world.restart();
    world.advance(5'000);
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(written(world, driver) == 2);
}

TEST_CASE("declared: lost slots are made anew before new gangs are admitted") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    lose_text(world, driver);
    const auto next = world.submit("b", 7, 2);
    world.restart();
    world.advance(5'000);
    CHECK(world.view(driver).slots_open == 7);
    CHECK_FALSE(world.is_bound(next));
}

TEST_CASE(
    "declared: no gang is admitted while a conf that slots are to be made from is asked for") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    lose_text(world, driver);
    const auto next = world.submit("b", 7, 2);
    const tests::ConfAnswer conf = world.confs.at(driver);
    world.confs.at(driver) = {{}, gang::ConfProblem::failed, "503"};
    world.restart();
    world.advance(5'000);
    world.confs.at(driver) = conf;
    world.advance(20'000);
    CHECK(world.view(driver).slots_open == 7);
    CHECK_FALSE(world.is_bound(next));
}

TEST_CASE("declared: a driver that declares by labels gets its slots anew, too") {
    World world;
    world.add_small_cluster();
    core::Pod pod = tests::pod("d", 1000, 1408);
    pod.uid = "uid-d";
    pod.labels = {{"spark-role", "driver"}};
    pod.annotations = {
        {"gang-scheduler/executor-cpu", "1"},
        {"gang-scheduler/executor-memory", "1Gi"},
        {"gang-scheduler/executors", "4"}};
    const core::StringMap declared = pod.annotations;
    world.create(pod);
    world.settle();
    REQUIRE(world.is_bound("uid-d"));
    REQUIRE(world.view("uid-d").slots_open == 4);
    world.change_pod("uid-d", [&](core::Pod& made) { made.annotations = declared; });
    world.restart();
    world.settle();
    CHECK(world.view("uid-d").slots_open == 4);
    CHECK(written(world, "uid-d") == 4);
}

TEST_CASE("declared: what is lost is made anew whole, or nothing is held") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    lose_text(world, driver);
    for (const char* name : {"n1", "n2", "n3"}) {
        if (world.node_of(driver) != name) {
            world.remove_node(name);
        }
    }
    const auto next = world.submit("b", 1, 2);
    world.restart();
    world.advance(5'000);
    CHECK(held(world, driver) == 0);
    CHECK(world.is_bound(next));  // the holes are nobody's
    world.add_node(tests::node("n9", 8, 32 * 1024));
    world.advance(5'000);
    CHECK(world.view(driver).slots_open == 7);
    CHECK(world.violations.empty());
}

TEST_CASE("declared: executors of a driver without slots are placed as they come") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 7, 1);
    world.settle();
    lose_text(world, driver);
    world.confs.erase(driver);  // its tenant has removed its config map as well
    world.restart();
    world.advance(5'000);
    CHECK(held(world, driver) == 0);
    const auto executors = world.create_executors(driver, 3);
    world.advance(5'000);
    CHECK(world.bound_count(executors) == 3);
    world.confs[driver].conf = tests::conf(7);  // it is there again
    world.advance(120'000);
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.view(driver).slots_open == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("declared: a driver without slots and the head of the queue do not wait for each other") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 5);
    world.settle();
    lose_text(world, driver);
    world.confs.erase(driver);
    world.restart();
    world.advance(5'000);
    // Older than the driver, and in need of its room: it could be placed on an empty cluster only.
    const auto head = world.submit("head", 11, 1);
    world.advance(5'000);
    REQUIRE_FALSE(world.is_bound(head));
    const auto executors = world.create_executors(driver, 3);
    world.advance(5'000);
    CHECK(world.bound_count(executors) >= 1);
    world.remove_application(driver);
    world.advance(5'000);
    CHECK(world.is_bound(head));
}

TEST_CASE(
    "declared: a driver that ran too late and the head of the queue do not wait for each other") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 5);
    world.settle();
    world.advance(World::sealed_schema().gang.never_running_after_ms + 1'000);
    REQUIRE(has_event(world, "GangStuck"));
    REQUIRE(held(world, driver) == 0);
    world.set_phase(driver, core::PodPhase::running);
    const auto head = world.submit("head", 11, 1);
    world.advance(5'000);
    REQUIRE_FALSE(world.is_bound(head));
    SUBCASE("at once") {}
    SUBCASE("after a restart") {
        world.restart();
        world.advance(5'000);
    }
    const auto executors = world.create_executors(driver, 3);
    world.advance(5'000);
    CHECK(world.bound_count(executors) >= 1);
    world.remove_application(driver);
    world.advance(5'000);
    CHECK(world.is_bound(head));
}

TEST_CASE("declared: without a key a text counts as far as the declaration goes") {
    World world(unsealed());
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    auto executors = world.create_executors(driver, 1);
    world.settle();
    SUBCASE("more slots") {
        write_text(
            world, driver, "shape profile=0 cpu=1000 memory=1476395008 nodes=n1:3,n2:3,n3:4");
    }
    SUBCASE("more without room") {
        write_text(world, driver, "shape profile=0 cpu=1000 memory=1476395008 nodes=n1:3,n9:900");
    }
    SUBCASE("several shapes") {
        write_text(
            world,
            driver,
            "shape profile=0 cpu=1000 memory=1 nodes=n1:2;shape profile=1 cpu=1000 memory=1 "
            "nodes=n2:3");
    }
    SUBCASE("larger slots") {
        write_text(
            world, driver, "shape profile=0 cpu=3000 memory=1476395008 nodes=n1:1,n2:1,n3:1");
    }
    SUBCASE("the text as it was") {}
    SUBCASE("nonsense") {
        write_text(world, driver, "shape profile=x");
    }
    SUBCASE("nothing") {
        lose_text(world, driver);
    }
    world.restart();
    world.advance(5'000);
    CHECK(held(world, driver) == 3);
    CHECK(written(world, driver) == 3);
    const auto shapes = world.reservation(driver)->shapes;
    for (const gang::ReservedShape& shape : shapes) {
        const bool is_declared = shape.requests.cpu_milli == 1000;
        CHECK((shape.slots_per_node.empty() || is_declared));
    }
    const auto others = world.submit("b", 7, 2);
    world.advance(5'000);
    CHECK(world.is_bound(others));
    executors = world.create_executors(driver, 2);
    world.settle();
    CHECK(world.bound_count(executors) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("declared: without a key, and without a declaration, slots that pods are in are kept") {
    World world(unsealed());
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const auto executors = world.create_executors(driver, 2);
    world.settle();
    write_text(world, driver, "shape profile=0 cpu=1000 memory=1476395008 nodes=n1:3,n2:3,n3:4");
    world.confs.erase(driver);
    world.restart();
    world.advance(10'000);
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.view(driver).slots_open == 0);
    CHECK(written(world, driver) == 2);
    CHECK(has_event(world, "ReservationBounded"));
}

TEST_CASE("declared: a conf that is never answered does not hold up a new leader for ever") {
    World world(unsealed());
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    write_text(world, driver, "shape profile=0 cpu=1000 memory=1476395008 nodes=n1:3,n2:3,n3:4");
    world.hold_conf_answers = true;
    const auto lone = world.create(tests::pod("lone", 1000, 100));
    world.restart();
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(lone));
    world.advance(60'000);
    CHECK(world.is_bound(lone));
    CHECK(held(world, driver) == 0);
}

TEST_CASE("declared: a text that was not held against its declaration yet is not written again (seed 112523)") {
    World world(unsealed());
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.restart(false);
    world.settle();
    world.lead();
    world.fail_status_writes = true;  // what fences the gang fails, and is to be tried again
    world.advance(500);
    REQUIRE_FALSE(world.updates.empty());
    world.hold_conf_answers = true;
    write_text(world, driver, "shape profile=0 cpu=1000 memory=1476395008 nodes=n1:3,n9:400");
    world.settle();
    write_text(world, driver, "shape profile=0 cpu=1000 memory=1476395008 nodes=n9:9");  // and again
    world.fail_status_writes = false;
    world.updates.clear();
    world.advance(60'000);
    CHECK_FALSE(world.updates.empty());  // the slots are given up, as nothing vouches for them
    for (const gang::UpdateReservation& update : world.updates) {
        const auto read = gang::decode_reservation(update.annotations.front().second, 999);
        REQUIRE(read);
        CHECK(gang::slot_count(*read) == 0);
    }
    CHECK(held(world, driver) == 0);
}

TEST_CASE("declared: a stranger with a forged slot takes none of the gang's") {
    for (const bool has_key : {true, false}) {
        CAPTURE(has_key);
        World world(has_key ? World::sealed_schema() : unsealed());
        world.add_small_cluster();
        const auto driver = world.submit("a", 3, 1);
        world.settle();
        core::Pod forged = tests::executor("stranger", world.pod(driver));
        forged.owners.clear();
        if (!has_key) {  // else the edge has taken it out
            forged.annotations = {{std::string(gang::slot_annotation), driver + "/0"}};
        }
        const auto stranger = world.create(forged);
        world.settle();
        REQUIRE(world.is_bound(stranger));
        SUBCASE("at once") {}
        SUBCASE("after a restart") {
            world.restart();
            world.settle();
        }
        CHECK(world.view(driver).slots_open == 3);
        const auto executors = world.create_executors(driver, 3);
        world.settle();
        CHECK(world.bound_count(executors) == 3);
        CHECK(world.view(driver).slots_bound == 3);
    }
}

TEST_CASE("declared: an executor known by its labels keeps its slot when its mark is taken away") {
    for (const bool is_sealed : {true, false}) {
        for (const bool is_of_a_set : {true, false}) {
            CAPTURE(is_sealed);
            CAPTURE(is_of_a_set);
            World world(is_sealed ? World::sealed_schema() : unsealed());
            world.add_small_cluster();
            std::string driver = "uid-d";
            if (is_of_a_set) {
                driver = world.submit("a", 3, 1);
            } else {
                core::Pod pod = tests::pod("d", 1000, 1408);
                pod.uid = driver;
                pod.labels = {{"spark-app-selector", "by-hand"}, {"spark-role", "driver"}};
                pod.annotations = {
                    {"gang-scheduler/executor-cpu", "1"},
                    {"gang-scheduler/executor-memory", "1408Mi"},
                    {"gang-scheduler/executors", "3"}};
                world.create(pod);
            }
            world.settle();
            std::vector<std::string> executors;
            for (const char* name : {"e1", "e2", "e3"}) {
                core::Pod pod = tests::executor(name, world.pod(driver));
                pod.owners.clear();
                if (is_of_a_set) {
                    pod.owners = {
                        {"StatefulSet",
                         "spark-s-" + gang::application_id(pod) + "-0",
                         "set",
                         true}};
                }
                executors.push_back(world.create(pod));
            }
            world.settle();
            REQUIRE(world.view(driver).slots_bound == 3);
            world.change_pod(executors[1], [&](core::Pod& pod) {
                pod.annotations = {};
                if (!is_sealed) {  // else the edge has taken it out
                    pod.annotations = {{std::string(gang::slot_annotation), "somebody-else/1"}};
                }
            });
            world.restart();
            world.settle();
            CHECK(world.view(driver).slots_bound == 3);
            CHECK(world.view(driver).slots_open == 0);
            CHECK(world.violations.empty());
        }
    }
}

TEST_CASE("declared: a sealed reservation makes a driver of what was relabelled") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.change_pod(driver, [](core::Pod& pod) { pod.labels = {{"spark-role", "executor"}}; });
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_open == 3);
}

TEST_CASE("declared: an executor larger than declared keeps its room when slots are made anew") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    core::Pod large = tests::executor("large", world.pod(driver));
    large.requests.cpu_milli = 2'000;
    const auto executor = world.create(large);
    world.settle();
    REQUIRE(world.is_bound(executor));
    lose_text(world, driver);
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_bound == 1);
    CHECK(world.view(driver).slots_open == 1);
    CHECK(written(world, driver) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("declared: nothing is left of a gang whose declaration was never found") {
    World world;
    world.add_small_cluster();
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    const std::size_t before = [] {
        World empty;
        empty.add_small_cluster();
        empty.settle();
        return empty.scheduler->remembered();
    }();
    lose_text(world, driver);
    world.confs.erase(driver);
    world.restart();
    world.advance(60'000);
    world.remove_application(driver);
    world.advance(20 * 60'000);
    CHECK(world.scheduler->remembered() == before);
}
