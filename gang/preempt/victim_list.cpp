#include "gang/preempt/victim_list.hpp"

#include "gang/model/pod/being_deleted.hpp"

#include <algorithm>
#include <string_view>
#include <tuple>
#include <utility>

namespace gang {
namespace {

constexpr std::string_view system_namespace = "kube-system";

/// What is compared of an Evictable before its texts. There may be tens of thousands, and sorting
/// these small records is much faster than sorting the whole ones.
struct Turn {
    VictimStep step;
    std::int32_t priority;
    std::int64_t work_lost;
    std::int64_t created;
    std::size_t place;
};

bool is_before(const Turn& a, const Turn& b, const std::vector<Evictable>& all) {
    if (a.step != b.step) {
        return a.step < b.step;
    }
    if (a.priority != b.priority) {
        return a.priority < b.priority;
    }
    const Evictable& first = all[a.place];
    const Evictable& second = all[b.place];
    const int by_share = first.queue == second.queue ? 0 : compare(first.share, second.share);
    if (by_share != 0) {
        return by_share > 0;
    }
    if (a.work_lost != b.work_lost) {
        return a.work_lost < b.work_lost;
    }
    if (a.created != b.created) {
        return b.created < a.created;
    }
    if (first.victim.uid != second.victim.uid) {
        return second.victim.uid < first.victim.uid;
    }
    return a.place < b.place;  // open slots of one gang
}

/// One of the gang's executors or slots, which goes before it.
Evictable part_of(const Evictable& gang, VictimStep step) {
    Evictable one;
    one.victim.reason = gang.victim.reason;
    one.step = step;
    one.queue = gang.queue;
    one.priority = gang.priority;
    one.share = gang.share;
    return one;
}

/// Of the executors in a shape's slots: who is on its way out first, then the newest.
std::vector<std::size_t> in_order_of_going(
    const Application& app, const Pods& pods, std::size_t shape) {
    struct Filled {
        bool stays;
        std::int64_t created;
        std::size_t slot;
    };
    std::vector<Filled> filled;
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        const bool is_leaving = slot.state == SlotState::draining;
        if (slot.shape == shape && (slot.state == SlotState::bound || is_leaving)) {
            filled.push_back({!is_leaving, pods[slot.pod].created(), i});
        }
    }
    std::sort(filled.begin(), filled.end(), [](const Filled& a, const Filled& b) {
        return std::tie(a.stays, b.created, b.slot) < std::tie(b.stays, a.created, a.slot);
    });
    std::vector<std::size_t> slots;
    for (const Filled& one : filled) {
        slots.push_back(one.slot);
    }
    return slots;
}

}  // namespace

SoftSlots soft_slots(const Application& app, const Pods& pods) {
    std::vector<std::int64_t> left;  // that may go, by shape
    for (const GangShape& shape : app.declared.shapes) {
        left.push_back(-std::int64_t{shape.min});
    }
    for (const Slot& slot : app.slots) {
        ++left[slot.shape];
    }
    SoftSlots found;
    if (!app.published.reserved ||
        std::all_of(left.begin(), left.end(), [](std::int64_t soft) { return soft <= 0; })) {
        return found;
    }
    for (std::size_t i = app.slots.size(); i-- > 0;) {
        const Slot& slot = app.slots[i];
        if (slot.state == SlotState::open && left[slot.shape] > 0) {
            --left[slot.shape];
            found.open.push_back(i);
        }
    }
    std::reverse(found.open.begin(), found.open.end());
    for (std::size_t shape = 0; shape < left.size(); ++shape) {
        if (left[shape] <= 0) {
            continue;
        }
        std::vector<std::size_t> filled = in_order_of_going(app, pods, shape);
        filled.resize(std::min(filled.size(), static_cast<std::size_t>(left[shape])));
        found.filled.insert(found.filled.end(), filled.begin(), filled.end());
    }
    std::sort(found.filled.begin(), found.filled.end());
    return found;
}

std::vector<Evictable> VictimList::find(const Application& preemptor, const Amounts& wanted) {
    const PreemptorRights rights(model_, preemptor, wanted);
    has_rights_ = rights.has_any();
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
    model_.shares.charges.for_each_own_holder(
        [&](const std::string& uid) { look_at_lone(uid, rights); });
    for (const auto& [key, group] : model_.groups.all()) {
        look_at_rest(group, rights);
    }
    std::vector<Evictable> kept;
    kept.reserve(found_.size());
    for (const std::size_t i : in_order()) {
        if (keeps_guarantees(found_[i], rights)) {
            kept.push_back(std::move(found_[i]));
        }
    }
    return kept;
}

std::vector<std::size_t> VictimList::in_order() const {
    std::vector<Turn> turns;
    turns.reserve(found_.size());
    for (std::size_t i = 0; i < found_.size(); ++i) {
        const Evictable& one = found_[i];
        turns.push_back({one.step, one.priority, one.work_lost, one.created, i});
    }
    std::sort(turns.begin(), turns.end(), [this](const Turn& a, const Turn& b) {
        return is_before(a, b, found_);
    });
    std::vector<std::size_t> order;
    order.reserve(turns.size());
    for (const Turn& turn : turns) {
        order.push_back(turn.place);
    }
    return order;
}

/// Never evicted, whoever wants its room.
bool VictimList::is_safe(
    const std::string& uid, std::string_view namespace_name, std::int32_t priority) const {
    const std::string& scheduler = model_.pods[model_.pods.id_of(uid)].scheduler_name();
    return namespace_name == system_namespace || priority >= critical_priority ||
           model_.schema.find_profile(scheduler) == nullptr || model_.reader.is_extended(scheduler);
}

bool VictimList::is_spared(const std::string& uid) const {
    const auto spared = spared_.find(uid);
    return spared != spared_.end() && spared->second > now_ms_;
}

/// It goes for another gang, or was asked a moment ago.
bool VictimList::is_left_alone(PodId pod) const {
    if (nominated_.empty() && spared_.empty()) {
        return false;
    }
    const std::string uid = model_.pods.uid(pod);
    return nominated_.contains(uid) || is_spared(uid);
}

void VictimList::set_queue(Evictable& one, QueueIndex queue) {
    one.queue = queue;
    const auto [share, is_new] = shares_.try_emplace(queue);
    if (is_new) {
        share->second = share_of(
            model_.shares.tree.at(queue), model_.shares.usage.of(queue).amounts, totals_);
    }
    one.share = share->second;
}

void VictimList::look_at(const Application& app, const PreemptorRights& rights) {
    if (!app.is_driver || nominated_.contains(app.uid)) {
        return;
    }
    if (app.phase == Phase::ended) {
        add_ending(app);
        return;
    }
    const auto driver = model_.pods.find(app.uid);
    if (app.phase != Phase::running || !driver || !is_seen(*driver)) {
        return;
    }
    const QueueAccount* const account = model_.shares.charges.find(app.uid);
    if (account == nullptr || account->queue == no_queue) {
        return;
    }
    const auto reason = rights.reason_for(account->queue, app.priority);
    if (!reason || is_safe(app.uid, app.namespace_name.str(), app.priority)) {
        return;
    }
    SoftSlots soft = soft_slots(app, model_.pods);
    soft.filled = executors_that_may_go(app, soft.filled);
    Evictable gang;
    add_gang_room(app, soft, gang);
    gang.victim = {app.uid, Victim::Kind::gang, *reason};
    set_queue(gang, account->queue);
    gang.priority = app.priority;
    gang.work_lost = gang.pods * std::max<std::int64_t>(now_ms_ - app.bound_ms, 0);
    gang.created = app.rank().created;
    if (const Amounts* held = model_.shares.charges.held_by(app.uid)) {
        gang.amounts = *held;
    }
    add_surplus(app, gang);
    add_open_slots(app, soft.open, gang);
    add_soft_executors(app, soft.filled, gang);
    if (!is_spared(app.uid)) {
        found_.push_back(std::move(gang));
    }
}

bool VictimList::is_seen(PodId pod) const {
    return model_.pods.is_compacted(pod) || !model_.pods.at(pod).pod.node_name.empty();
}

/// It is no part of a gang, nor may it become one: of a pod group, whose members start one by one.
bool VictimList::is_lone(PodId pod) const {
    if (model_.pods[pod].is_driver() || model_.pods[pod].is_executor()) {
        return false;
    }
    const std::string& key = model_.pods[pod].group();
    if (key.empty()) {
        return true;
    }
    const PodGroup* const group = model_.groups.find(key);
    return group != nullptr && group->object && group->object->problem.empty() &&
           group->object->min_members <= 1 && !group->object->goes_whole;
}

void VictimList::look_at_lone(const std::string& uid, const PreemptorRights& rights) {
    const auto pod = model_.pods.find(uid);
    if (!pod || !is_lone(*pod) || nominated_.contains(uid)) {
        return;
    }
    if (is_being_deleted(model_.pods, *pod)) {
        add_room(uid, ending_);
        return;
    }
    const QueueAccount* const account = model_.shares.charges.find(uid);
    if (!is_seen(*pod) || account == nullptr || account->queue == no_queue || is_spared(uid)) {
        return;
    }
    const std::int32_t priority = model_.pods[*pod].priority();
    const auto reason = rights.reason_for(account->queue, priority);
    if (!reason || is_safe(uid, model_.pods[*pod].namespace_name(), priority)) {
        return;
    }
    Evictable one;
    one.victim = {uid, Victim::Kind::pod, *reason};
    set_queue(one, account->queue);
    one.priority = priority;
    one.created = model_.pods[*pod].created();
    one.work_lost = std::max<std::int64_t>(now_ms_ - one.created * 1'000, 0);
    one.amounts.add(model_.pods[*pod].requests(), 1);
    add_room(uid, one.room);
    one.pods = 1;
    found_.push_back(std::move(one));
}

/// Members that hold room though their gang is over: the pod that bore its reservation has ended, or
/// was evicted by a leader who did not live to ask the others. Those who are asked already count as
/// room to come (add_ending()).
std::vector<PodId> VictimList::rest_of(const PodGroup& group) const {
    std::vector<PodId> rest;
    for (const PodId member : group.members) {
        const std::string& owner = model_.pods[member].owner();
        const Application* const app =
            model_.gangs.find(owner.empty() ? model_.pods.uid(member) : owner);
        const bool is_over = app == nullptr || (app->is_driver && app->phase == Phase::ended);
        const bool is_going = is_being_deleted(model_.pods, member) || (!owner.empty() && evictions_.is_broken(owner));
        if (model_.pods[member].holds_capacity() && is_over && !is_going && !is_lone(member) &&
            !model_.pods[member].is_executor()) {
            rest.push_back(member);
        }
    }
    return rest;
}

/// They are what is left of a gang, and go as one.
void VictimList::look_at_rest(const PodGroup& group, const PreemptorRights& rights) {
    const Application* const gang =
        group.anchor.empty() ? nullptr : model_.gangs.find(group.anchor);
    if (gang != nullptr && (gang->phase != Phase::waiting || gang->uid == rights.preemptor())) {
        return;  // they are of a gang that runs; or it would be for those who are to join them
    }
    Evictable rest;
    for (const PodId member : rest_of(group)) {
        const std::string uid = model_.pods.uid(member);
        const std::string* const holder = model_.shares.charges.holder_of(uid);
        const QueueAccount* const account =
            holder == nullptr ? nullptr : model_.shares.charges.find(*holder);
        const std::int32_t priority = model_.pods[member].priority();
        const auto reason = account == nullptr || account->queue == no_queue
                                ? std::nullopt
                                : rights.reason_for(account->queue, priority);
        if (!reason || nominated_.contains(uid) || is_spared(uid) || !is_seen(member) ||
            is_safe(uid, model_.pods[member].namespace_name(), priority)) {
            return;
        }
        if (rest.victim.uid.empty()) {
            rest.victim = {uid, Victim::Kind::pod, *reason};
            rest.created = model_.pods[member].created();
            rest.priority = priority;
            set_queue(rest, account->queue);
        } else {
            rest.others.push_back(uid);
        }
        rest.priority = std::max(rest.priority, priority);
        const std::int64_t created_ms = model_.pods[member].created() * 1'000;
        rest.work_lost += std::max<std::int64_t>(now_ms_ - created_ms, 0);
        rest.amounts.add(model_.pods[member].requests(), 1);
        add_room(uid, rest.room);
        ++rest.pods;
    }
    if (!rest.victim.uid.empty()) {
        found_.push_back(std::move(rest));
    }
}

/// A gang has ended as soon as its driver is being deleted; its pods hold room for a while. What is
/// left of one whose driver has gone counts when it is being deleted: it may stay for ever. So may
/// members of a pod group whom nobody asks to go: no garbage collector takes them.
void VictimList::add_ending(const Application& app) {
    const auto driver = model_.pods.find(app.uid);
    if (driver && is_being_deleted(model_.pods, *driver)) {
        add_room(app.uid, ending_);
    }
    const bool is_all_going = evictions_.is_broken(app.uid) ||
                              (app.group.empty() && driver && is_being_deleted(model_.pods, *driver));
    for (const PodId member : model_.pods.owners().members_of(app.uid)) {
        if (is_all_going || is_being_deleted(model_.pods, member)) {
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
    for (const PodId member : model_.pods.owners().members_of(app.uid)) {
        if (model_.pods[member].slot() >= 0 || !model_.pods[member].holds_capacity()) {
            continue;
        }
        const std::string uid = model_.pods.uid(member);
        const bool is_active = !model_.pods.is_compacted(member);
        if (nominated_.contains(uid)) {
            continue;
        }
        if (is_being_deleted(model_.pods, member)) {
            add_room(uid, ending_);
            continue;
        }
        if (is_spared(uid) || (is_active && model_.pods.at(member).bind_in_flight)) {
            continue;
        }
        Evictable one = part_of(of_gang, VictimStep::beyond_reservation);
        one.victim.uid = uid;
        one.victim.kind = Victim::Kind::executor;
        one.work_lost = of_gang.work_lost / std::max<std::int64_t>(of_gang.pods, 1);
        one.created = of_gang.created;
        one.amounts.add(model_.pods[member].requests(), 1);
        one.pods = 1;
        add_room(uid, one.room);
        of_gang.amounts.add(one.amounts, -1);  // it goes before its gang
        found_.push_back(std::move(one));
    }
}

/// Each goes before its gang. Its executor, should one come, takes what is free.
void VictimList::add_open_slots(
    const Application& app, const std::vector<std::size_t>& slots, Evictable& of_gang) {
    for (const std::size_t i : slots) {
        const Slot& slot = app.slots[i];
        Evictable one = part_of(of_gang, VictimStep::open_slot);
        one.victim.uid = app.uid;
        one.victim.kind = Victim::Kind::open_slot;
        one.created = of_gang.created;
        one.victim.node = model_.cluster.allocations().of(slot.allocation).node;
        one.victim.shape = slot.shape;
        one.amounts.add(model_.cluster.resources(app.declared.shapes[slot.shape].id), 1);
        one.room = {slot.allocation};
        of_gang.amounts.add(one.amounts, -1);
        found_.push_back(std::move(one));
    }
}

/// Who asks for as much as its slot is: nothing of the slot is left when it has gone. An object that
/// forbids it, and a budget that keeps one of them, are kept.
std::vector<std::size_t> VictimList::executors_that_may_go(
    const Application& app, const std::vector<std::size_t>& slots) const {
    std::vector<std::size_t> found;
    if (goes_whole(app)) {
        return found;
    }
    for (const std::size_t i : slots) {
        const Slot& slot = app.slots[i];
        const core::Resources& size = model_.cluster.resources(app.declared.shapes[slot.shape].id);
        if (fits_within(size, model_.pods[slot.pod].requests()) && !is_left_alone(slot.pod)) {
            found.push_back(i);
        }
    }
    return found;
}

/// Each goes before its gang. Who is on its way out has nobody evicted.
void VictimList::add_soft_executors(
    const Application& app, const std::vector<std::size_t>& slots, Evictable& of_gang) {
    for (const std::size_t i : slots) {
        const Slot& slot = app.slots[i];
        const bool is_leaving = slot.state == SlotState::draining;
        Evictable one =
            part_of(of_gang, is_leaving ? VictimStep::open_slot : VictimStep::soft_executor);
        one.victim.uid = model_.pods.uid(slot.pod);
        one.victim.kind = Victim::Kind::soft_executor;
        one.created = model_.pods[slot.pod].created();
        one.work_lost =
            is_leaving ? 0 : std::max<std::int64_t>(now_ms_ - one.created * 1'000, 0);
        one.amounts.add(model_.cluster.allocations().resources_of(slot.allocation), 1);
        one.room = {slot.allocation};
        one.pods = 1;
        of_gang.amounts.add(one.amounts, -1);
        found_.push_back(std::move(one));
    }
}

void VictimList::add_room(const std::string& uid, std::vector<core::AllocationId>& room) const {
    if (const auto allocation = model_.cluster.pods().find(uid)) {
        room.push_back(*allocation);
    }
}

/// Without its soft slots, which are victims of their own.
void VictimList::add_gang_room(
    const Application& app, const SoftSlots& soft, Evictable& gang) const {
    add_room(app.uid, gang.room);
    gang.pods = 1;
    for (std::size_t i = 0; i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        const bool is_soft = std::binary_search(soft.open.begin(), soft.open.end(), i) ||
                             std::binary_search(soft.filled.begin(), soft.filled.end(), i);
        if (!slot.allocation.is_none() && !is_soft) {
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
    for (const PodId member : model_.pods.owners().members_of(app.uid)) {
        if (model_.pods[member].slot() < 0 && model_.pods[member].holds_capacity()) {
            add_room(model_.pods.uid(member), gang.room);
            ++gang.pods;
        }
    }
}

/// As if all before it that were taken had gone. Of queues above both nothing changes hands.
bool VictimList::keeps_guarantees(const Evictable& one, const PreemptorRights& rights) {
    const QueueTree& tree = model_.shares.tree;
    bool is_kept = true;
    tree.for_each_above(one.queue, [&](QueueIndex queue) {
        if (tree.at(queue).guarantee.empty() || rights.is_below(queue)) {
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
        tree.for_each_above(one.queue, [&](QueueIndex queue) {
            if (!tree.at(queue).guarantee.empty()) {
                gone_[queue].add(one.amounts, 1);
            }
        });
    }
    return is_kept;
}

}  // namespace gang
