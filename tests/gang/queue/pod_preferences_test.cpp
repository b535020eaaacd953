// Preferences between pods, through the whole scheduler: preferred affinity, anti-affinity and
// spread of lone pods, drivers and executors, and of the pods around them.
#include "core/score/weighted_score.hpp"
#include "tests/core/domain/domain_world.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

using core::PodRules;
using core::StringMap;
using tests::spread;
using tests::term;
using tests::World;

namespace {

const StringMap app_a = {{"app", "a"}};
const std::string host = "kubernetes.io/hostname";

core::Pod pod_with(const std::string& name, const StringMap& labels, PodRules rules) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.namespace_name = "default";
    pod.labels = labels;
    if (!rules.empty()) pod.rules = std::move(rules);
    return pod;
}

config::Schema on_largest_nodes() {
    config::Schema schema = World::sealed_schema();
    schema.profiles.front().packing = core::PackingPolicy::fewest_nodes;
    return schema;
}

/// One of another scheduler's.
void put(World& world, core::Pod pod, const std::string& node) {
    pod.scheduler_name = "default-scheduler";
    pod.node_name = node;
    world.create(std::move(pod));
}

/// Such pods are liked, or with a negative weight disliked.
PodRules rather(const std::string& key, std::int32_t weight) {
    PodRules rules;
    rules.preferred = {{term(key, app_a), weight}};
    return rules;
}

PodRules rather_spread(const std::string& key, const StringMap& labels) {
    PodRules rules;
    rules.preferred_spread = {spread(key, labels)};
    return rules;
}

}  // namespace

TEST_CASE("pod preferences: pods that would rather be apart are, and share nodes if they must") {
    World world;
    world.add_zones();
    std::vector<std::string> pods;
    std::set<std::string> nodes;
    for (int i = 0; i < 3; ++i) {
        pods.push_back(world.create(pod_with("p" + std::to_string(i), app_a, rather(host, -1))));
        world.settle();
        nodes.insert(world.node_of(pods.back()));
    }
    CHECK(nodes == std::set<std::string>{"a1", "a2", "b1"});
    const auto fourth = world.create(pod_with("p4", app_a, rather(host, -1)));
    world.settle();
    CHECK(world.is_bound(fourth));
    CHECK(world.violations.empty());
}

TEST_CASE("pod preferences: near a pod, and evenly over zones") {
    World world(on_largest_nodes());
    world.add_zones();
    put(world, pod_with("cache", app_a, {}), "b1");
    const auto near = world.create(pod_with("near", {}, rather("zone", 5)));
    world.settle();
    CHECK(world.node_of(near) == "b1");
    const auto even = world.create(pod_with("even", {}, rather_spread("zone", app_a)));
    world.settle();
    CHECK(world.node_of(even) == "a1");
    CHECK(world.violations.empty());
}

TEST_CASE("pod preferences: those of the pods that are there reach pods without any") {
    World world;
    world.add_zones();
    put(world, pod_with("grump", {}, rather("zone", -1)), "a1");
    const auto reached = world.create(pod_with("p", app_a, {}));
    const auto other = world.create(pod_with("q", {{"app", "b"}}, {}));
    world.settle();
    CHECK(world.node_of(reached) == "b1");
    CHECK(world.node_of(other) == "a1");
}

TEST_CASE("pod preferences: required affinity of a placed pod draws others near by its weight") {
    config::Schema schema = on_largest_nodes();
    SUBCASE("1, as kube-scheduler has it by default") {}
    SUBCASE("0 leaves the policy") {
        schema.profiles[0].pod_scoring.required_affinity = 0;
    }
    const bool counts = schema.profiles[0].pod_scoring.required_affinity > 0;
    World world(schema);
    world.add_zones();
    put(world, pod_with("first", app_a, {{term("zone", app_a)}, {}, {}}), "b1");
    const auto pod = world.create(pod_with("p", app_a, {}));
    world.settle();
    CHECK(world.node_of(pod) == (counts ? "b1" : "a1"));
}

TEST_CASE("pod preferences: a full node is no choice, and keeps nobody waiting") {
    World world;
    world.add_zones();
    put(world, pod_with("cache", app_a, {}), "b1");
    core::Pod big = tests::pod("big", 7000, 1024);
    put(world, big, "b1");
    const auto near = world.create(pod_with("near", {}, rather("zone", 5)));
    world.settle();
    CHECK(world.node_of(near) == "a1");
}

TEST_CASE("pod preferences: too many labels, or labels of namespaces that nobody tells, and they are passed over") {
    World world(on_largest_nodes());
    world.add_zones();
    PodRules rules = rather("zone", 5);
    SUBCASE("labels") {
        for (int i = 0; i < 300; ++i) {
            rules.preferred.push_back({term("zone", {{"label-" + std::to_string(i), "x"}}), 1});
        }
    }
    SUBCASE("namespaces") {
        world.namespaces.reset();
        rules.preferred[0].term.namespace_selector = tests::selector({{"team", "x"}});
    }
    put(world, pod_with("cache", app_a, {}), "b1");
    const auto pod = world.create(pod_with("p", {}, rules));
    world.advance(5'000);
    CHECK(world.node_of(pod) == "a1");
    const auto both = world.create(pod_with("q", app_a, [&] {
        PodRules with_required = rules;
        with_required.anti_affinity = {term("zone", app_a)};
        return with_required;
    }()));
    world.advance(5'000);
    CHECK(world.node_of(both).substr(0, 1) == "a");
}

TEST_CASE("pod preferences: executors whose template spreads them are planned that way") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) world.add_node(tests::node_in_zone(name, "a", 16));
    auto conf = tests::conf(3);
    conf.executor_template.emplace().rules = rather_spread(host, {{"spark-role", "executor"}});
    const auto driver = world.submit(tests::driver("d"), conf);
    world.advance(5'000);
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    std::set<std::string> nodes;
    std::vector<std::string> executors;
    for (int i = 0; i < 3; ++i) {
        executors.push_back(
            world.create(tests::executor("e" + std::to_string(i), world.pod(driver))));
    }
    world.advance(5'000);
    for (const std::string& uid : executors) nodes.insert(world.node_of(uid));
    CHECK(nodes == std::set<std::string>{"n1", "n2", "n3"});
    CHECK(world.violations.empty());
}

TEST_CASE("pod preferences: by weighted scores they count as much as the profile says") {
    config::Schema schema = World::sealed_schema();
    core::ScoreOrder& scores = schema.profiles[0].scores;
    scores = {
        {*core::find_score_id("first-by-name"), 1, {}, {}},
        {*core::find_score_id("InterPodAffinity"), 1, {}, {}}};
    SUBCASE("with the score") {}
    SUBCASE("without it") {
        scores.pop_back();
    }
    const bool counts = scores.size() == 2;
    World world(schema);
    world.add_zones();
    put(world, pod_with("cache", app_a, {}), "b1");
    const auto near = world.create(pod_with("near", {}, rather("zone", 5)));
    world.advance(5'000);
    CHECK(world.node_of(near) == (counts ? "b1" : "a1"));
}

namespace {

config::Schema by_score(const char* name) {
    config::Schema schema = World::sealed_schema();
    schema.profiles[0].scores = {
        {*core::find_score_id("most-allocated"), 1, {}, {}}, {*core::find_score_id(name), 9, {}, {}}};
    return schema;
}

/// One node has the image; another is fuller.
void add_nodes_with_image(World& world) {
    for (const char* name : {"n1", "n2", "n3"}) {
        core::Node node = tests::node_in_zone(name, "a", 16);
        node.images.emplace();
        if (node.name == "n2") node.images->push_back({"spark:4", std::int64_t{8} << 30});
        world.add_node(node);
    }
    put(world, pod_with("there", {}, {}), "n3");
}

core::Pod with_image(const std::string& name) {
    core::Pod pod = pod_with(name, {}, {});
    pod.constraints.edit().images = {"spark:4"};
    return pod;
}

}  // namespace

TEST_CASE("ImageLocality: a pod goes where its image is, if its profile says so") {
    std::string wanted = "n2";
    const char* score = "ImageLocality";
    SUBCASE("with the score") {}
    SUBCASE("without it") {
        score = "first-by-name";
        wanted = "n3";
    }
    World world(by_score(score));
    add_nodes_with_image(world);
    const auto pod = world.create(with_image("p"));
    world.settle();
    CHECK(world.node_of(pod) == wanted);
    CHECK(world.violations.empty());
}

TEST_CASE("ImageLocality: executors are planned where the conf's image is") {
    World world(by_score("ImageLocality"));
    add_nodes_with_image(world);
    auto conf = tests::conf(3);
    conf.properties.emplace_back("spark.kubernetes.container.image", "spark:4");
    std::sort(conf.properties.begin(), conf.properties.end());
    const auto driver = world.submit(tests::driver("d"), conf);
    world.advance(5'000);
    REQUIRE(world.is_bound(driver));
    CHECK(world.node_of(driver) == "n3");  // nobody said what its image is
    world.set_phase(driver, core::PodPhase::running);
    for (int i = 0; i < 3; ++i) {
        core::Pod executor = tests::executor("e" + std::to_string(i), world.pod(driver));
        executor.constraints.edit().images = {"spark:4"};
        const auto uid = world.create(std::move(executor));
        world.advance(1'000);
        CHECK(world.node_of(uid) == "n2");
    }
    CHECK(world.violations.empty());
}

TEST_CASE("ServiceSpreading: pods with the same labels keep apart, others do not") {
    World world(by_score("ServiceSpreadingPriority"));
    world.add_zones();
    std::set<std::string> nodes;
    for (int i = 0; i < 3; ++i) {
        StringMap labels = app_a;
        labels.emplace_back("statefulset.kubernetes.io/pod-name", "a-" + std::to_string(i));
        const auto pod = world.create(pod_with("p" + std::to_string(i), labels, {}));
        world.advance(5'000);
        nodes.insert(world.node_of(pod));
    }
    CHECK(nodes == std::set<std::string>{"a1", "a2", "b1"});
    const auto first = world.create(pod_with("q", {}, {}));
    const auto second = world.create(pod_with("r", {}, {}));
    world.settle();
    CHECK(world.node_of(first) == "a1");
    CHECK(world.node_of(second) == "a1");
    CHECK(world.violations.empty());
}

TEST_CASE("ServiceSpreading: executors of one application keep apart") {
    World world(by_score("SelectorSpread"));
    for (const char* name : {"n1", "n2", "n3"}) world.add_node(tests::node_in_zone(name, "a", 16));
    const auto driver = world.submit(tests::driver("d"), tests::conf(3));
    world.advance(5'000);
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    std::set<std::string> nodes;
    for (int i = 0; i < 3; ++i) {
        const auto uid =
            world.create(tests::executor("e" + std::to_string(i), world.pod(driver)));
        world.advance(5'000);
        nodes.insert(world.node_of(uid));
    }
    CHECK(nodes == std::set<std::string>{"n1", "n2", "n3"});
    CHECK(world.violations.empty());
}
