#pragma once
// Keeps in view how many volumes nodes can attach: lists all CSINodes, watches them, and lists them
// again when the watch ends. They are few and seldom change, so a state that is listed again is told
// again. One connection of its own, opened by start().
//
//   list --> watch --its end, or trouble--> pause --> list ...

#include "core/value/volume/volume_limits.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

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
    std::int64_t page_size = 500;
    std::int64_t call_timeout_ms = 30'000;
    std::int64_t watch_seconds = 300;  ///< the server ends a watch after so long
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
    ~CsiNodeWatch();
    CsiNodeWatch(const CsiNodeWatch&) = delete;
    CsiNodeWatch& operator=(const CsiNodeWatch&) = delete;

    /// Again it changes nothing.
    void start();
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
