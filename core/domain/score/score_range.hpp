#pragma once
// How scores of nodes become scores from 0 to 100.

#include <algorithm>
#include <cstdint>
#include <limits>

namespace core {

inline constexpr std::int64_t best_score = 100;

/// The least and the largest score of some nodes.
struct ScoreRange {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    void note(std::int64_t score) {
        least = std::min(least, score);
        most = std::max(most, score);
    }
};

/// Nodes beside each other often have the same score: what was computed last is kept.
template <typename Compute>
class Remembered {
public:
    explicit Remembered(Compute compute) : compute_(compute) {}
    std::uint8_t operator()(std::int64_t score) {
        if (score != last_ || !is_known_) {
            last_ = score;
            result_ = static_cast<std::uint8_t>(compute_(score));
            is_known_ = true;
        }
        return result_;
    }

private:
    Compute compute_;
    std::int64_t last_ = 0;
    std::uint8_t result_ = 0;
    bool is_known_ = false;
};

}  // namespace core
