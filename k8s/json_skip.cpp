#include "k8s/json_skip.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace k8s {
namespace {

constexpr std::size_t block_size = 64;

/// One bit for each byte of a block.
struct BlockMasks {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opening = 0;
    std::uint64_t closing = 0;
};

#if defined(__SSE2__)

std::uint64_t equal_bits(__m128i bytes, char wanted) {
    const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
}

BlockMasks look_at_block(const char* block) {
    BlockMasks masks;
    for (unsigned at = 0; at < block_size; at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + at));
        // '[' and '{' differ in this one bit, and so do ']' and '}'.
        const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        masks.quotes |= equal_bits(bytes, '"') << at;
        masks.backslashes |= equal_bits(bytes, '\\') << at;
        masks.opening |= equal_bits(folded, '{') << at;
        masks.closing |= equal_bits(folded, '}') << at;
    }
    return masks;
}

#else

BlockMasks look_at_block(const char* block) {
    BlockMasks masks;
    for (unsigned at = 0; at < block_size; ++at) {
        const std::uint64_t bit = std::uint64_t{1} << at;
        const char c = block[at];
        if (c == '"') masks.quotes |= bit;
        if (c == '\\') masks.backslashes |= bit;
        if (c == '{' || c == '[') masks.opening |= bit;
        if (c == '}' || c == ']') masks.closing |= bit;
    }
    return masks;
}

#endif

/// std::popcount() is a call into a library on processors' common ground, and this is half of what
/// a block costs.
int count_bits(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<int>(bits * 0x0101010101010101 >> 56);
}

/// Bit i of the answer: how many of bits 0..i are set, odd or even.
std::uint64_t running_parity(std::uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

/// Walks from block to block; knows what reaches from one into the next.
class Walk {
public:
    /// The place in the block where what was open is closed; block_size if it is not.
    unsigned close_in(const char* block) {
        BlockMasks masks = look_at_block(block);
        if (masks.backslashes != 0 || escaped_ != 0) masks.quotes &= ~escaped(masks.backslashes);
        // From each opening quote up to before its closing one.
        const std::uint64_t inside = running_parity(masks.quotes) ^ in_string_;
        in_string_ = std::uint64_t{0} - (inside >> 63);
        const std::uint64_t opening = masks.opening & ~inside;
        std::uint64_t closing = masks.closing & ~inside;
        if (depth_ > count_bits(closing)) {
            depth_ += count_bits(opening) - count_bits(closing);
            return block_size;
        }
        for (std::int64_t seen = 1; closing != 0; closing &= closing - 1, ++seen) {
            const auto at = static_cast<unsigned>(std::countr_zero(closing));
            const std::uint64_t before = (std::uint64_t{1} << at) - 1;
            if (depth_ + count_bits(opening & before) == seen) return at;
        }
        depth_ += count_bits(opening) - count_bits(masks.closing & ~inside);
        return block_size;
    }

private:
    /// The bytes that a backslash takes the meaning of.
    std::uint64_t escaped(std::uint64_t backslashes) {
        std::uint64_t result = escaped_;
        backslashes &= ~escaped_;
        escaped_ = 0;
        while (backslashes != 0) {
            const std::uint64_t first = backslashes & (~backslashes + 1);
            result |= first << 1;
            if (first >> 63 != 0) escaped_ = 1;
            backslashes &= ~(first | first << 1);
        }
        return result;
    }

    std::int64_t depth_ = 1;
    std::uint64_t in_string_ = 0;  ///< all bits set: the block begins inside a string
    std::uint64_t escaped_ = 0;    ///< 1: the next block's first byte is escaped
};

}  // namespace

const char* find_closing(std::string_view text) {
    Walk walk;
    const char* at = text.data();
    std::size_t left = text.size();
    for (; left >= block_size; at += block_size, left -= block_size) {
        const unsigned found = walk.close_in(at);
        if (found != block_size) return at + found;
    }
    char last[block_size];
    std::memset(last, ' ', sizeof last);
    if (left > 0) std::memcpy(last, at, left);
    const unsigned found = walk.close_in(last);
    return found != block_size ? at + found : nullptr;
}

bool ends_inside_a_character(std::string_view text) {
    const std::string_view tail = text.substr(text.size() - std::min<std::size_t>(text.size(), 2));
    return std::any_of(
        tail.begin(), tail.end(), [](char c) { return static_cast<unsigned char>(c) >= 0xC0; });
}

TextTraits look_at(std::string_view text) {
    TextTraits traits;
    std::size_t at = 0;
#if defined(__SSE2__)
    __m128i all = _mm_setzero_si128();
    __m128i nul = _mm_setzero_si128();
    for (; at + 16 <= text.size(); at += 16) {
        const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text.data() + at));
        all = _mm_or_si128(all, bytes);
        nul = _mm_or_si128(nul, _mm_cmpeq_epi8(bytes, _mm_setzero_si128()));
    }
    traits.ascii = _mm_movemask_epi8(all) == 0;
    traits.has_nul = _mm_movemask_epi8(nul) != 0;
#endif
    for (; at < text.size(); ++at) {
        traits.ascii = traits.ascii && static_cast<unsigned char>(text[at]) < 0x80;
        traits.has_nul = traits.has_nul || text[at] == '\0';
    }
    return traits;
}

}  // namespace k8s
