#pragma once
// The rank of a node by a profile's weighted scores.

#include "core/placement/ranking/node_loads.hpp"
#include "core/score/weighted_score.hpp"

#include <cstdint>
#include <vector>

namespace core {

class ScoreWeighing {
public:
    /// The loads outlive it, and have begun with the same shape.
    explicit ScoreWeighing(const NodeLoads& loads) : loads_(loads) {}

    /// nullptr: there are no weighted scores. They outlive the question.
    void order_by(const ScoreOrder* scores) { scores_ = scores; }
    bool is_on() const { return scores_ != nullptr; }
    const ScoreOrder& scores() const { return *scores_; }
    /// What one point of the pods' own scores counts.
    PodScore pod_weights() const;

    /// Which resources each score looks at. Of an extended resource that the pod does not ask for
    /// nothing is looked at, as in kube-scheduler.
    void begin(const PlacementView& view, ShapeId shape);
    /// Of a node with so many pods placed beside what is planned: 100 times score_weight_max for
    /// each score at most, see ScoreOrder.
    std::int64_t sum(ScoreContext context, Position position, std::int64_t placed);

private:
    /// A resource that one of the scores looks at.
    struct Counted {
        enum class Kind : std::uint8_t { cpu, memory, extended };
        std::size_t score = 0;
        Kind kind = Kind::cpu;
        ExtendedDemand asked = {};
        std::int64_t weight = 1;
    };
    void collect_loads(std::size_t score, const NodeLoad& node, Position, std::int64_t placed);

    const NodeLoads& loads_;
    const ScoreOrder* scores_ = nullptr;
    std::vector<Counted> counted_;  ///< by score
    std::vector<WeightedLoad> counted_loads_;
};

}  // namespace core
