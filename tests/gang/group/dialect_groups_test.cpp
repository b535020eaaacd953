// Gangs of pods in the words of YuniKorn, Kueue and Armada, through the whole scheduler.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using tests::World;

namespace {

const std::string lines =
    "task groups\ngroup launcher 1\nrequest cpu 1000m\ngroup workers 3\nrequest cpu 2000m\n";

core::Pod task(const std::string& name, const std::string& group, std::int64_t cpu_milli) {
    core::Pod pod = tests::pod(name, cpu_milli, 256);
    pod.labels = {{"applicationId", "app"}};
    pod.annotations = {{"yunikorn.apache.org/task-group-name", group}};
    return pod;
}

core::Pod launcher(const std::string& said = lines, const std::string& parameters = {}) {
    core::Pod pod = task("launcher", "launcher", 1'000);
    pod.annotations.push_back({"yunikorn.apache.org/task-groups", said});
    if (!parameters.empty()) {
        pod.annotations.insert(
            pod.annotations.begin(),
            {"yunikorn.apache.org/schedulingPolicyParameters", parameters});
    }
    return pod;
}

bool tells(const World& world, const std::string& uid, const std::string& text) {
    return world.condition(uid).find(text) != std::string::npos;
}

bool has_event(const World& world, const std::string& text) {
    return std::any_of(world.events.begin(), world.events.end(), [&text](const auto& event) {
        return event.message.find(text) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("dialect groups: a YuniKorn gang is whole or not at all, of each group its minimum") {
    World world;
    world.add_node(tests::node("n1", 6, 64 * 1024));
    std::vector<std::string> pods = {world.create(task("w-0", "workers", 2'000))};
    world.settle();
    CHECK(tells(world, pods[0], "no pod of it bears the annotation yunikorn.apache.org/task-g"));
    CHECK(tells(world, pods[0], "[WaitingForPodGroup]"));
    pods.push_back(world.create(launcher()));
    pods.push_back(world.create(task("w-1", "workers", 2'000)));
    world.advance(60'000);
    CHECK(tells(world, pods[0], "has 3 of the 4 pods it needs"));
    pods.push_back(world.create(task("w-2", "workers", 2'000)));
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(tells(world, pods[0], "pod group etl/app"));
    SUBCASE("and starts when there is room for all") {
        world.add_node(tests::node("n2", 2, 64 * 1024));
        world.settle();
        CHECK(world.bound_count(pods) == 4);
        CHECK(world.violations.empty());
        SUBCASE("whoever comes after it is placed by itself") {
            const auto late = world.create(task("w-3", "workers", 1'000));
            world.settle();
            CHECK(world.is_bound(late));
        }
    }
    SUBCASE("waiting for as long as it takes") {
        world.advance(3'600'000);
        CHECK(world.bound_count(pods) == 0);
    }
}

TEST_CASE("dialect groups: enough pods, but not of each task group") {
    World world;
    world.add_node(tests::node("n1", 60, 64 * 1024));
    std::vector<std::string> pods = {world.create(launcher())};
    for (int i = 0; i < 3; ++i) {
        pods.push_back(world.create(task("l-" + std::to_string(i), "launcher", 1'000)));
    }
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    CHECK(tells(world, pods[0], "has 0 of the 3 pods it needs of role workers"));
}

TEST_CASE("dialect groups: Soft starts pod by pod when its time is over, and says so") {
    World world;
    world.add_node(tests::node("n1", 3, 64 * 1024));
    core::Pod first = launcher(lines, "placeholderTimeoutInSeconds=60 gangSchedulingStyle=Soft");
    first.created = world.now_ms / 1000;
    std::vector<std::string> pods = {world.create(std::move(first))};
    for (int i = 0; i < 3; ++i) {
        core::Pod worker = task("w-" + std::to_string(i), "workers", 2'000);
        worker.created = world.now_ms / 1000;
        pods.push_back(world.create(std::move(worker)));
    }
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    world.advance(50'000);
    CHECK(world.bound_count(pods) == 0);
    world.advance(20'000);
    CHECK(world.bound_count(pods) == 2);
    CHECK(has_event(world, "its gangSchedulingStyle is Soft: its pods are scheduled one by one"));
    CHECK(world.violations.empty());
}

TEST_CASE("dialect groups: a Soft group that goes takes its time with it, and no other's") {
    World world;
    world.add_node(tests::node("n1", 3, 64 * 1024));
    const auto create = [&](const std::string& application) {
        core::Pod pod = launcher(lines, "placeholderTimeoutInSeconds=60 gangSchedulingStyle=Soft");
        pod.name = application;
        pod.labels = {{"applicationId", application}};
        pod.created = world.now_ms / 1000;
        return world.create(std::move(pod));
    };
    const std::string stays = create("a-stays");
    const std::string goes = create("b-goes");
    world.advance(10'000);
    world.remove_pod(goes);
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(stays));
    world.advance(50'000);
    CHECK(world.is_bound(stays));
    world.remove_pod(stays);
    world.advance(61'000);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("dialect groups: a list that contradicts itself parks its pods alone") {
    World world;
    world.add_node(tests::node("n1", 6, 64 * 1024));
    std::string said;
    std::string message;
    SUBCASE("") {
        said = "task groups\nerror it is no JSON\n";
        message = "it is no JSON";
    }
    SUBCASE("a minimum of none") {
        said = "task groups\ngroup launcher 0\n";
        message = "a number of pods from 1 on is wanted";
    }
    SUBCASE("a minimum that no gang may have") {
        said = "task groups\ngroup launcher 1000000000\n";
        message = "gang.maxGangSize allows";
    }
    const auto wrong = world.create(launcher(said));
    const auto other = world.create(tests::pod("other", 1'000, 256));
    world.settle();
    CHECK_FALSE(world.is_bound(wrong));
    CHECK(tells(world, wrong, message));
    CHECK(world.is_bound(other));
}

TEST_CASE("dialect groups: one name in the words of two is two groups") {
    World world;
    world.add_node(tests::node("n1", 60, 64 * 1024));
    const auto a = world.create(launcher());
    core::Pod ours = tests::pod("ours", 1'000, 256);
    ours.annotations = {{"gang-scheduler/min-members", "2"}, {"gang-scheduler/pod-group", "app"}};
    const auto b = world.create(ours);
    world.settle();
    CHECK(tells(world, a, "1 of the 4 pods"));
    CHECK(tells(world, b, "1 of the 2 pods"));
}

TEST_CASE("dialect groups: Kueue's gates first, then the whole group") {
    World world;
    world.add_node(tests::node("n1", 3, 64 * 1024));
    std::vector<std::string> pods;
    for (int i = 0; i < 3; ++i) {
        core::Pod pod = tests::pod("k-" + std::to_string(i), 1'000, 256);
        pod.labels = {{"kueue.x-k8s.io/pod-group-name", "g"}};
        pod.annotations = {{"kueue.x-k8s.io/pod-group-total-count", "3"}};
        pod.gated = true;
        pods.push_back(world.create(std::move(pod)));
    }
    const auto open = [&world, &pods](std::size_t i) {
        world.change_pod(pods[i], [](core::Pod& pod) { pod.gated = false; });
        world.settle();
    };
    world.settle();
    CHECK(world.bound_count(pods) == 0);
    open(0);
    open(1);
    CHECK(world.bound_count(pods) == 0);
    open(2);
    CHECK(world.bound_count(pods) == 3);
}

TEST_CASE("dialect groups: a Spark driver in YuniKorn's words, whole or not at all") {
    World world;
    world.check_whole_gangs = false;  // it holds the conf's number against the reservation
    world.add_node(tests::node("n1", 3, 64 * 1024));
    core::Pod driver = tests::driver("a");
    driver.annotations = {
        {"yunikorn.apache.org/schedulingPolicyParameters",
         "placeholderTimeoutInSeconds=30 gangSchedulingStyle=Hard"},
        {"yunikorn.apache.org/task-group-name", "spark-driver"},
        {"yunikorn.apache.org/task-groups",
         "task groups\ngroup spark-driver 1\nrequest cpu 1000m\ngroup spark-executor 3\n"
         "request cpu 1000m\nunread affinity\n"}};
    const auto uid = world.submit(driver, tests::conf(2));
    world.settle();
    world.advance(60'000);
    CHECK_FALSE(world.is_bound(uid));
    CHECK(tells(world, uid, "needs 1 driver"));
    CHECK(tells(world, uid, "3 executors"));
    CHECK(has_event(world, "makes it 3 executors to reserve, the Spark conf 2"));
    CHECK(has_event(world, "affinity of task group \"spark-executor\" is not read"));
    world.add_node(tests::node("n2", 1, 64 * 1024));
    world.settle();
    CHECK(world.is_bound(uid));
    CHECK(has_event(world, "annotation yunikorn.apache.org/task-groups, the Spark conf"));
    REQUIRE(world.reservation(uid));
    CHECK(gang::slot_count(*world.reservation(uid)) == 3);
    CHECK(world.violations.empty());
}

namespace {

/// Small worlds by chance with gangs in the words of five schedulers: their pods come in any order,
/// nodes come late, the scheduler is restarted between two deliveries.
class MixedLife {
public:
    explicit MixedLife(std::uint64_t seed) : random_(seed), world_(World::sealed_schema()) {
        world_.add_node(tests::node("n0", random_.between(1, 6), 64 * 1024));
        const auto count = random_.between(2, 6);
        for (std::int64_t i = 0; i < count; ++i) {
            add_group(i);
        }
    }

    void run() {
        while (!waiting_.empty()) {
            const auto next = static_cast<std::size_t>(
                random_.between(0, static_cast<std::int64_t>(waiting_.size()) - 1));
            auto [group, pod] = waiting_[next];
            waiting_.erase(waiting_.begin() + static_cast<std::ptrdiff_t>(next));
            groups_[group].pods.push_back(world_.create(std::move(pod)));
            disturb();
        }
        for (int i = 0; i < 6; ++i) {
            world_.add_node(
                tests::node("late-" + std::to_string(i), random_.between(1, 5), 64 * 1024));
            disturb();
        }
        world_.add_node(tests::node("rock", 60, 640 * 1024));
        world_.settle();
        world_.advance(60'000);
        check();
        for (const Group& group : groups_) {
            CHECK_MESSAGE(world_.bound_count(group.pods) == group.size, group.name);
        }
        CHECK(world_.violations.empty());
    }

private:
    struct Group {
        std::string name;
        std::int64_t minimum = 0;
        std::int64_t size = 0;
        std::vector<std::string> pods;
    };

    void add_group(std::int64_t number) {
        Group group;
        group.name = "g" + std::to_string(number);
        group.minimum = random_.between(2, 5);
        group.size = group.minimum + random_.between(0, 2);
        const auto kind = random_.between(0, 4);
        for (std::int64_t i = 0; i < group.size; ++i) {
            core::Pod pod = tests::pod(
                group.name + "-" + std::to_string(i), 500 * random_.between(1, 3), 256);
            pod.created = 1'000 + random_.between(0, 20);
            say(pod, kind, group, i);
            waiting_.emplace_back(static_cast<std::size_t>(number), std::move(pod));
        }
        groups_.push_back(std::move(group));
    }

    void say(core::Pod& pod, std::int64_t kind, const Group& group, std::int64_t i) {
        const std::string minimum = std::to_string(group.minimum);
        if (kind == 0) {
            pod.labels = {{"yunikorn.apache.org/app-id", group.name}};
            pod.annotations = {
                {"yunikorn.apache.org/task-group-name", i == 0 ? "launcher" : "workers"}};
            if (i == 0) {
                pod.annotations.push_back(
                    {"yunikorn.apache.org/task-groups",
                     "task groups\ngroup launcher 1\ngroup workers " +
                         std::to_string(group.minimum - 1) + "\n"});
            }
        } else if (kind == 1) {
            pod.labels = {{"kueue.x-k8s.io/pod-group-name", group.name}};
            pod.annotations = {{"kueue.x-k8s.io/pod-group-total-count", minimum}};
        } else if (kind == 2) {
            pod.annotations = {
                {"armadaproject.io/gangCardinality", std::to_string(group.size)},
                {"armadaproject.io/gangId", group.name},
                {"armadaproject.io/gangMinimumCardinality", minimum}};
        } else if (kind == 3) {
            pod.annotations = {
                {"gang-scheduler/min-members", minimum}, {"gang-scheduler/pod-group", group.name}};
        } else {
            pod.labels = {{"scheduling.x-k8s.io/pod-group", group.name}};
            world_.groups["etl/" + group.name] = core::PodGroup{group.minimum, {}, {}};
        }
    }

    void disturb() {
        if (random_.chance(20)) {
            for (std::int64_t i = random_.between(0, 8); i > 0; --i) {
                world_.deliver_one();
            }
            world_.restart();
        }
        world_.settle();
        check();
    }

    /// Whole or not at all, whenever nothing is on its way.
    void check() {
        for (const Group& group : groups_) {
            const auto bound = world_.bound_count(group.pods);
            CHECK_MESSAGE((bound == 0 || bound >= group.minimum), group.name, ": ", bound);
        }
    }

    tests::Random random_;
    World world_;
    std::vector<Group> groups_;
    std::vector<std::pair<std::size_t, core::Pod>> waiting_;
};

}  // namespace

TEST_CASE("dialect groups: four hundred worlds of mixed kinds have no half gang") {
    for (std::uint64_t seed = 1; seed <= 400; ++seed) {
        CAPTURE(seed);
        MixedLife(seed).run();
    }
}
