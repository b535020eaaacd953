#pragma once
// The beginning of a text as a number, by which most texts are told apart in one comparison.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace k8s {

template <typename Word>
Word load_word(const char* from) {
    Word word = 0;
    std::memcpy(&word, from, sizeof word);
    return word;
}

/// Up to eight bytes, the first in the lowest bits, zeros behind a shorter text.
constexpr std::uint64_t first_word(std::string_view text) {
    if (std::is_constant_evaluated() || std::endian::native != std::endian::little) {
        std::uint64_t word = 0;
        for (std::size_t i = 0; i < text.size() && i < 8; ++i) {
            word |= static_cast<std::uint64_t>(static_cast<unsigned char>(text[i])) << 8 * i;
        }
        return word;
    }
    // The loads overlap where they must; none goes past the text.
    const std::size_t size = text.size();
    if (size >= 8) return load_word<std::uint64_t>(text.data());
    if (size >= 4) {
        const std::uint64_t last = load_word<std::uint32_t>(text.data() + size - 4);
        return load_word<std::uint32_t>(text.data()) | last << 8 * (size - 4);
    }
    if (size >= 2) {
        const std::uint64_t last = load_word<std::uint16_t>(text.data() + size - 2);
        return load_word<std::uint16_t>(text.data()) | last << 8 * (size - 2);
    }
    return size == 0 ? 0 : static_cast<unsigned char>(text.front());
}

/// The same of a text that lies in another one, which ends at `end`.
inline std::uint64_t first_word(std::string_view text, const char* end) {
    if (std::endian::native != std::endian::little || end - text.data() < 8) {
        return first_word(text);
    }
    const auto word = load_word<std::uint64_t>(text.data());
    return text.size() >= 8 ? word : word & ((std::uint64_t{1} << 8 * text.size()) - 1);
}

}  // namespace k8s
