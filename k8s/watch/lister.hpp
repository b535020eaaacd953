#pragma once
// One consistent list of a kind, page by page, each object handed over and forgotten: for a
// consistency check beside the watches. One connection of its own, opened for each list and closed
// after it.

#include "core/base/result.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "k8s/net/endpoint.hpp"
#include "k8s/watch/watcher.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <variant>

namespace k8s {

struct ListerOptions {
    std::int64_t page_size = 500;      ///< objects at most, see page_size.hpp
    std::int64_t timeout_ms = 30'000;  ///< per page
    std::size_t pages_max = 10'000;
};

class Lister {
public:
    using Object = std::variant<core::Pod, core::Node>;
    /// The list's resourceVersion, or why there is none. A list whose pages expire while they are
    /// read is an error: what was handed over is to be forgotten.
    using Done = std::function<void(core::Result<std::string>)>;

    Lister(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        ListerOptions options = ListerOptions());
    ~Lister();
    Lister(const Lister&) = delete;
    Lister& operator=(const Lister&) = delete;

    /// One at a time. Callbacks come on the loop's thread, never from inside list() or after
    /// stop(); `done` may ask for the next list.
    void list(WatchKind kind, std::function<void(Object)> item, Done done);
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
