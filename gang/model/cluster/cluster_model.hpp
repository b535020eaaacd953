#pragma once
// The cluster as we count it: nodes, the pods of other schedulers, nodes in quarantine. Whoever
// kept an answer (a plan, a refusal) sees by the versions whether it may be another by now; they
// are raised here, where the cluster changes, and nowhere else.
//
//   node and pod events -> ClusterModel -> core::Cluster   what there is
//                                       -> InterPodRules   who is where, for rules between pods
//                                       -> versions        what may be different
//                                       -> nodes to check  where slots may have to move

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_index.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/model/cluster/node_quarantine.hpp"
#include "gang/model/cluster/inter_pod_rules.hpp"

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace gang {

class ClusterModel {
public:
    core::Cluster& cluster() { return cluster_; }
    InterPodRules& pod_rules() { return pod_rules_; }
    core::Namespaces& namespaces() { return namespaces_; }
    /// Domains of the keys that gangs ask for.
    core::DomainIndex& domains() { return domains_; }

    /// The node as its kubelet shows it now, which ends its quarantine.
    void upsert_node(const core::Node& node);
    /// Of every node, kept free of what is newly placed, and which extended resources are scarce.
    void set_reserve(const core::Headroom& headroom, const std::vector<std::string>& scarce);
    void remove_node(const std::string& name);
    /// What the node offers of wishes of GPUs, or of volumes, is another. The node is as it was in
    /// all else.
    void set_offer(const core::Node& node);

    /// A pod that another scheduler has bound. Something that comes or goes may be what a kubelet
    /// knew of and we did not: the node's quarantine ends.
    void upsert_other_pod(const core::Pod& pod);
    void remove_other_pod(const std::string& uid);
    /// What the volumes of such a pod, which is counted, take of its node is another.
    void set_other_volumes(const std::string& uid, const std::vector<core::DriverVolume>& volumes);

    /// A kubelet refused a pod of ours. The time (Unix ms) at which the quarantine ends by itself.
    std::int64_t refused(const std::string& node, bool host_port, std::int64_t now_ms);
    void lift_quarantine(const std::string& node);
    void expire_quarantine(std::int64_t now_ms);

    /// Slots are in the way only where more has been taken than there is.
    void check_if_overcommitted(const std::string& node);

    /// Of what the view is made of: grows when that changes.
    std::uint64_t version_of(core::View view) const;
    /// Grows when nodes change.
    std::uint64_t nodes_version() const { return nodes_version_; }
    /// Grows when nodes, or pods of other schedulers, change.
    std::uint64_t ceiling_version() const { return ceiling_version_; }
    /// Grows when there may be less of that than before.
    std::uint64_t shrink_version() const { return shrink_version_; }

    /// Nodes on which slots may not be able to stay, since they were taken last.
    const std::set<std::string>& nodes_to_check() const { return nodes_to_check_; }
    std::set<std::string> take_nodes_to_check() { return std::exchange(nodes_to_check_, {}); }

private:
    void show_quarantine(const std::string& name, NodeQuarantine::State state);
    void node_changed(bool may_have_shrunk);

    core::Cluster cluster_;
    core::Namespaces namespaces_;
    InterPodRules pod_rules_{cluster_, namespaces_};
    core::DomainIndex domains_;
    NodeQuarantine quarantine_;
    std::uint64_t nodes_version_ = 0;
    std::uint64_t ceiling_version_ = 0;
    std::uint64_t shrink_version_ = 0;
    std::set<std::string> nodes_to_check_;
};

}  // namespace gang
