#include "gang/reservation/format/reservation_text.hpp"

#include <algorithm>
#include <charconv>

namespace gang::text {
namespace {

constexpr std::string_view hex_digits = "0123456789ABCDEF";

bool is_plain(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '/';
}

}  // namespace

std::string escape(std::string_view raw) {
    std::string out;
    out.reserve(raw.size());
    for (const char c : raw) {
        if (is_plain(c)) {
            out += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        out += '%';
        out += hex_digits[byte >> 4U];
        out += hex_digits[byte & 15U];
    }
    return out;
}

std::optional<std::string> unescape(std::string_view escaped) {
    std::string out;
    out.reserve(escaped.size());
    for (std::size_t i = 0; i < escaped.size(); ++i) {
        if (is_plain(escaped[i])) {
            out += escaped[i];
            continue;
        }
        if (escaped[i] != '%' || escaped.size() - i < 3) {
            return std::nullopt;
        }
        const auto high = hex_digits.find(escaped[i + 1]);
        const auto low = hex_digits.find(escaped[i + 2]);
        if (high == std::string_view::npos || low == std::string_view::npos) {
            return std::nullopt;
        }
        out += static_cast<char>(high * 16 + low);
        i += 2;
    }
    return out;
}

std::optional<std::int64_t> number(std::string_view digits) {
    if (digits == "-1") {
        return -1;
    }
    std::int64_t value = 0;
    const char* end = digits.data() + digits.size();
    const auto [stopped, ec] = std::from_chars(digits.data(), end, value);
    if (ec != std::errc{} || stopped != end || digits.front() == '-') {
        return std::nullopt;
    }
    return value;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> pieces;
    for (std::size_t begin = 0;;) {
        const std::size_t end = text.find(separator, begin);
        pieces.push_back(text.substr(begin, end - begin));
        if (end == std::string_view::npos) {
            return pieces;
        }
        begin = end + 1;
    }
}

std::string_view first_word(std::string_view record) {
    return record.substr(0, record.find(' '));
}

std::optional<std::string_view> Fields::find(std::string_view key) const {
    for (const std::string_view word : words_) {
        if (word.size() > key.size() && word[key.size()] == '=' && word.starts_with(key)) {
            return word.substr(key.size() + 1);
        }
    }
    return std::nullopt;
}

std::optional<std::int64_t> Fields::find_number(std::string_view key, std::int64_t missing) const {
    const auto found = find(key);
    if (!found) {
        return missing;
    }
    const auto value = number(*found);
    return value && (*value >= 0 || key == "max") ? value : std::nullopt;
}

}  // namespace gang::text
