#pragma once
// KubeletNodes: the nodes of simulated kubelets: registered with the API server, kept alive there
// by their Leases, each with the referee that admits its pods.

#include "k8s/embedded/kubelet/kubelet.hpp"
#include "k8s/embedded/kubelet/referee.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace k8s::embedded {

/// Sends a request as a kubelet does; PATCH is strategic. The status of the answer.
int call_as_kubelet(
    ApiServer& server, const char* method, const std::string& target, const Json& body);

struct KubeletNode {
    Referee referee;
    std::string address;
    int number = 0;
    std::int64_t pods_started = 0;
};

class KubeletNodes {
public:
    /// All of them must outlive this.
    KubeletNodes(boost::asio::io_context& loop, ApiServer& server, const KubeletOptions& options);

    /// Registers them, and begins to renew their Leases.
    void start();

    /// The node that the pod is bound to, as it stands in the API server now: somebody else may
    /// have relabelled or shrunk it. Nothing: it is none of ours.
    KubeletNode* find_fresh(const Json& pod);
    /// The pod holds nothing of its node any more.
    void release(const Json& pod);

private:
    void register_node(int number);
    void renew_leases();

    ApiServer& server_;
    const KubeletOptions& options_;
    std::map<std::string, KubeletNode> nodes_;
    boost::asio::steady_timer heartbeat_;
    /// A queued handler may outlive this object by one turn of the loop; it looks here first.
    std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace k8s::embedded
