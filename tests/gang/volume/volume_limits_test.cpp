// How many volumes nodes can attach, through the whole scheduler: lone pods, executors, pods of
// other schedulers.
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using core::Claim;
using core::ClaimState;
using tests::World;

namespace {

const std::string ebs = "ebs.csi.aws.com";

core::Pod with_claims(const std::string& name, const std::vector<std::string>& claims) {
    core::Pod pod = tests::pod(name, 100, 64);
    pod.namespace_name = "ns";
    std::vector<core::ClaimUse> uses;
    for (const std::string& claim : claims) {
        uses.push_back({claim, false});
    }
    pod.claims = uses;
    return pod;
}

Claim attached_as(const std::string& handle) {
    Claim claim;
    claim.state = ClaimState::bound;
    claim.volume = handle;
    claim.driver = ebs;
    claim.handle = handle;
    return claim;
}

Claim to_be_made() {
    Claim claim;
    claim.state = ClaimState::consumer;
    claim.storage_class = "fast";
    claim.driver = ebs;
    return claim;
}

bool was_told(const World& world, const std::string& uid, const std::string& part) {
    return world.condition(uid).find(part) != std::string::npos;
}

std::string data_key(const std::string& what) {
    return "spark.kubernetes.executor.volumes.persistentVolumeClaim.data." + what;
}

}  // namespace

TEST_CASE("volume limits: nobody asks for them before a pod with a claim waits") {
    World world;
    world.add_node(tests::node("n1", 8, 64 * 1024));
    std::vector<std::string> uids = {world.create(tests::pod("p", 1000, 1024))};
    world.settle();
    CHECK(world.limit_watches == 0);
    world.claims["ns/a"] = attached_as("a");
    uids.push_back(world.create(with_claims("q", {"a"})));
    world.claims["ns/b"] = attached_as("b");
    uids.push_back(world.create(with_claims("r", {"b"})));
    world.settle();
    CHECK(world.limit_watches == 1);
    CHECK(world.bound_count(uids) == 3);
}

TEST_CASE("volume limits: a pod waits where nodes have all the volumes that they take") {
    World world;
    world.volume_limits->push_back({"n1", {{ebs, 2}}});
    world.add_node(tests::node("n1", 8, 64 * 1024));
    std::vector<std::string> uids;
    for (const char* name : {"a", "b", "c"}) {
        world.claims[std::string("ns/") + name] = to_be_made();
        uids.push_back(world.create(with_claims(name, {name})));
        world.settle();
    }
    CHECK(world.is_bound(uids[0]));
    CHECK(world.is_bound(uids[1]));
    CHECK_FALSE(world.is_bound(uids[2]));
    CHECK(was_told(world, uids[2], "short of volumes of " + ebs));
    CHECK(was_told(world, uids[2], "1 at the limit of volumes of " + ebs));
    SUBCASE("until one ends") {
        world.remove_pod(uids[0]);
        world.settle();
        CHECK(world.is_bound(uids[2]));
    }
    SUBCASE("until the node takes more") {
        world.step(gang::VolumeLimitsChanged{{"n1", {{ebs, 3}}}});
        world.settle();
        CHECK(world.is_bound(uids[2]));
    }
    SUBCASE("until another node comes, which says no limit") {
        world.add_node(tests::node("n2", 8, 64 * 1024));
        world.settle();
        CHECK(world.node_of(uids[2]) == "n2");
    }
    for (const std::string& uid : uids) {
        world.remove_pod(uid);
    }
    world.settle();
    CHECK(world.scheduler->remembered() == 0);
}

TEST_CASE("volume limits: what pods of other schedulers have attached is read and counted") {
    World world;
    world.volume_limits->push_back({"n1", {{ebs, 2}}});
    world.add_node(tests::node("n1", 8, 64 * 1024));
    std::vector<std::string> others;
    for (const char* name : {"x", "y"}) {
        world.claims[std::string("ns/") + name] = attached_as(name);
        core::Pod other = with_claims(std::string("other-") + name, {name});
        other.scheduler_name = "default-scheduler";
        other.node_name = "n1";
        other.phase = core::PodPhase::running;
        others.push_back(world.create(other));
    }
    world.settle();
    CHECK(world.claim_fetches.empty());
    world.claims["ns/a"] = attached_as("a");
    const auto pod = world.create(with_claims("a", {"a"}));
    world.settle();
    CHECK_FALSE(world.is_bound(pod));
    CHECK(was_told(world, pod, "at the limit of volumes of " + ebs));
    // A volume that is there is no new one.
    const auto sharing = world.create(with_claims("sharing", {"x"}));
    world.settle();
    CHECK(world.is_bound(sharing));
    world.remove_pod(others[1]);
    world.settle();
    CHECK(world.is_bound(pod));
}

TEST_CASE("volume limits: a claim that may not be read for a while counts as before") {
    World world;
    world.volume_limits->push_back({"n1", {{ebs, 1}}});
    world.add_node(tests::node("n1", 8, 64 * 1024));
    std::vector<std::string> uids;
    for (const char* name : {"a", "b"}) {
        world.claims[std::string("ns/") + name] = attached_as(name);
        uids.push_back(world.create(with_claims(name, {name})));
        world.settle();
    }
    REQUIRE(world.bound_count(uids) == 1);
    world.step(gang::ClaimMissing{"ns", "a", gang::ClaimProblem::forbidden, "403"});
    world.advance(10'000);
    CHECK(world.bound_count(uids) == 1);
    world.remove_pod(uids[0]);
    world.settle();
    CHECK(world.is_bound(uids[1]));
}

TEST_CASE("volume limits: who may not read the claims that are held waits for none of them") {
    World world;
    world.volume_limits->push_back({"n1", {{ebs, 1}}});
    world.add_node(tests::node("n1", 8, 64 * 1024));
    core::Pod other = with_claims("other", {"x"});
    other.scheduler_name = "default-scheduler";
    other.node_name = "n1";
    other.phase = core::PodPhase::running;
    world.create(other);
    world.claim_problem = gang::ClaimProblem::forbidden;  // of x, which is in no list here
    world.claims["ns/a"] = attached_as("a");
    const auto pod = world.create(with_claims("a", {"a"}));
    world.settle();
    CHECK(world.is_bound(pod));
}

TEST_CASE("volume limits: executors' claims to come are part of the gang's plan") {
    World world;
    world.volume_limits->push_back({"n1", {{ebs, 2}}});
    world.volume_limits->push_back({"n2", {{ebs, 2}}});
    world.add_node(tests::node("n1", 64, 64 * 1024));
    world.add_node(tests::node("n2", 64, 64 * 1024));
    world.claims["/fast"] = to_be_made();
    const auto submit = [&](const std::string& name, int executors) {
        gang::spark::Conf conf = tests::conf(executors);
        conf.properties.emplace_back(data_key("mount.path"), "/data");
        conf.properties.emplace_back(data_key("options.claimName"), "OnDemand");
        conf.properties.emplace_back(data_key("options.storageClass"), "fast");
        conf.properties.emplace_back(data_key("options.sizeLimit"), "1Gi");
        std::sort(conf.properties.begin(), conf.properties.end());
        return world.submit(tests::driver(name), conf);
    };
    const auto large = submit("large", 5);
    world.settle();
    CHECK_FALSE(world.is_bound(large));
    CHECK(was_told(world, large, "1 + 4 fit, short of volumes of " + ebs));
    world.remove_pod(large);
    const auto fits = submit("fits", 4);
    world.settle();
    CHECK(world.is_bound(fits));
    const auto reservation = world.reservation(fits);
    REQUIRE(reservation);
    CHECK(reservation->shapes[0].slots_per_node.size() == 2);
    CHECK(reservation->shapes[0].requests.extended_amount("volumes of " + ebs) == 1);
}

TEST_CASE("volume limits: without the right to look at them nothing is limited") {
    World world;
    world.volume_limits.reset();
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.claims["ns/a"] = attached_as("a");
    const auto pod = world.create(with_claims("a", {"a"}));
    world.settle();
    CHECK(world.is_bound(pod));
}

TEST_CASE("volume limits: a profile that leaves the filter out does not count") {
    config::Schema schema = World::sealed_schema();
    schema.profiles.front().left_out =
        core::FilterSet{}.with(core::FilterId::node_volume_limits);
    World world(schema);
    world.volume_limits->push_back({"n1", {{ebs, 0}}});
    world.add_node(tests::node("n1", 8, 64 * 1024));
    world.claims["ns/a"] = attached_as("a");
    const auto pod = world.create(with_claims("a", {"a"}));
    world.settle();
    CHECK(world.is_bound(pod));
}
