#include "core/value/volume/storage.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace core {
namespace {

SelectorOperator operator_of(LabelOperator op) {
    switch (op) {
        case LabelOperator::in:
            return SelectorOperator::in;
        case LabelOperator::not_in:
            return SelectorOperator::not_in;
        case LabelOperator::exists:
            return SelectorOperator::exists;
        case LabelOperator::does_not_exist:
            break;
    }
    return SelectorOperator::does_not_exist;
}

NodeSelectorTerm term_of(const LabelSelector& selector) {
    NodeSelectorTerm term;
    for (const LabelRequirement& one : selector.requirements) {
        term.match_expressions.push_back({one.key, operator_of(one.op), one.values});
    }
    return term;
}

/// No requirement matches no node, so one that every node meets.
NodeSelectorTerm all_nodes() {
    return {{{std::string(), SelectorOperator::does_not_exist, {}}}, {}};
}

}  // namespace

/// Most segments are of one node, or of one zone: those are looked up by their value.
VolumeNodes nodes_with_storage(
    const std::vector<const StorageSegment*>& segments, std::int64_t bytes) {
    VolumeNodes nodes{VolumeRule::storage, {}};
    std::map<std::string, std::set<std::string>> by_label;
    for (const StorageSegment* segment : segments) {
        const auto& requirements = segment->nodes.requirements;
        if (segment->bytes < bytes || !segment->nodes.is_set) continue;
        if (segment->nodes.matches_all()) return {VolumeRule::storage, {all_nodes()}};
        if (requirements.size() == 1 && requirements.front().op == LabelOperator::in) {
            const LabelRequirement& one = requirements.front();
            by_label[one.key].insert(one.values.begin(), one.values.end());
        } else {
            nodes.terms.push_back(term_of(segment->nodes));
        }
    }
    std::sort(nodes.terms.begin(), nodes.terms.end());
    nodes.terms.erase(std::unique(nodes.terms.begin(), nodes.terms.end()), nodes.terms.end());
    std::vector<LabelValues> labels;
    for (const auto& [key, values] : by_label) {
        labels.push_back({key, {values.begin(), values.end()}});
    }
    nodes.labels = std::move(labels);
    return nodes;
}

bool needs_storage(const Claim& claim) {
    return claim.state == ClaimState::consumer && claim.is_storage_counted &&
           !claim.is_never_made && claim.bytes > 0;
}

void add_storage_nodes(const Claim& claim, VolumeNodes with_storage, std::vector<VolumeNodes>& to) {
    for (const AvailableVolume& volume : claim.available) {
        if (volume.terms.empty()) return;
        with_storage.terms.insert(
            with_storage.terms.end(), volume.terms.begin(), volume.terms.end());
    }
    to.push_back(std::move(with_storage));
}

}  // namespace core
