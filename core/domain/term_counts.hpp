#pragma once
// Terms of the pods that are placed already, as far as they reach pods that come later: required
// anti-affinity keeps others away, affinity and preferences draw them near or push them off. Each
// distinct term once, with the number of pods that have it by node. Terms come and go with their
// pods.

#include "core/domain/domain_index.hpp"
#include "core/domain/match_counts.hpp"
#include "core/domain/node_counts.hpp"
#include "core/domain/selection_table.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string_view>

namespace core {

class TermCounts {
public:
    /// The pod's term counts on its node; `keys` gets its topology key, read from the cluster.
    /// `weight` is part of what makes a term distinct.
    void placed(
        const PlacedPod& pod,
        const PodAffinityTerm& term,
        std::int64_t weight,
        DomainIndex& keys,
        const Cluster& cluster);
    /// With the term, the weight and the node that it was placed with.
    void gone(
        const PlacedPod& pod,
        const PodAffinityTerm& term,
        std::int64_t weight,
        DomainIndex& keys);

    /// visit(topology key, weight, counts) for each term that means such a pod.
    template <typename Visit>
    void for_each_match(
        std::string_view namespace_name, const StringMap& labels, Visit visit) const {
        if (terms_.empty()) return;
        table_.for_each_match(namespace_name, labels, [&](SelectionId selection) {
            for (auto at = terms_.lower_bound({selection, TopologyKeyId{0}, INT64_MIN});
                 at != terms_.end() && at->first.selection == selection;
                 ++at) {
                visit(at->first.key, at->first.weight, at->second);
            }
        });
    }
    /// Some term means such a pod.
    bool matches(std::string_view namespace_name, const StringMap& labels) const {
        bool found = false;
        for_each_match(
            namespace_name, labels, [&found](TopologyKeyId, std::int64_t, const NodeCounts&) {
                found = true;
            });
        return found;
    }
    /// Distinct terms.
    std::size_t size() const { return terms_.size(); }
    /// Grows with every change.
    std::uint64_t version() const { return version_; }

    friend bool operator==(const TermCounts&, const TermCounts&) = default;

private:
    struct Term {
        SelectionId selection;
        TopologyKeyId key;
        std::int64_t weight = 0;
        friend auto operator<=>(const Term&, const Term&) = default;
    };

    SelectionTable table_;              ///< one reference of each term
    std::map<Term, NodeCounts> terms_;  ///< each with one reference to its topology key
    std::uint64_t version_ = 0;
};

}  // namespace core
