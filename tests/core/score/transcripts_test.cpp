// All scores of nodes whose loads are small numbers and the limits on both sides: every row of the table, told in full.

#include "core/placement/packing_policy.hpp"
#include "core/score/allocated.hpp"
#include "core/score/balanced.hpp"
#include "core/score/preference_score.hpp"
#include "core/score/score_table.hpp"
#include "core/score/weighted_score.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>
#include <vector>

namespace score_walk {

using namespace core;
using tests::Walk;

constexpr std::int64_t huge = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t exact = std::int64_t{1} << 56;

std::int64_t any_amount(Walk& walk) {
    const std::vector<std::int64_t> small = {0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 50, 99, 100, 101};
    const std::vector<std::int64_t> large = {
        127, 128, exact - 1, exact, exact + 1, exact + 127, exact + 128, exact / 2, huge / 2, huge - 1, huge};
    return walk.pick(4) == 0 ? walk.of(large) : walk.of(small);
}

Load any_load(Walk& walk) {
    const std::int64_t allocatable = any_amount(walk);
    const std::int64_t requested = walk.pick(2) == 0 ? any_amount(walk) : allocatable / 2;
    return {allocatable, requested, walk.pick(4) == 0 ? 0 : any_amount(walk)};
}

std::string text_of(const Load& load) {
    const auto number = [](std::int64_t value) {
        if (value == huge) return std::string("max");
        if (value > exact / 2 && value <= exact + 128) return "2^56" + std::to_string(value - exact);
        return std::to_string(value);
    };
    return number(load.requested) + "+" + number(load.asked) + "/" + number(load.allocatable);
}

std::vector<ShapePoint> any_shape(Walk& walk) {
    const auto points = [&walk] { return static_cast<std::int64_t>(walk.pick(101)); };
    std::vector<ShapePoint> shape;
    for (std::int64_t at = walk.pick(2) == 0 ? 0 : points() / 2; at <= 100; at += 1 + points() / 2) {
        shape.push_back({at, points()});
    }
    return shape;
}

TEST_CASE("score: every score of odd nodes") {
    Walk walk(2);
    std::string told;
    for (int i = 0; i < 450; ++i) {
        NodeLoad node;
        node.cpu = any_load(walk);
        node.memory = any_load(walk);
        node.devices = any_load(walk);
        node.gpu_score = static_cast<std::int64_t>(walk.pick(101));
        ScoreContext context;
        context.most = {static_cast<std::int32_t>(walk.pick(4)), static_cast<std::int32_t>(walk.pick(101)), 0};
        context.preference.taints = static_cast<std::int32_t>(
            walk.pick(static_cast<std::size_t>(context.most.taints) + 1));
        context.preference.weight = static_cast<std::int32_t>(
            walk.pick(static_cast<std::size_t>(context.most.weight) + 1));
        context.pods = {static_cast<std::int64_t>(walk.pick(101)), static_cast<std::int64_t>(walk.pick(101))};
        context.images = static_cast<std::int64_t>(walk.pick(101));
        const std::vector<ShapePoint> shape = any_shape(walk);
        context.shape = shape;
        std::vector<WeightedLoad> resources;
        if (walk.pick(2) == 0) {
            for (std::size_t n = walk.pick(4); n > 0; --n) {
                resources.push_back({any_load(walk), static_cast<std::int64_t>(1 + walk.pick(100))});
            }
            context.resources = resources;
        }
        node.context = &context;
        told += text_of(node.cpu) + " " + text_of(node.memory) + " " + text_of(node.devices);
        for (const WeightedLoad& one : resources) {
            told += " " + std::to_string(one.weight) + "x" + text_of(one.load);
        }
        for (const ShapePoint& point : shape) {
            told += " " + std::to_string(point.utilization) + ":" + std::to_string(point.score);
        }
        told += "\n ";
        for (const Score& score : score_table) told += " " + std::to_string(score.of(node));
        told += " | " + std::to_string(preference_score(context.preference, context.most, context.pods)) + "\n";
    }
    tests::check_transcript("core/score/transcripts/scores", told);
}

TEST_CASE("score: the points of a line, and what lies before, between and behind them") {
    const std::vector<ShapePoint> line = {{10, 0}, {20, 100}, {90, 30}};
    const auto at = [&line](std::int64_t percent) { return requested_to_capacity_ratio({100, percent, 0}, line); };
    CHECK(at(0) == 0);
    CHECK(at(10) == 0);
    CHECK(at(11) == 10);
    CHECK(at(19) == 90);
    CHECK(at(20) == 100);
    CHECK(at(21) == 99);
    CHECK(at(89) == 31);
    CHECK(at(90) == 30);
    CHECK(at(100) == 30);
    CHECK(at(101) == 30);
}

TEST_CASE("score: what a row of the table is, and what it asks for") {
    std::string told;
    for (std::size_t i = 0; i < score_table.size(); ++i) {
        const auto id = static_cast<ScoreId>(i);
        const Score& score = score_table[i];
        const ScoreOrder alone = {{id, 1, {}, {}}};
        told += std::string(score.name) + "/" + std::string(score.plugin) + "/" + std::string(score.priority);
        told += " kind " + std::to_string(static_cast<int>(score.kind));
        told += " use " + std::to_string(static_cast<int>(score.use));
        told += " shown as " + std::string(plugin_name(id));
        told += stays_best(alone) ? ", stays best" : "";
        told += asks_images(alone) ? ", of images" : "";
        told += spreads_alike(alone) ? ", spreads alike" : "";
        told += asks_pods(alone) ? ", of pods" : "";
        told += spreads(score) ? ", spreads" : "";
        told += card_choice(PackingPolicy::tightest, &alone) == CardChoice::most_left ? ", over cards" : "";
        told += "\n";
    }
    for (const PackingPolicy policy : packing_policies()) {
        told += std::string(to_string(policy)) + " " + std::to_string(static_cast<int>(policy));
        told += card_choice(policy, nullptr) == CardChoice::most_left ? ", over cards" : "";
        told += find_packing_policy(to_string(policy)) == policy ? "\n" : " is not found\n";
    }
    told += packing_names() + "\n";
    tests::check_transcript("core/score/transcripts/table", told);
    CHECK_FALSE(find_packing_policy("tight").has_value());
}

TEST_CASE("score: of several, one that asks is enough, and all must stay best") {
    const auto order = [](std::initializer_list<const char*> names) {
        ScoreOrder made;
        for (const char* name : names) made.push_back({*find_score_id(name), 1, {}, {}});
        return made;
    };
    const ScoreOrder plain = order({"most-allocated", "binpack"});
    CHECK(stays_best(plain));
    CHECK_FALSE(asks_images(plain));
    CHECK_FALSE(asks_pods(plain));
    CHECK_FALSE(spreads_alike(plain));
    CHECK_FALSE(stays_best(order({"most-allocated", "least-allocated"})));
    CHECK(asks_images(order({"binpack", "image-locality"})));
    CHECK(asks_pods(order({"binpack", "inter-pod-affinity"})));
    CHECK(asks_pods(order({"pod-topology-spread", "binpack"})));
    CHECK(spreads_alike(order({"binpack", "selector-spread"})));
    CHECK(spreads_alike(order({"service-spreading", "binpack"})));
    const ScoreOrder over_cards = order({"binpack", "least-allocated"});
    CHECK(card_choice(PackingPolicy::tightest, &over_cards) == CardChoice::most_left);
    const ScoreOrder first = order({"least-allocated", "binpack"});
    CHECK(card_choice(PackingPolicy::tightest, &first) == CardChoice::most_left);
    CHECK(card_choice(PackingPolicy::least_allocated, &plain) == CardChoice::least_left);
    CHECK(stays_best(ScoreOrder{}));
}

}  // namespace score_walk
