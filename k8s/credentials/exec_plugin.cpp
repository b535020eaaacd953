#include "k8s/credentials/exec_plugin.hpp"

#include "k8s/credentials/command.hpp"
#include "k8s/base/time.hpp"
#include "k8s/json/json_fields.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace k8s {
namespace {

constexpr std::size_t output_max = 1024 * 1024;

/// What the program is told, in its environment.
std::string exec_info(const ExecPlugin& plugin, bool is_interactive) {
    const std::string cluster =
        plugin.cluster_json.empty() ? "" : ",\"cluster\":" + plugin.cluster_json;
    return fmt::format(
        R"({{"apiVersion":"{}","kind":"ExecCredential","spec":{{"interactive":{}{}}}}})",
        plugin.api_version,
        is_interactive,
        cluster);
}

bool is_printable(const std::string& token) {
    return std::all_of(token.begin(), token.end(), [](char c) { return c > ' ' && c < '\x7f'; });
}

}  // namespace

core::Result<ExecCredential> decode_exec_credential(
    std::string text, const std::string& api_version) {
    rapidjson::Document document;
    if (!parse_in_place(text, document) || !document.IsObject()) {
        return core::Error{"it printed no ExecCredential, but something that is not JSON"};
    }
    Fields fields;
    if (fields.text(document, "kind") != "ExecCredential") {
        return core::Error{"it printed no ExecCredential"};
    }
    const std::string version = fields.text(document, "apiVersion");
    if (version != api_version) {
        return core::Error{fmt::format(
            "it printed apiVersion \"{}\", expected \"{}\" as in the kubeconfig",
            version,
            api_version)};
    }
    const rapidjson::Value* status = fields.object(document, "status");
    if (status == nullptr) return core::Error{"it printed an ExecCredential without status"};
    ExecCredential credential;
    credential.token = fields.text(*status, "token");
    credential.certificate_pem = fields.text(*status, "clientCertificateData");
    credential.key_pem = fields.text(*status, "clientKeyData");
    const std::string expires = fields.text(*status, "expirationTimestamp");
    if (!fields.problem().empty()) return core::Error{"its status has a wrong " + fields.problem()};
    if (!expires.empty()) {
        credential.expires_unix_ms = parse_time(expires);
        if (!credential.expires_unix_ms) {
            return core::Error{"its expirationTimestamp is no time of RFC 3339"};
        }
    }
    if (credential.certificate_pem.empty() != credential.key_pem.empty()) {
        return core::Error{"it gave only one of clientCertificateData and clientKeyData"};
    }
    if (credential.token.empty() && credential.certificate_pem.empty()) {
        return core::Error{"it gave neither a token nor a client certificate"};
    }
    if (!is_printable(credential.token)) return core::Error{"its token is not printable"};
    return credential;
}

core::Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, bool may_ask) {
    const auto failed = [&plugin](const std::string& why) {
        const std::string hint = plugin.install_hint.empty() ? "" : "\n" + plugin.install_hint;
        return core::Error{fmt::format("user: exec: {}: {}{}", plugin.command, why, hint)};
    };
    if (plugin.interactive == InteractiveMode::always && !may_ask) {
        return failed("it is to ask the user, and standard input is no terminal");
    }
    const bool is_interactive = may_ask && plugin.interactive != InteractiveMode::never;
    Command command{plugin.command, plugin.arguments, plugin.environment};
    command.environment.emplace_back("KUBERNETES_EXEC_INFO", exec_info(plugin, is_interactive));
    command.is_interactive = is_interactive;
    command.limit_ms = is_interactive ? exec_ask_limit_ms : exec_limit_ms;
    command.output_max = output_max;
    auto output = run_command(command);
    if (!output) return failed(output.error().message);
    auto credential = decode_exec_credential(*std::move(output), plugin.api_version);
    if (!credential) {
        return core::Error{fmt::format(
            "user: exec: {}: {}", plugin.command, credential.error().message)};
    }
    return credential;
}

}  // namespace k8s
