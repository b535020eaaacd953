// Gangs with a driver and several kinds of executors under rules between pods, by chance: where each pod goes, or why
// it does not fit; and that nothing of the question is left behind.

#include "core/placement/domain_planner.hpp"

#include "tests/core/domain/rules_walk.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <string>
#include <vector>

namespace domain_gangs {

using namespace core;
using tests::DomainWorld;
using tests::RuledPod;
using tests::rules_text;
using tests::RulesWalk;

ScoreOrder order_of(std::initializer_list<const char*> names) {
    ScoreOrder made;
    for (const char* name : names) made.push_back({*find_score_id(name), 1, {}, {}});
    return made;
}

struct Question {
    DomainWorld& world;
    RuledRequest request = {};
    std::deque<RuledPod> pods = {};  ///< what the request's parts point to

    Question(DomainWorld& in) : world(in) {}
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;
    ~Question() {
        const auto release = [this](const RuledPart& part) {
            if (part.pod) world.release(part.pod->rules);
            world.cluster.release_shape(part.shape);
        };
        if (request.driver) release(*request.driver);
        for (const RuledPart& part : request.executors) release(part);
    }
    RuledPart part(const RuledPod& pod, std::int64_t cpu, std::int64_t count, bool is_known = true) {
        const RuledPod& kept = pods.emplace_back(pod);
        RuledPart made{world.cluster.intern_shape({cpu * 1000, 0, 0, {}}, kept.constraints), count, {}};
        if (is_known) {
            made.pod.emplace(IncomingPod{world.retain(kept), kept.namespace_name, kept.labels, kept.constraints});
        }
        return made;
    }
    Placement place() {
        const Cluster before = world.cluster;
        const std::size_t kept = world.rules.size();
        Planner planner;
        Placement placement = DomainPlanner(planner, world.cluster, world.rules).place(request);
        CHECK(world.rules.size() == kept);
        CHECK(world.cluster.columns() == before.columns());
        CHECK(world.cluster.allocations().count() == before.allocations().count());
        CHECK(world.cluster.shapes().references() == before.shapes().references());
        return placement;
    }
    std::string tell() {
        const Placement placement = place();
        if (const auto* const rejection = std::get_if<Rejection>(&placement)) {
            return "no, " + std::to_string(rejection->eligible_nodes) + "/" + std::to_string(rejection->nodes) + ": " +
                   describe(*rejection) + "\n";
        }
        const Plan& plan = std::get<Plan>(placement);
        std::string text = plan.driver.is_none() ? "" : world.cluster.nodes().name(plan.driver);
        REQUIRE(plan.executors.size() == request.executors.size());
        for (std::size_t i = 0; i < plan.executors.size(); ++i) {
            std::int64_t sum = 0;
            text += ";";
            for (const NodeCount& one : plan.executors[i]) {
                text += " " + world.cluster.nodes().name(one.node) + ":" + std::to_string(one.count);
                sum += one.count;
            }
            CHECK(sum == request.executors[i].count);
        }
        return text + "\n";
    }
};

TEST_CASE("domain planner: gangs of several kinds of executors under any rules") {
    RulesWalk walk(9);
    const std::vector<ScoreOrder> orders = {
        order_of({"least-allocated"}),
        order_of({"inter-pod-affinity", "pod-topology-spread"}),
        order_of({"most-allocated", "pod-topology-spread"})};
    std::string told;
    for (int round = 0; round < 160; ++round) {
        DomainWorld world;
        for (std::int64_t n = walk.between(2, 6); n > 0; --n) {
            const Node node = walk.node("n" + std::to_string(n));
            world.upsert_node(node);
            told += " " + rules_text(node);
        }
        told += "\n";
        for (std::int64_t n = walk.between(0, 3); n > 0; --n) {
            RuledPod pod = walk.pod(true);
            pod.node = "n" + std::to_string(walk.between(1, 6));
            if (walk.one_in(2)) pod.rules = {};
            world.place(pod);
            told += "    " + pod.node + ": " + rules_text(pod) + "\n";
        }
        Question question(world);
        question.request.policy = walk.walk.of(packing_policies());
        if (walk.one_in(2)) question.request.policy = static_cast<PackingPolicy>(walk.between(0, 1));
        question.request.pod_scoring = walk.scoring();
        const std::size_t by = walk.walk.pick(6);
        if (by < orders.size()) question.request.scores = &orders[by];
        told += "  " + std::string(to_string(question.request.policy)) + (by < 3 ? " " + std::to_string(by) : "");
        const auto any_part = [&](std::int64_t count) {
            const RuledPod pod = walk.pod(walk.one_in(2));
            const bool is_known = !walk.one_in(6);
            const std::int64_t cpu = walk.one_in(5) ? 2 : 1;
            told += "; " + std::to_string(count) + "x" + std::to_string(cpu) + " " +
                    (is_known ? rules_text(pod) : "anybody");
            return question.part(pod, cpu, count, is_known);
        };
        if (walk.one_in(2)) question.request.driver.emplace(any_part(1));
        for (std::int64_t n = walk.between(1, 3); n > 0; --n) {
            question.request.executors.push_back(any_part(walk.between(0, 4)));
        }
        told += "\n    " + question.tell();
    }
    tests::check_transcript("core/placement/transcripts/domain_gangs", told);
}

/// Zones a and b of so many nodes with four cores each, named by them.
DomainWorld zones(int of_a, int of_b) {
    DomainWorld world;
    for (int i = 0; i < of_a + of_b; ++i) {
        Node node;
        const bool is_a = i < of_a;
        node.name = (is_a ? "a" : "b") + std::to_string(is_a ? i : i - of_a);
        node.ready = true;
        node.pods = 110;
        node.allocatable.cpu_milli = 4000;
        node.labels = {{"host", node.name}, {"zone", is_a ? "a" : "b"}};
        world.upsert_node(node);
    }
    return world;
}

RuledPod pod_with(const StringMap& labels, PodRules rules = {}) {
    RuledPod pod;
    pod.namespace_name = "x";
    pod.labels = labels;
    pod.rules = std::move(rules);
    return pod;
}

TEST_CASE("domain planner: the second kind of executors has what the first leaves, and its rules about them") {
    DomainWorld world = zones(2, 1);
    const RuledPod first = pod_with({{"role", "first"}});
    const PodAffinityTerm to_first = tests::term("host", {{"role", "first"}}, "x");
    Question question(world);
    question.request.executors.push_back(question.part(first, 1, 8));
    question.request.executors.push_back(question.part(pod_with({}, {{}, {to_first}, {}}), 1, 4));
    CHECK(question.tell() == "; a0:4 a1:4; b0:4\n");
    question.request.executors[1].count = 5;
    CHECK(question.tell().starts_with("no, 1/3: needs 13 executors (13 cpu); 12 fit, short of 1 cpu."));
}

TEST_CASE("domain planner: a kind without pods asks for nothing and stands in the plan as nobody") {
    DomainWorld world = zones(1, 1);
    const PodAffinityTerm to_itself = tests::term("host", {{"role", "e"}}, "x");
    Question question(world);
    question.request.executors.push_back(question.part(pod_with({{"role", "e"}}, {{to_itself}, {}, {}}), 9, 0));
    question.request.executors.push_back(question.part(pod_with({}), 1, 3));
    CHECK(question.tell() == ";; a0:3\n");
}

TEST_CASE("domain planner: a driver of which nothing is known stands among executors with rules") {
    DomainWorld world = zones(1, 2);
    const PodAffinityTerm to_itself = tests::term("zone", {{"role", "e"}}, "x");
    const RuledPod executor = pod_with({{"role", "e"}}, {{to_itself}, {}, {}});
    Question question(world);
    question.request.driver.emplace(question.part(pod_with({}), 1, 1, false));
    question.request.executors.push_back(question.part(pod_with({}), 1, 0, false));
    question.request.executors.push_back(question.part(executor, 1, 8));
    CHECK(question.tell() == "a0;; b0:4 b1:4\n");
    // The driver is moved out of the zone that its executors need.
    question.request.executors[1].count = 7;
    question.request.policy = PackingPolicy::fewest_nodes;
    CHECK(std::holds_alternative<Plan>(question.place()));
    question.request.executors[1].count = 9;
    const auto rejection = std::get<Rejection>(question.place());
    CHECK(rejection.driver_fits);
    CHECK(rejection.executors_wanted == 9);
    CHECK(rejection.executors_fit < 9);
}

TEST_CASE("domain planner: the driver's own nodes are tried in so many domains and no more") {
    // Each zone has one node, where driver and executors are together only in the last by name.
    for (const std::size_t zone_count : {DomainPlanner::driver_domains_max, DomainPlanner::driver_domains_max + 1}) {
        CAPTURE(zone_count);
        DomainWorld world;
        for (std::size_t i = 0; i < zone_count; ++i) {
            Node node;
            node.name = "n" + std::to_string(10 + i);
            node.ready = true;
            node.pods = 110;
            node.allocatable.cpu_milli = i + 1 == zone_count ? 6000 : 4000;
            node.labels = {{"zone", "z" + std::to_string(10 + i)}};
            world.upsert_node(node);
        }
        const PodAffinityTerm to_driver = tests::term("zone", {{"role", "d"}}, "x");
        Question question(world);
        question.request.driver.emplace(question.part(pod_with({{"role", "d"}}), 1, 1));
        question.request.executors.push_back(question.part(pod_with({}, {{to_driver}, {}, {}}), 1, 5));
        CHECK(
            std::holds_alternative<Plan>(question.place()) ==
            (zone_count == DomainPlanner::driver_domains_max));
    }
}

TEST_CASE("domain planner: more than 256 pods on a node make it like any other large one") {
    for (const auto policy : {PackingPolicy::tightest, PackingPolicy::fewest_nodes}) {
        DomainWorld world;
        const std::vector<std::int64_t> cores = {257, 255, 256, 300, 1};
        for (std::size_t i = 0; i < cores.size(); ++i) {
            Node node;
            node.name = "n" + std::to_string(i);
            node.ready = true;
            node.pods = 1000;
            node.allocatable.cpu_milli = cores[i] * 1000;
            node.labels = {{"host", node.name}};
            world.upsert_node(node);
        }
        const PodAffinityTerm to_itself = tests::term("host", {{"role", "e"}}, "x");
        Question question(world);
        question.request.policy = policy;
        question.request.executors.push_back(question.part(pod_with({{"role", "e"}}, {{}, {to_itself}, {}}), 1, 3));
        CHECK(
            question.tell() ==
            (policy == PackingPolicy::tightest ? "; n0:1 n1:1 n4:1\n" : "; n0:1 n2:1 n3:1\n"));
        question.request.executors[0].count = 2;
        CHECK(question.tell() == (policy == PackingPolicy::tightest ? "; n1:1 n4:1\n" : "; n0:1 n2:1\n"));
        question.request.executors[0].count = 5;
        CHECK(question.tell() == "; n0:1 n1:1 n2:1 n3:1 n4:1\n");
    }
}

TEST_CASE("ruled nodes: pods may be choosy as long as they and the nodes are not too many") {
    DomainWorld world = zones(1, 1);
    PodRules rules;
    rules.preferred = {{tests::term("zone", {{"role", "e"}}, "x"), 1}};
    Question question(world);
    RuledPart part = question.part(pod_with({{"role", "e"}}, rules), 1, RuledNodes::choosy_nodes_max / 2);
    question.request.executors.push_back(part);
    const RuledPart other = question.part(pod_with({{"role", "d"}}, rules), 1, 1);
    question.request.executors.push_back(other);
    const RuledPart plain = question.part(pod_with({{"role", "e"}}), 1, 1);
    question.request.executors.push_back(plain);
    RuledPart unknown = plain;
    unknown.pod.reset();
    Planner planner;
    RuledNodes nodes(planner, world.cluster, world.rules);
    for (const RuledPart& one : {part, other, plain, unknown}) {
        CHECK_FALSE(nodes.has_preferences(one));
        CHECK_FALSE(nodes.prefers_its_like(one));
        CHECK_FALSE(nodes.may_be_choosy(one));
        CHECK(nodes.scores(one, world.all_nodes()).empty());
    }
    const PodScoring scoring;
    nodes.heed(&scoring);
    CHECK(nodes.has_preferences(part));
    CHECK(nodes.prefers_its_like(part));
    CHECK(nodes.may_be_choosy(part));
    part.count += 1;
    CHECK_FALSE(nodes.may_be_choosy(part));
    CHECK(nodes.has_preferences(other));
    CHECK_FALSE(nodes.prefers_its_like(other));
    CHECK_FALSE(nodes.has_preferences(plain));
    CHECK_FALSE(nodes.prefers_its_like(plain));
    CHECK_FALSE(nodes.may_be_choosy(plain));
    CHECK_FALSE(nodes.has_preferences(unknown));
    CHECK_FALSE(nodes.prefers_its_like(unknown));
    // Of what may be asked, each look at all nodes is counted.
    const std::int64_t asked = nodes.asked();
    CHECK(nodes.allowed(unknown).nodes.count() == 2);
    CHECK(nodes.asked() == asked);
    CHECK(nodes.allowed(plain).nodes.count() == 2);
    CHECK(nodes.asked() == asked + 2);
    CHECK(nodes.feasible(plain, world.all_nodes()).count() == 2);
    CHECK(nodes.asked() == asked + 4);
}

}  // namespace domain_gangs
