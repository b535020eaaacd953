#pragma once
// The domains of each topology key in use: which nodes have the same value of that label. Kept by
// node, so a node that comes or goes moves nothing else. A key that no node has costs nothing,
// however many rules name it.
//
// Questions walk over nodes in the order of their names, so a key that is asked about has a map in
// that order as well, made anew by the first question after a node came, went or changed its label.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/cluster/cluster.hpp"
#include "core/value/node.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

/// The domains of one key, as questions read them.
struct DomainMap {
    /// With more domains no bitmaps are kept: 1/8 byte for each node and domain.
    static constexpr std::size_t bitmaps_max = 64;

    std::vector<DomainId> by_position;  ///< none: the node has no such label
    std::vector<Position> positions;    ///< of the nodes, domain after domain
    std::vector<std::size_t> first;     ///< by DomainId: where its positions begin; one more
    NodeBitmap without_key;
    std::vector<NodeBitmap> bitmaps;  ///< by DomainId; empty: too many domains
    bool has_one_node_each = true;    ///< as host names do

    /// In order.
    std::span<const Position> nodes_of(DomainId domain) const {
        const std::size_t from = first[domain.value];
        return std::span(positions).subspan(from, first[domain.value + 1] - from);
    }
    /// Those of the domain, too.
    void add(DomainId domain, NodeBitmap& to) const;
};

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
        return entries_[key.value].domain_of(node);
    }
    /// The value of the label.
    const std::string& name(TopologyKeyId key, DomainId domain) const {
        return entries_[key.value].names[domain];
    }
    /// Lives until a node comes, goes or changes.
    const DomainMap& map(TopologyKeyId key, const Cluster& cluster) const;
    /// None: nodes without the label.
    NodeBitmap nodes_of(TopologyKeyId key, DomainId domain, const Cluster& cluster) const;
    /// Domains with nodes, by name.
    const std::vector<DomainId>& by_name(TopologyKeyId key) const;
    /// All domains of the key have smaller numbers.
    std::size_t bound(TopologyKeyId key) const { return entries_[key.value].bound; }
    /// Domains with nodes.
    std::size_t domain_count(TopologyKeyId key) const { return entries_[key.value].names.size(); }

    friend bool operator==(const DomainIndex&, const DomainIndex&) = default;

private:
    /// Made from the rest of the entry when it is asked for: no part of what the index is.
    struct Derived {
        std::optional<DomainMap> map;
        std::optional<std::vector<DomainId>> by_name;
        friend bool operator==(const Derived&, const Derived&) { return true; }
    };
    struct Entry {
        Interner<std::string, DomainId> names;  ///< one reference of each node
        std::vector<DomainId> by_node;          ///< by NodeIndex; ends with the last that has one
        std::size_t bound = 0;
        mutable Derived derived = {};
        DomainId domain_of(NodeIndex node) const {
            return node.value < by_node.size() ? by_node[node.value] : DomainId{};
        }
        friend bool operator==(const Entry&, const Entry&) = default;
    };

    static DomainMap make_map(const Entry& entry, std::span<const NodeIndex> order);
    /// nullptr: none.
    static void set_domain(Entry& entry, NodeIndex node, const std::string* name);

    Interner<std::string, TopologyKeyId> keys_;
    std::vector<Entry> entries_;       ///< by TopologyKeyId
    std::vector<TopologyKeyId> live_;  ///< sorted
};

}  // namespace core
