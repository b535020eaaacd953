#pragma once
// Base64 (RFC 4648) as kubeconfigs hold certificates.

#include <optional>
#include <string>
#include <string_view>

namespace k8s {

std::string base64_encode(std::string_view bytes);

/// White space and missing padding do not matter; nothing if any other character is in it.
std::optional<std::string> base64_decode(std::string_view encoded);

}  // namespace k8s
