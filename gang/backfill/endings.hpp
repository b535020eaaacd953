#pragma once
// What runs, and when each is expected to end and give its room back.

#include "core/base/ids.hpp"
#include "gang/model/model.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang {

/// By which of its expected times a run is over.
enum class RunTimeKind : std::uint8_t { median, safe };

/// A gang, or lone pod, that gives back all of its room at once.
struct Ending {
    std::int64_t at_ms = 0;  ///< Unix ms
    std::string uid;
    std::vector<core::AllocationId> room;
};

/// By time, then uid. Who is expected to run for ever is not among them.
using Endings = std::vector<Ending>;

/// Executors of a driver that has ended go within a pod's usual grace period.
inline constexpr std::int64_t leftover_ms = 30'000;

/// When a run that began then is over. One that is past its time is over any moment: within a tenth
/// of it, ten seconds at least.
std::int64_t expected_end(
    const RunTime& expected, std::int64_t start_ms, std::int64_t now_ms, RunTimeKind kind);

/// Of all that holds room now.
Endings find_endings(const Model& model, std::int64_t now_ms, RunTimeKind kind);

/// Puts it in its place.
void add_ending(Endings& endings, Ending ending);

}  // namespace gang
