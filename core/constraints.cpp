#include "core/constraints.hpp"

#include <algorithm>

namespace core {

const std::string* find_value(const StringMap& map, const std::string& key) {
    const auto at = std::lower_bound(
        map.begin(), map.end(), key, [](const auto& entry, const std::string& wanted) {
            return entry.first < wanted;
        });
    return at != map.end() && at->first == key ? &at->second : nullptr;
}

}  // namespace core
