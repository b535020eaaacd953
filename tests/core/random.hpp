#pragma once
// Numbers for randomised tests, the same in each run: GANG_SEED=7 draws others, and
// `make test-long` draws new ones.

#include <doctest/doctest.h>

#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>

namespace tests {

class Random {
public:
    Random() : seed_(choose_seed()), engine_(seed_) {
        std::cerr << "randomised test: GANG_SEED=" << seed_ << '\n';
    }

    /// Both ends included.
    std::int64_t between(std::int64_t least, std::int64_t most) {
        return std::uniform_int_distribution<std::int64_t>(least, most)(engine_);
    }
    bool one_in(std::int64_t n) { return between(1, n) == 1; }
    std::uint64_t seed() const { return seed_; }

private:
    static std::uint64_t choose_seed() {
        const char* given = std::getenv("GANG_SEED");
        return given != nullptr ? std::strtoull(given, nullptr, 10) : 1;
    }

    std::uint64_t seed_;
    std::mt19937_64 engine_;
};

}  // namespace tests
