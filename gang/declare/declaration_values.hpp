#pragma once
// Single values of a declaration. Users write them by hand: whatever is not plainly a value is an
// error that says which forms are accepted, and nothing bad is ever read as 0.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"
#include "gang/declare/declaration_keys.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace gang {

/// Executors: a whole number of at most nine digits.
core::Result<std::int64_t> read_count(std::string_view text);

/// Cores in thousandths: "2", "0.5", "500m"; more than 0.
core::Result<std::int64_t> read_cpu(std::string_view text);

/// Bytes, more than 0. "4g", "4096m" are binary as the JVM has it (so `m` is never a thousandth),
/// "4Gi", "1.5Gi", "4G" are Kubernetes'. A bare number of bytes below 1Mi is taken for a forgotten
/// unit.
core::Result<std::int64_t> read_memory(std::string_view text, BareMemory bare);

/// A whole number of devices; 0 is none.
core::Result<std::int64_t> read_devices(std::string_view text);

/// Taints that executors tolerate, as kubectl writes taints, with commas between them: "dedicated",
/// "dedicated=spark", "dedicated=spark:NoSchedule". "*" is every taint.
core::Result<std::vector<core::Toleration>> read_tolerations(std::string_view text);

core::Result<bool> read_flag(std::string_view text);

/// 32 bits, with a sign if need be.
core::Result<std::int64_t> read_priority(std::string_view text);

}  // namespace gang
