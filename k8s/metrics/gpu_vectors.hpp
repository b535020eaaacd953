#pragma once
// Prometheus' answers to instant queries (its HTTP API, /api/v1/query, resultType vector) as GPUs
// of nodes: the metrics of the ObserverWard exporter, whose names begin with
// observerward_dynamic_gpu_ and observerward_static_gpu_, with the labels id, uuid and model, and
// one that names the node.

#include "core/base/result.hpp"
#include "core/value/device/sampled_gpu.hpp"
#include "k8s/metrics/gpu_labels.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace k8s {
struct GpuSeries;

/// The metrics whose values move, as far as they are read, and those that say what a card is.
inline constexpr std::string_view gpu_query_dynamic =
    R"query({__name__=~"observerward_dynamic_gpu_)query"
    R"query((free_global_memory_MiB|power_usage_W|(en|de)coder_utilization)"})query";
inline constexpr std::string_view gpu_query_static = R"({__name__=~"observerward_static_gpu_.+"})";

/// GPUs of one model.
struct GpuModelTotal {
    std::string model;  ///< as the exporter names it; empty: it does not say
    std::int64_t gpus = 0;
    std::int64_t free_mib = 0;  ///< of those that say it
    friend bool operator==(const GpuModelTotal&, const GpuModelTotal&) = default;
};

/// Of so many models at most: who may write metrics decides what models there are.
inline constexpr std::size_t gpu_models_max = 20;
/// What the others are counted under.
inline constexpr std::string_view other_gpu_models = "other";

/// The models with the most GPUs, by name; the last may be all others.
std::vector<GpuModelTotal> count_models(const std::vector<core::SampledNode>& nodes);

class GpuVectors {
public:
    /// A node with more says something else than its GPUs: the rest is left out.
    static constexpr std::size_t gpus_max = 64;
    static constexpr std::size_t nodes_max = 20'000;

    /// Of one poll. The memo outlives this, and is to be the same in each poll: what it knows of the
    /// last one need not be read again.
    explicit GpuVectors(GpuLabelMemo& memo) : memo_(memo) { memo.begin_poll(); }
    GpuVectors(const GpuVectors&) = delete;
    GpuVectors& operator=(const GpuVectors&) = delete;

    /// Takes over one answer. The error says what the body is instead, in Prometheus' words if it
    /// has some; what was taken over is then worth nothing. Of two series for one thing the larger
    /// value counts, of free memory the smaller.
    core::Result<core::Done> add(const std::string& body);

    /// By name, with GPUs by id.
    std::vector<core::SampledNode> take();

    /// Series that name no node, no GPU, or more than the bounds above.
    std::size_t left_out() const { return left_out_; }
    /// Of these, those without the label of the node.
    std::size_t without_node() const { return without_node_; }
    /// Values that are no number in the metric's range, such as NaN.
    std::size_t unreadable() const { return unreadable_; }

private:
    using Gpus = std::vector<core::SampledGpu>;  // in the order in which they came
    using Nodes = std::map<std::string, Gpus, std::less<>>;
    /// A GPU, whose place in memory may change.
    struct Place {
        Gpus* node = nullptr;  ///< nullptr: none
        std::size_t number = 0;
    };

    Place place_of(const GpuSeries& series);
    Place find_gpu(std::string_view node, std::string_view id, std::string_view model);
    void set(core::SampledGpu& gpu, std::string_view metric, std::string_view value);

    GpuLabelMemo& memo_;
    Nodes nodes_;
    std::vector<Place> places_;            ///< by the number of their labels
    Nodes::iterator last_ = nodes_.end();  ///< the node of the series before
    std::size_t next_ = 0;                 ///< of its GPUs, behind that of the series before
    std::size_t last_metric_ = 0;          ///< the metric of the series before, mostly
    std::size_t left_out_ = 0;
    std::size_t without_node_ = 0;
    std::size_t unreadable_ = 0;
};

}  // namespace k8s
