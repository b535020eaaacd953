#include "k8s/metrics/gpu_vectors.hpp"

#include "k8s/codec/codec_status.hpp"
#include "k8s/metrics/gpu_answer.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace k8s {
namespace {

using core::SampledGpu;

constexpr std::size_t node_max = 253;
constexpr std::size_t id_max = 128;
constexpr std::size_t model_max = 256;
constexpr double memory_max = 1e9;  ///< MiB

struct Metric {
    std::string_view name;
    std::int64_t SampledGpu::*member;
    double scale;  ///< from the metric's unit to the member's
    double most;   ///< in the member's unit; what is more is no such value
};

constexpr std::array metrics = {
    Metric{"observerward_dynamic_gpu_free_global_memory_MiB", &SampledGpu::free_mib, 1, memory_max},
    Metric{"observerward_dynamic_gpu_power_usage_W", &SampledGpu::power_milliwatts, 1000, 1e9},
    Metric{"observerward_dynamic_gpu_encoder_utilization", &SampledGpu::encoder_permille, 10, 1000},
    Metric{"observerward_dynamic_gpu_decoder_utilization", &SampledGpu::decoder_permille, 10, 1000},
    Metric{"observerward_static_gpu_memory_size", &SampledGpu::size_mib, 1, memory_max},
    Metric{"observerward_static_gpu_multiprocessor_count", &SampledGpu::multiprocessors, 1, 1e6},
    Metric{"observerward_static_gpu_shared_encoder_count", &SampledGpu::shared_encoders, 1, 1e6},
    Metric{"observerward_static_gpu_shared_decoder_count", &SampledGpu::shared_decoders, 1, 1e6}};

/// Nothing: no number, or none from 0 to `most`.
std::optional<std::int64_t> to_amount(std::string_view text, const Metric& metric) {
    const char* const text_end = text.data() + text.size();
    double value = 0;
    std::int64_t whole = 0;
    if (const auto read = std::from_chars(text.data(), text_end, whole);
        read.ec == std::errc{} && read.ptr == text_end) {
        value = static_cast<double>(whole);  // most values are whole, and read faster like that
    } else {
        const auto [end, error] = std::from_chars(text.data(), text_end, value);
        if (error != std::errc{} || end != text_end || !std::isfinite(value)) return {};
    }
    const double scaled = value * metric.scale;
    if (scaled < 0 || scaled > metric.most) return {};
    return static_cast<std::int64_t>(scaled);
}

}  // namespace

core::Result<core::Done> GpuVectors::add(const std::string& body) {
    const auto answer = read_gpu_answer(body, memo_, [this](const GpuSeries& series) {
        const auto [node, number] = place_of(series);
        if (node == nullptr) {
            ++left_out_;
        } else {
            set((*node)[number], series.metric, series.value);
        }
    });
    if (!answer) return answer.error();
    if (!answer->is_vector) {
        const std::string said = one_line(answer->error, status_message_max);
        return core::Error{said.empty() ? "the answer is not a vector of Prometheus" : said};
    }
    if (answer->has_other) return core::Error{"the answer has something that is no series"};
    return core::Done{};
}

GpuVectors::Place GpuVectors::place_of(const GpuSeries& series) {
    const std::size_t number = series.labels_number;
    const bool has_number = number != GpuLabelMemo::none;
    if (has_number && number < places_.size() && places_[number].node != nullptr) {
        return places_[number];
    }
    const auto& [node, id, uuid, model] = series.labels;
    without_node_ += node.empty() ? 1 : 0;
    const Place place = find_gpu(node, id.empty() ? uuid : id, model);
    if (has_number) {
        if (number >= places_.size()) places_.resize(std::max(number + 1, memo_.size()));
        places_[number] = place;
    }
    return place;
}

/// Series come by metric, and then mostly by node and GPU: the next one is mostly of the same node,
/// or of the next.
GpuVectors::Place GpuVectors::find_gpu(
    std::string_view node, std::string_view id, std::string_view model) {
    if (node.empty() || node.size() > node_max || id.empty() || id.size() > id_max) return {};
    if (last_ == nodes_.end() || last_->first != node) {
        if (last_ != nodes_.end()) ++last_;
        if (last_ == nodes_.end() || last_->first != node) last_ = nodes_.find(node);
        if (last_ == nodes_.end()) {
            if (nodes_.size() >= nodes_max) return {};
            last_ = nodes_.try_emplace(std::string(node)).first;
        }
        next_ = 0;
    }
    Gpus& gpus = last_->second;
    if (next_ >= gpus.size() || gpus[next_].id != id) {
        const auto found = std::find_if(
            gpus.begin(), gpus.end(), [id](const SampledGpu& one) { return one.id == id; });
        next_ = static_cast<std::size_t>(found - gpus.begin());
    }
    if (next_ == gpus.size()) {
        if (gpus.size() >= gpus_max) return {};
        gpus.emplace_back().id = id;
    }
    SampledGpu& found = gpus[next_];
    if (found.model.empty()) found.model = one_line(std::string(model), model_max);
    return {&gpus, next_++};
}

void GpuVectors::set(SampledGpu& gpu, std::string_view name, std::string_view value) {
    if (metrics[last_metric_].name != name) {
        const auto found = std::find_if(
            metrics.begin(), metrics.end(), [name](const Metric& one) { return one.name == name; });
        if (found == metrics.end()) return;  // there are others, of which nothing is made
        last_metric_ = static_cast<std::size_t>(found - metrics.begin());
    }
    const Metric& metric = metrics[last_metric_];
    const auto amount = to_amount(value, metric);
    if (!amount) {
        ++unreadable_;
        return;
    }
    std::int64_t& to = gpu.*metric.member;
    const bool is_less_worse = metric.member == &SampledGpu::free_mib && to != core::not_sampled;
    to = is_less_worse ? std::min(to, *amount) : std::max(to, *amount);
}

std::vector<core::SampledNode> GpuVectors::take() {
    std::vector<core::SampledNode> nodes;
    last_ = nodes_.end();
    places_.clear();
    for (auto& [name, gpus] : std::exchange(nodes_, {})) {
        core::SampledNode& node = nodes.emplace_back();
        node.node = name;
        node.gpus = std::move(gpus);
        std::sort(node.gpus.begin(), node.gpus.end(), [](const auto& a, const auto& b) {
            return a.id < b.id;
        });
    }
    return nodes;
}

std::vector<GpuModelTotal> count_models(const std::vector<core::SampledNode>& nodes) {
    std::map<std::string_view, GpuModelTotal> by_model;
    for (const core::SampledNode& node : nodes) {
        for (const core::SampledGpu& gpu : node.gpus) {
            GpuModelTotal& total = by_model[gpu.model];
            ++total.gpus;
            total.free_mib += std::max<std::int64_t>(gpu.free_mib, 0);
        }
    }
    std::vector<GpuModelTotal> all;
    for (auto& [model, total] : by_model) {
        total.model = model;
        all.push_back(std::move(total));
    }
    std::stable_sort(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.gpus > b.gpus; });
    if (all.size() > gpu_models_max) {
        GpuModelTotal others{std::string(other_gpu_models), 0, 0};
        for (std::size_t i = gpu_models_max; i < all.size(); ++i) {
            others.gpus += all[i].gpus;
            others.free_mib += all[i].free_mib;
        }
        all.resize(gpu_models_max);
        std::sort(
            all.begin(), all.end(), [](const auto& a, const auto& b) { return a.model < b.model; });
        // An exporter may use that name, too: a label's value may not come twice.
        const auto same = std::find_if(
            all.begin(), all.end(), [](const auto& one) { return one.model == other_gpu_models; });
        if (same == all.end()) {
            all.push_back(std::move(others));
        } else {
            same->gpus += others.gpus;
            same->free_mib += others.free_mib;
        }
        return all;
    }
    std::sort(
        all.begin(), all.end(), [](const auto& a, const auto& b) { return a.model < b.model; });
    return all;
}

}  // namespace k8s
