#include "core/classes.hpp"

#include <algorithm>
#include <bit>

namespace core {

void NodeBitmap::set(NodeIndex node, bool value) {
    const std::size_t word = node.value / 64;
    if (word >= words_.size()) {
        if (!value) return;
        words_.resize(word + 1);
    }
    const std::uint64_t bit = std::uint64_t{1} << (node.value % 64);
    words_[word] = value ? words_[word] | bit : words_[word] & ~bit;
}

std::int64_t NodeBitmap::count() const {
    std::int64_t set_bits = 0;
    for (const std::uint64_t word : words_) set_bits += std::popcount(word);
    return set_bits;
}

Interner<Constraints, ClassId>::Interned ConstraintClasses::intern(const Constraints& constraints) {
    const auto interned = constraints_.intern(constraints);
    if (interned.is_new) {
        const ClassId id = interned.id;
        if (id.value >= bitmaps_.size()) bitmaps_.resize(id.value + 1);
        live_.insert(std::lower_bound(live_.begin(), live_.end(), id), id);
    }
    return interned;
}

void ConstraintClasses::release(ClassId id) {
    if (!constraints_.release(id)) return;
    bitmaps_[id.value] = {};
    live_.erase(std::lower_bound(live_.begin(), live_.end(), id));
}

void ConstraintClasses::filter(ClassId id, NodeIndex index, const Node& node) {
    bitmaps_[id.value].set(index, filter_node(node, constraints_[id]).passes());
}

void ConstraintClasses::filter_all(NodeIndex index, const Node* node) {
    for (const ClassId id : live_) {
        if (node == nullptr) {
            bitmaps_[id.value].set(index, false);
        } else {
            filter(id, index, *node);
        }
    }
}

}  // namespace core
