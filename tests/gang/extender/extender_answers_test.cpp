// What kube-scheduler is told of pods that are bound, that we do not know, or when another replica leads.
#include "gang/extender/extender_desk.hpp"

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace {
namespace extender_answers {

struct Asker {
    tests::World world{schema()};
    std::int64_t token = 0;

    static config::Schema schema() {
        config::Schema schema = tests::World::sealed_schema();
        schema.extender.enabled = true;
        schema.extender.binds = true;
        return schema;
    }
    Asker() {
        world.add_node(tests::node("n1", 4, 64 * 1024));
        world.add_node(tests::node("n2", 4, 64 * 1024));
        world.settle();
    }

    std::string submit(const std::string& name, std::int64_t executors) {
        core::Pod pod = tests::driver(name);
        pod.scheduler_name = "default-scheduler";
        const auto uid = world.submit(
            std::move(pod),
            tests::with(tests::conf(executors), "spark.kubernetes.scheduler.name", "default-scheduler"));
        world.settle();
        return uid;
    }
    gang::AnswerExtender ask(const core::Pod& pod, std::vector<std::string> nodes = {"n1", "n2"}) {
        world.step(gang::ExtenderAsked{++token, pod, std::move(nodes)});
        world.settle();
        REQUIRE(world.extender_answers.contains(token));
        return world.extender_answers.at(token);
    }
    /// Why it is refused; empty: it is not.
    std::string bind(const core::Pod& pod, const std::string& node) {
        world.step(gang::ExtenderBinds{++token, pod.namespace_name, pod.name, pod.uid, node});
        world.settle();
        return world.extender_answers.contains(token) ? world.extender_answers.at(token).message : "";
    }
};

}  // namespace extender_answers
}  // namespace

TEST_CASE("extender: a bind of a pod of no gang goes where kube-scheduler says") {
    extender_answers::Asker asker;
    core::Pod lone = tests::pod("lone", 500, 100);
    lone.scheduler_name = "default-scheduler";
    const auto uid = asker.world.create(lone);
    asker.world.settle();
    CHECK(asker.bind(asker.world.pod(uid), "n2") == "");
    REQUIRE(asker.world.binds.size() == 1);
    CHECK(asker.world.binds[0].pod.uid == uid);
    CHECK(asker.world.binds[0].node == "n2");
}

TEST_CASE("extender: a replica that does not lead binds nothing") {
    extender_answers::Asker asker;
    const auto driver = asker.submit("a", 1);
    asker.world.lose_lead();
    asker.world.settle();
    CHECK(asker.bind(asker.world.pod(driver), "n1") == "this replica does not lead");
    CHECK(asker.world.binds.empty());
}

TEST_CASE("extender: a pod that is on a node is not asked for another") {
    extender_answers::Asker asker;
    const auto driver = asker.submit("a", 1);
    const auto answer = asker.ask(asker.world.pod(driver));
    REQUIRE(answer.nodes.size() == 1);
    CHECK(asker.bind(asker.world.pod(driver), answer.nodes[0] == "n1" ? "n2" : "n1") ==
          "it was to go to " + answer.nodes[0] + ", where its gang has its room");
    const core::Pod before = asker.world.pod(driver);
    CHECK(asker.bind(before, answer.nodes[0]) == "");
    REQUIRE(asker.world.node_of(driver) == answer.nodes[0]);
    CHECK(asker.bind(before, answer.nodes[0]) == "no node is decided for it: it must be asked about first");
    const auto again = asker.ask(before);
    CHECK(again.nodes.empty());
    CHECK(again.message == "the pod is on a node already");
}
