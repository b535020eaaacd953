#pragma once
// A profile's own mixture of scores: kube-scheduler's way of choosing nodes. It lives as long as
// the configuration that it is read from.

#include "core/score/score_table.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A row of score_table.
enum class ScoreId : std::uint8_t {};
inline constexpr ScoreId last_score{score_table.size() - 1};

/// A resource by Kubernetes' name ("cpu", "nvidia.com/gpu"), and how much it counts.
struct ResourceWeight {
    std::string name;
    std::int64_t weight = 1;  ///< 1 to 100
    friend bool operator==(const ResourceWeight&, const ResourceWeight&) = default;
};

struct WeightedScore {
    ScoreId score = {};
    std::int64_t weight = 1;                ///< 1 to score_weight_max
    std::vector<ResourceWeight> resources;  ///< empty: CPU and memory
    std::vector<ShapePoint> shape;          ///< of requested-to-capacity-ratio
    friend bool operator==(const WeightedScore&, const WeightedScore&) = default;
};

/// The best node has the largest sum; of equal ones the first by name. The sum of as many scores as
/// a configuration file has room for stays below 2^63.
using ScoreOrder = std::vector<WeightedScore>;
inline constexpr std::int64_t score_weight_max = (std::int64_t{1} << 31) - 1;

constexpr const Score& score_of(ScoreId id) {
    return score_table[static_cast<std::size_t>(id)];
}

/// By our name, the plugin's or the priority's; NodeResourcesFit is least-allocated, as it is
/// without arguments. Nothing: nobody knows it.
std::optional<ScoreId> find_score_id(std::string_view name);

/// kube-scheduler's name for it, or ours.
std::string_view plugin_name(ScoreId id);

/// The node that is best now stays the best until it is full.
bool stays_best(const ScoreOrder& order);

/// One of them goes by the images that nodes have.
bool asks_images(const ScoreOrder& order);

/// One of them spreads pods that say nothing of it themselves: those that carry the same labels.
bool spreads_alike(const ScoreOrder& order);

/// One of them goes by the pods that are there.
bool asks_pods(const ScoreOrder& order);

}  // namespace core
