// What executors without a driver may do is another question in another file; and an event without a file is none.
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <string>

using tests::World;

namespace {

config::Schema with_orphans(config::OrphanExecutors orphans) {
    config::Schema schema = World::sealed_schema();
    schema.gang.orphan_executors = orphans;
    return schema;
}

std::string create_orphan(World& world, const std::string& name) {
    core::Pod pod = tests::pod(name, 500, 100);
    pod.labels = {{"spark-role", "executor"}};
    return world.create(std::move(pod));
}

}  // namespace

TEST_CASE("reconfigure: executors without a driver go by themselves as soon as the file lets them") {
    World world(with_orphans(config::OrphanExecutors::wait));
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto first = create_orphan(world, "first");
    world.advance(5'000);
    REQUIRE_FALSE(world.is_bound(first));
    world.reconfigure(with_orphans(config::OrphanExecutors::wait));
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(first));
    world.reconfigure(with_orphans(config::OrphanExecutors::schedule));
    world.advance(5'000);
    CHECK(world.is_bound(first));
    world.reconfigure(with_orphans(config::OrphanExecutors::wait));
    const auto second = create_orphan(world, "second");
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.is_bound(first));
}

TEST_CASE("reconfigure: a change without a file changes nothing") {
    World world(with_orphans(config::OrphanExecutors::wait));
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto waits = create_orphan(world, "waits");
    world.settle();
    world.step(gang::ConfigChanged{});
    world.settle();
    CHECK_FALSE(world.is_bound(waits));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    CHECK(world.is_bound(driver));
}

TEST_CASE("scheduler: whether so many pods name a group, or a driver does") {
    World world;
    world.add_node(tests::node("n1", 8, 16 * 1024));
    const auto has = [&world](const std::string& name, std::int64_t count, const std::string& space = "etl") {
        return world.scheduler->has_pods_of_group(core::GroupDialect::coscheduling, space, name, count);
    };
    CHECK_FALSE(has("g", 0));
    for (const char* name : {"g-0", "g-1"}) {
        core::Pod pod = tests::pod(name, 500, 100);
        pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
        world.create(pod);
    }
    world.settle();
    CHECK(has("g", 1));
    CHECK(has("g", 2));
    CHECK_FALSE(has("g", 3));
    CHECK_FALSE(has("h", 1));
    CHECK_FALSE(has("g", 1, "ml"));
    CHECK_FALSE(world.scheduler->has_pods_of_group(core::GroupDialect::volcano, "etl", "g", 1));
}
