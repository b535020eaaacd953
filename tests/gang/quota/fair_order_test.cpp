// A queue that is fair between users: whose turn it is, and who blocks whom.
#include "tests/gang/in_queues.hpp"
#include "tests/gang/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <tuple>
#include <vector>

using tests::queue;
using tests::says;
using tests::with_queues;
using tests::World;

namespace {

config::Queue fair_queue() {
    config::Queue made = queue("etl");
    made.order = config::QueueOrder::fair;
    return made;
}

World fair_world(config::Queue made, std::int64_t cpu) {
    World world(with_queues({std::move(made)}, World::sealed_schema()));
    world.add_node(tests::node("n1", cpu, 64 * 1024));
    return world;
}

std::string lone_of(
    World& world,
    const std::string& user,
    std::int64_t created,
    std::int64_t cpu = 1,
    std::int64_t memory_mib = 1) {
    core::Pod pod = tests::pod(user + "-" + std::to_string(created), cpu * 1000, memory_mib);
    pod.created = created;
    pod.service_account = user;
    pod.annotations = {{"gang-scheduler/queue", "etl"}};
    return world.create(std::move(pod));
}

std::vector<std::string> names_bound(const World& world) {
    std::vector<std::string> names;
    for (const gang::BindPod& bind : world.binds) {
        names.push_back(bind.pod.name);
    }
    return names;
}

}  // namespace

TEST_CASE("fair order: users take turns, however many jobs one of them has") {
    World world = fair_world(fair_queue(), 5);
    for (int i = 1; i <= 6; ++i) {
        lone_of(world, "ann", i);
    }
    lone_of(world, "bob", 7);
    lone_of(world, "bob", 8);
    lone_of(world, "eve", 9);
    world.advance(2'000);
    CHECK(
        names_bound(world) ==
        std::vector<std::string>{"ann-1", "bob-7", "eve-9", "ann-2", "bob-8"});
}

TEST_CASE("fair order: whole gangs, by what their user holds with all executors") {
    World world = fair_world(fair_queue(), 9);
    const auto submit_of = [&](const std::string& user, std::int64_t executors, std::int64_t at) {
        core::Pod pod = tests::driver(user + "-" + std::to_string(at));
        pod.created = at;
        pod.service_account = user;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        return world.submit(std::move(pod), tests::conf(executors));
    };
    submit_of("ann", 4, 1);
    submit_of("ann", 1, 2);
    submit_of("bob", 1, 3);
    submit_of("bob", 1, 4);
    world.advance(2'000);
    CHECK(names_bound(world) == std::vector<std::string>{"ann-1", "bob-3", "bob-4"});
}

TEST_CASE("fair order: after a restart what runs counts as before") {
    World world = fair_world(fair_queue(), 4);
    std::vector<std::string> of_ann;
    for (int i = 1; i <= 4; ++i) {
        of_ann.push_back(lone_of(world, "ann", i));
    }
    world.advance(2'000);
    REQUIRE(world.bound_count(of_ann) == 4);
    const std::string ann = lone_of(world, "ann", 5);
    const std::string bob = lone_of(world, "bob", 6);
    world.restart();
    world.set_phase(of_ann.front(), core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(bob));
    CHECK_FALSE(world.is_bound(ann));
    says(world, ann, "[WaitingForCapacity]");
    bool is_shown = false;
    for (const gang::QueueView& view : world.scheduler->queues()) {
        is_shown = is_shown || (view.name == "root.etl" && view.head == "etl/ann-5" &&
                                view.order == config::QueueOrder::fair);
    }
    CHECK(is_shown);
}

TEST_CASE("fair order: nobody passes the first user's large gang on the nodes that it waits for") {
    World world = fair_world(fair_queue(), 8);
    std::vector<std::string> of_ann;
    for (int i = 1; i <= 8; ++i) {
        of_ann.push_back(lone_of(world, "ann", i));
    }
    world.advance(2'000);
    const std::string large = lone_of(world, "bob", 20, 4);
    const std::string small = lone_of(world, "ann", 10);
    world.advance(2'000);
    for (int i = 0; i < 3; ++i) {
        world.set_phase(of_ann[static_cast<std::size_t>(i)], core::PodPhase::succeeded);
        world.advance(2'000);
        CHECK_FALSE(world.is_bound(large));
        CHECK_FALSE(world.is_bound(small));
    }
    says(world, small, "1 gang is ahead, first etl/bob-20");
    world.set_phase(of_ann[3], core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(large));
    CHECK_FALSE(world.is_bound(small));
}

TEST_CASE("fair order: who waits for a limit of his own keeps nobody of his queue waiting") {
    config::Queue made = fair_queue();
    made.user_limit = {{"cpu", 2'000}};
    World world = fair_world(made, 16);
    const std::string first = lone_of(world, "ann", 1, 2);
    const std::string second = lone_of(world, "ann", 2);
    const std::string other = lone_of(world, "bob", 3);
    world.advance(2'000);
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    says(world, second, "user etl/ann in queue root.etl has 2 cpu in use by 1 gang, its limit is 2");
    CHECK(world.is_bound(other));
}

TEST_CASE("fair order: another order comes with another file, and nothing running is touched") {
    config::Queue made = fair_queue();
    World world = fair_world(made, 2);
    const std::string first = lone_of(world, "ann", 1);
    const std::string second = lone_of(world, "ann", 2);
    const std::string third = lone_of(world, "ann", 3);
    world.advance(2'000);
    REQUIRE(world.is_bound(second));
    const std::string bob = lone_of(world, "bob", 4);
    made.order = config::QueueOrder::fifo;
    world.reconfigure(with_queues({made}, World::sealed_schema()));
    world.advance(2'000);
    world.set_phase(first, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(third));
    CHECK_FALSE(world.is_bound(bob));
    made.order = config::QueueOrder::fair;
    world.reconfigure(with_queues({made}, World::sealed_schema()));
    const std::string fourth = lone_of(world, "ann", 3);
    world.advance(2'000);
    world.set_phase(second, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(bob));
    CHECK_FALSE(world.is_bound(fourth));
}

// The definition, as plainly as it can be written: nothing but cpu is ever short.
TEST_CASE("fair order: each turn is that of who holds least, whatever has been drawn") {
    tests::Random random("fair order");
    constexpr std::int64_t cpus = 12;
    constexpr std::int64_t memory_mib = 64 * 1024;
    for (int life = 0; life < 40; ++life) {
        CAPTURE(life);
        World world = fair_world(fair_queue(), cpus);
        struct Job {
            std::string uid;
            std::string user;
            std::int64_t created = 0;
            std::int64_t memory = 0;
        };
        std::vector<Job> waiting;
        std::vector<Job> running;
        std::int64_t now = 0;
        for (int round = 0; round < 8; ++round) {
            for (std::int64_t i = random.between(0, 8); i > 0; --i) {
                const std::string user(1, static_cast<char>('a' + random.between(0, 3)));
                const std::int64_t memory = random.between(1, 12) * 256;
                waiting.push_back({lone_of(world, user, ++now, 1, memory), user, now, memory});
            }
            for (std::int64_t i = random.between(0, 4); i > 0 && !running.empty(); --i) {
                const auto ends =
                    running.begin() + random.between(0, static_cast<std::int64_t>(running.size()) - 1);
                world.set_phase(ends->uid, core::PodPhase::succeeded);
                running.erase(ends);
            }
            std::vector<std::string> expected;
            while (static_cast<std::int64_t>(running.size()) < cpus && !waiting.empty()) {
                const auto share = [&](const Job& job) {
                    std::int64_t held_cpus = 0;
                    std::int64_t held_memory = 0;
                    for (const Job& other : running) {
                        held_cpus += other.user == job.user ? 1 : 0;
                        held_memory += other.user == job.user ? other.memory : 0;
                    }
                    return std::tuple(
                        std::max(held_cpus * memory_mib, held_memory * cpus), job.created);
                };
                const auto next = std::min_element(
                    waiting.begin(), waiting.end(), [&](const Job& a, const Job& b) {
                        return share(a) < share(b);
                    });
                expected.push_back(next->user + "-" + std::to_string(next->created));
                running.push_back(*next);
                waiting.erase(next);
            }
            world.binds.clear();
            world.advance(3'000);
            REQUIRE(names_bound(world) == expected);
        }
        CHECK(world.violations.empty());
    }
}
