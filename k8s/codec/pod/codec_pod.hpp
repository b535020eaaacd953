#pragma once
// A pod's JSON, as the API server sends it, becomes a core::Pod. Hot path: every watch event and
// every page of a list goes through here.

#include "core/base/result.hpp"
#include "core/value/pod.hpp"

#include <string_view>

namespace k8s {

/// Reads one Pod object. Missing optional fields take the API server's defaults. Text that is not
/// JSON, or has no metadata.name, is an error. What is wrong inside one pod (a wrong type, a
/// quantity that does not fit) ends in Pod::problem instead, so that one bad pod does not stop a
/// watch.
core::Result<core::Pod> decode_pod(std::string_view json);

}  // namespace k8s
