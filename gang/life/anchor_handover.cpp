#include "gang/life/anchor_handover.hpp"

#include "gang/model/group/group_records.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace gang {

void AnchorHandover::hand_over(Application& gang) {
    if (gang.group.empty() || gang.phase != Phase::running || !gang.published.reserved ||
        gang.published.is_unproven || model_.worklist.to_adopt.contains(gang.rank()) ||
        model_.evicting.contains(gang.uid)) {
        return;  // its pods are asked to go one after the other, the anchor first
    }
    const auto place = find_heir(gang);
    if (!place) {
        return;
    }
    PodEntry& bearer = model_.pods.expand(gang.slots[*place].pod);
    model_.gangs.leave_owner(bearer);
    bearer.is_driver = true;
    Application& heir = model_.gangs.ensure(bearer, true);
    take_over(gang, heir);
    const std::int64_t generation = publisher_.rewrite(heir);
    --heir.declared.shapes[heir.slots[*place].shape].count;
    model_.ledger.take_out(heir, *place);
    model_.ledger.pod_allocations().settle(bearer);
    model_.shapes.set_driver(heir, bearer.pod);
    heir.health.driver_runs =
        heir.health.driver_runs || bearer.pod.phase == core::PodPhase::running;
    if (!heir.health.driver_runs) {
        stuck_.expect_running(heir);
    }
    follow_done_slots(gang, heir, *place);
    follow_nominations(gang, heir);
    move_members(gang, heir);
    if (model_.pods[model_.pods.id_of(gang.uid)].phase() != core::PodPhase::succeeded ||
        !heir.pending->empty()) {
        keep_place(gang, heir);
    }
    for (Slot& slot : heir.slots) {
        slot.since = heir.since(generation);  // also those that open before it is written
    }
    model_.groups.find(heir.group.str())->anchor = heir.uid;
    model_.worklist.dirty_gangs.insert(heir.uid);
    model_.worklist.to_check.insert(heir.uid);
    compaction_.compact_if_settled(bearer);
}

/// The oldest whose bind was carried out, and who is neither on its way out nor asked to go.
std::optional<std::size_t> AnchorHandover::find_heir(const Application& gang) const {
    std::optional<std::size_t> found;
    const auto rank_of = [this, &gang](std::size_t slot) {
        const PodId pod = gang.slots[slot].pod;
        return Rank{model_.pods[pod].created(), model_.pods.uid(pod)};
    };
    for (std::size_t i = 0; i < gang.slots.size(); ++i) {
        const Slot& slot = gang.slots[i];
        if (slot.state == SlotState::bound && model_.pods[slot.pod].holds_capacity() &&
            !model_.evicting.contains(model_.pods.uid(slot.pod)) &&
            (!found || rank_of(i) < rank_of(*found))) {
            found = i;
        }
    }
    return found;
}

/// Its slots, and all that is known of it beside what its anchor's own pod is.
void AnchorHandover::take_over(Application& gang, Application& heir) {
    if (const QueueAccount* const account = model_.shares.charges.find(gang.uid)) {
        model_.shares.charges.assign(heir.uid, QueueAccount(*account));
    }
    model_.ledger.hand_over(gang, heir);
    std::swap(heir.declared, gang.declared);
    std::swap(heir.declared.driver_shape, gang.declared.driver_shape);
    heir.pending = std::exchange(gang.pending, {});
    heir.phase = Phase::running;
    heir.milestones = gang.milestones;
    heir.waiting_since_ms = gang.waiting_since_ms;
    heir.bound_ms = gang.bound_ms;
    heir.priority = gang.priority;
    heir.health.driver_runs = gang.health.driver_runs;
    const core::Text first = model_.texts.keep(gang.gang_uid());
    heir.published = std::exchange(gang.published, {});
    heir.published.gang = first;
    heir.published.annotation = {};
    heir.published.is_shown = false;
    heir.published.writing = 0;
    heir.published.rewrites.reset();
}

/// For whoever comes in the place of the one that failed, or is deleted: where it was, if there is
/// room already, or wherever there is.
void AnchorHandover::keep_place(const Application& gang, Application& heir) {
    const auto shape = find_shape(gang, heir);
    if (!shape) {
        return;
    }
    const std::string& node = model_.pods[model_.pods.id_of(gang.uid)].node();
    model_.ledger.add(heir, *shape, node, 1);
    Slot& slot = heir.slots.back();
    const auto index = model_.cluster.nodes().find(node);
    const core::ShapeId id = heir.declared.shapes[*shape].id;
    if (index && capacity_in_all(model_.cluster, *index, id, core::View::free) > 0) {
        model_.ledger.open(heir, slot, node);
    } else {
        model_.worklist.degraded.insert(heir.rank());
    }
}

/// What the anchor itself asked, as a shape of slots; nothing: a text has no place for one more.
std::optional<std::size_t> AnchorHandover::find_shape(const Application& gang, Application& heir) {
    if (!gang.declared.driver_shape) {
        return std::nullopt;
    }
    const core::ShapeId own = *gang.declared.driver_shape;
    const std::int32_t profile = model_.pods[model_.pods.id_of(gang.uid)].profile();
    std::vector<GangShape>& shapes = heir.declared.shapes;
    const auto known = std::find_if(shapes.begin(), shapes.end(), [&](const GangShape& shape) {
        return shape.profile == profile &&
               model_.cluster.resources(shape.id) == model_.cluster.resources(own);
    });
    if (known != shapes.end()) {
        ++known->count;
        return static_cast<std::size_t>(known - shapes.begin());
    }
    if (shapes.size() >= reservation_shapes_max) {
        return std::nullopt;
    }
    const core::Resources amounts = model_.cluster.resources(own);
    const core::Constraints constraints = model_.cluster.shapes().constraints(own);
    model_.shapes.add(heir, {profile, 1, -1, {}, true}, amounts, constraints);
    return shapes.size() - 1;
}

void AnchorHandover::move_members(const Application& gang, const Application& heir) {
    for (const PodId id : model_.pods.owners().sorted_members_of(gang.uid)) {
        PodEntry& member = model_.pods.expand(id);
        model_.gangs.leave_owner(member);
        model_.pods.owners().join(member, heir.uid);
        model_.ledger.pod_allocations().settle(member);
        compaction_.compact_if_settled(member);
    }
}

/// Who was to go for another gang goes under the heir's name.
void AnchorHandover::follow_nominations(const Application& gang, const Application& heir) {
    for (auto& [uid, nomination] : model_.nominations.all()) {
        for (Victim& victim : nomination.victims) {
            if (victim.uid == gang.uid) {
                victim.uid = heir.uid;
            }
        }
    }
}

/// Those whose members have done their work are given up in the next tick, by number: a slot before
/// them has ceased to be.
void AnchorHandover::follow_done_slots(
    const Application& gang, const Application& heir, std::size_t left) {
    auto& done = model_.worklist.done_slots;
    std::erase_if(
        done, [&](const auto& slot) { return slot.first == gang.uid && slot.second == left; });
    for (auto& [uid, slot] : done) {
        if (uid == gang.uid) {
            uid = heir.uid;
            slot -= slot > left ? 1 : 0;
        }
    }
}

}  // namespace gang
