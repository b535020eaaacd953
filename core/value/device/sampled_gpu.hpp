#pragma once
// A GPU as an exporter's metrics show it at one moment, in whole numbers: what is decided by them
// is the same on every machine.

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Of a metric that the exporter does not have, or whose value cannot be read.
inline constexpr std::int64_t not_sampled = -1;

struct SampledGpu {
    std::string id;     ///< the exporter's, unique on the node
    std::string model;  ///< "NVIDIA A100-SXM4-40GB"
    std::int64_t free_mib = not_sampled;
    std::int64_t size_mib = not_sampled;
    std::int64_t power_milliwatts = not_sampled;
    std::int64_t encoder_permille = not_sampled;  ///< busy
    std::int64_t decoder_permille = not_sampled;  ///< busy
    std::int64_t multiprocessors = not_sampled;
    std::int64_t shared_encoders = not_sampled;
    std::int64_t shared_decoders = not_sampled;
    friend bool operator==(const SampledGpu&, const SampledGpu&) = default;
};

/// A node's GPUs, by id.
struct SampledNode {
    std::string node;
    std::vector<SampledGpu> gpus;
    friend bool operator==(const SampledNode&, const SampledNode&) = default;
};

/// How much each metric counts when nodes are compared (gpu_score.hpp). Static: what a card is;
/// dynamic: what it does now.
struct GpuWeights {
    std::int64_t memory = 2;
    std::int64_t multiprocessors = 2;
    std::int64_t shared_decoders = 1;
    std::int64_t shared_encoders = 1;
    std::int64_t free_memory = 2;
    std::int64_t power = 1;
    std::int64_t decoder = 1;
    std::int64_t encoder = 1;
    std::int64_t of_static = 1;      ///< all static metrics together
    std::int64_t of_dynamic = 2;     ///< all dynamic ones
    bool prefers_less_power = true;  ///< false: as Genius, to which a busy card is the better one
    friend bool operator==(const GpuWeights&, const GpuWeights&) = default;
};

}  // namespace core
