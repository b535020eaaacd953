#pragma once
// The ledger for machines (JSON, also what the control endpoint answers) and for people.

#include "core/base/result.hpp"
#include "gang/app/base/consistency_status.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/ledger_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

struct LedgerReport {
    std::string source;  ///< "daemon", or "api-server": what a scheduler that starts now would hold
    std::string server;
    std::vector<NodeLedger> nodes;
    std::optional<ConsistencyStatus> consistency;  ///< a daemon's
    Standing standing = {};
};

std::string to_json(const LedgerReport& report);

/// One node, as it stands in a report; without its units, `held` says how many they are.
enum class Units : std::uint8_t { listed, left_out };
std::string to_json(const NodeLedger& node, Units units);

/// What the text of to_json() says, without the consistency check.
core::Result<LedgerReport> ledger_from_json(const std::string& json);

/// What the verb must know of an answer beside its text.
struct LedgerAnswer {
    std::string server;
    std::uint64_t runs = 0;  ///< consistency checks with a verdict
    std::uint64_t failures = 0;
    bool is_running = false;
    Standing standing = {};
    bool agrees = false;  ///< every node adds up, and the last consistency check found no drift
    std::string text;     ///< for people; ages are of `now_ms`
};
core::Result<LedgerAnswer> read_ledger(const std::string& json, std::int64_t now_ms);

}  // namespace gang::app
