#include "gang/model/crash_loop.hpp"

#include <algorithm>

namespace gang {
namespace {

/// In the long run one failure in this time is no crash loop.
constexpr std::int64_t failure_ms = 5'000;
/// So many at once are none either; Spark's own limit is twice the executors.
constexpr std::int64_t failures_min = 10;
constexpr std::int64_t report_again_ms = 600'000;

std::int64_t capacity_ms(std::int64_t executors) {
    return std::max(failures_min, 2 * executors) * failure_ms;
}

}  // namespace

void CrashLoop::note_failure(std::int64_t executors, std::int64_t now_ms) {
    const std::int64_t left = std::max<std::int64_t>(0, level_ms - (now_ms - at_ms));
    level_ms = std::min(left + failure_ms, capacity_ms(executors) + crash_loop_pause_ms_max);
    at_ms = now_ms;
}

std::int64_t CrashLoop::crash_backoff_until_ms(std::int64_t executors) const {
    return at_ms + level_ms - capacity_ms(executors);
}

bool CrashLoop::is_to_be_told(std::int64_t now_ms) {
    if (reported_ms != 0 && reported_ms + report_again_ms > now_ms) {
        return false;
    }
    reported_ms = now_ms;
    return true;
}

}  // namespace gang
