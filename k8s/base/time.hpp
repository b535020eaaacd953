#pragma once
// Clocks and the two time formats of Kubernetes. By hand: the library of GCC 12 has no
// chrono::parse.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace k8s {

/// Milliseconds of a clock that never jumps; only differences mean something.
std::int64_t monotonic_ms();

/// Milliseconds since 1970, UTC.
std::int64_t unix_ms();

/// metav1.Time: "2026-07-01T12:30:00Z".
std::string format_time(std::int64_t unix_time_ms);

/// metav1.MicroTime: "2026-07-01T12:30:00.123000Z".
std::string format_micro_time(std::int64_t unix_time_ms);

/// RFC 3339 with any fraction and offset, to milliseconds since 1970 (truncated). Nothing for other
/// text.
std::optional<std::int64_t> parse_time(std::string_view text);

/// "Wed, 21 Oct 2026 07:28:00 GMT" as milliseconds since 1970; nothing if it is anything else.
std::optional<std::int64_t> parse_http_date(const std::string& text);

}  // namespace k8s
