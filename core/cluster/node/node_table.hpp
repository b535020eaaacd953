#pragma once
// The nodes of a cluster by number, by name, and in the order of their names.
//
// A node that is unknown, not yet or no longer, may still carry allocations: they are kept under
// its name, so a node that arrives after its pods, or goes before them, balances ("placeholder").

#include "core/base/chunks.hpp"
#include "core/base/ids.hpp"
#include "core/cluster/shape/classes.hpp"
#include "core/cluster/image/image_counts.hpp"
#include "core/value/node.hpp"
#include "core/value/resources.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The nodes that cost the same.
struct CostLevel {
    std::int64_t cost = 0;
    NodeBitmap nodes;
};

class NodeTable {
public:
    /// Present nodes only.
    std::optional<NodeIndex> find(std::string_view name) const;
    bool is_present(NodeIndex node) const { return entries_[node.value].present; }
    const std::string& name(NodeIndex node) const { return entries_[node.value].node.name; }
    /// Labels, taints and so on; of a placeholder the name alone is filled. Its uid and
    /// resourceVersion, which nobody asks a view for, are not kept, and its cards are among the
    /// columns: of a node to be changed take NodeRoom::node_as_told().
    const Node& node(NodeIndex node) const { return entries_[node.value].node; }
    /// Present nodes, by name: the order of every tie-break.
    std::span<const NodeIndex> by_name() const { return order_; }
    /// Of present nodes.
    std::size_t count() const { return order_.size(); }
    /// Numbers in use, placeholders' included.
    std::size_t size() const { return entries_.size(); }

    /// Some node costs other than 0.
    bool has_costs() const { return kinds_.costly > 0; }
    /// Some node is closed, see is_closed().
    bool has_closed() const { return kinds_.closed > 0; }
    /// Some node is better avoided, see is_better_avoided().
    bool has_avoided() const { return kinds_.avoided > 0; }
    /// The cheapest first; none: there are more than a few.
    const std::vector<CostLevel>& cost_levels() const;
    /// Extended resources of which pods that ask for none keep off, as long as others will do:
    /// what Node::is_scarce is about.
    void set_scarce(std::vector<std::string> names) { scarce_names_ = std::move(names); }
    /// Some node is scarce, and this asks for nothing that is.
    bool keeps_off_scarce(const Resources& asked) const;
    const ImageCounts& images() const { return images_; }

    /// Any node, known or not: an unknown name gets a placeholder, whose number is size() - 1 if it
    /// is a new one.
    NodeIndex find_or_add(std::string_view name);
    struct Put {
        std::optional<std::size_t> came_at;  ///< its position; nothing: it was there
        bool images_changed = false;
    };
    /// The node of that number is so from now on.
    Put put(NodeIndex index, const Node& node);
    /// Answers the position that it had.
    std::size_t remove(NodeIndex index);

    /// What it offers, as a number that the caller holds; none of a node never seen.
    ResourcesId allocatable(NodeIndex node) const { return entries_[node.value].allocatable; }
    void set_allocatable(NodeIndex node, ResourcesId id) { entries_[node.value].allocatable = id; }
    /// Tokens held on it.
    std::uint32_t allocations(NodeIndex node) const { return entries_[node.value].allocations; }
    void count_allocation(NodeIndex node, int by) {
        entries_[node.value].allocations += static_cast<std::uint32_t>(by);
    }
    /// Its number may go to another name, if it is not present and nothing is allocated there.
    void note_if_idle(NodeIndex node);

    /// Exact, internal free lists included.
    friend bool operator==(const NodeTable&, const NodeTable&) = default;

private:
    struct Entry {
        Node node;
        bool present = false;
        std::uint32_t allocations = 0;
        bool listed_idle = false;  ///< is in idle_
        ResourcesId allocatable = {};
        friend bool operator==(const Entry&, const Entry&) = default;
    };
    /// How many present nodes are so.
    struct Kinds {
        std::int64_t costly = 0;
        std::int64_t scarce = 0;
        std::int64_t closed = 0;
        std::int64_t avoided = 0;
        friend bool operator==(const Kinds&, const Kinds&) = default;
    };
    /// Made when it is asked for; no part of what a cluster is.
    struct KeptLevels {
        std::optional<std::vector<CostLevel>> levels;
        friend bool operator==(const KeptLevels&, const KeptLevels&) { return true; }
    };

    NodeIndex take_idle_entry();
    std::vector<NodeIndex>::iterator place_in_order(std::string_view name);
    void count_kinds(const Node& node, int by);

    Chunks<Entry, 256> entries_;  ///< by NodeIndex, placeholders included
    std::map<std::string, NodeIndex, std::less<>> index_by_name_;
    std::vector<NodeIndex> order_;  ///< present nodes by name
    std::vector<NodeIndex> idle_;   ///< absent without allocations when last looked at
    Kinds kinds_;
    ImageCounts images_;
    std::vector<std::string> scarce_names_;
    mutable KeptLevels cost_levels_;
};

}  // namespace core
