#pragma once
// The domains of each topology key in use: which nodes have the same value of that label. Kept by
// node, so a node that comes or goes moves nothing else. A key that no node has costs nothing,
// however many rules name it.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/cluster/cluster.hpp"
#include "core/value/node.hpp"

#include <optional>
#include <string>
#include <vector>

namespace core {

class DomainIndex {
public:
    /// Takes one reference. For a new key all nodes are looked at.
    TopologyKeyId retain(const std::string& key, const Cluster& cluster);
    void release(TopologyKeyId key);
    std::optional<TopologyKeyId> find(const std::string& key) const { return keys_.find(key); }
    const std::string& key_name(TopologyKeyId key) const { return keys_[key]; }
    /// Keys in use.
    std::size_t size() const { return keys_.size(); }
    /// How often keys are held.
    std::uint64_t references() const { return keys_.references(); }

    /// The node came, or its labels may have changed.
    void node_changed(NodeIndex node, const Node& value);
    void node_went(NodeIndex node);

    /// None: the node is not there or has no such label.
    DomainId domain_of(TopologyKeyId key, NodeIndex node) const {
        const std::vector<DomainId>& by_node = entries_[key.value].by_node;
        return node.value < by_node.size() ? by_node[node.value] : DomainId{};
    }
    /// The value of the label.
    const std::string& name(TopologyKeyId key, DomainId domain) const {
        return entries_[key.value].names[domain];
    }
    /// All domains of the key have smaller numbers.
    std::size_t bound(TopologyKeyId key) const { return entries_[key.value].bound; }
    /// Domains with nodes.
    std::size_t domain_count(TopologyKeyId key) const { return entries_[key.value].names.size(); }

    friend bool operator==(const DomainIndex&, const DomainIndex&) = default;

private:
    struct Entry {
        Interner<std::string, DomainId> names;  ///< one reference of each node
        std::vector<DomainId> by_node;          ///< by NodeIndex; ends with the last that has one
        std::size_t bound = 0;
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    /// nullptr: none.
    static void set_domain(Entry& entry, NodeIndex node, const std::string* name);

    Interner<std::string, TopologyKeyId> keys_;
    std::vector<Entry> entries_;       ///< by TopologyKeyId
    std::vector<TopologyKeyId> live_;  ///< sorted
};

}  // namespace core
