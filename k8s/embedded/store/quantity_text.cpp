#include "k8s/embedded/store/quantity_text.hpp"

#include "core/value/quantity.hpp"

#include <array>
#include <cstdint>
#include <limits>

namespace k8s::embedded {
namespace {

constexpr std::string_view largest = "9223372036854775807";
constexpr std::size_t text_length_max = 64;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

struct Spelling {
    bool is_quantity = false;
    bool is_binary = false;    // Ki, Mi, ...
    bool is_exponent = false;  // e3, E-2
};

bool is_exponent_suffix(std::string_view suffix) {
    if (suffix.size() < 2 || (suffix[0] != 'e' && suffix[0] != 'E')) return false;
    suffix.remove_prefix(suffix[1] == '-' || suffix[1] == '+' ? 2 : 1);
    return !suffix.empty() && suffix.find_first_not_of("0123456789") == std::string_view::npos;
}

Spelling spelling_of(std::string_view text) {
    if (text.starts_with('+') || text.starts_with('-')) text.remove_prefix(1);
    std::size_t digits = 0;
    std::size_t points = 0;
    std::size_t end = 0;
    for (; end < text.size() && (is_digit(text[end]) || text[end] == '.'); ++end) {
        ++(text[end] == '.' ? points : digits);
    }
    const std::string_view suffix = text.substr(end);
    Spelling spelling;
    spelling.is_exponent = is_exponent_suffix(suffix);
    spelling.is_binary = suffix.size() == 2 && suffix[1] == 'i' &&
                         std::string_view("KMGTPE").find(suffix[0]) != std::string_view::npos;
    const bool is_decimal =
        suffix.empty() || (suffix.size() == 1 &&
                           std::string_view("numkMGTPE").find(suffix[0]) != std::string_view::npos);
    const bool suffix_known = is_decimal || spelling.is_binary || spelling.is_exponent;
    spelling.is_quantity = digits > 0 && points <= 1 && suffix_known;
    return spelling;
}

std::string with_decimal_suffix(std::int64_t value, int exponent, bool as_exponent) {
    constexpr std::array names = {"m", "", "k", "M", "G", "T", "P", "E"};
    if (value == 0) return "0";
    while (value % 1000 == 0 && exponent < 18) {
        value /= 1000;
        exponent += 3;
    }
    std::string text = std::to_string(value);
    if (!as_exponent) return text + names[static_cast<std::size_t>(exponent / 3 + 1)];
    return exponent == 0 ? text : text + "e" + std::to_string(exponent);
}

std::string with_binary_suffix(std::int64_t value) {
    constexpr std::array names = {"", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei"};
    std::size_t power = 0;
    while (value % 1024 == 0 && power + 1 < names.size()) {
        value /= 1024;
        ++power;
    }
    return std::to_string(value) + names[power];
}

}  // namespace

std::optional<std::string> canonical_quantity(std::string_view text) {
    const Spelling spelling = spelling_of(text);
    if (!spelling.is_quantity || text.size() > text_length_max) return std::nullopt;
    const auto whole = core::parse_whole(text);
    if (!whole) return std::string(text.starts_with('-') ? "-" : "") + std::string(largest);
    const auto milli = core::parse_milli(text);
    const bool is_whole = !milli || *milli % 1000 == 0;
    const bool is_small = *whole > -1024 && *whole < 1024;
    if (spelling.is_binary && is_whole && !is_small) return with_binary_suffix(*whole);
    if (milli) return with_decimal_suffix(*milli, -3, spelling.is_exponent);
    return with_decimal_suffix(*whole, 0, spelling.is_exponent);
}

bool canonicalize_list(Json* list) {
    if (list == nullptr) return true;
    for (auto& [name, value] : list->members()) {
        const auto canonical =
            canonical_quantity(value.is_string() ? value.as_string() : value.dump());
        if (!canonical) return false;
        value = *canonical;
    }
    return true;
}

std::int64_t milli_of(const Json& quantity) {
    const auto milli = core::parse_milli(quantity.as_string());
    return milli ? *milli : std::numeric_limits<std::int64_t>::max();
}

}  // namespace k8s::embedded
