#pragma once
// `user.exec` of a kubeconfig: a program of the user's that gives a token or a client certificate, as
// managed clusters want it (aws eks get-token, gke-gcloud-auth-plugin, kubelogin). The protocol is
// ExecCredential of client.authentication.k8s.io, v1 and v1beta1.

#include "core/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace k8s {

inline constexpr std::int64_t exec_limit_ms = 60'000;      ///< of a program that asks nobody
inline constexpr std::int64_t exec_ask_limit_ms = 300'000; ///< of one that may ask the user

enum class InteractiveMode : std::uint8_t { never, if_available, always };

struct ExecPlugin {
    std::string api_version;
    std::string command;
    std::vector<std::string> arguments;
    std::vector<std::pair<std::string, std::string>> environment;
    InteractiveMode interactive = InteractiveMode::if_available;
    std::string install_hint;
    std::string cluster_json;  ///< spec.cluster, told to the program; empty: provideClusterInfo is not set
    friend bool operator==(const ExecPlugin&, const ExecPlugin&) = default;
};

struct ExecCredential {
    std::string token;            ///< empty: none
    std::string certificate_pem;  ///< empty: none; with its key
    std::string key_pem;
    std::optional<std::int64_t> expires_unix_ms;
};

/// Reads what a plugin printed. An error says what is missing or wrong, never what was printed.
core::Result<ExecCredential> decode_exec_credential(
    std::string text, const std::string& api_version);

/// Runs the program and waits for it. `may_ask`: standard input is a terminal.
core::Result<ExecCredential> run_exec_plugin(const ExecPlugin& plugin, bool may_ask);

}  // namespace k8s
