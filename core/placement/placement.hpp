#pragma once
// Places a whole gang in closed form. A node takes capacity(node, shape) = min over resources of
// floor(room / request) pods of a shape, so a gang of any size costs O(nodes) per shape and never
// O(nodes x executors); where blocks of nodes rule themselves out, or only the largest nodes are
// wanted, less than that. Which nodes are filled first is the request's policy (PackingPolicy), for
// the driver and then for the executors beside it; or its weighted scores. Where nodes have a cost,
// or soft taints, or a shape has preferences, that comes before it. None of this decides whether a
// gang of one shape fits.
//
// Guarantee: with one executor shape (or none) a plan is found if and only if one exists. With
// several shapes a plan is always valid but may be missed: shapes are packed largest first, for a
// bounded number of driver nodes (DriverNodes::attempts_max), and once with the driver last.

#include "core/base/ids.hpp"
#include "core/cluster/cluster.hpp"
#include "core/placement/packing_policy.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace core {

class DomainScores;

struct ShapeCount {
    ShapeId shape;
    std::int64_t count = 0;  ///< >= 0
    friend bool operator==(const ShapeCount&, const ShapeCount&) = default;
};

/// A gang {driver, executors}, a lone pod {driver, {}}, or more executors {none, {{shape, k}}}.
struct PlacementRequest {
    std::optional<ShapeId> driver = {};
    std::vector<ShapeCount> executors = {};
    View view = View::free;
    std::vector<NodeIndex> excluded = {};  ///< nodes not to be used, in any order
    PackingPolicy policy = PackingPolicy::tightest;
    const ScoreOrder* scores = nullptr;  ///< not nullptr: instead of the policy
    /// Of executors of one shape, without a driver, that prefer or avoid each other: told of each
    /// that is placed, so that it is worth nothing after the question.
    DomainScores* preferring = nullptr;
};

struct NodeCount {
    NodeIndex node;
    std::int64_t count = 0;
    friend bool operator==(const NodeCount&, const NodeCount&) = default;
};

/// Nodes are in order of their names; `executors` is parallel to the request's.
struct Plan {
    NodeIndex driver;  ///< none if there is no driver
    std::vector<std::vector<NodeCount>> executors;
    friend bool operator==(const Plan&, const Plan&) = default;
};

/// The card that comes nearest to what a pod asks of one.
struct CardShortage {
    std::string resource;
    std::string what;       ///< "single GPU with 6 free alnair/vgpu-memory", behind "no"
    std::int64_t best = 0;  ///< free units of it
    std::string node;       ///< empty: none says its cards
    std::string card;
    friend bool operator==(const CardShortage&, const CardShortage&) = default;
};

/// Why it does not fit, in numbers: counted after everything that does fit has been placed.
struct Rejection {
    std::int64_t nodes = 0;  ///< all present nodes
    bool wants_driver = false;
    bool driver_fits = false;
    bool is_of_pods = false;  ///< told of a pod group: it has no driver and no executors
    std::int64_t executors_wanted = 0;
    std::int64_t executors_fit = 0;
    Resources wanted;     ///< driver and all executors, clamped at 2^63-1
    Resources missing;    ///< of the pods that do not fit, clamped alike
    std::string binding;  ///< the scarcest resource, Kubernetes' name ("cpu", "pods"); empty if no
                          ///< node is eligible
    /// No single card has enough left, though together they may have.
    std::optional<CardShortage> card = {};
    std::int64_t eligible_nodes = 0;  ///< for the shape that failed, room aside
    /// "Insufficient cpu": 31, "untolerated taint dedicated=gpu": 4, for the shape that failed. A
    /// node short of two resources counts for both, as in kube-scheduler's message.
    std::vector<ReasonCount> reasons;
    friend bool operator==(const Rejection&, const Rejection&) = default;
};

/// "needs 1 driver + 20 executors (84 cpu, 360Gi memory); 1 + 13 fit, short of 28 cpu. 31
/// Insufficient cpu, 4 untolerated taint dedicated=gpu"
std::string describe(const Rejection& rejection);

using Placement = std::variant<Plan, Rejection>;

/// Owns scratch buffers, which grow to the largest cluster seen; the cluster is only read.
class Planner {
public:
    Planner();
    ~Planner();
    Planner(Planner&&) noexcept;
    Planner& operator=(Planner&&) noexcept;

    Placement place(const Cluster& cluster, const PlacementRequest& request);
    /// The plan alone; nothing: it does not fit, and place() says why, which is what costs.
    std::optional<Plan> find(const Cluster& cluster, const PlacementRequest& request);
    /// The same question without the details.
    bool fits(const Cluster& cluster, const PlacementRequest& request);

    /// How many pods of the shape each node takes, by position.
    std::vector<std::int32_t> capacities(
        const Cluster& cluster, ShapeId shape, View view = View::free);

    /// Groups of 64 nodes, or of 64 such groups, that all questions so far have looked into.
    std::uint64_t groups_scanned() const;
    /// Nodes that all questions so far have ranked one by one.
    std::uint64_t nodes_ranked() const;

private:
    struct Scratch;
    class Question;
    std::unique_ptr<Scratch> scratch_;
};

}  // namespace core
