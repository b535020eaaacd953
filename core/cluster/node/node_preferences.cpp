#include "core/cluster/node/node_preferences.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string>

namespace core {

namespace {

/// Texts are dear: one for each reason, and for each run of nodes with equal taints.
std::vector<ReasonCount> count_exclusions(const Cluster& cluster, ClassId constraint_class) {
    const ConstraintClasses& classes = cluster.shapes().classes();
    const NodeBitmap& passing = classes.eligible(constraint_class);
    const Constraints& constraints = classes.constraints(constraint_class);
    const auto order = cluster.nodes().by_name();
    std::map<std::string, std::int64_t> counts;
    std::array<std::int64_t, filter_reasons> by_reason = {};
    const Taint* last = nullptr;
    std::int64_t* of_last = nullptr;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (passing.test(i)) continue;
        const FilterVerdict verdict = filter_node(cluster.nodes().node(order[i]), constraints);
        if (verdict.taint == nullptr) {
            ++by_reason[static_cast<std::size_t>(verdict.reason)];
            continue;
        }
        if (last == nullptr || *last != *verdict.taint) {
            last = verdict.taint;
            of_last = &counts[describe(verdict)];
        }
        ++*of_last;
    }
    for (std::size_t reason = 0; reason < filter_reasons; ++reason) {
        if (by_reason[reason] == 0) continue;
        counts[describe({static_cast<FilterReason>(reason), nullptr})] = by_reason[reason];
    }
    std::vector<ReasonCount> reasons;
    for (const auto& [reason, count] : counts) reasons.push_back({reason, count});
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
        return a.count > b.count;
    });
    return reasons;
}

Preferences count_preferences(const Cluster& cluster, ClassId constraint_class) {
    const ConstraintClasses& classes = cluster.shapes().classes();
    const NodeBitmap& passing = classes.eligible(constraint_class);
    const Constraints& constraints = classes.constraints(constraint_class);
    const auto order = cluster.nodes().by_name();
    Preferences counted;
    counted.by_position.resize(order.size());
    if (!constraints.images.empty()) counted.images.resize(order.size());
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < order.size(); ++i) {
        if (!passing.test(i)) continue;
        Preference& here = counted.by_position[i];
        here = find_preference(cluster.nodes().node(order[i]), constraints);
        counted.most.taints = std::max(counted.most.taints, here.taints);
        counted.most.weight = std::max(counted.most.weight, here.weight);
        if (!counted.images.empty()) {
            counted.images[i] = static_cast<std::uint8_t>(
                cluster.nodes().images().score(order[i], constraints.images, order.size()));
        }
        if (!first) first = i;
        counted.tells_nodes_apart =
            counted.tells_nodes_apart || here != counted.by_position[*first] ||
            (!counted.images.empty() && counted.images[i] != counted.images[*first]);
    }
    return counted;
}

}  // namespace

std::vector<ReasonCount> find_exclusions(const Cluster& cluster, ClassId constraint_class) {
    const ConstraintClasses& classes = cluster.shapes().classes();
    if (ConstraintClasses::is_restricted(constraint_class)) {
        auto reasons = find_exclusions(cluster, classes.unrestricted(constraint_class));
        const auto& more = classes.restrictions(constraint_class);
        reasons.insert(reasons.end(), more.begin(), more.end());
        std::sort(reasons.begin(), reasons.end(), [](const ReasonCount& a, const ReasonCount& b) {
            return a.count != b.count ? a.count > b.count : a.reason < b.reason;
        });
        return reasons;
    }
    if (const auto* known = classes.find_exclusions(constraint_class)) return *known;
    const std::vector<ReasonCount> reasons = count_exclusions(cluster, constraint_class);
    classes.keep_exclusions(constraint_class, reasons);
    return reasons;
}

const Preferences* find_preferences(const Cluster& cluster, ClassId constraint_class) {
    const ConstraintClasses& classes = cluster.shapes().classes();
    if (ConstraintClasses::is_restricted(constraint_class)) {
        return find_preferences(cluster, classes.unrestricted(constraint_class));
    }
    const Constraints& constraints = classes.constraints(constraint_class);
    const bool has_wishes = !constraints.preferred_affinity.empty() ||
                            !constraints.images.empty() || !constraints.points.empty();
    if (!cluster.nodes().has_avoided() && !has_wishes) return nullptr;
    const Preferences* kept = classes.find_preferences(constraint_class);
    if (kept == nullptr) {
        kept = &classes.keep_preferences(
            constraint_class, count_preferences(cluster, constraint_class));
    }
    return kept->tells_nodes_apart ? kept : nullptr;
}

}  // namespace core
