// Who of a group's members start together, and as what: by hand, and as drawn by chance.
#include "gang/model/group/member_choice.hpp"
#include "gang/model/group/min_resources.hpp"
#include "tests/gang/builders.hpp"
#include "tests/gang/parts.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Members of a group, each with a role.
struct Crew {
    gang::PodEntry& add(const std::string& name, const std::string& role, std::int64_t cpu_milli = 1000) {
        gang::PodEntry& entry = entries.emplace_back();
        entry.pod = tests::pod(name, cpu_milli, 256);
        entry.pod.uid = name;
        if (!role.empty()) entry.pod.annotations = {{"volcano.sh/task-spec", role}};
        entry.profile = gang::member_profile(entry.pod);
        all.push_back(&entry);
        return entry;
    }
    std::deque<gang::PodEntry> entries;
    std::vector<gang::PodEntry*> all;
};

std::string names_of(const std::vector<gang::PodEntry*>& members) {
    std::string text;
    for (const gang::PodEntry* const member : members) text += (text.empty() ? "" : " ") + member->pod.name;
    return text;
}

core::PodRules away_from(const std::string& app) {
    core::PodRules rules;
    core::PodAffinityTerm term;
    term.topology_key = "kubernetes.io/hostname";
    term.namespaces = {app};
    rules.anti_affinity.push_back(term);
    return rules;
}

}  // namespace

TEST_CASE("member choice: a minimum of as many as a gang may have is fine, of one more is not") {
    CHECK(gang::problem_of(core::PodGroup{100, {}, {}}, 100).empty());
    CHECK(
        gang::problem_of(core::PodGroup{101, {}, {}}, 100) ==
        "its minimum of 101 pods is more than the 100 that gang.maxGangSize allows");
    CHECK(gang::problem_of(core::PodGroup{1, {}, "it is odd"}, 100) == "it is odd");
    CHECK(gang::problem_of(core::PodGroup{101, {}, "it is odd"}, 100) == "it is odd");
}

TEST_CASE("member choice: of each role its minimum, then the first ones") {
    Crew crew;
    crew.add("w0", "worker");
    crew.add("w1", "worker");
    crew.add("l0", "launcher");
    crew.add("w2", "worker");
    crew.add("l1", "launcher");
    const auto chosen = [&](const std::vector<core::RoleMinimum>& roles, std::int64_t needed) {
        return names_of(gang::choose_members(crew.all, roles, needed));
    };
    CHECK(chosen({}, 0).empty());
    CHECK(chosen({}, 2) == "w0 w1");
    CHECK(chosen({}, 5) == "w0 w1 l0 w2 l1");
    CHECK(chosen({}, 6).empty());
    CHECK(chosen({{"launcher", 1}}, 1) == "l0");
    CHECK(chosen({{"launcher", 1}}, 3) == "w0 w1 l0");
    CHECK(chosen({{"launcher", 2}, {"worker", 1}}, 3) == "w0 l0 l1");
    CHECK(chosen({{"launcher", 2}, {"worker", 1}}, 4) == "w0 w1 l0 l1");
    CHECK(chosen({{"launcher", 2}}, 1) == "l0 l1");  // a role's minimum is more than what is left
    CHECK(chosen({{"launcher", 3}}, 3).empty());
    CHECK(chosen({{"master", 1}}, 1).empty());
    CHECK(chosen({{"master", 0}}, 1) == "w0");
    // A role that stands there twice is to have both.
    CHECK(chosen({{"launcher", 1}, {"launcher", 1}}, 2) == "l0 l1");
}

TEST_CASE("member choice: what is lacking: pods, and then those of a role") {
    Crew crew;
    crew.add("w0", "worker");
    crew.add("w1", "worker");
    crew.add("l0", "launcher");
    const std::vector<core::RoleMinimum> roles = {{"launcher", 1}, {"worker", 3}};
    const auto lack = [&](const std::vector<core::RoleMinimum>& of, std::int64_t placed, std::int64_t minimum) {
        return gang::describe_lack(crew.all, of, placed, minimum);
    };
    CHECK(lack(roles, 0, 4) == "3 of the 4 pods it needs");
    CHECK(lack(roles, 0, 3) == "2 of the 3 pods it needs of role worker");
    CHECK(lack({{"launcher", 1}, {"worker", 2}}, 0, 3) == "3 of the 3 pods it needs");
    CHECK(lack(roles, 1, 5) == "4 of the 5 pods it needs");
    CHECK(lack(roles, 1, 4) == "4 of the 4 pods it needs");  // of those that run nobody knows the role
    CHECK(lack({}, 0, 2) == "3 of the 2 pods it needs");
}

TEST_CASE("member choice: all but the first, those that are alike as one") {
    Crew crew;
    crew.add("a", "launcher");
    crew.add("b", "worker");
    crew.add("c", "worker");
    crew.add("d", "worker", 2000);
    crew.add("e", "worker");
    const auto shapes = gang::shapes_of(crew.all);
    REQUIRE(shapes.size() == 2);
    CHECK(shapes[0].shape.count == 3);
    CHECK(shapes[0].shape.max == -1);
    CHECK(shapes[0].shape.learned);
    CHECK(shapes[0].requests.cpu_milli == 1000);
    CHECK(shapes[0].shape.profile == crew.all[1]->profile);
    CHECK_FALSE(shapes[0].shape.rules);
    CHECK(shapes[1].shape.count == 1);
    CHECK(shapes[1].requests.cpu_milli == 2000);
    CHECK(shapes[1].shape.profile == crew.all[3]->profile);
    CHECK(shapes[0].shape.profile != shapes[1].shape.profile);
    CHECK(gang::shapes_of({crew.all[0]}).empty());
    CHECK(gang::shapes_of({}).empty());
}

TEST_CASE("member choice: members differ by size, profile, constraints and rules, each alone") {
    Crew crew;
    crew.add("anchor", "");
    crew.add("a", "");
    gang::PodEntry& other = crew.add("b", "");
    SUBCASE("size, of one profile") {
        other.pod.requests.memory_bytes += 1;
    }
    SUBCASE("profile, of one size") {
        ++other.profile;
    }
    SUBCASE("constraints") {
        core::Constraints constraints;
        constraints.node_selector = {{"disk", "ssd"}};
        other.pod.constraints = constraints;
    }
    SUBCASE("rules, and none") {
        other.pod.rules = away_from("a");
    }
    SUBCASE("none, and rules") {
        crew.all[1]->pod.rules = away_from("a");
    }
    SUBCASE("other rules") {
        crew.all[1]->pod.rules = away_from("a");
        other.pod.rules = away_from("b");
    }
    const auto shapes = gang::shapes_of(crew.all);
    REQUIRE(shapes.size() == 2);
    CHECK(shapes[0].shape.count == 1);
    CHECK(shapes[1].shape.count == 1);
    CHECK(shapes[1].requests == other.pod.requests);
    CHECK(shapes[1].constraints == *other.pod.constraints);
    CHECK(static_cast<bool>(shapes[1].shape.rules) == static_cast<bool>(other.pod.rules));
}

TEST_CASE("member choice: rules are seen with the labels that all members of the shape have") {
    Crew crew;
    crew.add("anchor", "");
    crew.add("a", "").pod.labels = {{"app", "x"}, {"index", "0"}, {"only-a", "1"}, {"tier", "gold"}};
    crew.add("b", "").pod.labels = {{"app", "x"}, {"index", "1"}, {"tier", "gold"}};
    crew.add("c", "").pod.labels = {{"app", "x"}, {"index", "0"}, {"only-c", "1"}, {"tier", "iron"}};
    for (gang::PodEntry* const member : crew.all) member->pod.rules = away_from("x");
    const auto one = gang::shapes_of({crew.all[0], crew.all[1]});
    REQUIRE(one.size() == 1);
    REQUIRE(one[0].shape.rules);
    CHECK(one[0].shape.rules->labels == crew.all[1]->pod.labels);
    CHECK(one[0].shape.rules->rules == away_from("x"));
    const auto two = gang::shapes_of({crew.all[0], crew.all[1], crew.all[2]});
    REQUIRE(two.size() == 1);
    CHECK(two[0].shape.count == 2);
    CHECK(two[0].shape.rules->labels == core::StringMap{{"app", "x"}, {"tier", "gold"}});
    const auto three = gang::shapes_of(crew.all);
    REQUIRE(three.size() == 1);
    CHECK(three[0].shape.count == 3);
    CHECK(three[0].shape.rules->labels == core::StringMap{{"app", "x"}});
    CHECK(three[0].shape.rules->rules == away_from("x"));
}

TEST_CASE("member choice: a member's profile is of its role and size, never negative, and the same for ever") {
    Crew crew;
    const std::int32_t plain = crew.add("a", "").profile;
    CHECK(crew.add("b", "").profile == plain);
    CHECK(crew.add("c", "worker").profile != plain);
    CHECK(crew.add("d", "", 1001).profile != plain);
    for (int i = 0; i < 40; ++i) CHECK(crew.add("r", "role-" + std::to_string(i)).profile >= 0);
    // Reservations that are stored name it.
    std::string told;
    for (const gang::PodEntry* const member : crew.all) told += std::to_string(member->profile) + "\n";
    tests::check_transcript("gang/model/group/transcripts/member_profiles", told);
}

TEST_CASE("min resources: what nodes that take pods have, above the headroom") {
    tests::Known known;
    core::Cluster& cluster = known.model.cluster;
    core::Node big = tests::node("n1", 4, 1024);
    big.allocatable.ephemeral_bytes = 500;
    big.allocatable.extended = {{"nvidia.com/gpu", 2}};
    known.model.cluster_model.upsert_node(big);
    core::Node small = tests::node("n2", 1, 100);
    small.allocatable.ephemeral_bytes = 7;
    known.model.cluster_model.upsert_node(small);
    core::Node closed = tests::node("n3", 8, 1024);
    closed.unschedulable = true;
    known.model.cluster_model.upsert_node(closed);
    core::Node down = tests::node("n4", 16, 1024);
    down.ready = false;
    known.model.cluster_model.upsert_node(down);
    core::Resources wanted;
    wanted.extended = {{"example.com/none", 1}, {"nvidia.com/gpu", 3}};
    const core::Resources sum = gang::sum_of_nodes(cluster, wanted, core::View::free);
    const core::Headroom& headroom = cluster.room().headroom();
    CHECK(sum.cpu_milli == 5000 - 2 * headroom.cpu_milli);
    CHECK(sum.memory_bytes == 1124 * tests::mebibyte - 2 * headroom.memory_bytes);
    CHECK(sum.ephemeral_bytes == 507);
    REQUIRE(sum.extended.size() == 2);
    CHECK(sum.extended[0] == core::ExtendedResource{"example.com/none", 0});
    CHECK(sum.extended[1] == core::ExtendedResource{"nvidia.com/gpu", 2});
}

TEST_CASE("min resources: enough is as much as is wanted, of each") {
    core::Resources there{1000, 2000, 30, {{"nvidia.com/gpu", 2}}};
    CHECK(gang::covers(there, {}));
    CHECK(gang::covers(there, there));
    CHECK(gang::covers(there, {999, 1999, 29, {{"nvidia.com/gpu", 1}}}));
    CHECK_FALSE(gang::covers(there, {1001, 0, 0, {}}));
    CHECK_FALSE(gang::covers(there, {0, 2001, 0, {}}));
    CHECK_FALSE(gang::covers(there, {0, 0, 31, {}}));
    CHECK_FALSE(gang::covers(there, {0, 0, 0, {{"nvidia.com/gpu", 3}}}));
    CHECK_FALSE(gang::covers(there, {0, 0, 0, {{"example.com/none", 1}}}));
}
