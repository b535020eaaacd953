#include "core/cluster/allocation/cluster_accounts.hpp"
#include "core/value/volume/volume_limits.hpp"

#include "core/cluster/cluster.hpp"
#include "core/cluster/standard_reasons.hpp"
#include "core/filter/filters.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/inline_volumes.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using core::DriverVolume;
using core::Resources;

namespace {

Resources with(const std::vector<DriverVolume>& volumes) {
    Resources made = build::resources("1");
    core::add_volumes(made, volumes);
    return made;
}

core::Node node_with(const std::vector<core::VolumeLimit>& limits) {
    core::Node node = build::node("n1").cpu(64).pods(100);
    core::set_volume_limits(node.allocatable, limits);
    return node;
}

struct OneNode {
    explicit OneNode(const std::vector<core::VolumeLimit>& limits) {
        cluster.upsert_node(node_with(limits));
    }
    void place(const std::string& uid, const std::vector<DriverVolume>& volumes) {
        cluster.upsert_pod(uid, "n1", with(volumes), core::UsedBy::other_scheduler);
    }
    std::int64_t capacity(const std::vector<DriverVolume>& volumes) {
        const core::ShapeId shape = cluster.intern_shape(with(volumes), {});
        const auto count = cluster.capacity(*cluster.nodes().find("n1"), shape, core::View::free);
        cluster.release_shape(shape);
        return count;
    }
    core::Cluster cluster;
};

const DriverVolume own{"ebs", ""};

DriverVolume shared(const std::string& handle) {
    return {"ebs", handle};
}

}  // namespace

TEST_CASE("volume limits: a node takes so many volumes of a driver, and no more") {
    OneNode one({{"ebs", 3}});
    CHECK(one.capacity({own}) == 3);
    CHECK(one.capacity({own, own}) == 1);
    CHECK(one.capacity({{"other", ""}}) == 64);  // no limit, so far as the node says
    one.place("p", {own, own});
    CHECK(one.capacity({own}) == 1);
    CHECK(one.capacity({own, own}) == 0);
    CHECK(one.capacity({}) == 63);
    one.cluster.remove_pod("p");
    CHECK(one.capacity({own}) == 3);
    one.cluster.upsert_node(node_with({{"ebs", 0}}));
    CHECK(one.capacity({own}) == 0);
    one.cluster.upsert_node(node_with({}));
    CHECK(one.capacity({own}) == 64);
}

TEST_CASE("volume limits: a volume that several pods have counts once on a node") {
    OneNode one({{"ebs", 2}});
    CHECK(one.capacity({shared("v1")}) == 64);  // the first one brings it for all
    one.place("p", {shared("v1")});
    one.place("q", {shared("v1")});
    CHECK(one.capacity({own}) == 1);
    CHECK(one.capacity({shared("v1"), own}) == 1);
    CHECK(one.capacity({shared("v2"), own}) == 0);
    one.place("r", {own});
    CHECK(one.capacity({shared("v1")}) == 61);  // it is there already
    CHECK(one.capacity({shared("v2")}) == 0);
    one.cluster.remove_pod("p");
    CHECK(one.capacity({shared("v2")}) == 0);
    one.cluster.remove_pod("q");  // the last one gives it back
    CHECK(one.capacity({shared("v2")}) == 63);
}

TEST_CASE("volume limits: a number that comes to mean something else limits nothing") {
    OneNode one({{"ebs", 1}});
    one.place("p", {shared("v1")});
    one.cluster.remove_pod("p");
    one.cluster.upsert_node(node_with({}));
    Resources gpus = build::resources("1");
    gpus.extended = {{"example.com/gpu", 1}, {"example.com/x", 1}};
    one.cluster.upsert_pod("q", "n1", gpus, core::UsedBy::other_scheduler);
    CHECK(one.capacity({shared("v1"), own}) == 63);
    for (const core::Account& account : core::accounts_of(one.cluster)) {
        CAPTURE(account.what);
        CHECK(account.adds_up());
    }
}

TEST_CASE("volume limits: kube-scheduler's words, after resources and before volumes") {
    OneNode one({{"ebs", 1}});
    one.place("p", {own});
    const auto words = [&](const Resources& asked) {
        const core::ShapeId shape = one.cluster.intern_shape(asked, {});
        return core::describe_as_kube_scheduler(one.cluster, shape, core::View::free);
    };
    CHECK(
        words(with({own})) ==
        "0/1 nodes are available: 1 node(s) exceed max volume count.");
    CHECK(
        words(with({shared("v")})) ==
        "0/1 nodes are available: 1 node(s) exceed max volume count.");
    Resources large = with({own});
    large.cpu_milli = 100'000;
    CHECK(words(large) == "0/1 nodes are available: 1 Insufficient cpu.");
}

TEST_CASE("volume limits: their names are nobody's resources, and people do not read them") {
    const Resources asked = with({own, own, shared("v1"), shared("v1")});
    CHECK(asked.extended.size() == 2);
    CHECK(asked.extended_amount("volumes of ebs") == 2);
    CHECK(core::has_volumes(asked));
    CHECK(core::without_volumes(asked) == build::resources("1"));
    CHECK(core::without_exclusives(asked) == build::resources("1"));
    CHECK(core::describe(asked) == "1 cpu");
    const std::string name = core::volume_name(shared("vol 1 of 2"));
    CHECK(core::is_volume(name));
    CHECK_FALSE(core::is_volume_limit(name));
    CHECK(core::limit_of_volume(name) == "volumes of ebs");
    CHECK(core::volume_name(shared("a")) != core::volume_name(shared("b")));
    CHECK(core::migrated_driver("kubernetes.io/gce-pd") == "pd.csi.storage.gke.io");
    CHECK(core::migrated_driver("kubernetes.io/nfs").empty());
}

TEST_CASE("volume limits: who shares a volume that is there fits, also beyond the node's limit") {
    OneNode one({{"ebs", 0}});
    one.place("p", {shared("v1")});
    CHECK(one.capacity({shared("v1")}) == 63);
    const core::ShapeId shape = one.cluster.intern_shape(with({shared("v1")}), {});
    const core::NodeIndex node = *one.cluster.nodes().find("n1");
    for (const core::View view : {core::View::without_gangs, core::View::allocatable}) {
        CHECK(one.cluster.capacity(node, shape, view) > 0);  // it is not said to fit nowhere
    }
}

TEST_CASE("volume limits: a disk of the pod's own counts for the driver that has taken it over") {
    const std::string driver = "pd.csi.storage.gke.io";
    const auto with_disk = [](const std::string& name) {
        Resources made = build::resources("1");
        core::add_disks(made, {{name, true}});
        return made;
    };
    CHECK(
        core::inline_volumes(with_disk("gce-pd d 1")) ==
        std::vector<DriverVolume>{{driver, "projects/UNSPECIFIED/zones/UNSPECIFIED/disks/d 1"}});
    for (const char* name : {"iscsi iqn", "rbd m/p/i"}) {
        CHECK(core::inline_volumes(with_disk(name)).empty());
        CHECK_FALSE(core::has_volumes(with_disk(name)));
    }
    OneNode one({{driver, 2}});
    one.cluster.upsert_pod("p", "n1", with_disk("gce-pd d1"), core::UsedBy::other_scheduler);
    const auto capacity = [&one](const Resources& asked) {
        const core::ShapeId shape = one.cluster.intern_shape(asked, {});
        const auto count =
            one.cluster.capacity(*one.cluster.nodes().find("n1"), shape, core::View::free);
        one.cluster.release_shape(shape);
        return count;
    };
    CHECK(capacity(with({{driver, ""}})) == 1);
    // By a claim, whose volume names the disk in the same words: it is the same volume.
    one.place("q", {{driver, core::migrated_handle("kubernetes.io/gce-pd", "d1")}});
    CHECK(capacity(with({{driver, ""}})) == 1);
    CHECK(capacity(with_disk("gce-pd d1")) == 62);
    one.cluster.upsert_pod("r", "n1", with_disk("gce-pd d2"), core::UsedBy::other_scheduler);
    CHECK(capacity(with_disk("gce-pd d3")) == 0);
    for (const core::Account& account : core::accounts_of(one.cluster)) CHECK(account.adds_up());
}

TEST_CASE("volume limits: what is known of claims goes, and the pod's own disks stay") {
    Resources both = build::resources("1");
    core::add_disks(both, {{"aws-ebs v1", false}});
    const Resources disk = both;
    core::add_volumes(both, {own, {"ebs.csi.aws.com", "v2"}});
    CHECK(core::without_volumes(both) == disk);
    CHECK(core::has_volumes(disk));
    CHECK_FALSE(core::has_volumes(core::without_all_volumes(both)));
    CHECK(core::without_all_volumes(both).extended_amount("disk aws-ebs v1") > 0);
    core::Constraints constraints;
    Resources left = both;
    core::leave_out(core::FilterSet().with(core::FilterId::node_volume_limits), left, constraints);
    CHECK_FALSE(core::has_volumes(left));
    left = disk;
    core::leave_out(core::FilterSet().with(core::FilterId::volume_restrictions), left, constraints);
    CHECK(left.extended_amount("disk aws-ebs v1") == 0);
    CHECK(core::has_volumes(left));
}
