#pragma once
// A whole cluster in one object: API server, HTTP port and kubeconfig. Kubelets are added by
// whoever wants them, through api(): a kubelet creates its node, watches pods through the store and
// patches status through ApiServer::handle, exactly as a remote one would.

#include "core/base/result.hpp"
#include "k8s/embedded/http/api_server.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace boost::asio {
class io_context;
}

namespace k8s::embedded {

class HttpServer;

struct ClusterOptions {
    std::string address = "127.0.0.1";
    std::uint16_t port = 0;  ///< 0: any
    Limits limits = {};
};

class Cluster {
public:
    Cluster(boost::asio::io_context& io, ClusterOptions options);
    ~Cluster();
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;

    /// Listens. The port, or why not.
    core::Result<std::uint16_t> start();
    /// Ends all connections; call it before the last turns of the loop.
    void stop();

    ApiServer& api() { return api_; }
    std::string url() const;
    /// A kubeconfig with one context, namespace default, no credentials.
    std::string kubeconfig() const;
    /// Written beside the file and renamed over it, so a reader sees all of it or nothing.
    core::Result<core::Done> write_kubeconfig(const std::string& path) const;

private:
    ClusterOptions options_;
    std::uint16_t port_ = 0;
    ApiServer api_;
    std::unique_ptr<HttpServer> http_;
};

}  // namespace k8s::embedded
