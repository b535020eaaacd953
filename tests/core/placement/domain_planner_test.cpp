// Gangs under rules between pods: figures that can be worked out by hand, and tiny clusters where
// every order of placing is tried.

#include "core/placement/domain_planner.hpp"

#include "tests/core/domain/domain_world.hpp"
#include "tests/core/domain/naive_scores.hpp"
#include "tests/core/domain/rules_dice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace core;
using namespace tests;

const StringMap executor_labels = {{"role", "executor"}};
const StringMap driver_labels = {{"role", "driver"}};
constexpr std::int64_t gibibyte = std::int64_t{1} << 30;

PodAffinityTerm near(const std::string& key, const StringMap& labels) {
    return term(key, labels, "x");
}

RuledPod pod_of(const StringMap& labels, PodRules rules) {
    RuledPod pod;
    pod.namespace_name = "x";
    pod.labels = labels;
    pod.rules = std::move(rules);
    return pod;
}

RuledPod pod_of_at(RuledPod pod, const std::string& node) {
    pod.node = node;
    return pod;
}

struct Planned {
    DomainWorld world;
    Planner planner;
    const ScoreOrder* scores = nullptr;

    void add_node(const std::string& name, const std::string& zone, std::int64_t cpu) {
        Node node;
        node.name = name;
        node.ready = true;
        node.pods = 110;
        node.allocatable = {cpu * 1000, 64 * gibibyte, 0, {}};
        node.labels = {{"host", name}};
        if (!zone.empty()) node.labels.emplace_back("zone", zone);
        world.upsert_node(node);
    }

    /// A gang of pods of 1 cpu each; nothing is left behind by the question.
    Placement place(
        const RuledPod* driver,
        const RuledPod& executor,
        std::int64_t count,
        PackingPolicy policy = PackingPolicy::tightest) {
        const Resources one{1000, gibibyte, 0, {}};
        RuledRequest request;
        request.policy = policy;
        request.scores = scores;
        const auto part = [&](const RuledPod& pod, std::int64_t pods) {
            const RulesId id = world.retain(pod);
            return RuledPart{
                world.cluster.intern_shape(one, pod.constraints),
                pods,
                IncomingPod{id, pod.namespace_name, pod.labels, pod.constraints}};
        };
        if (driver != nullptr) request.driver.emplace(part(*driver, 1));
        request.executors.push_back(part(executor, count));
        const Cluster cluster = world.cluster;
        const std::size_t kept = world.rules.size();
        Placement placement = DomainPlanner(planner, world.cluster, world.rules).place(request);
        CHECK(world.rules.size() == kept);
        CHECK(world.cluster.columns() == cluster.columns());
        CHECK(world.cluster.allocations().count() == cluster.allocations().count());
        CHECK(world.cluster.shapes().references() == cluster.shapes().references());
        CHECK(world.cluster.room().gains().version() == cluster.room().gains().version());
        if (driver != nullptr) {
            world.release(request.driver->pod->rules);
            world.cluster.release_shape(request.driver->shape);
        }
        world.release(request.executors[0].pod->rules);
        world.cluster.release_shape(request.executors[0].shape);
        return placement;
    }
    std::map<std::string, std::int64_t> nodes(const Placement& placement) const {
        std::map<std::string, std::int64_t> counts;
        for (const NodeCount& one : std::get<Plan>(placement).executors[0]) {
            counts[world.cluster.nodes().name(one.node)] = one.count;
        }
        return counts;
    }
};

using Nodes = std::map<std::string, std::int64_t>;

bool says(const Rejection& rejection, const std::string& text) {
    return describe(rejection).find(text) != std::string::npos;
}

}  // namespace

TEST_CASE("domain planner: PRED-11: spread over zones with room for 10, 10 and 2") {
    Planned planned;
    planned.add_node("a", "a", 10);
    planned.add_node("b", "b", 10);
    planned.add_node("c", "c", 2);
    planned.add_node("d", "", 10);
    const RuledPod executor = pod_of(executor_labels, {{}, {}, {spread("zone", executor_labels)}});
    CHECK(
        planned.nodes(planned.place(nullptr, executor, 8)) == Nodes{{"a", 3}, {"b", 3}, {"c", 2}});
    const auto rejection = std::get<Rejection>(planned.place(nullptr, executor, 9));
    CHECK(rejection.executors_fit == 8);
    CHECK(rejection.executors_wanted == 9);
    CHECK(rejection.missing.cpu_milli == 1000);
    CHECK(says(rejection, "1 Insufficient cpu"));
    CHECK(says(rejection, "2 node(s) didn't match pod topology spread constraints,"));
    CHECK(says(rejection, "1 node(s) didn't match pod topology spread constraints (missing"));
}

TEST_CASE("domain planner: executors that keep apart, one to each node") {
    Planned planned;
    for (const char* name : {"n1", "n2", "n3"}) planned.add_node(name, "a", 8);
    const RuledPod executor = pod_of(executor_labels, {{}, {near("host", executor_labels)}, {}});
    CHECK(
        planned.nodes(planned.place(nullptr, executor, 3)) ==
        Nodes{{"n1", 1}, {"n2", 1}, {"n3", 1}});
    const auto rejection = std::get<Rejection>(planned.place(nullptr, executor, 4));
    CHECK(rejection.executors_fit == 3);
    CHECK(says(rejection, "no node is eligible. 3 node(s) didn't match pod anti-affinity rules"));
}

TEST_CASE("domain planner: executors that keep apart take the nodes that the policy would have") {
    Planned planned;
    for (const auto& [name, cpu] : std::vector<std::pair<std::string, int>>{
             {"n1", 8}, {"n2", 4}, {"n3", 0}, {"n4", 4}, {"n5", 2}}) {
        planned.add_node(name, "a", cpu);
    }
    const RuledPod executor = pod_of(executor_labels, {{}, {near("host", executor_labels)}, {}});
    CHECK(planned.nodes(planned.place(nullptr, executor, 2)) == Nodes{{"n2", 1}, {"n5", 1}});
    CHECK(
        planned.nodes(planned.place(nullptr, executor, 2, PackingPolicy::fewest_nodes)) ==
        Nodes{{"n1", 1}, {"n2", 1}});
    CHECK(std::get<Rejection>(planned.place(nullptr, executor, 5)).executors_fit == 4);
    // Where one stands already no other may go; nodes without the label take any number.
    planned.world.place(pod_of_at(executor, "n5"));
    CHECK(planned.nodes(planned.place(nullptr, executor, 1)) == Nodes{{"n2", 1}});
    Node unlabelled;
    unlabelled.name = "n0";
    unlabelled.ready = true;
    unlabelled.pods = 110;
    unlabelled.allocatable = {3000, 64 * gibibyte, 0, {}};
    planned.world.upsert_node(unlabelled);
    CHECK(
        planned.nodes(planned.place(nullptr, executor, 6)) ==
        Nodes{{"n0", 3}, {"n1", 1}, {"n2", 1}, {"n4", 1}});
    CHECK(std::get<Rejection>(planned.place(nullptr, executor, 7)).executors_fit == 6);
}

TEST_CASE("domain planner: PRED-10: all in one zone, the one that takes them all") {
    Planned planned;
    planned.add_node("a", "a", 4);
    planned.add_node("b1", "b", 4);
    planned.add_node("b2", "b", 4);
    const RuledPod executor = pod_of(executor_labels, {{near("zone", executor_labels)}, {}, {}});
    CHECK(planned.nodes(planned.place(nullptr, executor, 6)) == Nodes{{"b1", 4}, {"b2", 2}});
    CHECK(planned.nodes(planned.place(nullptr, executor, 3)) == Nodes{{"a", 3}});
    CHECK(std::holds_alternative<Rejection>(planned.place(nullptr, executor, 9)));
}

TEST_CASE("domain planner: the driver goes where its executors can be near it") {
    Planned planned;
    planned.add_node("a", "a", 4);
    planned.add_node("b1", "b", 4);
    planned.add_node("b2", "b", 4);
    const RuledPod driver = pod_of(driver_labels, {});
    const RuledPod executor = pod_of(executor_labels, {{near("zone", driver_labels)}, {}, {}});
    const Placement placement = planned.place(&driver, executor, 6);
    REQUIRE(std::holds_alternative<Plan>(placement));
    CHECK(planned.world.cluster.nodes().name(std::get<Plan>(placement).driver).starts_with("b"));
    CHECK(planned.nodes(placement).count("a") == 0);
    const auto rejection = std::get<Rejection>(planned.place(&driver, executor, 8));
    CHECK(rejection.driver_fits);
    CHECK(rejection.executors_fit > 0);
    CHECK(rejection.executors_fit < 8);
}

TEST_CASE("domain planner: two rules among themselves, pod by pod") {
    Planned planned;
    for (const char* name : {"a1", "a2", "a3", "b1", "b2"}) {
        planned.add_node(name, std::string(name, 1), 8);
    }
    const RuledPod executor = pod_of(
        executor_labels, {{}, {near("host", executor_labels)}, {spread("zone", executor_labels)}});
    const Nodes nodes = planned.nodes(planned.place(nullptr, executor, 5));
    CHECK(nodes.size() == 5);
    planned.world.remove_node("b2");
    const auto rejection = std::get<Rejection>(planned.place(nullptr, executor, 4));
    CHECK(rejection.executors_fit == 3);  // two in a, one in b: a third in a is one too many
}

TEST_CASE("domain planner: whom the pods of others keep out") {
    Planned planned;
    planned.add_node("a", "a", 8);
    planned.add_node("b", "b", 8);
    RuledPod guard = pod_of({}, {{}, {near("zone", executor_labels)}, {}});
    guard.node = "a";
    planned.world.place(guard);
    const RuledPod executor = pod_of(executor_labels, {});
    CHECK(planned.nodes(planned.place(nullptr, executor, 4)) == Nodes{{"b", 4}});
    CHECK(says(
        std::get<Rejection>(planned.place(nullptr, executor, 9)),
        "1 node(s) didn't satisfy existing pods anti-affinity rules"));
    planned.world.take_away(0);
}

TEST_CASE("domain planner: a plan exists if and only if some order of placing finds one") {
    RulesDice dice;
    CAPTURE(dice.seed());
    int plans = 0;
    int rejections = 0;
    for (int round = 0; round < 4'000; ++round) {
        Planned planned;
        DomainWorld& world = planned.world;
        for (int n = 0; n < 4; ++n) {
            Node node = dice.node();
            node.allocatable = {dice.between(0, 2) * 1000, 64 * gibibyte, 0, {}};
            node.pods = 110;
            world.upsert_node(node);
        }
        for (std::int64_t n = dice.between(0, 3); n > 0; --n) {
            RuledPod pod = dice.pod();
            if (dice.one_in(3)) pod.rules = dice.rules();
            world.place(pod);
        }
        RuledPod pod = dice.pod();
        pod.is_deleting = false;
        pod.rules = dice.rules();
        std::map<std::string, std::int64_t> room;
        for (const auto& [name, node] : world.naive.nodes) {
            const bool is_eligible = filter_node(node, pod.constraints).passes();
            room[name] = is_eligible ? node.allocatable.cpu_milli / 1000 : 0;
        }
        const std::int64_t most = naive_most(world.naive, pod, room);
        const std::int64_t count = dice.between(1, 4);
        const auto policy = dice.one_in(2) ? PackingPolicy::tightest : PackingPolicy::fewest_nodes;
        const Placement placement = planned.place(nullptr, pod, count, policy);
        const bool is_exact =
            rules_among_themselves(pod.rules, pod.namespace_name, pod.labels).size() <= 1;
        if (const auto* rejection = std::get_if<Rejection>(&placement)) {
            ++rejections;
            CHECK(rejection->executors_wanted == count);
            CHECK(rejection->executors_fit < count);
            if (is_exact) CHECK(rejection->executors_fit == std::min(count, most));
            continue;
        }
        ++plans;
        CHECK(count <= most);
        // What is planned can be placed, pod after pod, without breaking a rule.
        std::map<std::string, std::int64_t> wanted;
        for (const auto& [name, pods] : planned.nodes(placement)) wanted[name] = pods;
        CHECK(naive_most(world.naive, pod, wanted) == count);
    }
    CHECK(plans > 1'000);
    CHECK(rejections > 500);
}

TEST_CASE("domain planner: executors that would rather be apart are, as long as there are nodes") {
    Planned planned;
    for (const char* name : {"n1", "n2", "n3"}) planned.add_node(name, "z", 8);
    PodRules apart;
    apart.preferred = {{near("host", executor_labels), -1}};
    const RuledPod executor = pod_of(executor_labels, apart);
    CHECK(
        planned.nodes(planned.place(nullptr, executor, 3)) ==
        Nodes{{"n1", 1}, {"n2", 1}, {"n3", 1}});
    CHECK(
        planned.nodes(planned.place(nullptr, executor, 7)) ==
        Nodes{{"n1", 3}, {"n2", 2}, {"n3", 2}});
    CHECK(planned.nodes(planned.place(nullptr, executor, 24))["n3"] == 8);
    PodRules evenly;
    evenly.preferred_spread = {spread("host", executor_labels)};
    CHECK(
        planned.nodes(planned.place(nullptr, pod_of(executor_labels, evenly), 6)) ==
        Nodes{{"n1", 2}, {"n2", 2}, {"n3", 2}});
}

TEST_CASE("domain planner: a preference never costs a gang its room") {
    // The driver would rather be near the cache, where the executors, who stay in one zone, do not
    // all fit.
    Planned planned;
    planned.add_node("small", "a", 3);
    planned.add_node("large", "b", 8);
    const StringMap cache = {{"role", "cache"}};
    planned.world.place(pod_of_at(pod_of(cache, {}), "small"));
    PodRules to_cache;
    to_cache.preferred = {{near("zone", cache), 100}};
    PodRules one_zone{{near("zone", executor_labels)}, {}, {}};
    one_zone.preferred = to_cache.preferred;
    const RuledPod executor = pod_of(executor_labels, one_zone);
    CHECK(planned.nodes(planned.place(nullptr, executor, 3)) == Nodes{{"small", 3}});
    CHECK(planned.nodes(planned.place(nullptr, executor, 4)) == Nodes{{"large", 4}});
    const auto rejection = std::get<Rejection>(planned.place(nullptr, executor, 9));
    CHECK(rejection.executors_fit == 8);
}

TEST_CASE("domain planner: what pods that are there prefer comes before the policy") {
    Planned planned;
    planned.add_node("n1", "a", 2);
    planned.add_node("n2", "b", 8);
    const StringMap cache = {{"role", "cache"}};
    const RuledPod driver = pod_of(driver_labels, {});
    const RuledPod executor = pod_of(executor_labels, {});
    PodRules wants_executors;
    wants_executors.preferred = {{near("host", executor_labels), 1}};
    planned.world.place(pod_of_at(pod_of(cache, wants_executors), "n2"));
    const Placement placement = planned.place(&driver, executor, 2);
    CHECK(planned.nodes(placement) == Nodes{{"n2", 2}});
    CHECK(planned.world.cluster.nodes().name(std::get<Plan>(placement).driver) == "n1");
    PodRules avoids_drivers;
    avoids_drivers.preferred = {{near("host", driver_labels), -1}};
    planned.world.place(pod_of_at(pod_of(cache, avoids_drivers), "n1"));
    CHECK(
        planned.world.cluster.nodes().name(
            std::get<Plan>(planned.place(&driver, executor, 2)).driver) == "n2");
}

TEST_CASE("domain planner: of many that would rather be apart each gets a node of its own") {
    Planned planned;
    for (int i = 1'000; i < 2'000; ++i) planned.add_node("n" + std::to_string(i), "z", 4);
    PodRules apart;
    apart.preferred_spread = {spread("host", executor_labels)};
    const RuledPod executor = pod_of(executor_labels, apart);
    CHECK(planned.nodes(planned.place(nullptr, executor, 900)).size() == 900);
    const Nodes full = planned.nodes(planned.place(nullptr, executor, 1'001));
    CHECK(full.size() == 1'000);
    CHECK(full.begin()->second == 2);
}

TEST_CASE("domain planner: once a node is full the others are measured without it") {
    Planned planned;
    planned.add_node("n2", "a", 3);
    planned.add_node("n3", "", 2);
    planned.add_node("n4", "b", 4);
    const StringMap cache = {{"role", "cache"}};
    planned.world.place(pod_of_at(pod_of(cache, {}), "n4"));
    planned.world.place(pod_of_at(pod_of(cache, {}), "n4"));
    PodRules away_from_caches;
    away_from_caches.preferred_spread = {spread("zone", cache)};
    const RuledPod executor = pod_of(executor_labels, away_from_caches);
    // Beside n2, n4 and n3 (which has no zone) are as bad as each other. Without it n4 is the best.
    CHECK(planned.nodes(planned.place(nullptr, executor, 5)) == Nodes{{"n2", 3}, {"n4", 2}});
}

TEST_CASE("domain planner: scores of a profile that do not ask for other pods leave them aside") {
    Planned planned;
    planned.add_node("n1", "a", 8);
    planned.add_node("n2", "b", 8);
    const StringMap cache = {{"role", "cache"}};
    planned.world.place(pod_of_at(pod_of(cache, {}), "n2"));
    PodRules to_cache;
    to_cache.preferred = {{near("host", cache), 1}};
    const RuledPod executor = pod_of(executor_labels, to_cache);
    const ScoreOrder by_name = {{*find_score_id("first-by-name"), 1, {}, {}}};
    const ScoreOrder by_pods = {
        {*find_score_id("first-by-name"), 1, {}, {}},
        {*find_score_id("InterPodAffinity"), 1, {}, {}}};
    CHECK(planned.nodes(planned.place(nullptr, executor, 2)) == Nodes{{"n2", 2}});
    planned.scores = &by_name;
    CHECK(planned.nodes(planned.place(nullptr, executor, 2)) == Nodes{{"n1", 2}});
    planned.scores = &by_pods;
    CHECK(planned.nodes(planned.place(nullptr, executor, 2)) == Nodes{{"n2", 2}});
}

TEST_CASE("domain planner: pods that prefer each other are placed as if one came after the other") {
    RulesDice dice;
    CAPTURE(dice.seed());
    int compared = 0;
    for (int round = 0; round < 2'000; ++round) {
        Planned planned;
        std::map<std::string, std::int64_t> room;
        for (int n = 0; n < 4; ++n) {
            Node node = dice.node();
            node.pods = 110;
            node.allocatable = {dice.between(1, 4) * 1000, 64 * gibibyte, 0, {}};
            planned.world.upsert_node(node);
        }
        for (std::int64_t n = dice.between(0, 3); n > 0; --n) {
            RuledPod pod = dice.pod();
            if (dice.one_in(2)) pod.rules = dice.preferences();
            planned.world.place(pod);
        }
        RuledPod executor = dice.pod();
        executor.rules = dice.preferences();
        executor.is_deleting = false;
        std::int64_t most = 0;
        for (const auto& [name, node] : planned.world.naive.nodes) {
            if (!filter_node(node, executor.constraints).passes()) continue;
            room[name] = node.allocatable.cpu_milli / 1000;
            most += room[name];
        }
        if (most == 0) continue;
        const std::int64_t count = dice.between(1, most);
        Nodes expected;
        NaiveWorld now = planned.world.naive;
        for (std::int64_t i = 0; i < count; ++i) {
            std::set<std::string> feasible;
            for (const auto& [name, left] : room) {
                if (left > 0) feasible.insert(name);
            }
            const NaiveScores near = naive_affinity_scores(now, executor, feasible, {});
            const NaiveScores even = naive_spread_scores(now, executor, feasible);
            const std::string best = *std::min_element(
                feasible.begin(), feasible.end(), [&](const std::string& a, const std::string& b) {
                    const auto rank = [&](const std::string& name) {
                        return std::tuple(-near.at(name) - even.at(name), room.at(name), name);
                    };
                    return rank(a) < rank(b);
                });
            --room[best];
            ++expected[best];
            executor.node = best;
            now.pods.push_back(executor);
        }
        REQUIRE(planned.nodes(planned.place(nullptr, executor, count)) == expected);
        compared += expected.size() > 1 ? 1 : 0;
    }
    CHECK(compared > 300);
}
