#include "core/cluster/device/gpu_score.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>

namespace core {

namespace {

__extension__ typedef __int128 Sum;
using Nodes = std::span<const std::vector<SampledGpu>>;
using Metric = std::int64_t SampledGpu::*;

constexpr Sum unit = 1'000'000'000;  ///< a whole share
constexpr std::int64_t permille = 1000;

/// What no exporter says counts as nothing, if another one says it.
std::int64_t value_of(const SampledGpu& gpu, Metric metric) {
    return std::max<std::int64_t>(gpu.*metric, 0);
}

bool is_sampled(Nodes nodes, Metric metric) {
    return std::any_of(nodes.begin(), nodes.end(), [metric](const auto& gpus) {
        return std::any_of(gpus.begin(), gpus.end(), [metric](const SampledGpu& gpu) {
            return gpu.*metric != not_sampled;
        });
    });
}

Sum sum_of(std::span<const SampledGpu> gpus, Metric metric) {
    Sum sum = 0;
    for (const SampledGpu& gpu : gpus) sum += value_of(gpu, metric);
    return sum;
}

Sum sum_of(Nodes nodes, Metric metric) {
    Sum sum = 0;
    for (const auto& gpus : nodes) sum += sum_of(gpus, metric);
    return sum;
}

class Weighing {
public:
    Weighing(Nodes nodes, const GpuWeights& weights) : nodes_(nodes), weights_(weights) {
        for (const auto& gpus : nodes) gpus_ += static_cast<Sum>(gpus.size());
        points_.resize(nodes.size());
    }

    std::vector<std::int64_t> run() {
        add_sums(&SampledGpu::size_mib, weights_.memory);
        add_sums(&SampledGpu::multiprocessors, weights_.multiprocessors);
        add_sums(&SampledGpu::shared_decoders, weights_.shared_decoders);
        add_sums(&SampledGpu::shared_encoders, weights_.shared_encoders);
        add_free();
        add_power();
        add_idle(&SampledGpu::decoder_permille, weights_.decoder);
        add_idle(&SampledGpu::encoder_permille, weights_.encoder);
        std::vector<std::int64_t> millionths;
        for (const Sum points : points_) {
            constexpr Sum one = unit / 1'000'000;
            millionths.push_back(static_cast<std::int64_t>((points + one / 2) / one));
        }
        return millionths;
    }

private:
    void add_sums(Metric metric, std::int64_t weight) {
        const Sum all = sum_of(nodes_, metric);
        if (all == 0) return;
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            points_[i] +=
                sum_of(nodes_[i], metric) * gpus_ * weight * weights_.of_static * unit / all;
        }
    }
    /// `share_of(node's sum, its cards)` is the sum of its cards' shares, of `whole`.
    template <typename ShareOf>
    void add_shares(std::int64_t weight, Sum whole, const ShareOf& share_of) {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (nodes_[i].empty()) continue;
            const auto cards = static_cast<Sum>(nodes_[i].size());
            points_[i] += share_of(nodes_[i], cards) * gpus_ * weight * weights_.of_dynamic * unit /
                          (whole * cards);
        }
    }
    void add_free() {
        const Sum all = sum_of(nodes_, &SampledGpu::free_mib);
        if (all == 0) return;
        add_shares(weights_.free_memory, all, [](const auto& gpus, Sum) {
            return sum_of(gpus, &SampledGpu::free_mib);
        });
    }
    void add_power() {
        const Sum all = sum_of(nodes_, &SampledGpu::power_milliwatts);
        if (all == 0) return;
        const bool is_less_better = weights_.prefers_less_power && gpus_ > 1;
        const Sum whole = is_less_better ? (gpus_ - 1) * all : all;
        // Of a single card: all of it, either way.
        add_shares(weights_.power, whole, [&](const auto& gpus, Sum cards) {
            const Sum here = sum_of(gpus, &SampledGpu::power_milliwatts);
            return is_less_better ? cards * all - here : here;
        });
    }
    void add_idle(Metric metric, std::int64_t weight) {
        if (!is_sampled(nodes_, metric)) return;
        const auto idle = [metric](std::span<const SampledGpu> gpus) {
            Sum sum = 0;
            for (const SampledGpu& gpu : gpus) {
                sum += permille - std::min(value_of(gpu, metric), permille);
            }
            return sum;
        };
        Sum all = 0;
        for (const auto& gpus : nodes_) all += idle(gpus);
        if (all == 0) return;
        add_shares(weight, all, [&](const auto& gpus, Sum) { return idle(gpus); });
    }

    Nodes nodes_;
    const GpuWeights& weights_;
    Sum gpus_ = 0;
    std::vector<Sum> points_;
};

}  // namespace

std::vector<std::int64_t> weigh_gpus(Nodes nodes, const GpuWeights& weights) {
    return Weighing(nodes, weights).run();
}

std::vector<std::int64_t> score_gpus(Nodes nodes, const GpuWeights& weights) {
    std::vector<std::int64_t> scores = weigh_gpus(nodes, weights);
    if (scores.empty()) return scores;
    const auto [least, most] = std::minmax_element(scores.begin(), scores.end());
    const std::int64_t low = *least;
    const std::int64_t range = *most - low;
    for (std::int64_t& score : scores) {
        score = range == 0 ? 100 : static_cast<std::int64_t>(Sum{score - low} * 100 / range);
    }
    return scores;
}

}  // namespace core
