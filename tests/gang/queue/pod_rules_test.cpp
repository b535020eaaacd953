// Rules between pods, through the whole scheduler: affinity, anti-affinity and topology spread of
// lone pods, drivers and executors, whoever scheduled the pods around them.
#include "tests/core/domain/domain_world.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>
#include <vector>

using core::PodRules;
using core::StringMap;
using tests::spread;
using tests::term;
using tests::World;

namespace {

const StringMap the_app = {{"app", "a"}};

core::Pod ruled(const std::string& name, const StringMap& labels, PodRules rules) {
    core::Pod pod = tests::pod(name, 1000, 1024);
    pod.namespace_name = "default";
    pod.labels = labels;
    if (!rules.empty()) pod.rules = std::move(rules);
    return pod;
}

PodRules apart(const std::string& key = "kubernetes.io/hostname") {
    return {{}, {term(key, the_app)}, {}};
}
PodRules together(const std::string& key = "zone") {
    return {{term(key, the_app)}, {}, {}};
}
PodRules evenly(const std::string& key = "zone") {
    return {{}, {}, {spread(key, the_app)}};
}

std::map<std::string, int> by_zone(const World& world, const std::vector<std::string>& uids) {
    std::map<std::string, int> counts;
    for (const std::string& uid : uids) ++counts[world.node_of(uid).substr(0, 1)];
    return counts;
}

}  // namespace

TEST_CASE(
    "pod rules: PRED-9: three that keep apart on two nodes: the third waits, holds up nobody") {
    World world;
    world.add_node(tests::node_in_zone("a1", "a", 8));
    world.add_node(tests::node_in_zone("a2", "a", 8));
    const auto first = world.create(ruled("p1", the_app, apart()));
    const auto second = world.create(ruled("p2", the_app, apart()));
    const auto third = world.create(ruled("p3", the_app, apart()));
    const auto other = world.create(ruled("q", {}, {}));
    world.settle();
    CHECK(world.is_bound(first));
    CHECK(world.is_bound(second));
    CHECK(world.node_of(first) != world.node_of(second));
    CHECK_FALSE(world.is_bound(third));
    CHECK(world.is_bound(other));
    CHECK(
        world.condition(third).find("2 node(s) didn't match pod anti-affinity rules") !=
        std::string::npos);
    CHECK(world.condition(third).ends_with("[PodRulesNotMet]"));
    SUBCASE("until a node comes") {
        world.add_node(tests::node_in_zone("b1", "b", 1));
        world.settle();
        CHECK(world.node_of(third) == "b1");
    }
    SUBCASE("or one of them ends") {
        world.set_phase(first, core::PodPhase::succeeded);
        world.settle();
        CHECK(world.node_of(third) == world.node_of(first));
    }
    SUBCASE("or one of them is another now") {
        world.change_pod(first, [](core::Pod& pod) { pod.labels = {{"app", "b"}}; });
        world.settle();
        // Its own anti-affinity still means pods like the third.
        CHECK_FALSE(world.is_bound(third));
    }
}

TEST_CASE("pod rules: whom a pod that is there keeps away, though itself it asks for nothing") {
    World world;
    world.add_node(tests::node_in_zone("a1", "a", 8));
    world.add_node(tests::node_in_zone("b1", "b", 8));
    core::Pod foreign = ruled("guard", {}, apart("zone"));
    foreign.scheduler_name = "default-scheduler";
    foreign.node_name = "a1";
    const auto guard = world.create(foreign);
    world.settle();
    const auto pod = world.create(ruled("p1", the_app, {}));
    world.settle();
    CHECK(world.node_of(pod) == "b1");
    CHECK(world.pod_lists == 0);  // its labels are known, and no rule asks for others'
    SUBCASE("as long as it is there") {
        world.change_pod(guard, [](core::Pod& one) { one.phase = core::PodPhase::failed; });
        world.remove_node("b1");
        const auto next = world.create(ruled("p2", the_app, {}));
        world.settle();
        CHECK(world.node_of(next) == "a1");
    }
    SUBCASE("and says so") {
        world.remove_node("b1");
        const auto next = world.create(ruled("p2", the_app, {}));
        world.settle();
        CHECK_FALSE(world.is_bound(next));
        CHECK(world.condition(next).find("existing pods anti-affinity rules") != std::string::npos);
        world.remove_pod(guard);
        world.settle();
        CHECK(world.node_of(next) == "a1");
    }
}

TEST_CASE("pod rules: PRED-10: nobody is there yet, then all go to the first one's zone") {
    World world;
    world.add_zones(3);
    std::vector<std::string> pods;
    for (int i = 0; i < 6; ++i) {
        pods.push_back(world.create(ruled("p" + std::to_string(i), the_app, together())));
    }
    world.settle();
    // Their zone takes six, or three, by who was first; nobody is ever outside of it.
    const auto zones = by_zone(world, pods);
    CHECK((zones.contains("a") ? 1 : 0) + (zones.contains("b") ? 1 : 0) == 1);
    SUBCASE("one that does not match itself waits for somebody who does") {
        World empty;
        empty.add_zones();
        const auto follower = empty.create(ruled("f", {}, together()));
        empty.settle();
        CHECK_FALSE(empty.is_bound(follower));
        CHECK(empty.condition(follower).find("pod affinity rules") != std::string::npos);
        core::Pod leader = ruled("l", the_app, {});
        leader.constraints = [] {
            core::Constraints in_b;
            in_b.node_selector = {{"zone", "b"}};
            return in_b;
        }();
        empty.create(leader);
        empty.settle();
        CHECK(empty.node_of(follower) == "b1");
    }
}

TEST_CASE("pod rules: PRED-11: spread over zones, one more in none than in another") {
    World world;
    world.add_zones(2);
    world.add_node(tests::node("c1", 8, 64 * 1024));  // without the label: never
    std::vector<std::string> pods;
    for (int i = 0; i < 6; ++i) {
        pods.push_back(world.create(ruled("p" + std::to_string(i), the_app, evenly())));
    }
    world.settle();
    // Zone b takes two, so zone a takes three.
    CHECK(by_zone(world, pods) == std::map<std::string, int>{{"a", 3}, {"b", 2}, {"", 1}});
    const auto waiting = std::find_if(
        pods.begin(), pods.end(), [&](const std::string& uid) { return !world.is_bound(uid); });
    CHECK(world.condition(*waiting).find("topology spread constraints") != std::string::npos);
    SUBCASE("a pod that is being deleted does not count") {
        const auto in_a = std::find_if(pods.begin(), pods.end(), [&](const std::string& uid) {
            return world.is_bound(uid) && world.node_of(uid).starts_with("a");
        });
        world.change_pod(*in_a, [](core::Pod& pod) { pod.deleting = true; });
        world.settle();
        CHECK(world.node_of(*waiting).starts_with("a"));
    }
}

TEST_CASE("pod rules: a domain that goes with its last node is in nobody's way any more") {
    World world;
    world.add_node(tests::node_in_zone("a1", "a", 8));
    world.add_node(tests::node_in_zone("b1", "b", 1));
    core::Pod full = ruled("full", {}, {});
    full.scheduler_name = "default-scheduler";
    full.node_name = "b1";
    world.create(full);
    SUBCASE("spread") {
        const auto first = world.create(ruled("p1", the_app, evenly()));
        const auto second = world.create(ruled("p2", the_app, evenly()));
        world.settle();
        CHECK(world.node_of(first) == "a1");
        REQUIRE_FALSE(world.is_bound(second));
        world.remove_node("b1");
        world.settle();
        CHECK(world.node_of(second) == "a1");
    }
    SUBCASE("affinity") {
        core::Pod there = ruled("there", the_app, {});
        there.requests = {};
        there.scheduler_name = "default-scheduler";
        there.node_name = "b1";
        world.create(there);
        const auto pod = world.create(ruled("p1", the_app, together()));
        world.settle();
        REQUIRE_FALSE(world.is_bound(pod));
        world.remove_node("b1");
        world.settle();
        CHECK(world.node_of(pod) == "a1");
    }
}

TEST_CASE("pod rules: labels of those who were there before are listed once, and then known") {
    World world;
    world.add_zones();
    core::Pod there = ruled("old", the_app, {});
    there.scheduler_name = "default-scheduler";
    there.node_name = "a1";
    world.create(there);
    const auto own = world.create(ruled("own", the_app, {}));
    world.settle();
    REQUIRE(world.is_bound(own));
    world.restart();
    world.settle();
    CHECK(world.pod_lists == 0);
    const auto pod = world.create(ruled("p1", the_app, apart("zone")));
    world.settle();
    CHECK(world.pod_lists == 1);
    const bool both_in_a = world.node_of(own).starts_with("a");
    CHECK(world.is_bound(pod) == both_in_a);
    SUBCASE("the next needs none, nor one that names no other label") {
        world.create(ruled("p2", the_app, evenly()));
        world.settle();
        CHECK(world.pod_lists == 1);
    }
    SUBCASE("another label does, not before a while has passed") {
        world.create(ruled("p2", {}, {{}, {term("zone", {{"tier", "x"}})}, {}}));
        world.settle();
        CHECK(world.pod_lists == 1);
        world.advance(2'000);
        CHECK(world.pod_lists == 2);
    }
}

TEST_CASE("pod rules: no list has a pod whose bind is under way, and it counts all the same") {
    World world;
    world.add_node(tests::node_in_zone("a1", "a", 8));
    // Until its answer is here it may be on the node, or come there yet.
    world.hold_bind_answers = true;
    world.on_bind = [](const gang::BindPod& bind) {
        return bind.pod.name == "p1" ? std::optional(gang::BindOutcome::refused) : std::nullopt;
    };
    const auto first = world.create(ruled("p1", {{"app", "a"}, {"tier", "x"}}, {}));
    world.settle();
    REQUIRE(world.binds.size() == 1);
    const auto second = world.create(ruled("p2", the_app, apart()));
    world.settle();
    REQUIRE(world.pod_lists == 1);
    CHECK_FALSE(world.is_bound(second));
    SUBCASE("by a label that is asked for later, too") {
        const auto third =
            world.create(ruled("p3", {}, {{}, {term("zone", {{"tier", "x"}})}, {}}));
        world.advance(3'000);
        REQUIRE(world.pod_lists == 2);
        CHECK_FALSE(world.is_bound(third));
    }
    SUBCASE("until it was refused") {
        world.release_answers();
        world.settle();
        CHECK_FALSE(world.is_bound(first));
        CHECK(world.node_of(second) == "a1");
    }
}

TEST_CASE("pod rules: nothing is decided on labels that are not known") {
    World world;
    world.add_zones();
    core::Pod there = ruled("old", the_app, {});
    there.scheduler_name = "default-scheduler";
    there.node_name = "a1";
    const auto old = world.create(there);
    world.settle();
    SUBCASE("a list that fails is asked for again") {
        world.fail_pod_lists = true;
        const auto pod = world.create(ruled("p1", {}, together()));
        world.advance(5'000);
        CHECK(world.pod_lists >= 2);
        CHECK_FALSE(world.is_bound(pod));
        CHECK(world.condition(pod).find("labels of the pods that run") != std::string::npos);
        world.fail_pod_lists = false;
        world.advance(3'000);
        CHECK(world.node_of(pod).starts_with("a"));
    }
    SUBCASE("what the watch says meanwhile is newer than the list") {
        world.hold_pod_lists = true;
        const auto pod = world.create(ruled("p1", {}, together()));
        world.settle();
        CHECK_FALSE(world.is_bound(pod));
        world.change_pod(old, [](core::Pod& one) { one.labels = {{"app", "b"}}; });
        world.settle();
        world.release_answers();
        world.settle();
        CHECK_FALSE(world.is_bound(pod));
    }
    SUBCASE("a pod that is gone is not counted, though the list has it") {
        world.hold_pod_lists = true;
        const auto pod = world.create(ruled("p1", {}, together()));
        world.settle();
        world.remove_pod(old);
        world.settle();
        world.release_answers();
        world.settle();
        CHECK_FALSE(world.is_bound(pod));
    }
}

TEST_CASE("pod rules: kube-scheduler's words before labels are known, and afterwards") {
    config::Schema schema = World::sealed_schema();
    config::Profile& profile = schema.profiles.emplace_back();
    profile.scheduler_name = "like-kube";
    profile.gangs = false;
    profile.messages = config::Messages::kube_scheduler;
    World world(schema);
    world.add_node(tests::node_in_zone("a1", "a", 2));
    core::Pod there = ruled("there", the_app, {});
    there.scheduler_name = "default-scheduler";
    there.node_name = "a1";
    world.create(there);
    world.settle();
    world.hold_pod_lists = true;
    core::Pod pod = ruled("p", {}, apart());
    pod.scheduler_name = "like-kube";
    SUBCASE("there is room") {
        const auto uid = world.create(pod);
        world.settle();
        CHECK(world.condition(uid).find("labels of the pods that run") != std::string::npos);
        world.hold_pod_lists = false;
        world.release_answers();
        world.advance(15'000);
        CHECK(
            world.condition(uid) ==
            "0/1 nodes are available: 1 node(s) didn't match pod anti-affinity rules.");
    }
    SUBCASE("there is none") {
        pod.requests.cpu_milli = 4'000;
        const auto uid = world.create(pod);
        world.settle();
        CHECK(world.condition(uid) == "0/1 nodes are available: 1 Insufficient cpu.");
        world.hold_pod_lists = false;
        world.release_answers();
        world.advance(15'000);
        CHECK(world.condition(uid) == "0/1 nodes are available: 1 Insufficient cpu.");
    }
    CHECK(world.violations.empty());
}

TEST_CASE("pod rules: a bind that fails gives the place free again") {
    World world;
    world.add_node(tests::node_in_zone("a1", "a", 8));
    bool fails = true;
    world.on_bind = [&fails](const gang::BindPod&) -> std::optional<gang::BindOutcome> {
        return fails ? std::optional(gang::BindOutcome::refused) : std::nullopt;
    };
    const auto first = world.create(ruled("p1", the_app, apart()));
    world.settle();
    CHECK_FALSE(world.is_bound(first));
    fails = false;
    const auto second = world.create(ruled("p2", the_app, apart()));
    world.settle();
    CHECK(world.is_bound(second));
    world.advance(600'000);
    CHECK_FALSE(world.is_bound(first));
}

TEST_CASE("pod rules: what we cannot keep is said, and the pod is not placed") {
    World world;
    world.namespaces.reset();
    world.add_zones();
    PodRules rules = together();
    rules.affinity[0].namespace_selector = tests::selector({{"team", "x"}});
    const auto pod = world.create(ruled("p1", the_app, rules));
    const auto other = world.create(ruled("p2", {}, {}));
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(
        world.condition(pod).find("podAffinity: a namespaceSelector needs the labels of namespaces, "
                                  "which cannot be listed (forbidden)") != std::string::npos);
    CHECK(world.condition(pod).ends_with("[Misconfigured]"));
    CHECK(world.is_bound(other));
}

TEST_CASE("pod rules: a tenant's thousand labels are bounded, and the next pod is told") {
    World world;
    world.add_zones();
    std::vector<std::string> pods;
    for (int i = 0; i < 300; ++i) {
        PodRules rules;
        rules.affinity = {term("zone", {{"label-" + std::to_string(i), "x"}})};
        pods.push_back(world.create(ruled("p" + std::to_string(i), {}, rules)));
    }
    world.advance(30'000);
    CHECK(world.bound_count(pods) == 0);
    int refused = 0;
    for (const std::string& uid : pods) {
        refused += world.condition(uid).find("more than 256") != std::string::npos ? 1 : 0;
    }
    CHECK(refused == 300 - 256);
    const auto plain = world.create(ruled("plain", {}, {}));
    world.settle();
    CHECK(world.is_bound(plain));
    for (const std::string& uid : pods) world.remove_pod(uid);
    world.settle();
    const auto next = world.create(ruled("next", the_app, apart()));
    world.advance(5'000);
    CHECK(world.is_bound(next));
}

TEST_CASE("pod rules: a driver is kept apart from another, its gang and all") {
    World world;
    world.add_node(tests::node_in_zone("a1", "a", 8));
    world.add_node(tests::node_in_zone("a2", "a", 8));
    std::vector<std::string> drivers;
    for (int i = 0; i < 3; ++i) {
        core::Pod driver = tests::driver("d" + std::to_string(i));
        driver.rules = PodRules{
            {},
            {term("kubernetes.io/hostname", {{"spark-role", "driver"}}, driver.namespace_name)},
            {}};
        drivers.push_back(world.submit(std::move(driver), tests::conf(1)));
    }
    world.settle();
    CHECK(world.bound_count(drivers) == 2);
    CHECK(world.node_of(drivers[0]) != world.node_of(drivers[1]));
    CHECK(world.condition(drivers[2]).ends_with("[PodRulesNotMet]"));
}

TEST_CASE("pod rules: executors that keep apart take slots on nodes of their own, or move them") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) world.add_node(tests::node_in_zone(name, "a", 16));
    const auto driver = world.submit("d", 3, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    const std::string space = world.pod(driver).namespace_name;
    std::vector<std::string> executors;
    for (int i = 0; i < 3; ++i) {
        core::Pod pod = tests::executor("e" + std::to_string(i), world.pod(driver));
        pod.rules =
            PodRules{{}, {term("kubernetes.io/hostname", {{"spark-role", "executor"}}, space)}, {}};
        executors.push_back(world.create(std::move(pod)));
    }
    world.advance(5'000);
    CHECK(world.bound_count(executors) == 3);
    std::map<std::string, int> by_node;
    for (const std::string& uid : executors) ++by_node[world.node_of(uid)];
    CHECK(by_node.size() == 3);
    core::Pod pod = tests::executor("e3", world.pod(driver));
    pod.rules = world.pod(executors[0]).rules;
    const auto fourth = world.create(std::move(pod));
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(fourth));
    world.set_phase(executors[1], core::PodPhase::failed);
    world.advance(5'000);
    CHECK(world.node_of(fourth) == world.node_of(executors[1]));
    CHECK(world.violations.empty());
}

TEST_CASE("pod rules: executors whose template keeps them apart have slots on nodes of their own") {
    World world;
    for (const char* name : {"n1", "n2", "n3"}) world.add_node(tests::node_in_zone(name, "a", 16));
    auto conf = tests::conf(4);
    conf.executor_template.emplace().rules =
        PodRules{{}, {term("kubernetes.io/hostname", {{"spark-role", "executor"}}, "")}, {}};
    const auto driver = world.submit(tests::driver("d"), conf);
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(driver));
    CHECK(
        world.condition(driver).find("didn't match pod anti-affinity rules") != std::string::npos);
    CHECK(world.condition(driver).ends_with("[PodRulesNotMet]"));
    const auto plain = world.submit("plain", 4, 1);
    world.settle();
    CHECK(world.is_bound(plain));  // it blocks nobody
    world.add_node(tests::node_in_zone("n4", "b", 16));
    world.settle();
    REQUIRE(world.is_bound(driver));
    const auto reservation = world.reservation(driver);
    REQUIRE(reservation->shapes.size() == 1);
    CHECK(reservation->shapes[0].slots_per_node.size() == 4);
    world.set_phase(driver, core::PodPhase::running);
    std::vector<std::string> executors;
    for (int i = 0; i < 4; ++i) {
        core::Pod pod = tests::executor("e" + std::to_string(i), world.pod(driver));
        pod.rules = PodRules{
            {},
            {term(
                "kubernetes.io/hostname",
                {{"spark-role", "executor"}},
                world.pod(driver).namespace_name)},
            {}};
        executors.push_back(world.create(std::move(pod)));
    }
    world.advance(5'000);
    CHECK(world.bound_count(executors) == 4);
    CHECK(world.reservation(driver)->generation == 1);  // no slot had to move
    CHECK(world.violations.empty());
}

TEST_CASE("pod rules: a profile that leaves the rules out does not plan executors by them either") {
    config::Schema schema = World::sealed_schema();
    schema.profiles.front().left_out = core::FilterSet{}.with(core::FilterId::inter_pod_affinity);
    World world(schema);
    world.add_node(tests::node_in_zone("n1", "a", 16));
    auto conf = tests::conf(4);
    conf.executor_template.emplace().rules =
        PodRules{{}, {term("kubernetes.io/hostname", {{"spark-role", "executor"}}, "")}, {}};
    const auto driver = world.submit(tests::driver("d"), conf);
    world.advance(5'000);
    CHECK(world.is_bound(driver));
    CHECK(world.pod_lists == 0);
    CHECK(world.violations.empty());
}

TEST_CASE("pod rules: of a template that asks what nobody here can say, the gang is told so") {
    World world;
    world.namespaces.reset();
    world.add_node(tests::node_in_zone("n1", "a", 16));
    auto conf = tests::conf(1);
    PodRules rules{{}, {term("kubernetes.io/hostname", the_app, "")}, {}};
    rules.anti_affinity[0].namespace_selector.require({"team", core::LabelOperator::exists, {}});
    rules.anti_affinity[0].namespace_selector.is_set = true;
    conf.executor_template.emplace().rules = rules;
    const auto driver = world.submit(tests::driver("d"), conf);
    world.advance(5'000);
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.condition(driver).find("the executor template: ") != std::string::npos);
    CHECK(world.condition(driver).ends_with("[Misconfigured]"));
}
