#pragma once
// The stanza `extenders` of a Policy file and of a KubeSchedulerConfiguration. It is checked as
// kube-scheduler checks it.

#include "config/kube/called_extender.hpp"
#include "config/kube/notes.hpp"

#include <cstdint>
#include <vector>

namespace config::kube {

/// The two spellings: `enableHttps` and nanoseconds, or `enableHTTPS` and "5s".
enum class ExtenderForm : std::uint8_t { policy, v1 };

void read_extenders(
    const Tree& tree, ExtenderForm form, std::vector<CalledExtender>& into, Notes& notes);

}  // namespace config::kube
