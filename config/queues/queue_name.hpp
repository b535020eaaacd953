#pragma once
// Names of queues: places in a tree, by dots.

#include "config/queues/queue.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace config {

/// One part of a name, between dots.
inline bool is_queue_part(std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '-' || c == '_';
    });
}

/// "etl" and "root.etl" are "root.etl"; "root" is itself.
inline std::string full_queue_name(std::string_view name) {
    if (name == root_queue ||
        (name.starts_with(root_queue) && name.substr(root_queue.size()).starts_with('.'))) {
        return std::string(name);
    }
    return std::string(root_queue) + "." + std::string(name);
}

/// Of a full name: dots between parts of letters, digits, '-' and '_'.
inline bool is_queue_name(std::string_view full_name) {
    if (full_name.size() > queue_name_max) {
        return false;
    }
    for (std::string_view rest = full_name;;) {
        const std::size_t dot = rest.find('.');
        if (!is_queue_part(rest.substr(0, dot))) {
            return false;
        }
        if (dot == std::string_view::npos) {
            return true;
        }
        rest.remove_prefix(dot + 1);
    }
}

/// Of queues without rules of their own.
inline std::vector<PlacementRule> default_placement() {
    return {
        {PlacementRule::Kind::annotation},
        {PlacementRule::Kind::fixed, std::string(default_queue)}};
}

/// "root.etl" of "root.etl.nightly"; empty of "root".
inline std::string_view parent_queue(std::string_view full_name) {
    const std::size_t dot = full_name.rfind('.');
    return dot == std::string_view::npos ? std::string_view{} : full_name.substr(0, dot);
}

}  // namespace config
