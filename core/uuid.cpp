#include "core/uuid.hpp"

namespace core {

namespace {

std::optional<std::uint32_t> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint32_t>(c - '0');
    if (c >= 'a' && c <= 'f') return static_cast<std::uint32_t>(c - 'a' + 10);
    return std::nullopt;
}

/// The finaliser of splitmix64.
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

std::uint64_t join(std::uint32_t high, std::uint32_t low) {
    return std::uint64_t{high} << 32 | low;
}

}  // namespace

std::optional<Uuid> parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid uuid;
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash && text[i] != '-') return std::nullopt;
        if (dash) continue;
        const std::optional<std::uint32_t> digit = hex_digit(text[i]);
        if (!digit) return std::nullopt;
        std::uint32_t& word = uuid.words[digits++ / 8];
        word = word << 4 | *digit;
    }
    return uuid;
}

std::string text_of(const Uuid& uuid) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    text.reserve(36);
    for (unsigned i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
        text += digits[uuid.words[i / 8] >> (28 - 4 * (i % 8)) & 15U];
    }
    return text;
}

std::uint64_t hash_of(const Uuid& uuid) {
    return mix(join(uuid.words[0], uuid.words[1]) ^ mix(join(uuid.words[2], uuid.words[3])));
}

}  // namespace core
