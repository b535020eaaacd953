#pragma once
// One answer of Prometheus (/api/v1/query) read in one pass, without a document of it: of ten
// thousand GPUs it has a hundred thousand series, and the event loop waits meanwhile.

#include "core/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

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
    std::string_view error;  ///< in Prometheus' words
    std::vector<GpuSeries> series;
    bool has_other = false;  ///< behind these comes something that is no series
};

/// Parses the body in place: what is returned points into it. The error says why it is no JSON, or
/// no object.
core::Result<GpuAnswer> read_gpu_answer(std::string& body, std::string_view node_label);

}  // namespace k8s
