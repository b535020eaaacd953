#pragma once
// Durations as Go and Kubernetes write them: "15s", "1m30s", "500ms", "1.5h".

#include "core/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace config {

/// Milliseconds. A number without unit, a unit Go does not know, a negative duration, a fraction
/// of a millisecond, or more than 100 years: an error that names the accepted form.
core::Result<std::int64_t> parse_duration(std::string_view text);

/// The shortest form that parse_duration() reads back: 90000 -> "1m30s".
std::string format_duration(std::int64_t milliseconds);

}  // namespace config
