#pragma once
// Whole files of credentials. They are opened anew for each reading: mounts replace them by
// symlink.

#include <cstddef>
#include <optional>
#include <string>

namespace k8s {

inline constexpr std::size_t pem_max = 1024 * 1024;  ///< bytes; a longer one is no credential

/// Nothing if the file cannot be read to its end, or is longer than `max` bytes.
std::optional<std::string> read_small_file(const std::string& path, std::size_t max);

}  // namespace k8s
