#pragma once
// The executor pod template (YAML or JSON that a user wrote) as far as scheduling sees it.

#include "core/constraints.hpp"
#include "core/pod.hpp"
#include "core/result.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace k8s {

inline constexpr std::size_t executor_template_max = 128 * 1024;  ///< bytes of text

/// Mirrors what the scheduler keeps of a template; gang/app copies it over, for layers below do not
/// know each other.
struct ExecutorTemplate {
    core::PodRequests requests;  ///< the Spark container is still one of the containers
    core::Constraints constraints;
    std::string scheduler_name;
    std::string priority_class_name;
    std::string runtime_class_name;
    std::string affinity_json;         ///< spec.affinity as compact JSON, empty if absent
    std::string topology_spread_json;  ///< spec.topologySpreadConstraints, empty if absent
    friend bool operator==(const ExecutorTemplate&, const ExecutorTemplate&) = default;
};

/// Reads a Pod manifest. An error: not YAML, more than one document, nested too deep, aliases that
/// unfold into too much, a field of the wrong type, a quantity that cannot be read.
core::Result<ExecutorTemplate> decode_executor_template(std::string_view yaml);

}  // namespace k8s
