#pragma once
// The ledger as it is shown: node by node, who holds what.

#include "core/cluster/cluster.hpp"
#include "gang/ledger_view.hpp"
#include "gang/model/model.hpp"

#include <vector>

namespace gang {

class NodeLedgers {
public:
    explicit NodeLedgers(Model& model) : model_(model) {}

    /// See Scheduler::ledger.
    std::vector<NodeLedger> ledger() const;
    /// See Scheduler::node_sums.
    NodeSums sums() const;

private:
    void read_free(core::NodeIndex index, NodeLedger& node) const;

    Model& model_;
};

}  // namespace gang
