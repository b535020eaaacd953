#pragma once
// How many of the placed pods each selection in use matches, by node. A pod is placed while it is
// bound, or assumed to be, and has not ended.
//
//   retain(new selection) --> empty --fill(all placed pods)--> filled --release--> gone
//                                                               ^ placed(), gone()
//
// What the caller owes:
//   - placed() once for a pod, and gone() once with the same node, namespace, labels and deletion
//     mark. A pod whose labels, or whose mark, change is gone as it was and placed as it is.
//     Nothing is known of uids here: who hears of a pod twice has to know that.
//   - The labels of placed pods are kept by the caller, at least those whose keys live selections
//     name. When he has them of all pods, fill() is called. Until then a new selection is not
//     filled, placed() and gone() pass it over, and its counts must not be asked for.

#include "core/domain/node_counts.hpp"
#include "core/domain/selection_table.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A bound or assumed pod as rules see it; looked at during the call only.
struct PlacedPod {
    NodeIndex node;
    std::string_view namespace_name;
    const StringMap& labels;
    const PodRules* rules = nullptr;  ///< its own; nullptr: none
    bool is_deleting = false;         ///< its deletionTimestamp is set
};

class MatchCounts {
public:
    /// Takes one reference. A selection that nobody held yet is to be filled.
    SelectionId retain(const PodSelection& selection);
    void release(SelectionId id);

    bool is_filled(SelectionId id) const { return entries_[id.value].is_filled; }
    bool all_filled() const { return unfilled_.empty(); }
    /// Counts for the selections that are not filled: for_each_pod(visit) calls visit(PlacedPod)
    /// for each pod that is placed now.
    template <typename ForEachPod>
    void fill(ForEachPod for_each_pod) {
        if (all_filled()) return;
        for_each_pod([this](const PlacedPod& pod) { count(pod, 1, false); });
        note_filled();
    }

    void placed(const PlacedPod& pod) { count(pod, 1, true); }
    void gone(const PlacedPod& pod) { count(pod, -1, true); }

    const NodeCounts& counts(SelectionId id) const {
        ENSURE(is_filled(id));
        return entries_[id.value].counts;
    }
    /// Grows with every change of the counts.
    std::uint64_t version(SelectionId id) const { return entries_[id.value].version; }
    /// Selections in use.
    std::size_t size() const { return table_.size(); }

    friend bool operator==(const MatchCounts&, const MatchCounts&) = default;

private:
    struct Entry {
        NodeCounts counts;
        std::uint64_t version = 0;
        bool is_filled = false;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    void count(const PlacedPod& pod, std::int64_t by, bool of_filled);
    void note_filled();

    SelectionTable table_;
    std::vector<Entry> entries_;  ///< by SelectionId
    std::vector<SelectionId> unfilled_;
};

}  // namespace core
