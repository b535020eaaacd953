#pragma once
// How far something is that takes its time, at which rate, and how long it will still take: the
// words alone.

#include <cstdint>
#include <string>
#include <string_view>

namespace core {

/// "12%, 34000 seeds, 1700 seeds/s, 2m10s left" after `passed_ms`. Without a `total` (0) there is no
/// share and nothing is left to say. Time left is what the rest takes at the rate so far.
std::string progress_text(
    std::int64_t done, std::int64_t total, std::int64_t passed_ms, std::string_view unit);

}  // namespace core
