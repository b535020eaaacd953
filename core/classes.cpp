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

void NodeBitmap::add(const NodeBitmap& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
}

bool NodeBitmap::intersects(const NodeBitmap& other) const {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) {
        if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
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
