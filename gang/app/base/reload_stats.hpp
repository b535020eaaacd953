#pragma once
// What came of reading the configuration file again.

#include <cstdint>

namespace gang::app {

struct ReloadStats {
    std::uint64_t applied = 0;    ///< another configuration holds
    std::uint64_t unchanged = 0;  ///< the file is right, and nothing that a running process takes over differs
    std::uint64_t refused = 0;    ///< cannot be read or is wrong: the one before holds
    std::int64_t success_ms = 0;  ///< Unix ms of the last that was right, that of the start too
    /// 48 bits of the file's text that holds, so that a gauge has them exactly; 0: no file.
    std::uint64_t hash = 0;
    bool last_was_refused = false;
};

}  // namespace gang::app
