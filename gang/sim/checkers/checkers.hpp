#pragma once
// What must be true after every commit, and the list of all that was not, whichever checker found
// it. Everything is read from the history (capacity_model.hpp). Which invariant is checked where:
// README.md.

#include "gang/sim/base/store.hpp"
#include "gang/sim/checkers/capacity/capacity_model.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang::sim {

struct World;

struct Violation {
    std::int64_t time_ms = 0;
    std::string rule;
    std::string text;
};

class Checkers {
public:
    explicit Checkers(World& world);

    void pod_changed(const Entry<core::Pod>& entry, const Author& author);
    void node_changed(const Entry<core::Node>& entry, const Author& author);

    const std::vector<Violation>& violations() const { return violations_; }
    bool fits_beside_pods(NodeId node, const core::Resources& requests) const;
    const CapacityModel& capacity_model() const { return capacity_model_; }
    void forget_unsealed(PodId anchor) { capacity_model_.forget_unsealed(anchor); }
    void violated(std::string rule, std::string text);
    /// Somebody else has changed this node since the decision's view.
    bool is_excused(NodeId node, const Author& author) const;

private:
    void check_bind(const Entry<core::Pod>& entry, const Author& author);
    void check_admission(const Entry<core::Pod>& entry, const Author& author);
    void check_declared(const Entry<core::Pod>& entry);
    void check_minimum(const Entry<core::Pod>& entry, std::int64_t slots_before);
    void check_executor(const Entry<core::Pod>& entry);
    void check_capacity(
        NodeId node,
        PodId pod,
        const Amount& before,
        const Author& author,
        const std::string& what);
    void check_pool(NodeId id, const std::string& pool, const std::string& what);
    void check_usable(NodeId node, const Author& author, const std::string& what);
    std::int64_t sit_beside(PodId driver) const;
    bool is_claimed(const core::Pod& executor, PodId driver, PodId by) const;

    /// When others last took room from a node, or changed it, so that a decision that had not seen
    /// it yet cannot be blamed.
    struct Harm {
        std::uint64_t by_pods = 0;   ///< revision
        std::uint64_t by_nodes = 0;  ///< revision
    };

    /// Slots with an executor left the gang's reservation: so many of these sit beside it. Which,
    /// no commit says.
    struct LetGo {
        std::int64_t count = 0;
        std::vector<PodId> any_of;
    };

    World& world_;
    CapacityModel capacity_model_;
    std::map<PodId, LetGo> let_go_;  ///< by driver
    std::vector<Harm> harms_;
    std::vector<Violation> violations_;
};

}  // namespace gang::sim
