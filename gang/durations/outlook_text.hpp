#pragma once
// What those who wait may expect, in words.

#include "gang/durations/outlooks.hpp"

#include <cstdint>
#include <string>

namespace gang {

/// "expected to start about 14:05 UTC, +- 4 min; passed by 3 gangs, 12 at most"; empty: nothing is
/// known. Times are rounded the more the farther they are, so that the text stays while little
/// changes.
std::string outlook_text(const Outlook& outlook, std::int64_t now_ms, std::int64_t max_bypass);

}  // namespace gang
