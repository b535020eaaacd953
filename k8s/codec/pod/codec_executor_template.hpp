#pragma once
// The executor pod template (YAML or JSON that a user wrote) as far as scheduling sees it.

#include "core/base/result.hpp"
#include "core/value/pod_template.hpp"

#include <cstddef>
#include <string_view>

namespace k8s {

/// Bytes of text. YAML is slow to read, and nothing else happens meanwhile.
inline constexpr std::size_t executor_template_max = 32 * 1024;

/// Reads a Pod manifest. An error: not YAML, more than one document, nested too deep, aliases that
/// unfold into too much, a field of the wrong type, a quantity that cannot be read.
core::Result<core::PodTemplate> decode_executor_template(std::string_view yaml);

}  // namespace k8s
