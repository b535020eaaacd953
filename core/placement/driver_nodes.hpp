#pragma once
// The nodes that a gang's driver may go to: those that leave every executor shape enough room.

#include "core/placement/gang_part.hpp"
#include "core/placement/packing/packing.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace core {

class DriverNodes {
public:
    /// Driver nodes that are tried in full for a gang of several executor shapes.
    static constexpr std::size_t attempts_max = 8;

    /// The packing outlives it.
    explicit DriverNodes(Packing& packing) : packing_(packing) {}

    /// The parts have their capacities, and the driver's are these; all outlive the question.
    /// Nothing is planned.
    void begin(std::span<const GangPart> parts, ShapeId driver, const Capacities& capacities);
    /// The first few by the policy, in order. With one part that is one node, and exact: none means
    /// that the gang does not fit. Lives until the next question.
    std::span<const NodeRank> list(PackingPolicy policy);
    /// There is one, whichever it is.
    bool has_any() const;
    /// Where the driver displaces the fewest executors; nothing: there is no room for it.
    std::optional<Position> find_least_loss() const;

private:
    std::int64_t loss_at(const GangPart& part, Position position) const;
    bool parts_fit_beside(Position position) const;
    Position first_by_capacity(PackingPolicy policy) const;
    bool keep_if_it_fits(Position position);
    void offer(const NodeRank& node, std::size_t kept_max);

    Packing& packing_;
    std::span<const GangPart> parts_;
    ShapeId driver_;
    const Capacities* capacities_ = nullptr;
    std::vector<NodeRank> nodes_;
};

}  // namespace core
