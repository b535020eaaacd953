#include "core/cluster/shape/classes.hpp"

#include "core/base/result.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace core {

void NodeBitmap::set(std::size_t position, bool value) {
    const std::size_t word = position / 64;
    if (word >= words_.size()) {
        if (!value) return;
        words_.resize(word + 1);
    }
    const std::uint64_t bit = std::uint64_t{1} << (position % 64);
    words_[word] = value ? words_[word] | bit : words_[word] & ~bit;
}

void NodeBitmap::insert(std::size_t position) {
    const std::size_t first = position / 64;
    if (first >= words_.size()) return;  // only zeros move
    const std::uint64_t below = (std::uint64_t{1} << (position % 64)) - 1;
    std::uint64_t carry = words_[first] >> 63;
    words_[first] = (words_[first] & below) | ((words_[first] & ~below) << 1);
    for (std::size_t i = first + 1; i < words_.size(); ++i) {
        const std::uint64_t next = words_[i] >> 63;
        words_[i] = (words_[i] << 1) | carry;
        carry = next;
    }
    if (carry != 0) words_.push_back(carry);
}

void NodeBitmap::erase(std::size_t position) {
    const std::size_t first = position / 64;
    if (first >= words_.size()) return;
    const std::uint64_t below = (std::uint64_t{1} << (position % 64)) - 1;
    words_[first] = (words_[first] & below) | ((words_[first] >> 1) & ~below);
    for (std::size_t i = first + 1; i < words_.size(); ++i) {
        words_[i - 1] |= words_[i] << 63;
        words_[i] >>= 1;
    }
}

void NodeBitmap::add(const NodeBitmap& other) {
    words_.resize(std::max(words_.size(), other.words_.size()));
    for (std::size_t i = 0; i < other.words_.size(); ++i) words_[i] |= other.words_[i];
}

std::int64_t NodeBitmap::remove(const NodeBitmap& other) {
    std::int64_t removed = 0;
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) {
        removed += std::popcount(words_[i] & other.words_[i]);
        words_[i] &= ~other.words_[i];
    }
    return removed;
}

void NodeBitmap::intersect(const NodeBitmap& other) {
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] &= other.word(i);
}

bool NodeBitmap::intersects(const NodeBitmap& other) const {
    const std::size_t common = std::min(words_.size(), other.words_.size());
    for (std::size_t i = 0; i < common; ++i) {
        if ((words_[i] & other.words_[i]) != 0) return true;
    }
    return false;
}

bool NodeBitmap::covers(const NodeBitmap& other) const {
    for (std::size_t block = 0; block < other.words_.size(); ++block) {
        if ((other.words_[block] & ~word(block)) != 0) return false;
    }
    return true;
}

std::optional<std::size_t> NodeBitmap::find_only() const {
    std::optional<std::size_t> only;
    for (std::size_t block = 0; block < words_.size(); ++block) {
        const std::uint64_t bits = words_[block];
        if (bits == 0) continue;
        if (only || (bits & (bits - 1)) != 0) return std::nullopt;
        only = block * 64 + static_cast<std::size_t>(std::countr_zero(bits));
    }
    return only;
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

ClassId ConstraintClasses::restrict(
    ClassId id, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores) {
    nodes.intersect(eligible(id));
    ClassId of = id;
    if (is_restricted(id)) {
        of = restricted(id).of;
        const std::vector<ReasonCount>& before = restricted(id).reasons;
        reasons.insert(reasons.begin(), before.begin(), before.end());
        if (scores.empty()) scores = restricted(id).scores;
    }
    constraints_.retain(of);
    restricted_.push_back({of, std::move(nodes), std::move(reasons), std::move(scores)});
    return {static_cast<std::uint32_t>(restricted_.size() - 1) | restricted_bit};
}

void ConstraintClasses::release(ClassId id) {
    if (is_restricted(id)) {
        Restricted& one = restricted_[id.value & ~restricted_bit];
        const ClassId of = std::exchange(one, {}).of;
        while (!restricted_.empty() && restricted_.back().of.is_none()) restricted_.pop_back();
        release(of);
        return;
    }
    if (!constraints_.release(id)) return;
    bitmaps_[id.value] = {};
    live_.erase(std::lower_bound(live_.begin(), live_.end(), id));
    exclusions_.erase(id);
    preferences_.erase(id);
}

void ConstraintClasses::filter(ClassId id, std::size_t position, const Node& node) {
    bitmaps_[id.value].set(position, filter_node(node, constraints_[id]).passes());
}

void ConstraintClasses::filter_all(std::size_t position, const Node& node) {
    ENSURE(restricted_.empty());  // their nodes stand still
    forget_derived();
    for (const ClassId id : live_) filter(id, position, node);
}

void ConstraintClasses::node_came(std::size_t position) {
    ENSURE(restricted_.empty());
    forget_derived();
    for (const ClassId id : live_) bitmaps_[id.value].insert(position);
}

void ConstraintClasses::node_went(std::size_t position) {
    ENSURE(restricted_.empty());
    forget_derived();
    for (const ClassId id : live_) bitmaps_[id.value].erase(position);
}

const std::vector<ReasonCount>* ConstraintClasses::find_exclusions(ClassId id) const {
    const auto found = exclusions_.find(id);
    return found == exclusions_.end() ? nullptr : &found->second;
}

void ConstraintClasses::keep_exclusions(ClassId id, std::vector<ReasonCount> reasons) const {
    exclusions_[id] = std::move(reasons);
}

const Preferences* ConstraintClasses::find_preferences(ClassId id) const {
    const auto found = preferences_.find(id);
    return found == preferences_.end() ? nullptr : &found->second;
}

const Preferences& ConstraintClasses::keep_preferences(ClassId id, Preferences preferences) const {
    return preferences_[id] = std::move(preferences);
}

}  // namespace core
