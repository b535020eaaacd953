// Nodes whose kubelet has refused a pod of ours although it fitted, as far as we saw: there is
// something on them that we do not see yet. Nothing new is sent there until something is heard of
// the node that may be what was missing: its own state, or a pod on it that comes or goes. Spark
// counts every failed executor against its application, so one refusal should not become ten.
//
// Host ports are what a pod asks for by itself: one tenant's port that is taken says nothing of the
// node to others. Only pods that want host ports are kept off then; whoever replaces the refused
// one wants them, too, and goes elsewhere or waits, instead of failing again and again.

#include "gang/engine.hpp"

#include <algorithm>

namespace gang {
namespace {

/// Nobody may ever tell: then it is tried again.
constexpr std::int64_t distrust_ms_max = 30'000;

}  // namespace

void Engine::observe_end(const PodEntry& entry) {
    const std::string& node = entry.pod.node_name;
    if (!core::is_refused_by_kubelet(entry.pod)) {
        trust(node);
        return;
    }
    ++counters_.kubelet_rejections;
    Quarantine& quarantine = distrusted_[node];
    const std::int64_t until_ms = now_ms_ + distrust_ms_max;
    (core::is_refused_host_port(entry.pod) ? quarantine.ports_until_ms : quarantine.pods_until_ms) =
        until_ms;
    show_quarantine(node, quarantine);
    wake_at(until_ms);
}

void Engine::show_quarantine(const std::string& name, const Quarantine& quarantine) {
    const auto index = cluster_.find_node(name);
    if (!index) {
        return;
    }
    core::Node node = cluster_.node(*index);
    node.is_distrusted = quarantine.pods_until_ms > now_ms_;
    node.refuses_host_ports = quarantine.ports_until_ms > now_ms_;
    if (cluster_.upsert_node(node)) {
        ++shrink_version_;
        ++nodes_version_;
        ++ceiling_version_;
        suspects_.insert(name);
    }
}

void Engine::trust(const std::string& node) {
    if (!distrusted_.empty() && distrusted_.erase(node) > 0) {
        show_quarantine(node, {});
    }
}

void Engine::end_distrust() {
    const auto is_over = [this](std::int64_t until_ms) { return until_ms <= now_ms_; };
    for (auto it = distrusted_.begin(); it != distrusted_.end();) {
        auto& [node, quarantine] = *it++;
        auto& [pods_until_ms, ports_until_ms] = quarantine;
        if (is_over(pods_until_ms) && is_over(ports_until_ms)) {
            trust(std::string(node));
            continue;
        }
        for (std::int64_t* until_ms : {&pods_until_ms, &ports_until_ms}) {
            if (*until_ms != 0 && is_over(*until_ms)) {
                *until_ms = 0;
                show_quarantine(node, quarantine);
            }
        }
    }
}

}  // namespace gang
