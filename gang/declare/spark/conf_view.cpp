#include "gang/declare/spark/conf_view.hpp"

#include "gang/declare/spark/keys.hpp"
#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <limits>

namespace gang::spark {
namespace {

/// from_chars knows no plus sign, Java's parsers do.
std::string_view without_plus(std::string_view text) {
    const bool has_plus = text.size() > 1 && text[0] == '+' && text[1] != '-' && text[1] != '+';
    return has_plus ? text.substr(1) : text;
}

std::optional<std::int64_t> parse_int32(std::string_view text) {
    const std::string_view digits = without_plus(trimmed(text));
    std::int32_t value = 0;
    const char* const end = digits.data() + digits.size();
    const auto [rest, error] = std::from_chars(digits.data(), end, value);
    if (error != std::errc{} || rest != end) {
        return std::nullopt;
    }
    return value;
}

/// 0x1.8p1 has an exponent in Java, always.
bool is_hexadecimal(std::string_view digits) {
    return digits.starts_with("0x") || digits.starts_with("0X");
}

std::string_view without_type(std::string_view digits) {
    const bool has_type =
        digits.size() > 1 &&
        std::string_view("dDfF").find(digits.back()) != std::string_view::npos &&
        std::string_view("0123456789.").find(digits[digits.size() - 2]) != std::string_view::npos;
    if (has_type && (!is_hexadecimal(digits) || digits.find_first_of("pP") < digits.size())) {
        digits.remove_suffix(1);
    }
    return digits;
}

/// What is too large is infinite and what is too small is 0, as in Java. strtod() is asked where
/// from_chars() says no more than "out of range"; nobody here sets a locale.
double beyond_range(std::string_view digits) {
    return std::strtod(std::string(digits).c_str(), nullptr);
}

std::optional<double> parse_double(std::string_view text) {
    std::string_view digits = without_plus(trimmed(text));
    if (digits == "Infinity") {
        return std::numeric_limits<double>::infinity();
    }
    digits = without_type(digits);
    auto format = std::chars_format::general;
    std::string_view read = digits;
    if (is_hexadecimal(digits)) {
        if (digits.find_first_of("pP") == std::string_view::npos) {
            return std::nullopt;
        }
        format = std::chars_format::hex;
        read.remove_prefix(2);
    }
    double value = 0;
    const char* const end = read.data() + read.size();
    const auto [rest, error] = std::from_chars(read.data(), end, value, format);
    if (error == std::errc::result_out_of_range && rest == end) {
        return beyond_range(digits);
    }
    if (error != std::errc{} || rest != end || !std::isfinite(value)) {
        return std::nullopt;
    }
    return value;
}

}  // namespace

core::Error wrong_value(std::string_view key, std::string_view value, std::string_view why) {
    return {std::string(key) + " = " + quoted(value) + ": " + std::string(why)};
}

const std::string* ConfView::find(std::string_view key) const {
    if (const std::string* value = core::find_value(properties_, std::string(key))) {
        return value;
    }
    for (const keys::Renamed& name : keys::renamed) {
        if (name.key == key) {
            return core::find_value(properties_, std::string(name.former));
        }
    }
    return nullptr;
}

core::Result<std::optional<std::int64_t>> ConfView::find_integer(std::string_view key) const {
    const std::string* text = find(key);
    if (text == nullptr) {
        return std::optional<std::int64_t>();
    }
    const auto value = parse_int32(*text);
    if (!value) {
        return wrong_value(key, *text, "expected a whole number in decimal digits, such as 4");
    }
    return value;
}

core::Result<std::int64_t> ConfView::integer_or(
    std::string_view key, std::int64_t fallback, std::int64_t least) const {
    const auto value = find_integer(key);
    if (!value) {
        return value.error();
    }
    if (*value && **value < least) {
        return wrong_value(key, *find(key), "expected at least " + std::to_string(least));
    }
    return value->value_or(fallback);
}

core::Result<bool> ConfView::boolean_or(std::string_view key, bool fallback) const {
    const std::string* text = find(key);
    if (text == nullptr) {
        return fallback;
    }
    const std::string lower = lower_case(trimmed(*text));
    if (lower != "true" && lower != "false") {
        return wrong_value(key, *text, "expected true or false");
    }
    return lower == "true";
}

core::Result<std::optional<std::int64_t>> ConfView::find_mebibytes(
    std::string_view key, Sign sign) const {
    const std::string* text = find(key);
    if (text == nullptr) {
        return std::optional<std::int64_t>();
    }
    const bool is_negative = sign == Sign::any && text->starts_with('-');
    const std::string_view size = std::string_view(*text).substr(is_negative ? 1 : 0);
    const auto value = parse_mebibytes(size, SizeUnit::mebibytes, suffixes_);
    if (!value) {
        return core::Error{std::string(key) + ": " + value.error().message};
    }
    return std::optional<std::int64_t>(is_negative ? -*value : *value);
}

core::Result<std::optional<std::int64_t>> ConfView::find_bytes_in_mebibytes(
    std::string_view key) const {
    const std::string* text = find(key);
    if (text == nullptr) {
        return std::optional<std::int64_t>();
    }
    const auto value = parse_mebibytes(*text, SizeUnit::bytes, suffixes_);
    if (!value) {
        return core::Error{std::string(key) + ": " + value.error().message};
    }
    return std::optional<std::int64_t>(*value);
}

core::Result<std::optional<double>> ConfView::find_factor(std::string_view key, Zero zero) const {
    const std::string* text = find(key);
    if (text == nullptr) {
        return std::optional<double>();
    }
    const auto value = parse_double(*text);
    if (!value || *value < 0 || (*value == 0 && zero == Zero::refused)) {
        return wrong_value(key, *text, "expected a number greater than 0, such as 0.1");
    }
    return value;
}

std::vector<std::string> ConfView::custom_resources() const {
    std::vector<std::string> names;
    for (const auto& [text, value] : with_prefix(keys::resource_prefix)) {
        names.push_back(text.substr(0, text.find('.')));
    }
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

core::StringMap ConfView::with_prefix(std::string_view prefix) const {
    core::StringMap found;
    for (const auto& [key, value] : properties_) {
        if (key.size() > prefix.size() && key.starts_with(prefix)) {
            found.emplace_back(key.substr(prefix.size()), value);
        }
    }
    return found;
}

}  // namespace gang::spark
