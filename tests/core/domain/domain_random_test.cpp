// DomainRules against the definition, on tiny clusters that change: GANG_SEED=7 repeats a run.

#include "tests/core/domain/domain_world.hpp"
#include "tests/core/domain/rules_dice.hpp"

#include <doctest/doctest.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

using namespace tests;

using Dice = RulesDice;

/// A pod that waits all the time, with what was last answered for it.
struct Waiting {
    RuledPod pod;
    core::RulesId id;
    std::uint64_t version = 0;
    std::optional<core::AllowedNodes> answer;
    std::size_t nodes = 0;
};

void change(DomainWorld& world, Dice& dice) {
    switch (dice.between(0, 5)) {
        case 0:
            world.upsert_node(dice.node());
            break;
        case 1:
            if (const core::Node node = dice.node(); world.naive.nodes.contains(node.name)) {
                world.remove_node(node.name);
            }
            break;
        case 2:
            if (!world.naive.pods.empty()) {
                world.take_away(static_cast<std::size_t>(
                    dice.between(0, static_cast<std::int64_t>(world.naive.pods.size()) - 1)));
            }
            break;
        default:
            RuledPod pod = dice.pod();
            if (dice.one_in(2)) pod.rules = dice.rules();
            world.place(pod);
    }
}

void check(DomainWorld& world, Waiting& one) {
    const core::AllowedNodes answer = world.allowed(one.pod, one.id);
    CHECK(answer == world.naive_allowed(one.pod));
    const core::IncomingPod incoming{
        one.id, one.pod.namespace_name, one.pod.labels, one.pod.constraints};
    if (!world.rules.concerns(incoming)) CHECK(answer.nodes == world.all_nodes());
    const std::uint64_t version = world.rules.version(one.id);
    const bool is_same =
        one.answer && one.version == version && one.nodes == world.naive.nodes.size();
    if (is_same) CHECK(answer == *one.answer);
    one = {one.pod, one.id, version, answer, world.naive.nodes.size()};
}

}  // namespace

TEST_CASE("domain rules: allowed nodes and reasons are those of the definition") {
    Dice dice;
    CAPTURE(dice.seed());
    for (int round = 0; round < 1'500; ++round) {
        DomainWorld world;
        std::vector<Waiting> waiting;
        for (int step = 0; step < 25; ++step) {
            change(world, dice);
            if (dice.one_in(4)) {
                RuledPod pod = dice.pod();
                pod.rules = dice.rules();
                waiting.push_back({pod, world.retain(pod), 0, std::nullopt, 0});
            }
            for (Waiting& one : waiting) check(world, one);
        }
        for (const Waiting& one : waiting) world.release(one.id);
        while (!world.naive.pods.empty()) world.take_away(world.naive.pods.size() - 1);
        CHECK(world.rules.size() == 0);
    }
}

TEST_CASE("domain rules: a trial leaves nothing behind") {
    Dice dice;
    CAPTURE(dice.seed());
    for (int round = 0; round < 300; ++round) {
        DomainWorld world;
        std::vector<core::RulesId> held;
        for (int step = 0; step < 15; ++step) {
            change(world, dice);
            RuledPod pod = dice.pod();
            pod.rules = dice.rules();
            held.push_back(world.retain(pod));
            const core::AllowedNodes before = world.allowed(pod, held.back());
            const std::size_t size = world.rules.size();
            world.place(pod);
            world.take_away(world.naive.pods.size() - 1);
            CHECK(world.allowed(pod, held.back()) == before);
            CHECK(world.rules.size() == size);
        }
    }
}

TEST_CASE("domain rules: as many fit by the closed form as by trying every order") {
    Dice dice;
    CAPTURE(dice.seed());
    int compared = 0;
    for (int round = 0; round < 6'000; ++round) {
        DomainWorld world;
        for (int n = 0; n < 4; ++n) world.upsert_node(dice.node());
        for (std::int64_t n = dice.between(0, 3); n > 0; --n) {
            RuledPod pod = dice.pod();
            if (dice.one_in(3)) pod.rules = dice.rules();
            world.place(pod);
        }
        RuledPod pod = dice.pod();
        pod.is_deleting = false;
        pod.rules = dice.rules();
        const auto among = rules_among_themselves(pod.rules, pod.namespace_name, pod.labels);
        if (among.size() > 1) continue;
        std::map<std::string, std::int64_t> room;
        std::vector<std::int32_t> capacities;
        for (const auto& [name, node] : world.naive.nodes) {
            const bool is_eligible = core::filter_node(node, pod.constraints).passes();
            room[name] = is_eligible ? dice.between(0, 2) : 0;
            capacities.push_back(static_cast<std::int32_t>(room[name]));
        }
        const core::RulesId id = world.retain(pod);
        const std::int64_t wanted = naive_most(world.naive, pod, room);
        ++compared;
        if (among.empty()) {
            const core::NodeBitmap allowed = world.allowed(pod, id).nodes;
            std::int64_t most = 0;
            for (std::size_t i = 0; i < capacities.size(); ++i) {
                most += allowed.test(i) ? capacities[i] : 0;
            }
            CHECK(most == wanted);
            continue;
        }
        const core::RoomByDomain by_domain = world.room(pod, id, among[0], capacities);
        CHECK(most_pods(by_domain) == wanted);
        CHECK(share_out(by_domain, wanted).has_value());
        CHECK_FALSE(share_out(by_domain, wanted + 1));
    }
    CHECK(compared > 2'000);
}
