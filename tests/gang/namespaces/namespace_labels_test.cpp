// Labels of namespaces, through the whole scheduler: whom affinity means, and who waits where.
#include "tests/core/domain/domain_world.hpp"
#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <string>

using core::PodRules;
using tests::queue;
using tests::says;
using tests::term;
using tests::with_queues;
using tests::World;

namespace {

const core::StringMap team_x = {{"team", "x"}};
const core::StringMap none;
const core::StringMap of_app = {{"app", "a"}};
constexpr const char* host = "kubernetes.io/hostname";

core::Pod in_namespace(const std::string& space, const std::string& name, PodRules rules = {}) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.namespace_name = space;
    pod.labels = of_app;
    if (!rules.empty()) pod.rules = std::move(rules);
    return pod;
}

/// Pods of the application in namespaces of team x.
core::PodAffinityTerm of_team_x() {
    core::PodAffinityTerm made = term(host, of_app);
    made.namespaces.clear();
    made.namespace_selector = tests::selector(team_x);
    return made;
}

PodRules apart_from_team() {
    return {{}, {of_team_x()}, {}};
}

void add_host(World& world, const std::string& name) {
    core::Node node = tests::node(name, 8, 64 * 1024);
    node.labels = {{host, name}};
    world.add_node(node);
}

void label(World& world, const std::string& space, const core::StringMap& labels) {
    if (world.namespaces) {
        std::erase_if(*world.namespaces, [&](const auto& one) { return one.name == space; });
        world.namespaces->push_back({space, labels});
    }
    world.step(gang::NamespaceChanged{{space, labels}});
    world.advance(5'000);
}

/// Executors of a driver that are to keep away from pods of the team.
std::string submit_apart(World& world, const std::string& name, std::int64_t executors) {
    auto conf = tests::conf(executors);
    conf.executor_template.emplace().rules = apart_from_team();
    return world.submit(tests::driver(name), conf);
}

/// A queue for team x, one for default; the label decides.
config::Schema by_label() {
    config::Schema schema = with_queues({queue("x"), queue("y")}, World::sealed_schema());
    schema.placement = {
        {config::PlacementRule::Kind::annotation},
        {config::PlacementRule::Kind::namespace_label, {}, "team"},
        {config::PlacementRule::Kind::fixed, "root.default"}};
    return schema;
}

std::string queue_of(const World& world, const std::string& uid) {
    return world.view(uid).queue;
}

}  // namespace

TEST_CASE("namespace labels: nobody asks for them without need") {
    World world(with_queues({queue("x")}, World::sealed_schema()));
    add_host(world, "n1");
    world.create(in_namespace("default", "p1", {{}, {term(host, of_app)}, {}}));
    world.submit(tests::driver("d"), tests::conf(2));
    world.settle();
    CHECK(world.namespace_watches == 0);
}

TEST_CASE("namespace labels: anti-affinity means the namespaces that have them now") {
    World world;
    world.namespaces = {{"default", none}, {"other", none}};
    add_host(world, "n1");
    const auto other = world.create(in_namespace("other", "p0"));
    world.settle();
    const auto first = world.create(in_namespace("default", "p1", apart_from_team()));
    world.settle();
    CHECK(world.is_bound(other));
    CHECK(world.is_bound(first));
    CHECK(world.namespace_watches == 1);
    world.remove_pod(first);

    label(world, "other", team_x);
    const auto second = world.create(in_namespace("default", "p2", apart_from_team()));
    world.settle();
    CHECK_FALSE(world.is_bound(second));
    says(world, second, "didn't match pod anti-affinity rules");
    label(world, "other", {{"team", "y"}});
    CHECK(world.is_bound(second));

    // The rule of one that runs holds for those that come: this is not of team x, and then it is.
    const auto third = world.create(in_namespace("default", "p3"));
    world.settle();
    CHECK(world.is_bound(third));
    label(world, "default", team_x);
    const auto fourth = world.create(in_namespace("default", "p4"));
    world.settle();
    CHECK_FALSE(world.is_bound(fourth));
    says(world, fourth, "didn't satisfy existing pods anti-affinity rules");
    label(world, "default", {});
    CHECK(world.is_bound(fourth));
    CHECK(world.namespace_watches == 1);
    CHECK(world.violations.empty());
}

TEST_CASE("namespace labels: a preference means the namespaces that have them now") {
    World world;
    add_host(world, "n1");
    add_host(world, "n2");
    for (const std::string node : {"n1", "n2"}) {
        world.namespaces = {{"default", none}, {"other", team_x}};
        core::Pod there = in_namespace("other", "there-" + node);
        there.constraints.edit().node_selector = {{host, node}};
        const auto liked = world.create(std::move(there));
        world.settle();
        REQUIRE(world.node_of(liked) == node);
        core::Pod pod = in_namespace("default", "near-" + node);
        pod.rules = PodRules{{}, {}, {}, {{of_team_x(), 100}}};
        const auto near = world.create(std::move(pod));
        world.settle();
        CHECK(world.node_of(near) == node);
        world.remove_pod(liked);
        world.remove_pod(near);
        world.settle();
    }
}

TEST_CASE("namespace labels: affinity waits for a namespace to get its label") {
    World world;
    world.namespaces = {{"default", none}, {"other", none}};
    add_host(world, "n1");
    world.create(in_namespace("other", "p0"));
    world.settle();
    const auto near = world.create(in_namespace("default", "p1", {{of_team_x()}, {}, {}}));
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(near));
    label(world, "other", team_x);
    CHECK(world.is_bound(near));
}

TEST_CASE("namespace labels: nothing is decided before they are known") {
    World world;
    world.namespaces = {{"default", none}, {"other", none}};
    world.hold_namespace_answers = true;
    add_host(world, "n1");
    world.create(in_namespace("other", "p0"));
    world.settle();
    const auto waits = world.create(in_namespace("default", "p1", apart_from_team()));
    const auto near = world.create(in_namespace("default", "p2", {{of_team_x()}, {}, {}}));
    const auto plain = world.create(in_namespace("default", "p3"));
    world.advance(10'000);
    CHECK_FALSE(world.is_bound(waits));
    CHECK_FALSE(world.is_bound(near));
    CHECK(world.is_bound(plain));
    world.hold_namespace_answers = false;
    world.release_answers();
    world.advance(5'000);
    CHECK(world.is_bound(waits));
    CHECK_FALSE(world.is_bound(near));
}

TEST_CASE("namespace labels: what may not be listed is told, until it may") {
    World world;
    world.namespaces.reset();
    add_host(world, "n1");
    const auto waits = world.create(in_namespace("default", "p1", apart_from_team()));
    core::Pod softly = in_namespace("default", "p2");
    softly.rules = PodRules{{}, {}, {}, {{of_team_x(), 10}}};
    const auto prefers = world.create(std::move(softly));
    world.settle();
    CHECK_FALSE(world.is_bound(waits));
    says(world, waits, "a namespaceSelector needs the labels of namespaces");
    says(world, waits, "[Misconfigured]");
    CHECK(world.is_bound(prefers));
    world.step(gang::NamespacesListed{{{"default", none}}});
    world.advance(5'000);
    CHECK(world.is_bound(waits));
    // What was known stays, whatever becomes of the right.
    world.step(gang::NamespacesMissing{"forbidden"});
    const auto next = world.create(in_namespace("default", "p3", apart_from_team()));
    world.settle();
    CHECK(world.is_bound(next));
}

TEST_CASE("namespace labels: executors that may not have their rules wait until they may") {
    World world;
    world.namespaces.reset();
    add_host(world, "n1");
    const auto driver = submit_apart(world, "d1", 2);
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    says(world, driver, "the executor template: podAntiAffinity: a namespaceSelector needs");
    world.step(gang::NamespacesListed{{{"etl", none}}});
    world.advance(5'000);
    CHECK(world.is_bound(driver));
    CHECK(world.violations.empty());
}

TEST_CASE("namespace labels: what else is wrong with a pod stays wrong when they are known") {
    World world;
    world.namespaces.reset();
    add_host(world, "n1");
    core::Pod pod = in_namespace("default", "p1", apart_from_team());
    pod.problem = "something else";
    const auto waits = world.create(std::move(pod));
    world.settle();
    world.step(gang::NamespacesListed{{{"default", none}}});
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(waits));
    says(world, waits, "something else");
}

TEST_CASE("namespace labels: a group waits for a member that may not have its rules") {
    World world;
    world.namespaces.reset();
    add_host(world, "n1");
    world.groups["default/g"] = core::PodGroup{2, {}, {}};
    const auto member_of_g = [](const std::string& name, PodRules rules) {
        core::Pod pod = in_namespace("default", name, std::move(rules));
        pod.labels.push_back({"scheduling.x-k8s.io/pod-group", "g"});
        return pod;
    };
    const auto first = world.create(member_of_g("p1", apart_from_team()));
    const auto second = world.create(member_of_g("p2", {}));
    world.settle();
    CHECK(world.bound_count({first, second}) == 0);
    says(world, first, "a namespaceSelector needs the labels of namespaces");
    SUBCASE("until it may") {
        world.step(gang::NamespacesListed{{{"default", none}}});
        world.advance(5'000);
        CHECK(world.bound_count({first, second}) == 2);
    }
    SUBCASE("or starts without it") {
        const auto third = world.create(member_of_g("p3", {}));
        world.advance(5'000);
        CHECK(world.bound_count({second, third}) == 2);
        CHECK_FALSE(world.is_bound(first));
    }
    CHECK(world.violations.empty());
}

TEST_CASE("namespace labels: executors to come keep away from whom the labels mean now") {
    World world;
    world.namespaces = {{"etl", none}, {"other", none}};
    add_host(world, "n1");
    add_host(world, "n2");
    const auto other = world.create(in_namespace("other", "p0"));
    world.settle();
    const std::string at = world.node_of(other);
    label(world, "other", team_x);
    const auto driver = submit_apart(world, "d1", 2);
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto reservation = world.reservation(driver);
    REQUIRE(reservation->shapes.size() == 1);
    CHECK(reservation->shapes[0].slots_per_node.size() == 1);
    CHECK(reservation->shapes[0].slots_per_node.front().first != at);
    CHECK(world.violations.empty());
}

TEST_CASE("namespace labels: nothing is remembered of pods that are gone") {
    World world;
    world.namespaces = {{"default", none}};
    add_host(world, "n1");
    const auto first = world.create(in_namespace("default", "p1", apart_from_team()));
    world.settle();
    label(world, "default", team_x);
    const auto second = world.create(in_namespace("default", "p2", apart_from_team()));
    world.settle();
    label(world, "default", {});
    label(world, "default", team_x);
    world.remove_pod(first);
    world.remove_pod(second);
    world.advance(600'000);
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("namespace labels: they say in which queue a gang waits") {
    World world(by_label());
    world.namespaces = {{"etl", team_x}};
    add_host(world, "n1");
    const auto first = tests::submit(world, "first", "", 2, 1);
    world.settle();
    CHECK(world.namespace_watches == 1);
    CHECK(queue_of(world, first) == "root.x");
    CHECK(world.is_bound(first));

    // One that waits follows its namespace; one that runs stays.
    const auto second = tests::submit(world, "second", "", 20, 2);
    const auto named = tests::submit(world, "named", "x", 20, 3);
    world.settle();
    CHECK(queue_of(world, second) == "root.x");
    label(world, "etl", {{"team", "y"}});
    CHECK(queue_of(world, first) == "root.x");
    CHECK(queue_of(world, second) == "root.y");
    CHECK(queue_of(world, named) == "root.x");
    label(world, "etl", {{"team", "z"}});
    CHECK(queue_of(world, second) == "root.default");
    label(world, "elsewhere", team_x);
    CHECK(queue_of(world, second) == "root.default");
}

TEST_CASE("namespace labels: whose namespace is not seen yet has no queue yet") {
    World world(by_label());
    world.namespaces = {{"other", team_x}};
    add_host(world, "n1");
    const auto first = tests::submit(world, "first", "", 2, 1);
    world.settle();
    CHECK_FALSE(world.is_bound(first));
    says(world, first, "namespace etl is not seen yet");
    label(world, "etl", {{"team", "y"}});
    CHECK(world.is_bound(first));
    CHECK(queue_of(world, first) == "root.y");
}

TEST_CASE("namespace labels: a list made anew moves nobody whose queue is gone") {
    World world(by_label());
    world.namespaces = {{"etl", team_x}};
    add_host(world, "n1");
    const auto first = world.create(tests::pod("first", 1'000, 100));
    world.settle();
    CHECK(world.is_bound(first));
    config::Schema without = by_label();
    std::erase_if(without.queues, [](const auto& one) { return one.name == "root.x"; });
    world.reconfigure(without);
    world.step(gang::NamespacesListed{{{"etl", {{"team", "y"}}}}});
    world.advance(5'000);
    for (const gang::QueueView& queue : world.scheduler->queues()) {
        CAPTURE(queue.name);
        const bool is_lost = queue.name == "root.lost" || queue.name == "root";
        CHECK(queue.usage.cpu_milli == (is_lost ? 1'000 : 0));
    }
}

TEST_CASE("namespace labels: after a restart a pod that runs is counted where its label says") {
    config::Schema schema = by_label();
    schema.queues = {queue("x"), queue("y")};
    schema.queues[0].limit = {{"cpu", 1'000}};
    World world(schema);
    world.namespaces = {{"etl", team_x}};
    add_host(world, "n1");
    const auto first = world.create(tests::pod("first", 1'000, 100));
    world.settle();
    CHECK(world.is_bound(first));
    world.restart();
    const auto second = world.create(tests::pod("second", 1'000, 100));
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(second));
    says(world, second, "queue root.x has 1 cpu in use by 1 gang, its limit is 1");
}

TEST_CASE("namespace labels: without them nobody comes to a queue by its label") {
    World world(by_label());
    world.namespaces.reset();
    add_host(world, "n1");
    const auto waits = tests::submit(world, "waits", "", 2, 1);
    const auto named = tests::submit(world, "named", "y", 2, 2);
    world.settle();
    CHECK_FALSE(world.is_bound(waits));
    says(world, waits, "its queue is what the label team of its namespace says");
    says(world, waits, "cannot be listed: forbidden");
    CHECK(world.is_bound(named));
    world.step(gang::NamespacesListed{{{"etl", team_x}}});
    world.advance(5'000);
    CHECK(world.is_bound(waits));
    CHECK(queue_of(world, waits) == "root.x");
}

TEST_CASE("namespace labels: the file may ask for them later, and what runs is counted as it was") {
    config::Schema plain = by_label();
    plain.placement = config::default_placement();
    World world(plain);
    world.namespaces = {{"etl", team_x}};
    add_host(world, "n1");
    const auto first = tests::submit(world, "first", "", 2, 1);
    const auto second = tests::submit(world, "second", "", 20, 2);
    world.settle();
    CHECK(queue_of(world, second) == "root.default");
    world.reconfigure(by_label());
    world.advance(5'000);
    CHECK(world.namespace_watches == 1);
    CHECK(queue_of(world, first) == "root.default");
    CHECK(queue_of(world, second) == "root.x");
    world.restart();
    world.advance(5'000);
    CHECK(queue_of(world, first) == "root.default");
    CHECK(queue_of(world, second) == "root.x");
}
