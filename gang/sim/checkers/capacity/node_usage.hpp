#pragma once
// What every node has, and what is taken of it: the pods that are there, and the slots of gangs
// that no pod sits in.
//
//   usage(node) = requests of all bound pods that have not ended
//               + for each gang: (slots there - its pods in them there) * slot

#include "core/value/node.hpp"
#include "gang/sim/checkers/capacity/node_slots.hpp"
#include "gang/sim/checkers/capacity/seen_pods.hpp"

#include <cstddef>
#include <map>
#include <vector>

namespace gang::sim {

class NodeUsage {
public:
    void node_changed(const Entry<core::Node>& entry);
    /// The pod comes to the node that it is counted on, and into its gang's slots there, or (-1)
    /// goes.
    void assign(Seen& pod, int sign);
    /// From now on there is a list of its slots there.
    NodeSlots& slots_of(PodId driver, NodeId node) { return record(node).slots[driver]; }
    void clear_slots(PodId driver, const std::vector<NodeId>& nodes);

    Amount usage(NodeId node) const;
    Amount pods_on(NodeId node) const;
    Amount allocatable(NodeId node) const;
    Amount open_on(NodeId node) const;
    /// By driver.
    const std::map<PodId, NodeSlots>& slots_on(NodeId node) const { return nodes_[node].slots; }
    /// That the gang's reservation names there.
    std::int64_t named_slots(PodId driver, NodeId node) const;
    /// Slots of the gang on all nodes that stand open for pods of this size; where it has slots of
    /// one size, all that are open.
    std::int64_t open_for(PodId driver, const Amount& size) const;
    std::size_t size() const { return nodes_.size(); }

private:
    struct Record {
        Amount allocatable;
        Amount pods;
        std::map<PodId, NodeSlots> slots;  ///< by driver
    };
    Record& record(NodeId node);

    std::vector<Record> nodes_;
};

}  // namespace gang::sim
