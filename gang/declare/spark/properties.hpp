#pragma once
// java.util.Properties as Spark writes it into the driver's config map: the full reader, because
// other submitters and hand-written files use all of the format. Values that sizing does not need
// are dropped while reading, for they may be secrets.

#include "core/base/result.hpp"
#include "core/value/constraints.hpp"

#include <cstddef>
#include <string_view>

namespace gang::spark {

inline constexpr std::size_t properties_bytes_max = 1536 * 1024;
inline constexpr std::size_t properties_keys_max = 100'000;  ///< pairs read, kept or not
inline constexpr std::size_t relevant_keys_max = 1000;       ///< pairs that are kept
inline constexpr std::size_t relevant_value_max = 4096;      ///< bytes of a value that is kept

/// Whether sizing needs this key. Everything else is forgotten at once.
bool is_relevant(std::string_view key);

/// Reads the text with the semantics of Properties.load(Reader) over UTF-8: the last duplicate
/// wins. The answer holds only relevant keys. An error: too large, a malformed \u escape, a NUL
/// byte, text that is not UTF-8, or not a single key that begins with "spark." (so it is not what
/// Spark writes).
core::Result<core::StringMap> read_properties(std::string_view text);

}  // namespace gang::spark
