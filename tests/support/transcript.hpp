#pragma once
// What code of pure values said of many inputs, line by line, against what it said before: folders `transcripts`.
// A change that is meant: GANG_REWRITE=1 writes them anew, and the diff says what it was.

#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>

namespace tests {

/// `name`: of the file, below tests/. The first line that differs is shown.
inline void check_transcript(const std::string& name, const std::string& told) {
    const std::string path = std::string(TESTS_DIR) + "/" + name + ".txt";
    if (std::getenv("GANG_REWRITE") != nullptr) {
        std::ofstream(path) << told;
        return;
    }
    std::ifstream recorded(path);
    REQUIRE_MESSAGE(recorded.good(), path);
    std::istringstream now(told);
    std::string line;
    std::string before;
    for (std::size_t number = 1; std::getline(now, line); ++number) {
        const std::string where = name + ".txt:" + std::to_string(number);
        REQUIRE_MESSAGE(std::getline(recorded, before), where << " is new: " << line);
        REQUIRE_MESSAGE(line == before, where);
    }
    CHECK_MESSAGE(!std::getline(recorded, before), name << ".txt goes on: " << before);
}

/// Chance that is the same everywhere.
class Walk {
public:
    explicit Walk(std::uint64_t seed) : state_(seed) {}
    /// From 0 to `end`, without it.
    std::size_t pick(std::size_t end) {
        std::uint64_t z = (state_ += 0x9E3779B97F4A7C15ULL);
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9ULL;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBULL;
        return static_cast<std::size_t>((z ^ (z >> 31U)) % end);
    }
    template <typename List>
    const auto& of(const List& list) {
        return list[pick(std::size(list))];
    }

private:
    std::uint64_t state_;
};

}  // namespace tests
