// Nodes whose kubelet has refused a pod of ours although it fitted, as far as we saw: there is
// something on them that we do not see yet. Nothing new is sent there until something is heard of
// the node that may be what was missing: its own state, or a pod on it that comes or goes. Spark
// counts every failed executor against its application, so one refusal should not become ten.

#include "gang/engine.hpp"

#include <utility>

namespace gang {
namespace {

/// Nobody may ever tell: then it is tried again.
constexpr std::int64_t distrust_ms_max = 30'000;

}  // namespace

void Engine::observe_end(const PodEntry& entry) {
    if (core::is_refused_by_kubelet(entry.pod)) {
        ++counters_.kubelet_rejections;
        distrust(entry.pod.node_name);
    } else {
        trust(entry.pod.node_name);
    }
}

void Engine::set_distrusted(const std::string& name, bool distrusted) {
    const auto index = cluster_.find_node(name);
    if (!index) {
        return;
    }
    core::Node node = cluster_.node(*index);
    node.is_distrusted = distrusted;
    if (cluster_.upsert_node(node)) {
        ++shrink_version_;
        ++nodes_version_;
        ++ceiling_version_;
        suspects_.insert(name);
    }
}

void Engine::distrust(const std::string& node) {
    set_distrusted(node, true);
    distrusted_[node] = now_ms_ + distrust_ms_max;
    wake_at(now_ms_ + distrust_ms_max);
}

void Engine::trust(const std::string& node) {
    if (!distrusted_.empty() && distrusted_.erase(node) > 0) {
        set_distrusted(node, false);
    }
}

void Engine::end_distrust() {
    for (auto it = distrusted_.begin(); it != distrusted_.end();) {
        const auto& [node, until_ms] = *it++;
        if (until_ms <= now_ms_) {
            trust(std::string(node));
        }
    }
}

}  // namespace gang
