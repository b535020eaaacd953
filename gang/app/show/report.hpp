#pragma once
// What `gangs` and `why` print for people.

#include "gang/app/base/json_text.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace gang::app {

/// What a table is printed on.
struct TableStyle {
    std::size_t width = 0;  ///< of the terminal, in characters; 0: as wide as need be
    bool is_coloured = false;
};

/// A table, or a sentence when there is nothing.
/// Wide: with the queue of each. What does not fit into the style's width goes without the
/// applications' ids, and then without the namespaces if there is one alone.
std::string gangs_table(
    const GangList& list,
    std::int64_t now_unix_ms,
    bool is_wide = false,
    const TableStyle& style = {});

/// The rows of that table, its header first.
std::vector<std::vector<std::string>> gangs_rows(
    const GangList& list, std::int64_t now_unix_ms, bool is_wide);

/// "pod/DRIVER" of each, a line each: what kubectl takes for the name of a thing.
std::string gang_names(const GangList& list);

/// A paragraph, the numbers, the notes. Every text of a pod or node is escaped.
std::string why_text(const Answer& answer, std::int64_t now_unix_ms);

}  // namespace gang::app
