#include "gang/model/slot/pod_allocations.hpp"

#include "gang/declare/declaration.hpp"

#include <optional>

namespace gang {

void PodAllocations::settle(const PodEntry& entry) {
    if (entry.holds_capacity() && entry.slot < 0) {
        cluster_.upsert_pod(
            entry.pod.uid,
            entry.node(),
            entry.pod.requests,
            core::UsedBy::gang,
            cards_.use_of(entry.pod));
        if (shares_.is_active()) {
            charge(entry, nullptr);
        }
    } else {
        forget(entry);
    }
}

void PodAllocations::forget(const PodEntry& entry) {
    cluster_.remove_pod(entry.pod.uid);
    shares_.charges.drop_pod(entry.pod.uid);
}

void PodAllocations::leave_slot(PodId pod, const std::string& gang, const core::CardUse& cards) {
    if (!pods_[pod].holds_capacity()) {
        return;
    }
    const std::string uid = pods_.uid(pod);
    cluster_.upsert_pod(uid, pods_[pod].node(), pods_[pod].requests(), core::UsedBy::gang, cards);
    shares_.charges.hold_pod(uid, gang, pods_[pod].requests(), [] { return QueueAccount{}; });
}

/// An executor belongs to its driver's gang, who need not be known yet, and a member to its
/// group's; not to one in another namespace.
void PodAllocations::charge(const PodEntry& entry, const NamedAccount* before) {
    const auto own = [&] {
        if (const auto queue =
                before == nullptr ? std::nullopt : shares_.placement.restore(before->queue)) {
            return QueueAccount{*queue, before->user};
        }
        return shares_.placement
            .place(entry.pod, asked_queue(entry.pod), queue_elsewhere(entry.pod))
            .account;
    };
    const QueueAccount* const owner =
        entry.owner.empty() ? nullptr : shares_.charges.find(entry.owner.str());
    const bool is_of_owner =
        (entry.is_executor || !entry.group.empty()) && !entry.owner.empty() &&
        (owner == nullptr || owner->user.starts_with(entry.pod.namespace_name + "/"));
    shares_.charges.hold_pod(
        entry.pod.uid, is_of_owner ? entry.owner.str() : entry.pod.uid, entry.pod.requests, own);
}

void PodAllocations::charge_again(const PodEntry& entry, const NamedAccount* before) {
    if (cluster_.pods().find(entry.pod.uid)) {
        charge(entry, before);
    }
}

}  // namespace gang
