#include "core/domain/placed_terms.hpp"

namespace core {

void PlacedTerms::placed(const PlacedPod& pod, DomainIndex& keys, const Cluster& cluster) {
    if (pod.rules == nullptr) return;
    for (const PodAffinityTerm& term : pod.rules->anti_affinity) {
        apart_.placed(pod, term, 0, keys, cluster);
    }
    for (const PodAffinityTerm& term : pod.rules->affinity) {
        near_.placed(pod, term, 0, keys, cluster);
    }
    for (const PreferredPods& one : pod.rules->preferred) {
        if (is_known(one)) preferred_.placed(pod, one.term, one.weight, keys, cluster);
    }
}

void PlacedTerms::gone(const PlacedPod& pod, DomainIndex& keys) {
    if (pod.rules == nullptr) return;
    for (const PodAffinityTerm& term : pod.rules->anti_affinity) apart_.gone(pod, term, 0, keys);
    for (const PodAffinityTerm& term : pod.rules->affinity) near_.gone(pod, term, 0, keys);
    for (const PreferredPods& one : pod.rules->preferred) {
        if (is_known(one)) preferred_.gone(pod, one.term, one.weight, keys);
    }
}

}  // namespace core
