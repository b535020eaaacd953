#pragma once
// The API server without sockets: one call takes a request and answers it. It owns the store and
// the rules; it never blocks, never throws, and answers everything, also nonsense, with a
// Kubernetes Status object. Single-threaded.
//
// Work that a real cluster's controllers do (garbage collection by owner, emptying a namespace) is
// queued by a request and done by run_background(). Without a `defer` it is done at the end of the
// same handle() call.

#include "k8s/embedded/removal.hpp"
#include "k8s/embedded/request.hpp"
#include "k8s/embedded/store.hpp"

#include <cstdint>
#include <functional>
#include <string>

namespace k8s::embedded {

struct ServerOptions {
    Limits limits = {};
    std::function<std::int64_t()> now_ms =
        {};  ///< milliseconds since 1970; empty: the system clock
    /// Runs the given work soon, outside the present call; empty: at the end of handle().
    std::function<void(std::function<void()>)> defer = {};
};

class ApiServer {
public:
    explicit ApiServer(ServerOptions options = {});

    /// Answers any request. A watch answer holds a cursor into this server's store.
    Response handle(const Request& request);

    Store& store() { return store_; }
    std::int64_t now_ms() const { return now_ms_(); }

private:
    Response route(const Request& request);
    void settle();
    void make_namespace(const std::string& name);

    std::function<std::int64_t()> now_ms_;
    std::function<void(std::function<void()>)> defer_;
    Store store_;
    Removal removal_;
    bool is_settling_ = false;
};

}  // namespace k8s::embedded
