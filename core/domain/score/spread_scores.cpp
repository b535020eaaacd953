#include "core/domain/score/spread_scores.hpp"

#include "core/domain/domain_question.hpp"
#include "core/domain/score/score_range.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>

namespace core {

namespace {

constexpr std::string_view hostname_key = "kubernetes.io/hostname";
/// In place of a number of pods: the node is in no domain.
constexpr std::int64_t keyless = -1;

}  // namespace

SpreadScores::SpreadScores(
    const DomainRules& rules,
    const IncomingPod& pod,
    const NodeBitmap& feasible,
    const Cluster& cluster)
    : in_(rules),
      pod_(pod),
      cluster_(cluster),
      rules_(find_rules(rules, pod.rules)),
      live_(rules.find_live(pod.rules)) {
    if (rules_ == nullptr || rules_->preferred_spread.empty()) return;
    candidates_ = feasible;
    for (const TopologyKeyId key : live_->preferred_spread_keys) {
        if (rules_->spreads_by_default) break;
        candidates_.remove(in_.domains().map(key, cluster_).without_key);
    }
    const std::string namespace_name(pod_.namespace_name);
    for (std::size_t i = 0; i < rules_->preferred_spread.size(); ++i) {
        const SpreadConstraint& constraint = rules_->preferred_spread[i];
        Spread spread{
            &in_.domains().map(live_->preferred_spread_keys[i], cluster_),
            live_->preferred_spread[i]};
        spread.max_skew = constraint.max_skew;
        spread.means_itself =
            selection_of(constraint, namespace_name).matches(namespace_name, pod_.labels);
        spread.by_node = constraint.topology_key == hostname_key;
        count_matching(spread, constraint);
        weigh(spread);
        spread_.push_back(std::move(spread));
    }
    score_all();
}

bool SpreadScores::has_keys(NodeIndex node) const {
    if (rules_->spreads_by_default) return true;
    const auto& keys = live_->preferred_spread_keys;
    return std::all_of(keys.begin(), keys.end(), [&](TopologyKeyId key) {
        return !in_.domains().domain_of(key, node).is_none();
    });
}

void SpreadScores::count_matching(Spread& spread, const SpreadConstraint& constraint) const {
    const NodeCounts& counts = in_.matches().counts(spread.selection);
    if (spread.by_node) {
        spread.matching.resize(cluster_.nodes().count());
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
        if (position == no_position || !has_keys(node)) return;
        if (!is_counted(constraint, cluster_.nodes().node(node), pod_.constraints)) return;
        const DomainId domain = domains[position];
        if (!domain.is_none()) spread.matching[domain.value] += count.staying;
    });
}

bool SpreadScores::weigh(Spread& spread) const {
    const auto has_candidates = [](std::int64_t nodes) { return nodes > 0; };
    const std::int64_t domains =
        spread.by_node
            ? candidates_.count()
            : std::count_if(spread.candidates.begin(), spread.candidates.end(), has_candidates) +
                  (spread.keyless > 0 ? 1 : 0);
    const double before = std::exchange(spread.weight, std::log(static_cast<double>(domains + 2)));
    return spread.weight != before;
}

void SpreadScores::score_all() {
    by_position_.resize(cluster_.nodes().count());
    // Of one constraint the nodes with as many pods have one score: what was computed last is kept.
    const Spread* const only = spread_.size() == 1 ? &spread_.front() : nullptr;
    std::int64_t last = keyless - 1;
    std::int64_t score = 0;
    candidates_.for_each([&](std::size_t position) {
        const std::int64_t there = only == nullptr ? 0 : only->matching_at(position);
        if (only == nullptr || there != last) score = score_at(position);
        last = there;
        by_position_[position] = score;
    });
}

std::int64_t SpreadScores::Spread::matching_at(std::size_t position) const {
    const DomainId domain = map->by_position[position];
    if (domain.is_none()) return core::keyless;
    return matching[by_node ? position : domain.value];
}

// Score of podtopologyspread/scoring.go, 1.37.
std::int64_t SpreadScores::score_at(std::size_t position) const {
    double score = 0;
    for (const Spread& one : spread_) {
        const std::int64_t there = one.matching_at(position);
        if (there == keyless) continue;
        score += static_cast<double>(there) * one.weight + (one.max_skew - 1);
    }
    return std::llround(score);
}

// NormalizeScore of the same file.
std::vector<std::uint8_t> SpreadScores::normalised(const NodeBitmap& feasible) const {
    if (spread_.empty()) return {};
    ScoreRange range;
    candidates_.for_each([&](std::size_t position) { range.note(by_position_[position]); });
    Remembered normalise([&](std::int64_t score) {
        return range.most == 0 ? best_score
                               : best_score * (range.most + range.least - score) / range.most;
    });
    std::vector<std::uint8_t> scores(by_position_.size());
    candidates_.for_each(
        [&](std::size_t position) { scores[position] = normalise(by_position_[position]); });
    ScoreRange found;
    feasible.for_each([&](std::size_t position) { found.note(scores[position]); });
    return found.least < found.most ? scores : std::vector<std::uint8_t>();
}

void SpreadScores::place(Position position) {
    const NodeIndex node = cluster_.nodes().by_name()[position];
    for (std::size_t i = 0; i < spread_.size(); ++i) {
        Spread& one = spread_[i];
        if (!one.means_itself) continue;
        if (one.by_node) {
            ++one.matching[position];
            if (candidates_.test(position)) by_position_[position] = score_at(position);
            continue;
        }
        const SpreadConstraint& constraint = rules_->preferred_spread[i];
        if (!has_keys(node)) continue;
        if (!is_counted(constraint, cluster_.nodes().node(node), pod_.constraints)) continue;
        const DomainId domain = one.map->by_position[position];
        if (domain.is_none()) continue;
        ++one.matching[domain.value];
        for (const Position near : one.map->nodes_of(domain)) {
            if (candidates_.test(near)) by_position_[near] = score_at(near);
        }
    }
}

void SpreadScores::close(Position position) {
    if (!candidates_.test(position)) return;
    candidates_.set(position, false);
    bool is_other = false;
    for (Spread& one : spread_) {
        const DomainId domain = one.map->by_position[position];
        if (!one.by_node) --(domain.is_none() ? one.keyless : one.candidates[domain.value]);
        is_other = weigh(one) || is_other;
    }
    if (is_other) score_all();
}

}  // namespace core
