// The planner against a naive one that knows neither classes nor columns nor closed forms: it reads
// core::Node values, subtracts pod by pod, and tries every driver node.

#include "core/cluster/allocation/trial.hpp"
#include "core/filter/filters.hpp"
#include "core/placement/placement.hpp"
#include "tests/core/printing.hpp"
#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

using core::Cluster;
using core::Constraints;
using core::Node;
using core::PlacementRequest;
using core::Plan;
using core::Planner;
using core::Resources;
using core::ShapeId;
using core::UsedBy;
using core::View;

namespace {

struct Pod {
    Resources requests;
    Constraints constraints;
};

struct Allocated {
    std::size_t node;
    Resources amount;
    UsedBy used_by;
};

/// A small cluster in plain values, and the same in a core::Cluster.
struct World {
    std::vector<Node> nodes;
    std::vector<Allocated> allocations;
    Cluster cluster;
};

void subtract(Node& node, const Resources& amount) {
    node.allocatable.cpu_milli -= amount.cpu_milli;
    node.allocatable.memory_bytes -= amount.memory_bytes;
    for (const auto& taken : amount.extended) {
        for (auto& left : node.allocatable.extended) {
            if (left.name == taken.name) left.amount -= taken.amount;
        }
    }
    --node.pods;
}

bool takes(const Node& node, const Pod& pod) {
    if (!core::filter_node(node, pod.constraints).passes() || node.pods < 1) return false;
    const auto enough = [](std::int64_t left, std::int64_t wanted) {
        return wanted == 0 || left >= wanted;
    };
    if (!enough(node.allocatable.cpu_milli, pod.requests.cpu_milli)) return false;
    if (!enough(node.allocatable.memory_bytes, pod.requests.memory_bytes)) return false;
    for (const auto& wanted : pod.requests.extended) {
        std::int64_t left = 0;
        for (const auto& offered : node.allocatable.extended) {
            if (offered.name == wanted.name) left = offered.amount;
        }
        if (!enough(left, wanted.amount)) return false;
    }
    return true;
}

std::vector<Node> nodes_in_view(const World& world, View view) {
    std::vector<Node> nodes = world.nodes;
    for (const Allocated& allocated : world.allocations) {
        if (view == View::allocatable) continue;
        if (view == View::without_gangs && allocated.used_by == UsedBy::gang) continue;
        subtract(nodes[allocated.node], allocated.amount);
    }
    return nodes;
}

/// Executors of one kind, one after another, wherever one fits: exact, since they are alike.
std::int64_t place_one_by_one(std::vector<Node> nodes, const Pod& executor, std::int64_t wanted) {
    std::int64_t placed = 0;
    for (Node& node : nodes) {
        while (placed < wanted && takes(node, executor)) {
            subtract(node, executor.requests);
            ++placed;
        }
    }
    return placed;
}

/// -1: no node takes the driver; else the most executors that any driver node allows.
std::int64_t naive_best(
    const std::vector<Node>& nodes, const Pod& driver, const Pod& executor, std::int64_t wanted) {
    std::int64_t best = -1;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (!takes(nodes[i], driver)) continue;
        std::vector<Node> beside = nodes;
        subtract(beside[i], driver.requests);
        best = std::max(best, place_one_by_one(beside, executor, wanted));
    }
    return best;
}

/// Every way to place pods of several kinds, by trying them all.
bool exists_any_way(std::vector<Node>& nodes, const std::vector<Pod>& pods, std::size_t next) {
    if (next == pods.size()) return true;
    for (Node& node : nodes) {
        if (!takes(node, pods[next])) continue;
        const Node before = node;
        subtract(node, pods[next].requests);
        const bool found = exists_any_way(nodes, pods, next + 1);
        node = before;
        if (found) return true;
    }
    return false;
}

Resources random_amount(tests::Random& random) {
    Resources amount;
    amount.cpu_milli = random.one_in(6) ? 0 : random.between(1, 8) * 500;
    amount.memory_bytes = random.one_in(6) ? 0 : random.between(1, 8) << 30;
    if (random.one_in(5)) amount.extended = {{"example.com/x", random.between(1, 2)}};
    return amount;
}

Pod random_pod(tests::Random& random) {
    Pod pod{random_amount(random), {}};
    if (random.one_in(4)) pod.constraints.node_selector = {{"pool", "a"}};
    if (random.one_in(4)) {
        core::Toleration toleration;
        toleration.key = "dedicated";
        toleration.exists = true;
        pod.constraints.tolerations = {toleration};
    }
    return pod;
}

Node random_node(tests::Random& random, const std::string& name) {
    auto made = build::node(name)
                    .cpu_milli(random.between(0, 16) * 500)
                    .pods(random.between(0, 9))
                    .label("pool", random.one_in(2) ? "a" : "b")
                    .cordoned(random.one_in(10))
                    .ready(!random.one_in(10));
    made.memory(fmt::format("{}Gi", random.between(0, 16)));
    if (random.one_in(3)) made.extended("example.com/x", fmt::format("{}", random.between(1, 4)));
    if (random.one_in(6)) made.taint("dedicated", "x");
    return made;
}

World random_world(tests::Random& random, std::int64_t nodes_max) {
    World world;
    const std::int64_t count = random.between(1, nodes_max);
    for (std::int64_t i = 0; i < count; ++i) {
        world.nodes.push_back(random_node(random, fmt::format("n{}", i)));
        world.cluster.upsert_node(world.nodes.back());
    }
    for (std::int64_t i = random.between(0, count); i > 0; --i) {
        const auto at = static_cast<std::size_t>(random.between(0, count - 1));
        const UsedBy used_by = random.one_in(2) ? UsedBy::gang : UsedBy::other_scheduler;
        world.allocations.push_back({at, random_amount(random), used_by});
        const auto index = *world.cluster.nodes().find(world.nodes[at].name);
        world.cluster.allocations().allocate(index, world.allocations.back().amount, used_by);
    }
    return world;
}

/// A plan must hold for the naive planner's eyes: each pod where it fits, after all others.
void check_plan(
    std::vector<Node> nodes,
    const Cluster& cluster,
    const Plan& plan,
    const std::vector<std::pair<Pod, std::int64_t>>& executors,
    const Pod* driver) {
    const auto put = [&](core::NodeIndex index, const Pod& pod) {
        for (Node& node : nodes) {
            if (node.name != cluster.nodes().name(index)) continue;
            REQUIRE(takes(node, pod));
            subtract(node, pod.requests);
        }
    };
    REQUIRE(plan.driver.is_none() == (driver == nullptr));
    if (driver != nullptr) put(plan.driver, *driver);
    REQUIRE(plan.executors.size() == executors.size());
    for (std::size_t i = 0; i < executors.size(); ++i) {
        std::int64_t placed = 0;
        std::string last_name;
        for (const core::NodeCount& entry : plan.executors[i]) {
            CHECK(entry.count > 0);
            CHECK(last_name < cluster.nodes().name(entry.node));
            last_name = cluster.nodes().name(entry.node);
            for (std::int64_t n = 0; n < entry.count; ++n) put(entry.node, executors[i].first);
            placed += entry.count;
        }
        CHECK(placed == executors[i].second);
    }
}

}  // namespace

TEST_CASE("placement: with one executor shape, exactly as good as trying everything") {
    tests::Random random;
    Planner planner;
    int plans = 0;
    int rejections = 0;
    for (int round = 0; round < 6000; ++round) {
        World world = random_world(random, 6);
        const Pod driver = random_pod(random);
        const Pod executor = random_pod(random);
        const std::int64_t wanted = random.between(0, 14);
        const View view = static_cast<View>(random.between(0, 2));
        const std::vector<Node> nodes = nodes_in_view(world, view);
        const PlacementRequest request{
            world.cluster.intern_shape(driver.requests, driver.constraints),
            {{world.cluster.intern_shape(executor.requests, executor.constraints), wanted}},
            view,
            {}};
        CAPTURE(random.seed());
        CAPTURE(round);
        const std::int64_t best = naive_best(nodes, driver, executor, wanted);
        const core::Placement placement = planner.place(world.cluster, request);
        REQUIRE(std::holds_alternative<Plan>(placement) == (best == wanted));
        REQUIRE(planner.fits(world.cluster, request) == (best == wanted));
        if (const auto* plan = std::get_if<Plan>(&placement)) {
            check_plan(nodes, world.cluster, *plan, {{executor, wanted}}, &driver);
            ++plans;
        } else {
            const auto& rejection = std::get<core::Rejection>(placement);
            CHECK(rejection.driver_fits == (best >= 0));
            const std::int64_t without_driver = place_one_by_one(nodes, executor, wanted);
            CHECK(rejection.executors_fit == (best >= 0 ? best : without_driver));
            ++rejections;
        }
    }
    MESSAGE("one shape: " << plans << " plans, " << rejections << " rejections");
    CHECK(plans > 400);
    CHECK(rejections > 500);
}

TEST_CASE("placement: more executors of one shape, exactly as good as trying everything") {
    tests::Random random;
    Planner planner;
    for (int round = 0; round < 3000; ++round) {
        World world = random_world(random, 6);
        const Pod executor = random_pod(random);
        const std::int64_t wanted = random.between(1, 14);
        const std::vector<Node> nodes = nodes_in_view(world, View::free);
        const ShapeId shape = world.cluster.intern_shape(executor.requests, executor.constraints);
        CAPTURE(random.seed());
        CAPTURE(round);
        const std::int64_t best = place_one_by_one(nodes, executor, wanted);
        const core::Placement placement = planner.place(world.cluster, {{}, {{shape, wanted}}});
        REQUIRE(std::holds_alternative<Plan>(placement) == (best == wanted));
        if (const auto* plan = std::get_if<Plan>(&placement)) {
            check_plan(nodes, world.cluster, *plan, {{executor, wanted}}, nullptr);
        } else {
            CHECK(std::get<core::Rejection>(placement).executors_fit == best);
        }
    }
}

TEST_CASE("placement: with several shapes every plan is valid and few are missed") {
    tests::Random random;
    Planner planner;
    int possible = 0;
    int missed = 0;
    for (int round = 0; round < 3000; ++round) {
        World world = random_world(random, 4);
        const Pod driver = random_pod(random);
        std::vector<std::pair<Pod, std::int64_t>> executors;
        std::vector<Pod> all = {driver};
        PlacementRequest request;
        request.driver = world.cluster.intern_shape(driver.requests, driver.constraints);
        for (int i = 0; i < 2; ++i) {
            executors.emplace_back(random_pod(random), random.between(1, 2));
            const auto& [pod, count] = executors.back();
            const ShapeId shape = world.cluster.intern_shape(pod.requests, pod.constraints);
            request.executors.push_back({shape, count});
            all.insert(all.end(), static_cast<std::size_t>(count), pod);
        }
        CAPTURE(random.seed());
        CAPTURE(round);
        std::vector<Node> nodes = nodes_in_view(world, View::free);
        const bool exists = exists_any_way(nodes, all, 0);
        const core::Placement placement = planner.place(world.cluster, request);
        CHECK(planner.fits(world.cluster, request) == std::holds_alternative<Plan>(placement));
        if (exists) ++possible;
        if (const auto* plan = std::get_if<Plan>(&placement)) {
            REQUIRE(exists);
            check_plan(nodes, world.cluster, *plan, executors, &driver);
        } else if (exists) {
            ++missed;
        }
    }
    MESSAGE("several shapes: " << missed << " of " << possible << " possible plans missed");
    CHECK(possible > 100);
    CHECK(missed * 10 <= possible);
}

TEST_CASE("placement: equal clusters get equal plans, whatever the order of events") {
    tests::Random random;
    Planner planner;
    for (int round = 0; round < 300; ++round) {
        World world = random_world(random, 8);
        Cluster backwards;
        for (auto node = world.nodes.rbegin(); node != world.nodes.rend(); ++node) {
            backwards.upsert_node(*node);
        }
        for (const Allocated& allocated : world.allocations) {
            const auto index = backwards.nodes().find(world.nodes[allocated.node].name);
            backwards.allocations().allocate(*index, allocated.amount, allocated.used_by);
        }
        const Pod pod = random_pod(random);
        const auto text = [&](Cluster& cluster) {
            const ShapeId shape = cluster.intern_shape(pod.requests, pod.constraints);
            const core::Placement placement = planner.place(cluster, {shape, {{shape, 5}}});
            const auto* plan = std::get_if<Plan>(&placement);
            if (plan == nullptr) return core::describe(std::get<core::Rejection>(placement));
            std::string names = cluster.nodes().name(plan->driver);
            for (const core::NodeCount& entry : plan->executors[0]) {
                names += fmt::format(" {}:{}", cluster.nodes().name(entry.node), entry.count);
            }
            return names;
        };
        CAPTURE(random.seed());
        CAPTURE(round);
        CHECK(text(world.cluster) == text(backwards));
    }
}
