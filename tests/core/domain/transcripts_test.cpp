// Rules between pods by chance: which nodes are left, how many pods go to each domain, how good the nodes are, and how
// that moves. Everything that can be observed, told in full.

#include "core/domain/domain_question.hpp"
#include "core/domain/domain_room.hpp"
#include "core/domain/domain_rules.hpp"
#include "core/domain/pod_selection.hpp"
#include "core/domain/score/domain_scores.hpp"
#include "tests/core/domain/rules_walk.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace domain_walk {

using namespace core;
using tests::DomainWorld;
using tests::RuledPod;
using tests::rules_text;
using tests::RulesWalk;

std::string list(const std::vector<std::int64_t>& numbers) {
    std::string text;
    for (const std::int64_t number : numbers) text += " " + std::to_string(number);
    return text;
}

std::string list(const std::vector<std::uint8_t>& numbers) {
    std::string text;
    for (const std::uint8_t number : numbers) text += " " + std::to_string(number);
    return text.empty() ? " alike" : text;
}

DomainWorld any_world(RulesWalk& walk, std::string& told) {
    DomainWorld world;
    for (std::int64_t n = walk.between(2, 6); n > 0; --n) {
        const Node node = walk.node("n" + std::to_string(n));
        world.upsert_node(node);
        told += " " + rules_text(node);
    }
    told += "\n";
    for (std::int64_t n = walk.between(0, 6); n > 0; --n) {
        RuledPod pod = walk.pod(true);
        pod.node = "n" + std::to_string(walk.between(1, 7));
        pod.is_deleting = walk.one_in(6);
        if (walk.one_in(2)) pod.rules = {};
        world.place(pod);
        told += "    " + pod.node + (pod.is_deleting ? " leaving: " : ": ") + rules_text(pod) + "\n";
    }
    return world;
}

TEST_CASE("domain rules: what they leave of odd worlds, and how good it is") {
    RulesWalk walk(6);
    std::string told;
    for (int round = 0; round < 110; ++round) {
        DomainWorld world = any_world(walk, told);
        for (int i = 0; i < 2; ++i) {
            const RuledPod pod = walk.pod(true);
            const RulesId id = world.retain(pod);
            const IncomingPod incoming{id, pod.namespace_name, pod.labels, pod.constraints};
            told += "  " + rules_text(pod) + (world.rules.concerns(incoming) ? "\n   " : " (no matter)\n   ");
            CHECK(world.rules.is_filled(id));
            CHECK(world.rules.are_preferences_filled(id));
            const AllowedNodes allowed = world.allowed(pod, id);
            const auto reasons = world.rules.reasons_by_position(incoming, world.cluster);
            for (std::size_t at = 0; at < reasons.size(); ++at) {
                told += reasons[at] ? " " + std::to_string(static_cast<int>(*reasons[at])) : " +";
                CHECK(allowed.nodes.test(at) == !reasons[at].has_value());
            }
            told += " |";
            const auto among = id.is_none() ? std::vector<RuleRef>()
                                            : rules_among_themselves(pod.rules, pod.namespace_name, pod.labels);
            std::vector<std::int32_t> capacities;
            for (std::size_t at = 0; at < reasons.size(); ++at) capacities.push_back(static_cast<std::int32_t>(at + 1));
            for (const RuleRef& rule : among) {
                const RoomByDomain room = world.room(pod, id, rule, capacities);
                told += " " + std::to_string(static_cast<int>(rule.kind)) + ":";
                for (const DomainRoom& one : room.domains) {
                    told += " " + std::to_string(one.matching) + "+" + std::to_string(one.capacity);
                }
                told += " without " + std::to_string(room.capacity_without_key) + ", skew " +
                        std::to_string(room.max_skew) + "/" + std::to_string(room.min_domains);
            }
            const PodScoring scoring = walk.scoring();
            const bool has_any = has_preferences(world.rules, incoming, scoring);
            told += has_any ? " |" : " | none";
            told += prefers_among_themselves(pod.rules, pod.namespace_name, pod.labels) ? " among them" : "";
            DomainScores scores(world.rules, incoming, allowed.nodes, world.cluster, scoring);
            told += list(scores.scores().affinity) + " /" + list(scores.scores().spread) + "\n";
            if (!has_any) CHECK(scores.scores().empty());
            std::vector<Position> open;
            allowed.nodes.for_each([&open](std::size_t at) { open.push_back(static_cast<Position>(at)); });
            for (int step = 0; step < 3 && !open.empty(); ++step) {
                const std::size_t at = walk.walk.pick(open.size());
                scores.place(open[at]);
                told += "    +" + std::to_string(open[at]);
                if (walk.one_in(2)) {
                    scores.close(open[at]);
                    told += " full";
                    open.erase(open.begin() + static_cast<std::ptrdiff_t>(at));
                }
                told += ":" + list(scores.scores().affinity) + " /" + list(scores.scores().spread) + "\n";
            }
            world.release(id);
        }
    }
    tests::check_transcript("core/domain/transcripts/worlds", told);
}

TEST_CASE("domain room: any domains share out any number of pods") {
    tests::Walk walk(7);
    std::string told;
    for (int i = 0; i < 500; ++i) {
        RoomByDomain room;
        room.kind = static_cast<RuleKind>(walk.pick(3));
        room.max_skew = static_cast<std::int64_t>(1 + walk.pick(3));
        room.min_domains = static_cast<std::int64_t>(1 + walk.pick(4));
        room.capacity_without_key = static_cast<std::int64_t>(walk.pick(3));
        told += std::to_string(static_cast<int>(room.kind)) + " " + std::to_string(room.max_skew) + "/" +
                std::to_string(room.min_domains) + " without " + std::to_string(room.capacity_without_key) + ":";
        for (std::uint32_t n = 0, end = static_cast<std::uint32_t>(walk.pick(5)); n < end; ++n) {
            DomainRoom one{DomainId{n}};
            one.matching = walk.pick(2) == 0 ? 0 : static_cast<std::int64_t>(walk.pick(5));
            one.capacity = static_cast<std::int64_t>(walk.pick(7));
            one.preference = static_cast<std::int64_t>(walk.pick(3)) - 1;
            told += " " + std::to_string(one.matching) + "+" + std::to_string(one.capacity) + "@" +
                    std::to_string(one.preference);
            room.domains.push_back(one);
        }
        const std::int64_t most = most_pods(room);
        told += ", at most " + std::to_string(most) + "\n ";
        CHECK_FALSE(share_out(room, most + 1));
        for (const std::int64_t wanted : {std::int64_t{0}, std::int64_t{1}, most / 2, most - 1, most}) {
            if (wanted < 0 || wanted > most) continue;
            const auto quotas = share_out(room, wanted);
            REQUIRE(quotas.has_value());
            std::int64_t sum = quotas->without_key;
            for (const std::int64_t one : quotas->by_domain) sum += one;
            CHECK(sum == wanted);
            told += list(quotas->by_domain) + " +" + std::to_string(quotas->without_key) + ";";
        }
        told += "\n";
    }
    tests::check_transcript("core/domain/transcripts/shares", told);
}

TEST_CASE("domain rules: whether a node counts for a spread constraint") {
    RulesWalk walk(8);
    std::string told;
    for (int i = 0; i < 400; ++i) {
        const Node node = walk.node("n");
        const SpreadConstraint constraint = walk.constraint();
        Constraints own = walk.constraints();
        if (walk.one_in(3)) own.node_selector = {{"pool", "p"}};
        if (walk.one_in(3)) own.has_required_affinity = true;
        if (own.has_required_affinity && own.required_affinity.empty() && walk.one_in(2)) {
            own.required_affinity = {{{{"rack", SelectorOperator::in, {"1", "2"}}}, {}}};
        }
        RuledPod pod;
        pod.constraints = own;
        told += rules_text(node) + " " + rules_text(constraint) + rules_text(pod) +
                (own.has_required_affinity && own.required_affinity.empty() ? " by nothing" : "") +
                (is_counted(constraint, node, own) ? ": counts\n" : ": does not\n");
    }
    tests::check_transcript("core/domain/transcripts/counted", told);
}

TEST_CASE("domain rules: of several keys a node counts for each only if it has them all") {
    DomainWorld world;
    world.upsert_node("a1", {{"rack", "1"}, {"zone", "a"}});
    world.upsert_node("a2", {{"zone", "a"}});
    world.upsert_node("b1", {{"rack", "2"}, {"zone", "b"}});
    world.upsert_node("c1", {{"zone", "c"}});
    const StringMap app = {{"app", "a"}};
    const auto there = [&](const std::string& node) { world.place({node, "default", app, {}, {}, false}); };
    RuledPod pod;
    pod.namespace_name = "default";
    pod.labels = app;
    pod.rules.spread = {tests::spread("zone", app), tests::spread("rack", app, 9)};
    using Names = std::vector<std::string>;
    for (int i = 0; i < 3; ++i) there("a2");
    CHECK(world.ask(pod) == Names{"a1", "b1"});
    there("a1");
    there("b1");
    CHECK(world.ask(pod) == Names{"a1", "b1"});  // nobody in c, which has no node with a rack
    there("a1");
    CHECK(world.ask(pod) == Names{"b1"});
    pod.rules.spread.pop_back();
    CHECK(world.ask(pod) == Names{"c1"});
    world.place({"c1", "default", app, {}, {}, false});
    CHECK(world.ask(pod) == Names{"b1", "c1"});
}

TEST_CASE("domain rules: each reason in kube-scheduler's words, the most frequent first, equal ones by text") {
    AllowedNodes allowed;
    allowed.refused = {2, 3, 3, 0, 1};
    CHECK(
        reasons_of(allowed) ==
        std::vector<ReasonCount>{
            {"node(s) didn't match pod affinity rules", 3},
            {"node(s) didn't match pod topology spread constraints", 3},
            {"node(s) didn't match pod topology spread constraints (missing required label)", 2},
            {"node(s) didn't satisfy existing pods anti-affinity rules", 1}});
    CHECK(describe(DomainReason::anti_affinity) == "node(s) didn't match pod anti-affinity rules");
    CHECK(reasons_of(AllowedNodes{}).empty());
}

TEST_CASE("domain rules: only terms that mean namespaces by labels are named anew, whatever their kind") {
    const auto by_labels = [] {
        PodAffinityTerm made = tests::term("zone", {{"app", "a"}}, "own");
        made.namespace_selector = tests::selector({{"team", "x"}});
        return made;
    };
    const PodAffinityTerm plain = tests::term("zone", {{"app", "a"}}, "own");
    PodAffinityTerm all = plain;
    all.namespace_selector.is_set = true;
    PodRules rules{{plain, by_labels(), all}, {by_labels(), plain}, {}};
    rules.preferred = {{plain, 3}, {by_labels(), 5}};
    Namespaces namespaces;
    namespaces.listed({{"third", {{"team", "x"}}}, {"other", {{"team", "y"}}}});
    const PodRules named = with_namespaces(rules, namespaces);
    const std::vector<std::string> both = {"own", "third"};
    CHECK(named.affinity[0] == plain);
    CHECK(named.affinity[1].namespaces == both);
    CHECK_FALSE(named.affinity[1].namespace_selector.is_set);
    CHECK(named.affinity[2] == all);
    CHECK(named.anti_affinity[0].namespaces == both);
    CHECK(named.anti_affinity[1] == plain);
    CHECK(named.preferred[0].term == plain);
    CHECK(named.preferred[1].term.namespaces == both);
}

TEST_CASE("domain rules: the pods that all terms mean are in the namespaces that all of them mean") {
    PodAffinityTerm two = tests::term("zone", {{"app", "a"}}, "x");
    two.namespaces = {"x", "y"};
    PodAffinityTerm other = tests::term("zone", {{"tier", "t"}}, "y");
    other.namespaces = {"y", "z"};
    PodAffinityTerm any = tests::term("zone", {{"size", "s"}}, "w");
    any.namespace_selector.is_set = true;
    const StringMap labels = {{"app", "a"}, {"size", "s"}, {"tier", "t"}};
    const std::vector<PodAffinityTerm> some = {any, two, other};
    const PodSelection all = selection_of_all(some);
    CHECK(all.matches("y", labels));
    CHECK_FALSE(all.matches("x", labels));
    CHECK_FALSE(all.matches("w", labels));
    CHECK_FALSE(all.matches("y", {{"app", "a"}, {"size", "s"}}));
    CHECK(selection_of_all(std::vector{any, any}).matches("nobody's", labels));
    CHECK_FALSE(selection_of_all(std::vector{any, two}).matches("w", labels));
    PodAffinityTerm nobody = two;
    nobody.selector = {};
    CHECK_FALSE(selection_of_all(std::vector{two, nobody}).matches("x", labels));
    CHECK_FALSE(selection_of_all({}).matches("x", labels));
}

TEST_CASE("domain rules: keys of rules, affinity's first; none of no rules") {
    DomainWorld world;
    world.upsert_node("n1", {{"zone", "a"}});
    RuledPod pod;
    pod.namespace_name = "default";
    pod.rules.affinity = {tests::term("zone", {})};
    pod.rules.anti_affinity = {tests::term("host", {})};
    pod.rules.spread = {tests::spread("rack", {})};
    CHECK(world.rules.keys_of({}).empty());
    CHECK(world.rules.is_filled({}));
    CHECK(world.rules.are_preferences_filled({}));
    const RulesId id = world.retain(pod);
    std::vector<std::string> names;
    for (const TopologyKeyId key : world.rules.keys_of(id)) names.push_back(world.rules.domains().key_name(key));
    CHECK(names == std::vector<std::string>{"zone", "rack", "host"});
    world.release(id);
    CHECK(world.rules.size() == 0);
}

TEST_CASE("domain rules: rules are filled when every selection is, required or preferred") {
    for (int kind = 0; kind < 5; ++kind) {
        CAPTURE(kind);
        DomainWorld world;
        world.upsert_node("n1", {{"zone", "a"}});
        PodRules rules;
        const StringMap app = {{"app", "a"}};
        if (kind == 0) rules.affinity = {tests::term("zone", app)};
        if (kind == 1) rules.anti_affinity = {tests::term("zone", app)};
        if (kind == 2) rules.spread = {tests::spread("zone", app)};
        if (kind == 3) rules.preferred = {{tests::term("zone", app), 1}};
        if (kind == 4) rules.preferred_spread = {tests::spread("zone", app)};
        const RulesId id = world.rules.retain(rules, "default", world.cluster);
        CHECK(world.rules.is_filled(id) == (kind >= 3));
        CHECK(world.rules.are_preferences_filled(id) == (kind < 3));
        CHECK_FALSE(world.rules.all_filled());
        world.rules.fill([](auto) {});
        CHECK(world.rules.is_filled(id));
        CHECK(world.rules.are_preferences_filled(id));
        CHECK(world.rules.all_filled());
        // A selection more, beside one that is filled.
        PodRules more = rules;
        more.anti_affinity.push_back(tests::term("zone", {{"app", "b"}}));
        more.preferred.push_back({tests::term("zone", {{"app", "c"}}), 1});
        const RulesId other = world.rules.retain(more, "default", world.cluster);
        CHECK_FALSE(world.rules.is_filled(other));
        CHECK_FALSE(world.rules.are_preferences_filled(other));
        world.rules.release(id);
        world.rules.release(other);
        CHECK(world.rules.size() == 0);
    }
}

}  // namespace domain_walk
