#pragma once
// The API server does not check the annotations of a Binding. One that is not valid, or too much of
// them in all, makes the pod unwritable for ever, the kubelet's status included. So we check first.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"

#include <cstddef>
#include <string_view>

namespace k8s {

inline constexpr std::size_t annotation_bytes_max =
    256 * 1024;  ///< Kubernetes' limit, keys + values

/// [prefix/]name as Kubernetes checks it.
bool is_qualified_name(std::string_view key);

/// Keys valid, values UTF-8 without NUL, and together with what the pod has within the limit.
core::Result<core::Done> check_annotations(
    const core::StringMap& annotations, std::size_t existing_bytes);

}  // namespace k8s
