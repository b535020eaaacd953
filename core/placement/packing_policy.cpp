#include "core/placement/packing_policy.hpp"

namespace core {

std::vector<PackingPolicy> packing_policies() {
    std::vector<PackingPolicy> all;
    for (std::size_t i = 0; i <= static_cast<std::size_t>(last_packing_policy); ++i) {
        all.push_back(static_cast<PackingPolicy>(i));
    }
    return all;
}

std::string packing_names() {
    std::string names;
    for (const PackingPolicy policy : packing_policies()) {
        names.append(names.empty() ? "" : ", ").append(to_string(policy));
    }
    return names;
}

std::optional<PackingPolicy> find_packing_policy(std::string_view name) {
    for (const PackingPolicy policy : packing_policies()) {
        if (to_string(policy) == name) return policy;
    }
    return std::nullopt;
}

}  // namespace core
