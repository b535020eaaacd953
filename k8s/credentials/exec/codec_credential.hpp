#pragma once
// What a credential plugin is told and what it answers: an ExecCredential as JSON.
// https://kubernetes.io/docs/reference/config-api/client-authentication.v1/

#include "core/base/result.hpp"
#include "k8s/credentials/exec/plugin.hpp"

#include <string>

namespace k8s {

/// For the variable KUBERNETES_EXEC_INFO. `gets_input`: standard input is the plugin's to read.
std::string encode_exec_request(const ExecPlugin& plugin, bool gets_input);

/// Reads what the plugin printed, which may hold secrets: errors do not quote it. Refused are
/// another apiVersion than the kubeconfig's, and an answer without credentials or with half of a
/// pair.
core::Result<ExecCredential> decode_exec_credential(
    std::string output, const std::string& api_version);

}  // namespace k8s
