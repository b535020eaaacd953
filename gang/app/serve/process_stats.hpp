#pragma once
// What the kernel knows of this process.

#include <cstdint>

namespace gang::app {

struct ProcessStats {
    double cpu_seconds = 0;  ///< user and system
    double start_unix_seconds = 0;
    std::int64_t resident_bytes = 0;
    std::int64_t virtual_bytes = 0;
    std::int64_t open_descriptors = 0;
    std::int64_t descriptors_max = 0;
};

/// Read from /proc; what cannot be read is zero.
ProcessStats read_process_stats();

}  // namespace gang::app
