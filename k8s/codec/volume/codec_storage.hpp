#pragma once
// CSIStorageCapacities become what drivers have left (core/value/volume/storage.hpp), and a CSIDriver
// says whether that counts.

#include "core/base/result.hpp"
#include "core/value/volume/storage.hpp"
#include "k8s/codec/watch_line.hpp"

#include <string>
#include <vector>

namespace k8s {

/// Of a CSIDriver: volumes are made only where its CSIStorageCapacities say that there is room.
core::Result<bool> decode_counts_storage(std::string json);

struct StoragePage {
    std::vector<core::StorageSegment> segments;  ///< those that some node reaches
    std::string version;
    std::string continue_token;
};
core::Result<StoragePage> decode_storage(std::string json);

struct StorageLine {
    using Type = WatchLineType;
    Type type = Type::changed;
    core::StorageSegment segment;  ///< of one that is gone: no node reaches it
};
/// A line of a watch. An object that makes no sense is one that is gone.
core::Result<StorageLine> decode_storage_line(std::string line);

}  // namespace k8s
