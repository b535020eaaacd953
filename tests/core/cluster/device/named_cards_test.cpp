// What is counted on cards of which nobody has said which they are, and what the cards themselves tell.

#include "core/cluster/device/named_cards.hpp"

#include "core/cluster/cluster.hpp"
#include "core/value/device/card_ask.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

namespace {
namespace named_cards {

using Said = std::vector<core::ExtendedResource>;

const core::CardFamily& vgpus = *core::family_of_cards("volcano.sh/vgpu-memory");
const core::CardFamily& shares = *core::family_of_cards("volcano.sh/gpu-memory");

core::Resources asking(const core::CardAsk& ask) {
    return {100, 0, 0, {{core::name_of(ask), 1}}};
}

core::Node node_with(std::string_view resource, const std::vector<core::Card>& cards) {
    core::Node node;
    node.name = "n1";
    node.ready = true;
    node.pods = 110;
    node.allocatable.cpu_milli = 8'000;
    node.cards = core::NodeCards{std::string(resource), cards, {}};
    return node;
}

/// All cards that the allocation takes of, unknown ones too.
Said all_cards(const core::Cluster& cluster, core::AllocationId id) {
    return core::cards_among(cluster.room().amounts()[cluster.allocations().of(id).resources]);
}

struct Setup {
    core::Cluster cluster;
    core::NodeIndex n1;

    explicit Setup(const core::Node& node) {
        cluster.upsert_node(node);
        n1 = *cluster.nodes().find("n1");
    }
    Said of_others(const core::Resources& wanted, const Said& said = {}) {
        return of(wanted, core::UsedBy::other_scheduler, said);
    }
    Said of(const core::Resources& wanted, core::UsedBy used_by, const Said& said = {}) {
        const core::AllocationId id =
            cluster.allocations().allocate(n1, wanted, used_by, {core::CardChoice::least_left, said});
        Said cards = all_cards(cluster, id);
        cluster.allocations().release(id);
        return cards;
    }
};

TEST_CASE("named cards: of an ask by others counts what it takes of the largest card, and no more kinds than it asks") {
    Setup s(node_with(vgpus.units, {{"U1", 8'000, 100, 10}, {"U2", 16'000, 100, 10}, {"U3", 4'000, 100, 10}}));
    CHECK(
        s.of_others(asking({&vgpus, 1, 0, 50, 0})) ==
        Said{{"volcano.sh/vgpu+memory@?", 8'000}, {"volcano.sh/vgpu+slots@?", 1}});
    CHECK(
        s.of_others(asking({&vgpus, 1, 3'000, 0, 1})) ==
        Said{{"volcano.sh/vgpu+cores@?", 1}, {"volcano.sh/vgpu+memory@?", 3'000}, {"volcano.sh/vgpu+slots@?", 1}});
    Setup shared(node_with(shares.units, {{"0", 8'000, 0, 0}}));
    CHECK(shared.of_others(asking({&shares, 1, 0, 100, 0})) == Said{{"volcano.sh/gpu+memory@?", 8'000}});
    Setup bare(node_with(vgpus.units, {}));
    CHECK(
        bare.of_others(asking({&vgpus, 1, 0, 50, 0})) ==
        Said{{"volcano.sh/vgpu+memory@?", 1}, {"volcano.sh/vgpu+slots@?", 1}});
    CHECK(bare.of(asking({&vgpus, 1, 0, 50, 0}), core::UsedBy::gang).size() == 2);
}

TEST_CASE("named cards: two asks that get one card take the sum of it") {
    Setup s(node_with(vgpus.units, {{"U1", 8'000, 100, 10}}));
    core::Resources wanted = asking({&vgpus, 1, 1'000, 0, 20});
    wanted.extended.push_back({core::name_of(core::CardAsk{&vgpus, 1, 3'000, 0, 30}), 1});
    CHECK(
        s.of(wanted, core::UsedBy::gang) ==
        Said{{"volcano.sh/vgpu+cores@U1", 50}, {"volcano.sh/vgpu+memory@U1", 4'000}, {"volcano.sh/vgpu+slots@U1", 2}});
    CHECK(
        s.of_others(wanted) ==
        Said{{"volcano.sh/vgpu+cores@?", 50}, {"volcano.sh/vgpu+memory@?", 4'000}, {"volcano.sh/vgpu+slots@?", 2}});
}

TEST_CASE("named cards: where the word is that the card tells, it is asked") {
    Setup s(node_with(vgpus.units, {{"U1", 8'000, 100, 10}, {"U2", 16'000, 50, 3}}));
    const auto told = [&](const core::Resources& wanted, const std::string& name) {
        const Said cards = s.of(wanted, core::UsedBy::gang, {{name, core::by_the_card}});
        REQUIRE(cards.size() == 1);
        CHECK(cards.front().name == name);
        return cards.front().amount;
    };
    const core::Resources half = asking({&vgpus, 1, 0, 50, 0});
    const core::Resources some = asking({&vgpus, 1, 3'000, 0, 0});
    CHECK(told(half, "volcano.sh/vgpu+memory@U1") == 4'000);
    CHECK(told(half, "volcano.sh/vgpu+memory@U2") == 8'000);
    CHECK(told(some, "volcano.sh/vgpu+memory@U2") == 3'000);
    CHECK(told(half, "volcano.sh/vgpu+slots@U2") == 3);  // all of it, which is no part of its units
    CHECK(told(half, "volcano.sh/vgpu+cores@U2") == 50);
    CHECK(told(half, "volcano.sh/vgpu+memory@U9") == 1);  // no such card: something is taken
    CHECK(told(half, "volcano.sh/vgpu+slots@U9") == 1);
    CHECK(told(half, "nobody/has+memory@U1") == 1);
    const core::Resources units{0, 0, 0, {{"alnair/vgpu-memory", 3}}};
    Setup alnair(node_with("alnair/vgpu-memory", {{"U1", 8, 0, 0}}));
    CHECK(
        alnair.of(units, core::UsedBy::gang, {{"alnair/vgpu-memory@U1", core::by_the_card}}) ==
        Said{{"alnair/vgpu-memory@U1", 8}});
    CHECK(alnair.of(units, core::UsedBy::gang, {{"alnair/vgpu-memory@U1", 2}}) == Said{{"alnair/vgpu-memory@U1", 2}});
}

TEST_CASE("named cards: what has no units is no card, whatever else it has") {
    Setup s(node_with(vgpus.units, {{"U1", 0, 30, 2}, {"U2", 8'000, 0, 0}, {"U3", 0, 30, 2}}));
    const core::ShapeId shape = s.cluster.intern_shape(asking({&vgpus, 1, 3'000, 0, 50}), {});
    CHECK(s.cluster.capacity(s.n1, shape, core::View::free) == 2);  // nobody counts anything but units of U2
    CHECK(s.of(asking({&vgpus, 1, 3'000, 0, 50}), core::UsedBy::gang) == Said{{"volcano.sh/vgpu+memory@U2", 3'000}});
}

TEST_CASE("named cards: where too few have room for an ask, those with the most left are overdrawn") {
    Setup s(node_with(vgpus.units, {{"U1", 4'000, 100, 10}, {"U2", 16'000, 100, 10}, {"U3", 8'000, 100, 10}}));
    CHECK(
        s.of(asking({&vgpus, 2, 9'000, 0, 0}), core::UsedBy::gang) == Said{
                                                                          {"volcano.sh/vgpu+memory@U2", 9'000},
                                                                          {"volcano.sh/vgpu+memory@U3", 9'000},
                                                                          {"volcano.sh/vgpu+slots@U2", 1},
                                                                          {"volcano.sh/vgpu+slots@U3", 1}});
    CHECK(s.of(asking({&vgpus, 4, 1'000, 0, 0}), core::UsedBy::gang).size() == 6);  // all that there are
}

}  // namespace named_cards
}  // namespace
