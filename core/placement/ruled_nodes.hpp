#pragma once
// The nodes that rules between pods leave the pods of a gang, and which of them are better.

#include "core/domain/domain_rules.hpp"
#include "core/placement/placement.hpp"

#include <cstdint>
#include <optional>

namespace core {

/// Pods that are alike.
struct RuledPart {
    ShapeId shape;
    std::int64_t count = 0;
    /// What is known of them; nothing: no rule reaches them.
    std::optional<IncomingPod> pod = {};
};

class RuledNodes {
public:
    /// Executors times nodes up to which preferences are heeded of pods that have a rule among
    /// them, too: each is then placed by itself.
    static constexpr std::int64_t choosy_nodes_max = 2'000'000;

    /// All outlive it.
    RuledNodes(Planner& planner, const Cluster& cluster, const DomainRules& rules)
        : planner_(planner), cluster_(cluster), rules_(rules) {}

    /// How preferences count; nullptr: nobody prefers anything.
    void heed(const PodScoring* scoring) { scoring_ = scoring; }

    /// Those that all rules leave.
    AllowedNodes allowed(const RuledPart& part);
    /// Of these nodes the ones with room.
    NodeBitmap feasible(const RuledPart& part, const NodeBitmap& nodes);
    /// What the pods that are there make of the nodes, of those that are allowed and have room.
    PodScores scores(const RuledPart& part, const NodeBitmap& nodes);

    bool has_preferences(const RuledPart& part) const;
    /// Each that is placed makes nodes better, or worse, for the next.
    bool prefers_its_like(const RuledPart& part) const;
    /// Executors with preferences, so few that each may be placed by itself.
    bool may_be_choosy(const RuledPart& part) const;

    /// Nodes that were held against rules since it was made.
    std::int64_t asked() const { return asked_; }
    /// All nodes were held against rules elsewhere.
    void note_all_asked() { asked_ += static_cast<std::int64_t>(cluster_.nodes().count()); }

private:
    Planner& planner_;
    const Cluster& cluster_;
    const DomainRules& rules_;
    const PodScoring* scoring_ = nullptr;
    std::int64_t asked_ = 0;
};

}  // namespace core
