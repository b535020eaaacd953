// GPUs that are known by their metrics, in samples drawn by chance: how many pods of a wish they take, what is free
// after a pod, what is promised between two samples, and how good a node's GPUs are.

#include "core/cluster/device/gpu_promises.hpp"
#include "core/cluster/device/gpu_score.hpp"
#include "core/cluster/device/sampled_room.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

using namespace core;

namespace {
namespace sampled_walk {

using tests::Walk;
using Numbers = std::vector<std::int64_t>;

std::string text_of(const Numbers& numbers) {
    std::string text;
    for (const std::int64_t one : numbers) text += (text.empty() ? "" : ",") + std::to_string(one);
    return text.empty() ? "none" : text;
}

std::vector<SampledGpu> draw_gpus(Walk& walk, std::size_t most) {
    std::vector<SampledGpu> gpus;
    for (std::size_t left = walk.pick(most + 1); left > 0; --left) {
        SampledGpu& gpu = gpus.emplace_back();
        gpu.id = std::to_string(gpus.size());
        gpu.model = walk.pick(3) == 0 ? "Tesla T4" : "NVIDIA A100";
        gpu.free_mib = walk.of(Numbers{8000, 8000, 7000, 4000, 3999, 1000, 0, not_sampled});
    }
    return gpus;
}

GpuWish draw_wish(Walk& walk) {
    const std::vector<std::string> models = {"", "", "", "a100", "t4", "h100"};
    return {
        walk.of(Numbers{1, 1, 2, 3}),
        walk.of(Numbers{4000, 4000, 1000, 1, 0}),
        walk.of(Numbers{0, 0, 5000, 8000, 8001, 20'000, 1}),
        walk.of(models)};
}

std::string text_of(const std::vector<SampledGpu>& gpus) {
    std::string text;
    for (const SampledGpu& gpu : gpus) {
        text += (text.empty() ? "" : ",") + gpu.model.substr(0, 1) + std::to_string(gpu.free_mib);
    }
    return text.empty() ? "none" : text;
}

std::string text_of(const GpuWish& wish) {
    return std::to_string(wish.number) + "x" + std::to_string(wish.each_mib) + "+" + std::to_string(wish.total_mib) +
           wish.model;
}

std::shared_ptr<const GpuAsk> ask_of(const GpuWish& wish) {
    return std::make_shared<const GpuAsk>(*GpuAsk::make(name_of(wish)));
}

std::string text_of(const GpuPromises& promises) {
    std::string text = " free " + text_of(promises.free()) + " unseen " + std::to_string(promises.unseen()) + " of";
    for (const AllocationId pod : promises.pods()) text += " " + std::to_string(pod.value);
    return text + (promises.is_empty() ? " nobody" : "");
}

/// Of each metric what is usual, nothing, or nobody's word.
std::vector<SampledGpu> draw_measured(Walk& walk) {
    std::vector<SampledGpu> gpus;
    for (std::size_t left = walk.pick(4); left > 0; --left) {
        SampledGpu& gpu = gpus.emplace_back();
        gpu.size_mib = walk.of(Numbers{8192, 16'384, 40'960, 0, not_sampled});
        gpu.free_mib = walk.of(Numbers{8000, 6000, 1, 0, not_sampled});
        gpu.power_milliwatts = walk.of(Numbers{50'000, 70'500, 300'000, 0, not_sampled});
        gpu.encoder_permille = walk.of(Numbers{0, 5, 500, 999, 1000, 1001, not_sampled});
        gpu.decoder_permille = walk.of(Numbers{0, 0, 1000, 250, not_sampled});
        gpu.multiprocessors = walk.of(Numbers{80, 108, 0, not_sampled});
        gpu.shared_encoders = walk.of(Numbers{0, 1, 2, not_sampled});
        gpu.shared_decoders = walk.of(Numbers{0, 1, 5, not_sampled});
    }
    return gpus;
}

TEST_CASE("sampled GPUs: how many pods of a wish they take, and what is free after one") {
    std::string told;
    Walk walk(21);
    for (int i = 0; i < 500; ++i) {
        const auto gpus = draw_gpus(walk, 4);
        const GpuWish wish = draw_wish(walk);
        Numbers free;
        for (const SampledGpu& gpu : gpus) free.push_back(gpu.free_mib);
        const auto ask = ask_of(wish);
        const GpuRoom room = find_gpu_room(*ask, gpus, free);
        told += text_of(gpus) + " for " + text_of(wish) + ": " + std::to_string(room.pods) + " lack " +
                std::to_string(static_cast<int>(room.lack)) + " has " + std::to_string(room.has);
        for (const std::int64_t mib : {memory_of(wish), std::int64_t{2500}, std::int64_t{30'000}}) {
            Numbers left = free;
            take_gpu_memory(*ask, mib, gpus, left);
            told += "; " + text_of(left);
        }
        told += "\n";
    }
    tests::check_transcript("core/cluster/transcripts/sampled_room", told);
}

TEST_CASE("sampled GPUs: what is promised while pods and samples come and go") {
    std::string told;
    Walk walk(22);
    for (int life = 0; life < 40; ++life) {
        GpuPromises promises;
        std::vector<SampledGpu> gpus;
        for (std::uint32_t i = 0; i < 14; ++i) {
            switch (walk.pick(6)) {
                case 0:
                case 1: {
                    const GpuWish wish = draw_wish(walk);
                    const std::int64_t count = walk.of(Numbers{1, 1, 1, 2, 3});
                    told += "add " + std::to_string(i) + " " + text_of(wish) + " times " + std::to_string(count);
                    promises.add({i}, ask_of(wish), count);
                    break;
                }
                case 2: {
                    const AllocationId pod{static_cast<std::uint32_t>(walk.pick(i + 1))};
                    told += "remove " + std::to_string(pod.value);
                    promises.remove(pod);
                    break;
                }
                case 3:
                    gpus = draw_gpus(walk, 3);
                    told += "sampled anew " + text_of(gpus);
                    promises.sampled(gpus);
                    break;
                default:
                    // More or less free than before, as programs start and end.
                    for (SampledGpu& gpu : gpus) gpu.free_mib += walk.of(Numbers{0, -4000, -1000, -2500, 3000});
                    if (!gpus.empty() && walk.pick(6) == 0) gpus.erase(gpus.begin());
                    told += "sampled " + text_of(gpus);
                    promises.sampled(gpus);
            }
            told += ":" + text_of(promises) + "\n";
        }
    }
    tests::check_transcript("core/cluster/transcripts/gpu_promises", told);
}

TEST_CASE("sampled GPUs: how good they are beside those of other nodes") {
    std::string told;
    Walk walk(23);
    for (int i = 0; i < 250; ++i) {
        std::vector<std::vector<SampledGpu>> nodes;
        for (std::size_t left = 1 + walk.pick(4); left > 0; --left) nodes.push_back(draw_measured(walk));
        GpuWeights weights;
        if (walk.pick(3) != 0) {
            // One metric alone, so that it is seen.
            std::int64_t* const all[] = {
                &weights.memory,
                &weights.multiprocessors,
                &weights.shared_decoders,
                &weights.shared_encoders,
                &weights.free_memory,
                &weights.power,
                &weights.decoder,
                &weights.encoder};
            const std::size_t only = walk.pick(8);
            for (std::size_t at = 0; at < 8; ++at) *all[at] = at == only ? 3 : 0;
        }
        weights.prefers_less_power = walk.pick(2) == 0;
        weights.of_static = walk.of(Numbers{1, 0, 5});
        told += text_of(weigh_gpus(nodes, weights)) + " are " + text_of(score_gpus(nodes, weights)) + "\n";
    }
    tests::check_transcript("core/cluster/transcripts/gpu_scores", told);
}

TEST_CASE("a wish by its name: what is no name of one is no ask") {
    for (const char* name :
         {"genius/gpu-number",
          "genius/gpu-number=0",
          "genius/gpu-number=2,more=1",
          "cpu",
          "",
          "genius/gpu-number=1,gpu-model=a%5b"}) {
        CHECK_FALSE(GpuAsk::make(name).has_value());
    }
    const auto ask = GpuAsk::make(name_of(GpuWish{2, 0, 0, "a1"}));
    REQUIRE(ask.has_value());
    // More models than are remembered.
    for (int round = 0; round < 2; ++round) {
        for (int i = 0; i < 300; ++i) {
            const std::string model = (i % 3 == 0 ? "A1 " : "B2 ") + std::to_string(i);
            CHECK(ask->matches(model) == (i % 3 == 0));
        }
    }
}

}  // namespace sampled_walk
}  // namespace
