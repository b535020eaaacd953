#pragma once
// Gangs and explanations as JSON text and back: the control endpoint writes what the command line
// reads, and `-o json` prints the same.

#include "core/base/result.hpp"
#include "gang/explain.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// A JSON string with its quotes. Bytes that are not UTF-8 become U+FFFD.
std::string json_string(std::string_view text);
/// A JSON array of such strings.
std::string json_strings(const std::vector<std::string>& texts);

/// GangView::executors of a gang that waits, as seen from the API server alone: its size stands in
/// no pod. JSON: null.
inline constexpr std::int32_t executors_unknown = -1;

/// Of two daemons or more one leads. A standby knows the pods, not what the leader decides.
struct Standing {
    bool leads = true;
    std::string leader;  ///< the holder of the Lease as this daemon sees it; empty: unknown, or none
    friend bool operator==(const Standing&, const Standing&) = default;
};

/// What a source knows of all gangs. `source` is "daemon" or "api-server", `server` the URL of the
/// API server that it looks at.
struct GangList {
    std::string source;
    std::string server;
    std::vector<GangView> gangs;
    Standing standing = {};
};

/// One gang, as it stands in a list.
std::string to_json(const GangView& gang);

std::string to_json(const GangList& list);
core::Result<GangList> gang_list_from_json(std::string_view json);

/// An explanation with its source, as GangList.
struct Answer {
    std::string source;
    std::string server;
    Explanation explanation;
    Standing standing = {};
};

std::string to_json(const Answer& answer);
/// The explanation alone, as an object.
std::string to_json(const Explanation& explanation);
core::Result<Answer> answer_from_json(std::string_view json);

}  // namespace gang::app
