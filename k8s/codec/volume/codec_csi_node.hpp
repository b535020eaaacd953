#pragma once
// CSINodes become what their nodes can attach (core/value/volume/volume_limits.hpp).

#include "core/base/result.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "k8s/codec/watch_line.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace k8s {

struct CsiNodePage {
    std::vector<core::NodeVolumeLimits> nodes;  ///< those that say a limit
    std::string version;
    std::string continue_token;
};
core::Result<CsiNodePage> decode_csi_nodes(std::string json);

struct CsiNodeLine {
    using Type = WatchLineType;
    Type type = Type::changed;
    core::NodeVolumeLimits node;  ///< of one that is gone: without limits
    std::string message;          ///< of an error
};
/// A line of a watch.
core::Result<CsiNodeLine> decode_csi_node_line(std::string line);

}  // namespace k8s
