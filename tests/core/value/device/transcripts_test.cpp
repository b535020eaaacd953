// What nodes and pods say of cards, in words drawn by chance from what is usual and what is odd: what each is read as.

#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/device/card_layout.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/device/model_pattern.hpp"
#include "core/value/pod.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

using namespace core;

namespace {

using tests::Walk;
using Words = std::vector<std::string>;

/// The first is what everybody writes.
const std::string& word(Walk& walk, const Words& words) {
    return walk.pick(6) != 0 ? words[0] : walk.of(words);
}

std::string joined(const Words& words, const std::string& by) {
    std::string text;
    for (std::size_t i = 0; i < words.size(); ++i) text += (i == 0 ? "" : by) + words[i];
    return text;
}

std::string shortened(const std::string& text) {
    return text.size() <= 100 ? text : text.substr(0, 90) + "... of " + std::to_string(text.size());
}

std::string text_of(const StringMap& map) {
    std::string text;
    for (const auto& [key, value] : map) text += " " + key + "=" + shortened(value);
    return text;
}

std::string text_of(const std::vector<ExtendedResource>& amounts) {
    std::string text;
    for (const ExtendedResource& one : amounts) {
        text += " " + shortened(one.name) + ":" + std::to_string(one.amount);
    }
    return text.empty() ? " nothing" : text;
}

std::string text_of(const NodeCards& cards) {
    std::string text = "    " + cards.resource + (cards.problem.empty() ? "" : " problem: " + cards.problem);
    for (std::size_t i = 0; i < cards.cards.size(); ++i) {
        const Card& card = cards.cards[i];
        if (i > 2 && i + 1 < cards.cards.size()) continue;
        text += " #" + std::to_string(i) + " " + shortened(card.id) + "/" + std::to_string(card.units) + "/" +
                std::to_string(card.cores) + "/" + std::to_string(card.slots);
    }
    text += "\n    counted by";
    for (const std::string_view resource : counted_resources(cards)) text += " " + std::string(resource);
    if (!cards.cards.empty()) text += ":" + text_of(counts_of(cards, cards.cards.back()));
    const CutCards cut = cut_cards(cards);
    CHECK(join_cards(cut.layout, cut.uuids) == cards);
    return text + "\n";
}

StringMap sorted(StringMap map) {
    std::sort(map.begin(), map.end());
    return map;
}

std::size_t some_cards(Walk& walk) {
    constexpr std::size_t counts[] = {1, 2, 2, 3, 3, 63, 64, 65};
    return walk.of(counts);
}

const Words card_ids = {
    "GPU-a",
    "GPU-8b2a4a5e-1234-4abc-9def-0123456789ab",
    "0",
    "",
    "?",
    "a b",
    "a@b",
    "\x7f",
    "~!",
    std::string(128, 'i'),
    std::string(129, 'i')};

/// Mostly another one each time.
std::string card_id(Walk& walk, std::size_t number) {
    return walk.pick(8) != 0 ? "GPU-" + std::to_string(number) : walk.of(card_ids);
}

StringMap alnair_node(Walk& walk) {
    const std::size_t count = some_cards(walk);
    Words units;
    Words ids;
    for (std::size_t i = 0; i < count; ++i) {
        units.push_back(
            walk.pick(4 + count) != 0 ? "16"
                                      : walk.of(Words{"8", " 3\t", "0", "1000000", "1000001", "-1", "x", "", "1 2"}));
        ids.push_back(walk.pick(2 + count) != 0 ? "GPU-" + std::to_string(i) : walk.of(card_ids));
    }
    const std::string prefix = "ai.centaurus.io/";
    StringMap map = {{prefix + (walk.pick(2) == 0 ? "virtual" : "vitual") + "-gpu-count",
                      joined(units, walk.pick(9) == 0 ? " , " : ",") + (walk.pick(5) == 0 ? "," : "")}};
    if (walk.pick(3) != 0) map.emplace_back(prefix + "physical-gpu-uuids", joined(ids, ","));
    if (walk.pick(3) == 0) {
        map.emplace_back(
            prefix + "physical-gpu-count",
            word(walk, {std::to_string(count), std::to_string(count + 1), " " + std::to_string(count), "x", "-1"}));
    }
    return sorted(map);
}

StringMap vgpu_node(Walk& walk) {
    const std::size_t count = some_cards(walk);
    Words cards;
    for (std::size_t i = 0; i < count; ++i) {
        const bool is_odd = walk.pick(1 + count / 2) == 0;
        Words parts = {"GPU-" + std::to_string(i), "10", "32768", "NVIDIA-Tesla V100", "true"};
        if (walk.pick(3) == 0) parts.push_back(walk.of(Words{"hami-core", "mig", ""}));
        if (is_odd) {
            const std::size_t part = walk.pick(7);
            if (part == 0) parts[0] = walk.of(card_ids);
            if (part == 1) parts[1] = walk.of(Words{"0", "1", "1000000", "1000001", "x", "-1"});
            if (part == 2) parts[2] = walk.of(Words{"0", "1", "1000000000", "1000000001", "", "9223372036854775808"});
            if (part == 3) parts[4] = walk.of(Words{"false", "yes", ""});
            if (part == 4) parts.resize(walk.pick(6));
            if (part == 5) parts[0] = "GPU-0";
        }
        cards.push_back(joined(parts, ","));
    }
    if (walk.pick(20) == 0) cards.clear();
    return {{"volcano.sh/node-vgpu-register", joined(cards, ":") + (walk.pick(2) == 0 ? ":" : "")}};
}

std::pair<StringMap, Resources> sharing_node(Walk& walk) {
    constexpr std::int64_t numbers[] = {1, 2, 3, 0, 63, 64, 65};
    constexpr std::int64_t units[] = {64'000, 65, 64, 3, 1, 0};
    Resources offers;
    if (const std::int64_t amount = walk.of(units); amount > 0) offers.extended.push_back({"volcano.sh/gpu-memory", amount});
    if (const std::int64_t amount = walk.of(numbers); amount > 0) offers.extended.push_back({"volcano.sh/gpu-number", amount});
    StringMap said;
    if (walk.pick(2) == 0) {
        said = {{"volcano.sh/gpu-unhealthy-ids", walk.of(Words{"", "0", "1", "0,1", "1,1", "2", "3", "64", "-1", "x", "0,"})}};
    }
    return {said, offers};
}

/// A pod's requests, of words that may belong together.
Resources asking(Walk& walk) {
    const std::vector<std::pair<const char*, std::vector<std::int64_t>>> all = {
        {"alnair/vgpu-memory", {4, 1}},
        {"deviceclass.resource.kubernetes.io/gpu.nvidia.com", {1}},
        {"nvidia.com/gpu", {1}},
        {"nvidia.com/gpucores", {10}},
        {"nvidia.com/gpumem", {10}},
        {"volcano.sh/gpu-memory", {3'000, 1}},
        {"volcano.sh/gpu-number", {1, 2, 64, 65}},
        {"volcano.sh/vgpu-cores", {50, 1, 100, 101}},
        {"volcano.sh/vgpu-memory", {3'000, 1}},
        {"volcano.sh/vgpu-memory-percentage", {50, 1, 99, 100, 101}},
        {"volcano.sh/vgpu-number", {1, 2, 64, 65}}};
    const std::vector<std::vector<std::size_t>> families = {{0}, {5}, {6}, {5, 6}, {7, 8, 10}, {8, 10}, {9, 10}, {7, 9, 10},
                                                           {7, 8, 9, 10}, {10}, {7}, {8}, {9}};
    std::vector<std::size_t> chosen = families[walk.pick(families.size())];
    if (walk.pick(8) == 0) chosen.push_back(walk.pick(all.size()));
    std::sort(chosen.begin(), chosen.end());
    chosen.erase(std::unique(chosen.begin(), chosen.end()), chosen.end());
    Resources requests{1'000, 1'024, 0, {}};
    for (const std::size_t one : chosen) {
        const auto& [name, amounts] = all[one];
        requests.extended.push_back({name, walk.pick(3) != 0 ? amounts[0] : walk.of(amounts)});
    }
    return requests;
}

/// What a device plugin, or we, might say to a pod that asks for `cards` of `units`.
StringMap chosen_cards(Walk& walk, std::int64_t cards, std::int64_t units, std::int64_t cores) {
    const auto count = static_cast<std::size_t>(cards) + (walk.pick(8) == 0 ? 1 : 0);
    Words chunks;
    Words own;
    Words ids;
    Words numbers;
    for (std::size_t i = 0; i < count; ++i) {
        const std::string id = card_id(walk, i);
        const std::string amount =
            walk.pick(8) != 0 ? std::to_string(units > 0 ? units : 3'000)
                              : walk.of(Words{"0", "1", "1000000000", "1000000001", "x", "-1", ""});
        own.push_back(id + (walk.pick(12) == 0 ? "" : ":") + amount);
        Words parts = {id, "NVIDIA", amount, std::to_string(walk.pick(10) == 0 ? cores + 1 : cores)};
        if (walk.pick(12) == 0) parts.resize(walk.pick(4));
        ids.push_back(joined(parts, ","));
        numbers.push_back(walk.pick(8) == 0 ? walk.of(Words{"0", "x", "", "-1"}) : std::to_string(i));
    }
    for (std::int64_t i = 0; i < units && units <= 8; ++i) {
        chunks.push_back(card_id(walk, walk.pick(2)) + (walk.pick(12) == 0 ? "" : "_") + std::to_string(i));
    }
    StringMap said;
    if (walk.pick(3) == 0) said.emplace_back("ai.centaurus.io/alnair-gpu-id", joined(chunks, ","));
    if (walk.pick(2) == 0) said.emplace_back("gang-scheduler/cards", joined(own, ","));
    if (walk.pick(3) == 0) said.emplace_back("volcano.sh/gpu-index", joined(numbers, ","));
    if (walk.pick(3) == 0) {
        said.emplace_back("volcano.sh/vgpu-ids-new", joined(ids, ":") + walk.of(Words{"", ":", ";", ":;"}));
    }
    return said;
}

}  // namespace

TEST_CASE("transcripts: what nodes say of their cards") {
    std::string told;
    Walk walk(1);
    for (int i = 0; i < 360; ++i) {
        const auto [said, offers] = i % 3 == 0   ? std::pair(alnair_node(walk), Resources())
                                    : i % 3 == 1 ? std::pair(vgpu_node(walk), Resources())
                                                 : sharing_node(walk);
        told += "node" + text_of(said) + (offers.extended.empty() ? "" : " offers" + text_of(offers.extended)) + "\n";
        const auto cards = read_node_cards(said, offers);
        told += cards ? text_of(*cards) : "    no cards\n";
    }
    tests::check_transcript("core/value/transcripts/node_cards", told);
}

TEST_CASE("transcripts: what pods ask of cards, and which they are told") {
    std::string told;
    Walk walk(2);
    for (int i = 0; i < 500; ++i) {
        Resources requests = asking(walk);
        told += "pod" + text_of(requests.extended) + "\n";
        if (const std::string why = add_card_ask(requests); !why.empty()) {
            told += "    refused: " + why + "\n";
            continue;
        }
        const auto ask = find_card_ask(requests);
        told += "    asks" + text_of(requests.extended) + ", " + describe(requests) + "\n";
        if (ask) {
            CHECK(card_ask_of(name_of(*ask)) == ask);
            told += "    " + describe(*ask) + "; units";
            for (const std::int64_t units : {1, 2, 99, 100, 101, 12'345, 1'000'000}) {
                told += " " + std::to_string(units_of(*ask, units));
            }
            told += "\n";
        }
        const std::int64_t units = ask ? ask->units : requests.extended_amount("alnair/vgpu-memory");
        const StringMap said = chosen_cards(walk, ask ? std::min<std::int64_t>(ask->cards, 3) : 1, units, ask ? ask->cores : 0);
        told += "    told" + text_of(said) + "\n";
        for (const bool trusts_own : {false, true}) {
            const auto cards = read_pod_cards(said, requests, trusts_own);
            told += "    " + std::string(trusts_own ? "trusting" : "has") + text_of(cards) + ", \"" +
                    shortened(describe_cards(cards)) + "\"\n";
            if (trusts_own) told += "    bound with" + text_of(bind_words(requests, cards, "node-1")) + "\n";
        }
    }
    tests::check_transcript("core/value/transcripts/pod_cards", told);
}

TEST_CASE("transcripts: which words are of cards") {
    const Words keys = {
        "ai.centaurus.io/alnair-gpu-id",
        "ai.centaurus.io/physical-gpu-count",
        "ai.centaurus.io/physical-gpu-uuids",
        "ai.centaurus.io/scheduler-timestamp",
        "ai.centaurus.io/virtual-gpu-count",
        "ai.centaurus.io/vitual-gpu-count",
        "alnair/vgpu-memory",
        "deviceclass.resource.kubernetes.io/gpu.nvidia.com",
        "gang-scheduler/cards",
        "genius/gpu-memory-each",
        "genius/gpu-memory-total",
        "genius/gpu-model",
        "genius/gpu-number",
        "genius/gpu-number=1",
        "genius/gpu-number=65",
        "genius/gpu-number=2,gpu-memory-each=4000,gpu-memory-total=1,gpu-model=a%2eb",
        "genius/gpu-number=2,gpu-model=a%2",
        "genius/gpu-number=2,gpu-model=%zz",
        "genius/gpu-number=2,gpu-memory-each=0",
        "genius/gpu-number=2,gpu-memory-each=1000000000",
        "genius/gpu-number=2,gpu-memory-each=1000000001",
        "genius/gpu-number=2,,",
        "genius/gpu-number=2,more=1",
        "genius/priority",
        "gpu-fraction",
        "gpu-fraction-num-devices",
        "gpu-memory",
        "nvidia.com/gpu",
        "nvidia.com/gpucores",
        "nvidia.com/gpumem",
        "nvidia.com/gpumem-percentage",
        "nvidia.com/nouse-gputype",
        "nvidia.com/priority",
        "nvidia.com/use-gputype",
        "volcano.sh/bind-phase",
        "volcano.sh/devices-to-allocate",
        "volcano.sh/gpu-index",
        "volcano.sh/gpu-memory",
        "volcano.sh/gpu-number",
        "volcano.sh/gpu-unhealthy-ids",
        "volcano.sh/gpu=1,units=5",
        "volcano.sh/gpu=64,percent=100",
        "volcano.sh/gpu=65,percent=100",
        "volcano.sh/gpu=0,percent=100",
        "volcano.sh/node-vgpu-register",
        "volcano.sh/predicate-time",
        "volcano.sh/vgpu-cores",
        "volcano.sh/vgpu-ids-new",
        "volcano.sh/vgpu-memory",
        "volcano.sh/vgpu-memory-percentage",
        "volcano.sh/vgpu-mode",
        "volcano.sh/vgpu-node",
        "volcano.sh/vgpu-nouse-gpuuuid",
        "volcano.sh/vgpu-number",
        "volcano.sh/vgpu-podgroup-policy",
        "volcano.sh/vgpu-time",
        "volcano.sh/vgpu-use-gpuuuid",
        "volcano.sh/vgpu=2,percent=101",
        "volcano.sh/vgpu=2,percent=50,cores=100",
        "volcano.sh/vgpu=2,percent=50,cores=101",
        "volcano.sh/vgpu=2,units=5,cores=1",
        "volcano.sh/vgpu=2,units=5,cores=-1",
        "volcano.sh/vgpu=2,units=5,cores=99999999999999999999",
        "volcano.sh/vgpu=2,units=99999999999999999999,percent=50",
        "volcano.sh/vgpu=2,units=5,percent=1",
        "volcano.sh/vgpu=2",
        "volcano.sh/vgpu=2,units=-5",
        "volcano.sh/vgpus",
        "cpu"};
    std::string told;
    for (const std::string& key : keys) {
        told += key + ":";
        if (is_bind_time(key)) told += " bind time";
        if (is_card_resource(key)) told += " resource";
        if (is_card_annotation(key)) told += " node";
        if (names_cards(key)) told += " pod";
        if (is_gpu_annotation(key)) told += " GPU";
        if (is_gpu_wish(key)) told += " wish";
        if (is_card_ask(key)) told += " ask";
        if (family_of_cards(key) != nullptr) told += " family " + std::string(family_of_cards(key)->name);
        if (asks_for_cards({0, 0, 0, {{key, 1}}})) told += " asks";
        if (wishes_gpus({{key, ""}}, {}) && wishes_gpus({}, {{key, ""}})) told += " wishes";
        if (const auto ask = card_ask_of(key)) told += "; " + describe(*ask) + ", " + name_of(*ask);
        if (const auto wish = wish_of(key)) {
            told += "; " + describe(*wish) + ", " + name_of(*wish) + ", " + std::to_string(memory_of(*wish));
        }
        told += "; " + describe(Resources{0, 0, 0, {{key, 2}}}) + "\n";
        for (const std::string& value : {std::string("1"), std::string("hami-core")}) {
            for (const bool asks : {false, true}) {
                const Resources requests{0, 0, 0, asks ? std::vector<ExtendedResource>{{"volcano.sh/vgpu-number", 1}}
                                                       : std::vector<ExtendedResource>{}};
                const std::string why = refused_card_words({{key, value}}, requests);
                if (!why.empty()) told += "    " + value + (asks ? ", asking: " : ": ") + why + "\n";
            }
        }
        const PodRequests twice = {{{"a", {0, 0, 0, {{key, 1}}}, false}, {"b", {0, 0, 0, {{key, 1}}}, false}}, {}, {}, {}};
        const PodRequests initial = {{{"a", {}, false}}, {{"b", {0, 0, 0, {{key, 1}}}, false}}, {}, {}};
        for (const PodRequests* requests : {&twice, &initial}) {
            if (const std::string why = check_asking_containers(*requests); !why.empty()) told += "    " + why + "\n";
        }
    }
    tests::check_transcript("core/value/transcripts/card_words", told);
}

TEST_CASE("transcripts: what pods wish of GPUs") {
    const ModelAliases aliases = {{"Big", "NVIDIA A100-SXM4-80GB"}, {"odd", "a.b*c"}};
    std::string told;
    Walk walk(3);
    for (int i = 0; i < 250; ++i) {
        StringMap labels;
        StringMap annotations;
        const auto say = [&](const char* key, const Words& words) {
            if (walk.pick(2) == 0) (walk.pick(2) == 0 ? labels : annotations).emplace_back(key, word(walk, words));
            if (walk.pick(12) == 0 && labels.size() < 4) labels.emplace_back(key, walk.of(words));
        };
        const Words amounts = {"4000", "1", "0", "-1", "1000000000", "1000000001", "x", "4 ", ""};
        say("genius/gpu-memory-each", amounts);
        say("genius/gpu-memory-total", amounts);
        say("genius/gpu-model", {"1070.Ti", "big", "BIG", "Odd", "", "a[", "h100|a100", "50% off", std::string(70, '(')});
        say("genius/gpu-number", {"2", "1", "64", "65", "0", "-1", "x"});
        say("genius/priority", {"5", "-5", "2147483647", "2147483648", "-2147483648", "-2147483649", "x"});
        labels = sorted(labels);
        told += "labels" + text_of(labels) + ", annotations" + text_of(annotations) + "\n";
        const auto wish = read_gpu_wish(labels, annotations, aliases);
        if (!wish) {
            told += "    refused: " + wish.error().message + "\n";
        } else if (*wish) {
            CHECK(wish_of(name_of(**wish)) == *wish);
            Resources asks{1'000, 0, 0, {{"aaa", 1}, {"zzz", 1}}};
            add_gpu_wish(asks, **wish);
            CHECK(*find_gpu_wish(asks) == name_of(**wish));
            CHECK(find_gpu_wish(without_gpu_wishes(asks)) == nullptr);
            told += "    " + describe(asks) + "; memory " + std::to_string(memory_of(**wish)) + "; as" + text_of(asks.extended) + "\n";
        }
        const auto priority = read_gpu_priority(labels, annotations);
        told += "    priority " + (priority ? std::to_string(*priority) : priority.error().message) + "\n";
    }
    tests::check_transcript("core/value/transcripts/gpu_wishes", told);
}

TEST_CASE("transcripts: what expressions for models match") {
    const Words parts = {"a",   "B",     "1",     "0",      " ",   ".",    "[ab]",  "[^a]", "[0-9]", "[a-c1]", "[]a]", "[a-]",   "[\\d-]",
                         "\\d", "\\w",   "\\s",   "\\D",    "\\W", "\\S",  "\\.",   "\\-",  "(a|1)", "(?:b0)", "(a",   "b)",     "^",
                         "$",   "*",     "+",     "?",      "{2}", "{1,}", "{0,1}", "{1,2}", "{,2}", "{2,1}",  "{",    "{1000}", "{1001}",
                         "|",   "[z-a]", "[a-\\", "[[:d:]", "\\b", "(?=a)", "[a",    "~",    "_",     "{0}",    "()"};
    const Words texts = {"", "a", "b", "ab", "aab", "a1", "1070", "A 1", "b0b0", "a.b", "a-b", "\n", "]", "_", "1aa1", "zz~", "\\", "D-2"};
    std::string told;
    Walk walk(4);
    for (int i = 0; i < 900; ++i) {
        Words chosen;
        for (std::size_t left = 1 + walk.pick(5); left > 0; --left) chosen.push_back(walk.of(parts));
        const std::string expression = joined(chosen, "");
        told += expression + ": ";
        const auto pattern = ModelPattern::make(expression);
        if (!pattern) {
            told += pattern.error().message + "\n";
            continue;
        }
        for (const std::string& text : texts) told += pattern->matches(text) ? '1' : '.';
        told += "\n";
    }
    for (const std::size_t depth : {29U, 30U, 31U, 32U, 33U, 49U, 50U, 51U, 63U, 64U, 65U, 99U, 100U, 101U, 127U}) {
        const auto pattern = ModelPattern::make(std::string(depth, '(') + std::string(depth, ')'));
        told += std::to_string(depth) + " deep: " + (pattern ? "fine" : pattern.error().message) + "\n";
    }
    for (const std::size_t size : {255U, 256U, 257U}) {
        told += std::to_string(size) + " long: " + (ModelPattern::make(std::string(size, 'a')) ? "fine" : "too long") + "\n";
    }
    for (int repeats = 94; repeats <= 98; ++repeats) {
        const auto pattern = ModelPattern::make("(a{1000}){4}b{" + std::to_string(repeats) + "}");
        told += std::to_string(repeats) + " repeats: " + (pattern ? "fine" : pattern.error().message) + "\n";
    }
    for (int first = 1; first < 256; first += 6) {
        std::string text;
        for (int c = first; c < std::min(first + 6, 256); ++c) text += static_cast<char>(c);
        const auto quoted = ModelPattern::make("^" + quote_for_pattern(text) + "$");
        CHECK_MESSAGE((quoted && quoted->matches(text)), first);
        std::string classes;
        for (const char c : text) {
            for (const char* of : {"\\d", "\\w", "\\s", "[A-z]", "[\xC0-\xFF]", "."}) {
                classes += ModelPattern::make(of)->matches(std::string(1, c)) ? '1' : '.';
            }
            classes += ' ';
        }
        told += std::to_string(first) + ": " + classes + "\n";
    }
    tests::check_transcript("core/value/transcripts/model_patterns", told);
}
