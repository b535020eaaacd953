#pragma once
// The API server without sockets: one call takes a request and answers it. It owns the store and
// the rules; it never blocks, never throws, and answers everything, also nonsense, with a
// Kubernetes Status object. Single-threaded.
//
// Work that a real cluster's controllers do (garbage collection by owner, emptying a namespace) is
// queued by a write and done soon after: through `defer`, or at the end of the same handle().

#include "k8s/embedded/api/removal.hpp"
#include "k8s/embedded/api/request.hpp"
#include "k8s/embedded/api/verbs.hpp"
#include "k8s/embedded/api/writes.hpp"
#include "k8s/embedded/store/store.hpp"

#include <cstdint>
#include <functional>
#include <memory>
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
    /// A new cluster: four namespaces with their service accounts, nothing else.
    explicit ApiServer(ServerOptions options = {});
    ApiServer(const ApiServer&) = delete;
    ApiServer& operator=(const ApiServer&) = delete;

    /// Answers any request. A watch answer holds a cursor into this server's store.
    Response handle(const Request& request);

    /// To read and to watch. Write through handle(), or the rules are not applied.
    Store& store() { return store_; }
    std::int64_t now_ms() const { return now_ms_(); }

private:
    Response route(const Request& request);
    void make_namespace(const std::string& name);
    void schedule();

    std::function<std::int64_t()> now_ms_;
    std::function<void(std::function<void()>)> defer_;
    Store store_;
    Removal removal_;
    Writes writes_;
    Verbs verbs_;
    bool is_scheduled_ = false;
    std::shared_ptr<bool> is_alive_ = std::make_shared<bool>(true);  ///< for deferred work
};

}  // namespace k8s::embedded
