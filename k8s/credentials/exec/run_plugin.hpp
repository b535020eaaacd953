#pragma once
// Asks a credential plugin once, as client-go does.

#include "core/base/result.hpp"
#include "k8s/credentials/exec/plugin.hpp"

#include <cstdint>

namespace k8s {

/// How long a plugin may take: by itself, and with a person who may have to log in somewhere.
inline constexpr std::int64_t plugin_ms_max = 60'000;
inline constexpr std::int64_t plugin_attended_ms_max = 300'000;

/// Blocks until the plugin has answered, or its time is over, or the descriptor `stop` can be read.
/// An error is one sentence that names the plugin and holds no secret.
core::Result<ExecCredential> run_plugin(const ExecPlugin& plugin, int stop = -1);

}  // namespace k8s
