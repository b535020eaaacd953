#pragma once
// The scores by which nodes can be chosen, by name. One more is a function in this room, a row
// here, and its word in core/placement/packing_policy.hpp.

#include "core/score/allocated.hpp"
#include "core/score/balanced.hpp"
#include "core/score/device_fit.hpp"
#include "core/score/node_load.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace core {

/// How a node's score moves as pods of one shape are placed there.
enum class ScoreKind : std::uint8_t { fixed, rising, falling, mixed };

/// The best node stays the best until it is full: it may be filled in one go.
constexpr bool stays_best(ScoreKind kind) {
    return kind == ScoreKind::fixed || kind == ScoreKind::rising;
}

/// The larger the better; pure, and of this one node alone.
struct Score {
    std::string_view name;
    ScoreKind kind = ScoreKind::mixed;
    std::int64_t (*of)(const NodeLoad& load) = nullptr;
};

/// All nodes are alike, so that names decide.
inline std::int64_t first_by_name(const NodeLoad&) {
    return 0;
}

inline constexpr std::array score_table = {
    Score{"least-allocated", ScoreKind::falling, least_allocated},
    Score{"most-allocated", ScoreKind::rising, most_allocated},
    Score{"balanced-allocation", ScoreKind::mixed, balanced_allocation},
    Score{"gpu-bestfit", ScoreKind::rising, gpu_bestfit},
    Score{"most-requested", ScoreKind::rising, most_requested},
    Score{"first-by-name", ScoreKind::fixed, first_by_name}};

}  // namespace core
