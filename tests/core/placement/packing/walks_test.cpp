// What is planned against what is there: room beside planned pods is the room beside the same pods once they are in the
// cluster; loads alike; and whatever is said of 64 nodes at once is what is said of each.

#include "core/placement/packing/packing.hpp"
#include "core/placement/packing/placement_view.hpp"
#include "core/placement/packing/planned_pods.hpp"
#include "core/placement/ranking/node_loads.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>
#include <vector>

namespace packing_walks {

using namespace core;
using tests::Walk;

const std::string units = "alnair/vgpu-memory";
const std::string gpu = "example.com/gpu";
constexpr std::int64_t too_wide = (std::int64_t{1} << 52) + 1;

std::int64_t any(Walk& walk, std::size_t end) {
    return static_cast<std::int64_t>(walk.pick(end));
}

/// Everything of which a pod can ask, in small numbers.
Resources any_amount(Walk& walk) {
    Resources made;
    made.cpu_milli = any(walk, 5) * 500;
    made.memory_bytes = any(walk, 4) << 30;
    if (walk.pick(4) == 0) made.ephemeral_bytes = (1 + any(walk, 3)) << 30;
    if (walk.pick(4) == 0) made.extended.push_back({gpu, 1 + any(walk, 2)});
    if (walk.pick(3) == 0) made.extended.insert(made.extended.begin(), {units, 1 + any(walk, 6)});
    if (walk.pick(8) == 0) made.extended.push_back({"example.com/x", walk.pick(3) == 0 ? too_wide : 1});
    if (walk.pick(6) == 0) add_host_ports(made, {{"", "TCP", 80}});
    if (walk.pick(5) == 0) {
        std::vector<DriverVolume> volumes;
        for (std::size_t i = 1 + walk.pick(2); i > 0; --i) {
            volumes.push_back({"a.example.com", walk.pick(2) == 0 ? "" : fmt::format("v{}", walk.pick(2))});
        }
        add_volumes(made, volumes);
    }
    return made;
}

Node any_node(Walk& walk, const std::string& name) {
    Node node = build::node(name)
                    .cpu_milli(any(walk, 12) * 500)
                    .memory(fmt::format("{}Gi", walk.pick(12)))
                    .ephemeral(fmt::format("{}Gi", walk.pick(12)))
                    .pods(any(walk, 9));
    if (walk.pick(3) != 0) {
        NodeCards said{units, {}, {}};
        std::int64_t sum = 0;
        for (std::size_t i = 1 + walk.pick(3); i > 0; --i) {
            said.cards.push_back({fmt::format("U{}", said.cards.size() + 1), 1 + any(walk, 8)});
            sum += said.cards.back().units;
        }
        node.allocatable.extended.push_back({units, sum});
        if (walk.pick(6) != 0) node.cards = said;
    }
    if (walk.pick(3) != 0) node.allocatable.extended.push_back({gpu, any(walk, 5)});
    if (walk.pick(3) != 0) node.allocatable.extended.push_back({"example.com/x", 3});
    if (walk.pick(3) != 0) set_volume_limits(node.allocatable, {{"a.example.com", any(walk, 5)}});
    std::erase_if(node.allocatable.extended, [](const ExtendedResource& one) { return one.amount == 0; });
    std::sort(node.allocatable.extended.begin(), node.allocatable.extended.end());
    return node;
}

struct Looked {
    PlacementView view;
    PlannedPods planned{view};
    explicit Looked(const Cluster& cluster, CardChoice choice = CardChoice::least_left, View of = View::free) {
        view.begin(cluster, of, {}, choice);
        planned.begin();
    }
};

TEST_CASE("planned pods: what they leave is what the same pods leave once they are in the cluster") {
    Walk walk(10);
    int planned_pods = 0;
    for (int round = 0; round < 110; ++round) {
        Cluster cluster;
        const std::size_t nodes = 1 + walk.pick(3);
        for (std::size_t i = 0; i < nodes; ++i) cluster.upsert_node(any_node(walk, fmt::format("n{}", i)));
        if (walk.pick(3) == 0) cluster.set_headroom({any(walk, 3) * 250, any(walk, 2) << 29});
        const auto choice = static_cast<CardChoice>(walk.pick(2));
        std::vector<ShapeId> shapes;
        for (int i = 0; i < 4; ++i) shapes.push_back(cluster.intern_shape(any_amount(walk), {}));
        Cluster lived = cluster;
        Looked looked(cluster, choice);
        for (int step = 0; step < 6; ++step) {
            const auto position = static_cast<Position>(walk.pick(nodes));
            const NodeIndex node = looked.view.node_at(position);
            const ShapeId shape = walk.of(shapes);
            const std::int64_t room = looked.planned.capacity(position, shape);
            if (room > 0) {
                const std::int64_t count = 1 + any(walk, static_cast<std::size_t>(std::min<std::int64_t>(room, 3)));
                looked.planned.put(position, shape, count);
                for (std::int64_t i = 0; i < count; ++i) lived.allocate(node, shape, UsedBy::gang, 1, choice);
                ++planned_pods;
            }
            Looked after(lived, choice);
            for (Position at = 0; at < nodes; ++at) {
                for (const ShapeId one : shapes) {
                    CAPTURE(round);
                    CAPTURE(step);
                    CAPTURE(describe(cluster.resources(one)));
                    REQUIRE(
                        looked.planned.capacity(at, one) ==
                        std::max<std::int64_t>(lived.capacity(looked.view.node_at(at), one, View::free), 0));
                    for (std::size_t i = 0; i < resource_count(cluster.demand(one)); ++i) {
                        REQUIRE(looked.planned.left(at, one, i) == after.planned.left(at, one, i));
                        const ExtendedId id = extended_id(cluster.demand(one), i);
                        if (id.is_none()) continue;
                        REQUIRE(looked.planned.new_volumes(at, one, id) == after.planned.new_volumes(at, one, id));
                    }
                    if (!cluster.demand(one).wants_cards) continue;
                    const auto left = looked.planned.emptiest_card(at, one, one, 0);
                    const auto there = after.planned.emptiest_card(at, one, one, 0);
                    REQUIRE(left.has_value() == there.has_value());
                    if (left) REQUIRE(left->free == there->free);
                    if (left) REQUIRE(left->order == there->order);
                    // A filler is as good as one that is planned.
                    const std::int64_t more = looked.planned.capacity(at, one);
                    REQUIRE((more == 0 || looked.planned.has_cards_for(at, one, one, 0)));
                    if (more == 0) continue;
                    const auto filled = looked.planned.emptiest_card(at, one, one, more);
                    Cluster full = lived;
                    for (std::int64_t n = 0; n < more; ++n) {
                        full.allocate(looked.view.node_at(at), one, UsedBy::gang, 1, choice);
                    }
                    Looked in_full(full, choice);
                    const auto expected = in_full.planned.emptiest_card(at, one, one, 0);
                    REQUIRE(filled.has_value() == expected.has_value());
                    if (filled) REQUIRE(filled->free == expected->free);
                    REQUIRE(
                        looked.planned.has_cards_for(at, one, one, more) ==
                        in_full.planned.has_cards_for(at, one, one, 0));
                }
            }
        }
    }
    CHECK(planned_pods > 110);
}

TEST_CASE("planned pods: put_all() plans each, and blocks know that they are touched") {
    Cluster cluster;
    for (int i = 0; i < 130; ++i) cluster.upsert_node(build::node(fmt::format("n{:03}", i)).cpu(4));
    const ShapeId one = cluster.intern_shape(build::resources("1"), {});
    Looked looked(cluster);
    const std::vector<PositionCount> chosen = {{3, 2}, {64, 1}};
    looked.planned.put_all(chosen, one);
    CHECK(looked.planned.capacity(3, one) == 2);
    CHECK(looked.planned.capacity(64, one) == 3);
    CHECK(looked.planned.capacity(65, one) == 4);
    CHECK(looked.planned.is_block_touched(0));
    CHECK(looked.planned.is_block_touched(1));
    CHECK_FALSE(looked.planned.is_block_touched(2));
    CHECK(looked.planned.touched().size() == 2);
    looked.planned.put(3, one, 1);
    CHECK(looked.planned.touched().size() == 2);
    CHECK(looked.planned.find(3)->plain == std::array<std::int64_t, plain_resources>{3000, 0, 0, 3});
    looked.planned.clear();
    CHECK_FALSE(looked.planned.is_block_touched(0));
    looked.planned.put(4, one, 1);
    CHECK(looked.planned.find(4)->plain == std::array<std::int64_t, plain_resources>{1000, 0, 0, 1});
}

TEST_CASE("placement view: an excluded node that is not there excludes nobody") {
    Cluster cluster;
    for (const char* name : {"n1", "n2"}) cluster.upsert_node(build::node(name));
    const NodeIndex gone = cluster.node_or_placeholder("gone");
    PlacementView view;
    view.begin(cluster, View::free, {gone, *cluster.nodes().find("n2")}, CardChoice::least_left);
    CHECK_FALSE(view.is_excluded(0));
    CHECK(view.is_excluded(1));
    CHECK(view.excluded().size() == 1);
    view.begin(cluster, View::free, {gone}, CardChoice::least_left);
    CHECK_FALSE(view.is_excluded(1));
    CHECK(view.excluded().empty());
}

TEST_CASE("placement view: what a pod displaces is the same for 64 nodes at once and for each") {
    Walk walk(11);
    for (int round = 0; round < 36; ++round) {
        Cluster cluster;
        const std::size_t nodes = 60 + walk.pick(20);
        for (std::size_t i = 0; i < nodes; ++i) cluster.upsert_node(any_node(walk, fmt::format("n{:02}", i)));
        if (walk.pick(4) == 0) cluster.upsert_node(build::node("n10").memory("7Pi"));
        if (walk.pick(4) == 0) cluster.upsert_node(build::node("n70").extended(gpu, "9Pi"));
        const auto choice = static_cast<CardChoice>(walk.pick(2));
        PlacementView view;
        BorrowedCapacities borrowed(view);
        view.begin(cluster, View::free, {}, choice);
        for (int i = 0; i < 6; ++i) {
            const ShapeId shape = cluster.intern_shape(any_amount(walk), {});
            const ShapeId other = cluster.intern_shape(any_amount(walk), {});
            const Capacities& capacities = borrowed.of(shape);
            const Capacities& of_other = borrowed.of(other);
            for (std::size_t block = 0; block < view.free_capacity().block_count(); ++block) {
                const auto losses = losses_beside(view, block, shape, capacities, other);
                for (std::size_t n = 0; n < block_size; ++n) {
                    const auto position = static_cast<Position>(block * block_size + n);
                    if (position >= view.size() || of_other.at(position) == 0) continue;
                    const std::int64_t alone = capacities.at(position);
                    const std::int64_t expected =
                        alone == 0 ? 0 : alone - core::capacity_beside(view, position, shape, other);
                    REQUIRE(losses[n] == expected);
                }
            }
        }
        borrowed.end();
    }
}

std::string text_of(const Load& load) {
    return fmt::format("{}+{}/{}", load.requested, load.asked, load.allocatable);
}

TEST_CASE("node loads: pods that are placed, planned, or there count alike") {
    Walk walk(12);
    for (int round = 0; round < 200; ++round) {
        Cluster cluster;
        cluster.upsert_node(any_node(walk, "n1"));
        const NodeIndex node = *cluster.nodes().find("n1");
        if (walk.pick(2) == 0) cluster.allocations().allocate(node, any_amount(walk), UsedBy::other_scheduler);
        const ShapeId shape = cluster.intern_shape(any_amount(walk), {});
        const auto choice = static_cast<CardChoice>(walk.pick(2));
        CAPTURE(describe(cluster.resources(shape)));
        Looked looked(cluster, choice);
        NodeLoads loads(looked.view, looked.planned);
        loads.begin(shape);
        Cluster lived = cluster;
        std::vector<NodeLoad> placed;
        const std::int64_t room = std::min<std::int64_t>(looked.planned.capacity(0, shape), 4);
        for (std::int64_t i = 0; i < room; ++i) placed.push_back(loads.of(0, i));
        for (const NodeLoad& expected : placed) {
            const auto check = [&expected](const NodeLoad& load) {
                CHECK(text_of(load.cpu) == text_of(expected.cpu));
                CHECK(text_of(load.memory) == text_of(expected.memory));
                CHECK(text_of(load.devices) == text_of(expected.devices));
            };
            check(loads.of(0, 0));
            Looked in_lived(lived, choice);
            NodeLoads of_lived(in_lived.view, in_lived.planned);
            of_lived.begin(shape);
            check(of_lived.of(0, 0));
            looked.planned.put(0, shape, 1);
            lived.allocate(node, shape, UsedBy::gang, 1, choice);
        }
    }
}

TEST_CASE("node loads: of cards the one that the next pod would be on") {
    Cluster cluster;
    Node made = build::node("n1");
    made.allocatable.extended = {{units, 24}};
    made.cards = NodeCards{units, {{"U1", 8}, {"U2", 16}}, {}};
    cluster.upsert_node(made);
    Resources asked;
    asked.extended = {{units, 5}};
    const ShapeId five = cluster.intern_shape(asked, {});
    Looked looked(cluster);
    NodeLoads loads(looked.view, looked.planned);
    loads.begin(five);
    const auto devices = [&](std::int64_t placed) { return text_of(loads.of(0, placed).devices); };
    CHECK(devices(0) == "0+5/8");
    CHECK(devices(1) == "0+5/16");
    CHECK(devices(2) == "5+5/16");
    CHECK(devices(3) == "10+5/16");
    looked.planned.put(0, five, 1);
    CHECK(devices(0) == "0+5/16");
    CHECK(devices(1) == "5+5/16");
    looked.planned.put(0, five, 1);
    CHECK(devices(0) == "5+5/16");
    // No card takes it: the sum of all is what counts.
    looked.planned.put(0, five, 2);
    CHECK(devices(0) == "20+5/24");
}

TEST_CASE("node loads: what is taken of a node that has given far more than it has stays a number") {
    constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    Cluster cluster;
    Node made = build::node("n1");
    made.allocatable.memory_bytes = most;
    cluster.upsert_node(made);
    const ShapeId one = cluster.intern_shape(build::resources("1", "1Gi"), {});
    for (int i = 0; i < 3; ++i) {
        Resources all;
        all.memory_bytes = most;
        cluster.allocations().allocate(*cluster.nodes().find("n1"), all, UsedBy::other_scheduler);
        Looked looked(cluster);
        NodeLoads loads(looked.view, looked.planned);
        loads.begin(one);
        CHECK(loads.of(0, 0).memory.requested == most);
        CHECK(loads.of(0, 0).memory.after() == most);
        CHECK(loads.of(0, 0).cpu.requested == 0);
    }
}

TEST_CASE("node loads: GPUs are the devices of whoever asks for some; wishes, asks and ports never are") {
    Cluster cluster;
    Node made = build::node("n1").extended(gpu, "4").extended("example.com/x", "8");
    made.gpu_score = 77;
    cluster.upsert_node(made);
    const auto devices = [&](const Resources& asked) {
        const ShapeId shape = cluster.intern_shape(asked, {});
        Looked looked(cluster);
        NodeLoads loads(looked.view, looked.planned);
        loads.begin(shape);
        return fmt::format("{} {}", text_of(loads.of(0, 1).devices), loads.of(0, 1).gpu_score);
    };
    Resources asked;
    CHECK(devices(asked) == "0+0/0 0");
    asked.extended = {{"example.com/x", 3}};
    CHECK(devices(asked) == "3+3/8 0");
    asked.extended = {{gpu, 2}, {"example.com/x", 3}};
    CHECK(devices(asked) == "2+2/4 0");
    add_host_ports(asked, {{"", "TCP", 80}});
    CHECK(devices(asked) == "2+2/4 0");
    add_gpu_wish(asked, {});
    CHECK(devices(asked) == "2+2/4 77");
}

TEST_CASE("packing: the first node by cost and capacity is the one that is chosen for one pod") {
    Walk walk(13);
    int found = 0;
    for (int round = 0; round < 120; ++round) {
        Cluster cluster;
        const std::size_t nodes = 1 + walk.pick(8);
        for (std::size_t i = 0; i < nodes; ++i) {
            Node made = build::node(fmt::format("n{}", i)).cpu(any(walk, 5));
            made.cost = any(walk, 3) - 1;
            cluster.upsert_node(made);
        }
        const ShapeId shape = cluster.intern_shape(build::resources("1"), {});
        Packing packing;
        packing.begin(cluster, View::free, {}, {});
        const Capacities& capacities = packing.capacities().of(shape);
        for (const auto policy : {PackingPolicy::tightest, PackingPolicy::fewest_nodes}) {
            CAPTURE(round);
            packing.ranking().begin(shape, policy);
            const auto first = packing.find_first(capacities);
            if (!packing.ranking().is_by_cost() || capacities.total() == 0) {
                CHECK_FALSE(first.has_value());
                continue;
            }
            REQUIRE(first.has_value());
            const auto chosen = packing.choose(shape, 1, capacities, policy);
            REQUIRE(chosen.size() == 1);
            CHECK(chosen[0] == PositionCount{*first, 1});
            ++found;
        }
        CHECK(packing.choose(shape, 0, capacities, PackingPolicy::tightest).empty());
        packing.end();
    }
    CHECK(found > 100);
}

}  // namespace packing_walks
