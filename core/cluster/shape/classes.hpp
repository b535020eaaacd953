#pragma once
// Constraint classes: each distinct set of constraints once, with a bitmap of the nodes that
// satisfy it. A node is filtered again only when its labels, taints, cordon or readiness change; a
// class once when it appears. Real clusters have tens of classes.
//
// A restricted class has fewer nodes than its constraints leave, for the length of one question:
// what other pods leave of them (core/domain) goes through placement like any other class.

#include "core/base/ids.hpp"
#include "core/base/interner.hpp"
#include "core/filter/filters.hpp"
#include "core/filter/preference.hpp"

#include <bit>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// One bit per present node, in the order of names: a word is a block of 64 nodes.
class NodeBitmap {
public:
    bool test(std::size_t position) const {
        return ((word(position / 64) >> (position % 64)) & 1U) != 0;
    }
    std::uint64_t word(std::size_t block) const {
        return block < words_.size() ? words_[block] : 0;
    }
    void set(std::size_t position, bool value);
    /// A node came, or went, there: those behind it move up, or down, by one.
    void insert(std::size_t position);
    void erase(std::size_t position);
    std::int64_t count() const;
    void add(const NodeBitmap& other);
    /// Takes the other one's out; how many of them there were.
    std::int64_t remove(const NodeBitmap& other);
    /// Keeps what the other one has, too.
    void intersect(const NodeBitmap& other);
    bool intersects(const NodeBitmap& other) const;
    /// visit(position) in order.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t block = 0; block < words_.size(); ++block) {
            for (std::uint64_t bits = words_[block]; bits != 0; bits &= bits - 1) {
                visit(block * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
            }
        }
    }
    /// The position of the only node; nothing: there is none, or several.
    std::optional<std::size_t> find_only() const;
    /// Has all nodes of the other one.
    bool covers(const NodeBitmap& other) const;
    friend bool operator==(const NodeBitmap&, const NodeBitmap&) = default;

private:
    std::vector<std::uint64_t> words_;
};

/// "4 untolerated taint dedicated=gpu"
struct ReasonCount {
    std::string reason;
    std::int64_t count = 0;
    friend bool operator==(const ReasonCount&, const ReasonCount&) = default;
};

/// What speaks for and against each node, for the pods of one class.
struct Preferences {
    std::vector<Preference> by_position;
    /// Of the images that the class names, 0 to 100 by position; empty: it names none.
    std::vector<std::uint8_t> images = {};
    Preference most;                 ///< of each, on any node that the class may go to
    bool tells_nodes_apart = false;  ///< of these
};

/// What the pods that are there make of each node, 0 to 100 by position: InterPodAffinity and
/// PodTopologySpread of kube-scheduler. Empty: for that all nodes are alike.
struct PodScores {
    std::vector<std::uint8_t> affinity = {};
    std::vector<std::uint8_t> spread = {};
    bool empty() const { return affinity.empty() && spread.empty(); }
};

class ConstraintClasses {
public:
    Interner<Constraints, ClassId>::Interned intern(const Constraints& constraints);
    void retain(ClassId id) { constraints_.retain(id); }
    void release(ClassId id);
    const Constraints& constraints(ClassId id) const {
        return constraints_[is_restricted(id) ? restricted(id).of : id];
    }
    const NodeBitmap& eligible(ClassId id) const {
        return is_restricted(id) ? restricted(id).nodes : bitmaps_[id.value];
    }

    /// Of `nodes` those that the class has; `reasons` are the others'. No node may come, change or
    /// go until it is released.
    ClassId restrict(
        ClassId id, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores);
    static bool is_restricted(ClassId id) { return (id.value & restricted_bit) != 0; }
    /// The class that was restricted, and why nodes were taken from it.
    ClassId unrestricted(ClassId id) const { return restricted(id).of; }
    const std::vector<ReasonCount>& restrictions(ClassId id) const { return restricted(id).reasons; }
    /// nullptr: none.
    const PodScores* find_pod_scores(ClassId id) const {
        const bool has_any = is_restricted(id) && !restricted(id).scores.empty();
        return has_any ? &restricted(id).scores : nullptr;
    }
    std::size_t size() const { return constraints_.size(); }
    std::uint64_t references() const { return constraints_.references(); }

    /// Filters one present node for one class.
    void filter(ClassId id, std::size_t position, const Node& node);
    /// Filters one node for every class.
    void filter_all(std::size_t position, const Node& node);
    /// A node came, and is to be filtered; or went.
    void node_came(std::size_t position);
    void node_went(std::size_t position);

    /// What was derived is to be made anew.
    void forget_derived() {
        exclusions_.clear();
        preferences_.clear();
    }

    /// What has been counted for the class, nullptr: nothing since a node last changed.
    const std::vector<ReasonCount>* find_exclusions(ClassId id) const;
    void keep_exclusions(ClassId id, std::vector<ReasonCount> reasons) const;
    /// The same of preferences.
    const Preferences* find_preferences(ClassId id) const;
    const Preferences& keep_preferences(ClassId id, Preferences preferences) const;

    friend bool operator==(const ConstraintClasses& a, const ConstraintClasses& b) {
        return a.constraints_ == b.constraints_ && a.bitmaps_ == b.bitmaps_ && a.live_ == b.live_;
    }

private:
    static constexpr std::uint32_t restricted_bit = std::uint32_t{1} << 31;
    struct Restricted {
        ClassId of;  ///< none: the place is free
        NodeBitmap nodes;
        std::vector<ReasonCount> reasons;
        PodScores scores;
    };
    const Restricted& restricted(ClassId id) const {
        return restricted_[id.value & ~restricted_bit];
    }

    Interner<Constraints, ClassId> constraints_;
    std::vector<NodeBitmap> bitmaps_;  ///< by ClassId
    std::vector<ClassId> live_;        ///< sorted
    std::vector<Restricted> restricted_;  ///< by ClassId without its bit; ends with one in use
    /// Why nodes are out: texts, which are dear to make and asked for again and again. Derived.
    mutable std::map<ClassId, std::vector<ReasonCount>> exclusions_;
    mutable std::map<ClassId, Preferences> preferences_;  ///< derived
};

}  // namespace core
