// Quotas of namespaces, by what the API server sees: no driver is bound whose executors it would
// refuse, nobody waits for what is free, and without a look at quotas nothing is as much as asked.
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <string>

using tests::says;
using tests::World;

namespace {

constexpr const char* home = "etl";

config::Schema looking(bool preflight = true) {
    config::Schema schema = World::sealed_schema();
    schema.quota.preflight = preflight;
    return schema;
}

/// A namespace with a quota of pods, on a node with room for all.
struct QuotaWorld : World {
    QuotaWorld(std::int64_t hard_pods, std::int64_t used_pods, bool preflight = true)
        : World(looking(preflight)) {
        add_node(tests::node("n1", 64, 256 * 1024));
        quotas[home] = {{{"team", {{"pods", hard_pods, used_pods}}, {}}}, {}};
        advance(100);
    }
};

std::int64_t& used(World& world) {
    return world.quotas[home].quotas.front().amounts.front().used;
}

}  // namespace

TEST_CASE("preflight: off, nobody is asked and nobody waits") {
    QuotaWorld world(1, 1, false);
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    CHECK(world.is_bound(driver));
    CHECK(world.quota_fetches == 0);
    CHECK(world.scheduler->counters().quotas_asked == 0);
}

TEST_CASE("preflight: nobody is asked for a driver without executors") {
    QuotaWorld world(1, 1);
    world.hold_quota_answers = true;
    const std::string driver = world.submit("etl", 0, 1);
    world.advance(2'000);
    CHECK(world.is_bound(driver));
    CHECK(world.quota_fetches == 0);
}

TEST_CASE("preflight: a driver waits until the quota has room for all of its executors") {
    QuotaWorld world(10, 7);
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(driver));
    says(
        world,
        driver,
        "its executors need pods 4, and of the 10 of ResourceQuota etl/team 7 are used: it starts "
        "when enough is free; needs 1 driver + 4 executors (5 cpu, 7040Mi memory) [WaitingForQuota]");
    CHECK(world.pod(driver).scheduled->reason == "SchedulingSkipped");
    CHECK(world.view(driver).code == gang::ReasonCode::waiting_for_quota);
    used(world) = 6;
    world.advance(31'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("preflight: a quota that the gang alone exceeds is said so, and may be raised") {
    QuotaWorld world(4, 1);
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    says(
        world,
        driver,
        "its executors need pods 4, and ResourceQuota etl/team allows 4 in all, with its driver; needs "
        "1 driver + 4 executors (5 cpu, 7040Mi memory) [ExceedsQuota]");
    CHECK(world.view(driver).state == gang::GangState::parked);
    world.quotas[home].quotas.front().amounts.front().hard = 5;
    world.advance(31'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE("preflight: who waits for quota holds up those behind who would use it, and nobody else") {
    QuotaWorld world(10, 7);
    const std::string first = world.submit("first", 4, 1);
    world.advance(1'000);
    const std::string second = world.submit("second", 1, 2);
    core::Pod urgent = tests::driver("urgent");
    urgent.created = 3;
    urgent.priority = 7;
    const std::string third = world.submit(std::move(urgent), tests::conf(1));
    core::Pod pod = tests::driver("elsewhere");
    pod.namespace_name = "ml";
    const std::string elsewhere = world.submit(std::move(pod), tests::conf(2));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    says(
        world,
        second,
        "gangs before it wait for pods of ResourceQuota etl/team, which it needs as well; needs 1 driver "
        "+ 1 executor (2 cpu, 2816Mi memory) [WaitingForQuota]");
    CHECK(world.is_bound(third));
    CHECK(world.is_bound(elsewhere));
    SUBCASE("until it is held") {
        world.change_pod(first, [](core::Pod& one) {
            one.annotations.insert(one.annotations.begin(), {"gang-scheduler/hold", "true"});
        });
    }
    SUBCASE("until it is gone") { world.remove_application(first); }
    SUBCASE("until there is room for both") { used(world) = 3; }
    world.advance(31'000);
    CHECK(world.is_bound(second));
}

TEST_CASE("preflight: executors that are yet to come have what the quota has left") {
    QuotaWorld world(10, 2);
    // Two drivers exist; both see 2 used, and together they would be 12.
    const std::string first = world.submit("first", 5, 1);
    const std::string second = world.submit("second", 5, 1);
    world.advance(2'000);
    const std::string& admitted = world.is_bound(first) ? first : second;
    const std::string& waits = world.is_bound(first) ? second : first;
    CHECK(world.is_bound(admitted));
    CHECK_FALSE(world.is_bound(waits));
    says(world, waits, "2 are used and 5 promised to executors of other gangs");
    world.advance(100'000);  // asked about again and again, they are promised once
    says(world, waits, "2 are used and 5 promised to executors of other gangs");
    // They come, and are used: nothing is counted twice.
    world.set_phase(admitted, core::PodPhase::running);
    world.create_executors(admitted, 5);
    used(world) = 7;
    world.advance(31'000);
    says(world, waits, "of the 10 of ResourceQuota etl/team 7 are used: it starts");
    // The gang ends: its pods are counted no more, and that is seen soon.
    world.set_phase(admitted, core::PodPhase::succeeded);
    world.remove_application(admitted);
    used(world) = 1;
    world.advance(2'500);
    CHECK(world.is_bound(waits));
}

TEST_CASE("preflight: a single executor that is yet to come has its part of the quota, too") {
    QuotaWorld world(10, 2);
    const std::string first = world.submit("first", 1, 1);
    world.advance(2'000);
    REQUIRE(world.is_bound(first));
    const std::string second = world.submit("second", 8, 2);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(second));
    says(world, second, "2 are used and 1 promised to executors of other gangs");
}

TEST_CASE("preflight: an answer about a namespace whose driver is gone is nobody's") {
    QuotaWorld world(10, 1);
    world.hold_quota_answers = true;
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(1'000);
    world.remove_application(driver);
    world.advance(120'000);
    world.release_answers();
    world.advance(61'000);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("preflight: an answer that was asked for before a driver came is too old for it") {
    QuotaWorld world(10, 1);
    // While this one waits the namespace is asked about each half a minute.
    const std::string never = world.submit("never", 99, 1);
    world.advance(100'000);
    says(world, never, "[ExceedsQuota]");
    used(world) = 10;  // pods of others
    const std::string driver = world.submit("etl", 1, 2);
    world.advance(1'000);
    CHECK_FALSE(world.is_bound(driver));
    says(world, driver, "of the 10 of ResourceQuota etl/team 10 are used");
}

TEST_CASE("preflight: LimitRanges are looked at before anything runs") {
    QuotaWorld world(100, 1);
    core::LimitBounds bounds;
    bounds.range = "sizes";
    bounds.resource = "cpu";
    bounds.default_limit = 500;
    world.quotas[home].bounds = {bounds};
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(driver));
    says(world, driver, "no executor can be created in namespace etl: LimitRange sizes gives");
    says(world, driver, "[ExceedsQuota]");
}

TEST_CASE("preflight: without an answer nobody starts, without a right everybody does") {
    QuotaWorld world(1, 1);
    SUBCASE("an answer that does not come") {
        world.hold_quota_answers = true;
        const std::string driver = world.submit("etl", 4, 1);
        world.advance(20'000);
        CHECK_FALSE(world.is_bound(driver));
        CHECK(world.quota_fetches == 1);
        world.hold_quota_answers = false;
        world.quotas.clear();
        world.advance(60'000);
        CHECK(world.is_bound(driver));
    }
    SUBCASE("an API server that fails is not waited for for ever") {
        world.quota_problem = gang::QuotaProblem::failed;
        const std::string driver = world.submit("etl", 4, 1);
        world.advance(500);
        CHECK_FALSE(world.is_bound(driver));
        world.advance(10'000);
        CHECK(world.is_bound(driver));
        CHECK(world.scheduler->counters().quotas_unreadable == 3);
    }
    SUBCASE("a failure later leaves what was known") {
        const std::string driver = world.submit("etl", 4, 1);
        world.advance(1'000);
        world.quota_problem = gang::QuotaProblem::failed;
        world.advance(120'000);
        CHECK_FALSE(world.is_bound(driver));
    }
    SUBCASE("no right") {
        world.quota_problem = gang::QuotaProblem::forbidden;
        const std::string driver = world.submit("etl", 4, 1);
        world.advance(1'000);
        CHECK(world.is_bound(driver));
    }
    SUBCASE("one that cannot be read") {
        world.quota_problem = gang::QuotaProblem::unreadable;
        const std::string driver = world.submit("etl", 4, 1);
        world.advance(1'000);
        CHECK(world.is_bound(driver));
    }
}

TEST_CASE("preflight: questions are few, and none when nobody waits") {
    QuotaWorld world(10, 9);
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(10 * 60'000);
    CHECK(world.quota_fetches <= 30);
    CHECK(world.quota_fetches >= 15);
    world.remove_application(driver);
    world.advance(60'000);
    const int before = world.quota_fetches;
    world.advance(10 * 60'000);
    CHECK(world.quota_fetches == before);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("preflight: a hundred drivers at once are a few questions") {
    QuotaWorld world(1'000'000, 1);
    for (int i = 0; i < 100; ++i) {
        world.submit("etl-" + std::to_string(i), 0, 1);
        world.submit("job-" + std::to_string(i), 1, 0);
    }
    world.advance(5'000);
    CHECK(world.quota_fetches <= 22);
}

TEST_CASE("preflight: another leader asks anew") {
    QuotaWorld world(10, 9);
    const std::string driver = world.submit("etl", 4, 1);
    world.advance(1'000);
    world.hold_quota_answers = true;
    used(world) = 2;
    world.advance(31'000);
    CHECK_FALSE(world.is_bound(driver));
    world.hold_quota_answers = false;
    world.restart();
    world.advance(5'000);
    CHECK(world.is_bound(driver));
}

TEST_CASE(
    "preflight: of two that may pass the head by backfill, one takes what the other waits for") {
    config::Schema schema = looking();
    schema.backfill.mode = config::BackfillMode::easy;
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 4, 64 * 1024));
    std::int64_t created = 0;
    const auto submit = [&](const std::string& name,
                            const char* where,
                            int executors,
                            int minutes) {
        core::Pod driver = tests::driver(name);
        driver.namespace_name = where;
        driver.created = ++created;
        driver.annotations = {{"gang-scheduler/expected-duration", std::to_string(minutes) + "m"}};
        const std::string uid = world.submit(std::move(driver), tests::conf(executors));
        world.advance(500);
        return uid;
    };
    world.quotas[home] = {{{"team", {{"pods", 2, 2}}, {}}}, {}};
    REQUIRE(world.is_bound(submit("runs", "other", 3, 10)));
    const std::string head = submit("head", "other", 7, 10);
    const std::string one = submit("one", home, 1, 5);
    const std::string two = submit("two", home, 1, 5);
    REQUIRE_FALSE(world.is_bound(one));
    world.quotas[home] = {{{"team", {{"pods", 3, 2}}, {}}}, {}};
    world.advance(31'000);
    CHECK_FALSE(world.is_bound(head));
    CHECK(world.is_bound(one));
    CHECK_FALSE(world.is_bound(two));
    CHECK(world.violations.empty());
}
