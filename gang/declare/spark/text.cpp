#include "gang/declare/spark/text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace gang::spark {
namespace {

constexpr std::size_t quoted_max = 80;

bool is_blank(char c) {
    return static_cast<unsigned char>(c) <= ' ';
}

bool is_continuation(char c) {
    return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

/// Bytes of the well-formed sequence at the front of a text that is not empty, 0 if malformed.
/// The second byte's range excludes overlong forms, surrogates and what is above U+10FFFF.
std::size_t sequence_length(std::string_view text) {
    const auto first = static_cast<unsigned char>(text[0]);
    if (first < 0x80) {
        return 1;
    }
    if (first < 0xC2 || first > 0xF4) {
        return 0;
    }
    const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
    if (text.size() < length) {
        return 0;
    }
    const auto second = static_cast<unsigned char>(text[1]);
    const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
    const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
    if (second < low || second > high) {
        return 0;
    }
    const auto rest = text.substr(2, length - 2);
    return std::all_of(rest.begin(), rest.end(), is_continuation) ? length : 0;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& c : lower) {
        if (c >= 'A' && c <= 'Z') {
            c = static_cast<char>(c - 'A' + 'a');
        }
    }
    return lower;
}

std::string quoted(std::string_view text) {
    std::string_view shown = text;
    if (shown.size() > quoted_max) {
        shown = shown.substr(0, quoted_max);
        // Not in the middle of a character.
        while (!shown.empty() && is_continuation(text[shown.size()])) {
            shown.remove_suffix(1);
        }
    }
    std::string result = "\"";
    for (const char c : shown) {
        result += static_cast<unsigned char>(c) < ' ' || c == '\x7f' ? '?' : c;
    }
    return result + (shown.size() < text.size() ? "...\"" : "\"");
}

void append_utf8(std::string& to, std::uint32_t code_point) {
    if (code_point > 0x10FFFF || (code_point >= 0xD800 && code_point <= 0xDFFF)) {
        code_point = 0xFFFD;
    }
    const auto tail = [&](int shift) {
        to += static_cast<char>(0x80U | ((code_point >> shift) & 0x3FU));
    };
    if (code_point < 0x80) {
        to += static_cast<char>(code_point);
    } else if (code_point < 0x800) {
        to += static_cast<char>(0xC0U | (code_point >> 6));
        tail(0);
    } else if (code_point < 0x10000) {
        to += static_cast<char>(0xE0U | (code_point >> 12));
        tail(6);
        tail(0);
    } else {
        to += static_cast<char>(0xF0U | (code_point >> 18));
        tail(12);
        tail(6);
        tail(0);
    }
}

bool is_utf8(std::string_view text) {
    constexpr std::uint64_t high_bits = 0x8080808080808080U;
    while (!text.empty()) {
        std::uint64_t block = 0;
        if (text.size() >= sizeof block) {
            std::memcpy(&block, text.data(), sizeof block);
            if ((block & high_bits) == 0) {
                text.remove_prefix(sizeof block);
                continue;
            }
        }
        const std::size_t length = sequence_length(text);
        if (length == 0) {
            return false;
        }
        text.remove_prefix(length);
    }
    return true;
}

}  // namespace gang::spark
