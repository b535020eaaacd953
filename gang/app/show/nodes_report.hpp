#pragma once
// What `nodes` prints for people: a line a node, a node with all that is on it, or cards.

#include "core/base/result.hpp"
#include "core/value/resources.hpp"
#include "gang/app/show/ledger_report.hpp"
#include "gang/app/show/report.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gang::app {

/// "2x6Gi" or "500m x 1Gi": cpu and memory of one executor.
core::Result<core::Resources> read_executor_size(std::string_view text);

struct NodesStyle {
    bool is_wide = false;                     ///< with zones and what is left free
    std::optional<core::Resources> executor;  ///< how many of these still go there
    TableStyle table;
};

/// Used is shown as bound+held/allocatable.
std::string nodes_table(const LedgerReport& report, const NodesStyle& style);

/// "node/NAME" of each.
std::string node_names(const LedgerReport& report);

/// A line for each card of each node; a sentence where no node says anything of its cards.
std::string node_cards_table(const LedgerReport& report);

/// Whose pods run on the node and for whom room is held there. Nothing: there is no such node.
std::optional<std::string> node_text(
    const LedgerReport& report, std::string_view name, std::int64_t now_ms);

/// How many pods of this size go into what is free of the node, whatever its state.
std::int64_t how_many_fit(const NodeLedger& node, const core::Resources& pod);

}  // namespace gang::app
