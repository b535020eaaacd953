#include "core/cluster/cluster.hpp"

#include "core/cluster/allocation/cluster_accounts.hpp"
#include "core/cluster/node/node_preferences.hpp"
#include "core/cluster/node/open_capacity.hpp"
#include "tests/core/printing.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

using build::node;
using build::resources;
using core::AllocationId;
using core::Cluster;
using core::Constraints;
using core::NodeIndex;
using core::Resources;
using core::ShapeId;
using core::UsedBy;
using core::View;

namespace {

NodeIndex index_of(const Cluster& cluster, std::string_view name) {
    const auto found = cluster.nodes().find(name);
    REQUIRE(found.has_value());
    return *found;
}

std::int64_t cpu(const Cluster& cluster, std::string_view name, View view = View::free) {
    return cluster.columns().cpu(view)[index_of(cluster, name).value];
}

std::int64_t pods(const Cluster& cluster, std::string_view name, View view = View::free) {
    return cluster.columns().pods(view)[index_of(cluster, name).value];
}

}  // namespace

TEST_CASE("cluster: nodes are found by name and listed in name order") {
    Cluster cluster;
    for (const char* name : {"n2", "n10", "n1"}) cluster.upsert_node(node(name));
    CHECK(cluster.nodes().count() == 3);
    std::string names;
    for (const NodeIndex index : cluster.nodes().by_name()) names += cluster.nodes().name(index) + " ";
    CHECK(names == "n1 n10 n2 ");
    CHECK_FALSE(cluster.nodes().find("n3").has_value());
    CHECK(cluster.remove_node("n10"));
    CHECK_FALSE(cluster.remove_node("n10"));
    CHECK_FALSE(cluster.nodes().find("n10").has_value());
    CHECK(cluster.nodes().count() == 2);
}

TEST_CASE("cluster: the same node twice changes nothing, not even by a new resourceVersion") {
    Cluster cluster;
    CHECK(cluster.upsert_node(node("n1").cpu(8)));
    const auto version = cluster.room().gains().version();
    CHECK_FALSE(cluster.upsert_node(node("n1").cpu(8)));
    CHECK_FALSE(cluster.upsert_node(node("n1").cpu(8).resource_version("77")));
    CHECK(cluster.room().gains().version() == version);
    CHECK(cluster.nodes().node(index_of(cluster, "n1")).resource_version.empty());
    CHECK(cluster.upsert_node(node("n1").cpu(9)));
    CHECK(cpu(cluster, "n1") == 9000);
}

TEST_CASE("cluster: foreign pods are counted once, in free and in without_gangs") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8).pods(10));
    cluster.upsert_pod("u1", "n1", resources("3"), UsedBy::other_scheduler);
    cluster.upsert_pod("u1", "n1", resources("3"), UsedBy::other_scheduler);
    CHECK(cpu(cluster, "n1") == 5000);
    CHECK(cpu(cluster, "n1", View::without_gangs) == 5000);
    CHECK(cpu(cluster, "n1", View::allocatable) == 8000);
    CHECK(pods(cluster, "n1") == 9);
    CHECK(cluster.pods().size() == 1);
    CHECK(cluster.remove_pod("u1"));
    CHECK_FALSE(cluster.remove_pod("u1"));
    CHECK(cpu(cluster, "n1") == 8000);
    CHECK(pods(cluster, "n1") == 10);
}

TEST_CASE("cluster: a pod that changes its amount, holder or node is counted as it is now") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8));
    cluster.upsert_node(node("n2").cpu(8));
    cluster.upsert_pod("u1", "n1", resources("3"), UsedBy::other_scheduler);
    cluster.upsert_pod("u1", "n1", resources("5"), UsedBy::other_scheduler);
    CHECK(cpu(cluster, "n1") == 3000);
    cluster.upsert_pod("u1", "n1", resources("5"), UsedBy::gang);
    CHECK(cpu(cluster, "n1") == 3000);
    CHECK(cpu(cluster, "n1", View::without_gangs) == 8000);
    cluster.upsert_pod("u1", "n2", resources("5"), UsedBy::gang);
    CHECK(cpu(cluster, "n1") == 8000);
    CHECK(cpu(cluster, "n2") == 3000);
    CHECK(cluster.pods().size() == 1);
}

TEST_CASE("cluster: charges of gangs leave the view without gangs alone") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8));
    const NodeIndex n1 = index_of(cluster, "n1");
    const AllocationId slot = cluster.allocations().allocate(n1, resources("2"), UsedBy::gang);
    CHECK(cpu(cluster, "n1") == 6000);
    CHECK(cpu(cluster, "n1", View::without_gangs) == 8000);
    CHECK(cluster.allocations().resources_of(slot) == resources("2"));
    CHECK(cluster.allocations().of(slot).node == n1);
    cluster.allocations().release(slot);
    CHECK(cpu(cluster, "n1") == 8000);
}

TEST_CASE("cluster: a slot's charge becomes its pod's in one step") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8));
    const NodeIndex n1 = index_of(cluster, "n1");
    const AllocationId slot = cluster.allocations().allocate(n1, resources("2"), UsedBy::gang);
    const auto version = cluster.room().gains().version();
    cluster.allocations().reallocate(slot, resources("2"), UsedBy::gang);
    CHECK(
        cluster.room().gains().version() == version);  // nothing changed, so nobody need plan again
    cluster.allocations().reallocate(slot, core::larger(resources("2"), resources("3")), UsedBy::gang);
    CHECK(cpu(cluster, "n1") == 5000);
    CHECK(pods(cluster, "n1") == 109);
    cluster.allocations().reallocate(slot, resources("1"), UsedBy::other_scheduler);
    CHECK(cpu(cluster, "n1") == 7000);
    CHECK(cpu(cluster, "n1", View::without_gangs) == 7000);
}

TEST_CASE("cluster: free goes below zero when others overcommit, and comes back exactly") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(4).pods(1));
    cluster.upsert_pod("a", "n1", resources("3"), UsedBy::other_scheduler);
    cluster.upsert_pod("b", "n1", resources("3"), UsedBy::other_scheduler);
    CHECK(cpu(cluster, "n1") == -2000);
    CHECK(pods(cluster, "n1") == -1);
    const ShapeId shape = cluster.intern_shape({}, {});
    CHECK(cluster.capacity(index_of(cluster, "n1"), shape, View::free) == 0);
    cluster.remove_pod("a");
    CHECK(cpu(cluster, "n1") == 1000);
}

TEST_CASE("cluster: a node is overdrawn by any one resource, and only beyond what it has") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(2).memory("1Gi").pods(2).extended("nvidia.com/gpu", "1"));
    const NodeIndex n1 = index_of(cluster, "n1");
    Resources all = resources("2", "1Gi");
    build::set(all, "nvidia.com/gpu", "1");
    cluster.upsert_pod("full", "n1", all, UsedBy::gang);
    CHECK_FALSE(cluster.columns().is_overcommitted(n1));
    for (const char* more : {"cpu", "memory", "ephemeral-storage", "nvidia.com/gpu", "a.b/new"}) {
        CAPTURE(more);
        Resources one;
        build::set(one, more, more == std::string("ephemeral-storage") ? "1Pi" : "1");
        cluster.upsert_pod("more", "n1", one, UsedBy::other_scheduler);
        CHECK(cluster.columns().is_overcommitted(n1));
        cluster.remove_pod("more");
        CHECK_FALSE(cluster.columns().is_overcommitted(n1));
    }
    cluster.upsert_pod("second", "n1", {}, UsedBy::other_scheduler);
    CHECK_FALSE(cluster.columns().is_overcommitted(n1));
    cluster.upsert_pod("third", "n1", {}, UsedBy::other_scheduler);
    CHECK(cluster.columns().is_overcommitted(n1));
}

TEST_CASE("cluster: what is not requested does not limit, even where it is overcommitted") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(4));
    cluster.upsert_pod("a", "n1", resources("0", "100Gi"), UsedBy::other_scheduler);
    const ShapeId cpu_only = cluster.intern_shape(resources("1"), {});
    CHECK(cluster.capacity(index_of(cluster, "n1"), cpu_only, View::free) == 4);
}

TEST_CASE("cluster: sums of charges past 64 bits are exact, room is clamped meanwhile") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(4).memory("8Gi"));
    const Resources huge = resources("0", "7Ei");
    for (const char* uid : {"a", "b", "c", "d"}) {
        cluster.upsert_pod(uid, "n1", huge, UsedBy::other_scheduler);
    }
    const auto row = index_of(cluster, "n1").value;
    CHECK(cluster.columns().memory(View::free)[row] == std::numeric_limits<std::int64_t>::min());
    for (const char* uid : {"a", "b", "c", "d"}) cluster.remove_pod(uid);
    CHECK(cluster.columns().memory(View::free)[row] == build::bytes("8Gi"));
}

TEST_CASE("cluster: pods that come before their node are remembered under its name") {
    Cluster cluster;
    cluster.upsert_pod("u1", "n1", resources("3"), UsedBy::other_scheduler);
    CHECK(cluster.nodes().count() == 0);
    CHECK_FALSE(cluster.nodes().find("n1").has_value());
    cluster.upsert_node(node("n1").cpu(8));
    CHECK(cpu(cluster, "n1") == 5000);
    cluster.remove_pod("u1");
    CHECK(cpu(cluster, "n1") == 8000);
}

TEST_CASE("A18: cluster: a node that goes before its pods, and comes back, balances") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8));
    cluster.upsert_pod("u1", "n1", resources("3"), UsedBy::other_scheduler);
    const NodeIndex n1 = index_of(cluster, "n1");
    const AllocationId slot = cluster.allocations().allocate(n1, resources("2"), UsedBy::gang);
    cluster.remove_node("n1");
    CHECK_FALSE(cluster.nodes().is_present(n1));
    CHECK(cluster.nodes().name(n1) == "n1");
    cluster.upsert_node(node("n1").cpu(16));
    CHECK(index_of(cluster, "n1") == n1);
    CHECK(cpu(cluster, "n1") == 11000);
    cluster.allocations().release(slot);
    cluster.remove_pod("u1");
    CHECK(cpu(cluster, "n1") == 16000);
}

TEST_CASE("A18: cluster: a node and its pods end, or begin, in any order of their streams") {
    std::vector<std::string> ends = {"n1", "u1", "u2"};
    do {
        CAPTURE(ends[0] + ends[1] + ends[2]);
        Cluster cluster;
        cluster.upsert_pod("u1", "n1", resources("3"), UsedBy::other_scheduler);
        cluster.upsert_node(node("n1").cpu(8));
        cluster.upsert_pod("u2", "n1", resources("1"), UsedBy::other_scheduler);
        CHECK(cpu(cluster, "n1") == 4000);
        std::int64_t taken = 4000;
        for (const std::string& name : ends) {
            if (name == "n1") {
                cluster.remove_node(name);
                CHECK(cluster.nodes().count() == 0);
                // Whatever is left of its pods is there when it comes back too soon.
                cluster.upsert_node(node("n1").cpu(8));
                CHECK(cpu(cluster, "n1") == 8000 - taken);
                cluster.remove_node(name);
                continue;
            }
            cluster.remove_pod(name);
            taken -= name == "u1" ? 3000 : 1000;
        }
        cluster.upsert_node(node("n1").cpu(8));
        CHECK(cpu(cluster, "n1") == 8000);
        CHECK(cluster.pods().size() == 0);
    } while (std::next_permutation(ends.begin(), ends.end()));
}

TEST_CASE("cluster: numbers of nodes that are gone and empty are used again, others never") {
    Cluster cluster;
    cluster.upsert_node(node("old"));
    cluster.upsert_node(node("charged"));
    const NodeIndex old_index = index_of(cluster, "old");
    const NodeIndex allocated_index = index_of(cluster, "charged");
    cluster.upsert_pod("u1", "charged", resources("1"), UsedBy::other_scheduler);
    cluster.remove_node("old");
    cluster.remove_node("charged");
    cluster.upsert_node(node("new1"));
    cluster.upsert_node(node("new2"));
    CHECK(index_of(cluster, "new1") == old_index);
    CHECK(index_of(cluster, "new2") != allocated_index);
    CHECK(cpu(cluster, "new1") == 4000);
    cluster.remove_pod("u1");  // the placeholder's last allocation
    cluster.upsert_node(node("new3"));
    CHECK(index_of(cluster, "new3") == allocated_index);
    CHECK(cpu(cluster, "new3") == 4000);
}

TEST_CASE("cluster: the number of a node that went empty is its own again once it is charged") {
    Cluster cluster;
    cluster.upsert_node(node("n1"));
    const NodeIndex n1 = index_of(cluster, "n1");
    cluster.remove_node("n1");
    cluster.upsert_pod("late", "n1", resources("1"), UsedBy::other_scheduler);
    cluster.upsert_node(node("n2"));
    CHECK(index_of(cluster, "n2") != n1);
    CHECK(cpu(cluster, "n2") == 4000);
    cluster.upsert_node(node("n1"));
    CHECK(cpu(cluster, "n1") == 3000);
}

TEST_CASE("cluster: a thousand generations of nodes need the room of one") {
    Cluster cluster;
    for (int i = 0; i < 1000; ++i) {
        const std::string name = "node-" + std::to_string(i);
        cluster.upsert_node(node(name));
        cluster.upsert_pod("u", name, resources("1"), UsedBy::other_scheduler);
        cluster.remove_node(name);
        cluster.remove_pod("u");
    }
    CHECK(cluster.columns().size() == 1);
}

TEST_CASE("cluster: equal shapes share a number, the last release frees it") {
    Cluster cluster;
    const ShapeId a = cluster.intern_shape(resources("1"), {});
    const ShapeId same = cluster.intern_shape(resources("1"), {});
    const ShapeId other = cluster.intern_shape(resources("2"), {});
    CHECK(a == same);
    CHECK(a != other);
    CHECK(cluster.shapes().class_of(a) == cluster.shapes().class_of(other));
    cluster.release_shape(a);
    CHECK(cluster.resources(same) == resources("1"));
    cluster.release_shape(same);
    CHECK(cluster.intern_shape(resources("3"), {}) == a);
}

TEST_CASE("cluster: a shape may go while its charges stay") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8));
    const ShapeId shape = cluster.intern_shape(resources("2"), {});
    const AllocationId slot = cluster.allocate(index_of(cluster, "n1"), shape, UsedBy::gang, 3);
    CHECK(cpu(cluster, "n1") == 2000);
    CHECK(pods(cluster, "n1") == 107);
    cluster.release_shape(shape);
    CHECK(cluster.allocations().resources_of(slot) == resources("2"));
    cluster.allocations().release(slot);
    CHECK(cpu(cluster, "n1") == 8000);
}

TEST_CASE("cluster: capacity is the scarcest resource, pod slots included") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8).memory("10Gi").pods(5).extended("nvidia.com/gpu", "3"));
    const NodeIndex n1 = index_of(cluster, "n1");
    const auto capacity = [&](const Resources& request) {
        return cluster.capacity(n1, cluster.intern_shape(request, {}), View::free);
    };
    CHECK(capacity(resources("2")) == 4);
    CHECK(capacity(resources("2001m")) == 3);
    CHECK(capacity(resources("1", "4Gi")) == 2);
    CHECK(capacity(resources("100m")) == 5);
    CHECK(capacity({}) == 5);
    Resources gpu = resources("1");
    build::set(gpu, "nvidia.com/gpu", "1");
    CHECK(capacity(gpu) == 3);
    build::set(gpu, "example.com/unknown", "1");
    CHECK(capacity(gpu) == 0);
}

TEST_CASE("cluster: extended resources are charged and given back by name") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8).extended("nvidia.com/gpu", "4"));
    Resources two = resources("1");
    build::set(two, "nvidia.com/gpu", "2");
    const ShapeId shape = cluster.intern_shape(two, {});
    const NodeIndex n1 = index_of(cluster, "n1");
    CHECK(cluster.capacity(n1, shape, View::free) == 2);
    cluster.upsert_pod("u1", "n1", two, UsedBy::gang);
    CHECK(cluster.capacity(n1, shape, View::free) == 1);
    CHECK(cluster.capacity(n1, shape, View::without_gangs) == 2);
    cluster.upsert_node(node("n1").cpu(8).extended("nvidia.com/gpu", "2"));
    CHECK(cluster.capacity(n1, shape, View::free) == 0);
    CHECK(cluster.capacity(n1, shape, View::allocatable) == 1);
    cluster.upsert_node(node("n1").cpu(8));
    CHECK(cluster.capacity(n1, shape, View::allocatable) == 0);
    cluster.remove_pod("u1");
    cluster.upsert_node(node("n1").cpu(8).extended("nvidia.com/gpu", "4"));
    CHECK(cluster.capacity(n1, shape, View::free) == 2);
}

TEST_CASE("cluster: eligibility follows labels, taints, cordon and readiness") {
    Cluster cluster;
    Constraints batch;
    batch.node_selector = {{"pool", "batch"}};
    const ShapeId before = cluster.intern_shape(resources("1"), batch);
    cluster.upsert_node(node("n1").label("pool", "batch"));
    cluster.upsert_node(node("n2"));
    batch.tolerations.emplace_back().key = "x";
    const ShapeId after = cluster.intern_shape(resources("1"), batch);
    const NodeIndex n1 = index_of(cluster, "n1");
    for (const ShapeId shape : {before, after}) {
        CHECK(is_eligible(cluster, n1, shape));
        CHECK_FALSE(is_eligible(cluster, index_of(cluster, "n2"), shape));
        CHECK(cluster.shapes().eligible(shape).count() == 1);
    }
    cluster.upsert_node(node("n1").label("pool", "batch").cordoned());
    CHECK_FALSE(is_eligible(cluster, n1, before));
    cluster.upsert_node(node("n1").label("pool", "batch").ready(false));
    CHECK_FALSE(is_eligible(cluster, n1, before));
    cluster.upsert_node(node("n1").label("pool", "batch").taint("x", ""));
    CHECK_FALSE(is_eligible(cluster, n1, before));
    CHECK(is_eligible(cluster, n1, after));
    cluster.upsert_node(node("n1").label("pool", "web"));
    CHECK_FALSE(is_eligible(cluster, n1, after));
    cluster.upsert_node(node("n1").label("pool", "batch"));
    CHECK(is_eligible(cluster, n1, before));
    cluster.remove_node("n1");
    CHECK_FALSE(is_eligible(cluster, n1, before));
    CHECK(cluster.capacity(n1, before, View::allocatable) == 0);
}

TEST_CASE("cluster: exclusions are counted by reason, most frequent first") {
    Cluster cluster;
    for (const char* name : {"a", "b"}) cluster.upsert_node(node(name).taint("dedicated", "gpu"));
    cluster.upsert_node(node("c").cordoned());
    cluster.upsert_node(node("d").ready(false));
    cluster.upsert_node(node("e"));
    const ShapeId shape = cluster.intern_shape(resources("1"), {});
    const auto reasons = find_exclusions(cluster, cluster.shapes().class_of(shape));
    const std::vector<core::ReasonCount> expected = {
        {"untolerated taint dedicated=gpu", 2}, {"cordoned", 1}, {"not ready", 1}};
    CHECK(reasons == expected);
    SUBCASE("with those that other pods' rules leave out") {
        core::NodeBitmap none;
        for (std::size_t i = 0; i < cluster.nodes().count(); ++i) none.set(i, false);
        const ShapeId restricted =
            cluster.restrict_shape(shape, none, {{"too close", 5}, {"too far", 1}});
        const auto all = find_exclusions(cluster, cluster.shapes().class_of(restricted));
        REQUIRE(all.size() == 5);
        CHECK(all[0] == core::ReasonCount{"too close", 5});
        CHECK(all[1] == expected[0]);
        CHECK(all[4] == core::ReasonCount{"too far", 1});
        cluster.release_shape(restricted);
    }
    SUBCASE("wherever they are, and whatever effect a taint has") {
        cluster.upsert_node(node("e").taint("spot", ""));
        cluster.upsert_node(node("f").taint("dedicated", "gpu", core::TaintEffect::no_execute));
        cluster.upsert_node(node("g").taint("spot", ""));
        cluster.upsert_node(node("h").taint("dedicated", "gpu"));
        cluster.upsert_node(node("i").cordoned());
        const std::vector<core::ReasonCount> more = {
            {"untolerated taint dedicated=gpu", 4},
            {"cordoned", 2},
            {"untolerated taint spot", 2},
            {"not ready", 1}};
        CHECK(find_exclusions(cluster, cluster.shapes().class_of(shape)) == more);
    }
}

TEST_CASE("cluster: the room there would be if closed nodes were open") {
    Cluster cluster;
    Constraints constraints;
    constraints.node_selector = {{"pool", "a"}};
    const auto in_pool = [](const char* name) { return node(name).label("pool", "a").cpu(4); };
    cluster.upsert_node(in_pool("open"));
    cluster.upsert_node(node("other").cordoned());
    cluster.upsert_node(in_pool("tainted").taint("dedicated", "gpu"));
    const ShapeId shape = cluster.intern_shape(resources("1"), constraints);
    CHECK(cluster.nodes().has_closed());
    CHECK(capacity_if_open(cluster, shape, View::allocatable) == core::OpenCapacity{1, 4, 0});
    cluster.upsert_node(in_pool("cordoned").cordoned());
    cluster.upsert_node(in_pool("unready").ready(false).taint("node.kubernetes.io/not-ready", ""));
    CHECK(capacity_if_open(cluster, shape, View::allocatable) == core::OpenCapacity{3, 12, 8});
    const auto allocation =
        cluster.allocations().allocate(index_of(cluster, "cordoned"), resources("3"), UsedBy::other_scheduler);
    CHECK(capacity_if_open(cluster, shape, View::without_gangs) == core::OpenCapacity{3, 9, 5});
    cluster.allocations().release(allocation);
    cluster.upsert_node(in_pool("cordoned"));
    for (const char* name : {"unready", "other"}) cluster.remove_node(name);
    CHECK_FALSE(cluster.nodes().has_closed());
    CHECK(capacity_if_open(cluster, shape, View::allocatable) == core::OpenCapacity{2, 8, 0});
}

TEST_CASE("cluster: room_version grows when room may have appeared, not when it went") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(8));
    auto version = cluster.room().gains().version();
    const auto grew = [&] {
        const bool yes = cluster.room().gains().version() > version;
        version = cluster.room().gains().version();
        return yes;
    };
    cluster.upsert_pod("u1", "n1", resources("1"), UsedBy::other_scheduler);
    CHECK_FALSE(grew());
    const AllocationId slot =
        cluster.allocations().allocate(index_of(cluster, "n1"), resources("1"), UsedBy::gang);
    CHECK_FALSE(grew());
    cluster.remove_pod("u1");
    CHECK(grew());
    cluster.allocations().release(slot);
    CHECK(grew());
    cluster.upsert_node(node("n1").cpu(8).label("a", "b"));
    CHECK(grew());
    cluster.upsert_node(node("n2"));
    CHECK(grew());
}

TEST_CASE("cluster: a pod's room is taken over as it is, and released by whoever has it") {
    Cluster cluster;
    cluster.upsert_node(node("n1").cpu(4));
    cluster.upsert_pod("u1", "n1", resources("1"), UsedBy::gang);
    const auto room = cluster.room().gains().version();
    const auto allocation = cluster.take_pod("u1");
    REQUIRE(allocation);
    CHECK(cluster.pods().size() == 0);
    CHECK(cpu(cluster, "n1") == 3'000);
    CHECK(cluster.room().gains().version() == room);  // nobody has gained anything
    CHECK(cluster.allocations().of(*allocation).node == index_of(cluster, "n1"));
    CHECK_FALSE(cluster.take_pod("u1"));
    CHECK_FALSE(cluster.remove_pod("u1"));
    cluster.allocations().release(*allocation);
    CHECK(cpu(cluster, "n1") == 4'000);
}

TEST_CASE("cluster: what is given back leaves nothing behind") {
    Cluster cluster;
    const auto all_even = [&cluster] {
        for (const core::Account& account : core::accounts_of(cluster)) {
            CAPTURE(account.what);
            CHECK(account.held == account.owned);
        }
    };
    const auto amounts = [&cluster] { return core::accounts_of(cluster).front().held; };
    core::Resources gpus = resources("1");
    build::set(gpus, "nvidia.com/gpu", "1");
    cluster.upsert_node(node("n1").cpu(8).extended("nvidia.com/gpu", "4"));
    const auto n1 = *cluster.nodes().find("n1");
    const std::uint64_t of_nodes = amounts();
    const ShapeId shape = cluster.intern_shape(gpus, {});
    CHECK(cluster.intern_shape(gpus, {}) == shape);
    const auto slot = cluster.allocate(n1, shape, UsedBy::gang);
    const auto pod = cluster.allocations().allocate(n1, resources("2"), UsedBy::other_scheduler);
    all_even();
    cluster.allocations().reallocate(slot, gpus, UsedBy::gang);  // nothing changes
    all_even();
    cluster.allocations().reallocate(slot, resources("3"), UsedBy::gang);
    cluster.upsert_pod("u1", "n1", resources("1"), UsedBy::gang);
    cluster.upsert_pod("u1", "n1", resources("1"), UsedBy::gang);
    cluster.upsert_pod("u1", "n2", resources("2"), UsedBy::gang);
    all_even();
    CHECK(cluster.shapes().references() == 2);
    cluster.allocations().release(slot);
    cluster.allocations().release(pod);
    cluster.remove_pod("u1");
    CHECK_FALSE(cluster.release_shape(shape));
    CHECK(cluster.release_shape(shape));
    all_even();
    CHECK(cluster.allocations().count() == 0);
    CHECK(cluster.shapes().references() == 0);
    CHECK(amounts() == of_nodes);
    cluster.upsert_node(node("n1").cpu(8));
    CHECK_FALSE(cluster.extended_names().find("nvidia.com/gpu"));
    all_even();
}
