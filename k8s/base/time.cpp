#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <chrono>

namespace k8s {
namespace {

constexpr std::int64_t day_s = 86'400;

std::int64_t floor_div(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

// Days since 1970-01-01 of a date of the Gregorian calendar, and back (H. Hinnant's algorithms).
std::int64_t days_from_civil(std::int64_t year, std::int64_t month, std::int64_t day) {
    year -= month <= 2 ? 1 : 0;
    const std::int64_t era = floor_div(year, 400);
    const std::int64_t year_of_era = year - era * 400;
    const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    const std::int64_t day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * 146'097 + day_of_era - 719'468;
}

struct Civil {
    std::int64_t year, month, day;
};

Civil civil_from_days(std::int64_t days) {
    days += 719'468;
    const std::int64_t era = floor_div(days, 146'097);
    const std::int64_t day_of_era = days - era * 146'097;
    const std::int64_t year_of_era =
        (day_of_era - day_of_era / 1'460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    const std::int64_t day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    const std::int64_t shifted = (5 * day_of_year + 2) / 153;
    const std::int64_t month = shifted < 10 ? shifted + 3 : shifted - 9;
    const std::int64_t day = day_of_year - (153 * shifted + 2) / 5 + 1;
    return Civil{year_of_era + era * 400 + (month <= 2 ? 1 : 0), month, day};
}

std::string format_seconds(std::int64_t seconds) {
    const std::int64_t days = floor_div(seconds, day_s);
    const std::int64_t rest = seconds - days * day_s;
    const Civil date = civil_from_days(days);
    return fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        date.year,
        date.month,
        date.day,
        rest / 3'600,
        rest / 60 % 60,
        rest % 60);
}

// Reads exactly `width` digits at `at`; -1 if they are not there.
std::int64_t number(std::string_view text, std::size_t at, std::size_t width) {
    if (text.size() < at + width) return -1;
    std::int64_t value = 0;
    for (char c : text.substr(at, width)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

bool has_separators(std::string_view text) {
    return text.size() >= 20 && text[4] == '-' && text[7] == '-' &&
           (text[10] == 'T' || text[10] == 't') && text[13] == ':' && text[16] == ':';
}

// "Z", "+01:30" -> seconds east of UTC.
std::optional<std::int64_t> parse_offset(std::string_view text) {
    if (text == "Z" || text == "z") return 0;
    if (text.size() != 6 || text[3] != ':' || (text[0] != '+' && text[0] != '-')) {
        return std::nullopt;
    }
    const std::int64_t hours = number(text, 1, 2);
    const std::int64_t minutes = number(text, 4, 2);
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) return std::nullopt;
    const std::int64_t seconds = hours * 3'600 + minutes * 60;
    return text[0] == '-' ? -seconds : seconds;
}

}  // namespace

std::int64_t monotonic_ms() {
    using std::chrono::steady_clock;
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               steady_clock::now().time_since_epoch())
        .count();
}

std::int64_t unix_ms() {
    using std::chrono::system_clock;
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               system_clock::now().time_since_epoch())
        .count();
}

std::string format_time(std::int64_t unix_time_ms) {
    return format_seconds(floor_div(unix_time_ms, 1'000)) + "Z";
}

std::string format_micro_time(std::int64_t unix_time_ms) {
    const std::int64_t seconds = floor_div(unix_time_ms, 1'000);
    return fmt::format("{}.{:03}000Z", format_seconds(seconds), unix_time_ms - seconds * 1'000);
}

std::optional<std::int64_t> parse_time(std::string_view text) {
    if (!has_separators(text)) return std::nullopt;
    const std::int64_t year = number(text, 0, 4);
    const std::int64_t month = number(text, 5, 2);
    const std::int64_t day = number(text, 8, 2);
    const std::int64_t hour = number(text, 11, 2);
    const std::int64_t minute = number(text, 14, 2);
    const std::int64_t second = number(text, 17, 2);
    if (year < 0 || month < 1 || month > 12 || day < 1 || day > 31) return std::nullopt;
    if (hour < 0 || hour > 23 || minute < 0 || minute > 59 || second < 0 || second > 60) {
        return std::nullopt;
    }
    std::size_t at = 19;
    std::int64_t millis = 0;
    if (text[at] == '.') {
        std::int64_t weight = 100;
        for (++at; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
            millis += (text[at] - '0') * weight;
            weight /= 10;
        }
        if (text[at - 1] == '.') return std::nullopt;
    }
    const auto offset = parse_offset(text.substr(at));
    if (!offset) return std::nullopt;
    const std::int64_t seconds =
        days_from_civil(year, month, day) * day_s + hour * 3'600 + minute * 60 + second - *offset;
    return seconds * 1'000 + millis;
}

std::optional<std::int64_t> parse_http_date(const std::string& text) {
    static constexpr std::string_view months = "JanFebMarAprMayJunJulAugSepOctNovDec";
    if (text.size() != 29 || text.substr(25) != " GMT" || text[3] != ',') return std::nullopt;
    const std::size_t month = months.find(text.substr(8, 3));
    if (month == std::string_view::npos || month % 3 != 0) return std::nullopt;
    return parse_time(fmt::format(
        "{}-{:02}-{}T{}Z",
        text.substr(12, 4),
        month / 3 + 1,
        text.substr(5, 2),
        text.substr(17, 8)));
}

}  // namespace k8s
