#pragma once
// Runs a program of the user's and gives what it prints. By hand on posix_spawn: Boost.Process would
// bring its own event loop for the time limit.

#include "core/base/result.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace k8s {

struct Command {
    std::string program;  ///< without a slash it is looked for in PATH
    std::vector<std::string> arguments;
    /// Beside our own environment; wins over it.
    std::vector<std::pair<std::string, std::string>> environment;
    /// Our standard input is the program's: it may ask the user. Else it reads nothing, and is killed
    /// with all that it has started when its time is over.
    bool is_interactive = false;
    std::int64_t limit_ms = 0;
    std::size_t output_max = 0;  ///< bytes
};

/// Its standard output; its standard error is ours. An error says in words that it could not be
/// started, ended with a code, took too long, or printed too much.
core::Result<std::string> run_command(const Command& command);

}  // namespace k8s
