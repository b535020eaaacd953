#include "core/score/allocated.hpp"
#include "core/score/balanced.hpp"
#include "core/score/device_fit.hpp"
#include "core/score/preference_score.hpp"
#include "core/score/score_table.hpp"
#include "core/score/weighted_score.hpp"
#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <array>
#include <limits>
#include <set>
#include <span>
#include <string_view>
#include <vector>

using core::Load;
using core::NodeLoad;

namespace {

constexpr std::int64_t gi = std::int64_t{1} << 30;
constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();

/// 4 cores and 8Gi, for a pod of 500m and 1Gi.
NodeLoad node_with(std::int64_t cpu_used, std::int64_t gi_used) {
    return {{4000, cpu_used, 500}, {8 * gi, gi_used * gi, gi}, {}};
}

std::int64_t old_balance(const NodeLoad& load) {
    return core::balance(
        core::used(load.cpu.after(), load.cpu.allocatable),
        core::used(load.memory.after(), load.memory.allocatable));
}

}  // namespace

TEST_CASE("SCORE-1, SCORE-2: score: a quarter used, with kube-scheduler's numbers") {
    const NodeLoad load = node_with(1000, 2);
    CHECK(core::least_allocated(load) == 62);
    CHECK(core::most_allocated(load) == 37);
    CHECK(old_balance(load) == 100);
    CHECK(core::balanced_allocation(load) == 75);
}

TEST_CASE("score: where the shares differ, CPU and memory are averaged") {
    const NodeLoad load = node_with(2000, 1);
    CHECK(core::least_allocated(load) == 56);  // 37 and 75
    CHECK(old_balance(load) == 81);
    CHECK(core::balanced_allocation(load) == 75);  // the distance stays
}

TEST_CASE("score: what is too much, or not there") {
    CHECK(core::least_allocated({{4000, 3600, 500}, {8 * gi, 0, 0}, {}}) == 50);
    CHECK(core::most_allocated({{4000, 3600, 500}, {8 * gi, 0, 0}, {}}) == 50);
    CHECK(core::least_allocated({{4000, 0, 1000}, {0, 0, 0}, {}}) == 75);
    CHECK(core::most_allocated({{4000, 0, 1000}, {0, 0, 0}, {}}) == 25);
    CHECK(core::least_allocated({}) == 0);
    CHECK(core::most_allocated({}) == 0);
    CHECK(core::balanced_allocation({{4000, 0, 1000}, {0, 0, 0}, {}}) == 75);
}

TEST_CASE("SCORE-4: score: the balance of two shares") {
    CHECK(core::balance({3, 4}, {1, 4}) == 75);
    CHECK(core::balance({1, 1}, {0, 1}) == 50);
    CHECK(core::balance({9, 4}, {4, 4}) == 100);  // more than all of it is all of it
    CHECK(core::balance({1, 3}, {1, 3}) == 100);
    CHECK(core::balance({1, 3}, {0, 3}) == 83);  // 83.33, rounded down
}

TEST_CASE("SCORE-4: score: what the pod does to the balance") {
    CHECK(core::balanced_change(50, 100) == 50);
    CHECK(core::balanced_change(100, 50) == 100);
    CHECK(core::balanced_change(75, 100) == 62);
    CHECK(core::balanced_change(100, 100) == 75);
}

TEST_CASE("SCORE-3: score: requested to capacity, along a line") {
    const std::array<core::ShapePoint, 2> rising = {{{0, 0}, {100, 100}}};
    CHECK(core::requested_to_capacity_ratio({8, 4, 1}, rising) == 62);
    CHECK(core::requested_to_capacity_ratio({4, 2, 1}, rising) == 75);
    CHECK(core::requested_to_capacity_ratio({4, 4, 1}, rising) == 100);
    CHECK(core::requested_to_capacity_ratio({0, 0, 0}, rising) == 100);
    const std::array<core::ShapePoint, 3> bent = {{{20, 100}, {60, 0}, {80, 50}}};
    CHECK(core::requested_to_capacity_ratio({100, 0, 10}, bent) == 100);
    CHECK(core::requested_to_capacity_ratio({100, 0, 50}, bent) == 25);
    CHECK(core::requested_to_capacity_ratio({100, 0, 70}, bent) == 25);
    CHECK(core::requested_to_capacity_ratio({100, 0, 90}, bent) == 50);
}

TEST_CASE("score: devices left over, and handed out") {
    const NodeLoad eight{{}, {}, {8, 4, 1}};
    const NodeLoad four{{}, {}, {4, 2, 1}};
    CHECK(core::gpu_bestfit(eight) == 97);
    CHECK(core::gpu_bestfit(four) == 99);
    CHECK(core::most_requested(eight) == 4);
    CHECK(core::most_requested(four) == 2);
}

TEST_CASE("SCORE-5: score: soft taints that are not tolerated") {
    CHECK(core::taint_toleration(1, 2) == 50);
    CHECK(core::taint_toleration(0, 2) == 100);
    CHECK(core::taint_toleration(2, 2) == 0);
    CHECK(core::taint_toleration(0, 0) == 100);
}

TEST_CASE("SCORE-6: score: preferred node affinity") {
    CHECK(core::node_affinity(80, 80) == 100);
    CHECK(core::node_affinity(20, 80) == 25);
    CHECK(core::node_affinity(0, 80) == 0);
    CHECK(core::node_affinity(0, 0) == 0);
    CHECK(core::preference_score({1, 20}, {2, 80}, {10, 70}) == 3 * 50 + 2 * 25 + 2 * 10 + 2 * 70);
}

TEST_CASE("score: amounts as large as they come stay within 0 to 100") {
    tests::Random random;
    CAPTURE(random.seed());
    const auto amount = [&random] {
        return random.one_in(3) ? huge : random.between(0, huge) >> random.between(0, 62);
    };
    for (int i = 0; i < 20'000; ++i) {
        const NodeLoad load{{amount(), amount(), amount()}, {amount(), amount(), amount()}, {}};
        for (const auto score :
             {core::least_allocated, core::most_allocated, core::balanced_allocation}) {
            REQUIRE(score(load) >= 0);
            REQUIRE(score(load) <= core::score_max);
        }
    }
    CHECK(core::least_allocated({{huge, huge / 2, 0}, {huge, huge / 2, 0}, {}}) == 50);
    CHECK(core::balance(core::used(huge, huge), core::used(0, huge)) == 50);
}

TEST_CASE("score: what is said to rise rises, as long as pods fit") {
    tests::Random random;
    CAPTURE(random.seed());
    for (int i = 0; i < 2'000; ++i) {
        const auto load = [&random] {
            return Load{random.between(0, 40), random.between(0, 20), random.between(0, 4)};
        };
        NodeLoad node{load(), load(), load()};
        for (int pods = 0; pods < 10; ++pods) {
            NodeLoad next = node;
            for (Load* one : {&next.cpu, &next.memory, &next.devices})
                one->requested = one->after();
            for (const core::Score& score : core::score_table) {
                CAPTURE(score.name);
                if (core::stays_best(score.kind)) REQUIRE(score.of(next) >= score.of(node));
                if (score.kind == core::ScoreKind::fixed) REQUIRE(score.of(next) == score.of(node));
                if (score.kind == core::ScoreKind::falling)
                    REQUIRE(score.of(next) <= score.of(node));
            }
            node = next;
        }
    }
}

TEST_CASE("score: the resources that a score is told, by weight") {
    NodeLoad load = node_with(1000, 2);  // 62 and 62 free after the pod
    const std::array<core::WeightedLoad, 3> told = {
        {{load.cpu, 1}, {{8, 7, 1}, 3}, {{0, 0, 1}, 100}}};
    core::ScoreContext context;
    load.context = &context;
    context.resources = told;
    CHECK(core::least_allocated(load) == (62 + 3 * 0) / 4);
    CHECK(core::most_allocated(load) == (37 + 3 * 100) / 4);
    context.resources = std::span<const core::WeightedLoad>();
    CHECK(core::least_allocated(load) == 0);
}

TEST_CASE("SCORE-11: requested to capacity of GPUs, and what scores nothing does not count") {
    const std::array<core::ShapePoint, 2> line = {{{0, 0}, {100, 100}}};
    const auto score = [&line](std::vector<core::WeightedLoad> told) {
        core::ScoreContext context;
        context.resources = told;
        context.shape = line;
        NodeLoad load;
        load.context = &context;
        return core::requested_to_capacity_ratio(load);
    };
    CHECK(score({{{8, 4, 1}, 1}}) == 62);
    CHECK(score({{{4, 2, 1}, 1}}) == 75);
    CHECK(score({{{4, 2, 1}, 1}, {{100, 0, 0}, 5}}) == 75);
    CHECK(score({{{4, 2, 0}, 1}, {{100, 51, 0}, 1}}) == 51);  // 50.5
    CHECK(score({}) == 0);
}

TEST_CASE("score: every name of a score is found, and each once") {
    std::set<std::string_view> seen;
    for (std::size_t i = 0; i < core::score_table.size(); ++i) {
        const core::Score& score = core::score_table[i];
        for (const std::string_view name : {score.name, score.plugin, score.priority}) {
            if (name.empty()) continue;
            CAPTURE(name);
            CHECK(core::find_score_id(name) == static_cast<core::ScoreId>(i));
            CHECK(seen.insert(name).second);
        }
    }
    CHECK(core::find_score_id("NodeResourcesFit") == core::find_score_id("least-allocated"));
    CHECK_FALSE(core::find_score_id(""));
    CHECK_FALSE(core::find_score_id("LeastRequested"));
}

TEST_CASE("score: Volcano's binpack looks at what the pod asks for") {
    NodeLoad node;
    node.cpu = {4, 2, 1};     // 3 of 4
    node.memory = {8, 4, 0};  // not asked for
    CHECK(core::binpack(node) == 75);
    node.memory.asked = 2;  // 6 of 8
    CHECK(core::binpack(node) == 75);
    const std::vector<core::WeightedLoad> weighted = {{node.cpu, 1}, {{8, 7, 1}, 3}, {{8, 8, 0}, 9}};
    core::ScoreContext context;
    context.resources = weighted;
    node.context = &context;
    CHECK(core::binpack(node) == (75 + 3 * 100) / 4);
    CHECK(core::binpack(NodeLoad{}) == 0);
}
