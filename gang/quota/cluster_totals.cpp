#include "gang/quota/cluster_totals.hpp"

namespace gang {

const Amounts& ClusterTotals::of(const Model& model) {
    if (nodes_version_ != model.cluster_model.nodes_version()) {
        nodes_version_ = model.cluster_model.nodes_version();
        totals_ = {};
        for (const core::NodeIndex node : model.cluster.nodes().by_name()) {
            totals_.add(model.cluster.nodes().node(node).allocatable, 1);
        }
    }
    return totals_;
}

}  // namespace gang
