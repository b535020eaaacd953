#include "core/domain/domain_index.hpp"

#include <algorithm>

namespace core {

TopologyKeyId DomainIndex::retain(const std::string& key, const Cluster& cluster) {
    const auto [id, is_new] = keys_.intern(key);
    if (!is_new) return id;
    if (id.value >= entries_.size()) entries_.resize(id.value + 1);
    live_.insert(std::lower_bound(live_.begin(), live_.end(), id), id);
    for (const NodeIndex node : cluster.nodes_by_name()) {
        set_domain(entries_[id.value], node, find_value(cluster.node(node).labels, key));
    }
    return id;
}

void DomainIndex::release(TopologyKeyId key) {
    if (!keys_.release(key)) return;
    entries_[key.value] = {};
    live_.erase(std::lower_bound(live_.begin(), live_.end(), key));
}

void DomainIndex::node_changed(NodeIndex node, const Node& value) {
    for (const TopologyKeyId key : live_) {
        set_domain(entries_[key.value], node, find_value(value.labels, keys_[key]));
    }
}

void DomainIndex::node_went(NodeIndex node) {
    for (const TopologyKeyId key : live_) set_domain(entries_[key.value], node, nullptr);
}

void DomainIndex::set_domain(Entry& entry, NodeIndex node, const std::string* name) {
    std::vector<DomainId>& by_node = entry.by_node;
    const DomainId before = node.value < by_node.size() ? by_node[node.value] : DomainId{};
    if (before.is_none() && name == nullptr) return;
    if (!before.is_none() && name != nullptr && entry.names[before] == *name) return;
    if (!before.is_none()) entry.names.release(before);
    if (node.value >= by_node.size()) by_node.resize(node.value + 1);
    by_node[node.value] = name != nullptr ? entry.names.intern(*name).id : DomainId{};
    if (name != nullptr) {
        entry.bound = std::max(entry.bound, std::size_t{by_node[node.value].value} + 1);
    }
    while (!by_node.empty() && by_node.back().is_none()) by_node.pop_back();
}

}  // namespace core
