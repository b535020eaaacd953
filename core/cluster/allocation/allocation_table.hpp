#pragma once
// Allocations by token. What was done last can be taken back exactly: numbers are given out as
// before.

#include "core/base/chunks.hpp"
#include "core/base/result.hpp"
#include "core/cluster/allocation/allocation.hpp"

#include <cstdint>
#include <vector>

namespace core {

class AllocationTable {
public:
    AllocationId add(const Allocation& allocation) {
        if (free_.empty()) {
            entries_.emplace_back() = allocation;
            return {static_cast<std::uint32_t>(entries_.size() - 1)};
        }
        const AllocationId id = free_.back();
        free_.pop_back();
        entries_[id.value] = allocation;
        return id;
    }
    Allocation take(AllocationId id) {
        const Allocation allocation = (*this)[id];
        entries_[id.value] = {};
        free_.push_back(id);
        return allocation;
    }
    /// The token is one that is held.
    const Allocation& operator[](AllocationId id) const {
        ENSURE(id.value < entries_.size() && !entries_[id.value].node.is_none());
        return entries_[id.value];
    }
    Allocation& operator[](AllocationId id) {
        ENSURE(id.value < entries_.size() && !entries_[id.value].node.is_none());
        return entries_[id.value];
    }

    /// Takes back the last add(); whether its number was a new one is what size() says.
    void undo_add(AllocationId id, bool was_new) {
        if (was_new) {
            entries_.pop_back();
        } else {
            take(id);
        }
    }
    /// Takes back the last take().
    void undo_take(AllocationId id, const Allocation& allocation) {
        ENSURE(!free_.empty() && free_.back() == id);
        free_.pop_back();
        entries_[id.value] = allocation;
    }

    /// Numbers that were given out so far.
    std::size_t size() const { return entries_.size(); }
    /// Tokens that are held.
    std::size_t count() const { return entries_.size() - free_.size(); }
    friend bool operator==(const AllocationTable&, const AllocationTable&) = default;

private:
    Chunks<Allocation> entries_;  ///< by AllocationId; node none: free
    std::vector<AllocationId> free_;
};

}  // namespace core
