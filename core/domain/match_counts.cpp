#include "core/domain/match_counts.hpp"

#include <algorithm>

namespace core {

SelectionId MatchCounts::retain(const PodSelection& selection) {
    const auto [id, is_new] = table_.intern(selection);
    if (is_new) {
        if (id.value >= entries_.size()) entries_.resize(id.value + 1);
        // No pod has to be looked at for what matches none.
        entries_[id.value].is_filled = !selection.labels.is_set;
        if (selection.labels.is_set) unfilled_.push_back(id);
    }
    return id;
}

void MatchCounts::release(SelectionId id) {
    if (!table_.release(id)) return;
    unfilled_.erase(std::remove(unfilled_.begin(), unfilled_.end(), id), unfilled_.end());
    entries_[id.value] = {};
}

void MatchCounts::count(const PlacedPod& pod, std::int64_t by, bool of_filled) {
    table_.for_each_match(pod.namespace_name, pod.labels, [&](SelectionId id) {
        Entry& entry = entries_[id.value];
        if (entry.is_filled != of_filled) return;
        entry.counts.add(pod.node, pod.is_deleting, by);
        ++entry.version;
    });
}

void MatchCounts::note_filled() {
    for (const SelectionId id : unfilled_) entries_[id.value].is_filled = true;
    unfilled_.clear();
}

}  // namespace core
