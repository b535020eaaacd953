#pragma once
// Reads a list page by page and throws it away: what any client pays at least for the same list.

#include "tests/bench/load/session.hpp"

#include <string>

namespace load {

/// JSON: bytes, pages, seconds.
std::string read_list(const Target& target, const std::string& path, int page);

}  // namespace load
