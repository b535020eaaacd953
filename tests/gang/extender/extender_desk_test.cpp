// Gangs that kube-scheduler places, and asks us about, through the whole scheduler.
#include "gang/extender/extender_desk.hpp"

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

using tests::World;

namespace {

config::Schema extended(bool binds = true) {
    config::Schema schema = World::sealed_schema();
    schema.extender.enabled = true;
    schema.extender.binds = binds;
    return schema;
}

/// As kube-scheduler drives us.
struct Caller {
    explicit Caller(World& in) : world(in) {}

    std::string submit(const std::string& name, std::int64_t executors, std::int64_t created) {
        core::Pod pod = tests::driver(name);
        pod.created = created;
        pod.scheduler_name = "default-scheduler";
        return world.submit(
            std::move(pod),
            tests::with(
                tests::conf(executors), "spark.kubernetes.scheduler.name", "default-scheduler"));
    }

    std::vector<std::string> create_executors(const std::string& driver, int count) {
        std::vector<std::string> uids;
        for (int i = 0; i < count; ++i) {
            core::Pod pod = tests::executor("exec-" + std::to_string(++made), world.pod(driver));
            pod.scheduler_name = "default-scheduler";
            uids.push_back(world.create(std::move(pod)));
        }
        return uids;
    }

    /// The question alone; every node is offered unless some are named.
    std::int64_t ask(const core::Pod& pod, std::vector<std::string> nodes = {}) {
        if (nodes.empty()) {
            for (const auto& [name, node] : world.nodes()) {
                nodes.push_back(name);
            }
        }
        world.step(gang::ExtenderAsked{++token, pod, std::move(nodes)});
        world.settle();
        return token;
    }
    std::optional<gang::AnswerExtender> answer_to(std::int64_t asked) const {
        const auto found = world.extender_answers.find(asked);
        return found == world.extender_answers.end() ? std::nullopt : std::optional(found->second);
    }
    /// The node that it passes on; empty: none.
    std::string filter(const std::string& uid, std::vector<std::string> nodes = {}) {
        const auto answer = answer_to(ask(world.pod(uid), std::move(nodes)));
        REQUIRE(answer);
        message = answer->message;
        REQUIRE(answer->nodes.size() <= 1);
        return answer->nodes.empty() ? "" : answer->nodes.front();
    }
    /// Not empty: why not.
    std::string bind(const std::string& uid, const std::string& node) {
        const core::Pod pod = world.pod(uid);
        world.step(gang::ExtenderBinds{++token, pod.namespace_name, pod.name, uid, node});
        world.settle();
        const auto refused = answer_to(token);
        return refused ? refused->message : "";
    }
    /// What kube-scheduler does of one pod.
    std::string place(const std::string& uid) {
        const std::string node = filter(uid);
        return node.empty() || !bind(uid, node).empty() ? "" : node;
    }

    World& world;
    std::int64_t token = 0;
    std::string message;  ///< of the last answer
    int made = 0;
};

bool contains(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("extender: EXT-8: a driver passes on one node, and nothing is bound until it is said") {
    World world(extended());
    world.add_node(tests::node("n1", 2, 64 * 1024));
    world.add_node(tests::node("n2", 4, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 2, 10);
    world.settle();
    CHECK(world.view(driver).slots_open == 0);
    CHECK(world.conditions.size() <= 1);  // a fence's at most: the rest is kube-scheduler's to say
    const std::string node = caller.filter(driver);
    REQUIRE_FALSE(node.empty());
    CHECK(world.binds.empty());
    CHECK(world.view(driver).slots_open == 2);
    for (int i = 0; i < 50; ++i) {
        world.advance(1'000);
        REQUIRE(caller.filter(driver) == node);
    }
    CHECK(world.view(driver).slots_open == 2);
    CHECK(caller.bind(driver, node).empty());
    CHECK(world.node_of(driver) == node);
    const auto reservation = world.reservation(driver);
    REQUIRE(reservation);
    CHECK(gang::slot_count(*reservation) == 2);
    CHECK(world.violations.empty());
}

TEST_CASE("extender: a gang that does not fit passes nowhere, with the reason, and holds nothing") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto first = caller.submit("a", 2, 10);
    const auto second = caller.submit("b", 2, 11);
    world.settle();
    REQUIRE(caller.place(first) == "n1");
    CHECK(caller.filter(second).empty());
    CHECK(contains(caller.message, "1 driver + 2 executors"));
    CHECK(contains(caller.message, "[WaitingForCapacity]"));
    CHECK(caller.bind(second, "n1") == "no node is decided for it: it must be asked about first");
    for (const auto& uid : caller.create_executors(first, 2)) {
        world.settle();
        CHECK(caller.place(uid) == "n1");
    }
    CHECK(world.updates.empty());
    world.remove_application(first);
    world.settle();
    // It has its room from now on, and kube-scheduler comes back to a pod that has changed.
    CHECK(world.view(second).slots_open == 2);
    REQUIRE(world.updates.size() == 1);
    CHECK(world.updates[0].driver.uid == second);
    CHECK(caller.place(second) == "n1");
    CHECK(world.updates.size() == 1);
    CHECK(gang::slot_count(*world.reservation(second)) == 2);
    CHECK(world.violations.empty());
    CHECK(world.events.empty());  // kube-scheduler has these
}

TEST_CASE("extender: an answer that nobody asks for again is given up after a minute") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto first = caller.submit("a", 3, 10);
    const auto second = caller.submit("b", 3, 11);
    world.settle();
    REQUIRE(caller.filter(first) == "n1");
    world.advance(gang::answer_kept_ms - 1);
    CHECK(world.view(first).slots_open == 3);
    CHECK(caller.filter(second).empty());
    SUBCASE("and the room is the next one's") {
        world.advance(1);
        CHECK(world.view(first).slots_open == 0);
        CHECK(caller.filter(second) == "n1");
        CHECK(caller.filter(first).empty());
        CHECK(caller.bind(second, "n1").empty());
        CHECK_FALSE(caller.bind(first, "n1").empty());
    }
    SUBCASE("a question keeps it") {
        CHECK(caller.filter(first) == "n1");
        world.advance(gang::answer_kept_ms - 1);
        CHECK(caller.bind(first, "n1").empty());
        CHECK(world.is_bound(first));
    }
    SUBCASE("nothing is left of a pod that is deleted meanwhile") {
        world.remove_pod(first);
        world.remove_pod(second);
        world.settle();
        CHECK(world.scheduler->remembered() == 0);
    }
}

TEST_CASE("extender: a gang that nobody asks about holds up nobody") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto older = caller.submit("older", 3, 10);
    const auto ours = world.submit("ours", 3, 11);
    world.settle();
    CHECK(world.is_bound(ours));
    const auto why = world.scheduler->explain(older);
    REQUIRE(why);
    REQUIRE(why->notes.size() == 1);
    CHECK(contains(why->notes[0], "kube-scheduler does not ask"));
    CHECK(caller.filter(older).empty());
    CHECK(world.scheduler->explain(older)->gang.code == gang::ReasonCode::waiting_for_capacity);
    SUBCASE("one that was refused keeps its place until kube-scheduler must have asked again") {
        const auto next = world.submit("next", 3, 12);
        world.remove_application(ours);
        world.settle();
        CHECK_FALSE(world.is_bound(next));
        CHECK(caller.filter(older) == "n1");
    }
    SUBCASE("and no longer") {
        world.advance(gang::refused_kept_ms);
        const auto next = world.submit("next", 3, 12);
        world.remove_application(ours);
        world.settle();
        CHECK(world.is_bound(next));
        CHECK(caller.filter(older).empty());
    }
}

TEST_CASE("extender: room that appears long after the last question is kept for a minute, too") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto ours = world.submit("ours", 3, 9);
    const auto driver = caller.submit("a", 3, 10);
    world.settle();
    CHECK(caller.filter(driver).empty());
    world.advance(3 * gang::answer_kept_ms);
    world.remove_application(ours);
    world.advance(gang::answer_kept_ms - 1);
    CHECK(world.view(driver).slots_open == 3);
    world.advance(1);
    CHECK(world.view(driver).slots_open == 0);
}

TEST_CASE("extender: executors of no driver that we know") {
    World world(extended());
    world.add_node(tests::node("n1", 2, 64 * 1024));
    Caller caller(world);
    core::Pod pod = tests::executor("exec-1", tests::driver("elsewhere"));
    pod.scheduler_name = "default-scheduler";
    pod.owners.clear();
    SUBCASE("of Spark's client mode: they are placed one by one") {
        const auto uid = world.create(pod);
        world.settle();
        CHECK(caller.place(uid) == "n1");
    }
    SUBCASE("made by hand: they wait for a driver") {
        pod.labels = {{"spark-app-selector", "app"}, {"spark-role", "executor"}};
        const auto uid = world.create(pod);
        world.settle();
        CHECK(caller.filter(uid).empty());
        CHECK(contains(caller.message, "driver"));
        CHECK_FALSE(caller.bind(uid, "n1").empty());
    }
    CHECK(world.violations.empty());
}

TEST_CASE("extender: EXT-9: executors go to their slots, and the lone are kept off them") {
    World world(extended());
    world.add_node(tests::node("n1", 2, 64 * 1024));
    world.add_node(tests::node("n2", 2, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 3, 10);
    world.settle();
    REQUIRE_FALSE(caller.place(driver).empty());
    core::Pod lone = tests::pod("lone", 1000, 256);
    lone.scheduler_name = "default-scheduler";
    lone.uid = "lone";
    world.create(lone);
    const auto refused = caller.answer_to(caller.ask(world.pod("lone")));
    REQUIRE(refused);
    CHECK(refused->nodes.empty());
    CHECK(contains(refused->message, "more than gangs leave free"));
    world.add_node(tests::node("n3", 1, 64 * 1024));
    world.settle();
    const auto passed = caller.answer_to(caller.ask(world.pod("lone")));
    REQUIRE(passed);
    CHECK(passed->nodes == std::vector<std::string>{"n3"});
    std::vector<std::string> nodes;
    for (const auto& uid : caller.create_executors(driver, 3)) {
        world.settle();
        const std::string node = caller.filter(uid);
        CHECK(caller.filter(uid) == node);
        CHECK(
            caller.bind(uid, "n3") == "it was to go to " + node + ", where its gang has its room");
        CHECK(caller.bind(uid, node).empty());
        CHECK(world.node_of(uid) == node);
        CHECK(node != "n3");
    }
    CHECK(world.view(driver).slots_bound == 3);
    CHECK(world.violations.empty());
}

TEST_CASE("extender: a restart between driver and executors loses no slot") {
    World world(extended());
    world.add_node(tests::node("n1", 3, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 2, 10);
    const auto other = caller.submit("b", 2, 11);
    world.settle();
    REQUIRE(caller.place(driver) == "n1");
    world.restart();
    world.settle();
    CHECK(world.view(driver).slots_open == 2);
    CHECK(caller.filter(other).empty());
    for (const auto& uid : caller.create_executors(driver, 2)) {
        world.settle();
        CHECK(caller.place(uid) == "n1");
    }
    CHECK(world.violations.empty());
}

TEST_CASE(
    "extender: who is not decided on yet gets no answer, and one who does not lead gives none") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    core::Pod pod = tests::driver("a");
    pod.scheduler_name = "default-scheduler";
    pod.uid = "a";
    SUBCASE("the watch has not shown it") {
        world.settle();
        const auto asked = caller.ask(pod);
        CHECK_FALSE(caller.answer_to(asked));
        world.submit(pod, tests::conf(1));
        world.settle();
        REQUIRE(caller.answer_to(asked));
        CHECK(caller.answer_to(asked)->nodes == std::vector<std::string>{"n1"});
    }
    SUBCASE("its conf is not there") {
        world.create(pod);
        world.settle();
        CHECK_FALSE(caller.answer_to(caller.ask(pod)));
    }
    SUBCASE("a follower") {
        world.restart(false);
        world.submit(pod, tests::conf(1));
        world.settle();
        CHECK_FALSE(caller.answer_to(caller.ask(pod)));
        CHECK(caller.bind("a", "n1") == "this replica does not lead");
    }
    SUBCASE("leadership is lost with a bind held") {
        world.submit(pod, tests::conf(1));
        world.settle();
        REQUIRE(caller.filter("a") == "n1");
        world.lose_lead();
        world.settle();
        CHECK(caller.bind("a", "n1") == "this replica does not lead");
        CHECK(world.binds.empty());
    }
}

TEST_CASE("extender: a bind that fails is told by its answer, and decided anew") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 1, 10);
    world.settle();
    REQUIRE(caller.filter(driver) == "n1");
    // Somebody changes the pod while its bind is held: that is no conflict.
    world.change_pod(driver, [](core::Pod& pod) { pod.labels.emplace_back("x", "y"); });
    world.settle();
    world.on_bind = [](const gang::BindPod&) { return gang::BindOutcome::refused; };
    caller.bind(driver, "n1");
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.view(driver).slots_open == 0);
    world.on_bind = {};
    world.advance(20'000);
    CHECK(caller.place(driver) == "n1");
}

TEST_CASE("extender: with it off pods of kube-scheduler are nobody's business") {
    World world;
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 1, 10);
    world.settle();
    CHECK(world.scheduler->gangs().empty());
    CHECK_FALSE(world.scheduler->is_of_extender(driver));
}

TEST_CASE("extender: victims that a gang needs") {
    World world(extended());
    world.add_node(tests::node("n1", 4, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 1, 10);
    world.settle();
    CHECK(world.scheduler->is_of_extender(driver));
    CHECK_FALSE(world.scheduler->is_needed(driver));
    REQUIRE(caller.place(driver) == "n1");
    CHECK(world.scheduler->is_needed(driver));
    const auto executors = caller.create_executors(driver, 2);
    world.settle();
    CHECK(caller.place(executors[0]) == "n1");
    CHECK(caller.place(executors[1]) == "n1");
    CHECK(world.scheduler->is_needed(executors[0]));
    CHECK_FALSE(world.scheduler->is_needed(executors[1]));  // one more than it has slots
    CHECK_FALSE(world.scheduler->is_needed("unknown"));
}

TEST_CASE("extender: where kube-scheduler binds, the reservation is written before the answer") {
    World world(extended(false));
    world.add_node(tests::node("n1", 3, 64 * 1024));
    Caller caller(world);
    const auto driver = caller.submit("a", 2, 10);
    const auto kube_scheduler_binds = [&](const std::string& uid) {
        world.change_pod(uid, [](core::Pod& pod) { pod.node_name = "n1"; });
        world.settle();
    };
    world.settle();
    SUBCASE("and the gang runs when it is seen bound") {
        world.hold_status_answers = true;
        const auto asked = caller.ask(world.pod(driver));
        CHECK_FALSE(caller.answer_to(asked));
        REQUIRE(world.reservation(driver));
        CHECK(gang::slot_count(*world.reservation(driver)) == 2);
        world.release_answers();
        world.settle();
        REQUIRE(caller.answer_to(asked));
        kube_scheduler_binds(driver);
        CHECK(world.view(driver).state == gang::GangState::running);
        CHECK(world.updates.size() == 1);
        for (const auto& uid : caller.create_executors(driver, 2)) {
            world.settle();
            CHECK(caller.filter(uid) == "n1");
            kube_scheduler_binds(uid);
        }
        CHECK(world.view(driver).slots_bound == 2);
        CHECK(world.binds.empty());
    }
    SUBCASE("a restart right after the answer finds it") {
        CHECK(caller.filter(driver) == "n1");
        kube_scheduler_binds(driver);
        world.restart();
        const auto other = caller.submit("b", 0, 11);
        world.settle();
        CHECK(world.view(driver).slots_open == 2);
        CHECK(caller.filter(other).empty());
    }
    SUBCASE("a write whose answer is lost is seen in the pod") {
        world.lose_status_answers = true;
        CHECK(caller.filter(driver) == "n1");
        CHECK(world.updates.size() == 1);
    }
    SUBCASE("a write that fails is done on the pod's next state") {
        world.add_node(tests::node("n0", 1, 64 * 1024));
        const auto first = caller.submit("first", 0, 9);
        world.settle();
        REQUIRE(caller.filter(first) == "n0");  // the fence is behind us
        world.updates.clear();
        world.fail_status_writes = true;
        const auto asked = caller.ask(world.pod(driver), {"n1"});
        CHECK_FALSE(caller.answer_to(asked));
        CHECK(world.updates.size() == 1);
        world.fail_status_writes = false;
        world.change_pod(driver, [](core::Pod& pod) { pod.labels.emplace_back("x", "y"); });
        world.settle();
        CHECK(caller.answer_to(asked));
    }
}

TEST_CASE("extender: EXT-13: a pod whose node is not offered is placed among those that are") {
    World world(extended());
    for (const char* name : {"n1", "n2", "n3"}) {
        world.add_node(tests::node(name, 2, 64 * 1024));
    }
    Caller caller(world);
    const auto driver = caller.submit("a", 3, 10);
    world.settle();
    const std::string first = caller.filter(driver);
    REQUIRE_FALSE(first.empty());
    std::vector<std::string> others;
    for (const auto& [name, node] : world.nodes()) {
        if (name != first) {
            others.push_back(name);
        }
    }
    const std::string second = caller.filter(driver, others);
    INFO(caller.message);
    CHECK(second != first);
    REQUIRE_FALSE(second.empty());
    CHECK(caller.filter(driver) == second);
    CHECK(world.view(driver).slots_open == 3);
    REQUIRE(caller.bind(driver, second).empty());
    SUBCASE("an executor's slot moves, and its reservation is written before it is bound there") {
        world.add_node(tests::node("n4", 1, 64 * 1024));
        world.settle();
        const auto executors = caller.create_executors(driver, 3);
        world.settle();
        CHECK(caller.filter(executors[0], {"n4"}) == "n4");
        CHECK(caller.bind(executors[0], "n4").empty());
        CHECK(world.node_of(executors[0]) == "n4");
        CHECK(caller.filter(executors[1], {"n4"}).empty());
        CHECK_FALSE(caller.place(executors[1]).empty());
        CHECK_FALSE(caller.place(executors[2]).empty());
        CHECK(world.view(driver).slots_bound == 3);
        bool is_named = false;
        const auto reservation = world.reservation(driver);
        for (const auto& shape : reservation->shapes) {
            for (const auto& [node, count] : shape.slots_per_node) {
                is_named = is_named || node == "n4";
            }
        }
        CHECK(is_named);
    }
    SUBCASE("nodes without room are no answer") {
        world.add_node(tests::node("small", 0, 64 * 1024));
        world.settle();
        const auto executors = caller.create_executors(driver, 1);
        world.settle();
        CHECK(caller.filter(executors[0], {"small"}).empty());
        CHECK_FALSE(caller.message.empty());
        CHECK_FALSE(caller.place(executors[0]).empty());
    }
    CHECK(world.violations.empty());
}
