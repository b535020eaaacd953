#include "core/placement/placement.hpp"

#include "core/value/exclusive.hpp"
#include "tests/core/printing.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

using build::node;
using build::resources;
using core::Cluster;
using core::Constraints;
using core::Placement;
using core::PlacementRequest;
using core::Plan;
using core::Planner;
using core::Rejection;
using core::Resources;
using core::ShapeId;
using core::UsedBy;
using core::View;

namespace {

struct Setup {
    Cluster cluster;
    Planner planner;

    ShapeId shape(const Resources& request, const Constraints& constraints = {}) {
        return cluster.intern_shape(request, constraints);
    }

    /// "driver n1; n1:2 n3:1; n2:4", or "no: " and the rejection in words.
    std::string place(const PlacementRequest& request) {
        const Placement placement = planner.place(cluster, request);
        CHECK(planner.fits(cluster, request) == std::holds_alternative<Plan>(placement));
        if (const auto* rejection = std::get_if<Rejection>(&placement)) {
            return "no: " + core::describe(*rejection);
        }
        const Plan& plan = std::get<Plan>(placement);
        std::string text;
        if (!plan.driver.is_none()) text = "driver " + cluster.nodes().name(plan.driver);
        for (const auto& nodes : plan.executors) {
            text += ";";
            for (const core::NodeCount& entry : nodes) {
                text += fmt::format(" {}:{}", cluster.nodes().name(entry.node), entry.count);
            }
        }
        return text;
    }

    Rejection rejection(const PlacementRequest& request) {
        const Placement placement = planner.place(cluster, request);
        REQUIRE(std::holds_alternative<Rejection>(placement));
        return std::get<Rejection>(placement);
    }
};

}  // namespace

TEST_CASE("placement: the tightest nodes fill first, ties by name") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(8));
    s.cluster.upsert_node(node("b").cpu(4));
    s.cluster.upsert_node(node("c").cpu(2));
    s.cluster.upsert_node(node("d").cpu(4));
    const ShapeId two = s.shape(resources("2"));
    CHECK(s.place({{}, {{two, 1}}}) == "; c:1");
    CHECK(s.place({{}, {{two, 2}}}) == "; b:1 c:1");
    CHECK(s.place({{}, {{two, 4}}}) == "; b:2 c:1 d:1");
    CHECK(s.place({{}, {{two, 9}}}) == "; a:4 b:2 c:1 d:2");
}

TEST_CASE("placement: a lone pod goes to the tightest node that takes it") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(8));
    s.cluster.upsert_node(node("b").cpu(3));
    s.cluster.upsert_node(node("c").cpu(1));
    const ShapeId two = s.shape(resources("2"));
    CHECK(s.place({two, {}}) == "driver b");
    CHECK(s.place({{}, {{two, 1}}}) == "; b:1");
    CHECK(s.place({two, {{two, 0}}}) == "driver b;");
}

TEST_CASE("placement: nothing asked is always granted") {
    Setup s;
    CHECK(s.place({}) == "");
    CHECK(s.place({{}, {{s.shape(resources("1")), 0}}}) == ";");
}

TEST_CASE("placement: the driver leaves the tightest node when its gang needs that one") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4));
    s.cluster.upsert_node(node("b").cpu(5));
    const ShapeId driver = s.shape(resources("1"));
    const ShapeId executor = s.shape(resources("4"));
    CHECK(s.place({driver, {{executor, 1}}}) == "driver a; b:1");
    CHECK(s.place({driver, {{executor, 2}}}) == "driver b; a:1 b:1");
}

TEST_CASE("placement: the driver has its own constraints") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4));
    s.cluster.upsert_node(node("b").cpu(4).label("on-demand", "true"));
    Constraints on_demand;
    on_demand.node_selector = {{"on-demand", "true"}};
    const ShapeId driver = s.shape(resources("1"), on_demand);
    const ShapeId executor = s.shape(resources("1"));
    CHECK(s.place({driver, {{executor, 7}}}) == "driver b; a:4 b:3");
}

TEST_CASE("placement: pod slots limit like any resource") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(64).pods(3));
    const ShapeId small = s.shape(resources("100m"));
    CHECK(s.place({small, {{small, 2}}}) == "driver a; a:2");
    CHECK(
        s.place({small, {{small, 4}}}) ==
        "no: needs 1 driver + 4 executors (500m cpu); 1 + 2 fit, short of 2 pod slots. "
        "1 Too many pods");
}

TEST_CASE("placement: the views of one cluster differ by what is charged") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(8));
    const auto a = *s.cluster.nodes().find("a");
    s.cluster.allocations().allocate(a, resources("2"), UsedBy::other_scheduler);
    s.cluster.allocations().allocate(a, resources("2"), UsedBy::gang);
    const ShapeId one = s.shape(resources("1"));
    const auto fits = [&](std::int64_t count, View view) {
        return s.planner.fits(s.cluster, {{}, {{one, count}}, view, {}});
    };
    CHECK(fits(4, View::free));
    CHECK_FALSE(fits(5, View::free));
    CHECK(fits(6, View::without_gangs));
    CHECK_FALSE(fits(7, View::without_gangs));
    CHECK(fits(8, View::allocatable));
    CHECK_FALSE(fits(9, View::allocatable));
}

TEST_CASE("placement: excluded nodes are not used and are said so") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4));
    s.cluster.upsert_node(node("b").cpu(4));
    const ShapeId one = s.shape(resources("1"));
    PlacementRequest request{one, {{one, 2}}, View::free, {*s.cluster.nodes().find("a")}};
    CHECK(s.place(request) == "driver b; b:2");
    request.executors[0].count = 5;
    CHECK(
        s.place(request) ==
        "no: needs 1 driver + 5 executors (6 cpu); 1 + 3 fit, short of 2 cpu. 1 Insufficient cpu, "
        "1 excluded");
}

TEST_CASE("placement: a rejection counts what is missing and why nodes are out") {
    Setup s;
    for (int i = 0; i < 7; ++i) s.cluster.upsert_node(node(fmt::format("n{}", i)).cpu(8));
    for (int i = 0; i < 4; ++i) {
        s.cluster.upsert_node(node(fmt::format("g{}", i)).cpu(64).taint("dedicated", "gpu"));
    }
    const ShapeId driver = s.shape(resources("4", "8Gi"));
    const ShapeId executor = s.shape(resources("4", "1Gi"));
    const Rejection rejection = s.rejection({driver, {{executor, 20}}});
    CHECK(rejection.nodes == 11);
    CHECK(rejection.eligible_nodes == 7);
    CHECK(rejection.driver_fits);
    CHECK(rejection.executors_fit == 13);
    CHECK(rejection.executors_wanted == 20);
    CHECK(rejection.wanted == resources("84", "28Gi"));
    CHECK(rejection.missing == resources("28", "7Gi"));
    CHECK(rejection.binding == "cpu");
    CHECK(
        core::describe(rejection) ==
        "needs 1 driver + 20 executors (84 cpu, 28Gi memory); 1 + 13 fit, short of 28 cpu. "
        "7 Insufficient cpu, 4 untolerated taint dedicated=gpu");
}

TEST_CASE("placement: a rejection's numbers put the driver where it costs least") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4));
    s.cluster.upsert_node(node("b").cpu(5));
    const ShapeId driver = s.shape(resources("1"));
    const ShapeId executor = s.shape(resources("4"));
    CHECK(
        s.place({driver, {{executor, 3}}}) ==
        "no: needs 1 driver + 3 executors (13 cpu); 1 + 2 fit, short of 4 cpu. 2 Insufficient cpu");
}

TEST_CASE("placement: a driver that fits nowhere is what is explained") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4).memory("4Gi"));
    const ShapeId driver = s.shape(resources("1", "8Gi"));
    const ShapeId executor = s.shape(resources("1", "1Gi"));
    CHECK(
        s.place({driver, {{executor, 2}}}) ==
        "no: needs 1 driver + 2 executors (3 cpu, 10Gi memory); 0 + 2 fit, short of 8Gi memory. "
        "1 Insufficient memory");
    CHECK(
        s.place({driver, {}}) ==
        "no: needs 1 cpu, 8Gi memory; no node fits, short of 8Gi memory. 1 Insufficient memory");
}

TEST_CASE("placement: constraints that no node satisfies, and a cluster without nodes") {
    Setup s;
    Constraints nowhere;
    nowhere.node_selector = {{"pool", "none"}};
    const ShapeId shape = s.shape(resources("1"), nowhere);
    CHECK(
        s.place({{}, {{shape, 1}}}) == "no: needs 1 executor (1 cpu); 0 fit, no node is eligible");
    s.cluster.upsert_node(node("a"));
    const Rejection rejection = s.rejection({{}, {{shape, 1}}});
    CHECK(rejection.binding.empty());
    CHECK(rejection.eligible_nodes == 0);
    CHECK(
        core::describe(rejection) ==
        "needs 1 executor (1 cpu); 0 fit, no node is eligible. 1 did not match the node selector");
}

TEST_CASE("placement: extended resources bind and are named") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(32).extended("nvidia.com/gpu", "4"));
    s.cluster.upsert_node(node("b").cpu(32));
    Resources gpu = resources("1");
    build::set(gpu, "nvidia.com/gpu", "1");
    const ShapeId executor = s.shape(gpu);
    const ShapeId driver = s.shape(resources("1"));
    CHECK(s.place({driver, {{executor, 4}}}) == "driver a; a:4");
    CHECK(
        s.place({driver, {{executor, 5}}}) ==
        "no: needs 1 driver + 5 executors (6 cpu, 5 nvidia.com/gpu); 1 + 4 fit, short of "
        "1 nvidia.com/gpu. 2 Insufficient nvidia.com/gpu");
}

TEST_CASE("PRED-3b: placement: executors that want a port of the node stand one on each") {
    Setup s;
    for (const char* name : {"a", "b", "c"}) s.cluster.upsert_node(node(name).cpu(32));
    Resources request = resources("1");
    core::add_host_ports(request, {{"", "TCP", 7078}});
    const ShapeId executor = s.shape(request);
    const ShapeId driver = s.shape(resources("1"));
    CHECK(s.place({driver, {{executor, 3}}}) == "driver a; a:1 b:1 c:1");
    s.cluster.upsert_pod("u1", "b", request, UsedBy::other_scheduler);
    CHECK(s.place({driver, {{executor, 2}}}) == "driver b; a:1 c:1");
    CHECK(
        s.place({driver, {{executor, 3}}}) ==
        "no: needs 1 driver + 3 executors (4 cpu, host port 7078/TCP); 1 + 2 fit, short of "
        "host port 7078/TCP. 3 host port 7078/TCP taken");
    SUBCASE("a driver that wants the same port has a node to itself") {
        CHECK(s.place({executor, {{executor, 1}}}) == "driver a; c:1");
    }
    SUBCASE("who wants none may stand beside") {
        CHECK(s.place({{}, {{driver, 96 - 1}}}) == "; a:32 b:31 c:32");
    }
    SUBCASE("in the cluster without other people's pods there is room for three") {
        CHECK(s.place({driver, {{executor, 3}}, View::allocatable}) == "driver a; a:1 b:1 c:1");
        CHECK(s.planner.fits(s.cluster, {driver, {{executor, 4}}, View::allocatable}) == false);
    }
    s.cluster.remove_pod("u1");
    CHECK(s.place({driver, {{executor, 3}}}) == "driver a; a:1 b:1 c:1");
}

TEST_CASE("placement: several shapes share nodes without counting room twice") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(8).pods(4));
    s.cluster.upsert_node(node("b").cpu(4));
    const ShapeId driver = s.shape(resources("1"));
    const ShapeId small = s.shape(resources("1"));
    const ShapeId large = s.shape(resources("4"));
    CHECK(s.place({driver, {{small, 2}, {large, 2}}}) == "driver a; a:2; a:1 b:1");
    CHECK(s.place({driver, {{small, 4}, {large, 2}}}).starts_with("no: "));
}

TEST_CASE("placement: the driver goes last when the shapes leave it no other place") {
    Setup s;
    // Nine tight nodes attract the driver and each is needed by the executors that only it can
    // take.
    for (int i = 0; i < 9; ++i) {
        s.cluster.upsert_node(node(fmt::format("t{}", i)).cpu(2).extended("example.com/x", "1"));
    }
    s.cluster.upsert_node(node("z").cpu(3).pods(3));
    Resources with_x = resources("2");
    build::set(with_x, "example.com/x", "1");
    const ShapeId needs_x = s.shape(with_x);
    const ShapeId plain = s.shape(resources("1"));
    CHECK(
        s.place({plain, {{needs_x, 9}, {plain, 2}}}) ==
        "driver z; t0:1 t1:1 t2:1 t3:1 t4:1 t5:1 t6:1 t7:1 t8:1; z:2");
}

TEST_CASE("placement: absurd counts cost no more and overflow nothing") {
    Setup s;
    for (int i = 0; i < 3; ++i) s.cluster.upsert_node(node(fmt::format("n{}", i)).cpu(4));
    const ShapeId executor = s.shape(resources("1", "7Ei"));
    const Rejection rejection = s.rejection(
        {executor,
         {{executor, std::numeric_limits<std::int64_t>::max()},
          {executor, std::numeric_limits<std::int64_t>::max()}}});
    CHECK(rejection.executors_wanted == std::numeric_limits<std::int64_t>::max());
    CHECK(rejection.wanted.memory_bytes == std::numeric_limits<std::int64_t>::max());
    CHECK(rejection.executors_fit == 0);
    const ShapeId one = s.shape(resources("1"));
    CHECK(s.rejection({one, {{one, std::int64_t{1} << 31}}}).executors_fit == 11);
}

TEST_CASE("placement: nodes that take thousands are ordered by capacity too") {
    Setup s;
    s.cluster.upsert_node(node("a").cpu(4000).pods(9'000'000));
    s.cluster.upsert_node(node("b").cpu(2000).pods(9'000'000));
    s.cluster.upsert_node(node("c").cpu(3000).pods(9'000'000));
    s.cluster.upsert_node(node("d").cpu(1));
    const ShapeId one = s.shape(resources("1"));
    CHECK(s.place({{}, {{one, 2500}}}) == "; b:2000 c:499 d:1");
    CHECK(s.place({{}, {{one, 9001}}}) == "; a:4000 b:2000 c:3000 d:1");
    CHECK(s.place({{}, {{s.shape({}), 8'999'999}}}).starts_with("; a:8999"));
}

TEST_CASE("placement: a request without resources takes pod slots only") {
    Setup s;
    s.cluster.upsert_node(node("a").pods(2));
    const ShapeId nothing = s.shape({});
    CHECK(s.place({nothing, {{nothing, 1}}}) == "driver a; a:1");
    CHECK(
        s.place({nothing, {{nothing, 2}}}) ==
        "no: needs 1 driver + 2 executors (nothing); 1 + 1 fit, short of 1 pod slot. "
        "1 Too many pods");
}

TEST_CASE("placement: a planner keeps nothing from one question to the next") {
    Setup s;
    Cluster other;
    for (int i = 0; i < 20; ++i) other.upsert_node(node(fmt::format("m{}", i)).cpu(8));
    const ShapeId there = other.intern_shape(resources("1"), {});
    s.cluster.upsert_node(node("a").cpu(4));
    const ShapeId here = s.shape(resources("1"));
    const PlacementRequest request{here, {{here, 3}}};
    const std::string first = s.place(request);
    CHECK(s.planner.fits(other, {there, {{there, 100}, {there, 5}}}));
    CHECK_FALSE(s.planner.fits(other, {there, {{there, 1000}}}));
    CHECK(s.place(request) == first);
}

TEST_CASE("placement: nodes that go take their room with them, whole blocks of them too") {
    Cluster cluster;
    const auto name = [](int i) { return fmt::format("n{:03}", i); };
    const auto add = [&](int first, int last) {
        for (int i = first; i < last; ++i) cluster.upsert_node(node(name(i)).cpu(1));
    };
    const auto remove = [&](int first, int last) {
        for (int i = first; i < last; ++i) cluster.remove_node(name(i));
    };
    const ShapeId shape = cluster.intern_shape(resources("1", "1Mi"), {});
    Planner planner;
    const auto fit = [&](std::int64_t most) {
        const auto fits = [&](std::int64_t count) {
            return planner.fits(cluster, {{}, {{shape, count}}}) &&
                   std::holds_alternative<Plan>(planner.place(cluster, {{}, {{shape, count}}}));
        };
        return fits(most) && !fits(most + 1);
    };
    add(0, 130);
    CHECK(fit(130));
    CHECK(fit(130));
    remove(60, 130);
    CHECK(fit(60));
    remove(0, 60);
    CHECK(fit(0));
    add(0, 70);
    CHECK(fit(70));
    remove(0, 10);
    remove(20, 70);
    add(100, 200);
    CHECK(fit(110));
}

TEST_CASE("placement: the first nodes by the policy are found in whichever block they are") {
    Cluster cluster;
    const auto name = [](int i) { return fmt::format("n{:03}", i); };
    for (int i = 0; i < 300; ++i) cluster.upsert_node(node(name(i)).cpu(4));
    cluster.upsert_node(node(name(150)).cpu(2));
    cluster.upsert_node(node(name(280)).cpu(1));
    cluster.upsert_node(node(name(152)).cpu(7));
    cluster.upsert_node(node(name(290)).cpu(8));
    const ShapeId shape = cluster.intern_shape(resources("1", "1Mi"), {});
    Planner planner;
    const auto counts = [&](std::int64_t wanted, core::PackingPolicy policy) {
        PlacementRequest request{{}, {{shape, wanted}}};
        request.policy = policy;
        std::vector<std::pair<std::string, std::int64_t>> found;
        const Placement placement = planner.place(cluster, request);
        for (const auto& [at, count] : std::get<Plan>(placement).executors[0]) {
            found.emplace_back(cluster.nodes().name(at), count);
        }
        return found;
    };
    using Counts = std::vector<std::pair<std::string, std::int64_t>>;
    for (int asked = 0; asked < 3; ++asked) {  // a shape that is new, and one that is known
        CHECK(counts(15, core::PackingPolicy::fewest_nodes) == Counts{{"n152", 7}, {"n290", 8}});
        CHECK(counts(14, core::PackingPolicy::fewest_nodes) == Counts{{"n152", 6}, {"n290", 8}});
        CHECK(counts(3, core::PackingPolicy::fewest_nodes) == Counts{{"n290", 3}});
    }
    CHECK(counts(1, core::PackingPolicy::tightest) == Counts{{"n280", 1}});
    CHECK(counts(3, core::PackingPolicy::tightest) == Counts{{"n150", 2}, {"n280", 1}});
    CHECK(
        counts(6, core::PackingPolicy::tightest) == Counts{{"n000", 3}, {"n150", 2}, {"n280", 1}});
}

TEST_CASE("placement: a rejection's driver costs least in whichever block that is") {
    Cluster cluster;
    for (int i = 0; i < 130; ++i) {
        cluster.upsert_node(node(fmt::format("n{:03}", i)).cpu(i == 129 ? 3 : 2));
    }
    const ShapeId driver = cluster.intern_shape(resources("1", "1Mi"), {});
    const ShapeId executor = cluster.intern_shape(resources("2", "1Mi"), {});
    Planner planner;
    const Placement placement = planner.place(cluster, {driver, {{executor, 1'000}}});
    CHECK(std::get<Rejection>(placement).executors_fit == 130);
}

TEST_CASE("placement: amounts past what a scan holds exactly are counted exactly") {
    Cluster cluster;
    cluster.upsert_node(node("n1").memory("7Pi").pods(50));
    cluster.upsert_node(node("n2").memory("4Gi").pods(50));
    const ShapeId shape = cluster.intern_shape(resources("1m", "2Pi"), {});
    Planner planner;
    const auto fit = [&] {
        const Placement placement = planner.place(cluster, {{}, {{shape, 100}}});
        return std::get<Rejection>(placement).executors_fit;
    };
    CHECK(fit() == 3);
    const auto allocation =
        cluster.allocations().allocate(*cluster.nodes().find("n1"), resources("0", "3Pi"), UsedBy::other_scheduler);
    CHECK(fit() == 2);
    cluster.allocations().release(allocation);
    cluster.upsert_node(node("n2").memory("5Pi").pods(50));
    CHECK(fit() == 5);
    cluster.upsert_node(node("n2").memory("4Gi").pods(50));
    CHECK(fit() == 3);
}

TEST_CASE("placement: among very many nodes, those that take 512 pods are used once") {
    Setup setup;
    // Five large nodes, less than half of what is wanted: the level of the small ones is counted.
    for (int i = 0; i < 5; ++i) {
        setup.cluster.upsert_node(node(fmt::format("large{}", i)).cpu(512).pods(1'000));
    }
    for (int i = 0; i < 100; ++i) {
        setup.cluster.upsert_node(node(fmt::format("small{:03}", i)).cpu(50).pods(1'000));
    }
    PlacementRequest request;
    request.executors = {{setup.shape(resources("1")), 5'560}};
    request.policy = core::PackingPolicy::fewest_nodes;
    const Placement placement = setup.planner.place(setup.cluster, request);
    REQUIRE(std::holds_alternative<Plan>(placement));
    std::int64_t on_large = 0;
    std::int64_t on_small = 0;
    for (const core::NodeCount& entry : std::get<Plan>(placement).executors[0]) {
        const bool is_large = setup.cluster.nodes().name(entry.node).starts_with("large");
        (is_large ? on_large : on_small) += entry.count;
    }
    CHECK(on_large == 5 * 512);
    CHECK(on_small == 3'000);
}
