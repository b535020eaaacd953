#include "gang/preempt/victim_list.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace gang {
namespace {

constexpr std::string_view system_namespace = "kube-system";

bool is_before(const Evictable& a, const Evictable& b) {
    if (a.victim.kind != b.victim.kind) {
        return a.victim.kind < b.victim.kind;
    }
    if (a.priority != b.priority) {
        return a.priority < b.priority;
    }
    if (const int by_share = compare(a.share, b.share); by_share != 0) {
        return by_share > 0;
    }
    if (a.work_lost != b.work_lost) {
        return a.work_lost < b.work_lost;
    }
    return b.rank < a.rank;
}

}  // namespace

std::vector<std::size_t> soft_slots(const Application& app) {
    std::vector<std::int64_t> left;  // that may go, by shape
    for (const GangShape& shape : app.declared.shapes) {
        left.push_back(-std::int64_t{shape.min});
    }
    for (const Slot& slot : app.slots) {
        ++left[slot.shape];
    }
    std::vector<std::size_t> found;
    if (!app.published.reserved ||
        std::all_of(left.begin(), left.end(), [](std::int64_t soft) { return soft <= 0; })) {
        return found;
    }
    for (std::size_t i = app.slots.size(); i-- > 0;) {
        const Slot& slot = app.slots[i];
        if (slot.state == SlotState::open && left[slot.shape] > 0) {
            --left[slot.shape];
            found.push_back(i);
        }
    }
    std::reverse(found.begin(), found.end());
    return found;
}

std::vector<Evictable> VictimList::find(const Application& preemptor, const Amounts& wanted) {
    const Rights rights = rights_of(preemptor, wanted);
    has_rights_ = rights.below_guarantee != no_queue || rights.is_within || rights.is_across;
    if (!has_rights_) {
        return {};
    }
    for (const auto& [gang, nomination] : model_.nominations.all()) {
        for (const Victim& victim : nomination.victims) {
            nominated_.insert(victim.uid);
        }
    }
    for (const auto& [uid, app] : model_.gangs.all()) {
        look_at(app, rights);
    }
    std::sort(found_.begin(), found_.end(), is_before);
    std::vector<Evictable> kept;
    for (Evictable& one : found_) {
        if (keeps_guarantees(one, rights.queue)) {
            kept.push_back(std::move(one));
        }
    }
    return kept;
}

VictimList::Rights VictimList::rights_of(
    const Application& preemptor, const Amounts& wanted) const {
    Rights rights;
    rights.queue = model_.shares.charges.find(preemptor.uid)->queue;
    rights.priority = preemptor.priority;
    rights.is_across = model_.schema.preemption.across_queues;
    model_.shares.tree.for_each_above(rights.queue, [&](QueueIndex queue) {
        const QueueNode& node = model_.shares.tree.at(queue);
        rights.is_within = rights.is_within || node.said.preemption.within_queue ==
                                                   config::PreemptionWithin::lower_priority;
        const Amounts& held = model_.shares.usage.of(queue).amounts;
        const bool is_covered =
            !node.guarantee.empty() &&
            std::all_of(node.guarantee.begin(), node.guarantee.end(), [&](const auto& guaranteed) {
                return held.of(guaranteed.name) + wanted.of(guaranteed.name) <= guaranteed.amount;
            });
        if (rights.below_guarantee == no_queue && is_covered) {
            rights.below_guarantee = queue;
        }
    });
    return rights;
}

/// Nothing: for this preemptor it may not be evicted.
std::optional<EvictReason> VictimList::reason_for(
    const Rights& rights, QueueIndex queue, std::int32_t priority) const {
    if (queue == rights.queue) {
        return rights.is_within && priority < rights.priority ? std::optional(EvictReason::preempt)
                                                              : std::nullopt;
    }
    if (!is_reclaimable(queue)) {
        return std::nullopt;
    }
    if (rights.below_guarantee != no_queue && !is_below(queue, rights.below_guarantee)) {
        return EvictReason::reclaim;
    }
    return rights.is_across && priority < rights.priority ? std::optional(EvictReason::preempt)
                                                          : std::nullopt;
}

bool VictimList::is_reclaimable(QueueIndex queue) const {
    bool is_said = false;
    model_.shares.tree.for_each_above(queue, [&](QueueIndex above) {
        is_said = is_said || model_.shares.tree.at(above).said.preemption.is_reclaimable;
    });
    return is_said;
}

/// It, or one below it.
bool VictimList::is_below(QueueIndex queue, QueueIndex above) const {
    bool is_found = false;
    model_.shares.tree.for_each_above(
        queue, [&](QueueIndex one) { is_found = is_found || one == above; });
    return is_found;
}

/// Never evicted, whoever wants its room.
bool VictimList::is_safe(const Application& app) const {
    const std::string& scheduler = model_.pods.scheduler_name(model_.pods.id_of(app.uid));
    return app.namespace_name == system_namespace || app.priority >= critical_priority ||
           model_.schema.find_profile(scheduler) == nullptr || model_.reader.is_extended(scheduler);
}

void VictimList::look_at(const Application& app, const Rights& rights) {
    if (!app.is_driver || nominated_.contains(app.uid)) {
        return;
    }
    if (app.phase == Phase::ended) {
        add_ending(app);
        return;
    }
    const auto driver = model_.pods.find(app.uid);
    const bool is_seen = driver && (model_.pods.is_compacted(*driver) ||
                                    !model_.pods.at(*driver).pod.node_name.empty());
    if (app.phase != Phase::running || !is_seen) {
        return;
    }
    const QueueAccount* const account = model_.shares.charges.find(app.uid);
    if (account == nullptr || account->queue == no_queue) {
        return;
    }
    const auto reason = reason_for(rights, account->queue, app.priority);
    if (!reason || is_safe(app)) {
        return;
    }
    const std::vector<std::size_t> soft = soft_slots(app);
    Evictable gang;
    add_gang_room(app, soft, gang);
    gang.victim = {app.uid, Victim::Kind::gang, *reason};
    gang.queue = account->queue;
    gang.priority = app.priority;
    const auto [share, is_new] = shares_.try_emplace(account->queue);
    if (is_new) {
        share->second = share_of(
            model_.shares.tree.at(account->queue),
            model_.shares.usage.of(account->queue).amounts,
            totals_);
    }
    gang.share = share->second;
    gang.work_lost = gang.pods * std::max<std::int64_t>(now_ms_ - app.bound_ms, 0);
    gang.rank = app.rank();
    if (const Amounts* held = model_.shares.charges.held_by(app.uid)) {
        gang.amounts = *held;
    }
    add_surplus(app, gang);
    add_soft_slots(app, soft, gang);
    if (const auto spared = spared_.find(app.uid);
        spared == spared_.end() || spared->second <= now_ms_) {
        found_.push_back(std::move(gang));
    }
}

/// A gang has ended as soon as its driver is being deleted; its pods hold room for a while. What is
/// left of one whose driver has gone counts when it is being deleted: it may stay for ever.
void VictimList::add_ending(const Application& app) {
    const auto is_deleting = [this](PodId pod) {
        return !model_.pods.is_compacted(pod) && model_.pods.at(pod).pod.deleting;
    };
    const auto driver = model_.pods.find(app.uid);
    const bool is_all_going = driver && is_deleting(*driver);
    if (is_all_going) {
        add_room(app.uid, ending_);
    }
    for (const PodId member : model_.pods.members_of(app.uid)) {
        if (is_all_going || is_deleting(member)) {
            add_room(model_.pods.uid(member), ending_);
        }
    }
}

/// What is beyond its reservation is no victim of its own: of a gang that has lost its slots nobody
/// knows it, and the object of a pod group may forbid it.
bool VictimList::goes_whole(const Application& app) const {
    const PodGroup* const group = model_.groups.find(app.group.str());
    return app.is_slotless() || (group != nullptr && group->object && group->object->goes_whole);
}

/// What the gang holds beyond its reservation.
void VictimList::add_surplus(const Application& app, Evictable& of_gang) {
    if (goes_whole(app)) {
        return;
    }
    const Evictable like = of_gang;
    for (const PodId member : model_.pods.members_of(app.uid)) {
        if (model_.pods.slot(member) >= 0 || !model_.pods.holds_capacity(member)) {
            continue;
        }
        const std::string uid = model_.pods.uid(member);
        const bool is_active = !model_.pods.is_compacted(member);
        if (nominated_.contains(uid)) {
            continue;
        }
        if (is_active && model_.pods.at(member).pod.deleting) {
            add_room(uid, ending_);
            continue;
        }
        const auto spared = spared_.find(uid);
        const bool is_spared = spared != spared_.end() && spared->second > now_ms_;
        if (is_spared || (is_active && model_.pods.at(member).bind_in_flight)) {
            continue;
        }
        Evictable one = like;
        one.victim = {uid, Victim::Kind::executor, like.victim.reason};
        one.work_lost /= std::max<std::int64_t>(like.pods, 1);
        one.rank.uid = uid;
        one.amounts = {};
        one.amounts.add(model_.pods.requests(member), 1);
        one.room.clear();
        add_room(uid, one.room);
        one.pods = 1;
        of_gang.amounts.add(one.amounts, -1);  // it goes before its gang
        found_.push_back(std::move(one));
    }
}

/// Each goes before its gang. Its executor, should one come, takes what is free.
void VictimList::add_soft_slots(
    const Application& app, const std::vector<std::size_t>& slots, Evictable& of_gang) {
    const Evictable like = of_gang;
    for (const std::size_t i : slots) {
        const Slot& slot = app.slots[i];
        Evictable one = like;
        one.victim = {app.uid, Victim::Kind::open_slot, like.victim.reason};
        one.victim.node = model_.cluster.allocation_of(slot.allocation).node;
        one.victim.shape = slot.shape;
        one.work_lost = 0;
        one.amounts = {};
        one.amounts.add(model_.cluster.resources(app.declared.shapes[slot.shape].id), 1);
        one.room = {slot.allocation};
        one.pods = 0;
        of_gang.amounts.add(one.amounts, -1);
        found_.push_back(std::move(one));
    }
}

void VictimList::add_room(const std::string& uid, std::vector<core::AllocationId>& room) const {
    if (const auto allocation = model_.cluster.find_pod(uid)) {
        room.push_back(*allocation);
    }
}

/// Without its soft slots, which are victims of their own.
void VictimList::add_gang_room(
    const Application& app, const std::vector<std::size_t>& soft, Evictable& gang) const {
    add_room(app.uid, gang.room);
    gang.pods = 1;
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        if (!slot.allocation.is_none() && !std::binary_search(soft.begin(), soft.end(), i)) {
            gang.room.push_back(slot.allocation);
        }
        gang.pods += slot.pod.is_none() ? 0 : 1;
    }
    for (const PendingRelease& release : *app.pending_releases) {
        gang.room.push_back(release.allocation);
    }
    if (!goes_whole(app)) {
        return;  // these are victims of their own
    }
    for (const PodId member : model_.pods.members_of(app.uid)) {
        if (model_.pods.slot(member) < 0 && model_.pods.holds_capacity(member)) {
            add_room(model_.pods.uid(member), gang.room);
            ++gang.pods;
        }
    }
}

/// As if all before it that were taken had gone. Of queues above both nothing changes hands.
bool VictimList::keeps_guarantees(const Evictable& one, QueueIndex preemptor) {
    const QueueTree& tree = model_.shares.tree;
    bool is_kept = true;
    tree.for_each_above(one.queue, [&](QueueIndex queue) {
        if (is_below(preemptor, queue)) {
            return;
        }
        Amounts left = model_.shares.usage.of(queue).amounts;
        left.add(gone_[queue], -1);
        left.add(one.amounts, -1);
        for (const core::ExtendedResource& guaranteed : tree.at(queue).guarantee) {
            is_kept = is_kept && (one.amounts.of(guaranteed.name) == 0 ||
                                  left.of(guaranteed.name) >= guaranteed.amount);
        }
    });
    if (is_kept) {
        tree.for_each_above(
            one.queue, [&](QueueIndex queue) { gone_[queue].add(one.amounts, 1); });
    }
    return is_kept;
}

}  // namespace gang
