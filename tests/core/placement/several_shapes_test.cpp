// Gangs of several shapes whose pods are in each other's way: what is tried, and in which order.

#include "core/placement/placement.hpp"
#include "core/placement/rejection.hpp"
#include "tests/support/builders.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace several_shapes {

using namespace core;
using build::node;
using build::resources;

struct Setup {
    Cluster cluster;
    Planner planner;

    ShapeId shape(const Resources& asked) { return cluster.intern_shape(asked, {}); }
    std::string place(const PlacementRequest& request) {
        const Placement placement = planner.place(cluster, request);
        if (const auto* const rejection = std::get_if<Rejection>(&placement)) return "no: " + describe(*rejection);
        const Plan& plan = std::get<Plan>(placement);
        std::string text = plan.driver.is_none() ? "" : cluster.nodes().name(plan.driver);
        for (const auto& nodes : plan.executors) {
            text += ";";
            for (const NodeCount& one : nodes) text += fmt::format(" {}:{}", cluster.nodes().name(one.node), one.count);
        }
        return text;
    }
};

TEST_CASE("several shapes: where no tight node leaves them their room, the driver comes last, on the tightest") {
    // Ten tight nodes have room for one executor of each kind and none for the driver beside them; on y and z, which
    // have no memory, nobody else can stand.
    Setup s;
    for (int i = 0; i < 10; ++i) {
        s.cluster.upsert_node(node(fmt::format("t{}", i)).cpu(2).extended("example.com/x", "1"));
    }
    s.cluster.upsert_node(node("y").cpu(5).memory("0"));
    s.cluster.upsert_node(node("z").cpu(4).memory("0"));
    Resources with_x = resources("1", "1Gi");
    build::set(with_x, "example.com/x", "1");
    const ShapeId needs_x = s.shape(with_x);
    const ShapeId plain = s.shape(resources("1", "1Gi"));
    const ShapeId driver = s.shape(resources("1"));
    const std::string all = " t0:1 t1:1 t2:1 t3:1 t4:1 t5:1 t6:1 t7:1 t8:1 t9:1";
    const PlacementRequest request{driver, {{needs_x, 10}, {plain, 10}}};
    CHECK(s.place(request) == "z;" + all + ";" + all);
    CHECK(s.planner.fits(s.cluster, request));
    CHECK(s.planner.find(s.cluster, request).has_value());
    // With y and z full there is no last place either.
    for (const char* name : {"y", "z"}) s.cluster.upsert_node(node(name).cpu(0).memory("0"));
    CHECK_FALSE(s.planner.fits(s.cluster, request));
    CHECK(
        s.place(request) ==
        "no: needs 1 driver + 20 executors (21 cpu, 20Gi memory, 10 example.com/x); 1 + 19 fit, short of 1 cpu. "
        "12 Insufficient cpu, 2 Insufficient memory");
}

TEST_CASE("several shapes: by the fewest nodes each has the largest room that those before it leave") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4));
    s.cluster.upsert_node(node("b").cpu(9));
    s.cluster.upsert_node(node("c").cpu(6));
    for (int asked = 0; asked < 3; ++asked) {  // shapes that are new, and ones that are known
        PlacementRequest request;
        request.policy = PackingPolicy::fewest_nodes;
        request.driver = s.shape(resources("1"));
        request.executors = {{s.shape(resources("2")), 3}, {s.shape(resources("3")), 2}};
        CHECK(s.place(request) == "b; c:3; b:2");
        CHECK(s.planner.fits(s.cluster, request));
        request.driver.reset();
        CHECK(s.place(request) == "; c:3; b:2");
        request.executors[0].count = 6;
        CHECK(s.place(request) == "; a:2 b:1 c:3; b:2");
        request.executors[0].count = 7;
        CHECK_FALSE(s.planner.fits(s.cluster, request));
    }
}

TEST_CASE("several shapes: the larger share of the cluster goes first, devices before all") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(10).memory("100Gi").ephemeral("1000Gi").extended("example.com/x", "9"));
    Resources with_x;
    build::set(with_x, "example.com/x", "1");
    Resources disk;
    disk.ephemeral_bytes = build::bytes("450Gi");
    const std::vector<ShapeId> by_size = {
        s.shape(with_x), s.shape(resources("5")), s.shape(disk), s.shape(resources("1", "40Gi")),
        s.shape(resources("3")), s.shape(resources("0"))};
    for (std::size_t i = 0; i < by_size.size(); ++i) {
        for (std::size_t j = 0; j < by_size.size(); ++j) {
            CAPTURE(i);
            CAPTURE(j);
            CHECK(is_larger(s.cluster, by_size[i], by_size[j]) == (i < j));
        }
    }
    // More than everything counts as everything; a resource that nobody has, too.
    CHECK_FALSE(is_larger(s.cluster, s.shape(resources("10")), s.shape(resources("20"))));
    CHECK_FALSE(is_larger(s.cluster, s.shape(resources("20")), s.shape(resources("10"))));
    CHECK(is_larger(s.cluster, s.shape(resources("10")), s.shape(resources("9999m"))));
    Setup none;
    none.cluster.upsert_node(node("a").cpu(10).ephemeral("0"));
    CHECK(is_larger(none.cluster, none.shape(disk), none.shape(resources("9"))));
}

TEST_CASE("several shapes: a score gives way only where several shapes need the room") {
    Setup s;
    s.cluster.upsert_node(node("n1").cpu(4).memory("1Gi"));
    s.cluster.upsert_node(node("n2").cpu(5).memory("16Gi"));
    PlacementRequest request;
    request.policy = PackingPolicy::least_allocated;
    request.executors = {{s.shape(resources("3")), 1}};
    CHECK(s.place(request) == "; n2:1");
    request.executors.push_back({s.shape(resources("3", "2Gi")), 1});
    CHECK(s.place(request) == "; n1:1; n2:1");
}

TEST_CASE("planner: one that is moved goes on answering") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4));
    const ShapeId one = s.shape(resources("1"));
    CHECK(s.place({one, {{one, 3}}}) == "a; a:3");
    Planner moved = std::move(s.planner);
    CHECK(moved.fits(s.cluster, {one, {{one, 3}}}));
    CHECK_FALSE(moved.fits(s.cluster, {one, {{one, 4}}}));
    s.planner = std::move(moved);
    CHECK(s.place({one, {{one, 3}}}) == "a; a:3");
    CHECK(s.planner.groups_scanned() > 0);
}

TEST_CASE("several shapes: whoever asks for a plan alone gets the one that a full answer has, or none") {
    tests::Walk walk(1);
    int plans = 0;
    for (int round = 0; round < 400; ++round) {
        Setup s;
        for (std::size_t i = 0; i < 2 + walk.pick(4); ++i) {
            s.cluster.upsert_node(node(fmt::format("n{}", i))
                                      .cpu(static_cast<int>(walk.pick(7)))
                                      .memory(fmt::format("{}Gi", walk.pick(7))));
        }
        PlacementRequest request;
        if (walk.pick(2) == 0) request.driver = s.shape(resources("1", "1Gi"));
        for (std::size_t i = 0; i < 1 + walk.pick(3); ++i) {
            const ShapeId shape = s.shape(resources(std::to_string(1 + walk.pick(4)), fmt::format("{}Gi", 1 + walk.pick(4))));
            request.executors.push_back({shape, 1 + static_cast<std::int64_t>(walk.pick(3))});
        }
        request.policy = walk.pick(2) == 0 ? PackingPolicy::tightest : PackingPolicy::fewest_nodes;
        const Placement placement = s.planner.place(s.cluster, request);
        const Plan* const plan = std::get_if<Plan>(&placement);
        const auto found = s.planner.find(s.cluster, request);
        REQUIRE(found.has_value() == (plan != nullptr));
        if (plan == nullptr) continue;
        ++plans;
        CHECK(found->driver == plan->driver);
        CHECK(found->executors == plan->executors);
    }
    CHECK(plans > 50);
}

}  // namespace several_shapes
