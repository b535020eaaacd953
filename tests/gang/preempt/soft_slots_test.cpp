// Dynamic allocation's three numbers: the minimum is the gang's own, what is open beyond it goes to
// who has a right to it, and nobody is evicted for that; then executors beyond it go, one by one.
#include "tests/gang/preempt/evicting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using tests::is_evicted;
using tests::queue;
using tests::says;
using tests::submit;
using tests::with;
using tests::with_queues;
using tests::World;

namespace {

/// "reports" may take back so much from "adhoc".
config::Schema schema(std::int64_t cpu = 6) {
    config::Queue reports = queue("reports");
    reports.guarantee = {{"cpu", cpu * 1'000}};
    config::Queue adhoc = queue("adhoc");
    adhoc.preemption.is_reclaimable = true;
    return with_queues({reports, adhoc}, World::sealed_schema());
}

/// A driver that starts with eight executors, can do with `min`, and has had `there` made.
std::string elastic(World& world, int there, int min = 2) {
    core::Pod pod = tests::driver("elastic");
    pod.created = 1;
    pod.annotations = {{"gang-scheduler/queue", "adhoc"}};
    auto conf = with(tests::conf(8), "spark.dynamicAllocation.enabled", "true");
    conf = with(conf, "spark.dynamicAllocation.shuffleTracking.enabled", "true");
    conf = with(conf, "spark.dynamicAllocation.minExecutors", std::to_string(min));
    const std::string driver = world.submit(std::move(pod), with(conf, "spark.dynamicAllocation.maxExecutors", "20"));
    world.advance(1'000);
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    for (const std::string& executor : world.create_executors(driver, there)) {
        world.advance(500);
        world.set_phase(executor, core::PodPhase::running);
    }
    world.advance(1'000);
    return driver;
}

std::int64_t slots_of(const World& world, const std::string& driver) {
    const auto reservation = world.reservation(driver);
    REQUIRE(reservation);
    return gang::slot_count(*reservation);
}

std::int64_t given_up(const World& world) {
    return static_cast<std::int64_t>(world.scheduler->counters().soft_slots_given_up[0]);
}

std::string told(const World& world, const std::string& uid) {
    const auto event = std::find_if(world.events.begin(), world.events.end(), [&](const auto& one) {
        return one.pod.uid == uid && one.reason == "Preempted";
    });
    return event == world.events.end() ? "" : event->message;
}

}  // namespace

TEST_CASE("soft slots: a gang that reclaims gets open slots beyond the minimum, and nobody is evicted") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 2);
    REQUIRE(slots_of(world, driver) == 8);
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.advance(5'000);
    CHECK(world.is_bound(wants));
    CHECK(world.evictions.empty());
    CHECK(slots_of(world, driver) == 4);  // as many as were needed
    CHECK(world.reservation(driver)->shapes[0].min == 2);
    const auto told = std::find_if(world.events.begin(), world.events.end(), [&](const auto& event) {
        return event.pod.uid == driver && event.reason == "Preempted";
    });
    REQUIRE(told != world.events.end());
    CHECK(
        told->message == "4 open slots beyond the minimum were given to etl/report: its queue "
                         "holds less than it is guaranteed");
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("soft slots: the minimum stays, whoever is in it") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    SUBCASE("nobody has come yet: two slots are the gang's own") {
        const std::string driver = elastic(world, 0);
        const std::string wants = submit(world, "report", "reports", 5, 2);
        world.advance(5'000);
        CHECK(world.is_bound(wants));
        CHECK(world.evictions.empty());
        CHECK(slots_of(world, driver) == 2);
        const auto made = world.create_executors(driver, 3);
        world.advance(5'000);
        CHECK(world.bound_count(made) == 2);
    }
    SUBCASE("all eight run, and are the minimum: the whole gang is what is left to evict") {
        const std::string driver = elastic(world, 8, 8);
        submit(world, "report", "reports", 3, 2);
        world.advance(5'000);
        REQUIRE_FALSE(world.evictions.empty());
        CHECK(world.evictions.front().pod.uid == driver);
        CHECK(slots_of(world, driver) == 8);
    }
}

TEST_CASE("soft slots: executors beyond the minimum go, the newest first, and their slots with them") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 8);
    const std::vector<std::string> before = world.executors_of(driver);
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.advance(5'000);
    REQUIRE(world.evictions.size() == 4);
    CHECK_FALSE(is_evicted(world, driver));
    CHECK(slots_of(world, driver) == 4);
    for (const gang::EvictPod& one : world.evictions) {
        CHECK(one.reason == gang::EvictReason::reclaim);
        const std::int64_t created = world.pod(one.pod.uid).created;
        CHECK(std::none_of(before.begin(), before.end(), [&](const std::string& uid) {
            return !is_evicted(world, uid) && world.pod(uid).created > created;
        }));
    }
    says(world, wants, "evicting executor etl/elastic-exec-");
    CHECK_FALSE(world.is_bound(wants));
    // What Spark makes in their place has no slot to go to.
    const auto made = world.create_executors(driver, 4);
    world.advance(2'000);
    world.end_deleted();
    world.advance(5'000);
    CHECK(world.is_bound(wants));
    CHECK(world.bound_count(made) == 0);
    CHECK(world.evictions.size() == 4);
    CHECK(given_up(world) == 4);
    CHECK(told(world, driver).find(", beyond the minimum, was evicted for etl/report: its queue "
                                   "holds less than it is guaranteed") != std::string::npos);
    CHECK(world.violations.empty());
    world.check_accounts();
    // The next leader knows four slots, and gives nobody the others.
    world.restart();
    world.advance(20'000);
    CHECK(slots_of(world, driver) == 4);
    CHECK(world.bound_count(made) == 0);
    CHECK(world.evictions.size() == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("soft slots: open ones go before executors, and the minimum has executors left") {
    World world(schema(8));
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 5, 3);
    submit(world, "report", "reports", 4, 2);  // three are open, two of five executors are soft
    world.advance(5'000);
    CHECK(world.evictions.size() == 2);
    CHECK_FALSE(is_evicted(world, driver));
    CHECK(slots_of(world, driver) == 3);
    world.end_deleted();
    world.advance(5'000);
    CHECK(given_up(world) == 5);
    CHECK(world.executors_of(driver).size() == 3);
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("soft slots: where what is beyond the minimum is too little, the gang goes as one") {
    World world(schema(8));
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 5, 3);
    const std::string wants = submit(world, "report", "reports", 5, 2);  // five would come free
    world.advance(5'000);
    CHECK(is_evicted(world, driver));
    world.end_deleted();
    world.advance(5'000);
    CHECK(world.is_bound(wants));
    CHECK(given_up(world) == 0);
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("soft slots: an executor that a budget keeps has its slot again") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 8);
    world.on_evict = [](const gang::EvictPod&) { return std::optional(gang::EvictOutcome::budget); };
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.advance(5'000);
    CHECK(world.evictions.size() == 4);
    CHECK(slots_of(world, driver) == 8);
    CHECK(world.executors_of(driver).size() == 8);
    CHECK_FALSE(world.is_bound(wants));
    CHECK(given_up(world) == 0);
    CHECK(told(world, driver).empty());
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("soft slots: who waits no more leaves executors in their slots") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 8);
    SUBCASE("before the reservation is stored without them") {
        world.fail_status_writes = true;
        const std::string wants = submit(world, "report", "reports", 3, 2);
        world.advance(5'000);
        CHECK(world.evictions.empty());
        world.remove_pod(wants);
        world.fail_status_writes = false;
    }
    SUBCASE("when the evictions were not sent") {
        world.on_evict = [](const gang::EvictPod&) {
            return std::optional(gang::EvictOutcome::not_sent);
        };
        const std::string wants = submit(world, "report", "reports", 3, 2);
        world.advance(2'000);
        world.remove_pod(wants);
    }
    world.advance(10'000);
    CHECK(slots_of(world, driver) == 8);
    CHECK(world.executors_of(driver).size() == 8);
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("soft slots: a new leader evicts no second executor for the same need") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 8);
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.advance(2'000);
    REQUIRE(world.evictions.size() == 4);
    world.restart();
    const auto made = world.create_executors(driver, 4);
    world.advance(60'000);
    CHECK(world.evictions.size() == 4);
    world.end_deleted();
    world.advance(30'000);
    CHECK(world.is_bound(wants));
    CHECK(world.bound_count(made) == 0);
    CHECK(world.evictions.size() == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("soft slots: who ends by himself before the reservation is stored leaves no room for two") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 8);
    world.fail_status_writes = true;
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.settle();
    for (const std::string& executor : world.executors_of(driver)) {
        world.remove_pod(executor);
    }
    world.advance(5'000);
    CHECK(slots_of(world, driver) == 8);
    CHECK_FALSE(world.is_bound(wants));
    world.fail_status_writes = false;
    world.advance(60'000);
    CHECK(world.is_bound(wants));
    CHECK(slots_of(world, driver) >= 2);
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("soft slots: at most so many executors a minute") {
    config::Schema few = schema();
    few.preemption.max_victims_per_minute = 3;
    World world(few);
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 8);
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.advance(30'000);
    CHECK(world.evictions.size() == 3);
    world.advance(40'000);
    CAPTURE(world.condition(wants));
    CHECK(world.evictions.size() == 4);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(wants));
    CHECK(slots_of(world, driver) == 4);
}

TEST_CASE("soft slots: the minimum stays: for one slot more than is soft the whole gang goes") {
    World world(schema(8));
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 0);
    submit(world, "report", "reports", 6, 2);
    world.advance(5'000);
    REQUIRE_FALSE(world.evictions.empty());
    CHECK(world.evictions.front().pod.uid == driver);
    CHECK(slots_of(world, driver) >= 2);
    CHECK(world.violations.empty());
}

TEST_CASE("soft slots: a new leader knows the minimum from the reservation") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 2);
    world.restart();
    world.advance(10'000);
    const std::string wants = submit(world, "report", "reports", 5, 2);
    world.advance(20'000);
    CHECK(world.is_bound(wants));
    CHECK(world.evictions.empty());
    CHECK(slots_of(world, driver) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("soft slots: the room is the preemptor's only when the reservation is stored without it") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 2);
    world.hold_status_answers = true;
    const std::string wants = submit(world, "report", "reports", 3, 2);
    world.advance(3'000);
    if (!world.is_bound(wants)) {
        says(world, wants, "taking open slots of gang adhoc/elastic [WaitingForPreemption]");
    }
    CHECK((slots_of(world, driver) == 4 || !world.is_bound(wants)));
    world.hold_status_answers = false;
    world.release_answers();
    world.advance(5'000);
    CHECK(world.is_bound(wants));
    CHECK(world.violations.empty());
}

TEST_CASE("soft slots: an executor that comes for a slot meanwhile keeps it") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string driver = elastic(world, 2);
    submit(world, "report", "reports", 3, 2);
    const auto made = world.create_executors(driver, 6);  // all at once, in the same tick
    world.advance(5'000);
    CHECK(world.violations.empty());
    CHECK(world.bound_count(made) + 2 >= slots_of(world, driver));
    world.check_accounts();
}

TEST_CASE("soft slots: a gang of a fixed number has none") {
    World world(schema());
    world.add_node(tests::node("n1", 9, 64 * 1024));
    const std::string fixed = submit(world, "fixed", "adhoc", 8, 1);
    world.advance(1'000);
    world.set_phase(fixed, core::PodPhase::running);
    world.advance(1'000);
    submit(world, "report", "reports", 3, 2);
    world.advance(5'000);
    REQUIRE_FALSE(world.evictions.empty());
    CHECK(world.evictions.front().pod.uid == fixed);
    CHECK(slots_of(world, fixed) == 8);
}
