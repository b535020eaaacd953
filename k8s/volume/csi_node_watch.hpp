#pragma once
// Keeps in view how many volumes nodes can attach, as their CSINodes say (object_watch.hpp).

#include "core/value/volume/volume_limits.hpp"
#include "k8s/watch/object_watch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace k8s {

struct CsiNodeWatchOptions {
    // Called on the loop's thread, never from inside start(), never after stop().
    std::function<void(std::vector<core::NodeVolumeLimits>)> listed;  ///< all, sorted by node
    std::function<void(core::NodeVolumeLimits)> changed;
    /// We may not list them, or there is no such kind. Told once in a row; it is tried again.
    std::function<void(std::string)> denied;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 30'000;
    std::int64_t pause_ms_denied = 300'000;
};

class CsiNodeWatch {
public:
    CsiNodeWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        CsiNodeWatchOptions options);

    /// Again it changes nothing.
    void start() { watch_.start(); }
    void stop() { watch_.stop(); }

private:
    core::Result<PageEnd> take_page(std::string body, bool is_first);
    core::Result<bool> take_line(std::string line);

    CsiNodeWatchOptions options_;
    std::vector<core::NodeVolumeLimits> listed_;  ///< so far
    ObjectWatch watch_;
};

}  // namespace k8s
