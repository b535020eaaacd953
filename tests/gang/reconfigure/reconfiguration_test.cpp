// Another configuration in the middle of a life. World::settle() checks after each step that what
// queues hold is what a count from scratch finds.
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

using tests::limited;
using tests::queue;
using tests::says;
using tests::submit;
using tests::with_queues;
using tests::World;

namespace {

config::Schema file_of(std::vector<config::Queue> queues) {
    return with_queues(std::move(queues), World::sealed_schema());
}

/// Of each queue: cores in use, and gangs.
std::map<std::string, std::pair<std::int64_t, std::int64_t>> usage(const World& world) {
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> found;
    for (const gang::QueueView& view : world.scheduler->queues()) {
        found[view.name] = {view.usage.cpu_milli, view.running};
    }
    return found;
}

std::int64_t cores_in(const World& world, const std::string& name) {
    const auto all = usage(world);
    return all.contains(name) ? all.at(name).first / 1000 : -1;
}

void annotate(World& world, const std::string& uid, const std::string& key, const char* value) {
    world.change_pod(uid, [&](core::Pod& pod) {
        std::erase_if(pod.annotations, [&key](const auto& one) { return one.first == key; });
        pod.annotations.emplace_back(key, value);
        std::sort(pod.annotations.begin(), pod.annotations.end());
    });
}

}  // namespace

TEST_CASE("reconfigure: a higher limit lets those in who wait for it, a lower one evicts nobody") {
    World world(file_of({limited("etl", 3)}));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string first = submit(world, "first", "etl", 2, 1);
    const std::string second = submit(world, "second", "etl", 3, 2);
    world.advance(2'000);
    CHECK(world.is_bound(first));
    says(world, second, "[ExceedsQuota]");

    world.reconfigure(file_of({limited("etl", 7)}));
    world.advance(2'000);
    CHECK(world.is_bound(second));
    CHECK(cores_in(world, "root.etl") == 7);

    const auto writes = world.updates.size();
    world.reconfigure(file_of({limited("etl", 2)}));
    const std::string third = submit(world, "third", "etl", 1, 3);
    world.advance(5'000);
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
    CHECK(cores_in(world, "root.etl") == 7);
    CHECK_FALSE(world.is_bound(third));
    says(world, third, "has 7 cpu in use by 2 gangs, its limit is 2");
    CHECK(world.updates.size() == writes);
}

TEST_CASE("reconfigure: a queue that is gone is counted as lost, and comes back with its gangs") {
    World world(file_of({queue("etl"), queue("ml")}));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string runs = submit(world, "runs", "etl", 2, 1);
    world.advance(2'000);
    const std::string large = submit(world, "large", "etl", 13, 2);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(large));

    world.reconfigure(file_of({queue("ml")}));
    world.advance(2'000);
    CHECK(cores_in(world, "root.lost") == 3);
    CHECK(cores_in(world, "root.etl") == -1);
    says(world, large, "queue \"etl\" is not found [Misconfigured]");
    CHECK(world.view(runs).state != gang::GangState::ended);

    SUBCASE("what the gang has lost meanwhile is lost") {
        world.set_phase(runs, core::PodPhase::succeeded);
        world.advance(2'000);
        CHECK(cores_in(world, "root.lost") == 0);
    }
    SUBCASE("it comes back") {
        world.reconfigure(file_of({queue("etl"), queue("ml")}));
        world.advance(2'000);
        CHECK(cores_in(world, "root.lost") == 0);
        CHECK(cores_in(world, "root.etl") == 3);
        says(world, large, "[WaitingForCapacity]");
    }
    SUBCASE("queues below it: gangs wait in those") {
        world.reconfigure(file_of({queue("etl.nightly"), queue("ml")}));
        world.advance(60'000);  // with the same code, it is said in its turn
        CHECK(cores_in(world, "root.lost") == 3);
        says(world, large, "has queues below it");
    }
}

TEST_CASE("reconfigure: a queue that is closed to a gang's user counts what the gang has there") {
    World world(file_of({queue("etl"), queue("ml")}));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string runs = submit(world, "runs", "etl", 2, 1);
    world.advance(2'000);
    REQUIRE(world.is_bound(runs));
    config::Queue closed = queue("etl");
    closed.users = {"etl/nobody"};
    world.reconfigure(file_of({closed, queue("ml")}));
    world.advance(2'000);
    CHECK(cores_in(world, "root.etl") == 3);
    const std::string next = submit(world, "next", "etl", 1, 2);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(next));
    says(world, next, "is not open to service account");
}

TEST_CASE("reconfigure: the first queues, and none any more") {
    World world;
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string named = submit(world, "named", "etl", 2, 1);
    const std::string silent = submit(world, "silent", "", 1, 2);
    world.advance(2'000);
    world.set_phase(named, core::PodPhase::running);
    world.create_executors(named, 2);
    world.advance(2'000);
    world.reconfigure(file_of({limited("etl", 4), queue("default")}));
    world.advance(2'000);
    CHECK(cores_in(world, "root.etl") == 3);
    CHECK(cores_in(world, "root.default") == 2);
    const std::string next = submit(world, "next", "etl", 1, 3);
    world.advance(2'000);
    says(world, next, "has 3 cpu in use by 1 gang, its limit is 4, and it needs 2");

    world.reconfigure(World::sealed_schema());
    world.advance(2'000);
    CHECK(world.is_bound(next));
    CHECK(world.is_bound(silent));
}

TEST_CASE("reconfigure: users keep what they hold") {
    config::Queue etl = queue("etl");
    etl.user_limit = {{"cpu", 3'000}};
    World world(file_of({queue("etl")}));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const auto of_user = [&](const std::string& name, const std::string& user, int created) {
        core::Pod pod = tests::driver(name);
        pod.created = created;
        pod.service_account = user;
        pod.annotations = {{"gang-scheduler/queue", "etl"}};
        return world.submit(std::move(pod), tests::conf(1));
    };
    const std::string first = of_user("first", "ann", 1);
    world.advance(2'000);
    world.set_phase(first, core::PodPhase::running);
    world.create_executors(first, 1);
    world.advance(2'000);
    world.reconfigure(file_of({etl}));
    const std::string second = of_user("second", "ann", 2);
    const std::string third = of_user("third", "bob", 3);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(second));
    says(world, second, "/ann in queue root.etl has 2 cpu in use");
    CHECK(world.is_bound(third));
}

TEST_CASE("reconfigure: a stopped queue lets nobody in, and what runs goes on") {
    World world(file_of({queue("etl.a"), queue("ml")}));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string runs = submit(world, "runs", "etl.a", 2, 1);
    world.advance(2'000);
    config::Queue stopped = queue("etl");
    stopped.state = config::QueueState::stopped;
    world.reconfigure(file_of({stopped, queue("etl.a"), queue("ml")}));
    const std::string waits = submit(world, "waits", "etl.a", 2, 2);
    const std::string other = submit(world, "other", "ml", 2, 3);
    world.advance(2'000);
    world.set_phase(runs, core::PodPhase::running);
    const auto executors = world.create_executors(runs, 2);
    world.advance(2'000);
    CHECK(world.bound_count(executors) == 2);
    CHECK(cores_in(world, "root.etl.a") == 3);
    CHECK_FALSE(world.is_bound(waits));
    says(world, waits, "queue root.etl is stopped (state: stopped): it starts when the queue runs");
    says(world, waits, "[QueueStopped]");
    CHECK(world.is_bound(other));
    world.reconfigure(file_of({queue("etl.a"), queue("ml")}));
    world.advance(2'000);
    CHECK(world.is_bound(waits));
}

TEST_CASE("reconfigure: order and weight hold at once") {
    config::Queue etl = queue("etl");
    World world(file_of({etl}));
    world.add_node(tests::node("n1", 4, 64 * 1024));
    const std::string runs = submit(world, "runs", "etl", 3, 1);
    world.advance(2'000);
    const std::string early = submit(world, "early", "etl", 3, 2);
    core::Pod pod = tests::driver("urgent");
    pod.created = 3;
    pod.priority = 10;
    pod.annotations = {{"gang-scheduler/queue", "etl"}};
    const std::string urgent = world.submit(std::move(pod), tests::conf(3));
    world.advance(2'000);
    etl.order = config::QueueOrder::priority;
    world.reconfigure(file_of({etl}));
    world.advance(2'000);
    world.set_phase(runs, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK(world.is_bound(urgent));
    CHECK_FALSE(world.is_bound(early));
}

TEST_CASE("reconfigure: headroom, costs and packing") {
    config::Schema file = World::sealed_schema();
    file.nodes.headroom_cpu_milli = 2'000;
    World world(file);
    core::Node cheap = tests::node("n2", 4, 64 * 1024);
    cheap.labels = {{"price", "1"}};
    core::Node dear = tests::node("n1", 4, 64 * 1024);
    dear.labels = {{"price", "9"}};
    world.add_node(cheap);
    world.add_node(dear);
    const std::string waits = world.submit("waits", 7, 1);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(waits));
    file.nodes.headroom_cpu_milli = 0;
    file.nodes.cost_label = "price";
    world.reconfigure(file);
    world.advance(2'000);
    CHECK(world.is_bound(waits));
    world.set_phase(waits, core::PodPhase::succeeded);
    world.advance(2'000);
    const std::string one = world.submit("one", 1, 2);
    world.advance(2'000);
    CHECK(world.node_of(one) == "n2");
}

TEST_CASE("reconfigure: nodes are kept for those who need what is scarce on them, as soon as the file says so") {
    config::Schema file = World::sealed_schema();
    World world(file);
    core::Node with_gpu = tests::node("a", 8, 64 * 1024);
    with_gpu.allocatable.extended = {{"nvidia.com/gpu", 1}};
    world.add_node(with_gpu);
    world.add_node(tests::node("b", 8, 64 * 1024));
    const std::string first = world.create(tests::pod("first", 1'000, 256));
    world.settle();
    CHECK(world.node_of(first) == "a");
    file.nodes.scarce = {"nvidia.com/gpu"};
    world.reconfigure(file);
    const std::string second = world.create(tests::pod("second", 1'000, 256));
    world.settle();
    CHECK(world.node_of(second) == "b");
    file.nodes.scarce = {};
    world.reconfigure(file);
    world.remove_pod(second);
    const std::string third = world.create(tests::pod("third", 1'000, 256));
    world.settle();
    CHECK(world.node_of(third) == "a");
}

TEST_CASE("reconfigure: queues hold what a process that begins finds") {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        CAPTURE(seed);
        tests::Random random(seed);
        const std::vector<std::string> names = {"a", "b.x", "b.y", "default", "gone"};
        const auto draw = [&] {
            std::vector<config::Queue> queues;
            for (const std::string& name : names) {
                if (random.chance(70)) {
                    queues.push_back(queue(name));
                    if (random.chance(30)) queues.back().user_limit = {{"cpu", 12'000}};
                }
            }
            return queues.empty() || random.chance(25) ? World::sealed_schema() : file_of(std::move(queues));
        };
        World world(file_of({queue("a"), queue("b.x"), queue("b.y"), queue("gone")}));
        world.add_node(tests::node("n1", 64, 256 * 1024));
        for (int i = 0; i < 12; ++i) {
            const auto at = static_cast<std::size_t>(random.between(0, 4));
            const auto uid = submit(world, "app-" + std::to_string(i), names[at], 2, 1 + i);
            world.advance(1'000);
            if (world.is_bound(uid) && random.chance(70)) {
                world.set_phase(uid, core::PodPhase::running);
                world.create_executors(uid, static_cast<int>(random.between(1, 3)));
            }
            if (random.chance(30)) {
                world.reconfigure(draw());
            }
            world.advance(1'000);
        }
        world.reconfigure(file_of({queue("a"), queue("b.x"), queue("b.y"), queue("default")}));
        world.advance(2'000);
        const auto as_swapped = usage(world);
        world.restart();
        world.advance(5'000);
        CHECK(as_swapped == usage(world));
    }
}

TEST_CASE("reconfigure: a recording with it is replayed exactly") {
    std::string recording;
    World world(file_of({limited("etl", 3)}));
    world.recording = &recording;
    world.restart();
    world.add_node(tests::node("n1", 16, 64 * 1024));
    submit(world, "first", "etl", 2, 1);
    submit(world, "second", "etl", 2, 2);
    world.advance(2'000);
    config::Queue stopped = limited("etl", 9);
    stopped.state = config::QueueState::stopped;
    world.reconfigure(file_of({stopped}));
    world.advance(2'000);
    world.reconfigure(file_of({limited("etl", 9)}));
    world.advance(2'000);
    gang::Replay replay;
    for (std::size_t from = 0; from < recording.size();) {
        const std::size_t end = recording.find('\n', from);
        const auto fed = replay.feed(std::string_view(recording).substr(from, end - from));
        REQUIRE_MESSAGE(fed.has_value(), fed.error().message);
        from = end + 1;
    }
    CHECK_FALSE(replay.difference());
    CHECK(recording.find("\"configChanged\"") != std::string::npos);
}

TEST_CASE("hold: who is held waits, blocks nobody, and goes on when released") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    core::Pod pod = tests::driver("held");
    pod.created = 1;
    pod.annotations = {{"gang-scheduler/hold", "true"}};
    const std::string held = world.submit(std::move(pod), tests::conf(2));
    const std::string next = world.submit("next", 2, 2);
    core::Pod single = tests::pod("single", 500, 100);
    single.annotations = {{"gang-scheduler/hold", "true"}};
    const std::string lone = world.create(std::move(single));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(held));
    CHECK(world.is_bound(next));
    CHECK_FALSE(world.is_bound(lone));
    says(world, held, "annotation gang-scheduler/hold says that it waits");
    says(world, held, "[Held]");
    says(world, lone, "[Held]");
    CHECK(world.pod(held).scheduled->reason == "SchedulingSkipped");
    CHECK(world.view(held).code == gang::ReasonCode::held);

    world.set_phase(next, core::PodPhase::succeeded);
    world.change_pod(lone, [](core::Pod& changed) { changed.annotations.clear(); });
    world.change_pod(held, [](core::Pod& changed) {
        changed.annotations = {{"gang-scheduler/hold", "false"}};
    });
    world.advance(2'000);
    CHECK(world.is_bound(held));
    CHECK(world.is_bound(lone));
    // One that runs is nobody's to hold.
    annotate(world, held, "gang-scheduler/hold", "true");
    world.set_phase(held, core::PodPhase::running);
    const auto executors = world.create_executors(held, 2);
    world.advance(2'000);
    CHECK(world.bound_count(executors) == 2);
}

TEST_CASE("hold: one that waits already is held, and a restart knows it") {
    World world;
    world.add_node(tests::node("n1", 2, 64 * 1024));
    const std::string runs = world.submit("runs", 1, 1);
    const std::string waits = world.submit("waits", 1, 2);
    const std::string behind = world.submit("behind", 1, 3);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(waits));
    annotate(world, waits, "gang-scheduler/hold", "true");
    world.advance(2'000);
    world.restart();
    world.set_phase(runs, core::PodPhase::succeeded);
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(waits));
    CHECK(world.is_bound(behind));
}

TEST_CASE("hold: any member of a pod group holds it") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.groups["team/g"] = {2, {}, {}};
    const auto member = [&](const std::string& name) {
        core::Pod pod = tests::pod(name, 1'000, 100);
        pod.namespace_name = "team";
        pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
        if (name == "b") pod.annotations = {{"gang-scheduler/hold", "true"}};
        return world.create(std::move(pod));
    };
    const std::string a = member("a");
    const std::string b = member("b");
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(a));
    CHECK_FALSE(world.is_bound(b));
    says(world, a, "[Held]");
    annotate(world, b, "gang-scheduler/hold", "false");
    world.advance(2'000);
    CHECK(world.is_bound(a));
    CHECK(world.is_bound(b));
}

TEST_CASE("hold: the first of a pod group holds it as well") {
    World world;
    world.add_node(tests::node("n1", 1, 64 * 1024));
    world.groups["team/g"] = {2, {}, {}};
    std::vector<std::string> members;
    for (const char* name : {"a", "b"}) {
        core::Pod pod = tests::pod(name, 1'000, 100);
        pod.namespace_name = "team";
        pod.labels = {{"scheduling.x-k8s.io/pod-group", "g"}};
        members.push_back(world.create(std::move(pod)));
    }
    world.advance(2'000);
    annotate(world, members[0], "gang-scheduler/hold", "true");
    world.advance(2'000);
    says(world, members[0], "[Held]");
    world.add_node(tests::node("n2", 4, 64 * 1024));
    world.advance(2'000);
    CHECK_FALSE(world.is_bound(members[0]));
    annotate(world, members[0], "gang-scheduler/hold", "false");
    world.advance(2'000);
    CHECK(world.bound_count(members) == 2);
}

TEST_CASE("move: a waiting gang goes to another queue, a running one stays") {
    config::Queue closed = queue("closed");
    closed.namespaces = {"other"};
    World world(file_of({limited("etl", 3), queue("ml"), closed}));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string runs = submit(world, "runs", "etl", 2, 1);
    const std::string waits = submit(world, "waits", "etl", 2, 2);
    world.advance(2'000);
    const auto move = [&](const std::string& uid, const char* to) {
        annotate(world, uid, "gang-scheduler/queue", to);
        world.advance(2'000);
    };
    move(waits, "closed");
    says(world, waits, "is not open to service account");
    move(waits, "ml");
    CHECK(world.is_bound(waits));
    CHECK(cores_in(world, "root.ml") == 3);
    move(runs, "ml");
    CHECK(cores_in(world, "root.etl") == 3);
    world.reconfigure(file_of({limited("etl", 4), queue("ml"), closed}));
    world.advance(2'000);
    CHECK(cores_in(world, "root.etl") == 3);
    CHECK(cores_in(world, "root.ml") == 3);
}

TEST_CASE("reconfigure: the queue of a Queue object is called as the object, wherever it is in the tree") {
    const auto with_object = [](config::QueueState state) {
        config::Queue made = limited("root.research.q1", 3);
        made.object = "q1";
        made.state = state;
        return file_of({std::move(made)});
    };
    World world(with_object(config::QueueState::running));
    world.add_node(tests::node("n1", 16, 64 * 1024));
    const std::string first = submit(world, "first", "q1", 2, 1);
    const std::string second = submit(world, "second", "q1", 0, 2);
    world.advance(2'000);
    CHECK(world.is_bound(first));
    CHECK(cores_in(world, "root.research.q1") == 3);
    says(world, second, "[WaitingForQuota]");

    // Closed: who runs goes on, and who waits is told which object it is.
    world.reconfigure(with_object(config::QueueState::stopped));
    world.advance(2'000);
    CHECK(world.is_bound(first));
    says(world, second, "queue root.research.q1 is closed (its Queue object q1)");
    says(world, second, "[QueueStopped]");

    // Deleted: the same, and it is not found.
    world.reconfigure(file_of({limited("other", 3)}));
    world.advance(2'000);
    CHECK(world.is_bound(first));
    CHECK(cores_in(world, "root.lost") == 3);
    says(world, second, "queue \"q1\" is not found");

    world.reconfigure(with_object(config::QueueState::running));
    world.advance(2'000);
    CHECK(cores_in(world, "root.research.q1") == 3);
    world.remove_application(first);
    world.advance(2'000);
    CHECK(world.is_bound(second));
}

TEST_CASE("reconfigure: where Queue objects come to be, the queue that a PodGroup names must be one; where they go, not") {
    config::Schema schema = file_of({queue("default")});
    World world(schema);
    core::PodGroup object{2, {}, {}};
    object.queue = "nowhere";
    world.groups["etl/g"] = object;
    std::vector<std::string> pods;
    for (int i = 0; i < 2; ++i) {
        core::Pod pod = tests::pod("g-" + std::to_string(i), 1'000, 256);
        pod.annotations = {{"scheduling.k8s.io/group-name", "g"}};
        pods.push_back(world.create(std::move(pod)));
    }
    world.settle();
    says(world, pods[0], "0 nodes");
    schema.queue_objects.are_there = true;
    world.reconfigure(schema);
    world.add_node(tests::node("n1", 16, 64 * 1024));
    world.advance(2'000);
    CHECK(world.bound_count(pods) == 0);
    says(world, pods[0], "queue \"nowhere\" is not found");
    schema.queue_objects.are_there = false;
    world.reconfigure(schema);
    world.advance(2'000);
    CHECK(world.bound_count(pods) == 2);
}
