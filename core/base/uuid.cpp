#include "core/base/uuid.hpp"

#include <array>

namespace core {

namespace {

constexpr std::uint32_t no_digit = 0x80;

constexpr std::array<std::uint8_t, 256> make_hex_digits() {
    std::array<std::uint8_t, 256> digits = {};
    digits.fill(no_digit);
    for (unsigned i = 0; i < 16; ++i)
        digits[i < 10 ? '0' + i : 'a' + i - 10] = static_cast<std::uint8_t>(i);
    return digits;
}
constexpr std::array<std::uint8_t, 256> hex_digits = make_hex_digits();

/// Where the digits are in the text, between the dashes.
constexpr std::array<std::uint8_t, 32> digit_places = {0,  1,  2,  3,  4,  5,  6,  7,  9,  10, 11,
                                                       12, 14, 15, 16, 17, 19, 20, 21, 22, 24, 25,
                                                       26, 27, 28, 29, 30, 31, 32, 33, 34, 35};

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
    const char* at = text.data();
    if (at[8] != '-' || at[13] != '-' || at[18] != '-' || at[23] != '-') return std::nullopt;
    Uuid uuid;
    std::uint32_t seen = 0;
    // No branch per digit: every line of a watch comes through here.
    for (unsigned i = 0; i < digit_places.size(); ++i) {
        const std::uint32_t digit = hex_digits[static_cast<unsigned char>(at[digit_places[i]])];
        seen |= digit;
        uuid.words[i / 8] = uuid.words[i / 8] << 4 | (digit & 15U);
    }
    return (seen & no_digit) == 0 ? std::optional(uuid) : std::nullopt;
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
