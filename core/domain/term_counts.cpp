#include "core/domain/term_counts.hpp"

#include "core/base/result.hpp"

namespace core {

void TermCounts::placed(
    const PlacedPod& pod,
    const PodAffinityTerm& term,
    std::int64_t weight,
    DomainIndex& keys,
    const Cluster& cluster) {
    const SelectionId selection = table_.intern(selection_of(term)).id;
    const TopologyKeyId key = keys.retain(term.topology_key, cluster);
    const auto [at, is_new] = terms_.try_emplace({selection, key, weight});
    at->second.add(pod.node, pod.is_deleting, 1);
    ++version_;
    if (is_new) return;
    table_.release(selection);
    keys.release(key);
}

void TermCounts::gone(
    const PlacedPod& pod, const PodAffinityTerm& term, std::int64_t weight, DomainIndex& keys) {
    const auto selection = table_.find(selection_of(term));
    const auto key = keys.find(term.topology_key);
    ENSURE(selection && key);
    const auto at = terms_.find({*selection, *key, weight});
    ENSURE(at != terms_.end());
    at->second.add(pod.node, pod.is_deleting, -1);
    ++version_;
    if (!at->second.empty()) return;
    terms_.erase(at);
    table_.release(*selection);
    keys.release(*key);
}

}  // namespace core
