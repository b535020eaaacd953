#pragma once
// Secrets: stringData becomes data, and the types that promise certain keys must have them.

#include "k8s/embedded/admission/checks.hpp"

namespace k8s::embedded {

void default_secret(Json& secret);
void check_secret(const Json& secret, Checks& checks);

/// Base64 with padding, as JSON carries bytes.
std::string encode_base64(std::string_view bytes);

}  // namespace k8s::embedded
