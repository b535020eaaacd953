// How much storage drivers have left, through the whole scheduler: lone pods, drivers, executors.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using core::Claim;
using core::ClaimState;
using tests::World;

namespace {

constexpr std::int64_t gib = std::int64_t{1} << 30;

core::Node host(const std::string& name) {
    core::Node node = tests::node(name, 8, 64 * 1024);
    node.labels = {{"host", name}};
    return node;
}

core::StorageSegment left_on(const std::string& name, std::int64_t gibs) {
    core::StorageSegment segment{"ns/" + name, "fast", {}, gibs * gib};
    segment.nodes.is_set = true;
    segment.nodes.require({"host", core::LabelOperator::in, {name}});
    return segment;
}

Claim of_size(std::int64_t gibs) {
    Claim claim;
    claim.state = ClaimState::consumer;
    claim.storage_class = "fast";
    claim.driver = "d.example.com";
    claim.is_storage_counted = true;
    claim.bytes = gibs * gib;
    return claim;
}

core::Pod mounts(const std::string& name, const std::string& claim) {
    core::Pod pod = tests::pod(name, 100, 64);
    pod.namespace_name = "ns";
    pod.claims = std::vector<core::ClaimUse>{{claim, false}};
    return pod;
}

bool reads(const World& world, const std::string& uid, const std::string& part) {
    return world.condition(uid).find(part) != std::string::npos;
}

std::string on_demand(const std::string& what) {
    return "spark.kubernetes.executor.volumes.persistentVolumeClaim.data." + what;
}

gang::spark::Conf with_volumes(int executors, const std::string& size) {
    gang::spark::Conf conf = tests::conf(executors);
    conf = tests::with(conf, on_demand("options.claimName"), "OnDemand");
    conf = tests::with(conf, on_demand("options.storageClass"), "fast");
    conf = tests::with(conf, on_demand("options.sizeLimit"), size);
    return tests::with(conf, on_demand("mount.path"), "/data");
}

}  // namespace

TEST_CASE("storage: a pod goes where enough is left for its claim") {
    World world;
    world.storage = {left_on("n1", 5), left_on("n2", 20)};
    world.add_node(host("n1"));
    world.add_node(host("n2"));
    world.add_node(host("n3"));
    world.claims["ns/a"] = of_size(10);
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    CHECK(world.node_of(pod) == "n2");
    CHECK(world.storage_watches == 1);
    world.claims["ns/b"] = of_size(20);
    const auto next = world.create(mounts("q", "b"));
    world.settle();
    CHECK(world.node_of(next) == "n2");
    CHECK(world.storage_watches == 1);
}

TEST_CASE("storage: nobody asks for it whose driver does not say what it has left") {
    World world;
    world.storage->clear();
    world.add_node(host("n1"));
    world.claims["ns/a"] = of_size(10);
    world.claims["ns/a"].is_storage_counted = false;
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    CHECK(world.is_bound(pod));
    CHECK(world.storage_watches == 0);
}

TEST_CASE("storage: who finds not enough of it waits, until there is") {
    World world;
    world.storage = {left_on("n1", 5)};
    world.add_node(host("n1"));
    world.claims["ns/a"] = of_size(10);
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    REQUIRE_FALSE(world.is_bound(pod));
    CHECK(reads(world, pod, "1 not enough free storage for its volume"));
    SUBCASE("on its node") {
        world.step(gang::StorageChanged{left_on("n1", 10)});
        world.settle();
        CHECK(world.is_bound(pod));
    }
    SUBCASE("on another one") {
        world.add_node(host("n2"));
        world.settle();
        CHECK_FALSE(world.is_bound(pod));
        world.step(gang::StorageChanged{left_on("n2", 11)});
        world.settle();
        CHECK(world.node_of(pod) == "n2");
    }
    SUBCASE("everywhere") {
        core::StorageSegment all{"ns/all", "fast", {}, 10 * gib};
        all.nodes.is_set = true;
        world.step(gang::StorageListed{{all}});
        world.settle();
        CHECK(world.is_bound(pod));
    }
    SUBCASE("of its class") {
        core::StorageSegment other = left_on("n1", 10);
        other.storage_class = "slow";
        world.step(gang::StorageChanged{other});
        world.settle();
        CHECK_FALSE(world.is_bound(pod));
    }
    SUBCASE("or nobody may look at it any more") {
        world.step(gang::StorageMissing{"forbidden"});
        world.settle();
        CHECK(world.is_bound(pod));
    }
    SUBCASE("or a volume is there that will do") {
        world.claims["ns/a"].available = {{"there", {}}};
        world.advance(31'000);
        CHECK(world.is_bound(pod));
    }
    SUBCASE("or its driver does not say any more what is left") {
        world.claims["ns/a"].is_storage_counted = false;
        world.advance(31'000);
        CHECK(world.is_bound(pod));
    }
    world.remove_pod(pod);
    world.settle();
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("storage: what goes away while a pod waits for room does not count any more") {
    World world;
    world.storage = {left_on("n1", 10)};
    world.add_node(host("n1"));
    const auto large = world.create(tests::pod("large", 8000, 1024));
    world.settle();
    world.claims["ns/a"] = of_size(10);
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    REQUIRE_FALSE(world.is_bound(pod));
    core::StorageSegment gone = left_on("n1", 10);
    gone.nodes = {};
    world.step(gang::StorageChanged{gone});
    world.remove_pod(large);
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(reads(world, pod, "not enough free storage"));
    world.step(gang::StorageListed{{left_on("n1", 10)}});
    world.settle();
    CHECK(world.is_bound(pod));
}

TEST_CASE("storage: whoever may not look at it places pods as if there were enough") {
    World world;
    world.storage.reset();
    world.add_node(host("n1"));
    world.claims["ns/a"] = of_size(10);
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    CHECK(world.is_bound(pod));
    CHECK(world.storage_watches == 1);
}

TEST_CASE("storage: a pod waits until it is known, and others do not") {
    World world;
    world.storage = {left_on("n1", 5)};
    world.hold_limit_answers = true;
    world.add_node(host("n1"));
    world.claims["ns/a"] = of_size(10);
    world.claims["ns/bound"] = Claim{};
    world.claims["ns/bound"].state = ClaimState::bound;
    const auto pod = world.create(mounts("p", "a"));
    const auto other = world.create(mounts("q", "bound"));
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(world.is_bound(other));
    world.hold_limit_answers = false;
    world.release_answers();
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(reads(world, pod, "not enough free storage"));
}

TEST_CASE("storage: executors whose claims are yet to come are planned where there is enough") {
    World world;
    world.storage = {left_on("n1", 5), left_on("n2", 10)};
    world.add_node(host("n1"));
    world.add_node(host("n2"));
    Claim made = of_size(0);
    world.claims["/fast"] = made;
    SUBCASE("on one node") {
        const auto driver = world.submit(tests::driver("d"), with_volumes(2, "10Gi"));
        world.advance(3'000);
        REQUIRE(world.is_bound(driver));
        const auto reservation = world.reservation(driver);
        for (const auto& [node, slots] : reservation->shapes[0].slots_per_node) {
            CHECK(node == "n2");
        }
    }
    SUBCASE("or nowhere, until there is") {
        const auto driver = world.submit(tests::driver("d"), with_volumes(2, "11Gi"));
        world.advance(3'000);
        CHECK_FALSE(world.is_bound(driver));
        CHECK(reads(world, driver, "2 not enough free storage for its volume"));
        world.step(gang::StorageChanged{left_on("n1", 11)});
        world.settle();
        CHECK(world.is_bound(driver));
    }
}

TEST_CASE("storage: an executor whose slot is where nothing is left any more goes elsewhere") {
    World world;
    world.storage = {left_on("n1", 10)};
    world.add_node(host("n1"));
    world.add_node(host("n2"));
    world.claims["/fast"] = of_size(0);
    const auto driver = world.submit(tests::driver("d"), with_volumes(2, "10Gi"));
    world.advance(3'000);
    REQUIRE(world.is_bound(driver));
    world.step(gang::StorageListed{{left_on("n2", 10)}});
    const std::string space = world.pod(driver).namespace_name;
    std::vector<std::string> executors;
    for (const char* name : {"e0", "e1"}) {
        world.claims[space + "/" + name] = of_size(10);
        core::Pod pod = tests::executor(name, world.pod(driver));
        pod.claims = std::vector<core::ClaimUse>{{name, false}};
        executors.push_back(world.create(std::move(pod)));
    }
    world.advance(5'000);
    CHECK(world.node_of(executors[0]) == "n2");
    CHECK(world.node_of(executors[1]) == "n2");
    CHECK(world.violations.empty());
}

TEST_CASE("storage: a profile without VolumeBinding does not look at it") {
    config::Schema schema = World::sealed_schema();
    schema.profiles.front().left_out = core::FilterSet{}.with(core::FilterId::volume_binding);
    World world(schema);
    world.storage->clear();
    world.add_node(host("n1"));
    world.claims["ns/a"] = of_size(10);
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    CHECK(world.is_bound(pod));
}

TEST_CASE("storage: after a restart it is asked for again") {
    World world;
    world.storage = {left_on("n1", 5)};
    world.add_node(host("n1"));
    world.claims["ns/a"] = of_size(10);
    const auto pod = world.create(mounts("p", "a"));
    world.settle();
    world.restart();
    world.settle();
    CHECK(world.storage_watches == 2);
    CHECK_FALSE(world.is_bound(pod));
    world.step(gang::StorageChanged{left_on("n1", 10)});
    world.settle();
    CHECK(world.is_bound(pod));
}
