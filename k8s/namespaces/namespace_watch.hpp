#pragma once
// Keeps the labels of all namespaces in view (watch/object_watch.hpp).

#include "core/value/namespaces/namespace_labels.hpp"
#include "k8s/watch/object_watch.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace k8s {

struct NamespaceWatchOptions {
    // Called on the loop's thread, never from inside start(), never after stop().
    std::function<void(std::vector<core::NamespaceLabels>)> listed;  ///< all
    std::function<void(core::NamespaceLabels)> changed;
    std::function<void(std::string name)> deleted;
    /// We may not list them. Told once in a row; it is tried again.
    std::function<void(std::string)> denied;
    /// The list has failed otherwise for so long that nobody should wait for it; it is tried again.
    std::function<void(std::string)> failed;
    std::int64_t patience_ms = 10'000;
    NoticeSink notice;
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 30'000;
    std::int64_t pause_ms_denied = 60'000;
};

class NamespaceWatch {
public:
    NamespaceWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        NamespaceWatchOptions options);

    /// Again it changes nothing.
    void start() { watch_.start(); }
    void stop() { watch_.stop(); }

private:
    void list_failed(const std::string& why);
    core::Result<PageEnd> take_page(std::string body, bool is_first);
    core::Result<bool> take_line(std::string line);

    NamespaceWatchOptions options_;
    std::vector<core::NamespaceLabels> listed_;  ///< so far
    std::optional<std::int64_t> failing_since_ms_;
    ObjectWatch watch_;
};

}  // namespace k8s
