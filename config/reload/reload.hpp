#pragma once
// Which keys hold as soon as the file is another one, and which only for a process that begins.

#include "config/schema.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace config {

/// What becomes of a running configuration when another one is written.
struct Reload {
    Schema schema;                           ///< from now on
    std::vector<std::string> taken;          ///< keys that are others now
    std::vector<std::string> after_restart;  ///< that differ and need a new process
};

/// `schema` has every value of `written` that may change while we run, and the rest of `running`.
Reload reload(const Schema& running, const Schema& written);

/// Keys, and beginnings of keys ("queues", "gang.neverRunning"), that hold at once.
std::vector<std::string> live_keys();
/// The same of those that need a new process. Each known key begins with one of either.
std::vector<std::string> fixed_keys();

}  // namespace config
