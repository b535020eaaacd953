#include "core/value/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace core {

namespace {

__extension__ typedef unsigned __int128 Unsigned128;

/// The API server has no such limit, but canonical quantities have some twenty characters; a bound
/// on the text is what makes hostile input cheap.
constexpr std::size_t text_length_max = 256;
constexpr std::uint64_t magnitude_max = std::numeric_limits<std::int64_t>::max();
/// Beyond this, an exponent can only mean "too large" or "rounded up to one".
constexpr int exponent_limit = 10'000;

/// (-1)^negative x digits x 10^exponent10 x 2^exponent2
struct Parsed {
    bool negative = false;
    std::string digits;  ///< no leading zeros; empty is zero
    int exponent10 = 0;
    int exponent2 = 0;
};

struct Suffix {
    std::string_view text;
    int exponent10;
    int exponent2;
};
constexpr std::array<Suffix, 16> suffixes = {{
    {"", 0, 0},
    {"n", -9, 0},
    {"u", -6, 0},
    {"m", -3, 0},
    {"k", 3, 0},
    {"M", 6, 0},
    {"G", 9, 0},
    {"T", 12, 0},
    {"P", 15, 0},
    {"E", 18, 0},
    {"Ki", 0, 10},
    {"Mi", 0, 20},
    {"Gi", 0, 30},
    {"Ti", 0, 40},
    {"Pi", 0, 50},
    {"Ei", 0, 60},
}};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string quoted(std::string_view text) {
    constexpr std::size_t shown_max = 40;
    std::string shown(text.substr(0, shown_max));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
    return '"' + shown + (text.size() > shown_max ? "...\"" : "\"");
}

Error not_a_quantity(std::string_view text) {
    return {quoted(text) + " is not a quantity: expected a number like 500m, 2, 1.5Gi or 1e3"};
}

Error too_large(std::string_view text) {
    return {quoted(text) + " does not fit in 64 bits"};
}

std::string_view take_digits(std::string_view& rest) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    const auto length = static_cast<std::size_t>(end - rest.begin());
    const std::string_view digits = rest.substr(0, length);
    rest.remove_prefix(length);
    return digits;
}

/// "+3", "-06": what follows the e of a decimal exponent.
std::optional<int> parse_exponent(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || !std::all_of(text.begin(), text.end(), is_digit)) return std::nullopt;
    int value = 0;
    for (const char c : text) value = std::min(value * 10 + (c - '0'), exponent_limit);
    return negative ? -value : value;
}

/// The table comes first, as in the API server: "1E" is an exa, "1E3" a thousand.
bool apply_suffix(std::string_view text, Parsed& parsed) {
    for (const Suffix& suffix : suffixes) {
        if (suffix.text != text) continue;
        parsed.exponent10 += suffix.exponent10;
        parsed.exponent2 = suffix.exponent2;
        return true;
    }
    if (text.size() < 2 || (text.front() != 'e' && text.front() != 'E')) return false;
    const std::optional<int> exponent = parse_exponent(text.substr(1));
    if (exponent) parsed.exponent10 += *exponent;
    return exponent.has_value();
}

/// Stricter than the API server in one point: it takes "+", "." and "Gi" for zero; here a digit is
/// needed, since such a text in somebody's conf is a mistake that should be named.
std::optional<Parsed> parse(std::string_view text) {
    if (text.size() > text_length_max) return std::nullopt;
    Parsed parsed;
    parsed.negative = text.starts_with('-');
    if (parsed.negative || text.starts_with('+')) text.remove_prefix(1);
    const std::string_view whole = take_digits(text);
    std::string_view fraction;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        fraction = take_digits(text);
    }
    if (whole.empty() && fraction.empty()) return std::nullopt;
    parsed.digits.append(whole).append(fraction);
    parsed.digits.erase(0, parsed.digits.find_first_not_of('0'));
    parsed.exponent10 = -static_cast<int>(fraction.size());
    if (!apply_suffix(text, parsed)) return std::nullopt;
    return parsed;
}

/// whole + 0.fraction, doubled `times` times and rounded up; nullopt when it passes 64 bits.
std::optional<std::uint64_t> scale_and_round_up(
    Unsigned128 whole, std::string fraction, int times) {
    for (int i = 0; i < times && whole <= magnitude_max; ++i) {
        int carry = 0;
        for (std::size_t at = fraction.size(); at-- > 0;) {
            const int doubled = (fraction[at] - '0') * 2 + carry;
            fraction[at] = static_cast<char>('0' + doubled % 10);
            carry = doubled / 10;
        }
        whole = whole * 2 + static_cast<unsigned>(carry);
    }
    if (fraction.find_first_not_of('0') != std::string::npos) ++whole;
    if (whole > magnitude_max) return std::nullopt;
    return static_cast<std::uint64_t>(whole);
}

/// Rounds away from zero, as apimachinery does.
std::optional<std::uint64_t> magnitude(const Parsed& parsed) {
    if (parsed.digits.empty()) return 0;
    const int whole_digits = static_cast<int>(parsed.digits.size()) + parsed.exponent10;
    if (whole_digits > 19) return std::nullopt;  // 10^19 > 2^63
    if (whole_digits < -20) return 1;            // less than 10^-20 x 2^60: rounds up to one
    std::string digits = parsed.digits;
    if (whole_digits < 0) digits.insert(0, static_cast<std::size_t>(-whole_digits), '0');
    const auto split = static_cast<std::size_t>(std::max(whole_digits, 0));
    if (digits.size() < split) digits.append(split - digits.size(), '0');
    Unsigned128 whole = 0;
    for (std::size_t i = 0; i < split; ++i)
        whole = whole * 10 + static_cast<unsigned>(digits[i] - '0');
    return scale_and_round_up(whole, digits.substr(split), parsed.exponent2);
}

Result<std::int64_t> parse_scaled(std::string_view text, int exponent10) {
    std::optional<Parsed> parsed = parse(text);
    if (!parsed) return not_a_quantity(text);
    parsed->exponent10 += exponent10;
    const std::optional<std::uint64_t> value = magnitude(*parsed);
    if (!value) return too_large(text);
    const auto amount = static_cast<std::int64_t>(*value);
    return parsed->negative ? -amount : amount;
}

}  // namespace

Result<std::int64_t> parse_milli(std::string_view text) {
    return parse_scaled(text, 3);
}

Result<std::int64_t> parse_whole(std::string_view text) {
    return parse_scaled(text, 0);
}

std::string format_cpu(std::int64_t milli) {
    if (milli % 1000 == 0) return fmt::format("{}", milli / 1000);
    return fmt::format("{}m", milli);
}

std::string format_bytes(std::int64_t bytes) {
    constexpr std::array<const char*, 7> units = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    std::size_t unit = 0;
    while (bytes != 0 && bytes % 1024 == 0 && unit + 1 < units.size()) {
        bytes /= 1024;
        ++unit;
    }
    return fmt::format("{}{}", bytes, units[unit]);
}

std::string format_bytes_short(std::int64_t bytes) {
    constexpr std::size_t short_max = 6;  // "1408Mi"
    std::string exact = format_bytes(bytes);
    if (exact.size() <= short_max) {
        return exact;
    }
    constexpr std::array<const char*, 7> units = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    auto amount = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (amount >= 1024 && unit + 1 < units.size()) {
        amount /= 1024;
        ++unit;
    }
    return fmt::format("{:.1f}{}", amount, units[unit]);
}

}  // namespace core
