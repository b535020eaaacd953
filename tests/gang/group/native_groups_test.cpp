// What a PodGroup of Kubernetes itself asks beside its minimum: one domain for all of it, whether
// others are evicted for it, and whether it is evicted in part.
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using tests::World;

namespace {

core::Pod member(const std::string& name, const std::string& group, std::int64_t created) {
    core::Pod pod = tests::pod(name, 1000, 256);
    pod.pod_group = group;
    pod.created = created;
    return pod;
}

std::vector<std::string> create(
    World& world, const std::string& group, int count, std::int64_t created = 1'000) {
    std::vector<std::string> uids;
    for (int i = 0; i < count; ++i) {
        uids.push_back(
            world.create(member(group + "-" + std::to_string(i), group, created)));
    }
    return uids;
}

void add_node(World& world, const std::string& name, std::int64_t cpus, const std::string& zone) {
    core::Node node = tests::node(name, cpus, 64 * 1024);
    node.labels = {{"kubernetes.io/hostname", name}, {"zone", zone}};
    world.add_node(std::move(node));
}

core::PodGroup in_one_zone(std::int64_t minimum) {
    core::PodGroup object{minimum, {}, {}};
    object.topology_key = "zone";
    return object;
}

bool are_on(const World& world, const std::vector<std::string>& pods, const std::string& node) {
    return std::all_of(pods.begin(), pods.end(), [&](const std::string& pod) {
        return world.node_of(pod) == node;
    });
}

bool is_without(const World& world, const std::vector<std::string>& pods, const std::string& node) {
    return std::none_of(pods.begin(), pods.end(), [&](const std::string& pod) {
        return world.node_of(pod) == node;
    });
}

config::Schema by_priority() {
    config::Queue only = tests::queue("etl");
    only.order = config::QueueOrder::priority;
    only.preemption.within_queue = config::PreemptionWithin::lower_priority;
    return tests::with_queues({only}, World::sealed_schema());
}

core::PodGroup queued(std::int64_t minimum, std::int32_t priority) {
    core::PodGroup object{minimum, {}, {}};
    object.queue = "etl";
    object.priority = priority;
    return object;
}

/// The same, of pods that name the queue themselves: a group that has lost its reservation is
/// charged there after a restart.
std::vector<std::string> create_in_queue(
    World& world, const std::string& group, int count, std::int64_t created = 1'000) {
    std::vector<std::string> uids;
    for (int i = 0; i < count; ++i) {
        core::Pod pod = member(group + "-" + std::to_string(i), group, created);
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        uids.push_back(world.create(std::move(pod)));
    }
    return uids;
}

}  // namespace

TEST_CASE("native groups: a group with a topology key is in one domain, or waits") {
    World world(World::sealed_schema());
    add_node(world, "a1", 2, "a");
    add_node(world, "b1", 2, "b");
    world.groups["etl/g"] = in_one_zone(3);
    auto pods = create(world, "g", 3);
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(tests::says(world, pods[0], "could take pod group etl/g in one zone"));
    add_node(world, "b2", 4, "b");
    world.settle();
    CHECK(world.bound_count(pods) == 3);
    CHECK(is_without(world, pods, "a1"));
    SUBCASE("who comes later stays there") {}
    SUBCASE("also after a restart") {
        world.restart();
        world.settle();
    }
    for (int i = 3; i < 7; ++i) {
        pods.push_back(world.create(member("g-" + std::to_string(i), "g", 2'000)));
    }
    world.advance(2'000);
    CHECK(world.bound_count(pods) == 6);  // of seven: zone b has room for six
    CHECK(is_without(world, pods, "a1"));
    CHECK(world.violations.empty());
}

TEST_CASE("native groups: what a pod says of its domain counts before the object") {
    World world;
    add_node(world, "a1", 4, "a");
    add_node(world, "a2", 4, "a");
    world.groups["etl/g"] = in_one_zone(4);
    std::vector<std::string> pods;
    for (int i = 0; i < 4; ++i) {
        core::Pod pod = member("g-" + std::to_string(i), "g", 1'000);
        pod.annotations = {{"gang-scheduler/topology-key", "kubernetes.io/hostname"}};
        pods.push_back(world.create(std::move(pod)));
    }
    world.settle();
    REQUIRE(world.bound_count(pods) == 4);
    CHECK((are_on(world, pods, "a1") || are_on(world, pods, "a2")));
}

TEST_CASE("native groups: preemptionPolicy Never of the object is kept") {
    World world(by_priority());
    world.add_node(tests::node("n1", 3, 64 * 1024));
    world.groups["etl/low"] = queued(3, 1);
    const auto low = create(world, "low", 3);
    world.settle();
    REQUIRE(world.bound_count(low) == 3);
    core::PodGroup high = queued(2, 10);
    high.never_preempts = true;
    world.groups["etl/high"] = high;
    create(world, "high", 2, 2'000);
    world.advance(60'000);
    CHECK(world.evictions.empty());
    high.never_preempts = false;
    world.groups["etl/high"] = high;
    world.advance(60'000);
    CHECK(world.evictions.size() == 3);
}

TEST_CASE("native groups: one that is disrupted as a whole loses nobody beyond its minimum alone") {
    World world(by_priority());
    world.add_node(tests::node("n1", 3, 64 * 1024));
    core::PodGroup low = queued(2, 1);
    std::size_t evicted = 1;
    SUBCASE("each for itself: the one beyond the minimum is enough") {}
    SUBCASE("all together") {
        low.goes_whole = true;
        evicted = 3;
    }
    world.groups["etl/low"] = low;
    const auto pods = create(world, "low", 3);
    world.settle();
    REQUIRE(world.bound_count(pods) == 3);
    core::Pod alone = tests::pod("alone", 1000, 256);
    alone.created = 2'000;
    alone.priority = 10;
    alone.annotations = {{"gang-scheduler/queue", "etl"}};
    const std::string waiting = world.create(std::move(alone));
    world.advance(2'000);
    CHECK(world.evictions.size() == evicted);
    world.end_deleted();
    world.advance(2'000);
    CHECK(world.is_bound(waiting));
    CHECK(world.violations.empty());
}

TEST_CASE("native groups: the room of one that goes as a whole is counted once") {
    World world(by_priority());
    world.add_node(tests::node("n1", 5, 64 * 1024));
    core::Pod other = tests::pod("other", 1000, 256);  // somebody else's, who stays
    other.scheduler_name = "default-scheduler";
    other.node_name = "n1";
    other.phase = core::PodPhase::running;
    world.create(std::move(other));
    core::PodGroup low = queued(2, 1);
    low.goes_whole = true;
    world.groups["etl/low"] = low;
    REQUIRE(world.bound_count(create(world, "low", 3)) == 0);
    world.settle();
    std::int64_t cpu_milli = 4'000;
    std::size_t evicted = 3;
    SUBCASE("what is free and what three pods have is enough") {}
    SUBCASE("and no more than that") {
        cpu_milli = 4'100;
        evicted = 0;
    }
    core::Pod alone = tests::pod("alone", cpu_milli, 256);
    alone.created = 2'000;
    alone.priority = 10;
    alone.annotations = {{"gang-scheduler/queue", "etl"}};
    world.create(std::move(alone));
    world.advance(2'000);
    CHECK(world.evictions.size() == evicted);
}

TEST_CASE("native groups: a victim that is being bound is evicted when it is seen on its node") {
    World world(by_priority());
    world.add_node(tests::node("n1", 3, 64 * 1024));
    world.groups["etl/low"] = queued(2, 1);
    const auto pods = create(world, "low", 2);
    world.settle();
    REQUIRE(world.bound_count(pods) == 2);
    world.on_bind = [](const auto&) { return gang::BindOutcome::bound; };  // nobody has seen it yet
    const auto beyond = world.create(member("low-2", "low", 1'500));
    world.settle();
    REQUIRE(world.binds.back().pod.uid == beyond);
    core::Pod high = tests::pod("high", 1000, 256);
    high.created = 2'000;
    high.priority = 10;
    high.annotations = {{"gang-scheduler/queue", "etl"}};
    world.create(std::move(high));
    world.advance(2'000);
    CHECK(world.evictions.empty());
    world.on_bind = nullptr;
    world.arrive(world.binds.back());
    world.advance(10'000);
    REQUIRE(world.evictions.size() == 1);
    CHECK(world.evictions.front().pod.uid == beyond);
}

TEST_CASE("native groups: a victim whose first pod has ended by itself is one of those a minute") {
    config::Schema schema = by_priority();
    schema.preemption.max_victims_per_minute = 1;
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.groups["etl/first"] = queued(2, 0);
    world.groups["etl/second"] = queued(2, 1);
    const auto first = create(world, "first", 2);
    const auto second = create(world, "second", 2);
    world.settle();
    REQUIRE(world.bound_count(first) + world.bound_count(second) == 4);
    core::Pod high = tests::pod("high", 4000, 256);
    high.created = 2'000;
    high.priority = 10;
    high.annotations = {{"gang-scheduler/queue", "etl"}};
    world.create(std::move(high));
    world.advance(2'000);
    REQUIRE(world.evictions.size() == 2);
    for (const gang::EvictPod& one : world.evictions) {
        REQUIRE(one.pod.name.starts_with("first"));
    }
    world.set_phase(second[0], core::PodPhase::succeeded);
    world.advance(10'000);
    CHECK(world.evictions.size() == 2);
    world.advance(60'000);
    REQUIRE(world.evictions.size() == 3);
    CHECK(world.evictions.back().pod.uid == second[1]);
}

TEST_CASE("native groups: of a victim whose first pod went before a restart the rest goes as well") {
    World world(by_priority());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.groups["etl/low"] = queued(3, 1);
    world.groups["etl/mid"] = queued(1, 5);
    const auto low = create_in_queue(world, "low", 3);
    world.settle();
    const auto mid = create_in_queue(world, "mid", 1, 1'500);
    world.settle();
    REQUIRE(world.bound_count(low) == 3);
    REQUIRE(world.bound_count(mid) == 1);
    world.groups["etl/high"] = queued(3, 10);
    world.hold_evict_answers = true;  // nobody lives to hear that it has gone
    const auto high = create_in_queue(world, "high", 3, 2'000);
    world.advance(2'000);
    REQUIRE(world.evictions.size() == 1);
    const std::string anchor = world.evictions.front().pod.uid;
    SUBCASE("and is on its way out") {}
    SUBCASE("and is gone") { world.end_deleted(); }
    world.restart();
    world.hold_evict_answers = false;
    world.advance(90'000);
    world.end_deleted();
    world.advance(90'000);
    CHECK(world.bound_count(high) == 3);
    CHECK(world.bound_count(mid) == 1);
    CHECK(world.evictions.size() == 3);
    for (const std::string& uid : low) {
        CHECK_FALSE(world.has_pod(uid));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("native groups: what is left of a group stays together: all of it goes, or nobody") {
    World world(by_priority());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    world.groups["etl/low"] = queued(3, 1);
    const auto low = create_in_queue(world, "low", 3);
    world.settle();
    REQUIRE(world.bound_count(low) == 3);
    core::Pod last = tests::pod("last", 1000, 256);
    last.created = 1'500;
    last.priority = 10;
    last.annotations = {{"gang-scheduler/queue", "etl"}};
    const std::string other = world.create(std::move(last));
    world.settle();
    world.remove_pod(low[0]);
    world.restart();
    world.advance(20'000);
    core::Pod high = tests::pod("high", 2000, 256);
    high.created = 2'000;
    high.priority = 10;
    high.annotations = {{"gang-scheduler/queue", "etl"}};
    const std::string waiting = world.create(std::move(high));
    SUBCASE("both go for who needs the room of one") {
        world.advance(5'000);
        CHECK(world.evictions.size() == 2);
        world.end_deleted();
        world.advance(5'000);
        CHECK(world.is_bound(waiting));
    }
    SUBCASE("a budget that keeps one keeps both from then on") {
        world.on_evict = [](const auto&) { return std::optional(gang::EvictOutcome::budget); };
        world.advance(5'000);
        const std::size_t asked = world.evictions.size();
        CHECK(asked <= 2);
        world.advance(60'000);
        CHECK(world.evictions.size() == asked);
    }
    CHECK(world.is_bound(other));
    CHECK(world.violations.empty());
}

TEST_CASE("native groups: of a group that runs and whose reservation is worth nothing after a restart nothing is lost") {
    for (const char* const text : {"", "v1 rubbish", "v1;g=7;e=1;a=somebody"}) {
        CAPTURE(text);
        World world(World::sealed_schema());
        world.add_node(tests::node("n1", 5, 64 * 1024));
        world.groups["etl/g"] = core::PodGroup{3, {}, {}};
        auto pods = create(world, "g", 3);
        world.settle();
        REQUIRE(world.bound_count(pods) == 3);
        for (const std::string& uid : pods) {
            world.set_phase(uid, core::PodPhase::running);
            world.change_pod(uid, [&](core::Pod& pod) {
                for (auto& [key, value] : pod.annotations) {
                    if (key == "gang-scheduler/reservation") value = text;
                }
            });
        }
        world.restart();
        world.advance(20'000);
        CHECK(world.bound_count(pods) == 3);
        CHECK(world.binds.size() == 3);  // nobody is started a second time, or beyond what is there
        // A member that fails and is made anew starts at once: the others are there still.
        world.set_phase(pods[1], core::PodPhase::failed);
        world.remove_pod(pods[1]);
        pods[1] = world.create(member("g-again", "g", 3'000));
        world.advance(5'000);
        CHECK(world.is_bound(pods[1]));
        // And so does the one that bore the text.
        world.remove_pod(pods[0]);
        pods[0] = world.create(member("g-first", "g", 4'000));
        world.advance(5'000);
        CHECK(world.is_bound(pods[0]));
        CHECK(world.bound_count(pods) == 3);
        // All room that is not theirs is free.
        core::Pod other = tests::pod("other", 2'000, 256);
        other.created = 5'000;
        const std::string fits = world.create(std::move(other));
        world.advance(5'000);
        CHECK(world.is_bound(fits));
        CHECK(world.violations.empty());
        world.check_accounts();
    }
}
