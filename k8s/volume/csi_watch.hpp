#pragma once
// Keeps in view what CSI drivers say in objects of a kind (object_watch.hpp): how many volumes
// nodes can attach (CSINodes), and how much storage is left (CSIStorageCapacities).

#include "core/value/volume/storage.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "k8s/watch/object_watch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

template <typename Object>
struct CsiWatchOptions {
    // Called on the loop's thread, never from inside start(), never after stop().
    std::function<void(std::vector<Object>)> listed;  ///< all, sorted
    std::function<void(Object)> changed;
    /// We may not list them, or there is no such kind. Told once in a row; it is tried again.
    std::function<void(std::string)> denied;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 30'000;
    std::int64_t pause_ms_denied = 300'000;
};

/// `Object` is what an object says, and with it which kind is watched.
template <typename Object>
class CsiWatch {
public:
    CsiWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        CsiWatchOptions<Object> options);

    /// Again it changes nothing.
    void start() { watch_.start(); }
    void stop() { watch_.stop(); }

private:
    core::Result<PageEnd> take_page(std::string body, bool is_first);
    core::Result<bool> take_line(std::string line);

    CsiWatchOptions<Object> options_;
    std::vector<Object> listed_;  ///< so far
    ObjectWatch watch_;
};

using CsiNodeWatchOptions = CsiWatchOptions<core::NodeVolumeLimits>;
using CsiNodeWatch = CsiWatch<core::NodeVolumeLimits>;
using StorageWatchOptions = CsiWatchOptions<core::StorageSegment>;
using StorageWatch = CsiWatch<core::StorageSegment>;

extern template class CsiWatch<core::NodeVolumeLimits>;
extern template class CsiWatch<core::StorageSegment>;

}  // namespace k8s
