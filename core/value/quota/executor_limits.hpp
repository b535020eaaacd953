#pragma once
// What executors to come ask beyond their requests, as far as admission by quota looks at it.

#include "core/value/resources.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Of extended resources the limit is the request.
struct ContainerLimits {
    Resources requests;
    std::optional<std::int64_t> cpu_limit_milli;
    std::optional<std::int64_t> memory_limit_bytes;
    friend bool operator==(const ContainerLimits&, const ContainerLimits&) = default;
};

struct ExecutorLimits {
    std::vector<ContainerLimits> containers;  ///< side by side; none: not known
    std::string priority_class;               ///< spec.priorityClassName, as far as it is written
    friend bool operator==(const ExecutorLimits&, const ExecutorLimits&) = default;
};

}  // namespace core
