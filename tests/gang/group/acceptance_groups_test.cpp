// Cases from the test suites of kube-scheduler (K) and coscheduling (C), each by its id, with pod groups.
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using core::GroupCondition;
using tests::World;

namespace {

constexpr std::int64_t no_cpu = 0;

core::Pod native_member(
    const std::string& name, const std::string& group, std::int64_t cpu_milli, std::int64_t created) {
    core::Pod pod = tests::pod(name, cpu_milli, 1);
    pod.pod_group = group;
    pod.created = created;
    return pod;
}

/// One node of 4 cpu, and objects whose status is written.
struct NativeWorld : World {
    explicit NativeWorld(std::int64_t cpu = 4) {
        group_version = "scheduling.k8s.io/v1beta1";
        add_node(tests::node("n1", cpu, 1024));
        settle();
    }
    std::string add(const std::string& name, std::int64_t cpu_milli = 1000) {
        return create(native_member(name, "g", cpu_milli, ++created_));
    }
    void pass(std::int64_t ms = 60'000) {
        advance(ms);
        settle();
    }
    GroupCondition condition_of_group() { return group_statuses["etl/g"].condition; }

private:
    std::int64_t created_ = 1'000;
};

/// One node of 300 MiB and 32 pods, as coscheduling's tests have it.
struct MemoryWorld : World {
    explicit MemoryWorld(config::Schema schema = World::sealed_schema()) : World(std::move(schema)) {
        core::Node node = tests::node("n1", 32, 300);
        node.pods = 32;
        add_node(std::move(node));
    }
    std::string add(
        const std::string& name,
        const std::string& group,
        std::int64_t memory_mi,
        std::int64_t created,
        std::int32_t priority = 0) {
        core::Pod pod = tests::pod(name, no_cpu, memory_mi);
        if (!group.empty()) {
            pod.labels = {{"scheduling.x-k8s.io/pod-group", group}};
        }
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        pod.created = created;
        pod.priority = priority;
        return create(std::move(pod));
    }
};

config::Schema priority_first() {
    config::Queue only = tests::queue("etl");
    only.order = config::QueueOrder::priority;
    return tests::with_queues({only}, World::sealed_schema());
}

}  // namespace

TEST_CASE("acceptance: K01: a gang of three whose group exists") {
    NativeWorld world;
    world.groups["etl/g"] = core::PodGroup{3, {}, {}};
    const std::vector<std::string> pods = {world.add("a"), world.add("b"), world.add("c")};
    world.pass();
    CHECK(world.bound_count(pods) == 3);
    CHECK(world.condition_of_group() == GroupCondition::scheduled);
}

TEST_CASE("acceptance: K03: members before their object, and no room at first") {
    NativeWorld world;
    const auto blocker = world.create(tests::pod("blocker", 2000, 1));
    world.settle();
    REQUIRE(world.is_bound(blocker));
    const std::vector<std::string> pods = {world.add("a"), world.add("b"), world.add("c")};
    world.pass();
    CHECK(world.bound_count(pods) == 0);
    CHECK(tests::says(world, pods[0], "PodGroup not found"));
    world.groups["etl/g"] = core::PodGroup{3, {}, {}};
    world.pass();
    CHECK(world.bound_count(pods) == 0);
    CHECK(world.condition_of_group() == GroupCondition::unschedulable);
    world.remove_pod(blocker);
    world.pass();
    CHECK(world.bound_count(pods) == 3);
    CHECK(world.condition_of_group() == GroupCondition::scheduled);
}

TEST_CASE("acceptance: K11, K12: members and a node come while the gang waits") {
    NativeWorld world(2);
    world.groups["etl/g"] = core::PodGroup{3, {}, {}};
    std::vector<std::string> pods = {world.add("a", 2000), world.add("b", 2000)};
    world.pass();
    CHECK(world.bound_count(pods) == 0);
    pods.push_back(world.add("c", 2000));
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(tests::says(world, pods[0], "needs 3 pods"));
    SUBCASE("K11: the fourth comes after the node") {
        world.add_node(tests::node("n2", 6, 1024));
        world.settle();
        CHECK(world.bound_count(pods) == 3);
        pods.push_back(world.add("d", 2000));
    }
    SUBCASE("K12: it comes while the gang still waits") {
        pods.push_back(world.add("d", 2000));
        world.settle();
        CHECK(world.bound_count(pods) == 0);
        world.add_node(tests::node("n2", 6, 1024));
    }
    world.pass();
    CHECK(world.bound_count(pods) == 4);
}

TEST_CASE("acceptance: C01, C02: of two groups one has room, whoever comes between") {
    MemoryWorld world;
    world.groups["etl/p1"] = core::PodGroup{3, {}, {}};
    world.groups["etl/p2"] = core::PodGroup{4, {}, {}};
    std::vector<std::string> first;
    std::vector<std::string> second;
    bool is_interleaved = false;
    SUBCASE("C01: in order") {}
    SUBCASE("C02: interleaved") { is_interleaved = true; }
    for (int i = 0; i < 4; ++i) {
        const std::string number = std::to_string(i);
        if (i < 3) first.push_back(world.add("p1-" + number, "p1", 50, 1'000 + i));
        second.push_back(
            world.add("p2-" + number, "p2", 100, is_interleaved ? 1'000 + i : 2'000));
    }
    world.advance(60'000);
    CHECK(world.bound_count(first) == 3);
    CHECK(world.bound_count(second) == 0);
}

TEST_CASE("acceptance: C04, C06: of higher priority goes first") {
    MemoryWorld world(priority_first());
    std::vector<std::string> higher;
    std::vector<std::string> lower;
    SUBCASE("C04: two groups") {
        world.groups["etl/p1"] = core::PodGroup{3, {}, {}};
        world.groups["etl/p2"] = core::PodGroup{3, {}, {}};
        for (int i = 0; i < 3; ++i) {
            const std::string number = std::to_string(i);
            lower.push_back(world.add("p1-" + number, "p1", 100, 1'000));
            higher.push_back(world.add("p2-" + number, "p2", 50, 2'000, 10));
        }
    }
    SUBCASE("C06: a group, and pods of no group") {
        world.groups["etl/p1"] = core::PodGroup{3, {}, {}};
        for (int i = 0; i < 3; ++i) {
            const std::string number = std::to_string(i);
            lower.push_back(world.add("p1-" + number, "p1", 50, 1'000));
            higher.push_back(world.add("regular-" + number, "", 100, 2'000, 10));
        }
    }
    world.advance(60'000);
    CHECK(world.bound_count(higher) == 3);
    CHECK(world.bound_count(lower) == 0);
}
