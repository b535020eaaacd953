#pragma once
#include <cstdint>

namespace k8s {

/// What is listed and watched.
enum class WatchKind : std::uint8_t { pods, nodes };

}  // namespace k8s
