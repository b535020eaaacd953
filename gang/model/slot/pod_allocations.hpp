#pragma once
// Pods of ours that hold room by themselves, in no slot: drivers, lone pods, and executors beside
// their gang. Each is allocated under its own uid, and charged to its queue.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/slot/card_policy.hpp"
#include "gang/shares/shares.hpp"

#include <string>

namespace gang {

class PodAllocations {
public:
    /// All live as long.
    PodAllocations(
        core::Cluster& cluster, const Pods& pods, Shares& shares, const CardPolicy& cards)
        : cluster_(cluster), pods_(pods), shares_(shares), cards_(cards) {}

    /// Allocates what a pod of ours takes where it is, unless a slot does.
    void settle(const PodEntry& entry);
    /// The pod is gone.
    void forget(const PodEntry& entry);
    /// The pod's slot, with these cards, has ceased to be: it is charged to its gang from now on.
    void leave_slot(PodId pod, const std::string& gang, const core::CardUse& cards);

    /// Queues are others: what the pod holds is charged again. `before`: where its holder was
    /// charged, nullptr: nowhere.
    void charge_again(const PodEntry& entry, const NamedAccount* before);

private:
    void charge(const PodEntry& entry, const NamedAccount* before);

    core::Cluster& cluster_;
    const Pods& pods_;
    Shares& shares_;
    const CardPolicy& cards_;
};

}  // namespace gang
