#include "gang/model/cluster/cluster_model.hpp"

#include "core/value/device/card_dialect.hpp"

namespace gang {

void ClusterModel::node_changed(bool may_have_shrunk) {
    shrink_version_ += may_have_shrunk ? 1 : 0;
    ++nodes_version_;
    ++ceiling_version_;
}

void ClusterModel::upsert_node(const core::Node& node) {
    quarantine_.lift(node.name);
    const bool was_there = cluster_.nodes().find(node.name).has_value();
    if (!cluster_.upsert_node(node)) {
        return;
    }
    node_changed(was_there);
    const core::NodeIndex index = *cluster_.nodes().find(node.name);
    pod_rules_.node_changed(index, node);
    domains_.node_changed(index, node);
    if (cluster_.nodes().allocations(index) > 0) {
        nodes_to_check_.insert(node.name);  // a node that nobody is on holds no slot
    }
}

void ClusterModel::set_reserve(
    const core::Headroom& headroom, const std::vector<std::string>& scarce) {
    cluster_.set_headroom(headroom);
    cluster_.set_scarce(scarce);
    node_changed(true);
}

void ClusterModel::remove_node(const std::string& name) {
    quarantine_.lift(name);
    const auto index = cluster_.nodes().find(name);
    if (!index) {
        return;
    }
    pod_rules_.node_went(*index);
    domains_.node_went(*index);
    cluster_.remove_node(name);
    node_changed(true);
    nodes_to_check_.insert(name);
}

void ClusterModel::upsert_other_pod(const core::Pod& pod) {
    if (pod.node_name.empty() || core::is_terminal(pod)) {
        remove_other_pod(pod.uid);
        return;
    }
    core::CardUse cards;
    cards.said = core::read_pod_cards(pod.annotations, pod.requests, false);
    const auto before = cluster_.pods().find(pod.uid);
    if (before && cluster_.allocations().resources_of(*before) == pod.requests &&
        cluster_.nodes().name(cluster_.allocations().of(*before).node) == pod.node_name &&
        cluster_.allocations().cards_of(*before) == cards.said) {
        pod_rules_.placed().place(pod, pod.node_name);
        return;
    }
    pod_rules_.placed().remove(pod.uid);  // its node's number is held by what it takes there
    cluster_.upsert_pod(pod.uid, pod.node_name, pod.requests, core::UsedBy::other_scheduler, cards);
    pod_rules_.placed().place(pod, pod.node_name);
    ++shrink_version_;
    ++ceiling_version_;
    lift_quarantine(pod.node_name);
    check_if_overcommitted(pod.node_name);
}

void ClusterModel::remove_other_pod(const std::string& uid) {
    const auto allocation = cluster_.pods().find(uid);
    if (!allocation) {
        return;
    }
    const std::string node = cluster_.nodes().name(cluster_.allocations().of(*allocation).node);
    pod_rules_.placed().remove(uid);
    cluster_.remove_pod(uid);
    ++ceiling_version_;
    lift_quarantine(node);
}

void ClusterModel::set_other_volumes(
    const std::string& uid, const std::vector<core::DriverVolume>& volumes) {
    const auto allocation = cluster_.pods().find(uid);
    if (!allocation) {
        return;
    }
    const core::Resources& before = cluster_.allocations().resources_of(*allocation);
    core::Resources requests = core::without_volumes(before);
    core::add_volumes(requests, volumes);
    if (requests == before) {
        return;
    }
    core::CardUse cards;
    cards.said = cluster_.allocations().cards_of(*allocation);
    cluster_.allocations().reallocate(*allocation, requests, core::UsedBy::other_scheduler, cards);
    ++shrink_version_;
    ++ceiling_version_;
    check_if_overcommitted(cluster_.nodes().name(cluster_.allocations().of(*allocation).node));
}

std::int64_t ClusterModel::refused(const std::string& node, bool host_port, std::int64_t now_ms) {
    const std::int64_t until_ms = quarantine_.refused(node, host_port, now_ms);
    show_quarantine(node, quarantine_.state(node, now_ms));
    return until_ms;
}

void ClusterModel::lift_quarantine(const std::string& node) {
    if (quarantine_.lift(node)) {
        show_quarantine(node, {});
    }
}

void ClusterModel::expire_quarantine(std::int64_t now_ms) {
    for (const std::string& node : quarantine_.expire(now_ms)) {
        show_quarantine(node, quarantine_.state(node, now_ms));
    }
}

void ClusterModel::show_quarantine(const std::string& name, NodeQuarantine::State state) {
    const auto index = cluster_.nodes().find(name);
    if (!index) {
        return;
    }
    core::Node node = cluster_.room().node_as_told(*index);
    node.is_quarantined = state.pods;
    node.refuses_host_ports = state.host_ports;
    if (cluster_.upsert_node(node)) {
        node_changed(true);
        nodes_to_check_.insert(name);
    }
}

void ClusterModel::set_offer(const core::Node& node) {
    if (cluster_.upsert_node(node)) {
        node_changed(true);
        nodes_to_check_.insert(node.name);
    }
}

void ClusterModel::check_if_overcommitted(const std::string& node) {
    const auto index = cluster_.nodes().find(node);
    if (index && cluster_.columns().is_overcommitted(*index)) {
        nodes_to_check_.insert(node);
    }
}

std::uint64_t ClusterModel::version_of(core::View view) const {
    return view == core::View::free          ? cluster_.room().gains().version()
           : view == core::View::allocatable ? nodes_version_
                                             : ceiling_version_;
}

}  // namespace gang
