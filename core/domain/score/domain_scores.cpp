#include "core/domain/score/domain_scores.hpp"

#include <utility>

namespace core {

bool has_preferences(const DomainRules& rules, const IncomingPod& pod, const PodScoring& scoring) {
    const PodRules* const own = find_rules(rules, pod.rules);
    if (own != nullptr && own->has_preferred()) return true;
    if (scoring.ignores_placed) return false;
    const PlacedTerms& terms = rules.terms();
    return terms.preferred().matches(pod.namespace_name, pod.labels) ||
           (scoring.required_affinity > 0 && terms.near().matches(pod.namespace_name, pod.labels));
}

DomainScores::DomainScores(
    const DomainRules& rules,
    const IncomingPod& pod,
    NodeBitmap feasible,
    const Cluster& cluster,
    const PodScoring& scoring)
    : feasible_(std::move(feasible)),
      affinity_(rules, pod, cluster, scoring),
      spread_(rules, pod, feasible_, cluster) {}

const PodScores& DomainScores::scores() {
    scores_ = {affinity_.normalised(feasible_), spread_.normalised(feasible_)};
    return scores_;
}

void DomainScores::place(Position position) {
    affinity_.place(position);
    spread_.place(position);
}

void DomainScores::close(Position position) {
    feasible_.set(position, false);
    spread_.close(position);
}

}  // namespace core
