// Queues end to end, by what the API server sees: who is bound, who waits, and what he is told.
// World::settle() checks after each step that what queues hold is what a count from scratch finds.
#include "core/value/quantity.hpp"
#include "gang/quota/quota_messages.hpp"
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

using tests::limited;
using tests::queue;
using tests::says;
using tests::submit;
using tests::with_queues;
using tests::World;

namespace {

World world_of(std::vector<config::Queue> queues) {
    return World(with_queues(std::move(queues), World::sealed_schema()));
}

std::string lone(
    World& world,
    const std::string& name,
    const std::string& queue,
    std::int64_t created,
    std::int64_t cpu = 1) {
    core::Pod pod = tests::pod(name, cpu * 1000, 100);
    pod.created = created;
    pod.annotations = {{"gang-scheduler/queue", queue}};
    return world.create(std::move(pod));
}

}  // namespace

TEST_CASE("queues: amounts are said as Kubernetes writes them") {
    constexpr std::int64_t three = std::int64_t{3} << 30;
    CHECK(gang::amount_text("cpu", 1'500) == core::format_cpu(1'500));
    CHECK(gang::amount_text("memory", three) == core::format_bytes(three));
    CHECK(gang::amount_text("nvidia.com/gpu", three) == std::to_string(three));
    CHECK(gang::amount_text("nvidia.com/gpu", 2'048) == "2048");
}

TEST_CASE("queues: a limit holds for gangs, and who waits for it is told the numbers") {
    World world = world_of({limited("etl", 5), queue("ml")});
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string first = submit(world, "first", "etl", 2, 1);
    const std::string second = submit(world, "second", "etl", 3, 2);
    const std::string never = submit(world, "never", "etl", 5, 3);
    const std::string other = submit(world, "other", "root.ml", 3, 4);
    world.advance(2'000);
    CHECK(world.is_bound(first));
    CHECK_FALSE(world.is_bound(second));
    CHECK(world.is_bound(other));
    says(
        world, second, "queue root.etl has 3 cpu in use by 1 gang, its limit is 5, and it needs 4");
    says(world, second, "[WaitingForQuota]");
    CHECK(world.pod(second).scheduled->reason == "SchedulingSkipped");
    CHECK_FALSE(world.is_bound(never));
    says(
        world,
        never,
        "it needs 6 cpu, and queue root.etl has a limit of 5; needs 1 driver + 5 "
        "executors (6 cpu, 8448Mi memory) [ExceedsQuota]");

    world.set_phase(first, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(second));
    CHECK_FALSE(world.is_bound(never));
}

TEST_CASE("queues: in a fifo queue those behind wait for the same limit, and nobody else") {
    config::Queue etl = limited("etl", 5);
    etl.limit.push_back({"nvidia.com/gpu", 1});
    SUBCASE("by creation") {
        World world = world_of({etl, queue("ml")});
        world.add_node(tests::node("n1", 16, 64 * 1024));
        const std::string first = submit(world, "first", "etl", 2, 1);
        const std::string second = submit(world, "second", "etl", 3, 2);
        const std::string third = submit(world, "third", "etl", 1, 3);
        const std::string pod = lone(world, "pod", "etl", 4);
        const std::string other = submit(world, "other", "ml", 1, 5);
        world.advance(2'000);
        CHECK(world.is_bound(first));
        CHECK_FALSE(world.is_bound(third));
        CHECK_FALSE(world.is_bound(pod));
        CHECK(world.is_bound(other));
        says(
            world, third, "gangs before it in queue root.etl wait for quota that it needs as well");
        world.remove_application(second);
        world.advance(2'000);
        CHECK(world.is_bound(third));
        CHECK_FALSE(world.is_bound(pod));
        says(world, pod, "[WaitingForQuota]");
    }
    SUBCASE("who uses another limit goes on") {
        World world = world_of({etl});
        core::Node node = tests::node("n1", 16, 64 * 1024);
        node.allocatable.extended = {{"nvidia.com/gpu", 4}};
        world.add_node(node);
        const auto with_gpu = [&](const std::string& name, std::int64_t created) {
            core::Pod pod = tests::pod(name, 0, 100);
            pod.requests.extended = {{"nvidia.com/gpu", 1}};
            pod.created = created;
            pod.annotations = {{"gang-scheduler/queue", "etl"}};
            return world.create(std::move(pod));
        };
        const std::string first = with_gpu("first", 1);
        const std::string second = with_gpu("second", 2);
        const std::string third = lone(world, "third", "etl", 3);
        world.advance(2'000);
        CHECK(world.is_bound(first));
        CHECK_FALSE(world.is_bound(second));
        says(world, second, "has 1 nvidia.com/gpu in use");
        CHECK(world.is_bound(third));
    }
    SUBCASE("by priority: the smaller one goes on") {
        etl.order = config::QueueOrder::priority;
        World world = world_of({etl});
        world.add_node(tests::node("n1", 16, 64 * 1024));
        const std::string first = submit(world, "first", "etl", 2, 1);
        world.advance(100);
        const std::string large = submit(world, "large", "etl", 3, 2, 100);
        const std::string small = submit(world, "small", "etl", 1, 3, 1);
        world.advance(2'000);
        CHECK(world.is_bound(first));
        CHECK_FALSE(world.is_bound(large));
        CHECK(world.is_bound(small));
    }
}

TEST_CASE("queues: a queue by priority, and one by creation") {
    for (const bool by_priority : {true, false}) {
        CAPTURE(by_priority);
        config::Queue etl = queue("etl");
        etl.order = by_priority ? config::QueueOrder::priority : config::QueueOrder::fifo;
        World world = world_of({etl});
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string running = submit(world, "running", "etl", 3, 1);
        world.settle();
        const std::string low = submit(world, "low", "etl", 3, 2, -5);
        const std::string middle = submit(world, "middle", "etl", 3, 3, 7);
        const std::string high = submit(world, "high", "etl", 3, 4, 1000);
        const std::string equal = submit(world, "equal", "etl", 3, 5, 1000);
        world.advance(2'000);
        std::vector<std::string> order;
        std::string runs = running;
        const std::vector<std::string> waiting = {low, middle, high, equal};
        for (int i = 0; i < 4; ++i) {
            world.set_phase(runs, core::PodPhase::succeeded);
            world.advance(1'000);
            for (const std::string& uid : waiting) {
                if (world.is_bound(uid) &&
                    std::find(order.begin(), order.end(), uid) == order.end()) {
                    order.push_back(uid);
                    runs = uid;
                }
            }
        }
        CHECK(
            order == (by_priority ? std::vector{high, equal, middle, low}
                                  : std::vector{low, middle, high, equal}));
    }
}

TEST_CASE("queues: where age counts, an hour of waiting is worth so many points of priority") {
    struct Case {
        std::int64_t per_hour;
        std::int64_t later_s;  ///< the high one is created so much later
        bool is_high_first;
    };
    for (const Case& one :
         {Case{0, 360'000, true},
          Case{100, 35'900, true},
          Case{100, 36'000, false},
          Case{1'000'000, 3, true},
          Case{1'000'000, 4, false},
          Case{std::numeric_limits<std::int64_t>::max(), 1, false},  // of a recording: no file may
          Case{1, 3'596'000, true}}) {
        CAPTURE(one.per_hour);
        CAPTURE(one.later_s);
        config::Queue etl = queue("etl");
        etl.order = config::QueueOrder::priority;
        etl.aging_per_hour = one.per_hour;
        World world = world_of({etl});
        world.add_node(tests::node("n1", 4, 64 * 1024));
        const std::string running = submit(world, "running", "etl", 3, 1);
        world.settle();
        constexpr std::int64_t first_s = 7'200;
        const std::string low = submit(world, "low", "etl", 3, first_s);
        const std::string high = submit(world, "high", "etl", 3, first_s + one.later_s, 1'000);
        world.advance(1'000);
        world.set_phase(running, core::PodPhase::succeeded);
        world.advance(2'000);
        CHECK(world.is_bound(one.is_high_first ? high : low));
        CHECK_FALSE(world.is_bound(one.is_high_first ? low : high));
    }
}

TEST_CASE("queues: room goes to queues by their weights, and to nobody past a smaller share") {
    config::Queue a = queue("a");
    config::Queue b = queue("b");
    b.weight = 3;
    World world = world_of({a, b});
    world.add_node(tests::node("n1", 8, 64 * 1024));
    std::vector<std::string> of_a;
    std::vector<std::string> of_b;
    for (int i = 0; i < 8; ++i) {
        of_a.push_back(lone(world, "a-" + std::to_string(i), "a", 1 + i));
        of_b.push_back(lone(world, "b-" + std::to_string(i), "b", 100 + i));
    }
    world.settle();
    CHECK(world.bound_count(of_a) == 2);
    CHECK(world.bound_count(of_b) == 6);

    SUBCASE("the head of the queue with the smaller share gets what comes free first") {
        const std::string large = submit(world, "large", "a", 3, 500);
        world.settle();
        for (int i = 0; i < 3; ++i) {  // three of b's end: b's share is still the larger one
            world.set_phase(of_b[static_cast<std::size_t>(i)], core::PodPhase::succeeded);
        }
        world.settle();
        CHECK(world.bound_count(of_a) + world.bound_count(of_b) == 11);
    }
}

TEST_CASE("queues: KB-2: requests 8 and 2 beside weights 1 and 3, and what is not asked for") {
    config::Queue a = queue("a");
    config::Queue b = queue("b");
    b.weight = 3;
    for (const auto& [pods_a, pods_b, got_a, got_b] :
         {std::tuple{8, 8, 2, 6}, std::tuple{1, 8, 1, 7}, std::tuple{1, 2, 1, 2}}) {
        World world = world_of({a, b});
        world.add_node(tests::node("n1", 8, 64 * 1024));
        std::vector<std::string> of_a;
        std::vector<std::string> of_b;
        for (int i = 0; i < pods_a; ++i) {
            of_a.push_back(lone(world, "a-" + std::to_string(i), "a", 1 + i));
        }
        for (int i = 0; i < pods_b; ++i) {
            of_b.push_back(lone(world, "b-" + std::to_string(i), "b", 1 + i));
        }
        world.settle();
        CHECK(world.bound_count(of_a) == got_a);
        CHECK(world.bound_count(of_b) == got_b);
    }
}

TEST_CASE("queues: KB-2b: weights 1, 2 and 2, requests 100, 10 and 100 of 100") {
    std::vector<config::Queue> queues = {queue("a"), queue("b"), queue("c")};
    queues[1].weight = 2;
    queues[2].weight = 2;
    World world = world_of(queues);
    core::Node node = tests::node("n1", 100, 512 * 1024);
    node.pods = 500;
    world.add_node(node);
    std::vector<std::vector<std::string>> pods(3);
    for (const auto& [at, name, count] :
         {std::tuple{0, "a", 100}, std::tuple{1, "b", 10}, std::tuple{2, "c", 100}}) {
        for (int i = 0; i < count; ++i) {
            pods[static_cast<std::size_t>(at)].push_back(
                lone(world, std::string(name) + std::to_string(i), name, 1));
        }
    }
    world.settle();
    CHECK(world.bound_count(pods[0]) == 30);
    CHECK(world.bound_count(pods[1]) == 10);
    CHECK(world.bound_count(pods[2]) == 60);
}

TEST_CASE("queues: below its guarantee a queue goes first, at each level of the tree") {
    config::Queue guaranteed = queue("team.prod");
    guaranteed.guarantee = {{"cpu", 3'000}};
    World world = world_of({guaranteed, queue("team.dev"), queue("other")});
    world.add_node(tests::node("n1", 4, 64 * 1024));
    std::vector<std::string> dev;
    std::vector<std::string> other;
    std::vector<std::string> prod;
    for (int i = 0; i < 4; ++i) {
        dev.push_back(lone(world, "dev-" + std::to_string(i), "team.dev", 1 + i));
        other.push_back(lone(world, "other-" + std::to_string(i), "other", 1 + i));
        prod.push_back(lone(world, "prod-" + std::to_string(i), "team.prod", 50 + i));
    }
    world.settle();
    CHECK(world.bound_count(prod) == 3);
    CHECK(world.bound_count(other) == 1);
    CHECK(world.bound_count(dev) == 0);
}

TEST_CASE(
    "queues: who asks for a queue that is not there, or not his, is told so and can mend it") {
    config::Queue closed = queue("closed");
    closed.users = {"etl/boss"};
    config::Queue ours = queue("ours");
    ours.namespaces = {"etl"};
    World world = world_of({closed, ours, queue("deep.leaf")});
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string unknown = submit(world, "unknown", "nowhere", 1, 1);
    const std::string forbidden = submit(world, "forbidden", "closed", 1, 2);
    const std::string inner = lone(world, "inner", "deep", 3);
    const std::string fine = submit(world, "fine", "ours", 1, 4);
    const std::string silent = submit(world, "silent", "", 1, 5);
    core::Pod pod = tests::pod("boss", 1000, 100);
    pod.service_account = std::string("boss");
    pod.annotations = {{"gang-scheduler/queue", "closed"}};
    const std::string boss = world.create(pod);
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(unknown));
    says(world, unknown, "queue \"nowhere\" is not found [Misconfigured]");
    CHECK_FALSE(world.is_bound(forbidden));
    says(world, forbidden, "queue \"closed\" is not open to service account etl/default");
    CHECK_FALSE(world.is_bound(inner));
    says(world, inner, "queue \"deep\" has queues below it");
    CHECK(world.is_bound(fine));
    CHECK(world.is_bound(silent));
    CHECK(world.reservation(silent)->queue == "root.default");
    CHECK(world.reservation(fine)->queue == "root.ours");
    CHECK(world.is_bound(boss));

    for (const std::string& uid : {unknown, forbidden, inner}) {
        world.change_pod(uid, [](core::Pod& changed) {
            changed.annotations = {{"gang-scheduler/queue", "ours"}};
        });
    }
    world.advance(2'000);
    CHECK(world.is_bound(unknown));
    CHECK(world.is_bound(forbidden));
    CHECK(world.is_bound(inner));
}

TEST_CASE("queues: however many wait, each is told why, a tick's work at a time") {
    World world = world_of({queue("etl"), queue("ml")});
    core::Node node = tests::node("n1", 2'000, 8 * 1024 * 1024);
    node.pods = 5'000;
    world.add_node(node);
    const std::string runs = submit(world, "runs", "ml", 1'500, 1);
    world.settle();
    REQUIRE(world.is_bound(runs));
    std::vector<std::string> waiting;
    for (int i = 0; i < 1'500; ++i) {
        const std::string name = "next-" + std::to_string(i);
        waiting.push_back(submit(world, name, i % 2 == 0 ? "etl" : "ml", 1'000 + i % 400, 2 + i));
    }
    world.advance(20'000);
    std::int64_t untold = 0;
    for (const std::string& uid : waiting) {
        untold += world.condition(uid).empty() ? 1 : 0;
    }
    CHECK(untold == 0);
}

TEST_CASE("queues: users and the number of gangs have limits of their own") {
    config::Queue etl = queue("etl");
    etl.user_limit = {{"cpu", 2'000}};
    etl.max_gangs = 3;
    World world = world_of({etl});
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto of_user = [&](const std::string& name, const std::string& user, std::int64_t at) {
        core::Pod pod = tests::pod(name, 1000, 100);
        pod.created = at;
        pod.service_account = user;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        return world.create(std::move(pod));
    };
    std::vector<std::string> pods;
    for (int i = 0; i < 3; ++i) {
        pods.push_back(of_user("x" + std::to_string(i), "x", 1 + i));
    }
    pods.push_back(of_user("y0", "y", 10));
    pods.push_back(of_user("y1", "y", 11));
    world.advance(2'000);
    CHECK(world.is_bound(pods[0]));
    CHECK(world.is_bound(pods[1]));
    CHECK_FALSE(world.is_bound(pods[2]));
    says(
        world, pods[2], "user etl/x in queue root.etl has 2 cpu in use by 2 gangs, its limit is 2");
    for (const gang::QueueView& view : world.scheduler->queues()) {
        CHECK(view.user_limit.empty() == (view.name != "root.etl"));
        CHECK((view.user_limit.empty() || view.user_limit == etl.user_limit));
    }
    CHECK(world.is_bound(pods[3]));
    CHECK_FALSE(world.is_bound(pods[4]));
    says(world, pods[4], "queue root.etl holds 3 gangs, at most 3: it starts when one of them");
    world.set_phase(pods[3], core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(pods[4]));
}

TEST_CASE("queues: members beyond their group's minimum are no gangs of their own") {
    config::Queue etl = queue("etl");
    etl.max_gangs = 2;
    World world = world_of({etl});
    world.add_node(tests::node("n1", 16, 64 * 1024));
    world.groups["etl/g"] = core::PodGroup{2, {}, {}};
    std::vector<std::string> members;
    for (const char* name : {"g-0", "g-1", "g-2", "g-3"}) {
        core::Pod pod = tests::pod(name, 1'000, 100);
        pod.created = 1;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
        members.push_back(world.create(std::move(pod)));
    }
    world.advance(2'000);
    CHECK(world.bound_count(members) == 4);
    const std::string second = lone(world, "second", "etl", 2);
    const std::string third = lone(world, "third", "etl", 3);
    world.advance(2'000);
    CHECK(world.is_bound(second));
    CHECK_FALSE(world.is_bound(third));
    says(world, third, "queue root.etl holds 2 gangs, at most 2: it starts when one of them");
}

TEST_CASE("queues: executors beyond their gang's slots are held to its limit") {
    World world = world_of({limited("etl", 3)});
    world.add_node(tests::node("n1", 16, 64 * 1024));
    core::Pod pod = tests::driver("app");
    pod.annotations = {{"gang-scheduler/queue", "etl"}};
    const std::string app = world.submit(
        pod,
        tests::with(
            tests::with(tests::conf(1), "spark.dynamicAllocation.enabled", "true"),
            "spark.dynamicAllocation.maxExecutors",
            "10"));
    world.settle();
    REQUIRE(world.is_bound(app));
    world.set_phase(app, core::PodPhase::running);
    const std::vector<std::string> executors = world.create_executors(app, 4);
    world.advance(2'000);
    CHECK(world.bound_count(executors) == 2);
    const std::string other = lone(world, "other", "default", 9);
    world.settle();
    CHECK(world.is_bound(other));
    const auto waits = std::find_if(
        executors.begin(), executors.end(), [&](const auto& uid) { return !world.is_bound(uid); });
    says(world, *waits, "[WaitingForQuota]");
    const auto runs = std::find_if(
        executors.begin(), executors.end(), [&](const auto& uid) { return world.is_bound(uid); });
    world.set_phase(*runs, core::PodPhase::succeeded);
    world.settle();
    CHECK(world.bound_count(executors) == 3);
}

TEST_CASE("queues: after a restart usage is counted again, and what is no queue any more is lost") {
    const auto before = with_queues({limited("etl", 4), limited("ml", 4)}, World::sealed_schema());
    World world(before);
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string gang = submit(world, "gang", "etl", 2, 1);
    const std::string pod = lone(world, "pod", "ml", 2, 3);
    world.settle();
    REQUIRE(world.is_bound(gang));
    REQUIRE(world.is_bound(pod));
    SUBCASE("the same queues") {
        world.restart();
        world.settle();
        const std::string next = submit(world, "next", "etl", 1, 5);
        world.settle();
        const std::string fits = lone(world, "fits", "etl", 6);
        world.advance(2'000);
        CHECK_FALSE(world.is_bound(next));
        says(world, next, "queue root.etl has 3 cpu in use by 1 gang, its limit is 4");
        CHECK_FALSE(world.is_bound(fits));
        const std::string more = lone(world, "more", "ml", 7, 2);
        world.advance(2'000);
        CHECK_FALSE(world.is_bound(more));
    }
    SUBCASE("another file") {
        world.set_schema(with_queues({limited("ml", 4)}, World::sealed_schema()));
        world.restart();
        const std::string next = submit(world, "next", "etl", 1, 5);
        world.advance(2'000);
        CHECK(world.is_bound(gang));
        says(world, next, "queue \"etl\" is not found");
        const auto queues = world.scheduler->queues();
        const auto lost = std::find_if(queues.begin(), queues.end(), [](const auto& view) {
            return view.name == "root.lost";
        });
        REQUIRE(lost != queues.end());
        CHECK(lost->usage.cpu_milli == 3'000);
        CHECK(lost->running == 1);
    }
    SUBCASE("from no queues to some") {
        World old(World::sealed_schema());
        old.add_node(tests::node("n1", 16, 64 * 1024));
        const std::string runs = submit(old, "runs", "etl", 2, 1);
        old.settle();
        REQUIRE(old.is_bound(runs));
        old.set_schema(before);
        old.restart();
        const std::string next = submit(old, "next", "etl", 1, 5);
        old.advance(2'000);
        says(old, next, "queue root.etl has 3 cpu in use by 1 gang, its limit is 4");
    }
}

TEST_CASE(
    "queues: a head that waits for room holds it against larger shares, not against others' "
    "quota") {
    World world = world_of({limited("a", 2), queue("b"), queue("c")});
    world.add_node(tests::node("n1", 6, 64 * 1024));
    const std::string running = submit(world, "running", "c", 3, 1);  // 4 cpu
    const std::string over = submit(world, "over", "a", 1, 2);        // 2 cpu: all of a's quota
    world.settle();
    REQUIRE(world.is_bound(over));
    const std::string quota = lone(world, "quota", "a", 3);
    const std::string head = submit(world, "head", "b", 2, 4);
    const std::string behind = lone(world, "behind", "c", 5);
    world.settle();
    world.set_phase(over, core::PodPhase::succeeded);  // 2 cpu are free, a's quota is, too
    world.advance(2'000);
    CHECK(world.is_bound(quota));  // a has the smallest share, and was first
    CHECK_FALSE(world.is_bound(head));
    CHECK_FALSE(world.is_bound(behind));
}

TEST_CASE("queues: more who wait than a tick has work for are all looked at") {
    std::vector<config::Queue> queues;
    for (int i = 0; i < 40; ++i) {
        queues.push_back(limited("q" + std::to_string(i), 2));
        if (i % 2 == 0) {
            queues.back().order = config::QueueOrder::priority;
        }
    }
    World world = world_of(queues);
    core::Node node = tests::node("n1", 200, 1024 * 1024);
    node.pods = 500;
    world.add_node(node);
    std::vector<std::string> pods;
    for (int i = 0; i < 4'000; ++i) {
        pods.push_back(lone(
            world, "p" + std::to_string(i), "q" + std::to_string(i % 40), 1 + i, 1 + i % 3 / 2));
    }
    world.advance(5'000);
    std::int64_t cpu = 0;
    for (const std::string& uid : pods) {
        cpu += world.is_bound(uid) ? world.pod(uid).requests.cpu_milli : 0;
    }
    CHECK(cpu >= 60'000);
    CHECK(cpu <= 80'000);
    for (const std::string& uid : pods) {
        if (!world.is_bound(uid) && world.condition(uid).empty()) {
            FAIL_CHECK(world.pod(uid).name << " was told nothing");
            break;
        }
    }
}

TEST_CASE("queues: gangs that wait for quota cost no attempt each, again and again") {
    config::Queue etl = queue("etl");
    etl.limit = {{"nvidia.com/gpu", 1}};
    World world = world_of({etl});
    core::Node node = tests::node("n1", 64, 512 * 1024);
    node.allocatable.extended = {{"nvidia.com/gpu", 8}};
    world.add_node(node);
    // Their drivers want none of it: each by himself might go on.
    const auto wants = [&](int number, int gpus) {
        core::Pod pod = tests::pod("g" + std::to_string(number), 10, 1);
        pod.created = 1 + number;
        pod.annotations = {
            {"gang-scheduler/executor-cpu", "10m"},
            {"gang-scheduler/executor-gpu", std::to_string(gpus)},
            {"gang-scheduler/executor-memory", "2Mi"},
            {"gang-scheduler/executors", "1"},
            {"gang-scheduler/queue", "etl"}};
        return world.create(std::move(pod));
    };
    std::vector<std::string> gangs;
    for (int i = 0; i < 1'800; ++i) {
        gangs.push_back(wants(2 * i, 1));
        gangs.push_back(wants(2 * i + 1, 2));  // never
    }
    world.settle();
    world.advance(5'000);
    CHECK(world.bound_count(gangs) == 1);
    CHECK(world.is_bound(gangs.front()));
    const auto before = world.scheduler->counters().attempts;
    world.remove_pod(gangs.front());
    world.settle();
    CHECK(world.is_bound(gangs[2]));
    CHECK(world.scheduler->counters().attempts - before < 20);
}

TEST_CASE(
    "queues: one that had less than its part while it waited is made good for, if the file says "
    "so") {
    auto schema = with_queues({queue("a"), queue("b")}, World::sealed_schema());
    bool goes_first = false;
    SUBCASE("nothing counts but what is held") {}
    SUBCASE("what was counts, too") {
        schema.fair_share.usage_half_life_ms = 3 * 3'600'000;
        goes_first = true;
    }
    World world(schema);
    world.add_node(tests::node("n1", 8, 64 * 1024));
    const std::string whole = lone(world, "whole", "a", 1, 8);
    world.advance(2'000);
    REQUIRE(world.is_bound(whole));
    const std::string half = lone(world, "half", "b", 2, 4);
    world.advance(3'600'000);
    REQUIRE_FALSE(world.is_bound(half));
    world.remove_pod(whole);
    const std::string other = lone(world, "other", "a", 3, 4);
    world.advance(2'000);
    REQUIRE(world.is_bound(half));
    REQUIRE(world.is_bound(other));
    const std::string next_of_a = lone(world, "next-of-a", "a", 4, 4);
    const std::string next_of_b = lone(world, "next-of-b", "b", 5, 4);
    world.advance(2'000);
    bool has_led_before = true;
    SUBCASE("the same leader") {}
    SUBCASE("another, who knows nothing of it") {
        world.restart();
        world.advance(2'000);
        has_led_before = false;
    }
    world.remove_pod(other);
    world.advance(2'000);
    CHECK(world.is_bound(next_of_b) == (goes_first && has_led_before));
    CHECK(world.is_bound(next_of_a) != (goes_first && has_led_before));
    CHECK(world.violations.empty());
}
