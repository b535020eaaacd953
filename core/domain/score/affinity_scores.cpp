#include "core/domain/score/affinity_scores.hpp"

#include "core/domain/score/score_range.hpp"

namespace core {

namespace {

bool prefers_pods(const PodRules* rules) {
    return rules != nullptr && !rules->preferred.empty();
}

}  // namespace

AffinityScores::AffinityScores(
    const DomainRules& rules,
    const IncomingPod& pod,
    const Cluster& cluster,
    const PodScoring& scoring)
    : in_(rules),
      pod_(pod),
      cluster_(cluster),
      rules_(find_rules(rules, pod.rules)),
      live_(rules.find_live(pod.rules)),
      by_position_(cluster.nodes().count()) {
    for (const auto& [key, by_domain] : sum_terms(scoring)) {
        const DomainMap& map = in_.domains().map(key, cluster_);
        for (std::size_t position = 0; position < by_position_.size(); ++position) {
            const DomainId domain = map.by_position[position];
            if (!domain.is_none()) by_position_[position] += by_domain[domain.value];
        }
    }
    find_own_weights(scoring);
}

void AffinityScores::add(
    Sums& sums, TopologyKeyId key, std::int64_t weight, const NodeCounts& counts) const {
    ByDomain& by_domain = sums[key];
    by_domain.resize(in_.domains().bound(key));
    counts.for_each([&](NodeIndex node, const PodCount& count) {
        const DomainId domain = in_.domains().domain_of(key, node);
        if (!domain.is_none()) by_domain[domain.value] += weight * count.all;
    });
}

AffinityScores::Sums AffinityScores::sum_terms(const PodScoring& scoring) const {
    Sums sums;
    if (prefers_pods(rules_)) {
        for (std::size_t i = 0; i < rules_->preferred.size(); ++i) {
            const NodeCounts& counts = in_.matches().counts(live_->preferred[i]);
            add(sums, live_->preferred_keys[i], rules_->preferred[i].weight, counts);
        }
    }
    if (scoring.ignores_placed && !prefers_pods(rules_)) return sums;
    in_.terms().preferred().for_each_match(
        pod_.namespace_name,
        pod_.labels,
        [&](TopologyKeyId key, std::int64_t weight, const NodeCounts& counts) {
            add(sums, key, weight, counts);
        });
    in_.terms().near().for_each_match(
        pod_.namespace_name,
        pod_.labels,
        [&](TopologyKeyId key, std::int64_t, const NodeCounts& counts) {
            add(sums, key, scoring.required_affinity, counts);
        });
    return sums;
}

/// A pod more of this kind is one that its own terms mean, and one whose terms mean it.
void AffinityScores::find_own_weights(const PodScoring& scoring) {
    if (rules_ == nullptr) return;
    const auto means_itself = [this](const PodAffinityTerm& term) {
        return selection_of(term).matches(pod_.namespace_name, pod_.labels);
    };
    for (std::size_t i = 0; i < rules_->preferred.size(); ++i) {
        const PreferredPods& one = rules_->preferred[i];
        if (!is_known(one) || !means_itself(one.term)) continue;
        own_weights_.emplace_back(live_->preferred_keys[i], 2 * one.weight);
    }
    if (scoring.ignores_placed && !prefers_pods(rules_)) return;
    for (std::size_t i = 0; i < rules_->affinity.size(); ++i) {
        if (!means_itself(rules_->affinity[i])) continue;
        own_weights_.emplace_back(live_->affinity_keys[i], scoring.required_affinity);
    }
}

// The formula, with its floating point: NormalizeScore of interpodaffinity/scoring.go, 1.37.
std::vector<std::uint8_t> AffinityScores::normalised(const NodeBitmap& feasible) const {
    ScoreRange range;
    feasible.for_each([&](std::size_t position) { range.note(by_position_[position]); });
    if (range.least >= range.most) return {};
    const auto width = static_cast<double>(range.most - range.least);
    Remembered normalise([&](std::int64_t score) {
        return static_cast<double>(best_score) * (static_cast<double>(score - range.least) / width);
    });
    std::vector<std::uint8_t> scores(by_position_.size());
    feasible.for_each(
        [&](std::size_t position) { scores[position] = normalise(by_position_[position]); });
    return scores;
}

void AffinityScores::place(Position position) {
    for (const auto& [key, weight] : own_weights_) {
        const DomainMap& map = in_.domains().map(key, cluster_);
        const DomainId domain = map.by_position[position];
        if (domain.is_none()) continue;
        for (const Position near : map.nodes_of(domain)) by_position_[near] += weight;
    }
}

}  // namespace core
