// Nodes that refused a pod of ours, as the cluster shows them to whoever plans.

#include "gang/engine.hpp"

namespace gang {

void Engine::observe_end(const PodEntry& entry) {
    const std::string& node = entry.pod.node_name;
    if (!core::is_refused_by_kubelet(entry.pod)) {
        lift_quarantine(node);
        return;
    }
    ++counters_.kubelet_rejections;
    const bool is_port = core::is_refused_host_port(entry.pod);
    const std::int64_t until_ms = quarantine_.refused(node, is_port, now_ms_);
    show_quarantine(node);
    wake_at(until_ms);
}

void Engine::show_quarantine(const std::string& name) {
    const auto index = cluster_.find_node(name);
    if (!index) {
        return;
    }
    const NodeQuarantine::State state = quarantine_.state(name, now_ms_);
    core::Node node = cluster_.node(*index);
    node.is_distrusted = state.pods;
    node.refuses_host_ports = state.host_ports;
    if (cluster_.upsert_node(node)) {
        ++shrink_version_;
        ++nodes_version_;
        ++ceiling_version_;
        suspects_.insert(name);
    }
}

void Engine::lift_quarantine(const std::string& node) {
    if (quarantine_.lift(node)) {
        show_quarantine(node);
    }
}

void Engine::expire_quarantine() {
    for (const std::string& node : quarantine_.expire(now_ms_)) {
        show_quarantine(node);
    }
}

}  // namespace gang
