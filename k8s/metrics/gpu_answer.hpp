#pragma once
// One answer of Prometheus (/api/v1/query) read in one pass, without a document of it: of ten
// thousand GPUs it has eighty thousand series, and the event loop waits meanwhile.

#include "core/base/result.hpp"
#include "k8s/metrics/gpu_labels.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace k8s {

/// What is of interest of one series.
struct GpuSeries {
    std::string_view metric;  ///< empty: it has no such label, or one that is no text
    const GpuLabels& labels;
    std::string_view value;
    /// GpuLabelMemo's: series with the same number have the same labels. Not all have one.
    std::size_t labels_number = GpuLabelMemo::none;
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
    std::string_view body, GpuLabelMemo& memo, const std::function<void(const GpuSeries&)>& visit);

}  // namespace k8s
