#include "k8s/embedded/kubelet/kubelet_nodes.hpp"

#include "k8s/base/time.hpp"
#include "k8s/codec/codec_node.hpp"
#include "k8s/embedded/http/api_server.hpp"
#include "k8s/embedded/kubelet/node_objects.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <fmt/format.h>

#include <chrono>
#include <utility>

namespace k8s::embedded {

int call_as_kubelet(
    ApiServer& server, const char* method, const std::string& target, const Json& body) {
    Request request{method, target, body.dump()};
    const bool patches = request.method == "PATCH";
    if (patches) request.content_type = "application/strategic-merge-patch+json";
    request.user_agent = "kubelet/embedded";
    return server.handle(request).status;
}

KubeletNodes::KubeletNodes(
    boost::asio::io_context& loop, ApiServer& server, const KubeletOptions& options)
    : server_(server), options_(options), heartbeat_(loop) {}

void KubeletNodes::start() {
    for (int i = 1; i <= options_.nodes; ++i) register_node(i);
    renew_leases();
}

void KubeletNodes::register_node(int number) {
    NodeSpec spec;
    spec.name = fmt::format("{}{}", options_.name_prefix, number);
    spec.address = fmt::format("10.0.{}.{}", number / 250, number % 250 + 1);
    spec.cpu = options_.node_cpu;
    spec.memory = options_.node_memory;
    spec.pods = options_.pods_per_node;
    if (const auto at = static_cast<std::size_t>(number - 1); at < options_.devices.size()) {
        spec.resources = options_.devices[at].resources;
        spec.annotations = options_.devices[at].annotations;
    }
    const Json node = make_node(spec, format_time(server_.now_ms()));
    call_as_kubelet(server_, "POST", "/api/v1/nodes", node);
    const StoredPtr stored = server_.store().find(core_kind("nodes"), Key{"", spec.name});
    auto decoded = decode_node(stored != nullptr ? stored->text() : node.dump());
    ENSURE(decoded);  // made here, or accepted by the server
    nodes_.emplace(spec.name, KubeletNode{Referee(std::move(*decoded)), spec.address, number, 0});
}

void KubeletNodes::renew_leases() {
    const std::string now = format_micro_time(server_.now_ms());
    for (const auto& [name, node] : nodes_) {
        const std::string path = "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
        const Json lease = make_node_lease(name, now);
        const int status = call_as_kubelet(server_, "PATCH", path + "/" + name, lease);
        if (status == 404) call_as_kubelet(server_, "POST", path, lease);
    }
    heartbeat_.expires_after(std::chrono::milliseconds(options_.heartbeat_ms));
    heartbeat_.async_wait([this, alive = std::weak_ptr<int>(alive_)](boost::system::error_code ec) {
        if (!ec && !alive.expired()) renew_leases();
    });
}

KubeletNode* KubeletNodes::find_fresh(const Json& pod) {
    const auto found = nodes_.find(pod.text({"spec", "nodeName"}));
    if (found == nodes_.end()) return nullptr;
    Referee& referee = found->second.referee;
    const Key key{"", referee.node().name};
    if (const StoredPtr stored = server_.store().find(core_kind("nodes"), key)) {
        if (auto decoded = decode_node(stored->text())) referee.update(std::move(*decoded));
    }
    return &found->second;
}

void KubeletNodes::release(const Json& pod) {
    const auto node = nodes_.find(pod.text({"spec", "nodeName"}));
    if (node != nodes_.end()) node->second.referee.release(uid_of(pod));
}

}  // namespace k8s::embedded
