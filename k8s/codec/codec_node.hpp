#pragma once
// A node's JSON becomes a core::Node.

#include "core/base/result.hpp"
#include "core/value/node.hpp"

#include <string_view>

namespace k8s {

/// Reads one Node object. No metadata.name, or a field of the wrong type, is an error. A resource
/// whose quantity cannot be read is left out: the node then offers none of it, which is safe.
core::Result<core::Node> decode_node(std::string_view json);

}  // namespace k8s
