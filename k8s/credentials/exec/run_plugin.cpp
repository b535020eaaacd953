#include "k8s/credentials/exec/run_plugin.hpp"

#include "k8s/codec/codec_status.hpp"
#include "k8s/credentials/exec/codec_credential.hpp"
#include "k8s/credentials/exec/command.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <unistd.h>
#include <utility>

namespace k8s {
namespace {

using End = CommandResult::End;

constexpr const char* request_variable = "KUBERNETES_EXEC_INFO";
constexpr std::size_t hint_max = 1024;

std::string not_found(const ExecPlugin& plugin) {
    const bool has_slash = plugin.command.find('/') != std::string::npos;
    std::string text = has_slash ? "there is no such command" : "there is no such command in PATH";
    if (!plugin.install_hint.empty()) text += "; " + one_line(plugin.install_hint, hint_max);
    return text;
}

/// Why there is no answer.
std::string why(
    const ExecPlugin& plugin, const CommandLimits& limits, const CommandResult& result) {
    switch (result.end) {
        case End::exited:
            return fmt::format("it ended with exit code {}", result.code);
        case End::signalled:
            return fmt::format("it was ended by signal {}", result.code);
        case End::not_found:
            return not_found(plugin);
        case End::not_started:
            return fmt::format("it cannot be started: {}", std::strerror(result.code));
        case End::late:
            return fmt::format(
                "it did not answer within {} s and was ended", limits.time_ms / 1'000);
        case End::too_long:
            return fmt::format("it printed more than {} bytes and was ended", limits.output_max);
        case End::stopped:
            return "it was stopped";
    }
    return {};
}

core::Error failure(const ExecPlugin& plugin, const std::string& text) {
    return core::Error{fmt::format(
        "credential plugin \"{}\" of user \"{}\": {}",
        one_line(plugin.command, 200),
        one_line(plugin.user, 200),
        text)};
}

}  // namespace

core::Result<ExecCredential> run_plugin(const ExecPlugin& plugin, int stop) {
    const bool has_terminal = plugin.is_attended && ::isatty(STDIN_FILENO) == 1;
    if (plugin.input == PluginInput::always && !has_terminal) {
        return failure(
            plugin, "it needs a terminal (interactiveMode: Always), and standard input is none");
    }
    Command command;
    command.name = plugin.command;
    command.arguments = plugin.arguments;
    command.variables = plugin.variables;
    command.gets_input = has_terminal && plugin.input != PluginInput::never;
    command.shares_group = plugin.is_attended;
    command.variables[request_variable] = encode_exec_request(plugin, command.gets_input);
    CommandLimits limits;
    limits.time_ms = plugin.is_attended ? plugin_attended_ms_max : plugin_ms_max;
    limits.stop = stop;
    CommandResult result = run_command(command, limits);
    if (result.end != End::exited || result.code != 0) {
        return failure(plugin, why(plugin, limits, result));
    }
    auto credential = decode_exec_credential(std::move(result.output), plugin.api_version);
    if (!credential) return failure(plugin, "its answer: " + credential.error().message);
    return credential;
}

}  // namespace k8s
