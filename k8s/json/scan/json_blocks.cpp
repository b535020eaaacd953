#include "k8s/json/scan/json_blocks.hpp"

#include <bit>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace k8s {
namespace {

/// One bit for each byte of a block, before strings are told from what is outside.
struct RawMasks {
    std::uint64_t quotes = 0;
    std::uint64_t backslashes = 0;
    std::uint64_t opening = 0;
    std::uint64_t closing = 0;
    std::uint64_t odd = 0;
};

/// std::popcount() is a call into a library on x86-64 processors' common ground.
inline std::uint32_t count_bits(std::uint64_t bits) {
    bits -= bits >> 1 & 0x5555555555555555;
    bits = (bits & 0x3333333333333333) + (bits >> 2 & 0x3333333333333333);
    bits = (bits + (bits >> 4)) & 0x0f0f0f0f0f0f0f0f;
    return static_cast<std::uint32_t>(bits * 0x0101010101010101 >> 56);
}

/// Bit i of the answer: how many of bits 0..i are set, odd or even.
inline std::uint64_t running_parity(std::uint64_t bits) {
    for (unsigned shift = 1; shift < 64; shift *= 2) bits ^= bits << shift;
    return bits;
}

/// The bytes behind rows of backslashes whose last one takes their meaning, and the first byte if
/// the block before says so. In a row every other one does, from its first: so it is a matter of
/// where the row begins and ends. Adding its first bit clears a row and sets the bit behind it.
inline std::uint64_t escaped_bytes(std::uint64_t backslashes, JsonCarry& carry) {
    constexpr std::uint64_t even = 0x5555555555555555;
    const std::uint64_t before = carry.escaped;
    backslashes &= ~before;
    const std::uint64_t first = backslashes & ~(backslashes << 1);
    const std::uint64_t after_even = backslashes + (first & even);
    const std::uint64_t after_odd = backslashes + (first & ~even);
    carry.escaped = after_odd < backslashes ? 1 : 0;  // an odd number of them reaches the end
    return before | (((after_even & ~even) | (after_odd & even)) & ~backslashes);
}

/// All but the two counts. Bit work alone, so that every version may have it inlined.
template <typename Parity>
[[gnu::always_inline]] inline void finish(
    const RawMasks& raw, JsonCarry& carry, JsonBlock& block, const Parity& parity) {
    block.quotes = raw.quotes;
    if ((raw.backslashes | carry.escaped) != 0) {
        block.quotes &= ~escaped_bytes(raw.backslashes, carry);
    }
    const std::uint64_t inside = parity(block.quotes) ^ carry.in_string;
    carry.in_string = std::uint64_t{0} - (inside >> 63);
    block.opening = raw.opening & ~inside;
    block.closing = raw.closing & ~inside;
    block.odd = raw.odd;
}

// Eight bytes as one word: for any processor.

constexpr std::uint64_t every_byte(unsigned char c) {
    return c * std::uint64_t{0x0101010101010101};
}

constexpr std::uint64_t top_bits = every_byte(0x80);

/// The top bit of each byte that is zero; no byte disturbs another.
inline std::uint64_t zero_bytes(std::uint64_t word) {
    return ~(((word & ~top_bits) + ~top_bits) | word) & top_bits;
}

/// The top bits of the bytes, in the order of the text.
inline std::uint64_t gather(std::uint64_t tops) {
    return (tops >> 7) * 0x0102040810204080 >> 56;
}

void look_plain(const char* text, std::size_t count, JsonCarry& reached, JsonBlock* into) {
    JsonCarry carry = reached;
    for (; count > 0; --count, text += json_block_size, ++into) {
        RawMasks raw;
        std::uint64_t nul = 0;
        for (unsigned at = 0; at < json_block_size; at += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, text + at, sizeof word);
            if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
            // '[' and '{' differ in this one bit, and so do ']' and '}'.
            const std::uint64_t folded = word | every_byte(0x20);
            const std::uint64_t backslashes = zero_bytes(word ^ every_byte('\\'));
            const std::uint64_t control = zero_bytes(word & every_byte(0xE0));
            raw.quotes |= gather(zero_bytes(word ^ every_byte('"'))) << at;
            raw.backslashes |= gather(backslashes) << at;
            raw.opening |= gather(zero_bytes(folded ^ every_byte('{'))) << at;
            raw.closing |= gather(zero_bytes(folded ^ every_byte('}'))) << at;
            raw.odd |= gather(backslashes | control | (word & top_bits)) << at;
            nul |= zero_bytes(word);
        }
        carry.has_nul = carry.has_nul || nul != 0;
        finish(raw, carry, *into, running_parity);
        into->opened = count_bits(into->opening);
        into->closed = count_bits(into->closing);
    }
    reached = carry;
}

#if defined(__x86_64__)

inline std::uint64_t equal_bits(__m128i bytes, char wanted) {
    const __m128i equal = _mm_cmpeq_epi8(bytes, _mm_set1_epi8(wanted));
    return static_cast<std::uint32_t>(_mm_movemask_epi8(equal));
}

void look_sse2(const char* text, std::size_t count, JsonCarry& reached, JsonBlock* into) {
    JsonCarry carry = reached;
    __m128i least = _mm_set1_epi8(1);
    for (; count > 0; --count, text += json_block_size, ++into) {
        RawMasks raw;
        for (unsigned at = 0; at < json_block_size; at += 16) {
            const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(text + at));
            const __m128i folded = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
            const __m128i backslashes = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\'));
            // Signed: above 0x7f is below 0x20, too.
            const __m128i odd =
                _mm_or_si128(backslashes, _mm_cmplt_epi8(bytes, _mm_set1_epi8(0x20)));
            const auto bits_of = [at](__m128i mask) {
                return static_cast<std::uint64_t>(
                           static_cast<std::uint32_t>(_mm_movemask_epi8(mask)))
                       << at;
            };
            raw.quotes |= equal_bits(bytes, '"') << at;
            raw.backslashes |= bits_of(backslashes);
            raw.opening |= equal_bits(folded, '{') << at;
            raw.closing |= equal_bits(folded, '}') << at;
            raw.odd |= bits_of(odd);
            least = _mm_min_epu8(least, bytes);
        }
        finish(raw, carry, *into, running_parity);
        into->opened = count_bits(into->opening);
        into->closed = count_bits(into->closing);
    }
    carry.has_nul = carry.has_nul || equal_bits(least, 0) != 0;
    reached = carry;
}

#define K8S_WITH_AVX2 __attribute__((target("avx2,popcnt,bmi,pclmul")))

K8S_WITH_AVX2 inline std::uint64_t bits_of(__m256i low, __m256i high) {
    const auto of = [](int bits) {
        return static_cast<std::uint64_t>(static_cast<unsigned>(bits));
    };
    return of(_mm256_movemask_epi8(low)) | of(_mm256_movemask_epi8(high)) << 32;
}

K8S_WITH_AVX2 inline std::uint64_t equal_bits(__m256i low, __m256i high, char wanted) {
    const __m256i all = _mm256_set1_epi8(wanted);
    return bits_of(_mm256_cmpeq_epi8(low, all), _mm256_cmpeq_epi8(high, all));
}

/// The product by all ones without carries is the running parity.
[[gnu::always_inline]] K8S_WITH_AVX2 inline std::uint64_t product_parity(std::uint64_t bits) {
    const __m128i product = _mm_clmulepi64_si128(
        _mm_set_epi64x(0, static_cast<std::int64_t>(bits)), _mm_set1_epi8(-1), 0);
    return static_cast<std::uint64_t>(_mm_cvtsi128_si64(product));
}

K8S_WITH_AVX2 void look_avx2(
    const char* text, std::size_t count, JsonCarry& reached, JsonBlock* into) {
    JsonCarry carry = reached;
    __m256i least = _mm256_set1_epi8(1);
    const __m256i fold = _mm256_set1_epi8(0x20);
    for (; count > 0; --count, text += json_block_size, ++into) {
        const auto* at = reinterpret_cast<const __m256i*>(text);
        const __m256i low = _mm256_loadu_si256(at);
        const __m256i high = _mm256_loadu_si256(at + 1);
        const __m256i low_folded = _mm256_or_si256(low, fold);
        const __m256i high_folded = _mm256_or_si256(high, fold);
        RawMasks raw;
        raw.quotes = equal_bits(low, high, '"');
        raw.backslashes = equal_bits(low, high, '\\');
        raw.opening = equal_bits(low_folded, high_folded, '{');
        raw.closing = equal_bits(low_folded, high_folded, '}');
        raw.odd =
            raw.backslashes | bits_of(_mm256_cmpgt_epi8(fold, low), _mm256_cmpgt_epi8(fold, high));
        least = _mm256_min_epu8(least, _mm256_min_epu8(low, high));
        finish(raw, carry, *into, product_parity);
        into->opened = static_cast<std::uint32_t>(__builtin_popcountll(into->opening));
        into->closed = static_cast<std::uint32_t>(__builtin_popcountll(into->closing));
    }
    const __m256i zero = _mm256_cmpeq_epi8(least, _mm256_setzero_si256());
    carry.has_nul = carry.has_nul || _mm256_movemask_epi8(zero) != 0;
    reached = carry;
}

#define K8S_WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx2,popcnt,bmi,pclmul")))

K8S_WITH_AVX512 void look_avx512(
    const char* text, std::size_t count, JsonCarry& reached, JsonBlock* into) {
    JsonCarry carry = reached;
    std::uint64_t nul = 0;
    const __m512i fold = _mm512_set1_epi8(0x20);
    for (; count > 0; --count, text += json_block_size, ++into) {
        const __m512i bytes = _mm512_loadu_si512(text);
        const __m512i folded = _mm512_or_si512(bytes, fold);
        RawMasks raw;
        raw.quotes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('"'));
        raw.backslashes = _mm512_cmpeq_epi8_mask(bytes, _mm512_set1_epi8('\\'));
        raw.opening = _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('{'));
        raw.closing = _mm512_cmpeq_epi8_mask(folded, _mm512_set1_epi8('}'));
        raw.odd = raw.backslashes | _mm512_cmplt_epi8_mask(bytes, fold);
        nul |= _mm512_testn_epi8_mask(bytes, bytes);
        finish(raw, carry, *into, product_parity);
        into->opened = static_cast<std::uint32_t>(__builtin_popcountll(into->opening));
        into->closed = static_cast<std::uint32_t>(__builtin_popcountll(into->closing));
    }
    carry.has_nul = carry.has_nul || nul != 0;
    reached = carry;
}

#endif

std::vector<BlockReader> find_readers() {
    std::vector<BlockReader> readers = {{"plain", look_plain}};
#if defined(__x86_64__)
    readers.push_back({"sse2", look_sse2});
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("popcnt") &&
        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("pclmul")) {
        readers.push_back({"avx2", look_avx2});
        if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")) {
            readers.push_back({"avx512", look_avx512});
        }
    }
#endif
    return readers;
}

}  // namespace

const std::vector<BlockReader>& block_readers() {
    static const std::vector<BlockReader> readers = find_readers();
    return readers;
}

}  // namespace k8s
