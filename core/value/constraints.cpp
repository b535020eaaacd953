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

}  // namespace core
