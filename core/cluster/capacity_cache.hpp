#pragma once
// The capacities of the shapes that were asked about last, for one cluster. Derived: a copy of a
// cluster begins without any.

#include "core/cluster/capacities.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace core {

class CapacityCache {
public:
    /// 4 bytes per node each, and a little per 64 nodes.
    static constexpr std::size_t kept_max = 12;

    CapacityCache() = default;
    ~CapacityCache() = default;
    CapacityCache(const CapacityCache&) {}
    CapacityCache(CapacityCache&&) noexcept = default;
    CapacityCache& operator=(const CapacityCache&) {
        kept_.clear();
        return *this;
    }
    CapacityCache& operator=(CapacityCache&&) noexcept = default;

    struct Entry {
        ShapeId shape;  ///< none: forgotten, there for its memory
        View view = View::free;
        std::uint64_t questions = 0;   ///< so far, this one included
        std::uint64_t asked_last = 0;  ///< the larger the later
        bool is_lent = false;          ///< somebody works with it: it stays
        Capacities capacities;
    };

    /// Counts as a question. The entry is the shape's while it is lent, or until the next call.
    Entry& ask(ShapeId shape, View view, const Demand& demand);
    /// nullptr: there is none. No question.
    const Entry* find(ShapeId shape, View view) const;
    /// The number may come to mean another shape.
    void forget(ShapeId shape);

    /// Derived: no part of what a cluster is.
    friend bool operator==(const CapacityCache&, const CapacityCache&) { return true; }

private:
    Entry& make(ShapeId shape, View view, const Demand& demand);

    std::vector<std::unique_ptr<Entry>> kept_;
    std::uint64_t questions_ = 0;
};

}  // namespace core
