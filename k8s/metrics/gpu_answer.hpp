#pragma once
// One answer of Prometheus (/api/v1/query) read in one pass, without a document of it: of ten
// thousand GPUs it has eighty thousand series, and the event loop waits meanwhile.

#include "core/base/result.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace k8s {

/// Which GPU a series is about; empty: it has no such label, or one that is no text.
struct GpuLabels {
    std::string_view node;
    std::string_view id;
    std::string_view uuid;
    std::string_view model;
};

/// What is of interest of one series.
struct GpuSeries {
    static constexpr std::size_t not_numbered = static_cast<std::size_t>(-1);

    std::string_view metric;  ///< empty: it has no such label, or one that is no text
    const GpuLabels& labels;
    std::string_view value;
    /// Series of one answer with the same number have the same labels. Numbers are given from zero
    /// on, as labels are seen for the first time, but not to all.
    std::size_t labels_number = not_numbered;
};

struct GpuAnswer {
    bool is_vector = false;  ///< its resultType says so, and it has a result
    std::string error;       ///< in Prometheus' words
    bool has_other = false;  ///< among the result is something that is no series
};

/// Visits each series, whose texts are valid during the visit only. The error says why the body is
/// no JSON, or no object; what was visited before is then worth nothing, as it is if the answer is
/// no vector.
core::Result<GpuAnswer> read_gpu_answer(
    std::string_view body,
    std::string_view node_label,
    const std::function<void(const GpuSeries&)>& visit);

}  // namespace k8s
