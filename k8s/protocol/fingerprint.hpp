#pragma once
// A number for a sequence of words, by which two sequences are told apart: a polynomial over the
// field of 2^61 - 1 at a secret point. Two sequences of n words that differ have the same number
// for at most n of the 2^61 points, so nobody who does not know the point can do better than that.

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace k8s::protocol {

class Fingerprint {
public:
    /// Of the seed's bits any may be set; the same seed gives the same numbers.
    explicit Fingerprint(std::uint64_t seed) {
        powers_[0] = seed % (prime - 2) + 2;
        for (std::size_t i = 1; i < powers_.size(); ++i) {
            powers_[i] = reduced(static_cast<Wide>(powers_[i - 1]) * powers_[0]);
        }
    }

    void clear() { sum_ = 1; }

    /// A word below 2^56.
    void add(std::uint64_t word) { sum_ = reduced(static_cast<Wide>(sum_) * powers_[0] + word); }

    /// The tag (below 2^20) and the length come first, so no two sequences of texts read alike.
    void add(std::uint32_t tag, std::string_view text) {
        add((static_cast<std::uint64_t>(tag) << 32) + static_cast<std::uint32_t>(text.size()));
        const char* at = text.data();
        std::size_t left = text.size();
        // Four words at a time are the same sum, and wait for each other once.
        for (; left >= 29; at += 28, left -= 28) {
            Wide sum = static_cast<Wide>(sum_) * powers_[3];
            sum += static_cast<Wide>(load<std::uint64_t>(at) & word_max) * powers_[2];
            sum += static_cast<Wide>(load<std::uint64_t>(at + 7) & word_max) * powers_[1];
            sum += static_cast<Wide>(load<std::uint64_t>(at + 14) & word_max) * powers_[0];
            sum_ = reduced(sum + (load<std::uint64_t>(at + 21) & word_max));
        }
        for (; left >= 8; at += 7, left -= 7) add(load<std::uint64_t>(at) & word_max);
        if (left > 0) add(load_few(at, left));
    }

    /// Below 2^61.
    std::uint64_t value() const { return sum_; }

private:
    __extension__ using Wide = unsigned __int128;

    static constexpr std::uint64_t prime = (std::uint64_t{1} << 61) - 1;
    static constexpr std::uint64_t word_max = (std::uint64_t{1} << 56) - 1;

    /// Of anything below 2^124.
    static std::uint64_t reduced(Wide sum) {
        const std::uint64_t folded =
            (static_cast<std::uint64_t>(sum) & prime) + static_cast<std::uint64_t>(sum >> 61);
        const std::uint64_t again = (folded & prime) + (folded >> 61);
        return again >= prime ? again - prime : again;
    }

    template <typename Word>
    static std::uint64_t load(const char* from) {
        Word word = 0;
        std::memcpy(&word, from, sizeof word);
        return word;
    }

    /// One to seven bytes; the words overlap where they must.
    static std::uint64_t load_few(const char* from, std::size_t bytes) {
        if (bytes >= 4) {
            return load<std::uint32_t>(from) | load<std::uint32_t>(from + bytes - 4)
                                                   << (8 * (bytes - 4));
        }
        if (bytes >= 2) {
            return load<std::uint16_t>(from) | load<std::uint16_t>(from + bytes - 2)
                                                   << (8 * (bytes - 2));
        }
        return static_cast<unsigned char>(*from);
    }

    std::array<std::uint64_t, 4> powers_ = {};  ///< of the secret point, from the first
    std::uint64_t sum_ = 1;
};

}  // namespace k8s::protocol
