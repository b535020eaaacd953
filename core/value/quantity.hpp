#pragma once
// Kubernetes quantities ("100m", "1.5Gi", "2e3") as exact integers. Every form of
// apimachinery/pkg/api/resource/quantity.go is read; a fraction of the unit is rounded up, as the
// API server does; what does not fit 64 bits is an error, never a wrapped or saturated number.

#include "core/base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace core {

/// The quantity in thousandths, rounded up: "0.1" and "100m" are 100.
Result<std::int64_t> parse_milli(std::string_view text);

/// The quantity in whole units (bytes, counts), rounded up: "1Ki" is 1024, "1500m" is 2.
Result<std::int64_t> parse_whole(std::string_view text);

/// CPU as people write it: 1500 -> "1500m", 2000 -> "2".
std::string format_cpu(std::int64_t milli);

/// Bytes in the largest binary unit that is exact: 1476395008 -> "1408Mi".
std::string format_bytes(std::int64_t bytes);

/// Bytes for people: exact where that is short ("1408Mi", "16Gi"), else to a tenth of a larger unit
/// ("23.8Gi"), rounded to the nearest.
std::string format_bytes_short(std::int64_t bytes);

}  // namespace core
