#include "k8s/embedded/kubelet/node_objects.hpp"

#include <utility>

namespace k8s::embedded {
namespace {

Json condition(const char* type, bool value, const char* reason, const std::string& now) {
    Json object;
    object.set("type", type);
    object.set("status", value ? "True" : "False");
    object.set("lastHeartbeatTime", now);
    object.set("lastTransitionTime", now);
    object.set("reason", reason);
    object.set("message", value ? "kubelet is posting ready status" : "kubelet has no shortage");
    return object;
}

Json resources(const NodeSpec& spec) {
    Json list;
    list.set("cpu", spec.cpu);
    list.set("ephemeral-storage", "100Gi");
    list.set("memory", spec.memory);
    list.set("pods", std::to_string(spec.pods));
    for (const auto& [name, quantity] : spec.resources) list.set(name, quantity);
    return list;
}

Json address(const char* type, const std::string& value) {
    Json object;
    object.set("type", type);
    object.set("address", value);
    return object;
}

Json node_info(const NodeSpec& spec) {
    Json info;
    info.set("machineID", spec.name);
    info.set("systemUUID", spec.name);
    info.set("bootID", spec.name);
    info.set("kernelVersion", "simulated");
    info.set("osImage", "simulated node of gang-scheduler");
    info.set("containerRuntimeVersion", "embedded://1.0");
    info.set("kubeletVersion", "v1.37.0");
    info.set("kubeProxyVersion", "");
    info.set("operatingSystem", "linux");
    info.set("architecture", "amd64");
    return info;
}

}  // namespace

Json make_node(const NodeSpec& spec, const std::string& now) {
    Json node;
    node.set("apiVersion", "v1");
    node.set("kind", "Node");
    Json& metadata = node["metadata"];
    metadata.set("name", spec.name);
    Json& labels = metadata["labels"];
    labels.set("beta.kubernetes.io/arch", "amd64");
    labels.set("beta.kubernetes.io/os", "linux");
    labels.set("kubernetes.io/arch", "amd64");
    labels.set("kubernetes.io/hostname", spec.name);
    labels.set("kubernetes.io/os", "linux");
    for (const auto& [key, value] : spec.annotations) metadata["annotations"].set(key, value);
    node.set("spec", Json(Json::Object{}));
    Json& status = node["status"];
    status.set("capacity", resources(spec));
    status.set("allocatable", resources(spec));
    status.set(
        "conditions",
        Json::Array{
            condition("MemoryPressure", false, "KubeletHasSufficientMemory", now),
            condition("DiskPressure", false, "KubeletHasNoDiskPressure", now),
            condition("PIDPressure", false, "KubeletHasSufficientPID", now),
            condition("Ready", true, "KubeletReady", now)});
    status.set(
        "addresses",
        Json::Array{address("InternalIP", spec.address), address("Hostname", spec.name)});
    status.set("nodeInfo", node_info(spec));
    return node;
}

Json make_node_lease(const std::string& node, const std::string& now) {
    Json lease;
    lease.set("apiVersion", "coordination.k8s.io/v1");
    lease.set("kind", "Lease");
    lease["metadata"].set("name", node);
    lease["metadata"].set("namespace", "kube-node-lease");
    Json& spec = lease["spec"];
    spec.set("holderIdentity", node);
    spec.set("leaseDurationSeconds", 40);
    spec.set("renewTime", now);
    return lease;
}

}  // namespace k8s::embedded
