#include "k8s/embedded/tables/age.hpp"

#include "k8s/base/time.hpp"

#include <fmt/format.h>

namespace k8s::embedded {
namespace {

// "3m" or "3m7s": the smaller unit is left out when it is zero.
std::string two_units(std::int64_t large, char large_unit, std::int64_t small, char small_unit) {
    if (small == 0) return fmt::format("{}{}", large, large_unit);
    return fmt::format("{}{}{}{}", large, large_unit, small, small_unit);
}

std::string from_hours(std::int64_t minutes) {
    const std::int64_t hours = minutes / 60;
    const std::int64_t days = hours / 24;
    const std::int64_t years = days / 365;
    if (hours < 8) return two_units(hours, 'h', minutes % 60, 'm');
    if (hours < 48) return fmt::format("{}h", hours);
    if (hours < 24 * 8) return two_units(days, 'd', hours % 24, 'h');
    if (hours < 24 * 365 * 2) return fmt::format("{}d", days);
    if (hours < 24 * 365 * 8) return two_units(years, 'y', days % 365, 'd');
    return fmt::format("{}y", years);
}

}  // namespace

std::string human_duration(std::int64_t milliseconds) {
    const std::int64_t seconds = milliseconds / 1000;
    if (seconds < -1) return "<invalid>";
    if (seconds < 0) return "0s";
    if (seconds < 120) return fmt::format("{}s", seconds);
    const std::int64_t minutes = seconds / 60;
    if (minutes < 10) return two_units(minutes, 'm', seconds % 60, 's');
    if (minutes < 180) return fmt::format("{}m", minutes);
    return from_hours(minutes);
}

std::string age_since(std::string_view time, std::int64_t now_ms) {
    const auto since = parse_time(time);
    if (!since) return "<unknown>";
    return human_duration(now_ms - *since);
}

}  // namespace k8s::embedded
