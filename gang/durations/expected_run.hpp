#pragma once
// What a pod says of its own run time, and under which name its runs are remembered.

#include "core/value/pod.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gang {

/// Of a driver or lone pod: it is expected to run so long.
inline constexpr std::string_view expected_duration_annotation = "gang-scheduler/expected-duration";

/// Milliseconds, as Go writes durations; nothing: it is none, or not more than zero.
std::optional<std::int64_t> read_expected_run(std::string_view text);
/// What the pod says; nothing: nothing, or nothing that can be read.
std::optional<std::int64_t> expected_run_of(const core::Pod& pod);

/// The name that it shares with earlier and later runs of the same application: Spark's label
/// spark-app-name, or the pod's own name without what tells runs apart (a number, a hash, Spark's
/// "-driver").
std::string run_name(const core::Pod& pod);

}  // namespace gang
