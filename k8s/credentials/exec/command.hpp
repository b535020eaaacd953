#pragma once
// Runs a command and takes what it prints. Blocks until it has ended, at most for its time.

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace k8s {

struct Command {
    std::string name;  ///< found by PATH if it has no slash
    std::vector<std::string> arguments;
    std::map<std::string, std::string> variables;  ///< beside our environment; win over it
    bool gets_input = false;                       ///< our standard input; else an empty one
    /// In our process group what is typed on the terminal (Ctrl-C) reaches it. Else it is in one of
    /// its own, and what it has started is ended with it.
    bool shares_group = false;
};

struct CommandLimits {
    std::int64_t time_ms = 60'000;
    std::size_t output_max = 1024 * 1024;  ///< bytes
    int stop = -1;  ///< a descriptor: when it can be read, the command is ended
};

struct CommandResult {
    enum class End : std::uint8_t {
        exited,     ///< `code` is its exit code
        signalled,  ///< `code` is the signal
        not_found,
        not_started,  ///< `code` is an errno
        late,         ///< it was ended after its time
        too_long,     ///< it was ended because it printed more than allowed
        stopped,
    };
    End end = End::exited;
    int code = 0;
    std::string output;
};

/// Standard error is ours: it is for whoever reads our log. Nothing else of ours is inherited.
CommandResult run_command(const Command& command, const CommandLimits& limits);

}  // namespace k8s
