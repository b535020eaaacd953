// Which nodes a profile's weighted scores choose, by small clusters that can be worked out by hand,
// and by random ones against placing pod by pod.

#include "core/placement/placement.hpp"
#include "core/score/weighted_score.hpp"
#include "tests/core/random.hpp"
#include "tests/support/builders.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

using build::node;
using build::resources;
using core::ScoreOrder;
using core::ShapeId;

namespace {

const std::string gpu = "nvidia.com/gpu";

core::WeightedScore score(const char* name, std::int64_t weight = 1) {
    return {*core::find_score_id(name), weight, {}, {}};
}

core::WeightedScore by_gpus() {
    return {*core::find_score_id("RequestedToCapacityRatio"), 1, {{gpu, 1}}, {{0, 0}, {100, 100}}};
}

struct Setup {
    core::Cluster cluster;
    core::Planner planner;

    void add(const core::Node& made) { cluster.upsert_node(made); }
    void take(const std::string& name, const core::Resources& amount) {
        cluster.allocations().allocate(*cluster.nodes().find(name), amount, core::UsedBy::other_scheduler);
    }
    std::optional<core::Plan> find(
        const ScoreOrder& order,
        std::optional<ShapeId> driver,
        const std::vector<core::ShapeCount>& executors) {
        core::PlacementRequest request;
        request.driver = driver;
        request.executors = executors;
        request.scores = &order;
        return planner.find(cluster, request);
    }
    std::string lone(const ScoreOrder& order, ShapeId shape) {
        const auto plan = find(order, shape, {});
        return plan ? cluster.nodes().name(plan->driver) : "no";
    }
    std::string gang(const ScoreOrder& order, ShapeId shape, std::int64_t count) {
        const auto plan = find(order, {}, {{shape, count}});
        if (!plan) return "no";
        std::string text;
        for (const core::NodeCount& entry : plan->executors[0]) {
            text += fmt::format(" {}:{}", cluster.nodes().name(entry.node), entry.count);
        }
        return text;
    }
    /// The same, but the pods come one after another and stay.
    std::string one_by_one(const ScoreOrder& order, ShapeId shape, std::int64_t count) {
        std::map<std::string, std::int64_t> counts;
        for (; count > 0; --count) {
            const auto plan = find(order, shape, {});
            if (!plan) return "no";
            cluster.allocate(plan->driver, shape, core::UsedBy::gang);
            ++counts[cluster.nodes().name(plan->driver)];
        }
        std::string text;
        for (const auto& [name, pods] : counts) text += fmt::format(" {}:{}", name, pods);
        return text;
    }
};

}  // namespace

TEST_CASE("SCORE-9: the lecture's priorities, without those of services") {
    Setup s;
    s.add(node("n1").cpu(4).memory("8Gi"));
    s.add(node("n2").cpu(4).memory("8Gi"));
    s.take("n1", resources("1", "2Gi"));
    s.take("n2", resources("2", "1Gi"));
    const ShapeId pod = s.cluster.intern_shape(resources("500m", "1Gi"), {});
    const ScoreOrder lecture = {
        score("LeastRequestedPriority"),
        score("BalancedResourceAllocation"),
        score("ServiceSpreadingPriority", 2),
        score("EqualPriority")};
    CHECK(s.lone(lecture, pod) == "n1");  // 62 + 75 against 56 + 75
    const ScoreOrder most = {score("MostRequestedPriority")};
    CHECK(s.lone(most, pod) == "n2");
}

TEST_CASE("SCORE-11: by how full the GPUs are, which only a pod with GPUs looks at") {
    Setup s;
    s.add(node("n1").extended(gpu, "8"));
    s.add(node("n2").extended(gpu, "4"));
    s.add(node("n3"));
    core::Resources four;
    four.extended = {{gpu, 4}};
    core::Resources two;
    two.extended = {{gpu, 2}};
    s.take("n1", four);
    s.take("n2", two);
    core::Resources one = resources("1", "1Gi");
    const ShapeId without = s.cluster.intern_shape(one, {});
    one.extended = {{gpu, 1}};
    CHECK(s.lone({by_gpus()}, s.cluster.intern_shape(one, {})) == "n2");
    CHECK(s.lone({by_gpus()}, without) == "n1");  // all alike: names decide
}

TEST_CASE("SCORE-7, SCORE-8: soft taints and wishes count by their weight, and only if listed") {
    Setup s;
    using core::TaintEffect;
    s.add(node("n0").taint("a", "", TaintEffect::prefer_no_schedule));
    s.add(node("n1"));
    s.add(node("n2")
              .taint("a", "", TaintEffect::prefer_no_schedule)
              .taint("b", "", TaintEffect::prefer_no_schedule)
              .label("zone", "a"));
    core::Constraints wishes;
    wishes.preferred_affinity = {{80, {{{"zone", core::SelectorOperator::in, {"a"}}}, {}}}};
    const ShapeId pod = s.cluster.intern_shape(resources("1", "1Gi"), wishes);
    CHECK(s.lone({score("TaintToleration")}, pod) == "n1");
    CHECK(s.lone({score("NodeAffinity")}, pod) == "n2");
    CHECK(s.lone({score("NodeAffinity"), score("TaintToleration", 2)}, pod) == "n1");
    CHECK(s.lone({score("NodeAffinity", 3), score("TaintToleration", 2)}, pod) == "n2");
    CHECK(s.lone({score("first-by-name")}, pod) == "n0");
}

TEST_CASE("SCORE-10: six pods, one after another and as a gang") {
    const auto three_nodes = [] {
        Setup s;
        s.add(node("n1").cpu(4).memory("8Gi"));
        s.add(node("n2").cpu(8).memory("16Gi"));
        s.add(node("n3").cpu(4).memory("8Gi"));
        return s;
    };
    const core::Resources one = resources("1", "2Gi");
    Setup s = three_nodes();
    ShapeId pod = s.cluster.intern_shape(one, {});
    const ScoreOrder least = {score("NodeResourcesLeastAllocated")};
    const ScoreOrder most = {score("NodeResourcesMostAllocated")};
    CHECK(s.gang(least, pod, 6) == " n1:2 n2:3 n3:1");
    CHECK(s.gang(most, pod, 6) == " n1:4 n3:2");
    for (const char* next : {"n2", "n1", "n2", "n3", "n2", "n1"}) {
        CHECK(s.lone(least, pod) == next);
        s.cluster.allocate(*s.cluster.nodes().find(next), pod, core::UsedBy::gang);
    }
    s = three_nodes();
    pod = s.cluster.intern_shape(one, {});
    CHECK(s.one_by_one(most, pod, 6) == " n1:4 n3:2");
}

TEST_CASE("SCORE-12: the largest weights do not overflow, and names decide between equals") {
    Setup s;
    s.add(node("n1").cpu(4).memory("8Gi"));
    s.add(node("n2").cpu(4).memory("8Gi"));
    ScoreOrder order;
    for (std::size_t i = 0; i < core::score_table.size(); ++i) {
        order.push_back(
            {static_cast<core::ScoreId>(i), core::score_weight_max, {}, {{0, 100}, {100, 100}}});
    }
    const ShapeId pod = s.cluster.intern_shape(resources("1", "1Gi"), {});
    CHECK(s.lone(order, pod) == "n1");
    s.take("n1", resources("1", "2Gi"));
    CHECK(s.lone({score("least-allocated", core::score_weight_max)}, pod) == "n2");
}

TEST_CASE("weighted: a score that spreads gives way where several shapes need the room") {
    Setup s;
    s.add(node("n1").cpu(4).memory("8Gi"));
    s.add(node("n2").cpu(4).memory("8Gi"));
    const ShapeId small = s.cluster.intern_shape(resources("2", "1Gi"), {});
    const ShapeId large = s.cluster.intern_shape(resources("1", "6Gi"), {});
    const ScoreOrder spread = {score("least-allocated")};
    core::PlacementRequest request;
    request.executors = {{small, 2}, {large, 1}};
    request.scores = &spread;
    CHECK(s.planner.fits(s.cluster, request));
    CHECK(s.planner.find(s.cluster, request).has_value());
}

TEST_CASE("weighted: images draw pods to the nodes that have them, and only if listed") {
    Setup s;
    core::Node with = node("n2");
    with.images = core::NodeImages{{"spark:4", std::int64_t{4} << 30}};
    s.add(node("n1"));
    s.add(with);
    core::Constraints wishes;
    wishes.images = {"spark:4"};
    const ShapeId pod = s.cluster.intern_shape(resources("100m", "1Gi"), wishes);
    CHECK(s.lone({score("ImageLocality")}, pod) == "n2");
    CHECK(s.lone({score("most-allocated")}, pod) == "n1");
    CHECK(s.lone({score("ImageLocality", 2), score("first-by-name")}, pod) == "n2");
    CHECK(s.gang({score("ImageLocality")}, pod, 3) == " n2:3");
}

namespace {

/// Any scores that look at one node alone, with any weights, resources and lines.
ScoreOrder any_order(tests::Random& random) {
    const std::vector<const char*> names = {
        "least-allocated", "most-allocated", "balanced-allocation", "gpu-bestfit", "most-requested",
        "first-by-name", "binpack", "requested-to-capacity-ratio", "TaintToleration",
        "NodeAffinity", "ImageLocality"};
    ScoreOrder order;
    for (std::int64_t n = random.between(1, 4); n > 0; --n) {
        const auto at = static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(names.size()) - 1));
        core::WeightedScore one = score(names[at], random.between(1, 5));
        const std::string_view name = names[at];
        if (name == "requested-to-capacity-ratio") {
            one.shape = {{0, random.between(0, 100)}, {60, random.between(0, 100)}, {100, 50}};
        }
        const bool has_resources =
            name.ends_with("-allocated") || name == "binpack" || !one.shape.empty();
        if (has_resources && random.one_in(2)) {
            one.resources = {{"cpu", random.between(1, 9)}, {gpu, random.between(1, 9)}};
        }
        order.push_back(std::move(one));
    }
    return order;
}

}  // namespace

TEST_CASE("SCORE-10: a gang goes where its pods would go one by one, whatever the scores") {
    tests::Random random;
    for (int round = 0; round < 400; ++round) {
        Setup s;
        for (int i = 0; i < 6; ++i) {
            core::Node made = node("n" + std::to_string(i))
                                  .cpu(random.between(1, 8))
                                  .memory(std::to_string(random.between(1, 16)) + "Gi")
                                  .extended(gpu, std::to_string(random.between(0, 4)))
                                  .label("zone", random.one_in(2) ? "a" : "b");
            if (random.one_in(3)) {
                made.taints.push_back({"a", "", core::TaintEffect::prefer_no_schedule});
            }
            made.images.emplace();
            for (const char* const image : {"x:1", "y:1"}) {
                if (random.one_in(2)) {
                    made.images->push_back({image, random.between(0, 3000) << 20});
                }
            }
            s.add(made);
            core::Resources there = resources("250m", "512Mi");
            if (random.one_in(2)) s.take(made.name, there);
        }
        core::Resources wanted = resources("500m", "1Gi");
        if (random.one_in(2)) wanted.extended = {{gpu, 1}};
        core::Constraints wishes;
        wishes.preferred_affinity = {{80, {{{"zone", core::SelectorOperator::in, {"a"}}}, {}}}};
        wishes.images = {"x:1"};
        if (random.one_in(2)) wishes.images.emplace_back("y:1");
        const ShapeId shape = s.cluster.intern_shape(wanted, wishes);
        const std::int64_t count = random.between(1, 12);
        const ScoreOrder order = any_order(random);
        const std::string together = s.gang(order, shape, count);
        REQUIRE_MESSAGE(
            together == s.one_by_one(order, shape, count), "GANG_SEED=" << random.seed());
    }
}

TEST_CASE("weighted: a gang goes where its pods would go one by one") {
    tests::Random random;
    const std::vector<ScoreOrder> orders = {
        {score("least-allocated", 2), score("balanced-allocation")},
        {score("most-allocated"), score("gpu-bestfit", 3)},
        {by_gpus(), score("least-allocated", 5), score("TaintToleration", 3)}};
    for (int round = 0; round < 60; ++round) {
        Setup s;
        for (int i = 0; i < 5; ++i) {
            auto made = node("n" + std::to_string(i))
                            .cpu(random.between(1, 8))
                            .memory(std::to_string(random.between(1, 16)) + "Gi")
                            .extended(gpu, std::to_string(random.between(0, 4)));
            if (random.one_in(3)) {
                made = made.taint("a", "", core::TaintEffect::prefer_no_schedule);
            }
            s.add(made);
        }
        core::Resources wanted = resources("500m", "1Gi");
        if (random.one_in(2)) wanted.extended = {{gpu, 1}};
        const ShapeId shape = s.cluster.intern_shape(wanted, {});
        const std::int64_t count = random.between(1, 9);
        const ScoreOrder& order = orders[static_cast<std::size_t>(random.between(0, 2))];
        const std::string together = s.gang(order, shape, count);
        CHECK(together == s.one_by_one(order, shape, count));
    }
}

TEST_CASE("weighted scores: a gang that they would spread out of its room is packed tightly") {
    Setup setup;
    setup.add(node("n1").cpu(4).memory("1Gi"));
    setup.add(node("n2").cpu(5).memory("16Gi"));
    const ShapeId plain = setup.cluster.intern_shape(resources("3"), {});
    const ShapeId with_memory = setup.cluster.intern_shape(resources("3", "2Gi"), {});
    const ScoreOrder order = {score("NodeResourcesLeastAllocated")};
    // The emptier node would be the first one's, and is the only one for the second.
    CHECK(setup.gang(order, plain, 1) == " n2:1");
    const auto plan = setup.find(order, {}, {{plain, 1}, {with_memory, 1}});
    REQUIRE(plan.has_value());
    CHECK(setup.cluster.nodes().name(plan->executors[0][0].node) == "n1");
    CHECK(setup.cluster.nodes().name(plan->executors[1][0].node) == "n2");
}
