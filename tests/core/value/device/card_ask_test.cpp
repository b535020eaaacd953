#include "core/value/device/card_ask.hpp"

#include "core/value/device/card_dialect.hpp"
#include "core/value/pod.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace core;

namespace {

Resources asking_of(std::vector<ExtendedResource> extended) {
    std::sort(extended.begin(), extended.end());
    return {0, 0, 0, std::move(extended)};
}

const std::string vgpu = "volcano.sh/vgpu-";
const std::string gpu = "volcano.sh/gpu-";

/// The name of what is asked; else what is wrong.
std::string ask_of(std::vector<ExtendedResource> extended) {
    Resources requests = asking_of(std::move(extended));
    const std::string problem = add_card_ask(requests);
    if (!problem.empty()) return problem;
    const auto ask = find_card_ask(requests);
    return ask ? name_of(*ask) : "";
}

}  // namespace

TEST_CASE("an ask of cards in Volcano's words, and what it is counted by") {
    CHECK(ask_of({}) == "");
    CHECK(ask_of({{"nvidia.com/gpu", 2}, {"alnair/vgpu-memory", 4}}) == "");
    CHECK(ask_of({{vgpu + "number", 1}}) == "volcano.sh/vgpu=1,percent=100");
    CHECK(
        ask_of({{vgpu + "number", 2}, {vgpu + "memory", 3000}, {vgpu + "cores", 50}}) ==
        "volcano.sh/vgpu=2,units=3000,cores=50");
    CHECK(
        ask_of({{vgpu + "number", 1}, {vgpu + "memory-percentage", 25}}) ==
        "volcano.sh/vgpu=1,percent=25");
    // Volcano lets the percentage count.
    CHECK(
        ask_of({{vgpu + "number", 1}, {vgpu + "memory", 7}, {vgpu + "memory-percentage", 25}}) ==
        "volcano.sh/vgpu=1,percent=25");
    CHECK(ask_of({{gpu + "memory", 12}}) == "volcano.sh/gpu=1,units=12");
    CHECK(ask_of({{gpu + "number", 2}}) == "volcano.sh/gpu=2,percent=100");

    Resources requests = asking_of({{vgpu + "number", 1}, {vgpu + "memory-percentage", 25}});
    CHECK(add_card_ask(requests).empty());
    CHECK(requests.extended_amount(vgpu + "memory-percentage") == 0);  // no node offers it
    CHECK(requests.extended_amount(vgpu + "number") == 1);
    const Resources before = requests;
    CHECK(add_card_ask(requests).empty());  // a second time changes nothing but what percent said
    CHECK(before.extended_amount("volcano.sh/vgpu=1,percent=25") == 1);
}

TEST_CASE("an ask that cannot be read, or met, is refused by name") {
    const auto is_said = [](const std::string& text, const std::string& part) {
        CAPTURE(text);
        CHECK(text.find(part) != std::string::npos);
    };
    is_said(ask_of({{vgpu + "memory", 3000}}), "volcano.sh/vgpu-number is missing");
    is_said(ask_of({{vgpu + "cores", 30}}), "volcano.sh/vgpu-number is missing");
    is_said(
        ask_of({{vgpu + "number", 65}}),
        "volcano.sh/vgpu-number is 65, expected a whole number from 1 to 64");
    is_said(
        ask_of({{vgpu + "number", 1}, {vgpu + "memory-percentage", 101}}),
        "volcano.sh/vgpu-memory-percentage is 101, expected a whole number from 1 to 100");
    is_said(
        ask_of({{vgpu + "number", 1}, {vgpu + "cores", 101}}),
        "volcano.sh/vgpu-cores is 101, expected a whole number from 1 to 100");
    is_said(ask_of({{gpu + "number", 1}, {gpu + "memory", 2}}), "are both asked for");
    is_said(ask_of({{gpu + "number", 1}, {vgpu + "number", 2}}), "are asked for together");
    for (const char* word : {"gpumem", "gpumem-percentage", "gpucores"}) {
        is_said(
            ask_of({{"nvidia.com/gpu", 1}, {std::string("nvidia.com/") + word, 1}}),
            std::string("nvidia.com/") + word + " is not supported: HAMi's device plugin");
    }
    is_said(
        ask_of({{"deviceclass.resource.kubernetes.io/gpu.nvidia.com", 1}}),
        "deviceclass.resource.kubernetes.io/gpu.nvidia.com is not supported: dynamic resource");
    PodRequests parts;
    parts.containers.push_back({"a", asking_of({{vgpu + "number", 1}})});
    CHECK(check_asking_containers(parts).empty());
    parts.init_containers.push_back({"before", asking_of({{vgpu + "number", 1}})});
    is_said(check_asking_containers(parts), "init container before asks for shared GPUs");
    parts.init_containers.clear();
    parts.containers.push_back({"b", asking_of({{gpu + "memory", 1}})});
    is_said(check_asking_containers(parts), "more than one container");
    for (const char* word : {"gpu-fraction", "gpu-memory", "gpu-fraction-num-devices"}) {
        const std::string text = refused_card_words({{word, "0.5"}}, {});
        is_said(text, std::string("annotation ") + word + " is not supported: KAI's GPU sharing");
        CHECK(names_cards(word));
    }
    const StringMap typed = {{"nvidia.com/use-gputype", "A100"}};
    CHECK(refused_card_words(typed, {}).empty());
    const Resources one = asking_of({{vgpu + "number", 1}});
    CHECK(refused_card_words({{vgpu + "mode", "hami-core"}}, one).empty());
    CHECK_FALSE(refused_card_words({{vgpu + "mode", "mig"}}, one).empty());
    is_said(
        refused_card_words(typed, asking_of({{vgpu + "number", 1}})),
        "annotation nvidia.com/use-gputype is not supported");
}

TEST_CASE("the name of an ask says all of it, and nothing else is one") {
    for (const char* name :
         {"volcano.sh/vgpu=1,percent=100",
          "volcano.sh/vgpu=64,units=1,cores=100",
          "volcano.sh/gpu=1,units=12"}) {
        const auto ask = card_ask_of(name);
        REQUIRE(ask);
        CHECK(name_of(*ask) == name);
        CHECK(is_card_ask(name));
    }
    for (const char* name :
         {"volcano.sh/vgpu",
          "volcano.sh/vgpu=",
          "volcano.sh/vgpu=0,units=1",
          "volcano.sh/vgpu=-1,units=1",
          "volcano.sh/vgpu=65,units=1",
          "volcano.sh/vgpu=1",
          "volcano.sh/vgpu=1,units=0",
          "volcano.sh/vgpu=1,percent=101",
          "volcano.sh/vgpu=1,units=1,cores=101",
          "volcano.sh/vgpu=1,units=99999999999999999999",
          "volcano.sh/vgpu=1,units=1,x",
          "volcano.sh/vgpu-number",
          "genius/gpu-number=1"}) {
        CAPTURE(name);
        CHECK_FALSE(card_ask_of(name));
    }
    CHECK(units_of(*card_ask_of("volcano.sh/vgpu=1,percent=33"), 1000) == 330);
    CHECK(units_of(*card_ask_of("volcano.sh/vgpu=1,percent=1"), 7) == 1);
    CHECK(units_of(*card_ask_of("volcano.sh/vgpu=1,percent=100"), gpu_units_max) == gpu_units_max);
    CHECK(
        describe(*card_ask_of("volcano.sh/vgpu=2,units=3000,cores=50")) ==
        "2 GPUs with 3000 free volcano.sh/vgpu-memory and 50 free volcano.sh/vgpu-cores each");
    CHECK(
        describe(*card_ask_of("volcano.sh/vgpu=1,percent=100")) ==
        "single GPU with 100 % of its volcano.sh/vgpu-memory free");
}

TEST_CASE("the smallest amounts of an ask, and numbers that are none") {
    CHECK(
        ask_of({{vgpu + "number", 1}, {vgpu + "memory", 3000}, {vgpu + "memory-percentage", 1}}) ==
        "volcano.sh/vgpu=1,percent=1");
    for (const char* wrong :
         {"volcano.sh/vgpu=x", "volcano.sh/vgpu=1,units=", "volcano.sh/vgpu=1,units=x", "volcano.sh/vgpu=1,units=5,cores=",
          "volcano.sh/vgpu=1,units=5,cores=-1", "volcano.sh/vgpu=1,units=5,cores=99999999999999999999",
          "volcano.sh/vgpu=1,percent=5,units=5", "volcano.sh/vgpu=-1,units=5"}) {
        CAPTURE(wrong);
        CHECK_FALSE(card_ask_of(wrong));
    }
    CHECK(card_ask_of("volcano.sh/vgpu=1,units=5,cores=0"));
}
