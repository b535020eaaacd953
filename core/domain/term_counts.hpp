#pragma once
// Required anti-affinity of the pods that are placed already: it keeps others away from them. Each
// distinct term once, with the number of pods that have it by node. Terms come and go with their
// pods.

#include "core/domain/domain_index.hpp"
#include "core/domain/match_counts.hpp"
#include "core/domain/node_counts.hpp"
#include "core/domain/selection_table.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>

namespace core {

class TermCounts {
public:
    /// The pod's terms count on its node; `keys` get their topology keys, read from the cluster.
    void placed(const PlacedPod& pod, DomainIndex& keys, const Cluster& cluster);
    /// With the terms and the node that it was placed with.
    void gone(const PlacedPod& pod, DomainIndex& keys);

    /// visit(topology key, counts) for each term that such a pod would break.
    template <typename Visit>
    void for_each_match(
        std::string_view namespace_name, const StringMap& labels, Visit visit) const {
        if (terms_.empty()) return;
        table_.for_each_match(namespace_name, labels, [&](SelectionId selection) {
            for (auto at = terms_.lower_bound({selection, TopologyKeyId{0}});
                 at != terms_.end() && at->first.first == selection;
                 ++at) {
                visit(at->first.second, at->second);
            }
        });
    }
    /// Distinct terms.
    std::size_t size() const { return terms_.size(); }
    /// Grows with every change.
    std::uint64_t version() const { return version_; }

    friend bool operator==(const TermCounts&, const TermCounts&) = default;

private:
    using Term = std::pair<SelectionId, TopologyKeyId>;

    SelectionTable table_;              ///< one reference of each term
    std::map<Term, NodeCounts> terms_;  ///< each with one reference to its topology key
    std::uint64_t version_ = 0;
};

}  // namespace core
