// Preemption and reclaim end to end, by what the API server sees: who is evicted, for whom, and who
// gets the room. World::settle() checks after each step that all room has an owner.
#include "tests/gang/preempt/evicting.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using tests::by_priority;
using tests::evicted;
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

/// A pod that stands alone, running.
std::string lone_of_priority(
    World& world,
    const std::string& name,
    const std::string& queue,
    std::int64_t created,
    std::int32_t priority = 0,
    const std::string& namespace_name = "etl") {
    core::Pod pod = tests::pod(name, 1'000, 100);
    pod.namespace_name = namespace_name;
    pod.created = created;
    pod.priority = priority;
    pod.annotations = {{"gang-scheduler/queue", queue}};
    const std::string uid = world.create(std::move(pod));
    world.advance(1'000);
    REQUIRE(world.is_bound(uid));
    world.set_phase(uid, core::PodPhase::running);
    world.advance(1'000);
    return uid;
}

}  // namespace

TEST_CASE("preempt: a gang of higher priority has one of a lower evicted, whole, in its queue") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string mid = running(world, "mid", "etl", 3, 2, 5);
    const std::string high = submit(world, "high", "etl", 3, 3, 10);
    world.advance(2'000);
    // Its driver first, and then its executors: the lowest priority goes.
    REQUIRE(world.evictions.size() == 4);
    CHECK(world.evictions.front().pod.uid == low);
    CHECK(world.evictions.front().reason == gang::EvictReason::preempt);
    CHECK_FALSE(is_evicted(world, mid));
    CHECK_FALSE(world.is_bound(high));
    says(world, high, "evicting gang etl/low; 0 of 4 pods are gone");
    says(world, high, "[WaitingForPreemption]");
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
    CHECK(world.evictions.size() == 4);
    CHECK(world.violations.empty());
    const auto told = std::find_if(world.events.begin(), world.events.end(), [&](const auto& event) {
        return event.pod.uid == low && event.reason == "Preempted";
    });
    REQUIRE(told != world.events.end());
    CHECK(told->message == "evicted for etl/high: its priority is higher");
    const auto& counted = world.scheduler->counters().evictions;
    CHECK(counted[1][0] == 4);
}

TEST_CASE("preempt: an executor of the victim that waits for a node is not evicted") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string surplus = world.create_executors(low, 1).front();
    world.advance(1'000);
    REQUIRE_FALSE(world.is_bound(surplus));
    submit(world, "high", "etl", 3, 2, 10);
    world.advance(2'000);
    CHECK(is_evicted(world, low));
    CHECK(world.evictions.size() == 4);
    CHECK_FALSE(is_evicted(world, surplus));
}

TEST_CASE("preempt: who need not go once a later victim goes is spared") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 1, 1);
    const std::string mid = running(world, "mid", "etl", 5, 2, 5);
    const std::string high = submit(world, "high", "etl", 5, 3, 10);
    world.advance(2'000);
    CHECK(world.evictions.size() == 6);
    CHECK(is_evicted(world, mid));
    CHECK_FALSE(is_evicted(world, low));
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
}

TEST_CASE("preempt: nobody is evicted for a gang that its user's limit keeps from starting") {
    config::Queue etl = by_priority("etl");
    etl.user_limit = {{"cpu", 4'000}};
    World world(schema_of({etl}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const auto of_user = [&](const std::string& name, const std::string& user, std::int64_t created) {
        core::Pod pod = tests::driver(name);
        pod.created = created;
        pod.priority = static_cast<std::int32_t>(created);
        pod.service_account = user;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        return world.submit(std::move(pod), tests::conf(3));
    };
    const std::string low = of_user("low", "bob", 1);
    world.advance(1'000);
    const std::string mid = of_user("mid", "ann", 2);
    world.advance(1'000);
    REQUIRE(world.is_bound(low));
    REQUIRE(world.is_bound(mid));
    const std::string high = of_user("high", "ann", 3);
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(high));
    says(world, high, "[WaitingForQuota]");
    CHECK(world.evictions.empty());
}

TEST_CASE("preempt: a file that allows it, or forbids it, holds at once") {
    config::Queue without = by_priority("etl");
    without.preemption = {};
    World world(schema_of({without}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string mid = running(world, "mid", "etl", 3, 2, 5);
    submit(world, "high", "etl", 3, 3, 10);
    world.advance(2'000);
    CHECK(world.evictions.empty());
    world.reconfigure(schema_of({by_priority("etl")}));
    world.advance(2'000);
    CHECK(is_evicted(world, low));
    world.end_deleted();
    world.advance(2'000);
    world.reconfigure(schema_of({without}));
    submit(world, "higher", "etl", 3, 4, 20);
    world.advance(2'000);
    CHECK_FALSE(is_evicted(world, mid));
}

TEST_CASE("preempt: nobody is evicted without the queue's word, nor for an equal priority") {
    config::Queue silent = by_priority("etl");
    silent.preemption = {};
    for (const bool is_allowed : {false, true}) {
        World world(schema_of({is_allowed ? by_priority("etl") : silent}));
        world.add_node(tests::node("n1", 4, 64 * 1024));
        running(world, "low", "etl", 3, 1, is_allowed ? 10 : 0);
        const std::string high = submit(world, "high", "etl", 3, 2, 10);
        world.advance(60'000);
        CHECK(world.evictions.empty());
        says(world, high, "[WaitingForCapacity]");
    }
}

TEST_CASE("preempt: preemptionPolicy Never is kept") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    running(world, "low", "etl", 3, 1);
    core::Pod pod = tests::driver("polite");
    pod.priority = 10;
    pod.never_preempts = true;
    pod.annotations = {{"gang-scheduler/queue", "etl"}};
    world.submit(std::move(pod), tests::conf(3));
    world.advance(60'000);
    CHECK(world.evictions.empty());
}

TEST_CASE("preempt: without a plan for the whole gang nobody is evicted") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.add_node(tests::node("n2", 4, 64 * 1024));
    running(world, "low", "etl", 3, 1);
    running(world, "peer", "etl", 3, 2, 10);
    const std::string high = submit(world, "high", "etl", 5, 3, 10);
    world.advance(60'000);
    CHECK(world.evictions.empty());
    says(world, high, "[WaitingForCapacity]");
}

TEST_CASE("preempt: system pods and those of kube-system stay") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    running(world, "critical", "etl", 3, 1, 2'000'000'000);
    submit(world, "high", "etl", 3, 2, 2'000'001'000);
    world.advance(60'000);
    CHECK(world.evictions.empty());
}

TEST_CASE("reclaim: a gang within its queue's guarantee gets it back from a queue that is above its own") {
    World world(schema_of({guaranteed("etl", 4), reclaimable(queue("ml"))}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string first = running(world, "first", "ml", 3, 1);
    const std::string second = running(world, "second", "ml", 3, 2);
    const std::string mine = submit(world, "mine", "etl", 3, 3);
    world.advance(2'000);
    // Equal in all else: the one that has lost the least work.
    CHECK(is_evicted(world, second));
    CHECK_FALSE(is_evicted(world, first));
    CHECK(world.evictions.front().reason == gang::EvictReason::reclaim);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(mine));
    // What it has beyond that it does not reclaim.
    const std::string more = submit(world, "more", "etl", 0, 4);
    world.advance(60'000);
    CHECK_FALSE(world.is_bound(more));
    CHECK(world.evictions.size() == 4);
}

TEST_CASE("reclaim: no queue is left with less than its own guarantee, so there is no cycle") {
    World world(schema_of({reclaimable(guaranteed("etl", 4)), reclaimable(guaranteed("ml", 5))}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    running(world, "big", "ml", 7, 1);
    const std::string mine = submit(world, "mine", "etl", 3, 2);
    world.advance(60'000);
    CHECK(world.evictions.empty());
    CHECK_FALSE(world.is_bound(mine));
}

TEST_CASE("reclaim: executors beyond a reservation go before any gang") {
    World world(schema_of({guaranteed("etl", 4), reclaimable(queue("ml"))}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string gang = running(world, "gang", "ml", 3, 1);
    const auto extra = world.create_executors(gang, 4);
    world.advance(2'000);
    REQUIRE(world.bound_count(extra) == 4);
    const std::string mine = submit(world, "mine", "etl", 1, 2);
    world.advance(2'000);
    CHECK(world.evictions.size() == 2);
    CHECK_FALSE(is_evicted(world, gang));
    for (const std::string& uid : evicted(world)) {
        CHECK(std::find(extra.begin(), extra.end(), uid) != extra.end());
    }
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(mine));
}

TEST_CASE("preempt: the room that comes free is the preemptor's, whoever came before or is smaller") {
    World world(schema_of({by_priority("etl"), queue("ml")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 7, 1);
    const std::string high = submit(world, "high", "etl", 7, 2, 10);
    world.advance(2'000);
    REQUIRE(is_evicted(world, low));
    const std::string small = submit(world, "small", "ml", 0, 3);
    world.advance(2'000);
    // One executor is gone, the others have their grace period.
    world.remove_pod(world.executors_of(low).front());
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(small));
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
    CHECK_FALSE(world.is_bound(small));
    CHECK(world.violations.empty());
}

TEST_CASE("preempt: who is deleted meanwhile gives the room back") {
    World world(schema_of({by_priority("etl"), queue("ml")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 7, 1);
    const std::string high = submit(world, "high", "etl", 7, 2, 10);
    world.advance(2'000);
    REQUIRE(is_evicted(world, low));
    world.remove_pod(high);
    const std::string small = submit(world, "small", "ml", 0, 3);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(small));
}

TEST_CASE("preempt: a budget's no is kept, and others are looked for a minute later") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string mid = running(world, "mid", "etl", 3, 2, 5);
    world.on_evict = [&](const gang::EvictPod& request) {
        return request.pod.uid == low ? std::optional(gang::EvictOutcome::budget) : std::nullopt;
    };
    const std::string high = submit(world, "high", "etl", 3, 3, 10);
    world.advance(30'000);
    CHECK(world.evictions.size() == 1);
    says(world, high, "refused one");
    world.advance(35'000);
    CHECK(is_evicted(world, mid));
    CHECK_FALSE(world.pod(low).deleting);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
    CHECK(world.has_pod(low));
}

TEST_CASE("preempt: a new leader evicts nobody again for the same need") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const std::string mid = running(world, "mid", "etl", 3, 2, 5);
    const std::string high = submit(world, "high", "etl", 3, 3, 10);
    world.advance(2'000);
    REQUIRE(is_evicted(world, low));
    const std::size_t before = world.evictions.size();
    world.restart();
    world.advance(60'000);
    CHECK(world.evictions.size() == before);
    CHECK_FALSE(is_evicted(world, mid));
    world.end_deleted();
    world.advance(30'000);
    CHECK(world.is_bound(high));
    CHECK(world.evictions.size() == before);
}

TEST_CASE("preempt: at most so many victims a minute") {
    config::Schema schema = schema_of({by_priority("etl")});
    schema.preemption.max_victims_per_minute = 1;
    World world(schema);
    world.add_node(tests::node("n1", 8, 64 * 1024));
    running(world, "a", "etl", 3, 1);
    running(world, "b", "etl", 3, 2);
    const std::string high = submit(world, "high", "etl", 7, 3, 10);
    world.advance(30'000);
    CHECK(world.evictions.size() == 4);
    world.advance(40'000);
    CHECK(world.evictions.size() == 8);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
}

TEST_CASE("preempt: a file without preemption, and one with it again, begin no minute anew") {
    config::Schema schema = schema_of({by_priority("etl")});
    schema.preemption.max_victims_per_minute = 1;
    config::Schema without = schema;
    without.queues[0].preemption = {};
    World world(schema);
    world.add_node(tests::node("n1", 8, 64 * 1024));
    running(world, "a", "etl", 3, 1);
    running(world, "b", "etl", 3, 2);
    submit(world, "high", "etl", 7, 3, 10);
    world.advance(20'000);
    REQUIRE(world.evictions.size() == 4);
    world.reconfigure(without);
    world.advance(2'000);
    world.reconfigure(schema);
    world.advance(20'000);
    CHECK(world.evictions.size() == 4);
    world.advance(40'000);
    CHECK(world.evictions.size() == 8);
}

TEST_CASE("preempt: a victim whose driver has ended by itself is one of those a minute") {
    config::Schema schema = schema_of({by_priority("etl")});
    schema.preemption.max_victims_per_minute = 1;
    World world(schema);
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string a = running(world, "a", "etl", 3, 1);
    const std::string b = running(world, "b", "etl", 3, 2);
    submit(world, "high", "etl", 7, 3, 10);
    world.advance(2'000);
    REQUIRE(world.evictions.size() == 4);
    world.set_phase(world.evictions.front().pod.uid == a ? b : a, core::PodPhase::succeeded);
    world.advance(10'000);
    CHECK(world.evictions.size() == 4);
    world.advance(60'000);
    CHECK(world.evictions.size() == 7);
}

TEST_CASE("preempt: executors follow their driver though its room was enough for who wanted it") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    const auto of_low = [&] { return evicted(world).size(); };
    // The driver is gone before the answer to its eviction is there.
    world.hold_evict_answers = true;
    const std::string high = submit(world, "high", "etl", 0, 2, 10);
    world.advance(2'000);
    REQUIRE(of_low() == 1);
    world.remove_pod(low);  // the garbage collector takes its time
    world.advance(2'000);
    CHECK(world.is_bound(high));
    world.release_answers();
    world.advance(2'000);
    CHECK(of_low() == 4);
    CHECK(world.violations.empty());
}

TEST_CASE("preempt: executors that a budget kept are asked again, though nobody waits for their room") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string low = running(world, "low", "etl", 3, 1);
    world.on_evict = [&](const gang::EvictPod& one) {
        return one.pod.uid == low ? std::nullopt : std::optional(gang::EvictOutcome::budget);
    };
    const std::string high = submit(world, "high", "etl", 0, 2, 10);
    world.advance(2'000);
    world.remove_pod(low);  // the garbage collector takes its time
    world.advance(2'000);
    CHECK(world.is_bound(high));
    CHECK(world.evictions.size() == 4);
    world.on_evict = nullptr;
    world.advance(60'000);
    CHECK(world.evictions.size() == 7);
    CHECK(world.violations.empty());
}

TEST_CASE("preempt: a pod that stands alone goes for a higher priority, the lowest and newest first") {
    for (const bool restarts : {false, true}) {
        CAPTURE(restarts);
        World world(schema_of({by_priority("etl")}));
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string equal = lone_of_priority(world, "equal", "etl", 4, 10);
        const std::string mid = lone_of_priority(world, "mid", "etl", 3, 5);
        const std::string older = lone_of_priority(world, "older", "etl", 1);
        const std::string newer = lone_of_priority(world, "newer", "etl", 2);
        if (restarts) {
            world.restart();
            world.advance(20'000);
        }
        const std::string high = submit(world, "high", "etl", 1, 5, 10);
        world.advance(5'000);
        CHECK(world.evictions.size() == 2);
        CHECK(is_evicted(world, older));
        CHECK(is_evicted(world, newer));
        says(world, high, "evicting pod etl/");
        world.restart();  // who is on his way out is nobody's second victim
        world.advance(20'000);
        CHECK(world.evictions.size() == 2);
        world.end_deleted();
        world.advance(20'000);
        CHECK(world.is_bound(high));
        CHECK(world.has_pod(mid));
        CHECK(world.has_pod(equal));
        CHECK(world.evictions.size() == 2);
        CHECK(world.violations.empty());
    }
}

TEST_CASE("preempt: pods that stand alone and gangs go in one order, by their priorities") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 3, 64 * 1024));
    const std::string pod = lone_of_priority(world, "pod", "etl", 1, 5);
    const std::string gang = running(world, "gang", "etl", 1, 2);
    SUBCASE("the gang's is lower") {
        submit(world, "high", "etl", 0, 3, 10);
        world.advance(2'000);
        CHECK(is_evicted(world, gang));
        CHECK_FALSE(is_evicted(world, pod));
    }
    SUBCASE("both are needed") {
        const std::string high = submit(world, "high", "etl", 2, 3, 10);
        world.advance(2'000);
        CHECK(world.evictions.size() == 3);
        world.end_deleted();
        world.advance(2'000);
        CHECK(world.is_bound(high));
    }
}

TEST_CASE("reclaim: pods that stand alone go from a queue that is above its guarantee, and no further") {
    World world(schema_of({guaranteed("etl", 4), reclaimable(guaranteed("ml", 2)), queue("own")}));
    world.add_node(tests::node("n1", 5, 64 * 1024));
    std::vector<std::string> pods;
    for (int i = 0; i < 4; ++i) {
        pods.push_back(lone_of_priority(world, "pod-" + std::to_string(i), "ml", 1 + i));
    }
    const std::string own = lone_of_priority(world, "own", "own", 9);
    const std::string mine = submit(world, "mine", "etl", 1, 10);
    world.advance(2'000);
    CHECK(world.evictions.size() == 2);
    CHECK(is_evicted(world, pods[3]));
    CHECK(is_evicted(world, pods[2]));
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(mine));
    submit(world, "more", "etl", 0, 11);
    world.advance(60'000);
    CHECK(world.evictions.size() == 2);
    CHECK(world.has_pod(own));
}

TEST_CASE("preempt: pods that stand alone and must not go stay") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 2, 64 * 1024));
    SUBCASE("of kube-system") {
        lone_of_priority(world, "a", "etl", 1, 0, "kube-system");
        lone_of_priority(world, "b", "etl", 2, 0, "kube-system");
        submit(world, "high", "etl", 0, 3, 10);
    }
    SUBCASE("critical") {
        lone_of_priority(world, "a", "etl", 1, 2'000'000'000);
        lone_of_priority(world, "b", "etl", 2, 2'000'000'000);
        submit(world, "high", "etl", 0, 3, 2'000'001'000);
    }
    SUBCASE("no plan for the whole gang") {
        lone_of_priority(world, "a", "etl", 1);
        lone_of_priority(world, "b", "etl", 2);
        submit(world, "high", "etl", 2, 3, 10);
    }
    world.advance(60'000);
    CHECK(world.evictions.empty());
}

TEST_CASE("preempt: of two that others went for, and that share a claim of one pod, one starts") {
    World world(schema_of({by_priority("etl"), by_priority("ml")}));
    world.add_node(tests::node("n1", 2, 64 * 1024));
    lone_of_priority(world, "older", "etl", 1);
    lone_of_priority(world, "newer", "ml", 2);
    core::Claim claim;
    claim.state = core::ClaimState::bound;
    claim.one_pod = true;
    world.claims["etl/c"] = claim;
    std::vector<std::string> high;
    for (const char* queue : {"etl", "ml"}) {
        core::Pod pod = tests::pod(std::string("for-") + queue, 1'000, 100);
        pod.created = 3;
        pod.priority = 10;
        pod.annotations = {{"gang-scheduler/queue", queue}};
        pod.claims = std::vector<core::ClaimUse>{{"c", false}};
        high.push_back(world.create(std::move(pod)));
    }
    world.advance(10'000);
    REQUIRE(world.evictions.size() == 2);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.bound_count(high) == 1);
    CHECK(world.violations.empty());
}

TEST_CASE("preempt: a budget's no to a pod that stands alone is kept") {
    World world(schema_of({by_priority("etl")}));
    world.add_node(tests::node("n1", 2, 64 * 1024));
    const std::string kept = lone_of_priority(world, "kept", "etl", 2);
    const std::string mid = lone_of_priority(world, "mid", "etl", 1, 5);
    world.on_evict = [&](const gang::EvictPod& request) {
        return request.pod.uid == kept ? std::optional(gang::EvictOutcome::budget) : std::nullopt;
    };
    const std::string high = submit(world, "high", "etl", 0, 3, 10);
    world.advance(30'000);
    CHECK(world.evictions.size() == 1);
    world.advance(35'000);
    CHECK(is_evicted(world, mid));
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(high));
    CHECK(world.has_pod(kept));
}
