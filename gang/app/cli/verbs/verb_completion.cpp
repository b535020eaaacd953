// `completion`: a script for the user's shell.
#include "config/printable.hpp"
#include "core/base/suggest.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/completion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace gang::app {
namespace {

int completion(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const std::string& shell = line.arguments.front();
    const auto& shells = completion_shells();
    if (std::find(shells.begin(), shells.end(), shell) == shells.end()) {
        return usage_error(
            err,
            "completion",
            fmt::format(
                "unknown shell \"{}\", expected one of {}{}",
                config::printable(shell, 100),
                fmt::join(shells, ", "),
                core::did_you_mean(shell, shells)));
    }
    out << completion_script(verbs(), shell);
    return exit_done;
}

}  // namespace

Verb completion_verb() {
    return Verb{
        "completion",
        "print a script that completes this command line in bash, zsh or fish",
        "bash|zsh|fish",
        {},
        {"source <(gang-scheduler completion bash)"},
        completion};
}

}  // namespace gang::app
