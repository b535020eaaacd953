#pragma once
// A credential plugin as a kubeconfig's user names it under `exec`: a command that prints a token
// or a client certificate. The field's meanings:
// https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace k8s {

/// What the plugin does with standard input (`interactiveMode`).
enum class PluginInput : std::uint8_t { never, if_available, always };

struct ExecPlugin {
    std::string user;  ///< whose credentials: the user's name in the kubeconfig, for errors
    std::string api_version;
    std::string command;  ///< found by PATH if it has no slash, else a path from our own folder
    std::vector<std::string> arguments;
    std::map<std::string, std::string> variables;  ///< may hold secrets
    std::string install_hint;                      ///< for a person, where the command is missing
    PluginInput input = PluginInput::if_available;
    std::string cluster;  ///< JSON for the plugin (`provideClusterInfo`); empty: it gets none
    /// A person waits: the plugin may ask on our terminal, has more time, and ends with Ctrl-C.
    bool is_attended = false;
};

/// What a plugin answered.
struct ExecCredential {
    std::string token;  ///< empty: none
    std::string client_certificate_pem;
    std::string client_key_pem;
    std::optional<std::int64_t> expires_ms;  ///< milliseconds since 1970; none: good until refused

    friend bool operator==(const ExecCredential&, const ExecCredential&) = default;
};

}  // namespace k8s
