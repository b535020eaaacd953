#include "config/duration.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace config {
namespace {

constexpr std::int64_t nanosecond = 1;
constexpr std::int64_t millisecond = 1'000'000;
constexpr std::int64_t maximum_ms = 100LL * 365 * 24 * 3600 * 1000;

struct Unit {
    std::string_view name;
    std::int64_t nanoseconds;
};

// Longer names first, so that "ms" is not read as "m".
constexpr std::array<Unit, 8> units = {{
    {"ns", nanosecond},
    {"us", 1'000},
    {"\xC2\xB5s", 1'000},
    {"\xCE\xBCs", 1'000},
    {"ms", millisecond},
    {"s", 1'000 * millisecond},
    {"m", 60'000 * millisecond},
    {"h", 3'600'000 * millisecond},
}};

bool is_decimal(char c) {
    return c >= '0' && c <= '9';
}

core::Error expected(std::string_view text, std::string_view why) {
    return core::Error{fmt::format(
        "found \"{}\" ({}), expected a duration with its unit, such as 15s, 1m30s or 500ms",
        text,
        why)};
}

struct Decimal {
    std::int64_t whole = 0;
    std::int64_t fraction = 0;  ///< of `scale`
    std::int64_t scale = 1;
    bool any_digit = false;
    bool too_long = false;
};

/// Takes "12.5" off the front of `rest`.
Decimal take_number(std::string_view& rest) {
    Decimal number;
    bool after_point = false;
    while (!rest.empty() && (is_decimal(rest.front()) || (rest.front() == '.' && !after_point))) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c == '.') {
            after_point = true;
            continue;
        }
        number.any_digit = true;
        const std::int64_t digit = c - '0';
        if (!after_point) {
            number.too_long = number.too_long || number.whole > maximum_ms;
            number.whole = number.too_long ? 0 : number.whole * 10 + digit;
        } else if (number.scale < 1'000'000'000) {
            number.fraction = number.fraction * 10 + digit;
            number.scale *= 10;
        } else {
            number.too_long = true;
        }
    }
    return number;
}

std::optional<Unit> take_unit(std::string_view& rest) {
    for (const Unit& unit : units) {
        if (!rest.starts_with(unit.name)) {
            continue;
        }
        rest.remove_prefix(unit.name.size());
        return unit;
    }
    return std::nullopt;
}

}  // namespace

core::Result<std::int64_t> parse_duration(std::string_view text) {
    std::string_view rest = text;
    if (rest.starts_with('-')) {
        return expected(text, "negative");
    }
    if (rest == "0") {
        return std::int64_t{0};
    }
    if (rest.empty()) {
        return expected(text, "empty");
    }
    std::int64_t nanoseconds = 0;
    while (!rest.empty()) {
        const Decimal number = take_number(rest);
        if (!number.any_digit) {
            return expected(text, "not a number");
        }
        if (rest.empty()) {
            return expected(text, "no unit");
        }
        const auto unit = take_unit(rest);
        if (!unit) {
            return expected(text, "unknown unit");
        }
        std::int64_t whole = 0;
        std::int64_t fraction = 0;
        const bool overflow =
            number.too_long || __builtin_mul_overflow(number.whole, unit->nanoseconds, &whole) ||
            __builtin_mul_overflow(number.fraction, unit->nanoseconds, &fraction) ||
            __builtin_add_overflow(nanoseconds, whole, &nanoseconds) ||
            __builtin_add_overflow(nanoseconds, fraction / number.scale, &nanoseconds);
        if (overflow) {
            return expected(text, "too long or too precise");
        }
        if (fraction % number.scale != 0) {
            return expected(text, "finer than a millisecond");
        }
    }
    if (nanoseconds % millisecond != 0) {
        return expected(text, "finer than a millisecond");
    }
    if (nanoseconds / millisecond > maximum_ms) {
        return expected(text, "longer than a century");
    }
    return static_cast<std::int64_t>(nanoseconds / millisecond);
}

std::string format_duration(std::int64_t milliseconds) {
    if (milliseconds == 0) {
        return "0s";
    }
    std::string out;
    const auto put = [&](std::int64_t size, std::string_view unit) {
        if (milliseconds >= size) {
            out += fmt::format("{}{}", milliseconds / size, unit);
            milliseconds %= size;
        }
    };
    put(3'600'000, "h");
    put(60'000, "m");
    put(1'000, "s");
    put(1, "ms");
    return out;
}

}  // namespace config
