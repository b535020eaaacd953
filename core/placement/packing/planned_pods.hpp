#pragma once
// The pods of a gang that are planned already, and the room that they leave: an overlay of the few
// nodes touched, so that any view can be tried without changing the cluster.

#include "core/placement/packing/placement_view.hpp"
#include "core/placement/packing/position_count.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

/// What the planned pods take at one position.
struct PlannedLoad {
    std::array<std::int64_t, plain_resources> plain = {};
    std::vector<ExtendedDemand> extended;
    std::vector<CardDemand> cards;
};

class PlannedPods {
public:
    /// The view outlives it.
    explicit PlannedPods(const PlacementView& view) : view_(view) {}
    PlannedPods(const PlannedPods&) = delete;
    PlannedPods& operator=(const PlannedPods&) = delete;

    /// The view has begun anew.
    void begin();
    /// Forgets the planned pods.
    void clear();
    /// Plans pods there; the caller knows that they fit.
    void put(Position position, ShapeId shape, std::int64_t count);
    void put_all(std::span<const PositionCount> chosen, ShapeId shape);

    /// nullptr: nothing is planned there.
    const PlannedLoad* find(Position position) const {
        return is_touched(position) ? &planned_[stamps_[position].index] : nullptr;
    }
    /// Where something is planned.
    std::span<const Position> touched() const { return touched_; }
    bool is_touched(Position position) const { return stamps_[position].epoch == epoch_; }
    bool is_block_touched(std::size_t block) const { return block_epochs_[block] == epoch_; }

    /// How many pods of the shape go there; 0 where its constraints, or the request, rule the node
    /// out.
    std::int64_t capacity(Position position, ShapeId shape) const;
    /// Sets the capacities of nodes where something is planned.
    void set_touched(Capacities& capacities, ShapeId shape) const;
    /// What is left at the position of the shape's resource, by its number.
    std::int64_t left(Position position, ShapeId shape, std::size_t resource) const;
    /// Of the limit of a driver: volumes that the first pod of the shape would bring there, beside
    /// what is planned and pods of another demand.
    std::int64_t new_volumes(
        Position position, ShapeId shape, ExtendedId limit, const Demand* beside = nullptr) const;
    /// Whether cards of the node take one more of the shape, beside what is planned and `more` pods
    /// of `filler`.
    bool has_cards_for(Position position, ShapeId shape, ShapeId filler, std::int64_t more) const;
    /// Of these cards the one with the most left; nothing: the shape asks for no part of a card, or
    /// no cards are known.
    std::optional<NodeColumns::CardRoom> emptiest_card(
        Position position, ShapeId shape, ShapeId filler, std::int64_t more) const;

private:
    struct Stamp {
        std::uint32_t epoch = 0;  ///< of another one: nothing is planned there
        std::uint32_t index = 0;  ///< into planned_
    };
    PlannedLoad& at(Position position);
    std::int64_t times(Position position, ShapeId shape, std::size_t resource) const;
    void plan_cards(const Demand& demand, NodeIndex node, PlannedLoad& planned) const;
    PlannedLoad filled_with(Position position, ShapeId filler, std::int64_t more) const;

    const PlacementView& view_;
    std::uint32_t epoch_ = 0;
    std::vector<Stamp> stamps_;                ///< by position
    std::vector<std::uint32_t> block_epochs_;  ///< by block
    std::vector<PlannedLoad> planned_;         ///< those of touched_ are in use
    std::vector<Position> touched_;            ///< parallel to planned_
};

}  // namespace core
