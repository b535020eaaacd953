#pragma once
// Pods by node, of the nodes that have any: few for most rules, so a rule costs what it finds.

#include "core/base/ids.hpp"
#include "core/base/result.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstdint>

namespace core {

/// Affinity counts every pod, spreading leaves out those that are being deleted.
struct PodCount {
    std::int64_t all = 0;
    std::int64_t staying = 0;
    friend bool operator==(const PodCount&, const PodCount&) = default;
};

class NodeCounts {
public:
    /// Counts one pod more, or one that was counted less.
    void add(NodeIndex node, bool is_deleting, std::int64_t by) {
        PodCount& count = by_node_[node.value];
        count.all += by;
        count.staying += is_deleting ? 0 : by;
        ENSURE(count.staying >= 0 && count.staying <= count.all);
        if (count.all > 0) return;
        by_node_.erase(node.value);
        if (by_node_.size() * 8 < by_node_.bucket_count()) by_node_.rehash(0);
    }
    bool empty() const { return by_node_.empty(); }
    PodCount at(NodeIndex node) const {
        const auto found = by_node_.find(node.value);
        return found == by_node_.end() ? PodCount{} : found->second;
    }
    /// visit(node, count) in no order that means anything: for sums.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const auto& [node, count] : by_node_) visit(NodeIndex{node}, count);
    }
    friend bool operator==(const NodeCounts&, const NodeCounts&) = default;

private:
    boost::unordered_flat_map<std::uint32_t, PodCount> by_node_;
};

}  // namespace core
