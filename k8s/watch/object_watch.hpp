#pragma once
// Keeps all objects of one kind in view, for kinds whose objects are few and seldom change: lists
// them page by page, watches them, and lists them again when the watch ends. A state that is listed
// again is told again. One connection of its own, opened by start(). What the JSON says is its
// user's to read.
//
//   list --> watch --its end, or trouble--> pause --> list ...
//                  '--we may not watch: said once--> the longest pause --> list ...

#include "core/base/result.hpp"
#include "k8s/base/notice.hpp"
#include "k8s/net/endpoint.hpp"

#include <boost/asio/io_context.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace k8s {

/// What a page of a list says of the list.
struct PageEnd {
    std::string version;
    std::string continue_token;  ///< empty: it is the last page
};

struct ObjectWatchOptions {
    std::string path;  ///< of the collection
    std::string name;  ///< of the kind, for notices

    // Called on the loop's thread, never from inside start(), never after stop().
    std::function<core::Result<PageEnd>(std::string body, bool is_first)> take_page;
    std::function<void()> listed;  ///< all pages were taken
    /// A line of the watch; false: it says that the watch cannot go on.
    std::function<core::Result<bool>(std::string line)> take_line;
    /// We may not list them, or there is no such kind (404). Told once in a row, with the HTTP
    /// status; it is tried again.
    std::function<void(int status, const std::string& why)> denied;
    std::function<void(std::string)> failed;  ///< the list failed otherwise; may be empty

    NoticeSink notice;
    std::int64_t page_size = 500;
    std::int64_t call_timeout_ms = 30'000;
    std::int64_t watch_seconds = 300;  ///< the server ends a watch after so long
    std::int64_t pause_ms_min = 1'000;
    std::int64_t pause_ms_max = 30'000;
    std::int64_t pause_ms_denied = 300'000;
};

class ObjectWatch {
public:
    ObjectWatch(
        boost::asio::io_context& io,
        std::shared_ptr<Endpoint> endpoint,
        ObjectWatchOptions options);
    ~ObjectWatch();
    ObjectWatch(const ObjectWatch&) = delete;
    ObjectWatch& operator=(const ObjectWatch&) = delete;

    /// Again it changes nothing.
    void start();
    void stop();

private:
    struct Impl;
    std::shared_ptr<Impl> impl_;
};

}  // namespace k8s
