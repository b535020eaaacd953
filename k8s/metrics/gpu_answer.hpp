#pragma once
// One answer of Prometheus (/api/v1/query) read in one pass, without a document of it: of ten
// thousand GPUs it has eighty thousand series, and the event loop waits meanwhile.

#include "core/base/result.hpp"

#include <functional>
#include <string>
#include <string_view>

namespace k8s {

/// What is of interest of one series; empty: it has no such label, or one that is no text.
struct GpuSeries {
    std::string_view metric;
    std::string_view node;
    std::string_view id;
    std::string_view uuid;
    std::string_view model;
    std::string_view value;
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
