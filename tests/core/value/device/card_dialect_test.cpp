#include "core/value/device/card_dialect.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace core;

namespace {

const std::string prefix = "ai.centaurus.io/";

/// Sorted by key, as a StringMap is.
StringMap said(
    const std::string& units, const std::string& ids = "", const std::string& count = "") {
    StringMap map;
    if (!count.empty()) map.emplace_back(prefix + "physical-gpu-count", count);
    if (!ids.empty()) map.emplace_back(prefix + "physical-gpu-uuids", ids);
    map.emplace_back(prefix + "virtual-gpu-count", units);
    return map;
}

Resources asking(std::int64_t units) {
    return {0, 0, 0, {{"alnair/vgpu-memory", units}}};
}

}  // namespace

TEST_CASE("VGPU-6, VGPU-7: the cards of a node, in either spelling") {
    const auto cards = read_node_cards(said("16,8", "GPU-a,GPU-b", "2"));
    REQUIRE(cards);
    CHECK(cards->problem.empty());
    CHECK(cards->resource == "alnair/vgpu-memory");
    CHECK(cards->cards == std::vector<Card>{{"GPU-a", 16}, {"GPU-b", 8}});
    const auto other = read_node_cards({{prefix + "vitual-gpu-count", "16, 8,"}});
    REQUIRE(other);
    CHECK(other->cards == std::vector<Card>{{"U1", 16}, {"U2", 8}});
    CHECK_FALSE(read_node_cards({}));
    CHECK_FALSE(read_node_cards({{prefix + "physical-gpu-count", "2"}}));
}

TEST_CASE("VGPU-12, VGPU-20: what cannot be read is a problem, and no card") {
    std::string many = "1";
    for (int i = 1; i < 10'000; ++i) many += ",1";
    const std::vector<StringMap> wrong = {
        said("abc"),
        said("16,abc"),
        said("16,-1"),
        said("16,,8"),
        said(""),
        said("1e3"),
        said("18446744073709551616"),
        said("9223372036854775807"),
        said(many),
        said("16", "", "2"),
        said("16,16", "", "x"),
        said("16,16", "GPU-a"),
        said("16,16", "GPU-a,GPU-a"),
        said("16", "?"),
        said("16", "a@b"),
        said("16", std::string(200, 'x'))};
    for (const StringMap& annotations : wrong) {
        const auto cards = read_node_cards(annotations);
        REQUIRE(cards);
        CAPTURE(annotations.back().second.substr(0, 40));
        CHECK_FALSE(cards->problem.empty());
        CHECK(cards->problem.size() < 400);
        CHECK(cards->cards.empty());
    }
}

TEST_CASE("which card a pod has, by the device plugin or by us") {
    const std::string chunks = prefix + "alnair-gpu-id";
    const std::vector<ExtendedResource> on_u1 = {{"alnair/vgpu-memory@U_1", 3}};
    CHECK(read_pod_cards({{chunks, "U_1_0,U_1_1,U_1_7"}}, asking(3), false) == on_u1);
    // The plugin takes a mixture if it must.
    CHECK(
        read_pod_cards({{chunks, "U1_0,U2_0,U1_1"}}, asking(3), false) ==
        std::vector<ExtendedResource>{{"alnair/vgpu-memory@U1", 2}, {"alnair/vgpu-memory@U2", 1}});
    // D-3: an index is no card.
    CHECK(read_pod_cards({{chunks, "U1_0,U2_0"}}, asking(2), false).size() == 2);
    const StringMap own = {{std::string(cards_annotation), "U_1:3"}};
    CHECK(read_pod_cards(own, asking(3), true) == on_u1);
    CHECK(read_pod_cards(own, asking(3), false).empty());
    StringMap both = {{chunks, "U2_0"}, {std::string(cards_annotation), "U1:1"}};
    CHECK(
        read_pod_cards(both, asking(1), true) ==
        std::vector<ExtendedResource>{{"alnair/vgpu-memory@U2", 1}});
    CHECK(describe_cards(on_u1) == "U_1:3");

    // What does not add up to the request says nothing.
    CHECK(read_pod_cards({{chunks, "U1_0,U1_1"}}, asking(3), false).empty());
    CHECK(read_pod_cards({{chunks, "_0"}}, asking(1), false).empty());
    CHECK(read_pod_cards({{chunks, ""}}, asking(1), false).empty());
    CHECK(read_pod_cards(both, {}, true).empty());
    for (const char* text : {"U1", "U1:", "U1:x", "U1:-1", ":1", "U1:9223372036854775807", "?:1"}) {
        CAPTURE(text);
        CHECK(read_pod_cards({{std::string(cards_annotation), text}}, asking(1), true).empty());
    }
}
