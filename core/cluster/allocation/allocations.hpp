#pragma once
// Who has taken room on which node. Each allocation is a token that is released once.

#include "core/cluster/allocation/allocation_table.hpp"
#include "core/cluster/allocation/gpu_moves.hpp"
#include "core/cluster/allocation/node_room.hpp"
#include "core/value/device/cards.hpp"

#include <cstdint>
#include <vector>

namespace core {

class Allocations {
public:
    const NodeRoom& room() const { return room_; }
    NodeRoom& room() { return room_; }
    const GpuMoves& gpu_moves() const { return gpu_moves_; }
    /// What a Trial took back is not among them.
    GpuMoves& gpu_moves() { return gpu_moves_; }

    /// Takes room, whether or not there is any: facts are facts. A pod's units are taken from one
    /// card, which `cards` says; of other schedulers' pods of which it says none, from each.
    AllocationId allocate(
        NodeIndex node, const Resources& resources, UsedBy used_by, const CardUse& cards = {});
    /// Of amounts that somebody holds; of pods on cards one at a time.
    AllocationId allocate(
        NodeIndex node,
        ResourcesId amounts,
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

    const Allocation& of(AllocationId allocation) const { return table_[allocation]; }
    const Resources& resources_of(AllocationId allocation) const;
    /// The cards that its units are taken from, by card_name(); empty: none are known.
    std::vector<ExtendedResource> cards_of(AllocationId allocation) const;
    /// Tokens that are held.
    std::size_t count() const { return table_.count(); }

    /// Exact, internal free lists included.
    friend bool operator==(const Allocations&, const Allocations&) = default;

private:
    friend class Trial;

    Allocation with_cards(Allocation allocation, const CardUse& cards);
    CardUse cards_to_keep(
        const Allocation& allocation, ResourcesId amounts, bool is_same, CardUse use) const;
    AllocationId attach(const Allocation& allocation);
    Allocation detach(AllocationId id);
    void undo_attach(AllocationId id, bool was_new);
    void undo_detach(AllocationId id, const Allocation& allocation);
    bool is_gpu_move(const Allocation& allocation) const;
    void note_gpu_move(AllocationId id, const Allocation& allocation, bool taken);

    NodeRoom room_;
    AllocationTable table_;
    GpuMoves gpu_moves_;
};

}  // namespace core
