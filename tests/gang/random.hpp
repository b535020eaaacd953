#pragma once
// Seeded chance for tests: the same numbers on every machine, unlike <random>'s distributions.
// GANG_SEED replaces the seed; every failing test prints the one it used.

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <string>

namespace tests {

/// GANG_SEED, or 1.
inline std::uint64_t first_seed() {
    const char* given = std::getenv("GANG_SEED");
    return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
}

class Random {
public:
    explicit Random(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
    explicit Random(const char* what) : Random(first_seed()) {
        const std::string seed = std::string(what) + ": GANG_SEED=" + std::to_string(first_seed());
        MESSAGE(seed);
    }

    std::uint64_t next() {  // splitmix64
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return z ^ (z >> 31U);
    }

    /// A number from low to high, both included.
    std::int64_t between(std::int64_t low, std::int64_t high) {
        return low + static_cast<std::int64_t>(next() % static_cast<std::uint64_t>(high - low + 1));
    }

    /// True in `percent` of 100 calls.
    bool chance(int percent) { return between(0, 99) < percent; }

private:
    std::uint64_t state_;
};

}  // namespace tests
