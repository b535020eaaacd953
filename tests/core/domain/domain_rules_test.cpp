#include "core/domain/domain_rules.hpp"

#include "tests/core/domain/domain_world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace core;
using namespace tests;

namespace {

using Names = std::vector<std::string>;

RuledPod pod_of(const StringMap& labels, const PodRules& rules = {}, const std::string& node = "") {
    return {node, "default", labels, rules, {}, false};
}

/// Two zones of two nodes, and a node without a zone.
DomainWorld two_zones() {
    DomainWorld world;
    world.upsert_node("a1", {{"zone", "a"}});
    world.upsert_node("a2", {{"zone", "a"}});
    world.upsert_node("b1", {{"zone", "b"}});
    world.upsert_node("b2", {{"zone", "b"}});
    world.upsert_node("none", {});
    return world;
}

const StringMap app{{"app", "a"}};

}  // namespace

TEST_CASE("domain rules: two hosts take two pods that avoid each other, the third waits (PRED-9)") {
    DomainWorld world;
    world.upsert_node("n1", {{"kubernetes.io/hostname", "n1"}});
    world.upsert_node("n2", {{"kubernetes.io/hostname", "n2"}});
    const PodRules apart{{}, {term("kubernetes.io/hostname", app)}, {}};
    CHECK(world.ask(pod_of(app, apart)) == Names{"n1", "n2"});
    world.place(pod_of(app, apart, "n1"));
    CHECK(world.ask(pod_of(app, apart)) == Names{"n2"});
    world.place(pod_of(app, apart, "n2"));
    CHECK(world.ask(pod_of(app, apart)).empty());
    CHECK(
        world.reasons(pod_of(app, apart)) ==
        std::vector<ReasonCount>{{"node(s) didn't match pod anti-affinity rules", 2}});
    // Those that are there keep off a pod without rules, too.
    CHECK(
        world.reasons(pod_of(app)) ==
        std::vector<ReasonCount>{{"node(s) didn't satisfy existing pods anti-affinity rules", 2}});
    CHECK(world.ask(pod_of({{"app", "b"}})) == Names{"n1", "n2"});
    world.take_away(0);
    CHECK(world.ask(pod_of(app)) == Names{"n1"});
}

TEST_CASE("domain rules: the first of its kind goes anywhere, the rest to its zone (PRED-10)") {
    DomainWorld world = two_zones();
    const PodRules near{{term("zone", app)}, {}, {}};
    CHECK(world.ask(pod_of(app, near)) == Names{"a1", "a2", "b1", "b2"});
    CHECK(world.ask(pod_of({{"app", "b"}}, near)).empty());
    world.place(pod_of(app, near, "b1"));
    CHECK(world.ask(pod_of(app, near)) == Names{"b1", "b2"});
    CHECK(world.ask(pod_of({{"app", "b"}}, near)) == Names{"b1", "b2"});
    CHECK(
        world.reasons(pod_of(app, near)) ==
        std::vector<ReasonCount>{{"node(s) didn't match pod affinity rules", 3}});
}

TEST_CASE("domain rules: a pod on a node without the label is near nobody") {
    DomainWorld world = two_zones();
    const PodRules near{{term("zone", app)}, {}, {}};
    world.place(pod_of(app, near, "none"));
    CHECK(world.ask(pod_of(app, near)) == Names{"a1", "a2", "b1", "b2"});
}

TEST_CASE("domain rules: of affinity a pod counts if it matches all terms") {
    DomainWorld world = two_zones();
    const PodRules near{{term("zone", app), term("zone", {{"tier", "x"}})}, {}, {}};
    const StringMap both{{"app", "a"}, {"tier", "x"}};
    world.place(pod_of(app, {}, "a1"));
    world.place(pod_of({{"tier", "x"}}, {}, "a1"));
    CHECK(world.ask(pod_of({}, near)).empty());
    CHECK(world.ask(pod_of(both, near)) == Names{"a1", "a2", "b1", "b2"});
    world.place(pod_of(both, {}, "b1"));
    CHECK(world.ask(pod_of({}, near)) == Names{"b1", "b2"});
}

TEST_CASE("domain rules: six that want one zone take the one with room for six (PRED-10)") {
    DomainWorld world = two_zones();
    const RuledPod pod = pod_of(app, {{term("zone", app)}, {}, {}});
    const auto among = rules_among_themselves(pod.rules, "default", pod.labels);
    REQUIRE(among == std::vector<RuleRef>{{RuleKind::affinity, 0}});
    const RulesId id = world.retain(pod);
    const RoomByDomain room = world.room(pod, id, among[0], {2, 2, 4, 4, 9});
    REQUIRE(room.domains.size() == 2);
    CHECK(share_out(room, 6)->by_domain == std::vector<std::int64_t>{0, 6});
    const NodeBitmap nodes = world.rules.domains().nodes_of(room.key, room.domains[1].domain, world.cluster);
    CHECK(nodes.count() == 2);
    CHECK(nodes.test(2));
    world.release(id);
}

TEST_CASE("domain rules: a gang of eight is spread 3, 3, 2, of nine it is not (PRED-11)") {
    DomainWorld world;
    world.upsert_node("n1", {{"zone", "a"}});
    world.upsert_node("n2", {{"zone", "b"}});
    world.upsert_node("n3", {{"zone", "c"}});
    world.upsert_node("n4", {});
    const RuledPod pod = pod_of(app, {{}, {}, {spread("zone", app)}});
    const RulesId id = world.retain(pod);
    const RoomByDomain room = world.room(pod, id, {RuleKind::spread, 0}, {10, 10, 2, 10});
    CHECK(share_out(room, 8) == DomainQuotas{{3, 3, 2}, 0});
    CHECK_FALSE(share_out(room, 9));
    for (const char* node : {"n1", "n1", "n1", "n2", "n2", "n2", "n3", "n3"}) {
        world.place(pod_of(app, {}, node));
    }
    CHECK(world.ask(pod) == Names{"n3"});
    CHECK(
        world.reasons(pod) ==
        std::vector<ReasonCount>{
            {"node(s) didn't match pod topology spread constraints", 2},
            {"node(s) didn't match pod topology spread constraints (missing required label)", 1}});
    world.release(id);
}

TEST_CASE("domain rules: spread leaves out pods that are being deleted, affinity counts them") {
    DomainWorld world = two_zones();
    RuledPod leaving = pod_of(app, {}, "a1");
    leaving.is_deleting = true;
    world.place(leaving);
    CHECK(world.ask(pod_of(app, {{}, {}, {spread("zone", app)}})).size() == 4);
    CHECK(world.ask(pod_of({}, {{term("zone", app)}, {}, {}})) == Names{"a1", "a2"});
}

TEST_CASE("domain rules: an empty selector of spread counts nobody, of affinity everybody") {
    DomainWorld world = two_zones();
    world.place(pod_of(app, {}, "a1"));
    world.place(pod_of(app, {}, "a1"));
    CHECK(world.ask(pod_of(app, {{}, {}, {spread("zone", {})}})).size() == 4);
    CHECK(world.ask(pod_of({}, {{term("zone", {})}, {}, {}})) == Names{"a1", "a2"});
    PodRules unset{{}, {term("zone", {})}, {}};
    unset.anti_affinity[0].selector = {};
    CHECK(world.ask(pod_of(app, unset)).size() == 5);
}

TEST_CASE("domain rules: spread counts a domain by its nodes that the pod may go to") {
    DomainWorld world = two_zones();
    RuledPod pod = pod_of(app, {{}, {}, {spread("zone", app)}});
    world.place(pod_of(app, {}, "a1"));
    CHECK(world.ask(pod) == Names{"b1", "b2"});
    // Zone b is none of this pod's, so zone a is the emptiest there is.
    pod.constraints.node_selector = {{"zone", "a"}};
    CHECK(world.ask(pod) == Names{"a1", "a2", "b1", "b2"});
    pod.rules.spread[0].node_affinity_policy = NodeInclusionPolicy::ignore;
    CHECK(world.ask(pod) == Names{"b1", "b2"});
    pod.rules.spread[0].min_domains = 3;
    world.place(pod_of(app, {}, "b1"));
    CHECK(world.ask(pod).empty());
}

TEST_CASE("domain rules: namespaces limit a term; one that asks for their labels means all") {
    DomainWorld world = two_zones();
    RuledPod other = pod_of(app, {}, "a1");
    other.namespace_name = "other";
    world.place(other);
    PodRules apart{{}, {term("zone", app)}, {}};
    CHECK(world.ask(pod_of(app, apart)).size() == 5);
    apart.anti_affinity[0].namespace_selector.is_set = true;
    CHECK_FALSE(core::needs_namespace_labels(apart));
    CHECK(world.ask(pod_of(app, apart)) == Names{"b1", "b2", "none"});
    apart.anti_affinity[0].namespace_selector = selector({{"team", "x"}});
    CHECK(world.ask(pod_of(app, apart)) == Names{"b1", "b2", "none"});
    CHECK(core::requires_namespace_labels(apart) == "podAntiAffinity");
    CHECK(core::needs_namespace_labels(apart));

    // Once they are known, it means those that have them, and those that it names.
    core::Namespaces namespaces;
    CHECK(core::with_namespaces(apart, namespaces) == apart);
    namespaces.listed({{"other", {{"team", "y"}}}, {"third", {{"team", "x"}}}});
    apart.anti_affinity[0].namespaces = {"named"};
    PodRules known = core::with_namespaces(apart, namespaces);
    CHECK_FALSE(core::needs_namespace_labels(known));
    CHECK(known.anti_affinity[0].namespaces == Names{"named", "third"});
    CHECK(world.ask(pod_of(app, known)).size() == 5);
    namespaces.changed({"other", {{"team", "x"}}});
    known = core::with_namespaces(apart, namespaces);
    CHECK(known.anti_affinity[0].namespaces == Names{"named", "other", "third"});
    CHECK(world.ask(pod_of(app, known)) == Names{"b1", "b2", "none"});
    // A term that names none means its own by the codec; by labels that nobody has, it means nobody.
    namespaces.listed({});
    apart.anti_affinity[0].namespaces.clear();
    known = core::with_namespaces(apart, namespaces);
    CHECK(known.anti_affinity[0].namespaces.empty());
    CHECK(world.ask(pod_of(app, known)).size() == 5);
}

TEST_CASE("domain rules: which rules change by the pods themselves") {
    const PodRules rules{
        {term("zone", app)},
        {term("host", {{"app", "b"}}), term("host", app), term("host", app, "other")},
        {spread("zone", {}), spread("zone", app)}};
    CHECK(
        rules_among_themselves(rules, "default", app) ==
        std::vector<RuleRef>{
            {RuleKind::affinity, 0}, {RuleKind::anti_affinity, 1}, {RuleKind::spread, 1}});
    CHECK(rules_among_themselves(rules, "default", {}).empty());
}

TEST_CASE("domain rules: nodes may come after their pods and go before them") {
    DomainWorld world;
    const PodRules apart{{}, {term("zone", app)}, {}};
    world.place(pod_of(app, apart, "n1"));
    world.upsert_node("n1", {{"zone", "a"}});
    world.upsert_node("n2", {{"zone", "a"}});
    CHECK(world.ask(pod_of(app)).empty());
    world.remove_node("n1");
    CHECK(world.ask(pod_of(app)) == Names{"n2"});
    world.upsert_node("n1", {{"zone", "b"}});
    CHECK(world.ask(pod_of(app)) == Names{"n2"});
    world.take_away(0);
    CHECK(world.ask(pod_of(app)) == Names{"n1", "n2"});
    CHECK(world.rules.size() == 0);
}

TEST_CASE("domain rules: a new selection has to be filled, and one that is known has not") {
    DomainWorld world = two_zones();
    world.place(pod_of(app, {}, "a1"));
    const PodRules apart{{}, {term("zone", app)}, {}};
    const RulesId first = world.rules.retain(apart, "default", world.cluster);
    CHECK_FALSE(world.rules.is_filled(first));
    world.place(pod_of(app, {}, "b1"));  // passed over now, and counted by fill()
    const RulesId again = world.retain(pod_of(app, apart));
    CHECK(again == first);
    CHECK(world.rules.is_filled(first));
    CHECK(world.allowed(pod_of(app, apart), first).nodes.count() == 1);
    const RulesId third = world.rules.retain(apart, "elsewhere", world.cluster);
    CHECK(third != first);
    CHECK(world.rules.is_filled(third));
    for (const RulesId id : {first, again, third}) world.release(id);
    while (!world.naive.pods.empty()) world.take_away(0);
    CHECK(world.rules.size() == 0);
}

TEST_CASE("domain rules: thousands of selectors of one tenant are gone with their pods") {
    DomainWorld world = two_zones();
    constexpr int count = 3'000;
    std::vector<RulesId> held;
    for (int i = 0; i < count; ++i) {
        const StringMap labels{{"app", std::to_string(i)}};
        const std::string key = "zone-" + std::to_string(i);
        const PodRules rules{
            {term(key, labels)}, {term("zone", labels)}, {spread("zone", labels, 2)}};
        held.push_back(world.rules.retain(rules, "default", world.cluster));
        world.rules.pod_placed(
            placed(pod_of(labels, rules), world.cluster.node_or_placeholder("a1")), world.cluster);
    }
    CHECK(world.rules.size() > 3 * count);
    for (int i = 0; i < count; ++i) {
        const StringMap labels{{"app", std::to_string(i)}};
        const PodRules rules = world.rules.rules(held[static_cast<std::size_t>(i)]);
        world.rules.release(held[static_cast<std::size_t>(i)]);
        world.rules.pod_gone(
            placed(pod_of(labels, rules), world.cluster.node_or_placeholder("a1")));
    }
    CHECK(world.rules.size() == 0);
    CHECK(world.rules.all_filled());
}

TEST_CASE("domain rules: the version moves with what matters to the rules, and not else") {
    DomainWorld world = two_zones();
    const RulesId id = world.retain(pod_of(app, {{}, {term("zone", app)}, {}}));
    const std::uint64_t before = world.rules.version(id);
    world.place(pod_of({{"app", "b"}}, {}, "a1"));
    CHECK(world.rules.version(id) == before);
    world.place(pod_of(app, {}, "a1"));
    const std::uint64_t placed_one = world.rules.version(id);
    CHECK(placed_one > before);
    world.take_away(1);
    CHECK(world.rules.version(id) > placed_one);
    const std::uint64_t plain = world.rules.version({});
    world.place(pod_of({}, {{}, {term("zone", app)}, {}}, "b1"));
    CHECK(world.rules.version({}) > plain);
    world.release(id);
}

TEST_CASE("domain rules: of the reasons the one of most nodes is first, and equal ones by their words") {
    for (std::int64_t shift = 0; shift < 4; ++shift) {
        AllowedNodes allowed;
        for (std::size_t i = 0; i < domain_reasons; ++i) {
            allowed.refused[i] = (3 * static_cast<std::int64_t>(i) + shift) % 4;
        }
        const std::vector<ReasonCount> reasons = reasons_of(allowed);
        REQUIRE(reasons.size() >= 3);
        for (std::size_t i = 0; i + 1 < reasons.size(); ++i) {
            CHECK(reasons[i].count > 0);
            CHECK((reasons[i].count > reasons[i + 1].count ||
                   (reasons[i].count == reasons[i + 1].count &&
                    reasons[i].reason < reasons[i + 1].reason)));
        }
    }
}
