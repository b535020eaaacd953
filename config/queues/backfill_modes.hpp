#pragma once
// Which queue has which backfill: its own word, that of the nearest queue above it, or the file's.

#include "config/schema.hpp"

#include <string_view>

namespace config {

/// Of a queue by its full name; of the only line, if there are no queues.
BackfillMode backfill_of(const Schema& schema, std::string_view queue);

/// Some gangs may be passed.
bool has_backfill(const Schema& schema);

}  // namespace config
