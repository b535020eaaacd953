#include "core/cluster/device/card_table.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

using namespace core;

namespace {

constexpr NodeIndex node_0{0};
constexpr NodeIndex node_5{5};
constexpr ExtendedId by_memory{7};
constexpr ExtendedId by_cores{8};
constexpr ExtendedId by_slots{9};

std::string gpu_id(char last) {
    return std::string("GPU-8b2a4a5e-0f3c-4d1e-9a7b-00112233ffe") + last;
}

NodeCards alnair(char of_first, char of_second) {
    return {"alnair/vgpu-memory", {{gpu_id(of_first), 16}, {gpu_id(of_second), 8}}, {}};
}

}  // namespace

TEST_CASE(
    "card table: nodes with the same cards share their layout until the last one has others") {
    CardTable table;
    const std::vector<ExtendedId> by{by_memory};
    const NodeCards one = alnair('0', '1');
    const NodeCards other = alnair('2', '3');
    table.set(node_0, &one, by);
    table.set(node_5, &other, by);
    CHECK(table.layout_count() == 1);
    CHECK(*table.find(node_0) == one);
    CHECK(*table.find(node_5) == other);
    CHECK(table.id(node_5, 1) == gpu_id('3'));
    CHECK(table.has(node_0, one));
    CHECK_FALSE(table.has(node_0, other));
    CHECK_FALSE(table.has(node_0, {}));
    CHECK(table.has({3}, {}));
    CHECK_FALSE(table.has_cards({3}));
    CHECK(table.account().adds_up());

    table.set(node_0, nullptr, {});
    CHECK_FALSE(table.find(node_0));
    CHECK(table.layout_count() == 1);
    table.set(node_5, nullptr, {});
    CHECK(table.layout_count() == 0);
    CHECK(table.offers(node_5, by_memory).empty());
    CHECK(table.account().adds_up());
}

TEST_CASE("card table: what a card offers, by resource and by id") {
    CardTable table;
    const NodeCards said{
        "volcano.sh/vgpu-memory", {{gpu_id('0'), 16, 100, 10}, {"U2", 8, 0, 4}}, {}};
    const std::vector<ExtendedId> by{by_memory, by_cores, by_slots};
    table.set(node_5, &said, by);
    CHECK(table.has_cards(node_5));
    CHECK(table.resources(node_5) == by);
    REQUIRE(table.offers(node_5, by_memory).size() == 2);
    CHECK(table.offers(node_5, by_memory)[1] == CardTable::Offer{1, 8});
    CHECK(table.offers(node_5, by_cores).size() == 1);  // the other one offers none
    CHECK(table.offers(node_5, {}).empty());
    REQUIRE(table.find_offer(node_5, by_slots, cut_card_id("U2")) != nullptr);
    CHECK(*table.find_offer(node_5, by_slots, cut_card_id("U2")) == CardTable::Offer{1, 4});
    CHECK(table.find_offer(node_5, by_cores, cut_card_id("U2")) == nullptr);
    CHECK(table.find_offer(node_5, by_slots, cut_card_id(gpu_id('1'))) == nullptr);
    CHECK(table.find_offer(node_0, by_slots, cut_card_id("U2")) == nullptr);
}

TEST_CASE("card table: cards that cannot be read are known, and none") {
    CardTable table;
    const NodeCards unreadable{"alnair/vgpu-memory", {}, "abc"};
    table.set(node_0, &unreadable, {});
    CHECK(table.has(node_0, unreadable));
    CHECK_FALSE(table.has_cards(node_0));
    CHECK(table.resources(node_0).empty());
    const NodeCards other{"alnair/vgpu-memory", {}, "abd"};
    CHECK_FALSE(table.has(node_0, other));
}
