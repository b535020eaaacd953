#pragma once
// The clock of all stamps here: CLOCK_MONOTONIC, as Python's time.monotonic() reads it, so that
// stamps of several processes of one machine can be compared.

#include <chrono>
#include <cstdint>

namespace load {

inline std::int64_t now_us() {
    const auto since = std::chrono::steady_clock::now().time_since_epoch();
    return std::chrono::duration_cast<std::chrono::microseconds>(since).count();
}

}  // namespace load
