#pragma once
// A number over everything that happened, in its order: two runs of one seed that differ anywhere
// end with different digests.

#include <cstdint>
#include <string_view>

namespace gang::sim {

class Digest {
public:
    void add(std::uint64_t value) {
        state_ = (state_ ^ value) * 0x9E3779B97F4A7C15ULL;
        state_ ^= state_ >> 32U;
    }
    void add(std::string_view text) {
        std::uint64_t hash = 0xCBF29CE484222325ULL;  // FNV-1a
        for (const char c : text) {
            hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
        }
        add(hash);
    }
    std::uint64_t value() const { return state_; }

private:
    std::uint64_t state_ = 0x243F6A8885A308D3ULL;
};

}  // namespace gang::sim
