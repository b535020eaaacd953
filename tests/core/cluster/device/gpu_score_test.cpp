// GEN-8, GEN-16 and W-11: Genius' formula over the metrics that there are.

#include "core/cluster/device/gpu_score.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace core;

namespace {

SampledGpu gpu_of(std::int64_t size, std::int64_t free, std::int64_t watts) {
    SampledGpu gpu;
    gpu.size_mib = size;
    gpu.free_mib = free;
    gpu.power_milliwatts = watts * 1000;
    gpu.decoder_permille = 0;
    gpu.encoder_permille = 0;
    return gpu;
}

using Nodes = std::vector<std::vector<SampledGpu>>;
using Scores = std::vector<std::int64_t>;

const Nodes x_and_y = {{gpu_of(8192, 6000, 50)}, {gpu_of(16384, 4000, 100)}};

}  // namespace

TEST_CASE("GEN-8: the seed's numbers, and less power is better") {
    GpuWeights seed;
    seed.prefers_less_power = false;
    CHECK(weigh_gpus(x_and_y, seed) == Scores{11'466'667, 12'533'333});
    CHECK(score_gpus(x_and_y, seed) == Scores{0, 100});
    CHECK(weigh_gpus(x_and_y, {}) == Scores{12'800'000, 11'200'000});
    CHECK(score_gpus(x_and_y, {}) == Scores{100, 0});
}

TEST_CASE("GEN-16: weights") {
    GpuWeights no_power;
    no_power.power = 0;
    CHECK(weigh_gpus(x_and_y, no_power) == Scores{10'133'333, 9'866'667});
}

TEST_CASE("W-11: of three cards the shares of saved power add up to one") {
    const Nodes three = {{gpu_of(0, 0, 30)}, {gpu_of(0, 0, 60)}, {gpu_of(0, 0, 90)}};
    GpuWeights only;
    only = {0, 0, 0, 0, 0, 1, 0, 0, 1, 1, true};
    CHECK(weigh_gpus(three, only) == Scores{1'250'000, 1'000'000, 750'000});
    CHECK(weigh_gpus(Nodes{{gpu_of(0, 0, 30)}}, only) == Scores{1'000'000});
}

TEST_CASE("what nobody measures is left out; one node, and equal ones, are the best") {
    CHECK(score_gpus(Nodes{{SampledGpu{}}, {SampledGpu{}}}, {}) == Scores{100, 100});
    CHECK(score_gpus(Nodes{{gpu_of(1, 1, 1)}}, {}) == Scores{100});
    CHECK(score_gpus(Nodes{}, {}).empty());
    CHECK(score_gpus(Nodes{{}, {gpu_of(8192, 6000, 50)}}, {}) == Scores{0, 100});
    SampledGpu busy = gpu_of(100, 100, 0);
    busy.encoder_permille = 1000;
    CHECK(score_gpus(Nodes{{busy}, {gpu_of(100, 100, 0)}}, {}) == Scores{0, 100});
}
