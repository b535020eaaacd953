#include "core/value/device/card_layout.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace core;

namespace {

const std::string uuid_a = "8b2a4a5e-0f3c-4d1e-9a7b-00112233ffee";
const std::string uuid_b = "8b2a4a5e-0f3c-4d1e-9a7b-00112233ffef";

}  // namespace

TEST_CASE("cards: an id is cut in front of the uuid at its end, and said again in full") {
    for (const std::string& id :
         {"GPU-" + uuid_a, uuid_a, "GPU-" + uuid_a + "-" + uuid_b, "MIG-GPU-" + uuid_b}) {
        INFO(id);
        const CardId cut = cut_card_id(id);
        CHECK(cut.uuid);
        CHECK(cut.front + text_of(*cut.uuid) == id);
        CHECK(text_of(cut) == id);
    }
    for (const std::string& id :
         {std::string(),
          std::string("U1"),
          "GPU-" + uuid_a + "x",
          "GPU-" + uuid_a.substr(1),
          std::string("GPU-8B2A4A5E-0F3C-4D1E-9A7B-00112233FFEE")}) {
        INFO(id);
        CHECK(cut_card_id(id) == CardId{id, {}});
        CHECK(text_of(cut_card_id(id)) == id);
    }
}

TEST_CASE("cards: nodes that differ in uuids alone have one layout, and nothing of them is lost") {
    const NodeCards one{"x", {{"GPU-" + uuid_a, 16}, {"U2", 8}, {uuid_b, 4, 100, 10}}, {}};
    NodeCards other = one;
    other.cards[0].id = "GPU-" + uuid_b;
    const CutCards cut = cut_cards(one);
    CHECK(cut.uuids.size() == 2);
    CHECK(cut.layout == cut_cards(other).layout);
    CHECK(cut.uuids != cut_cards(other).uuids);
    CHECK(join_cards(cut.layout, cut.uuids) == one);
    const NodeCards unreadable{"x", {}, "abc"};
    CHECK(join_cards(cut_cards(unreadable).layout, {}) == unreadable);
    NodeCards larger = one;
    larger.cards[1].units = 9;
    CHECK(cut.layout != cut_cards(larger).layout);
}

TEST_CASE("cards: each is found by its id, and its id by its place") {
    const NodeCards said{
        "x", {{"U1", 16}, {"GPU-" + uuid_a, 16}, {"GPU-", 8}, {"GPU-" + uuid_b, 4}}, {}};
    const CutCards cut = cut_cards(said);
    for (std::size_t place = 0; place < said.cards.size(); ++place) {
        const std::string& id = said.cards[place].id;
        CHECK(text_of(card_id_at(cut.layout, cut.uuids, place)) == id);
        CHECK(find_place(cut.layout, cut.uuids, cut_card_id(id)) == place);
    }
    for (const std::string& id : {std::string("U2"), uuid_a, "MIG-" + uuid_a, std::string()}) {
        CHECK_FALSE(find_place(cut.layout, cut.uuids, cut_card_id(id)));
    }
}
