#pragma once
// The stanza `extenders` of a Policy file and of a KubeSchedulerConfiguration. It is checked as
// kube-scheduler checks it; the extenders are not called.

#include "config/kube/notes.hpp"

#include <cstdint>

namespace config::kube {

/// The two spellings: `enableHttps` and nanoseconds, or `enableHTTPS` and "5s".
enum class ExtenderForm : std::uint8_t { policy, v1 };

void check_extenders(const Tree& tree, ExtenderForm form, Notes& notes);

}  // namespace config::kube
