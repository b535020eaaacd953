#pragma once
// The few objects that kubectl 1.32 posts as protobuf, made into the JSON they stand for:
// Namespace, ConfigMap, ServiceAccount, SelfSubjectAccessReview, DeleteOptions. Answers are always
// JSON, which every client of ours accepts.

#include "core/base/result.hpp"
#include "k8s/embedded/store/json_value.hpp"

#include <string_view>

namespace k8s::embedded {

/// True for application/vnd.kubernetes.protobuf, with or without parameters.
bool is_protobuf(std::string_view content_type);

/// Decodes "k8s\0" + runtime.Unknown + the object. The bytes are not trusted; a kind that is not in
/// the list above, or bytes that do not hold one, are an error (the server answers 415).
core::Result<Json> decode_protobuf(std::string_view body);

}  // namespace k8s::embedded
