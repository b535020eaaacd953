#include "core/domain/term_counts.hpp"

#include "core/base/result.hpp"

namespace core {

void TermCounts::placed(const PlacedPod& pod, DomainIndex& keys, const Cluster& cluster) {
    if (pod.rules == nullptr) return;
    for (const PodAffinityTerm& term : pod.rules->anti_affinity) {
        const SelectionId selection = table_.intern(selection_of(term)).id;
        const TopologyKeyId key = keys.retain(term.topology_key, cluster);
        const auto [at, is_new] = terms_.try_emplace({selection, key});
        at->second.add(pod.node, pod.is_deleting, 1);
        ++version_;
        if (is_new) continue;
        table_.release(selection);
        keys.release(key);
    }
}

void TermCounts::gone(const PlacedPod& pod, DomainIndex& keys) {
    if (pod.rules == nullptr) return;
    for (const PodAffinityTerm& term : pod.rules->anti_affinity) {
        const auto selection = table_.find(selection_of(term));
        const auto key = keys.find(term.topology_key);
        ENSURE(selection && key);
        const auto at = terms_.find({*selection, *key});
        ENSURE(at != terms_.end());
        at->second.add(pod.node, pod.is_deleting, -1);
        ++version_;
        if (!at->second.empty()) continue;
        terms_.erase(at);
        table_.release(*selection);
        keys.release(*key);
    }
}

}  // namespace core
