// How many pods with a wish a node's GPUs take, against pods that are placed one by one.

#include "core/cluster/device/sampled_room.hpp"

#include "tests/core/random.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace core;

namespace {

std::vector<SampledGpu> gpus_of(
    const std::vector<std::int64_t>& free, const std::string& model = "NVIDIA A100") {
    std::vector<SampledGpu> gpus;
    for (const std::int64_t one : free) {
        SampledGpu& gpu = gpus.emplace_back();
        gpu.id = std::to_string(gpus.size() - 1);
        gpu.model = model;
        gpu.free_mib = one;
    }
    return gpus;
}

GpuRoom gpu_room(const GpuWish& wish, const std::vector<SampledGpu>& gpus) {
    std::vector<std::int64_t> free;
    for (const SampledGpu& gpu : gpus) free.push_back(gpu.free_mib);
    return find_gpu_room(*GpuAsk::make(name_of(wish)), gpus, free);
}

bool takes_one(const GpuWish& wish, const std::vector<SampledGpu>& gpus) {
    return gpu_room(wish, gpus).pods > 0;
}

}  // namespace

TEST_CASE("GEN-1, GEN-2, GEN-3, GEN-5, GEN-6: which nodes meet a wish") {
    const auto two = gpus_of({8000, 3000});
    CHECK(takes_one({1, 0, 0, ""}, two));
    const GpuRoom three = gpu_room({3, 0, 0, ""}, two);
    CHECK(three.pods == 0);
    CHECK(three.lack == GpuLack::number);
    CHECK(three.has == 2);
    CHECK(takes_one({1, 4000, 0, ""}, two));
    CHECK(gpu_room({2, 4000, 0, ""}, two).lack == GpuLack::memory_each);
    CHECK(gpu_room({2, 4000, 0, ""}, two).has == 1);
    CHECK(takes_one({1, 8000, 0, ""}, two));
    CHECK(takes_one({1, 0, 11000, ""}, two));
    CHECK(gpu_room({1, 0, 11001, ""}, two).lack == GpuLack::memory_total);
    CHECK(gpu_room({1, 0, 11001, ""}, two).has == 11000);
    CHECK_FALSE(takes_one({1, 4000, 0, ""}, gpus_of({3000})));
    CHECK_FALSE(takes_one({1, 0, 0, ""}, {}));
    auto mixed = gpus_of({1000, 15000});
    mixed[1].model = "Tesla T4";
    CHECK(gpu_room({1, 10000, 0, "a100"}, mixed).lack == GpuLack::memory_each);
    CHECK(gpu_room({2, 0, 0, "a100"}, mixed).lack == GpuLack::number);
    CHECK(takes_one({1, 10000, 0, "t4"}, mixed));
}

TEST_CASE("a wish without memory has no limit, and memory that nobody knows is none") {
    CHECK(gpu_room({2, 0, 0, ""}, gpus_of({1, 1})).pods == gpu_pods_unlimited);
    CHECK(gpu_room({1, 0, 0, ""}, gpus_of({not_sampled})).pods == gpu_pods_unlimited);
    CHECK(gpu_room({1, 1, 0, ""}, gpus_of({not_sampled})).pods == 0);
}

TEST_CASE("the number of pods is that of pods that are placed one by one") {
    tests::Random random;
    for (int round = 0; round < 1000; ++round) {
        std::vector<std::int64_t> free;
        for (std::int64_t i = random.between(1, 5); i > 0; --i)
            free.push_back(random.between(0, 40));
        GpuWish wish{random.between(1, 3), random.between(0, 12), random.between(0, 30), ""};
        if (wish.each_mib == 0 && wish.total_mib == 0) wish.each_mib = 1;
        const auto gpus = gpus_of(free);
        const GpuAsk ask = *GpuAsk::make(name_of(wish));
        const std::int64_t counted = find_gpu_room(ask, gpus, free).pods;
        std::int64_t placed = 0;
        std::vector<std::int64_t> left = free;
        while (find_gpu_room(ask, gpus, left).pods > 0) {
            take_gpu_memory(ask, memory_of(wish), gpus, left);
            REQUIRE(*std::min_element(left.begin(), left.end()) >= 0);
            ++placed;
        }
        CAPTURE(round);
        if (wish.total_mib <= wish.number * wish.each_mib) CHECK(placed == counted);
        CHECK(placed <= counted);
    }
}
