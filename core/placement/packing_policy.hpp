#pragma once
// Which nodes are filled first: a choice of whoever runs the cluster, see
// docs/reference/configuration.md.

#include "core/score/score_table.hpp"
#include "core/score/weighted_score.hpp"
#include "core/value/device/cards.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Of the nodes that will do; of equal ones the first by name. Where nodes have costs, or are liked
/// better than others, that comes before.
enum class PackingPolicy : std::uint8_t {
    tightest,      ///< those with the smallest capacity: large holes stay large
    fewest_nodes,  ///< those with the largest: a gang stays together
    // Those with the best score, pod by pod; in the order of score_table, where a row needs no name
    // here:
    least_allocated,
    most_allocated,
    balanced_allocation,
    gpu_bestfit,
    most_requested,
    first_by_name,
};
inline constexpr auto last_packing_policy = static_cast<PackingPolicy>(
    static_cast<std::size_t>(PackingPolicy::fewest_nodes) + packing_scores);

/// nullptr: the policy goes by capacity.
constexpr const Score* find_score(PackingPolicy policy) {
    constexpr auto first = static_cast<std::size_t>(PackingPolicy::least_allocated);
    const auto at = static_cast<std::size_t>(policy);
    return at < first ? nullptr : &score_table[at - first];
}
static_assert(find_score(last_packing_policy) == &score_table[packing_scores - 1]);

/// Cards of a node are chosen as nodes are: what spreads pods over nodes spreads them over cards.
constexpr bool spreads(const Score& score) {
    return score.kind == ScoreKind::falling;
}
inline CardChoice card_choice(PackingPolicy policy, const ScoreOrder* scores) {
    bool is_spread = false;
    if (scores != nullptr) {
        for (const WeightedScore& one : *scores)
            is_spread = is_spread || spreads(score_of(one.score));
    } else if (const Score* score = find_score(policy)) {
        is_spread = spreads(*score);
    }
    return is_spread ? CardChoice::most_left : CardChoice::least_left;
}

/// "tightest", "fewest-nodes", or the score's name.
constexpr std::string_view to_string(PackingPolicy policy) {
    if (const Score* score = find_score(policy)) return score->name;
    return policy == PackingPolicy::tightest ? "tightest" : "fewest-nodes";
}

/// All of them, in order.
std::vector<PackingPolicy> packing_policies();

/// "tightest, fewest-nodes, ...": for messages.
std::string packing_names();

/// Nothing: there is no such policy.
std::optional<PackingPolicy> find_packing_policy(std::string_view name);

}  // namespace core
