// Answers that came too late, or to nobody.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>

using tests::World;

TEST_CASE("answers: a fence's write that came too late is put again after a pause") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto driver = world.submit("large", 20, 1);
    world.settle();
    REQUIRE_FALSE(world.is_bound(driver));
    world.restart(false);
    world.settle();
    world.hold_status_answers = true;
    world.hold_watch = true;
    const auto before = world.conditions.size();
    world.lead();
    world.settle();
    REQUIRE(world.conditions.size() == before + 1);
    world.step(gang::StatusWritten{driver, gang::WriteOutcome::changed, {}});
    world.settle();
    CHECK(world.conditions.size() == before + 1);
    world.advance(999);
    CHECK(world.conditions.size() == before + 1);
    world.advance(1);
    CHECK(world.conditions.size() == before + 2);
    // An answer that nobody waits for says nothing.
    world.step(gang::StatusWritten{driver, gang::WriteOutcome::changed, {}});
    world.step(gang::StatusWritten{driver, gang::WriteOutcome::changed, {}});
    world.step(gang::StatusWritten{"nobody", gang::WriteOutcome::changed, {}});
    world.settle();
    CHECK(world.conditions.size() == before + 2);
}

TEST_CASE("answers: that a reservation differs is of no account where there is none") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto running = world.submit("a", 1, 1);
    const auto waiting = world.submit("b", 20, 2);
    world.settle();
    REQUIRE(world.is_bound(running));
    const auto generation = world.reservation(running)->generation;
    SUBCASE("nobody's") {
        world.step(gang::ReservationDiffers{"nobody"});
    }
    SUBCASE("of one that waits") {
        world.step(gang::ReservationDiffers{waiting});
    }
    SUBCASE("as it is written") {
        world.step(gang::ReservationDiffers{running});
    }
    SUBCASE("while it follows") {
        world.lose_lead();
        world.settle();
        world.step(gang::ReservationDiffers{running});
    }
    SUBCASE("of one that has ended") {
        world.set_phase(running, core::PodPhase::succeeded);
        world.settle();
        world.step(gang::ReservationDiffers{running});
    }
    world.settle();
    CHECK(world.updates.empty());
    CHECK(world.reservation(running)->generation == generation);
    CHECK(world.violations.empty());
}

TEST_CASE("answers: an answer about a conf that nobody asked for changes nothing") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto running = world.submit("a", 1, 1);
    world.settle();
    world.step(gang::SparkConfFound{running, tests::conf(3)});
    world.step(gang::SparkConfMissing{running, gang::ConfProblem::forbidden, "403"});
    world.step(gang::SparkConfFound{"nobody", tests::conf(3)});
    world.step(gang::SparkConfMissing{"nobody", gang::ConfProblem::forbidden, "403"});
    world.settle();
    CHECK(world.view(running).slots_open == 1);
    CHECK(world.view(running).state == gang::GangState::running);
    CHECK(world.updates.empty());
}

TEST_CASE("answers: a conf that could not be fetched is said within a second, one that is missing after ten") {
    for (const auto problem : {gang::ConfProblem::failed, gang::ConfProblem::not_found, gang::ConfProblem::forbidden}) {
        World world;
        world.add_node(tests::node("n1", 4, 64 * 1024));
        core::Pod pod = tests::driver("a");
        pod.uid = "a-uid";
        world.confs["a-uid"] = {std::nullopt, problem, "as it was said"};
        const auto driver = world.create(pod);
        world.settle();
        const auto is_told = [&] { return world.condition(driver).find("as it was said") != std::string::npos; };
        CHECK(is_told() == (problem == gang::ConfProblem::forbidden));
        world.advance(890);
        CHECK(is_told() == (problem == gang::ConfProblem::forbidden));
        world.advance(3'000);
        CHECK(is_told() == (problem != gang::ConfProblem::not_found));
        world.advance(3'000);
        CHECK(is_told() == (problem != gang::ConfProblem::not_found));
        world.advance(20'000);
        CHECK(is_told());
    }
}
