#include "core/value/constraints.hpp"

#include <algorithm>

namespace core {

const std::string* find_value(const StringMap& map, std::string_view key) {
    const auto at = std::lower_bound(
        map.begin(), map.end(), key, [](const auto& entry, std::string_view wanted) {
            return entry.first < wanted;
        });
    return at != map.end() && at->first == key ? &at->second : nullptr;
}

void add_tolerations(Constraints& constraints, const std::vector<Toleration>& tolerations) {
    std::vector<Toleration>& own = constraints.tolerations;
    for (const Toleration& one : tolerations) {
        if (std::find(own.begin(), own.end(), one) == own.end()) own.push_back(one);
    }
}

}  // namespace core
