// What becomes of a nomination: refused, unsent, passed over, in the way, in vain, forgotten; and in
// which order victims are chosen.
#include "tests/gang/preempt/evicting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

using tests::advance_until_chosen;
using tests::by_priority;
using tests::guaranteed;
using tests::is_evicted;
using tests::queue;
using tests::reclaimable;
using tests::running;
using tests::says;
using tests::schema_of;
using tests::submit;
using tests::World;

namespace {

/// Room that is held for gangs that others go for, in cpus.
std::int64_t nominated_cpus(const World& world) {
    std::int64_t milli = 0;
    for (const gang::NodeLedger& node : world.scheduler->ledger()) {
        for (const gang::HeldUnit& unit : node.units) {
            milli += unit.state == gang::HeldUnit::State::nominated ? unit.requests.cpu_milli : 0;
        }
    }
    return milli / 1000;
}

core::Pod of_others(const std::string& name, std::int64_t cpu, const std::string& node) {
    core::Pod pod = tests::pod(name, cpu * 1000, 64);
    pod.scheduler_name = "default-scheduler";
    pod.node_name = node;
    return pod;
}

/// Several that are bound at the same instant, so that nobody has lost more work than another.
std::vector<std::string> bound_together(
    World& world, const std::vector<std::pair<std::string, std::string>>& names_and_queues) {
    std::vector<std::string> drivers;
    for (const auto& [name, queue] : names_and_queues) {
        drivers.push_back(
            submit(world, name, queue, 0, static_cast<std::int64_t>(drivers.size()) + 1));
    }
    world.settle();
    for (const std::string& driver : drivers) {
        REQUIRE(world.is_bound(driver));
        world.set_phase(driver, core::PodPhase::running);
    }
    world.advance(2'000);
    return drivers;
}

}  // namespace

TEST_CASE("nominations: an eviction that could not be sent is sent again after five seconds") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    world.on_evict = [](const gang::EvictPod&) {
        return std::optional(gang::EvictOutcome::not_sent);
    };
    const std::string high = submit(world, "high", "etl", 3, 2, 10);
    world.settle();
    REQUIRE(world.evictions.size() == 1);
    world.advance(4'999);
    CHECK(world.evictions.size() == 1);
    world.on_evict = nullptr;
    world.advance(1);
    CHECK(world.evictions.size() == 5);  // its driver again, and then its executors
    CHECK(world.evictions[1].pod.uid == low);
    world.end_deleted();
    world.advance(1'000);
    CHECK(world.is_bound(high));
}

TEST_CASE("nominations: who was refused is spared: two minutes by a budget, ten by anything else") {
    for (const bool is_budget : {true, false}) {
        World world(schema_of({by_priority("etl")}));
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string low = running(world, "low", "etl", 3, 1);
        world.on_evict = [is_budget](const gang::EvictPod&) {
            return std::optional(
                is_budget ? gang::EvictOutcome::budget : gang::EvictOutcome::refused);
        };
        const std::string high = submit(world, "high", "etl", 3, 2, 10);
        world.settle();
        REQUIRE(world.evictions.size() == 1);
        says(world, high, "[WaitingForPreemption]");
        world.advance(59'000);
        says(world, high, "[WaitingForPreemption]");
        world.advance(4'000);  // nobody else is there
        says(world, high, "[WaitingForCapacity]");
        world.on_evict = nullptr;
        const std::int64_t spared_ms = is_budget ? 120'000 : 600'000;
        world.advance(spared_ms - 63'000 - 1);
        CHECK(world.evictions.size() == 1);
        world.advance(5'001);  // until it is looked for again
        CHECK(world.evictions.size() == 5);
        world.end_deleted();
        world.advance(1'000);
        CHECK(world.is_bound(high));
    }
}

TEST_CASE("nominations: it is said at once who goes, three by name, and how many pods have gone") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 5, 64 * 1024));
    const auto lows = bound_together(
        world, {{"a", "etl"}, {"b", "etl"}, {"c", "etl"}, {"d", "etl"}, {"e", "etl"}});
    const std::string high = submit(world, "high", "etl", 4, 9, 10);
    world.settle();
    says(world, high, "evicting gang etl/e, gang etl/d, gang etl/c and 2 more; 0 of 5 pods are gone");
    world.remove_pod(lows.front());
    world.advance(30'000);  // only numbers are other ones: that has time
    says(world, high, "1 of 5 pods are gone");
    CHECK(nominated_cpus(world) == 1);
    world.end_deleted();
    world.advance(1'000);
    CHECK(world.is_bound(high));
    CHECK(nominated_cpus(world) == 0);
}

TEST_CASE("nominations: three victims are all named") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 3, 64 * 1024));
    bound_together(world, {{"a", "etl"}, {"b", "etl"}, {"c", "etl"}});
    const std::string high = submit(world, "high", "etl", 2, 9, 10);
    world.settle();
    says(world, high, "evicting gang etl/c, gang etl/b, gang etl/a; 0 of 3 pods are gone");
}

TEST_CASE("nominations: of what is equal the youngest goes, before it who has lost less work") {
    SUBCASE("bound together") {
        World world(schema_of({by_priority("etl")}));
        world.add_node(tests::node("n1", 3, 64 * 1024));
        const auto lows = bound_together(world, {{"a", "etl"}, {"b", "etl"}, {"c", "etl"}});
        submit(world, "high", "etl", 0, 9, 10);
        world.settle();
        REQUIRE(world.evictions.size() == 1);
        CHECK(world.evictions.front().pod.uid == lows.back());
    }
    SUBCASE("the oldest was bound last") {
        World world(schema_of({by_priority("etl")}));
        world.add_node(tests::node("n1", 3, 64 * 1024));
        const std::string young = running(world, "young", "etl", 0, 7);
        const std::string middle = running(world, "middle", "etl", 0, 6);
        const std::string old = running(world, "old", "etl", 0, 5);
        submit(world, "high", "etl", 0, 9, 10);
        world.settle();
        REQUIRE(world.evictions.size() == 1);
        CHECK(world.evictions.front().pod.uid == old);
    }
    SUBCASE("one that is as large as two has lost twice as much") {
        World world(schema_of({by_priority("etl")}));
        world.add_node(tests::node("n1", 3, 64 * 1024));
        const std::string one = running(world, "one", "etl", 0, 1);  // for six seconds
        running(world, "two", "etl", 1, 2);                            // two pods for three
        world.advance(4'000);  // ten, and twice seven
        submit(world, "high", "etl", 0, 9, 10);
        world.settle();
        REQUIRE(world.evictions.size() == 1);
        CHECK(world.evictions.front().pod.uid == one);
    }
}

TEST_CASE("nominations: of several queues the one with the largest share gives first") {
    World world(
        schema_of({guaranteed("etl", 1), reclaimable(queue("ml")), reclaimable(queue("bi"))}));
    world.add_node(tests::node("n1", 3, 64 * 1024));
    // By all else it were the last of these.
    const auto running = bound_together(world, {{"a", "ml"}, {"b", "ml"}, {"c", "bi"}});
    submit(world, "mine", "etl", 0, 9);
    world.settle();
    REQUIRE(world.evictions.size() == 1);
    CHECK(world.evictions.front().pod.uid == running[1]);
}

TEST_CASE("nominations: a lower priority in another queue goes only where the file says so, and that queue") {
    const auto evicted_with = [](bool is_across, bool is_reclaimable, std::int32_t priority) {
        config::Queue ml = queue("ml");
        ml.preemption.is_reclaimable = is_reclaimable;
        config::Schema schema = schema_of({by_priority("etl"), ml});
        schema.preemption.across_queues = is_across;
        World world(schema);
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string other = running(world, "other", "ml", 3, 1, 5);
        submit(world, "mine", "etl", 3, 2, priority);
        world.advance(10'000);
        const bool is_other = is_evicted(world, other);
        CHECK((world.evictions.empty() || is_other));
        CHECK((world.evictions.empty() ||
               world.evictions.front().reason == gang::EvictReason::preempt));
        return is_other;
    };
    CHECK(evicted_with(true, true, 6));
    CHECK_FALSE(evicted_with(true, true, 5));
    CHECK_FALSE(evicted_with(true, false, 6));
    CHECK_FALSE(evicted_with(false, true, 6));
}

TEST_CASE("nominations: a queue below one that is reclaimable is, too; who asks does not lose its own") {
    World world(schema_of({guaranteed("a.mine", 3), reclaimable(queue("b")), queue("b.c")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string other = running(world, "other", "b.c", 1, 1);
    const std::string own = running(world, "own", "a.mine", 1, 2);
    submit(world, "wants", "a.mine", 0, 3);
    world.advance(5'000);
    CHECK(is_evicted(world, other));
    CHECK_FALSE(is_evicted(world, own));
}

TEST_CASE("nominations: a guarantee is reclaimed up to its last bit, and no further") {
    for (const std::int64_t executors : {2, 3}) {
        World world(schema_of({guaranteed("etl", 3), reclaimable(queue("ml"))}));
        world.add_node(tests::node("n1", 8, 64 * 1024));
        running(world, "other", "ml", 7, 1);
        submit(world, "mine", "etl", executors, 2);
        world.advance(10'000);
        CHECK(world.evictions.empty() == (executors == 3));
    }
}

TEST_CASE("nominations: for eight gangs at a time others go, the ninth has its turn when one is in") {
    std::vector<config::Queue> queues;
    for (int i = 0; i < 9; ++i) {
        queues.push_back(by_priority("q" + std::to_string(i)));
    }
    config::Schema schema = schema_of(queues);
    schema.preemption.max_victims_per_minute = 100;
    World world(schema);
    std::vector<std::string> highs;
    for (int i = 0; i < 9; ++i) {
        const std::string queue = "q" + std::to_string(i);
        world.add_node(tests::node("n" + std::to_string(i), 2, 64 * 1024));
        running(world, "low" + std::to_string(i), queue, 1, 10 + i);
    }
    for (int i = 0; i < 9; ++i) {
        const std::string name = "high" + std::to_string(i);
        highs.push_back(submit(world, name, "q" + std::to_string(i), 1, 20 + i, 10));
    }
    world.advance(10'000);
    CHECK(world.evictions.size() == 16);
    world.end_deleted();
    world.advance(6'000);
    CHECK(world.bound_count(highs) == 8);
    CHECK(world.evictions.size() == 18);
    world.end_deleted();
    world.advance(1'000);
    CHECK(world.bound_count(highs) == 9);
}

TEST_CASE("nominations: those whom more than room keeps waiting are passed over, fifteen of them") {
    for (const int blocked : {15, 16}) {
        config::Queue etl = by_priority("etl");
        etl.user_limit = {{"cpu", 3'000}};
        World world(schema_of({etl}));
        world.add_node(tests::node("n1", 6, 64 * 1024));
        const auto of_user = [&world](const std::string& name, const std::string& user, int created, int priority) {
            core::Pod pod = tests::driver(name);
            pod.created = created;
            pod.priority = priority;
            pod.service_account = user;
            pod.annotations = {{"gang-scheduler/queue", "etl"}};
            const std::string driver = world.submit(std::move(pod), tests::conf(2));
            world.advance(1'000);
            return driver;
        };
        const std::string low = of_user("low", "bob", 1, 0);
        REQUIRE(world.is_bound(low));
        const std::string full = of_user("full", "ann", 2, 50);  // ann may have no more
        REQUIRE(world.is_bound(full));
        for (int i = 0; i < blocked; ++i) {
            of_user("blocked" + std::to_string(i), "ann", 3 + i, 100);
        }
        of_user("high", "eve", 90, 10);
        world.advance(10'000);
        CHECK(is_evicted(world, low) == (blocked == 15));
        CHECK_FALSE(is_evicted(world, full));
    }
}

TEST_CASE("nominations: room that is held gives way to what others bind there") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string high = submit(world, "high", "etl", 3, 2, 10);
    world.settle();
    world.remove_pod(world.executors_of(low).front());
    world.settle();
    REQUIRE(nominated_cpus(world) == 1);
    world.create(of_others("others", 1, "n1"));
    world.settle();
    CHECK(nominated_cpus(world) == 0);
    for (const gang::NodeLedger& node : world.scheduler->ledger()) {
        CHECK(node.free.cpu_milli == 0);
        CHECK(node.adds_up);
    }
    world.end_deleted();
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(high));
    CHECK(nominated_cpus(world) < 4);
}

TEST_CASE("nominations: what was held in vain is anybody's after a minute") {
    World world(schema_of({by_priority("etl"), queue("ml")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string high = submit(world, "high", "etl", 3, 2, 10);
    world.settle();
    REQUIRE(is_evicted(world, low));
    // Somebody else is quicker where the first pod was.
    world.create(of_others("others", 1, "n1"));
    world.remove_application(low);
    const std::string small = submit(world, "small", "ml", 0, 3);
    world.advance(1'000);
    CHECK(nominated_cpus(world) == 3);
    CHECK_FALSE(world.is_bound(small));
    world.advance(57'000);
    CHECK(nominated_cpus(world) == 3);
    CHECK_FALSE(world.is_bound(small));
    world.advance(5'000);
    CHECK(nominated_cpus(world) == 0);
    CHECK(world.is_bound(small));
    CHECK_FALSE(world.is_bound(high));
}

TEST_CASE("nominations: who leads no more holds nothing, asks nobody, and counts no late answer") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    world.hold_evict_answers = true;
    const std::string high = submit(world, "high", "etl", 3, 2, 10);
    world.settle();
    REQUIRE(world.evictions.size() == 1);
    world.remove_pod(world.executors_of(low).front());
    world.settle();
    REQUIRE(nominated_cpus(world) == 1);
    world.lose_lead();
    world.settle();
    CHECK(nominated_cpus(world) == 0);
    const auto counted = world.scheduler->counters().evictions;
    const std::size_t told = world.events.size();
    world.hold_evict_answers = false;
    world.release_answers();
    world.advance(120'000);
    CHECK(world.scheduler->counters().evictions == counted);
    CHECK(world.events.size() == told);
    CHECK(world.evictions.size() == 1);
    world.lead();
    world.end_deleted();
    world.advance(10'000);
    CHECK(world.is_bound(high));
    CHECK(world.evictions.size() == 1);
}

TEST_CASE("nominations: nothing of them is remembered when all are gone") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    world.on_evict = [](const gang::EvictPod&) { return std::optional(gang::EvictOutcome::refused); };
    const std::string high = submit(world, "high", "etl", 3, 2, 10);
    world.advance(2'000);
    REQUIRE(world.evictions.size() == 1);
    world.remove_application(high);
    world.remove_application(low);
    world.advance(16 * 60'000);  // so long a driver that never runs is waited for
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("soft slots: executors that come when the slots are chosen keep them, and others are looked for") {
    World world(schema_of({guaranteed("reports", 6), reclaimable(queue("adhoc"))}));
    world.add_node(tests::node("n1", 5, 64 * 1024));
    core::Pod pod = tests::driver("elastic");
    pod.created = 1;
    pod.annotations = {{"gang-scheduler/queue", "adhoc"}};
    auto conf = tests::with(tests::conf(4), "spark.dynamicAllocation.enabled", "true");
    conf = tests::with(conf, "spark.dynamicAllocation.shuffleTracking.enabled", "true");
    conf = tests::with(conf, "spark.dynamicAllocation.minExecutors", "1");
    const std::string elastic =
        world.submit(pod, tests::with(conf, "spark.dynamicAllocation.maxExecutors", "4"));
    world.advance(1'000);
    REQUIRE(world.is_bound(elastic));
    world.set_phase(elastic, core::PodPhase::running);
    world.advance(1'000);
    const std::string wants = submit(world, "report", "reports", 1, 2);
    advance_until_chosen(world, wants);
    const auto made = world.create_executors(elastic, 4);
    while (world.deliver_one()) {
    }
    world.settle();
    CHECK(world.bound_count(made) == 4);
    const bool was_told = std::any_of(world.events.begin(), world.events.end(), [&](const auto& event) {
        return event.reason == "Preempted" && event.message.find("open slots") != std::string::npos;
    });
    CHECK_FALSE(was_told);
    world.advance(1'000);
    CHECK(world.evictions.size() == 2);  // two of those who came: the gang goes on with its minimum
    CHECK_FALSE(is_evicted(world, elastic));
    CHECK(gang::slot_count(*world.reservation(elastic)) == 2);
}
