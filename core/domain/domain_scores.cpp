#include "core/domain/domain_scores.hpp"

#include "core/domain/domain_question.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <string_view>

namespace core {

namespace {

constexpr std::string_view hostname_key = "kubernetes.io/hostname";
constexpr std::int64_t best = 100;
/// In place of a number of pods: the node is in no domain.
constexpr std::int64_t keyless = -1;

/// The least and the largest score of some nodes.
struct Range {
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    std::int64_t most = std::numeric_limits<std::int64_t>::min();
    void note(std::int64_t score) {
        least = std::min(least, score);
        most = std::max(most, score);
    }
};

/// Nodes beside each other often have the same score: what was computed last is kept.
template <typename Compute>
class Remembered {
public:
    explicit Remembered(Compute compute) : compute_(compute) {}
    std::uint8_t operator()(std::int64_t score) {
        if (score != last_ || !is_known_) {
            last_ = score;
            result_ = static_cast<std::uint8_t>(compute_(score));
            is_known_ = true;
        }
        return result_;
    }

private:
    Compute compute_;
    std::int64_t last_ = 0;
    std::uint8_t result_ = 0;
    bool is_known_ = false;
};

bool prefers_pods(const PodRules* rules) {
    return rules != nullptr && !rules->preferred.empty();
}

}  // namespace

DomainScores::DomainScores(
    const DomainRules& rules,
    const IncomingPod& pod,
    NodeBitmap feasible,
    const Cluster& cluster,
    const PodScoring& scoring)
    : in_(rules),
      pod_(pod),
      feasible_(std::move(feasible)),
      cluster_(cluster),
      rules_(pod.rules.is_none() ? nullptr : &rules.rules(pod.rules)),
      live_(pod.rules.is_none() ? nullptr : &rules.live_[pod.rules.value]) {
    sum_affinity(scoring);
    find_own_weights(scoring);
    count_spread();
}

// --- affinity -----------------------------------------------------------------------------------

void DomainScores::add(TopologyKeyId key, std::int64_t weight, const NodeCounts& counts) {
    ByDomain& by_domain = sums_[key];
    by_domain.resize(in_.domains_.bound(key));
    counts.for_each([&](NodeIndex node, const PodCount& count) {
        const DomainId domain = in_.domains_.domain_of(key, node);
        if (!domain.is_none()) by_domain[domain.value] += weight * count.all;
    });
}

void DomainScores::sum_affinity(const PodScoring& scoring) {
    if (prefers_pods(rules_)) {
        for (std::size_t i = 0; i < rules_->preferred.size(); ++i) {
            const NodeCounts& counts = in_.matches_.counts(live_->preferred[i]);
            add(live_->preferred_keys[i], rules_->preferred[i].weight, counts);
        }
    }
    if (!scoring.ignores_placed || prefers_pods(rules_)) {
        in_.wishes_.for_each_match(
            pod_.namespace_name,
            pod_.labels,
            [this](TopologyKeyId key, std::int64_t weight, const NodeCounts& counts) {
                add(key, weight, counts);
            });
        in_.needs_.for_each_match(
            pod_.namespace_name,
            pod_.labels,
            [&](TopologyKeyId key, std::int64_t, const NodeCounts& counts) {
                add(key, scoring.required_affinity, counts);
            });
    }
    affinity_.resize(cluster_.node_count());
    for (const auto& [key, by_domain] : sums_) {
        const DomainMap& map = in_.domains_.map(key, cluster_);
        for (std::size_t position = 0; position < affinity_.size(); ++position) {
            const DomainId domain = map.by_position[position];
            if (!domain.is_none()) affinity_[position] += by_domain[domain.value];
        }
    }
}

/// A pod more of this kind is one that its own terms mean, and one whose terms mean it.
void DomainScores::find_own_weights(const PodScoring& scoring) {
    if (rules_ == nullptr) return;
    const auto means_itself = [this](const PodAffinityTerm& term) {
        return selection_of(term).matches(pod_.namespace_name, pod_.labels);
    };
    for (std::size_t i = 0; i < rules_->preferred.size(); ++i) {
        const PreferredPods& one = rules_->preferred[i];
        if (one.term.needs_namespace_labels() || !means_itself(one.term)) continue;
        own_weights_.emplace_back(live_->preferred_keys[i], 2 * one.weight);
    }
    if (scoring.ignores_placed && !prefers_pods(rules_)) return;
    for (std::size_t i = 0; i < rules_->affinity.size(); ++i) {
        if (!means_itself(rules_->affinity[i])) continue;
        own_weights_.emplace_back(live_->affinity_keys[i], scoring.required_affinity);
    }
}

// The formula, with its floating point: NormalizeScore of interpodaffinity/scoring.go, 1.37.
std::vector<std::uint8_t> DomainScores::normalised_affinity() const {
    Range range;
    feasible_.for_each([&](std::size_t position) { range.note(affinity_[position]); });
    if (range.least >= range.most) return {};
    const auto width = static_cast<double>(range.most - range.least);
    Remembered normalise([&](std::int64_t score) {
        return static_cast<double>(best) * (static_cast<double>(score - range.least) / width);
    });
    std::vector<std::uint8_t> scores(affinity_.size());
    feasible_.for_each(
        [&](std::size_t position) { scores[position] = normalise(affinity_[position]); });
    return scores;
}

// --- spread -------------------------------------------------------------------------------------

bool DomainScores::has_spread_keys(NodeIndex node) const {
    if (rules_->spreads_by_default) return true;
    const auto& keys = live_->preferred_spread_keys;
    return std::all_of(keys.begin(), keys.end(), [&](TopologyKeyId key) {
        return !in_.domains_.domain_of(key, node).is_none();
    });
}

void DomainScores::count_spread() {
    if (rules_ == nullptr || rules_->preferred_spread.empty()) return;
    candidates_ = feasible_;
    for (const TopologyKeyId key : live_->preferred_spread_keys) {
        if (rules_->spreads_by_default) break;
        candidates_.remove(in_.domains_.map(key, cluster_).without_key);
    }
    const std::string namespace_name(pod_.namespace_name);
    for (std::size_t i = 0; i < rules_->preferred_spread.size(); ++i) {
        const SpreadConstraint& constraint = rules_->preferred_spread[i];
        Spread spread{
            &in_.domains_.map(live_->preferred_spread_keys[i], cluster_),
            live_->preferred_spread[i]};
        spread.max_skew = constraint.max_skew;
        spread.means_itself =
            selection_of(constraint, namespace_name).matches(namespace_name, pod_.labels);
        spread.by_node = constraint.topology_key == hostname_key;
        count_matching(spread, constraint);
        weigh(spread);
        spread_.push_back(std::move(spread));
    }
    score_spread();
}

void DomainScores::count_matching(Spread& spread, const SpreadConstraint& constraint) const {
    const NodeCounts& counts = in_.matches_.counts(spread.selection);
    if (spread.by_node) {
        spread.matching.resize(cluster_.node_count());
        counts.for_each([&](NodeIndex node, const PodCount& count) {
            const Position position = cluster_.position_of(node);
            if (position != no_position) spread.matching[position] = count.staying;
        });
        return;
    }
    const std::vector<DomainId>& domains = spread.map->by_position;
    spread.candidates.resize(spread.map->first.size());
    spread.matching.resize(spread.candidates.size());
    candidates_.for_each([&](std::size_t position) {
        ++(domains[position].is_none() ? spread.keyless
                                       : spread.candidates[domains[position].value]);
    });
    counts.for_each([&](NodeIndex node, const PodCount& count) {
        const Position position = cluster_.position_of(node);
        if (position == no_position || !has_spread_keys(node)) return;
        if (!is_counted(constraint, cluster_.node(node), pod_.constraints)) return;
        const DomainId domain = domains[position];
        if (!domain.is_none()) spread.matching[domain.value] += count.staying;
    });
}

bool DomainScores::weigh(Spread& spread) const {
    const auto has_candidates = [](std::int64_t nodes) { return nodes > 0; };
    const std::int64_t domains =
        spread.by_node
            ? candidates_.count()
            : std::count_if(spread.candidates.begin(), spread.candidates.end(), has_candidates) +
                  (spread.keyless > 0 ? 1 : 0);
    const double before = std::exchange(spread.weight, std::log(static_cast<double>(domains + 2)));
    return spread.weight != before;
}

void DomainScores::score_spread() {
    spread_scores_.resize(cluster_.node_count());
    // Of one constraint the nodes with as many pods have one score: what was computed last is kept.
    const Spread* const only = spread_.size() == 1 ? &spread_.front() : nullptr;
    std::int64_t last = keyless - 1;
    std::int64_t score = 0;
    candidates_.for_each([&](std::size_t position) {
        const std::int64_t there = only == nullptr ? 0 : matching_at(*only, position);
        if (only == nullptr || there != last) score = spread_score(position);
        last = there;
        spread_scores_[position] = score;
    });
}

std::int64_t DomainScores::matching_at(const Spread& spread, std::size_t position) {
    if (spread.map->by_position[position].is_none()) return keyless;
    return spread.matching[spread.by_node ? position : spread.map->by_position[position].value];
}

// Score of podtopologyspread/scoring.go, 1.37.
std::int64_t DomainScores::spread_score(std::size_t position) const {
    double score = 0;
    for (const Spread& one : spread_) {
        const std::int64_t there = matching_at(one, position);
        if (there == keyless) continue;
        score += static_cast<double>(there) * one.weight + (one.max_skew - 1);
    }
    return std::llround(score);
}

// NormalizeScore of the same file.
std::vector<std::uint8_t> DomainScores::normalised_spread() const {
    if (spread_.empty()) return {};
    Range range;
    candidates_.for_each([&](std::size_t position) { range.note(spread_scores_[position]); });
    Remembered normalise([&](std::int64_t score) {
        return range.most == 0 ? best : best * (range.most + range.least - score) / range.most;
    });
    std::vector<std::uint8_t> scores(spread_scores_.size());
    candidates_.for_each(
        [&](std::size_t position) { scores[position] = normalise(spread_scores_[position]); });
    Range found;
    feasible_.for_each([&](std::size_t position) { found.note(scores[position]); });
    return found.least < found.most ? scores : std::vector<std::uint8_t>();
}

// --- both ---------------------------------------------------------------------------------------

const PodScores& DomainScores::scores() {
    scores_ = {normalised_affinity(), normalised_spread()};
    return scores_;
}

void DomainScores::place(Position position) {
    for (const auto& [key, weight] : own_weights_) {
        const DomainMap& map = in_.domains_.map(key, cluster_);
        const DomainId domain = map.by_position[position];
        if (domain.is_none()) continue;
        for (const Position near : map.nodes_of(domain)) affinity_[near] += weight;
    }
    const NodeIndex node = cluster_.nodes_by_name()[position];
    for (std::size_t i = 0; i < spread_.size(); ++i) {
        Spread& one = spread_[i];
        if (!one.means_itself) continue;
        if (one.by_node) {
            ++one.matching[position];
            if (candidates_.test(position)) spread_scores_[position] = spread_score(position);
            continue;
        }
        const SpreadConstraint& constraint = rules_->preferred_spread[i];
        if (!has_spread_keys(node)) continue;
        if (!is_counted(constraint, cluster_.node(node), pod_.constraints)) continue;
        const DomainId domain = one.map->by_position[position];
        if (domain.is_none()) continue;
        ++one.matching[domain.value];
        for (const Position near : one.map->nodes_of(domain)) {
            if (candidates_.test(near)) spread_scores_[near] = spread_score(near);
        }
    }
}

void DomainScores::close(Position position) {
    feasible_.set(position, false);
    if (!candidates_.test(position)) return;
    candidates_.set(position, false);
    bool is_other = false;
    for (Spread& one : spread_) {
        const DomainId domain = one.map->by_position[position];
        if (!one.by_node) --(domain.is_none() ? one.keyless : one.candidates[domain.value]);
        is_other = weigh(one) || is_other;
    }
    if (is_other) score_spread();
}

bool DomainRules::has_preferences(const IncomingPod& pod, const PodScoring& scoring) const {
    const PodRules* const own = pod.rules.is_none() ? nullptr : &rules(pod.rules);
    if (own != nullptr && own->has_preferred()) return true;
    if (scoring.ignores_placed) return false;
    return wishes_.matches(pod.namespace_name, pod.labels) ||
           (scoring.required_affinity > 0 && needs_.matches(pod.namespace_name, pod.labels));
}

PodScores DomainRules::scores(
    const IncomingPod& pod,
    const NodeBitmap& feasible,
    const Cluster& cluster,
    const PodScoring& scoring) const {
    return DomainScores(*this, pod, feasible, cluster, scoring).scores();
}

}  // namespace core
