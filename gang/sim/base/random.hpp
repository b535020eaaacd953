#pragma once
// Chance of one run: everything that happens by chance comes from here, in the order of events. The
// same numbers on every machine and with every library.

#include <cstddef>
#include <cstdint>

namespace gang::sim {

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 0x2545F491ULL) {}

    std::uint64_t next() {  // splitmix64
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }
    std::uint32_t next32() { return static_cast<std::uint32_t>(next() >> 32U); }

    /// From low to high, both included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }
    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(next() % bound); }

    /// True in so many of a million calls.
    bool per_million(std::int64_t rate) { return rate > 0 && between(0, 999'999) < rate; }
    bool percent(int rate) { return between(0, 99) < rate; }

    /// Each doubling from low to high is as likely as the next: most are short, some are very long.
    std::int64_t long_tail(std::int64_t low, std::int64_t high) {
        std::int64_t reach = low;
        while (reach < high && percent(60)) {
            reach *= 2;
        }
        return between(low, reach < high ? reach : high);
    }

private:
    std::uint64_t state_;
};

}  // namespace gang::sim
