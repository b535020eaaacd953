// Preferences between pods as scores: figures worked out by hand from kube-scheduler's formulas,
// and tiny clusters against the definition. GANG_SEED=7 repeats a run.

#include "core/domain/domain_rules.hpp"
#include "core/domain/score/domain_scores.hpp"
#include "tests/core/domain/domain_world.hpp"
#include "tests/core/domain/naive_scores.hpp"
#include "tests/core/domain/rules_dice.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace tests;

const core::StringMap web = {{"app", "web"}};
const core::StringMap cache = {{"app", "cache"}};

core::PreferredPods near(const std::string& key, const core::StringMap& labels, int weight) {
    return {term(key, labels, "x"), weight};
}

RuledPod pod_on(const std::string& node, const core::StringMap& labels, core::PodRules rules = {}) {
    RuledPod pod;
    pod.node = node;
    pod.namespace_name = "x";
    pod.labels = labels;
    pod.rules = std::move(rules);
    return pod;
}

/// Scores of all nodes, or of those that are `feasible`.
core::PodScores ask(
    DomainWorld& world,
    const RuledPod& pod,
    const core::PodScoring& scoring = {},
    const core::NodeBitmap* feasible = nullptr) {
    const core::RulesId id = world.retain(pod);
    const core::NodeBitmap all = world.all_nodes();
    const core::IncomingPod incoming{id, pod.namespace_name, pod.labels, pod.constraints};
    core::DomainScores asked(
        world.rules,
        incoming,
        feasible == nullptr ? all : *feasible,
        world.cluster,
        scoring);
    core::PodScores scores = asked.scores();
    world.release(id);
    return scores;
}

using Scores = std::vector<std::uint8_t>;

/// a1, a2 in zone a, b1 in zone b, c1 in none.
void add_zones(DomainWorld& world) {
    for (const auto& [name, zone] :
         std::vector<std::pair<std::string, std::string>>{{"a1", "a"}, {"a2", "a"}, {"b1", "b"}}) {
        world.upsert_node(name, {{"kubernetes.io/hostname", name}, {"zone", zone}});
    }
    world.upsert_node("c1", {{"kubernetes.io/hostname", "c1"}});
}

}  // namespace

TEST_CASE("domain scores: SCORE-8: near some pods, away from others") {
    DomainWorld world;
    add_zones(world);
    world.place(pod_on("a1", cache));
    world.place(pod_on("b1", web));
    world.place(pod_on("b1", web));
    core::PodRules rules;
    rules.preferred = {near("zone", cache, 10)};
    CHECK(ask(world, pod_on("", web, rules)).affinity == Scores{100, 100, 0, 0});
    // Zone a 10, zone b -2 * 10, without the label 0.
    rules.preferred.push_back(near("zone", web, -10));
    CHECK(ask(world, pod_on("", web, rules)).affinity == Scores{100, 100, 0, 66});
    core::NodeBitmap feasible;
    feasible.set(2, true);
    feasible.set(3, true);
    CHECK(ask(world, pod_on("", web, rules), {}, &feasible).affinity == Scores{0, 0, 0, 100});
    CHECK(ask(world, pod_on("", web, rules)).spread.empty());
}

TEST_CASE("domain scores: SCORE-8: what the pods that are there prefer, and require") {
    DomainWorld world;
    add_zones(world);
    core::PodRules likes;
    likes.preferred = {near("zone", web, 4)};
    world.place(pod_on("a1", cache, likes));
    CHECK(ask(world, pod_on("", web)).affinity == Scores{100, 100, 0, 0});
    CHECK(ask(world, pod_on("", cache)).affinity.empty());
    CHECK(ask(world, pod_on("", web), {1, true}).affinity.empty());
    core::PodRules avoids;
    avoids.preferred = {near("kubernetes.io/hostname", web, -100)};
    world.place(pod_on("a1", cache, avoids));
    CHECK(ask(world, pod_on("", web)).affinity == Scores{0, 100, 96, 96});
    core::PodRules needs;
    needs.affinity = {term("zone", web, "x")};
    world.place(pod_on("b1", cache, needs));
    CHECK(ask(world, pod_on("", web), {50, false}).affinity == Scores{0, 68, 100, 65});
    // Its own preference brings those of the others back.
    core::PodRules own;
    own.preferred = {near("zone", {{"app", "none"}}, 1)};
    CHECK(ask(world, pod_on("", web, own), {0, true}).affinity == Scores{0, 100, 96, 96});
    world.take_away(2);
    world.take_away(1);
    world.take_away(0);
    CHECK(world.rules.size() == 0);
}

TEST_CASE("domain scores: SCORE-9: rather where fewer such pods are") {
    DomainWorld world;
    add_zones(world);
    world.place(pod_on("a1", web));
    world.place(pod_on("a1", web));
    world.place(pod_on("b1", web));
    RuledPod deleting = pod_on("b1", web);
    deleting.is_deleting = true;
    world.place(deleting);
    core::PodRules rules;
    rules.preferred_spread = {spread("zone", web)};
    // 2 and 1 times ln(2 + 2): 3 and 1, and c1 has no zone.
    CHECK(ask(world, pod_on("", web, rules)).spread == Scores{33, 33, 100, 0});
    rules.preferred_spread = {spread("kubernetes.io/hostname", web)};
    // 2, 0, 1, 0 times ln(4 + 2): 4, 0, 2, 0.
    CHECK(ask(world, pod_on("", web, rules)).spread == Scores{0, 100, 50, 100});
    rules.preferred_spread = {spread("zone", web, 5), spread("kubernetes.io/hostname", web)};
    // 2 ln 4 + 4 + 2 ln 5, 2 ln 4 + 4, ln 4 + 4 + ln 5: 10, 7, 7.
    CHECK(ask(world, pod_on("", web, rules)).spread == Scores{70, 100, 100, 0});
    rules.preferred_spread = {spread("zone", {{"app", "nobody"}})};
    CHECK(ask(world, pod_on("", web, rules)).spread == Scores{100, 100, 100, 0});
    CHECK(ask(world, pod_on("", web)).spread.empty());
}

TEST_CASE("domain scores: pods with the same labels spread by default, with and without zones") {
    DomainWorld world;
    for (const std::string name : {"a", "b", "c"}) {
        world.upsert_node(name, {{"kubernetes.io/hostname", name}});
    }
    core::Boxed<core::PodRules> rules;
    core::add_default_spread(rules, {{"app", "web"}, {"spark-exec-id", "7"}});
    REQUIRE(rules);
    world.place(pod_on("a", {{"app", "web"}, {"spark-exec-id", "1"}}));
    world.place(pod_on("a", {{"app", "web"}, {"spark-exec-id", "2"}}));
    world.place(pod_on("b", cache));
    world.place(pod_on("c", web));
    const RuledPod pod = pod_on("", web, *rules);
    const Scores no_zones = ask(world, pod).spread;
    REQUIRE(no_zones.size() == 3);
    CHECK(no_zones[1] == 100);
    CHECK(no_zones[0] < no_zones[2]);
    CHECK(no_zones[2] < no_zones[1]);
    world.upsert_node(
        "c", {{"kubernetes.io/hostname", "c"}, {"topology.kubernetes.io/zone", "z"}});
    const Scores one_zone = ask(world, pod).spread;
    REQUIRE(one_zone.size() == 3);
    CHECK(one_zone[2] < one_zone[1]);
}

TEST_CASE("domain scores: who says how to spread, or has no labels, gets no default") {
    core::Boxed<core::PodRules> none;
    core::add_default_spread(none, {{"statefulset.kubernetes.io/pod-name", "db-0"}});
    CHECK_FALSE(none);
    core::PodRules own;
    own.preferred_spread.push_back({1, "zone", {}});
    core::Boxed<core::PodRules> kept = own;
    core::add_default_spread(kept, web);
    CHECK(*kept == own);
}

TEST_CASE("domain scores: a namespaceSelector with requirements means nobody") {
    DomainWorld world;
    add_zones(world);
    core::PodRules likes;
    likes.preferred = {near("zone", web, 4)};
    likes.preferred[0].term.namespace_selector = selector({{"team", "x"}});
    world.place(pod_on("a1", web, likes));
    CHECK(core::requires_namespace_labels(likes).empty());
    CHECK(core::needs_namespace_labels(likes));
    CHECK(ask(world, pod_on("", web, likes)).empty());
    world.take_away(0);
    CHECK(world.rules.size() == 0);
}

TEST_CASE("domain scores: as the definition has them") {
    RulesDice dice;
    CAPTURE(dice.seed());
    int told_apart = 0;
    for (int round = 0; round < 3'000; ++round) {
        DomainWorld world;
        for (int n = 0; n < 4; ++n) world.upsert_node(dice.node());
        for (std::int64_t n = dice.between(0, 5); n > 0; --n) {
            RuledPod pod = dice.pod();
            if (dice.one_in(2)) pod.rules = dice.preferences();
            if (dice.one_in(4)) pod.rules.affinity.push_back(dice.term());
            world.place(pod);
        }
        RuledPod pod = dice.pod();
        pod.rules = dice.preferences();
        const core::PodScoring scoring{
            static_cast<std::int32_t>(dice.between(0, 20)), dice.one_in(4)};
        core::NodeBitmap feasible;
        std::set<std::string> names;
        const auto order = world.cluster.nodes().by_name();
        for (std::size_t i = 0; i < order.size(); ++i) {
            if (dice.one_in(4)) continue;
            feasible.set(i, true);
            names.insert(world.cluster.nodes().name(order[i]));
        }
        const core::PodScores scores = ask(world, pod, scoring, &feasible);
        const auto compare = [&](const Scores& found, const NaiveScores& naive) {
            const auto first = naive.empty() ? 0 : naive.begin()->second;
            const bool are_alike =
                std::all_of(naive.begin(), naive.end(), [first](const auto& one) {
                    return one.second == first;
                });
            REQUIRE(found.empty() == are_alike);
            if (found.empty()) return;
            ++told_apart;
            for (std::size_t i = 0; i < order.size(); ++i) {
                const auto at = naive.find(world.cluster.nodes().name(order[i]));
                CHECK(found[i] == (at == naive.end() ? 0 : at->second));
            }
        };
        compare(scores.affinity, naive_affinity_scores(world.naive, pod, names, scoring));
        compare(scores.spread, naive_spread_scores(world.naive, pod, names));
        const core::RulesId id = world.retain(pod);
        if (!scores.empty()) {
            const core::IncomingPod incoming{id, pod.namespace_name, pod.labels, pod.constraints};
            CHECK(core::has_preferences(world.rules, incoming, scoring));
        }
        world.release(id);
        while (!world.naive.pods.empty()) world.take_away(world.naive.pods.size() - 1);
        CHECK(world.rules.size() == 0);
    }
    CHECK(told_apart > 400);
}
