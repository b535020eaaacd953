#include "gang/durations/outlook_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang {
namespace {

constexpr std::int64_t minute_ms = 60'000;
constexpr std::int64_t hour_ms = 60 * minute_ms;
constexpr std::int64_t day_ms = 24 * hour_ms;

std::int64_t rounded(std::int64_t time_ms, std::int64_t step_ms) {
    return (time_ms + step_ms / 2) / step_ms * step_ms;
}

std::string start_text(const Outlook& outlook, std::int64_t now_ms) {
    const std::int64_t away_ms = outlook.start_ms - now_ms;
    const std::int64_t step_ms = away_ms < 10 * minute_ms ? minute_ms
                                 : away_ms < 2 * hour_ms  ? 5 * minute_ms
                                                          : 30 * minute_ms;
    const std::int64_t at_ms = rounded(std::max(outlook.start_ms, now_ms), step_ms);
    const std::int64_t minutes = at_ms / minute_ms % (24 * 60);
    const std::int64_t days = at_ms / day_ms - now_ms / day_ms;
    const std::string day = days > 0 ? fmt::format(" (+{}d)", days) : "";
    const std::int64_t spread = (rounded(outlook.spread_ms, step_ms) + minute_ms - 1) / minute_ms;
    return fmt::format(
        "expected to start about {:02}:{:02}{} UTC, +- {} min",
        minutes / 60,
        minutes % 60,
        day,
        std::max<std::int64_t>(spread, 1));
}

}  // namespace

std::string outlook_text(const Outlook& outlook, std::int64_t now_ms, std::int64_t max_bypass) {
    std::string text = outlook.start_ms > 0 ? start_text(outlook, now_ms) : "";
    if (outlook.bypasses > 0) {
        text += fmt::format(
            "{}passed by {} gang{}, {} at most",
            text.empty() ? "" : "; ",
            outlook.bypasses,
            outlook.bypasses == 1 ? "" : "s",
            max_bypass);
    }
    return text;
}

}  // namespace gang
