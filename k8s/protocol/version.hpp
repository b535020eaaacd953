#pragma once
// resourceVersions are opaque text in transport. Since Kubernetes 1.35 those of one kind may be
// compared as decimals of any length; what does not look like one is never ordered.

#include <compare>
#include <string_view>

namespace k8s::protocol {

/// Unordered unless both are decimals without leading zero ("0" and "" are not real versions).
std::partial_ordering compare_versions(std::string_view a, std::string_view b);

}  // namespace k8s::protocol
