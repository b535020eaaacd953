#pragma once
// Keeps in view how much storage drivers have left, as CSIStorageCapacities say (object_watch.hpp).

#include "core/value/volume/storage.hpp"
#include "k8s/watch/object_watch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

struct StorageWatchOptions {
    // Called on the loop's thread, never from inside start(), never after stop().
    std::function<void(std::vector<core::StorageSegment>)> listed;  ///< all, sorted
    std::function<void(core::StorageSegment)> changed;
    /// We may not list them, or there is no such kind. Told once in a row; it is tried again.
    std::function<void(std::string)> denied;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 30'000;
    std::int64_t pause_ms_denied = 300'000;
};

class StorageWatch {
public:
    StorageWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        StorageWatchOptions options);

    /// Again it changes nothing.
    void start() { watch_.start(); }
    void stop() { watch_.stop(); }

private:
    core::Result<PageEnd> take_page(std::string body, bool is_first);
    core::Result<bool> take_line(std::string line);

    StorageWatchOptions options_;
    std::vector<core::StorageSegment> listed_;  ///< so far
    ObjectWatch watch_;
};

}  // namespace k8s
