#pragma once
// One view of a cluster: nodes, what is taken on them and by whom, and the shapes that pods ask
// for. Owned by the scheduler, changed by events only; placement reads it, a Trial changes it for a
// while.
//
//   room on a node:   free           = allocatable - all allocations (may be negative)
//                     without_gangs  = allocatable - allocations of other schedulers
//                     allocatable    = the empty node
//
// A node that is unknown, not yet or no longer, may still carry allocations: they are kept under
// its name, so a node that arrives after its pods, or goes before them, balances ("placeholder").

#include "core/base/chunks.hpp"
#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/base/pod_table.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/capacity_cache.hpp"
#include "core/cluster/classes.hpp"
#include "core/cluster/free_capacity_index.hpp"
#include "core/cluster/image/image_counts.hpp"
#include "core/cluster/node_columns.hpp"
#include "core/value/account.hpp"
#include "core/value/node.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace core {

/// Room taken on one node by `count` pods that are alike. Twelve bytes: there is one of each pod.
struct Allocation {
    static constexpr std::uint32_t count_max = pod_slots_max;

    Allocation() = default;
    Allocation(NodeIndex on, ResourcesId of, std::uint32_t pods, UsedBy by)
        : node(on), resources(of), count(pods & count_max), used_by(by) {}

    NodeIndex node;
    ResourcesId resources;
    std::uint32_t count : 31 = 1;
    UsedBy used_by : 1 = UsedBy::other_scheduler;
    friend bool operator==(const Allocation&, const Allocation&) = default;
};

/// Pods with a wish of GPUs (value/device/gpu_wish.hpp) got room on a node, or gave it back.
struct GpuMove {
    AllocationId allocation;
    std::string node;
    std::uint32_t count = 1;
    bool taken = true;
    std::string wish;  ///< its name as a resource
    friend bool operator==(const GpuMove&, const GpuMove&) = default;
};

/// Pods of one shape, and where they could go if every closed node were open (is_closed()).
struct OpenCapacity {
    std::int64_t nodes = 0;   ///< that would take the shape, room aside
    std::int64_t pods = 0;    ///< for which there is room on them
    std::int64_t closed = 0;  ///< of these pods, on nodes that are closed now
    friend bool operator==(const OpenCapacity&, const OpenCapacity&) = default;
};

/// The nodes that cost the same.
struct CostLevel {
    std::int64_t cost = 0;
    NodeBitmap nodes;
};

class Cluster {
public:
    // --- nodes ---------------------------------------------------------------------------------
    /// Idempotent. False: nothing that scheduling sees has changed.
    bool upsert_node(const Node& node);
    /// Its allocations stay until their pods go. False: it was not there.
    bool remove_node(std::string_view name);

    /// Present nodes only.
    std::optional<NodeIndex> find_node(std::string_view name) const;
    /// Any node, known or not: an unknown name gets a placeholder.
    NodeIndex node_or_placeholder(std::string_view name);
    bool is_present(NodeIndex node) const { return nodes_[node.value].present; }
    /// Room is taken on it, by whomever.
    bool has_allocations(NodeIndex node) const { return nodes_[node.value].allocations > 0; }
    const std::string& node_name(NodeIndex node) const { return nodes_[node.value].node.name; }
    /// Labels, taints and so on; of a placeholder the name alone is filled. Its uid and
    /// resourceVersion, which nobody asks a view for, are not kept, and its cards are among the
    /// columns: of a node that is to be changed take node_as_told().
    const Node& node(NodeIndex node) const { return nodes_[node.value].node; }
    /// With its cards, so that it can be changed and upserted again.
    Node node_as_told(NodeIndex node) const;
    /// The vendor's, of a card of the node: by its place among them.
    std::string card_id(NodeIndex node, std::uint16_t order) const {
        return columns_.cards().id(node, order);
    }
    /// Present nodes, by name: the order of every tie-break.
    std::span<const NodeIndex> nodes_by_name() const { return order_; }
    std::size_t node_count() const { return order_.size(); }
    /// Its place in that order; no_position of one that is not present.
    Position position_of(NodeIndex node) const { return index_.position_of(node, order_); }
    /// Some node costs other than 0.
    bool has_costs() const { return costly_nodes_ > 0; }
    /// The cheapest first; none: there are more than a few.
    const std::vector<CostLevel>& cost_levels() const;
    /// Extended resources of which pods that ask for none keep off, as long as others will do:
    /// what Node::is_scarce is about.
    void set_scarce(std::vector<std::string> names) { scarce_names_ = std::move(names); }
    /// Some node is scarce, and these pods ask for nothing that is.
    bool keeps_off_scarce(ShapeId shape) const;
    bool has_closed_nodes() const { return closed_nodes_ > 0; }

    /// Of every node, kept free of what is newly placed; what is there already may use it.
    void set_headroom(const Headroom& headroom) {
        headroom_ = headroom;
        index_.all_changed();
    }
    const Headroom& headroom() const { return headroom_; }

    // --- shapes --------------------------------------------------------------------------------
    /// The number of this shape. Counted: to be given back by release_shape() once per call.
    ShapeId intern_shape(const Resources& resources, const Constraints& constraints);
    void retain_shape(ShapeId shape) { shapes_.retain(shape); }
    /// The same pods, for which there are these nodes alone; `reasons` say why not the others, and
    /// `scores` which of them are better. To be given back like any shape, before a node comes,
    /// changes or goes.
    ShapeId restrict_shape(
        ShapeId shape, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores = {});
    /// The shape that was restricted; nothing: it is none, or is not held any more.
    std::optional<ShapeId> find_unrestricted(ShapeId shape) const;
    /// True: nobody holds it any more, and its number may come to mean another shape.
    bool release_shape(ShapeId shape);
    const Resources& resources(ShapeId shape) const { return amounts_[shapes_[shape].resources]; }
    const Constraints& constraints(ShapeId shape) const;
    ClassId class_of(ShapeId shape) const { return shapes_[shape].constraint_class; }
    /// The shape's resources with extended names as numbers, as the columns want them.
    const Demand& demand(ShapeId shape) const { return demands_[shapes_[shape].resources.value]; }

    const std::string& extended_name(ExtendedId id) const { return extended_names_[id]; }
    /// The number of an extended resource that somebody offers or asks for.
    std::optional<ExtendedId> find_extended(const std::string& name) const {
        return extended_names_.find(name);
    }

    // --- room ----------------------------------------------------------------------------------
    /// Takes room, whether or not there is any: facts are facts. The token is released once.
    /// A pod's units are taken from one card, which `cards` says; of other schedulers' pods of
    /// which it says none, from each.
    AllocationId allocate(
        NodeIndex node, const Resources& resources, UsedBy used_by, const CardUse& cards = {});
    /// Of pods on cards one at a time.
    AllocationId allocate(
        NodeIndex node,
        ShapeId shape,
        UsedBy used_by,
        std::uint32_t count = 1,
        CardChoice choice = CardChoice::least_left);
    void release(AllocationId allocation);
    /// Puts other amounts, or another user, in the token's place: a slot's allocation becomes its
    /// pod's in one step, and a draining pod is allocated larger(slot, pod). The card stays, unless
    /// another one is said.
    void reallocate(
        AllocationId allocation,
        const Resources& resources,
        UsedBy used_by,
        const CardUse& cards = {});
    /// Its card is chosen anew, on the same node.
    void choose_card_anew(AllocationId allocation, CardChoice choice);
    const Allocation& allocation_of(AllocationId allocation) const;
    const Resources& resources_of(AllocationId allocation) const;
    /// The cards that its units are taken from, by card_name(); empty: none are known.
    std::vector<ExtendedResource> cards_of(AllocationId allocation) const;

    /// Counts a bound pod that is not terminal on its node (deleting ones too). Idempotent; a
    /// changed node, amount or user replaces the earlier one. A placeholder is made for an unknown
    /// node.
    void upsert_pod(
        std::string_view uid,
        std::string_view node,
        const Resources& resources,
        UsedBy used_by,
        const CardUse& cards = {});
    /// The pod ended, was deleted, or is allocated by a slot from now on. False: it was not
    /// counted.
    bool remove_pod(std::string_view uid);
    /// The pod is not counted by itself any more; its room is the caller's, who releases it.
    /// Nothing: it was not counted.
    std::optional<AllocationId> take_pod(std::string_view uid) { return pods_.take(uid); }
    std::optional<AllocationId> find_pod(std::string_view uid) const { return pods_.find(uid); }
    /// visit(uid, allocation) for every pod that is counted by itself, in no order that means
    /// anything.
    template <typename Visit>
    void for_each_pod(Visit visit) const {
        pods_.for_each(visit);
    }
    std::size_t pod_count() const { return pods_.size(); }
    /// Tokens that are held.
    std::size_t allocation_count() const { return allocations_.size() - free_allocations_.size(); }

    /// From now on it is noted who comes and goes of pods with a wish of GPUs.
    void note_gpu_moves() { notes_gpu_moves_ = true; }
    bool has_gpu_moves() const { return !gpu_moves_.empty() || !new_gpu_wishes_.empty(); }
    /// Names of wishes that somebody asks for now, and nobody did before.
    std::vector<std::string> take_new_gpu_wishes() { return std::exchange(new_gpu_wishes_, {}); }
    /// Those since this was last asked, in order. What a Trial took back is not among them.
    std::vector<GpuMove> take_gpu_moves() { return std::exchange(gpu_moves_, {}); }

    /// Labels, taints, cordon, readiness: room is not looked at.
    bool is_eligible(NodeIndex node, ShapeId shape) const;
    /// How many pods of this shape the node takes: min over resources of floor(room / request), 0
    /// if not eligible. The headroom stays free.
    std::int64_t capacity(NodeIndex node, ShapeId shape, View view) const;
    /// The same with the headroom used up: for what had its room before.
    std::int64_t capacity_in_all(NodeIndex node, ShapeId shape, View view) const;

    const NodeColumns& columns() const { return columns_; }
    /// The room above the headroom, by position, with its blocks up to date.
    const FreeCapacity& free_capacity(View view) const {
        return index_.free_capacity(view, {columns_, order_, headroom_});
    }
    /// That room has columns of the devices that the shape asks for.
    void know_devices(ShapeId shape, View view) const;
    /// How many of the shape each node takes, as far as that is kept. Whoever refreshes it, and
    /// sets something, leaves it as found.
    CapacityCache::Entry& ask_capacities(ShapeId shape, View view) const {
        return capacity_cache_.ask(shape, view, demand(shape));
    }
    const CapacityCache::Entry* find_capacities(ShapeId shape, View view) const {
        return capacity_cache_.find(shape, view);
    }
    /// By position.
    const NodeBitmap& eligible(ClassId constraint_class) const;
    /// Why nodes are not eligible, as counted texts sorted by count (descending), then text.
    std::vector<ReasonCount> exclusions(ClassId constraint_class) const;

    /// nullptr: to pods of this class the nodes that they may go to are all alike. Kept until a
    /// node changes; counted only if nodes have soft taints, or the class has wishes.
    const Preferences* find_preferences(ClassId constraint_class) const;
    /// What a restricted shape was given; nullptr: nothing.
    const PodScores* find_pod_scores(ClassId constraint_class) const {
        return classes_.find_pod_scores(constraint_class);
    }

    /// Names of images that nodes have, as far as anybody tells.
    std::size_t image_names() const { return images_.size(); }

    /// Looks at every node.
    OpenCapacity capacity_if_open(ShapeId shape, View view) const;

    /// Grows whenever room may have appeared anywhere (a release, a node's change). What did not
    /// fit at this number does not fit as long as it stays.
    std::uint64_t free_capacity_version() const { return free_capacity_version_; }
    /// visit(node) for the nodes on which room may have appeared since then, some more than once.
    /// False: that is too long ago to be known.
    template <typename Visit>
    bool for_each_gain(std::uint64_t since, Visit visit) const {
        if (free_capacity_version_ - since > gains_max) return false;
        for (std::uint64_t at = since; at < free_capacity_version_; ++at)
            visit(gains_.nodes[at % gains_max]);
        return true;
    }

    /// Whether what is counted has as many owners; walks everything, for tests.
    std::vector<Account> accounts() const;
    /// Of shapes, whose owners are outside.
    std::uint64_t shape_references() const { return shapes_.references(); }

    /// Exact, internal free lists included: for tests of roll back and replay.
    friend bool operator==(const Cluster&, const Cluster&) = default;

private:
    friend class Trial;

    struct NodeEntry {
        Node node;
        bool present = false;
        std::uint32_t allocations = 0;  ///< tokens held on it
        bool listed_idle = false;       ///< is in idle_
        ResourcesId allocatable = {};   ///< none of a node never seen
        friend bool operator==(const NodeEntry&, const NodeEntry&) = default;
    };
    struct Shape {
        ResourcesId resources;
        ClassId constraint_class;
        friend auto operator<=>(const Shape&, const Shape&) = default;
    };

    static constexpr std::size_t gains_max = 256;
    /// The last nodes with new room, by free_capacity_version; no part of what a cluster is.
    struct Gains {
        std::array<NodeIndex, gains_max> nodes = {};
        friend bool operator==(const Gains&, const Gains&) { return true; }
    };

    static constexpr std::size_t cost_levels_max = 64;
    /// Made when it is asked for; no part of what a cluster is.
    struct KeptLevels {
        std::optional<std::vector<CostLevel>> levels;
        friend bool operator==(const KeptLevels&, const KeptLevels&) { return true; }
    };

    Preferences count_preferences(ClassId constraint_class) const;
    void note_gain(NodeIndex node) { gains_.nodes[free_capacity_version_++ % gains_max] = node; }
    NodeIndex take_idle_entry();
    void note_if_idle(NodeIndex node);
    std::vector<NodeIndex>::iterator place_in_order(std::string_view name);
    std::size_t insert_in_order(NodeIndex node);
    void erase_from_order(NodeIndex node);
    void count_kinds(const Node& node, int by);
    void set_allocatable(NodeIndex node, const Node& offered);
    void set_cards(NodeIndex node, const Boxed<NodeCards>& said);
    ResourcesId intern_amounts(const Resources& resources);
    ExtendedId hold_name(const std::string& name);
    void release_name(ExtendedId name);
    ExtendedId hold_limit(const std::string& volume);
    void add_limits(const Resources& resources, Demand& demand);
    void release_amounts(ResourcesId id);
    ResourcesId without_cards(ResourcesId id) const;
    ResourcesId add_cards(ResourcesId id, const std::vector<ExtendedResource>& cards);
    void hold_card_ask(ExtendedId name, const std::string& text);
    void add_unknown(
        NodeIndex node, const ExtendedDemand& wanted, std::vector<ExtendedResource>& cards) const;
    std::int64_t offered_by_card(NodeIndex node, const std::string& name) const;
    std::vector<ExtendedResource> told_by_cards(
        NodeIndex node, ResourcesId id, std::vector<ExtendedResource> said) const;
    std::vector<ExtendedResource> choose_cards(
        NodeIndex node, ResourcesId id, UsedBy used_by, CardChoice choice) const;
    std::vector<ExtendedResource> cards_among(ResourcesId id) const;
    bool has_cards(NodeIndex node, ResourcesId id) const;
    Allocation with_cards(Allocation allocation, const CardUse& cards);
    AllocationId attach(const Allocation& allocation);
    Allocation detach(AllocationId id);
    void undo_attach(AllocationId id, bool was_appended);
    void undo_detach(AllocationId id, const Allocation& allocation);
    void apply(const Allocation& allocation, bool taken);
    bool is_gpu_move(const Allocation& allocation) const {
        return notes_gpu_moves_ && demands_[allocation.resources.value].wants_gpus;
    }
    void note_gpu_move(AllocationId id, const Allocation& allocation, bool taken);
    void forget_gpu_move(const Allocation& allocation);

    Chunks<NodeEntry, 256> nodes_;  ///< by NodeIndex, placeholders included
    std::map<std::string, NodeIndex, std::less<>> index_by_name_;
    std::vector<NodeIndex> order_;  ///< present nodes by name
    std::vector<NodeIndex> idle_;   ///< absent without allocations when last looked at
    NodeColumns columns_;
    mutable FreeCapacityIndex index_;       ///< derived, and brought up to date by questions
    mutable CapacityCache capacity_cache_;  ///< derived from that
    ConstraintClasses classes_;
    Interner<Resources, ResourcesId> amounts_;
    std::vector<Demand> demands_;  ///< by ResourcesId
    /// Of amounts with a card those without, which they hold; few amounts have one.
    std::map<ResourcesId, ResourcesId> without_cards_;
    Interner<Shape, ShapeId> shapes_;
    Interner<std::string, ExtendedId> extended_names_;
    Chunks<Allocation> allocations_;  ///< by AllocationId; node none: free
    std::vector<AllocationId> free_allocations_;
    PodTable pods_;
    std::uint64_t free_capacity_version_ = 0;
    Gains gains_;
    Headroom headroom_;
    ImageCounts images_;
    std::vector<std::string> scarce_names_;
    std::int64_t scarce_nodes_ = 0;
    std::int64_t costly_nodes_ = 0;
    mutable KeptLevels cost_levels_;
    std::int64_t closed_nodes_ = 0;
    std::int64_t avoided_nodes_ = 0;  ///< is_better_avoided()
    bool notes_gpu_moves_ = false;
    std::vector<GpuMove> gpu_moves_;
    std::vector<std::string> new_gpu_wishes_;
};

}  // namespace core
