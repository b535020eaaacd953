#pragma once
// Text that somebody else wrote, made safe to print on a terminal or in a log line.

#include <cstddef>
#include <string>
#include <string_view>

namespace config {

/// Control characters (newline and escape too), invalid UTF-8, and the invisible Unicode characters
/// that turn the direction of text become \n, \x1b, \u202e. Longer than `bytes_max`: cut, with
/// "...".
std::string printable(std::string_view text, std::size_t bytes_max = 4096);

}  // namespace config
