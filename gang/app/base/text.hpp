#pragma once
// Text for people: aligned tables, ages, and stable words for codes and states.

#include "gang/explain.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang::app {

/// Rows of cells, the first row being the header. Columns are as wide as their widest cell, two
/// spaces apart; cells are escaped, so that no pod name can draw on the terminal.
std::string format_table(const std::vector<std::vector<std::string>>& rows);

/// The same, at least as wide as `widths`, which become those of this table: for tables that go on.
std::string format_table(
    const std::vector<std::vector<std::string>>& rows, std::vector<std::size_t>& widths);

/// "45s", "12m", "3h20m", "5d2h": as kubectl shows ages.
std::string format_age(std::int64_t milliseconds);

/// The inverse of gang::to_string; nothing for a word that is no code (or state).
std::optional<ReasonCode> find_reason_code(std::string_view text);
std::optional<GangState> find_gang_state(std::string_view text);

/// Every code that can stand in brackets, in the enumeration's order.
std::vector<ReasonCode> all_reason_codes();

/// "0/3 nodes can take ... short of 4 cpu. [WaitingForCapacity]" -> code and the text before it.
struct SaidReason {
    ReasonCode code = ReasonCode::none;
    std::string sentence;
    friend bool operator==(const SaidReason&, const SaidReason&) = default;
};

/// Nothing if the message does not end with a code of ours in brackets: somebody else wrote it.
std::optional<SaidReason> read_condition(std::string_view message);

}  // namespace gang::app
