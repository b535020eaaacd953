// What a pod's next state, and a namespace's, makes of what waits.

#include "tests/core/domain/domain_world.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>

using tests::World;

namespace {

constexpr const char* host_label = "kubernetes.io/hostname";

core::Node roomy_node(const std::string& name, std::int64_t cpu) {
    core::Node node = tests::node(name, cpu, 64 * 1024);
    node.labels = {{host_label, name}};
    return node;
}

/// Apart from pods of the application in namespaces of team x.
core::PodRules apart_from_team_x() {
    core::PodAffinityTerm made = tests::term(host_label, {{"app", "a"}});
    made.namespaces.clear();
    made.namespace_selector = tests::selector({{"team", "x"}});
    return {{}, {made}, {}};
}

core::Pod of_application(const std::string& space, const std::string& name) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.namespace_name = space;
    pod.labels = {{"app", "a"}};
    return pod;
}

}  // namespace

TEST_CASE("pod events: an executor that gets another profile's label has that profile's slot") {
    World world;
    world.add_node(tests::node("n1", 5, 64 * 1024));
    const auto driver = world.submit("a", 2, 1);
    world.settle();
    const auto other = world.create(tests::pod("other", 2000, 256));
    const auto first = world.create_executors(driver, 1).front();  // now it is known what they ask
    world.settle();
    REQUIRE(world.is_bound(other));
    REQUIRE(world.is_bound(first));
    const auto told = [&world] {
        int count = 0;
        for (const auto& event : world.events) count += event.reason == "ExecutorsLargerThanDeclared" ? 1 : 0;
        return count;
    };
    core::Pod made = tests::executor("staged", world.pod(driver));
    made.labels[1].second = "1";
    made.requests.cpu_milli = 1500;
    const auto staged = world.create(std::move(made));
    world.settle();
    CHECK_FALSE(world.is_bound(staged));  // no slot is of its profile, and nothing else is free
    CHECK(told() == 0);
    world.change_pod(staged, [](core::Pod& pod) { pod.labels[1].second = "0"; });
    world.settle();
    CHECK_FALSE(world.is_bound(staged));
    CHECK(told() == 1);
    world.add_node(tests::node("n2", 2, 64 * 1024));
    world.advance(5'000);
    CHECK(world.node_of(staged) == "n2");
    CHECK(world.view(driver).slots_bound == 2);
    CHECK(world.view(driver).slots_open == 0);
    CHECK(world.violations.empty());
}

TEST_CASE("namespace events: whose namespace is deleted has no labels any more") {
    World world;
    world.namespaces = {{"default", {}}, {"other", {{"team", "x"}}}};
    world.add_node(roomy_node("n1", 8));
    const auto other = world.create(of_application("other", "p0"));
    world.settle();
    core::Pod made = of_application("default", "p1");
    made.rules = apart_from_team_x();
    const auto waiting = world.create(std::move(made));
    world.settle();
    REQUIRE(world.is_bound(other));
    REQUIRE_FALSE(world.is_bound(waiting));
    world.step(gang::NamespaceDeleted{"default"});
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(waiting));
    world.step(gang::NamespaceDeleted{"other"});
    world.advance(5'000);
    CHECK(world.is_bound(waiting));
}

TEST_CASE("namespace events: an executor that waits goes to its slot as soon as labels let it") {
    World world;
    world.namespaces = {{"etl", {}}, {"other", {{"team", "x"}}}};
    world.add_node(roomy_node("n1", 8));
    const auto other = world.create(of_application("other", "p0"));
    const auto driver = world.submit("d", 1, 1);
    world.settle();
    REQUIRE(world.is_bound(other));
    REQUIRE(world.is_bound(driver));
    core::Pod made = tests::executor("e1", world.pod(driver));
    made.rules = apart_from_team_x();
    const auto executor = world.create(std::move(made));
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(executor));
    SUBCASE("another label") {
        world.step(gang::NamespaceChanged{{"other", {{"team", "y"}}}});
    }
    SUBCASE("no namespace") {
        world.step(gang::NamespaceDeleted{"other"});
    }
    world.settle();
    CHECK(world.is_bound(executor));
    CHECK(world.view(driver).slots_bound == 1);
}

TEST_CASE("pod events: what another scheduler's pod has attached counts on when its state is another") {
    World world;
    world.volume_limits->push_back({"n1", {{"ebs.csi.aws.com", 1}}});
    core::Node node = tests::node("n1", 8, 64 * 1024);
    node.allocatable.extended = {{"zz.example.com/device", 1}};
    world.add_node(node);
    const auto mounting = [&world](const std::string& name) {
        core::Claim claim;
        claim.state = core::ClaimState::bound;
        claim.volume = claim.handle = name;
        claim.driver = "ebs.csi.aws.com";
        world.claims["ns/" + name] = claim;
        core::Pod pod = tests::pod("of-" + name, 100, 64);
        pod.namespace_name = "ns";
        pod.claims = std::vector<core::ClaimUse>{{name, false}};
        return pod;
    };
    core::Pod foreign = mounting("x");
    foreign.requests.extended = {{"zz.example.com/device", 1}};
    foreign.scheduler_name = "default-scheduler";
    foreign.node_name = "n1";
    foreign.phase = core::PodPhase::running;
    const auto other = world.create(foreign);
    world.settle();
    const auto waiting = world.create(mounting("a"));
    world.settle();
    REQUIRE_FALSE(world.is_bound(waiting));
    world.change_pod(other, [](core::Pod& pod) { pod.labels = {{"a", "b"}}; });
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(waiting));
    core::Pod user = tests::pod("user", 100, 64);
    user.requests.extended = {{"zz.example.com/device", 1}};
    const auto device_user = world.create(user);
    world.settle();
    CHECK_FALSE(world.is_bound(device_user));
    world.set_phase(other, core::PodPhase::succeeded);
    world.advance(5'000);
    CHECK(world.is_bound(waiting));
    CHECK(world.is_bound(device_user));
}
