#pragma once
// The JSON of each path under /api/v1/ (docs/reference/api.md). Every answer begins with the same
// members: of which kind it is, who says it, and as of when.

#include "gang/app/api/snapshot.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

inline constexpr std::string_view api_version = "api.gang-scheduler/v1";

/// Which gangs of the list are asked for.
struct GangQuery {
    std::vector<GangState> states;  ///< empty: all
    std::string namespace_name;     ///< empty: all
    std::string text;               ///< in any of their names, codes or messages; empty: all
    std::size_t skip = 0;
    std::size_t limit = 500;
};

struct NodeQuery {
    std::string text;  ///< in the name; empty: all
    std::size_t skip = 0;
    std::size_t limit = 10'000;
    bool has_units = false;  ///< each with what is held there, and for whom
};

std::string summary_json(const Snapshot& snapshot, const ApiSource& source);
std::string gangs_json(const Snapshot& snapshot, const GangQuery& query);
/// The table that `gangs` prints, of the same gangs.
std::string gangs_text(const Snapshot& snapshot, const GangQuery& query);
std::string nodes_json(const Snapshot& snapshot, const NodeQuery& query);
/// With what is held there for whom. Nothing: there is no such node.
std::optional<std::string> node_json(const Snapshot& snapshot, std::string_view name);
std::string queues_json(const Snapshot& snapshot);
std::string history_json(const Snapshot& snapshot, const std::vector<HistoryPoint>& points);
std::string what_if_json(const Snapshot& snapshot, const WhatIfAnswer& answer);
/// `text` is the explanation for people.
std::string gang_json(
    const Snapshot& snapshot, const Explanation& explanation, std::string_view text);
/// The configuration in effect, nested and named as in the file.
std::string config_json(const Snapshot& snapshot, const config::Schema& config);
/// The same alone.
std::string config_members(const config::Schema& config);
/// The paths there are.
std::string index_json(const Snapshot& snapshot, const std::vector<std::string_view>& paths);
std::string error_json(int status, std::string_view why);
/// Of a standby: who leads instead.
std::string standby_json(const Standing& standing);

}  // namespace gang::app
