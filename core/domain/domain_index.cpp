#include "core/domain/domain_index.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>
#include <utility>

namespace core {

TopologyKeyId DomainIndex::retain(const std::string& key, const Cluster& cluster) {
    const auto [id, is_new] = keys_.intern(key);
    if (!is_new) return id;
    if (id.value >= entries_.size()) entries_.resize(id.value + 1);
    live_.insert(std::lower_bound(live_.begin(), live_.end(), id), id);
    for (const NodeIndex node : cluster.nodes().by_name()) {
        set_domain(entries_[id.value], node, find_value(cluster.nodes().node(node).labels, key));
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

const DomainMap& DomainIndex::map(TopologyKeyId key, const Cluster& cluster) const {
    const Entry& entry = entries_[key.value];
    std::optional<DomainMap>& kept = entry.derived.map;
    const auto order = cluster.nodes().by_name();
    if (kept) {
        ENSURE(kept->by_position.size() == order.size());
        return *kept;
    }
    return kept.emplace(make_map(entry, order));
}

DomainMap DomainIndex::make_map(const Entry& entry, std::span<const NodeIndex> order) {
    DomainMap map;
    map.first.resize(entry.bound + 1);
    map.by_position.reserve(order.size());
    for (const NodeIndex node : order) {
        const DomainId domain = entry.domain_of(node);
        if (domain.is_none()) {
            map.without_key.set(map.by_position.size(), true);
        } else if (++map.first[domain.value + 1] > 1) {
            map.has_one_node_each = false;
        }
        map.by_position.push_back(domain);
    }
    std::partial_sum(map.first.begin(), map.first.end(), map.first.begin());
    map.positions.resize(map.first.back());
    std::vector<std::size_t> next = map.first;
    for (std::size_t position = 0; position < order.size(); ++position) {
        const DomainId domain = map.by_position[position];
        if (!domain.is_none()) {
            map.positions[next[domain.value]++] = static_cast<Position>(position);
        }
    }
    if (entry.names.size() > DomainMap::bitmaps_max) return map;
    std::vector<NodeBitmap> bitmaps(entry.bound);
    for (std::uint32_t i = 0; i < entry.bound; ++i) map.add(DomainId{i}, bitmaps[i]);
    map.bitmaps = std::move(bitmaps);
    return map;
}

void DomainMap::add(DomainId domain, NodeBitmap& to) const {
    if (!bitmaps.empty()) {
        to.add(bitmaps[domain.value]);
    } else {
        for (const Position position : nodes_of(domain)) to.set(position, true);
    }
}

NodeBitmap DomainIndex::nodes_of(TopologyKeyId key, DomainId domain, const Cluster& cluster) const {
    const DomainMap& of_key = map(key, cluster);
    if (domain.is_none()) return of_key.without_key;
    NodeBitmap nodes;
    of_key.add(domain, nodes);
    return nodes;
}

const std::vector<DomainId>& DomainIndex::by_name(TopologyKeyId key) const {
    const Entry& entry = entries_[key.value];
    std::optional<std::vector<DomainId>>& kept = entry.derived.by_name;
    if (kept) return *kept;
    std::vector<std::pair<std::string_view, DomainId>> named;
    std::vector<bool> is_there(entry.bound);
    for (const DomainId domain : entry.by_node) {
        if (domain.is_none() || is_there[domain.value]) continue;
        is_there[domain.value] = true;
        named.emplace_back(entry.names[domain], domain);
    }
    std::sort(named.begin(), named.end());
    std::vector<DomainId>& sorted = kept.emplace();
    for (const auto& [name, domain] : named) sorted.push_back(domain);
    return sorted;
}

void DomainIndex::set_domain(Entry& entry, NodeIndex node, const std::string* name) {
    std::vector<DomainId>& by_node = entry.by_node;
    const DomainId before = entry.domain_of(node);
    if (!before.is_none() && name != nullptr && entry.names[before] == *name) return;
    entry.derived.map.reset();  // a node without the label may have come or gone
    if (before.is_none() && name == nullptr) return;
    entry.derived.by_name.reset();
    if (!before.is_none()) entry.names.release(before);
    if (node.value >= by_node.size()) by_node.resize(node.value + 1);
    by_node[node.value] = name != nullptr ? entry.names.intern(*name).id : DomainId{};
    if (name != nullptr) {
        entry.bound = std::max(entry.bound, std::size_t{by_node[node.value].value} + 1);
    }
    while (!by_node.empty() && by_node.back().is_none()) by_node.pop_back();
}

}  // namespace core
