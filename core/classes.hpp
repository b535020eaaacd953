#pragma once
// Constraint classes: each distinct set of constraints once, with a bitmap of the nodes that
// satisfy it. A node is filtered again only when its labels, taints, cordon or readiness change; a
// class once when it appears. Real clusters have tens of classes.

#include "core/filters.hpp"
#include "core/ids.hpp"
#include "core/interner.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// One bit per NodeIndex.
class NodeBitmap {
public:
    bool test(NodeIndex node) const {
        const std::size_t word = node.value / 64;
        return word < words_.size() && ((words_[word] >> (node.value % 64)) & 1U) != 0;
    }
    void set(NodeIndex node, bool value);
    std::int64_t count() const;
    void add(const NodeBitmap& other);
    bool intersects(const NodeBitmap& other) const;
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

class ConstraintClasses {
public:
    Interner<Constraints, ClassId>::Interned intern(const Constraints& constraints);
    void retain(ClassId id) { constraints_.retain(id); }
    void release(ClassId id);
    const Constraints& constraints(ClassId id) const { return constraints_[id]; }
    const NodeBitmap& eligible(ClassId id) const { return bitmaps_[id.value]; }
    std::size_t size() const { return constraints_.size(); }

    /// Filters one present node for one class.
    void filter(ClassId id, NodeIndex index, const Node& node);
    /// Filters one node for every class; nullptr: it is not there.
    void filter_all(NodeIndex index, const Node* node);

    friend bool operator==(const ConstraintClasses&, const ConstraintClasses&) = default;

private:
    Interner<Constraints, ClassId> constraints_;
    std::vector<NodeBitmap> bitmaps_;  ///< by ClassId
    std::vector<ClassId> live_;        ///< sorted
};

}  // namespace core
