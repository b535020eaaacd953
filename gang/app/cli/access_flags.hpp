#pragma once
// Which API server, and as whom: flags of every verb that asks one, with kubectl's meaning.

#include "core/base/result.hpp"
#include "gang/app/base/flags.hpp"
#include "k8s/credentials/access.hpp"

#include <string>
#include <vector>

namespace gang::app {

/// --kubeconfig, --context, --cluster, --user.
std::vector<Flag> access_flags();

/// An error of usage: a name that no kubeconfig has, with those that they have. `configured` is the
/// kubeconfig of the configuration file, or empty.
core::Result<core::Done> check_access_flags(const CommandLine& line, const std::string& configured);

/// The access that the flags name. An error: it cannot be used.
core::Result<k8s::Access> find_access(const CommandLine& line, const std::string& configured);

}  // namespace gang::app
