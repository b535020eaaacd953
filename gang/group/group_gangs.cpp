#include "gang/group/group_gangs.hpp"

#include "gang/declare/spark/text.hpp"
#include "gang/durations/expected_run.hpp"
#include "gang/group/group_members.hpp"
#include "gang/model/group/group_records.hpp"
#include "gang/model/group/max_wait.hpp"
#include "gang/model/group/min_resources.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <utility>

namespace gang {

void GroupGangs::begin(
    const std::string& key, PodGroup& group, const std::vector<PodEntry*>& chosen) {
    PodEntry& anchor = *chosen.front();
    Application& gang = make_anchor(model_, anchor);
    ENSURE(gang.group == key);
    group.anchor = anchor.pod.uid;
    reshape(group, gang, chosen);
    life_.driver_waits(gang, anchor);
}

void GroupGangs::reshape(
    const PodGroup& group, Application& gang, const std::vector<PodEntry*>& chosen) {
    const PodEntry& anchor = *chosen.front();
    const std::int32_t priority = group.object->priority.value_or(anchor.pod.priority);
    if (std::exchange(gang.priority, priority) != priority) {
        model_.waiting.changed(gang);
        model_.worklist.queue_changed = true;
    }
    model_.gangs.choose_queue(gang, anchor);
    model_.gangs.set_max_wait(gang, max_wait_ms_of(&group, anchor.pod));
    keep_min_resources(group, gang, chosen);
    std::vector<MemberShape> shapes = shapes_of(chosen);
    const auto& now = gang.declared.shapes;
    const bool is_same = !gang.declared.source.empty() &&
                         std::equal(
                             now.begin(),
                             now.end(),
                             shapes.begin(),
                             shapes.end(),
                             [this](const auto& a, const auto& b) {
                                 return a.profile == b.shape.profile && a.count == b.shape.count &&
                                        model_.cluster.resources(a.id) == b.requests &&
                                        model_.cluster.shapes().constraints(a.id) == b.constraints;
                             });
    if (is_same) {
        return;
    }
    std::vector<std::string> warnings;
    if (!group.object->max_wait.empty() && !read_expected_run(group.object->max_wait)) {
        warnings.push_back(
            "pod group " + group.name +
            ": sla-waiting-time = " + spark::quoted(group.object->max_wait) +
            " is no duration such as 90m or 4h and is ignored");
    }
    for (const PodEntry* member : chosen) {
        const auto membership = read_membership(member->pod);
        if (warnings.empty() && membership && !membership->warning.empty()) {
            warnings.push_back("pod " + member->pod.name + ": " + membership->warning);
        }
    }
    model_.shapes.release_all(gang);
    life_.set_members(
        gang,
        "pod group " + group.namespace_name + "/" + group.name,
        std::move(shapes),
        std::move(warnings),
        group.object->topology_key);
}

void GroupGangs::dissolve(PodGroup& group, Application& gang) {
    PodEntry& anchor = model_.pods.at(gang.uid);
    for (const PodId member : model_.pods.owners().sorted_members_of(gang.uid)) {
        PodEntry& entry = model_.pods.expand(member);
        gang.remove_pending(entry.rank());
        model_.gangs.leave_owner(entry);
    }
    anchor.is_driver = false;
    group.anchor.clear();
    model_.gangs.erase(anchor.pod.uid);
}

void GroupGangs::follow(Application& gang, const std::vector<PodEntry*>& members) {
    for (PodEntry* const member : members) {
        if (member->owner == std::string_view(gang.uid) || member->pod.uid == gang.uid) {
            continue;
        }
        model_.gangs.erase(member->pod.uid);
        member->alone = Alone::no;
        model_.pods.owners().join(*member, gang.uid);
        model_.worklist.dirty_pods.insert(member->pod.uid);
    }
}

void GroupGangs::leave(Application& gang, const std::vector<PodEntry*>& members) {
    for (PodEntry* const member : members) {
        if (member->owner == std::string_view(gang.uid)) {
            gang.remove_pending(member->rank());
            model_.gangs.leave_owner(*member);
        }
    }
}

void GroupGangs::hold(Application& gang, bool member_asks) {
    const bool is_waiting = gang.phase == Phase::waiting;
    model_.gangs.set_held(
        gang, is_waiting && (member_asks || asks_hold(model_.pods.at(gang.uid).pod)));
}

/// What its members themselves ask is room that they wait for anyway. Of a group whose pods run the
/// rest has its room already.
void GroupGangs::keep_min_resources(
    const PodGroup& group, Application& gang, const std::vector<PodEntry*>& chosen) {
    core::Resources members;
    for (const PodEntry* member : chosen) {
        core::add_times(members, member->pod.requests, 1);
    }
    const core::Resources& wanted = group.object->min_resources;
    core::Boxed<core::Resources> kept;
    if (count_placed(model_, group) == 0 && !covers(members, wanted)) {
        kept = wanted;
    }
    if (gang.declared.min_resources != kept) {
        gang.declared.min_resources = std::move(kept);
        model_.waiting.changed(gang);
        model_.worklist.queue_changed = true;
    }
}

void GroupGangs::give_up_done() {
    std::map<std::string, std::vector<std::size_t>> done;
    for (const auto& [uid, slot] : std::exchange(model_.worklist.done_slots, {})) {
        const Application* gang = model_.gangs.find(uid);
        if (gang != nullptr && gang->phase == Phase::running && gang->published.reserved &&
            gang->pending->empty() && slot < gang->slots.size() &&
            gang->slots[slot].state == SlotState::open) {
            done[uid].push_back(slot);
        }
    }
    for (auto& [uid, slots] : done) {
        std::sort(slots.begin(), slots.end());
        slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
        Application& gang = model_.gangs.at(uid);
        model_.ledger.give_up(gang, slots, publisher_.rewrite(gang));
    }
}

}  // namespace gang
