#include "core/value/device/card_dialect.hpp"

#include "core/value/device/card_ask.hpp"

#include <doctest/doctest.h>

#include <algorithm>
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
    const auto spaced = read_node_cards({{prefix + "vitual-gpu-count", " 16 , 8, "}});
    REQUIRE(spaced);
    CHECK(spaced->cards == std::vector<Card>{{"U1", 16}, {"U2", 8}});
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

TEST_CASE("the cards that Volcano's vGPU device plugin registers") {
    const std::string key = "volcano.sh/node-vgpu-register";
    CHECK(is_card_annotation(key));
    const auto cards = read_node_cards(
        {{key,
          "GPU-a,10,32768,NVIDIA-Tesla V100,true,hami-core:GPU-b,2,16384,NVIDIA-T4,true,:"
          "GPU-c,10,16384,NVIDIA-T4,false,hami-core:"}});
    REQUIRE(cards);
    CHECK(cards->problem.empty());
    CHECK(cards->resource == "volcano.sh/vgpu-memory");
    CHECK(cards->cards == std::vector<Card>{{"GPU-a", 32768, 100, 10}, {"GPU-b", 16384, 100, 2}});
    CHECK(
        counts_of(*cards, cards->cards[1]) == std::vector<ExtendedResource>{
                                                  {"volcano.sh/vgpu+memory@GPU-b", 16384},
                                                  {"volcano.sh/vgpu+cores@GPU-b", 100},
                                                  {"volcano.sh/vgpu+slots@GPU-b", 2}});
    std::string many;
    for (int i = 0; i < 65; ++i) many += "GPU-" + std::to_string(i) + ",1,1,T4,true,hami-core:";
    for (const std::string& text : std::vector<std::string>{
             "",
             ":",
             "GPU-a",
             "GPU-a,1,2,T4",
             "GPU-a,x,16,T4,true,hami-core",
             "GPU-a,1,-16,T4,true,hami-core",
             "GPU-a,1,99999999999999999999,T4,true,hami-core",
             "GPU-a,1,16,T4,maybe,hami-core",
             "GPU-a,1,16,T4,true,mig",
             "GPU-a,1,16,T4,true,hami-core:GPU-a,1,16,T4,true,hami-core",
             "G@U,1,16,T4,true,hami-core",
             "?,1,16,T4,true,hami-core",
             many}) {
        const auto wrong = read_node_cards({{key, text}});
        REQUIRE(wrong);
        CAPTURE(text.substr(0, 60));
        CHECK_FALSE(wrong->problem.empty());
        CHECK(wrong->problem.size() < 400);
        CHECK(wrong->cards.empty());
    }
}

TEST_CASE("the cards of Volcano's older shared GPUs are what the node's amounts say") {
    const Resources two = {0, 0, 0, {{"volcano.sh/gpu-memory", 32}, {"volcano.sh/gpu-number", 2}}};
    const auto cards = read_node_cards({}, two);
    REQUIRE(cards);
    CHECK(cards->resource == "volcano.sh/gpu-memory");
    CHECK(cards->cards == std::vector<Card>{{"0", 16}, {"1", 16}});
    const Resources least = {0, 0, 0, {{"volcano.sh/gpu-memory", 1}, {"volcano.sh/gpu-number", 1}}};
    REQUIRE(read_node_cards({}, least));
    CHECK(read_node_cards({}, least)->cards == std::vector<Card>{{"0", 1}});
    const Resources none = {0, 0, 0, {{"volcano.sh/gpu-memory", 0}, {"volcano.sh/gpu-number", 1}}};
    CHECK_FALSE(read_node_cards({}, none));
    const std::string key = "volcano.sh/gpu-unhealthy-ids";
    const Resources well = {0, 0, 0, {{"volcano.sh/gpu-memory", 16}, {"volcano.sh/gpu-number", 2}}};
    CHECK(read_node_cards({{key, "0"}}, well)->cards == std::vector<Card>{{"1", 16}});
    CHECK(read_node_cards({{key, "0,1"}}, well)->cards.empty());
    CHECK_FALSE(read_node_cards({{key, "x"}}, two)->problem.empty());
    CHECK_FALSE(read_node_cards({{key, "2"}}, two)->problem.empty());
    CHECK_FALSE(read_node_cards({}, {0, 0, 0, {{"volcano.sh/gpu-memory", 32}}}));
    const Resources huge = {
        0, 0, 0, {{"volcano.sh/gpu-memory", 99}, {"volcano.sh/gpu-number", 9'000'000'000'000}}};
    CHECK_FALSE(read_node_cards({}, huge)->problem.empty());
}

TEST_CASE("at the limits: a card of one unit, one amount too many, cards whose ids begin alike") {
    const auto single = read_node_cards(said("1"));
    REQUIRE(single);
    CHECK(single->cards == std::vector<Card>{{"U1", 1}});

    const StringMap one_unit = {{std::string(cards_annotation), "0:1,1:1"}};
    Resources two_parts;
    two_parts.extended.push_back({"volcano.sh/gpu=2,units=1", 1});
    CHECK(read_pod_cards(one_unit, two_parts, true).size() == 2);
    CHECK(read_pod_cards({{std::string(cards_annotation), "0:1,1:2"}}, two_parts, true).empty());
    CHECK(read_pod_cards({{std::string(cards_annotation), "0:1,0:1"}}, two_parts, true).empty());

    Resources half;
    half.extended.push_back({"volcano.sh/vgpu=1,percent=50", 1});
    const auto told = [&half](const std::string& units) {
        return read_pod_cards({{"volcano.sh/vgpu-ids-new", "GPU-a,NVIDIA," + units + ",0:"}}, half, false).size();
    };
    CHECK(told("1") == 2);  // its units, and its slot
    CHECK(told("0") == 0);
    CHECK(told("1000000000") == 2);
    CHECK(told("1000000001") == 0);
    Resources one;
    one.extended.push_back({"volcano.sh/vgpu=1,units=1", 1});
    CHECK(read_pod_cards({{"volcano.sh/vgpu-ids-new", "GPU-a,NVIDIA,1,0"}}, one, false).size() == 2);
    CHECK(read_pod_cards({{"volcano.sh/vgpu-ids-new", "GPU-a,NVIDIA,2,0"}}, one, false).empty());

    std::string many;
    for (int i = 0; i < 64; ++i) many += "U" + std::to_string(i) + ":1,";
    CHECK(read_pod_cards({{std::string(cards_annotation), many}}, asking(64), true).size() == 64);
    CHECK(read_pod_cards({{std::string(cards_annotation), many + "U64:1"}}, asking(65), true).empty());
    CHECK(read_pod_cards({{std::string(cards_annotation), "U1:2"}}, asking(1), true).empty());

    for (const std::size_t size : {63U, 64U, 65U}) {
        const auto wrong = read_node_cards(said(std::string(size, 'x')));
        REQUIRE(wrong);
        const std::string shown = std::string(std::min<std::size_t>(size, 64), 'x') + (size > 64 ? "...\"" : "\"");
        CHECK(wrong->problem.find('"' + shown + ": ") != std::string::npos);
    }
}

TEST_CASE("which cards an ask got, and what is written of them") {
    Resources requests = {
        0,
        0,
        0,
        {{"volcano.sh/vgpu-cores", 50},
         {"volcano.sh/vgpu-memory", 3000},
         {"volcano.sh/vgpu-number", 2}}};
    REQUIRE(add_card_ask(requests).empty());
    const std::vector<ExtendedResource> both = {
        {"volcano.sh/vgpu+cores@GPU-a", 50},
        {"volcano.sh/vgpu+cores@GPU-b", 50},
        {"volcano.sh/vgpu+memory@GPU-a", 3000},
        {"volcano.sh/vgpu+memory@GPU-b", 3000},
        {"volcano.sh/vgpu+slots@GPU-a", 1},
        {"volcano.sh/vgpu+slots@GPU-b", 1}};
    const std::string ids = "GPU-a,NVIDIA,3000,50:GPU-b,NVIDIA,3000,50:";
    CHECK(
        bind_words(requests, both, "n1") == StringMap{
                                                {"volcano.sh/bind-phase", "allocating"},
                                                {"volcano.sh/devices-to-allocate", ids},
                                                {"volcano.sh/vgpu-ids-new", ids},
                                                {"volcano.sh/vgpu-node", "n1"},
                                                {"volcano.sh/vgpu-time", ""}});
    CHECK(bind_words(requests, {}, "n1").empty());
    CHECK(is_bind_time("volcano.sh/vgpu-time"));
    CHECK(describe_cards(both) == "GPU-a:3000,GPU-b:3000");
    CHECK(read_pod_cards({{"volcano.sh/vgpu-ids-new", ids}}, requests, false) == both);
    CHECK(read_pod_cards({{"volcano.sh/vgpu-ids-new", ";" + ids}}, requests, false) == both);
    const StringMap own = {{"gang-scheduler/cards", "GPU-a:3000,GPU-b:3000"}};
    CHECK(read_pod_cards(own, requests, true) == both);
    CHECK(read_pod_cards(own, requests, false).empty());
    for (const char* text :
         {"",
          "GPU-a,NVIDIA,3000,50:",
          "GPU-a,NVIDIA,3000,50:GPU-a,NVIDIA,3000,50:",
          "GPU-a,NVIDIA,3000,50:GPU-b,NVIDIA,3000,49:",
          "GPU-a,NVIDIA,3000,50:GPU-b,NVIDIA,1,50:",
          "GPU-a,NVIDIA,3000:GPU-b,NVIDIA,3000:",
          "GPU-a,NVIDIA,3000,50:GPU-b,NVIDIA,-3000,50:"}) {
        CAPTURE(text);
        CHECK(read_pod_cards({{"volcano.sh/vgpu-ids-new", text}}, requests, false).empty());
    }

    Resources whole = {0, 0, 0, {{"volcano.sh/gpu-number", 2}}};
    REQUIRE(add_card_ask(whole).empty());
    CHECK(
        read_pod_cards({{"volcano.sh/gpu-index", "0,2"}}, whole, false) ==
        std::vector<ExtendedResource>{
            {"volcano.sh/gpu+memory@0", by_the_card}, {"volcano.sh/gpu+memory@2", by_the_card}});
    CHECK(read_pod_cards({{"volcano.sh/gpu-index", "0"}}, whole, false).empty());
    CHECK(read_pod_cards({{"volcano.sh/gpu-index", "0,0"}}, whole, false).empty());
    CHECK(read_pod_cards({{"volcano.sh/gpu-index", "0,x"}}, whole, false).empty());
    CHECK(
        bind_words(
            whole, {{"volcano.sh/gpu+memory@0", 16}, {"volcano.sh/gpu+memory@2", 16}}, "n1") ==
        StringMap{{"volcano.sh/gpu-index", "0,2"}, {"volcano.sh/predicate-time", ""}});
}
