// Executors that a webhook will change: what their driver tolerates, and what it says of them.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using tests::World;

const core::Taint dedicated{"dedicated", "spark", core::TaintEffect::no_schedule};
const core::Toleration to_dedicated{"dedicated", false, "spark", true, {}, -1};

World with_tainted_nodes() {
    World world;
    for (const char* name : {"n1", "n2"}) {
        core::Node node = tests::node(name, 4, 16 * 1024);
        node.taints = {dedicated};
        world.add_node(node);
    }
    return world;
}

core::Pod tolerating(core::Pod pod) {
    core::Constraints constraints;
    constraints.tolerations = {to_dedicated};
    pod.constraints = constraints;
    return pod;
}

}  // namespace

TEST_CASE(
    "tolerations: D3: a gang on tainted nodes fits, though no conf says that it may go there") {
    World world = with_tainted_nodes();
    const auto driver = world.submit(tolerating(tests::driver("d")), tests::conf(5));
    world.settle();
    REQUIRE(world.is_bound(driver));
    CHECK(gang::slot_count(*world.reservation(driver)) == 5);
    world.set_phase(driver, core::PodPhase::running);
    std::vector<std::string> executors;
    for (int i = 0; i < 5; ++i) {
        executors.push_back(
            world.create(tolerating(tests::executor("e" + std::to_string(i), world.pod(driver)))));
    }
    world.settle();
    CHECK(world.bound_count(executors) == 5);
    CHECK(world.violations.empty());
}

TEST_CASE("tolerations: D3: a driver with a template of its own says nothing of its executors") {
    World world = with_tainted_nodes();
    core::Pod pod = tolerating(tests::driver("d"));
    SUBCASE("so they are where everybody may go") {}
    SUBCASE("until its annotation does") {
        pod.annotations = {{"gang-scheduler/executor-tolerations", "dedicated=spark:NoSchedule"}};
    }
    SUBCASE("and what is none is refused") {
        pod.annotations = {{"gang-scheduler/executor-tolerations", "dedicated=spark:Never"}};
    }
    const std::string said = pod.annotations.empty() ? "" : pod.annotations[0].second;
    const auto driver = world.submit(
        pod, tests::with(tests::conf(5), "spark.kubernetes.driver.podTemplateFile", "/d.yaml"));
    world.settle();
    CHECK(world.is_bound(driver) == said.ends_with("NoSchedule"));
    if (said.empty()) {
        CHECK(
            world.condition(driver).find(
                "untolerated taint dedicated=spark. As far as its conf says, its executors") !=
            std::string::npos);
        CHECK(world.condition(driver).find("executor-tolerations") != std::string::npos);
        world.change_pod(driver, [](core::Pod& one) {
            one.annotations = {{"gang-scheduler/executor-tolerations", "dedicated"}};
        });
        world.settle();
        CHECK(world.is_bound(driver));
    } else if (said.ends_with("Never")) {
        CHECK(world.condition(driver).find("expected an effect NoSchedule") != std::string::npos);
        CHECK(world.condition(driver).ends_with("[Misconfigured]"));
    }
}

TEST_CASE("tolerations: D3: executors that only a webhook lets onto tainted nodes") {
    World world = with_tainted_nodes();
    world.add_node(tests::node("open", 4, 16 * 1024));
    const auto driver = world.submit(tests::driver("d"), tests::conf(8));
    world.settle();
    CHECK_FALSE(world.is_bound(driver));
    CHECK(world.condition(driver).find("gang-scheduler/executor-tolerations") != std::string::npos);
    CHECK(world.condition(driver).ends_with("[ExceedsCluster]"));
    world.change_pod(driver, [](core::Pod& one) {
        one.annotations = {{"gang-scheduler/executor-tolerations", "dedicated=spark:NoSchedule"}};
    });
    world.settle();
    CHECK(world.is_bound(driver));
}

TEST_CASE("tolerations: taints that are Kubernetes' own are nobody's to tolerate") {
    World world;
    core::Node node = tests::node("n1", 40, 160 * 1024);
    node.taints = {{"node.kubernetes.io/disk-pressure", "", core::TaintEffect::no_schedule}};
    world.add_node(node);
    world.add_node(tests::node("n2", 2, 16 * 1024));
    const auto driver = world.submit(tests::driver("d"), tests::conf(500));
    world.settle();
    CHECK(world.condition(driver).find("untolerated taint") != std::string::npos);
    CHECK(world.condition(driver).find("executor-tolerations") == std::string::npos);
}
