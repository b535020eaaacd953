#pragma once
// kube-scheduler's files as a configuration of ours, chosen by their `kind`.

#include "config/loader.hpp"
#include "config/tree.hpp"
#include "core/base/result.hpp"

#include <string_view>

namespace config::kube {

/// Of kind Policy or KubeSchedulerConfiguration.
bool is_kube_file(const Tree& document);

/// Reads such a document, and the policy file that it names.
core::Result<Loaded> read(
    const Tree& document, std::string_view file_name, const ReadFile& read_file);

}  // namespace config::kube
