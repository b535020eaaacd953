#pragma once
// Tentative changes to a cluster: an undo log, never a copy. What is not committed is rolled back
// when the trial ends, and leaves the cluster exactly as it was; where cards are chosen, but for
// the numbers that amounts would get. Trials nest like a stack; while one is open, the cluster is
// changed through the innermost only.

#include "core/cluster/cluster.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

class Trial {
public:
    explicit Trial(Cluster& cluster)
        : cluster_(cluster), allocations_(cluster.allocations()) {}
    ~Trial() { roll_back(); }
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    /// As Allocations::allocate(). The token is the cluster's own and stays valid after commit();
    /// of pods on cards, each of which has one of its own, it is the last one's.
    AllocationId allocate(
        NodeIndex node,
        ShapeId shape,
        UsedBy used_by,
        std::uint32_t count = 1,
        CardChoice choice = CardChoice::least_left);
    /// As Allocations::release(); after a roll back the token is valid again.
    void release(AllocationId allocation);

    /// Everything so far is real from now on.
    void commit();
    /// Everything since the start, or the last commit, never was.
    void roll_back();

private:
    struct Step {
        AllocationId id;
        Allocation allocation;  ///< of a released token, which keeps its reference to the amounts
        bool taken = false;
        bool was_new = false;  ///< the token's number
    };
    FreeCapacityGains& gains() { return allocations_.room().gains(); }
    void keep_gains();

    Cluster& cluster_;
    Allocations& allocations_;
    std::optional<FreeCapacityGains> gains_;  ///< as they were before the first was noted
    std::vector<Step> log_;
};

}  // namespace core
