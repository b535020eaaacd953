// Queues as they are shown, with a file that has some and without one.

#include "gang/view/queue_views.hpp"

#include "tests/gang/in_queues.hpp"
#include "tests/gang/preempt/evicting.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

using tests::World;

namespace {

gang::QueueView view_of(const World& world, const std::string& name) {
    for (gang::QueueView& view : world.scheduler->queues()) {
        if (view.name == name) return std::move(view);
    }
    FAIL("there is no queue " << name);
    return {};
}

}  // namespace

TEST_CASE("queue views: without queues in the file there is one, in which everybody is") {
    World world;
    CHECK(world.scheduler->queues().size() == 1);
    CHECK(world.scheduler->queues()[0] == [] {
        gang::QueueView empty;
        empty.name = "root.default";
        return empty;
    }());
    core::Node node = tests::node("n1", 8, 64 * 1024);
    node.allocatable.extended = {{"nvidia.com/gpu", 4}};
    world.add_node(node);
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    world.create_executors(driver, 2);
    core::Pod lone = tests::pod("lone", 500, 100);
    lone.requests.extended = {{"nvidia.com/gpu", 1}};
    world.create(lone);
    core::Pod other = tests::pod("other", 1'000, 100);  // of another scheduler: not in the queue
    other.scheduler_name = "another";
    other.node_name = "n1";
    world.create(other);
    world.settle();
    world.submit("never", 30, 2);
    world.advance(5'000);
    REQUIRE(world.scheduler->queues().size() == 1);
    const gang::QueueView view = world.scheduler->queues()[0];
    CHECK(view.name == "root.default");
    CHECK(view.is_leaf);
    CHECK(view.usage.cpu_milli == 4'500);
    CHECK(view.usage.memory_bytes == (4 * 1408 + 100) * tests::mebibyte);
    CHECK(view.usage.extended_amount("nvidia.com/gpu") == 1);
    CHECK(view.running == 2);  // a gang and a lone pod
    CHECK(view.waiting == 0);  // what never fits does not wait
    CHECK(view.head.empty());
    CHECK(view.share_millionths == 562'500);  // 4500 of 8000
    world.submit("second", 5, 4);
    world.submit("first", 5, 3);
    core::Pod misread = tests::pod("misread", 500, 100);
    misread.problem = "its requests cannot be read";
    misread.created = 2;
    world.create(misread);
    world.advance(5'000);
    CHECK(world.scheduler->queues()[0].waiting == 2);
    CHECK(world.scheduler->queues()[0].head == "etl/first");
}

TEST_CASE("queue views: what a gang holds for executors that are to come is in use") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.submit("a", 3, 1);
    world.settle();
    CHECK(world.scheduler->queues()[0].usage.cpu_milli == 4'000);
    CHECK(world.scheduler->queues()[0].running == 1);
    CHECK(world.scheduler->queues()[0].share_millionths == 500'000);
}

TEST_CASE("queue views: an executor beyond its gang's slots is of a gang that runs, not one that waits") {
    World world;
    world.add_node(tests::node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 1, 1);
    world.settle();
    world.create_executors(driver, 1);
    core::Pod hungry = tests::executor("hungry", world.pod(driver));
    hungry.requests.cpu_milli = 3'000;
    const auto surplus = world.create(hungry);
    world.advance(5'000);
    REQUIRE_FALSE(world.is_bound(surplus));
    CHECK(world.scheduler->queues()[0].waiting == 0);
    CHECK(world.scheduler->queues()[0].running == 1);
    CHECK(world.scheduler->what_if({}).waiting == 0);
}

TEST_CASE("queue views: a queue of the file with what it says, holds, and who waits there and below") {
    config::Queue etl = tests::limited("etl", 5);
    etl.weight = 3;
    etl.max_gangs = 7;
    World world(tests::with_queues({etl, tests::queue("ml")}, World::sealed_schema()));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    tests::submit(world, "first", "etl", 2, 1);
    tests::submit(world, "never", "etl", 5, 2);   // more than its limit
    tests::submit(world, "second", "etl", 3, 3);  // waits for the limit
    tests::submit(world, "third", "etl", 1, 4);
    tests::submit(world, "large", "ml", 40, 5);  // never fits
    world.advance(2'000);
    const gang::QueueView view = view_of(world, "root.etl");
    CHECK(view.parent == "root");
    CHECK(view.object.empty());
    CHECK(view.is_leaf);
    CHECK_FALSE(view.is_stopped);
    CHECK(view.weight == 3);
    CHECK(view.max_gangs == 7);
    CHECK(view.limit == std::vector<core::ExtendedResource>{{"cpu", 5'000}});
    CHECK(view.usage.cpu_milli == 3'000);
    CHECK(view.running == 1);
    CHECK(view.waiting == 2);
    CHECK(view.head == "etl/second");
    CHECK(view.head_start_ms == 0);
    CHECK(view.share_millionths == 62'500);
    const gang::QueueView root = view_of(world, "root");
    CHECK(root.parent.empty());
    CHECK_FALSE(root.is_leaf);
    CHECK(root.usage.cpu_milli == 3'000);
    CHECK(root.running == 1);
    CHECK(root.waiting == 2);
    CHECK(root.head.empty());  // of leaves only
    CHECK(view_of(world, "root.ml").waiting == 0);
    CHECK(view_of(world, "root.ml").head.empty());
}

TEST_CASE("queue views: when the head of a queue is expected to start") {
    config::Schema schema = tests::with_queues({tests::queue("etl")}, World::sealed_schema());
    schema.backfill.mode = config::BackfillMode::easy;
    World world(schema);
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const auto submit = [&world](const std::string& name, std::int64_t executors) {
        core::Pod driver = tests::driver(name);
        driver.created = world.now_ms / 1000;
        driver.annotations = {
            {"gang-scheduler/expected-duration", "10m"}, {"gang-scheduler/queue", "etl"}};
        const std::string uid = world.submit(std::move(driver), tests::conf(executors));
        world.advance(1'200);
        return uid;
    };
    submit("runs", 3);
    const auto head = submit("head", 3);
    submit("behind", 3);
    const gang::QueueView view = view_of(world, "root.etl");
    CHECK(view.head == "etl/head");
    CHECK(view.waiting == 2);
    CHECK(view.head_start_ms > world.now_ms);
    CHECK(view.head_start_ms == world.view(head).start_ms);
    CHECK(view_of(world, "root").head_start_ms == 0);
}
