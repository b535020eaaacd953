#pragma once
// How good a node's GPUs are beside those of the others, by Genius' formula. With N GPUs in the
// cluster and a weight w for each metric, a node has
//
//   static   sum over metrics of (node's sum / cluster's sum) * N * w
//   dynamic  sum over metrics of (mean over its GPUs of value / cluster's sum) * N * w
//
// where of power the value is what the others use ((sum - p) / ((N - 1) * sum)), unless a busy card
// is to be the better one, and of the two utilisations what is idle, (1 - u) / (N - sum of u).
// Its score is static * its weight + dynamic * its weight, and then where that stands between the
// worst node (0) and the best (100). A metric that nobody has is left out.

#include "core/value/device/sampled_gpu.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// By node, millionths, as the formula has it.
std::vector<std::int64_t> weigh_gpus(
    std::span<const std::vector<SampledGpu>> nodes, const GpuWeights& weights);

/// By node, 0 to 100; a single node, or all that are alike, has 100.
std::vector<std::int64_t> score_gpus(
    std::span<const std::vector<SampledGpu>> nodes, const GpuWeights& weights);

}  // namespace core
