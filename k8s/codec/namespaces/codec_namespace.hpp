#pragma once
// Namespaces become their labels (core/value/namespaces).

#include "core/base/result.hpp"
#include "core/value/namespaces/namespace_labels.hpp"
#include "k8s/codec/watch_line.hpp"

#include <string>
#include <vector>

namespace k8s {

struct NamespacePage {
    std::vector<core::NamespaceLabels> namespaces;
    std::string version;
    std::string continue_token;
};
core::Result<NamespacePage> decode_namespaces(std::string json);

struct NamespaceLine {
    using Type = WatchLineType;
    Type type = Type::changed;
    core::NamespaceLabels one;  ///< of a bookmark, or an error: nothing
};
/// A line of a watch.
core::Result<NamespaceLine> decode_namespace_line(std::string line);

}  // namespace k8s
