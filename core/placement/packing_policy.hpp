#pragma once
// Which nodes are filled first: a choice of whoever runs the cluster, see
// docs/configuration.md.

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// Of the nodes that will do; of equal ones the first by name. Where nodes have
/// costs, cheaper ones come before that.
enum class PackingPolicy : std::uint8_t {
    tightest,      ///< those with the smallest capacity: large holes stay large
    fewest_nodes,  ///< those with the largest: a gang stays together
};

/// "tightest", "fewest-nodes".
constexpr std::string_view to_string(PackingPolicy policy) {
    return policy == PackingPolicy::tightest ? "tightest" : "fewest-nodes";
}

/// Nothing: there is no such policy.
constexpr std::optional<PackingPolicy> find_packing_policy(std::string_view name) {
    for (const auto policy : {PackingPolicy::tightest, PackingPolicy::fewest_nodes}) {
        if (to_string(policy) == name) return policy;
    }
    return std::nullopt;
}

}  // namespace core
