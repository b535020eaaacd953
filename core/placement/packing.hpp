#pragma once
// The working state of one placement: the cluster's room less the pods of this gang that are
// planned already. An overlay of the few nodes touched, so that any view can be tried without
// changing the cluster. Nodes are named by position in the order of their names.
//
// Ways to choose nodes. choose() has the capacities of all nodes before it and chooses by any
// policy: by the level of capacity, or, where more than that counts, by the rank of each node.
// choose_largest() looks for the largest capacities without them: it opens blocks in the order of
// their bounds, and stops when enough is found.

#include "core/cluster/capacities.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/cluster.hpp"
#include "core/cluster/scan.hpp"
#include "core/placement/node_rank.hpp"
#include "core/placement/packing_policy.hpp"
#include "core/score/weighted_score.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

/// `count` pods of one shape at a position.
struct PositionCount {
    Position position = 0;
    std::int64_t count = 0;
};

class DomainScores;

class Packing {
public:
    /// The cluster must not change until end().
    void begin(const Cluster& cluster, View view, const std::vector<NodeIndex>& excluded);
    /// Chooses by these scores instead of by policies; nullptr: by policies. They must outlive the
    /// question.
    void order_by(const ScoreOrder* scores) { scores_ = scores; }
    bool is_weighted() const { return scores_ != nullptr; }
    /// Which card of a node a pod's units are taken from; until end() at the latest.
    void choose_cards_by(CardChoice choice) { card_choice_ = choice; }
    /// The pods of the next choose() prefer, or avoid, each other: they are placed one by one, and
    /// `scores` are told of each. nullptr: they do not.
    void prefer_by(DomainScores* scores) { preferring_ = scores; }
    /// Leaves the kept capacities as they were found.
    void end();

    /// Forgets the planned pods.
    void clear();
    /// Plans pods there; the caller knows that they fit.
    void put(Position position, ShapeId shape, std::int64_t count);
    void put_all(std::span<const PositionCount> chosen, ShapeId shape);

    /// 0 where the shape's constraints, or the request, rule the node out.
    std::int64_t capacity(Position position, ShapeId shape) const;
    /// The same after one pod of `other`, while nothing is planned; `other` must fit there, and the
    /// shape be eligible.
    std::int64_t capacity_beside(Position position, ShapeId shape, ShapeId other) const;
    /// For each node of a block how many pods of the shape one pod of `other` displaces, while
    /// nothing is planned; says something only where `other` fits. The shape's capacities are
    /// given.
    std::array<std::int32_t, block_size> losses_beside(
        std::size_t block, ShapeId shape, const Capacities& capacities, ShapeId other) const;

    /// The shape's capacities are kept from earlier questions, or now worth to be: they cost less
    /// than a look for the largest.
    bool is_known(ShapeId shape);
    /// Of every position, nothing being planned. What is set there is undone by end() at the
    /// latest.
    Capacities& capacities(ShapeId shape);
    /// Sets the capacities of nodes where something is planned.
    void set_touched(Capacities& capacities, ShapeId shape) const;

    /// Chooses nodes for `wanted` pods by the policy, given the shape's capacities, whose sum
    /// suffices. The answer is in order of position and lives until the next call.
    std::span<const PositionCount> choose(
        ShapeId shape, std::int64_t wanted, const Capacities& capacities, PackingPolicy policy);
    /// The same for the policy fewest_nodes, where nodes have no costs, without capacities: as many
    /// of `wanted` as there is room for. Nothing: so many blocks had to be opened that a scan is
    /// cheaper.
    std::optional<std::span<const PositionCount>> choose_largest(
        ShapeId shape, std::int64_t wanted);

    /// Something else than capacities orders the nodes for this shape: costs, what it likes or
    /// avoids, or a score.
    bool is_ranked(ShapeId shape, PackingPolicy policy) const;
    /// rank() is about this shape and this policy from now on, until end() at the latest.
    void begin_ranks(ShapeId shape, PackingPolicy policy);
    /// Of a node that takes so many, when so many are there already that are not planned yet.
    NodeRank rank(Position position, std::int64_t capacity, std::int64_t placed = 0);

    /// The very first node by rank, if it is found without a look at all of them.
    std::optional<Position> find_first(const Capacities& capacities) const;

    /// Where something is planned.
    std::span<const Position> touched() const { return touched_; }

    /// Whether cards of the node take one more of the shape, beside what is planned and `more` pods
    /// of `filler`.
    bool has_cards_for(Position position, ShapeId shape, ShapeId filler, std::int64_t more) const;
    /// Of these cards the one with the most left; nothing: the shape asks for no part of a card, or
    /// no cards are known.
    std::optional<NodeColumns::CardRoom> emptiest_card(
        Position position, ShapeId shape, ShapeId filler, std::int64_t more) const;

    const Cluster& cluster() const { return *cluster_; }
    const FreeCapacity& free_capacity() const { return *free_capacity_; }
    NodeIndex node_at(Position position) const { return order_[position]; }
    std::size_t size() const { return order_.size(); }
    bool is_excluded(Position position) const { return has_excluded_ && excluded_.test(position); }
    bool is_touched(Position position) const { return stamps_[position].epoch == epoch_; }
    bool is_block_touched(std::size_t block) const { return block_epochs_[block] == epoch_; }
    /// Eligible nodes of a block, excluded ones left out.
    std::uint64_t usable(const NodeBitmap& eligible, std::size_t block) const {
        return eligible.word(block) & ~(has_excluded_ ? excluded_.word(block) : 0);
    }

    /// Resources are numbered: those of plain_resources, then the demand's extended ones in its
    /// order.
    std::size_t resource_count(ShapeId shape) const;
    std::string_view resource_name(ShapeId shape, std::size_t resource) const;
    std::int64_t request(ShapeId shape, std::size_t resource) const;
    /// What is left of it at the position.
    std::int64_t left(Position position, ShapeId shape, std::size_t resource) const;
    /// Of the limit of a driver: volumes that the first pod of the shape would bring there, beside
    /// what is planned and pods of another demand.
    std::int64_t new_volumes(
        Position position, ShapeId shape, ExtendedId limit, const Demand* beside = nullptr) const;

    /// Blocks of nodes, and of blocks, that were looked into since the packing was made: for tests.
    std::uint64_t groups_scanned() const { return groups_scanned_; }
    /// Nodes of which a rank was computed.
    std::uint64_t nodes_ranked() const { return nodes_ranked_; }

private:
    /// What the planned pods take at one position.
    struct Planned {
        std::array<std::int64_t, plain_resources> plain = {};
        std::vector<ExtendedDemand> extended;
        std::vector<CardDemand> cards;
        std::int64_t extended_amount(ExtendedId id) const;
    };
    struct Stamp {
        std::uint32_t epoch = 0;  ///< of another one: nothing is planned there
        std::uint32_t index = 0;  ///< into planned_
    };
    /// A shape as it is looked up over and over.
    struct Wanted {
        ShapeId shape;
        ScanSource source;
        ScanDemand demand;
    };
    /// 64 rows, blocks or regions on the way to the largest capacity.
    struct Group {
        std::uint8_t level = 0;
        std::uint32_t number = 0;      ///< among the groups of its level
        std::int32_t best = 0;         ///< the largest of what is left
        std::uint32_t best_child = 0;  ///< the first that has it
        std::array<std::int32_t, block_size> capacities;
    };
    static constexpr std::int32_t small_capacities = 512;
    /// So many levels are looked for one by one before the capacities are counted.
    static constexpr int single_levels = 3;
    static constexpr std::size_t few_nodes = 4;
    /// Nodes before this capacity are used in full, of those at it for so many pods.
    struct Level {
        std::int32_t capacity = 0;
        std::int64_t wanted = 0;
    };

    /// What the ranks of the moment are made of.
    struct Ranking {
        ShapeId shape;
        PackingPolicy policy = PackingPolicy::tightest;
        const Score* score = nullptr;  ///< nullptr: by capacity, or by weighted scores
        bool in_one_go = true;         ///< the best node stays the best until it is full
        const Preferences* preferences = nullptr;
        const PodScores* pod_scores = nullptr;
        bool has_costs = false;
        bool keeps_off_scarce = false;
    };
    /// A resource that one of the weighted scores looks at.
    struct Counted {
        enum class Kind : std::uint8_t { cpu, memory, extended };
        std::size_t score = 0;
        Kind kind = Kind::cpu;
        ExtendedDemand asked = {};
        std::int64_t weight = 1;
    };
    /// A node that may get pods, or has got some.
    struct Candidate {
        NodeRank rank;
        std::int64_t capacity = 0;
        std::int64_t placed = 0;
    };

    ScanSource source(ShapeId shape) const {
        return {
            *free_capacity_,
            *columns_,
            order_,
            cluster_->demand(shape),
            cluster_->eligible(cluster_->class_of(shape))};
    }
    bool scan_beside(
        std::size_t block,
        ShapeId shape,
        const ScanDemand& scanned,
        ShapeId other,
        std::int32_t* capacities) const;
    void next_epoch();
    std::int64_t times(Position position, ShapeId shape, std::size_t resource) const;
    void plan_cards(const Demand& demand, NodeIndex node, Planned& planned) const;
    std::vector<ExtendedDemand> volumes_brought(
        const Demand& demand, NodeIndex node, const Planned& planned) const;
    /// What is planned there, with the cards of so many more pods.
    Planned filled_with(Position position, ShapeId filler, std::int64_t more) const;
    Load card_load(Position position, const ExtendedDemand& asked, std::int64_t placed) const;
    CapacityCache::Entry& borrow(ShapeId shape);
    void copy_from_unrestricted(ShapeId shape, Capacities& capacities);
    Planned& planned_at(Position position);
    const Planned* find_planned(Position position) const {
        return is_touched(position) ? &planned_[stamps_[position].index] : nullptr;
    }
    void scan_block(const Wanted& wanted, std::size_t block, std::int32_t* capacities);
    void scan_bounds(
        const Wanted& wanted, std::size_t level, std::size_t group, std::int32_t* bounds);

    /// Nothing but costs comes before the policy, and the cheapest nodes can be told by levels.
    bool is_by_cost(const Ranking& ranking) const;
    void fill_by_cost(std::int64_t wanted, const Capacities& capacities);
    void fill_by_capacity(
        std::int64_t wanted, const Capacities& capacities, ShapeId shape, PackingPolicy policy);
    bool take_by_level(std::int64_t wanted, const Capacities& capacities, PackingPolicy policy);
    std::int64_t take_at(
        std::int32_t level,
        std::int64_t wanted,
        const Capacities& capacities,
        PackingPolicy policy);
    void merge_filled(std::size_t sorted);
    std::int64_t take_ranked(std::int32_t least, std::int64_t wanted, const Capacities& capacities);
    void take_preferring(std::int64_t wanted, const Capacities& capacities);
    /// Of the candidates, the best as the pods are now.
    Candidate& find_preferred();
    PodScore pod_weights() const;
    PodScore pod_score(Position position) const;
    NodeLoad load(Position position, std::int64_t placed) const;
    Load device_load(Position position, std::int64_t placed) const;
    Load extended_load(Position position, const ExtendedDemand& asked, std::int64_t placed) const;
    void begin_weighing(ShapeId shape);
    std::int64_t weighted_score(Position position, std::int64_t placed);
    void collect_loads(std::size_t score, const NodeLoad& node, Position, std::int64_t placed);
    std::int64_t take_node(Position position, std::int64_t capacity, Level& level);
    Level find_level_up(std::int64_t wanted, const Capacities& capacities);
    Level find_level_down(std::int64_t wanted, const Capacities& capacities);
    std::int64_t take_up_to(Level level, std::int64_t wanted, const Capacities& capacities);
    void take_from(Level level, std::int64_t wanted, const Capacities& capacities);
    void sort_filled();

    void open_group(const Wanted& wanted, std::size_t level, std::size_t number);
    void find_best(Group& group) const;
    bool is_behind(std::uint32_t a, std::uint32_t b) const;
    void push_group(std::uint32_t index);
    std::uint32_t pop_group();

    const Cluster* cluster_ = nullptr;
    std::span<const NodeIndex> order_;
    const FreeCapacity* free_capacity_ = nullptr;
    std::optional<FreeColumns> columns_;
    View view_ = View::free;
    std::vector<CapacityCache::Entry*> borrowed_;
    NodeBitmap excluded_;
    std::vector<std::size_t> excluded_positions_;
    bool has_excluded_ = false;
    std::uint32_t epoch_ = 0;
    std::vector<Stamp> stamps_;                ///< by position
    std::vector<std::uint32_t> block_epochs_;  ///< by block
    std::vector<Planned> planned_;             ///< those of touched_ are in use
    std::vector<Position> touched_;            ///< parallel to planned_
    std::vector<PositionCount> filled_;
    std::vector<PositionCount> merged_;   ///< what filled_ becomes
    std::vector<PositionCount> cheaper_;  ///< chosen on cheaper nodes
    std::optional<Capacities> at_cost_;   ///< of the nodes that cost the same
    std::vector<Candidate> candidates_;   ///< a heap, the first by rank on top
    Ranking ranking_;
    std::vector<ExtendedDemand> devices_;  ///< that the ranking's shape asks for
    CardChoice card_choice_ = CardChoice::least_left;
    const ScoreOrder* scores_ = nullptr;
    DomainScores* preferring_ = nullptr;
    std::vector<Counted> counted_;  ///< by score
    std::vector<WeightedLoad> counted_loads_;
    std::array<std::uint32_t, small_capacities> buckets_ = {};
    std::vector<Group> groups_;
    std::size_t groups_used_ = 0;
    std::vector<std::uint32_t> heap_;  ///< of groups_, the largest best first
    std::uint64_t groups_scanned_ = 0;
    std::uint64_t nodes_ranked_ = 0;
};

}  // namespace core
