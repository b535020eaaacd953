// For whom others go, and for whom not: who may start, who was looked for a moment ago, what another file says; and how it is told.
#include "tests/gang/preempt/evicting.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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

std::uint64_t searches(const World& world) { return world.scheduler->counters().victim_searches; }

/// A driver of priority 10 alone, changed before it is created.
template <typename Change>
std::string submit_changed(World& world, const std::string& name, const Change& change) {
    core::Pod pod = tests::driver(name);
    pod.created = 5;
    pod.priority = 10;
    pod.annotations = {{"gang-scheduler/queue", "etl"}};
    change(pod);
    return world.submit(std::move(pod), tests::conf(3));
}

}  // namespace

TEST_CASE("preemptors: another file that allows it still has the plan made anew, for the same victims") {
    config::Schema schema = schema_of({by_priority("etl"), queue("ml")});
    World world(schema);
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string mid = running(world, "mid", "etl", 3, 2, 5);
    const std::string high = submit(world, "high", "etl", 3, 3, 10);
    world.settle();
    REQUIRE(is_evicted(world, low));
    const std::uint64_t before = searches(world);
    schema.backfill.max_bypass = 7;
    world.reconfigure(schema);
    world.advance(1'000);
    CHECK(searches(world) > before);
    says(world, high, "[WaitingForPreemption]");
    CHECK_FALSE(is_evicted(world, mid));
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
    CHECK_FALSE(is_evicted(world, mid));
    CHECK(world.violations.empty());
    world.check_accounts();
}

TEST_CASE("preemptors: another file that forbids it gives back the room that was held") {
    config::Schema schema = schema_of({by_priority("etl"), queue("ml")});
    World world(schema);
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 7, 1);
    const std::string high = submit(world, "high", "etl", 7, 3, 10);
    world.settle();
    REQUIRE(is_evicted(world, low));
    schema.queues[0].preemption = {};
    world.reconfigure(schema);
    world.advance(1'000);
    says(world, high, "[WaitingForCapacity]");
    CHECK(world.scheduler->counters().victim_searches == 1);
    world.check_accounts();
}

TEST_CASE("preemptors: nobody goes for one that may not start, whatever its priority") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    bool is_evicted_for_it = false;
    SUBCASE("it may") {
        submit_changed(world, "high", [](core::Pod&) {});
        is_evicted_for_it = true;
    }
    SUBCASE("its priority is as high") {
        submit_changed(world, "high", [](core::Pod& pod) { pod.priority = 0; });
    }
    SUBCASE("it never preempts") {
        submit_changed(world, "high", [](core::Pod& pod) { pod.never_preempts = true; });
    }
    SUBCASE("it is held") {
        submit_changed(world, "high", [](core::Pod& pod) {
            pod.annotations.insert(pod.annotations.begin(), {"gang-scheduler/hold", "true"});
        });
    }
    SUBCASE("it has scheduling gates") {
        submit_changed(world, "high", [](core::Pod& pod) { pod.gated = true; });
    }
    SUBCASE("it is of another scheduler") {
        submit_changed(world, "high", [](core::Pod& pod) { pod.scheduler_name = "default-scheduler"; });
    }
    SUBCASE("its node is too small for ever") {
        submit_changed(world, "high", [](core::Pod& pod) { pod.requests.cpu_milli = 40'000; });
    }
    world.advance(30'000);
    CHECK(is_evicted(world, low) == is_evicted_for_it);
    CHECK(world.evictions.size() == (is_evicted_for_it ? 4 : 0));
}

TEST_CASE("preemptors: a search in vain is repeated when something has changed, after five seconds") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 4, 64 * 1024));
    running(world, "low", "etl", 3, 1);
    const std::string peer = running(world, "peer", "etl", 3, 2, 10);
    submit(world, "high", "etl", 5, 3, 10);
    world.settle();
    REQUIRE(searches(world) == 1);
    world.advance(4'999);
    CHECK(searches(world) == 1);
    world.advance(1);
    CHECK(searches(world) == 2);
    CHECK(world.evictions.empty());
    world.remove_application(peer);
    world.advance(5'000);
    CHECK(world.evictions.size() == 4);
}

TEST_CASE("preemptors: of those in several queues each first has its turn at once, and nobody behind it") {
    World world(schema_of({by_priority("etl"), by_priority("ml")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low_etl = running(world, "low-etl", "etl", 3, 1);
    const std::string low_ml = running(world, "low-ml", "ml", 3, 2);
    submit(world, "high-etl", "etl", 3, 3, 10);
    submit(world, "high-ml", "ml", 3, 4, 10);
    submit(world, "next-ml", "ml", 3, 5, 10);
    world.advance(1'000);
    CHECK(is_evicted(world, low_etl));
    CHECK(is_evicted(world, low_ml));
    CHECK(world.evictions.size() == 8);
    CHECK(searches(world) == 2);
}

TEST_CASE("preemptors: whom it is for is not named to another namespace, if the file says so") {
    for (const bool names_others : {true, false}) {
        config::Schema schema = schema_of({by_priority("etl")});
        schema.names_other_namespaces = names_others;
        World world(schema);
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string low = running(world, "low", "etl", 3, 1);
        const std::string high = submit_changed(world, "high", [](core::Pod& pod) { pod.namespace_name = "bi"; });
        world.settle();
        REQUIRE(is_evicted(world, low));
        const std::string told = world.condition(high);
        CHECK((told.find("evicting gang etl/low;") != std::string::npos) == names_others);
        world.end_deleted();
        world.advance(2'000);
        CHECK(world.is_bound(high));
    }
}

TEST_CASE("preemptors: a guarantee covers what is wanted of every resource that it names, or it is none") {
    const auto evicted_for = [](std::int64_t memory_mi) {
        config::Queue mine = guaranteed("etl", 4);
        mine.guarantee.push_back({"memory", memory_mi * tests::mebibyte});
        World world(schema_of({mine, reclaimable(queue("ml"))}));
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string other = running(world, "other", "ml", 3, 1);
        submit(world, "mine", "etl", 3, 2);
        world.advance(2'000);
        return is_evicted(world, other);
    };
    CHECK(evicted_for(4 * 1'408));
    CHECK_FALSE(evicted_for(4 * 1'408 - 1));
}

TEST_CASE("preemptors: what changes hands inside a queue above both is no loss of its guarantee") {
    config::Queue above = guaranteed("a", 8);
    config::Queue mine = guaranteed("a.mine", 4);
    World world(schema_of({above, mine, reclaimable(queue("a.theirs"))}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string other = running(world, "other", "a.theirs", 7, 1);
    submit(world, "mine", "a.mine", 3, 2);
    world.advance(2'000);
    CHECK(is_evicted(world, other));
}
