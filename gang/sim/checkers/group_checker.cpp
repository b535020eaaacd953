#include "gang/sim/checkers/group_checker.hpp"

#include "gang/reservation/format/reservation.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gang::sim {
namespace {

constexpr std::int64_t status_ms = 120'000;

}  // namespace

void GroupChecker::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    const GroupId group = world_.cluster.group_jobs.find(entry.id);
    if (group == nobody) {
        return;
    }
    Known& known = known_[group];
    if (author.actor != Actor::scheduler) {
        const bool is_loss = entry.change == Change::deleted || entry.object.deleting ||
                             entry.object.phase == core::PodPhase::failed ||
                             author.actor == Actor::tenant;
        known.harmed = is_loss ? entry.revision : known.harmed;
        known.is_edited = known.is_edited || author.actor == Actor::tenant;
        const bool is_done = entry.object.phase == core::PodPhase::succeeded;
        known.anchor_done =
            is_done && known.anchors.contains(entry.id) ? entry.revision : known.anchor_done;
        return;
    }
    const CapacityModel& model = world_.checkers.capacity_model();
    if (const GangRecord* gang = model.gangs().find(entry.id); gang != nullptr) {
        const auto before = known.slots.find(entry.id);
        known.gave_up =
            known.gave_up || (before != known.slots.end() && gang->slots < before->second);
        known.slots[entry.id] = gang->slots;
    }
    if (model.pods()[entry.id].bound_revision == entry.revision) {
        check_bind(entry, author, known);
    } else if (model.gangs().find(entry.id) != nullptr) {
        world_.record.counts.groups_handed_over += known.anchors.insert(entry.id).second ? 1 : 0;
    }
}

/// Bound and neither ended nor being deleted, or done.
std::int64_t GroupChecker::placed(GroupId group, const core::Resources* size) const {
    const auto& pods = world_.cluster.group_jobs.pods_of(group);
    return std::count_if(pods.begin(), pods.end(), [&](PodId id) {
        const core::Pod* const pod = world_.store.find_pod(id);
        const bool is_ending = pod != nullptr && pod->deleting &&
                               pod->phase != core::PodPhase::succeeded;
        return pod != nullptr && !pod->node_name.empty() && !is_ending &&
               pod->phase != core::PodPhase::failed && (size == nullptr || pod->requests == *size);
    });
}

std::int64_t GroupChecker::open(GroupId group, const core::Resources* size) const {
    const CapacityModel& model = world_.checkers.capacity_model();
    std::int64_t sum = 0;
    for (const PodId id : world_.cluster.group_jobs.pods_of(group)) {
        const GangRecord* const gang = model.gangs().find(id);
        if (gang == nullptr || !gang->is_live) {
            continue;
        }
        sum += size == nullptr ? std::max<std::int64_t>(0, gang->slots - model.pods().assigned(id))
                               : model.open_for(id, amount_of(*size));
    }
    return sum;
}

void GroupChecker::check_bind(
    const Entry<core::Pod>& entry, const Author& author, Known& known) {
    const GroupId group = world_.cluster.group_jobs.find(entry.id);
    const GroupJob& job = world_.cluster.group_jobs.at(group);
    ++world_.record.counts.group_binds;
    const bool is_anchor = core::find_value(entry.object.annotations, reservation_annotation) !=
                               nullptr &&
                           world_.checkers.capacity_model().gangs().find(entry.id) != nullptr;
    if (is_anchor) {
        ++world_.record.counts.groups_started;
        world_.record.counts.groups_anew += known.anchors.empty() ? 0 : 1;
        world_.record.counts.groups_of_roles += job.roles.size() > 1 ? 1 : 0;
        known.anchors.insert(entry.id);
    }
    check_slot(entry.id, group, known.is_edited);
    if (std::max(known.harmed, known.anchor_done) > author.pods_seen || known.gave_up) {
        return;
    }
    const CapacityModel& model = world_.checkers.capacity_model();
    const bool runs = std::any_of(known.anchors.begin(), known.anchors.end(), [&](PodId anchor) {
        const GangRecord* const gang = model.gangs().find(anchor);
        return anchor != entry.id && gang != nullptr && gang->is_live;
    });
    if (runs && known.harmed > 0) {
        return;  // the minimum is held when a group starts: who comes after a loss waits for nobody
    }
    const std::int64_t there = placed(group, nullptr);
    const std::int64_t kept = open(group, nullptr);
    if (there + kept < job.least_minimum) {
        world_.checkers.violated(
            "whole-group",
            fmt::format(
                "r{} binds {} of {} group {}: {} are placed and {} slots are open, of {}",
                author.replica,
                full_name(entry.object),
                to_string(job.dialect),
                job.name,
                there,
                kept,
                job.least_minimum));
        return;
    }
    if (known.harmed > 0 || job.least_minimum <= 1) {
        return;  // a minimum of one is no gang, and who takes the place of one that ran counts by number
    }
    for (const GroupRole& role : job.roles) {
        const std::int64_t of_role = placed(group, &role.requests) + open(group, &role.requests);
        if (role.minimum > 0 && of_role < role.minimum) {
            world_.checkers.violated(
                "whole-group",
                fmt::format(
                    "r{} binds {} of group {}: of {} {} are there or have a slot, of {}",
                    author.replica,
                    full_name(entry.object),
                    job.name,
                    role.name,
                    of_role,
                    role.minimum));
        }
    }
}

void GroupChecker::check_slot(PodId pod, GroupId group, bool is_edited) {
    const CapacityModel& model = world_.checkers.capacity_model();
    const Seen& seen = model.pods()[pod];
    if (seen.gang == nobody || seen.slot < 0) {
        return;
    }
    if (world_.cluster.group_jobs.find(seen.gang) != group) {
        world_.checkers.violated(
            "group-slots", fmt::format("p{} sits in a slot of p{}", pod, seen.gang));
        return;
    }
    const GangRecord* const gang = model.gangs().find(seen.gang);
    const bool is_whole = gang != nullptr && gang->is_live && !gang->is_void;
    if (model.pods().rivals(pod) > 0) {
        world_.checkers.violated(
            "group-slots", fmt::format("p{} is in a slot that another live pod is in", pod));
    } else if (is_whole && !is_edited && model.pods().assigned(seen.gang) > gang->slots) {
        world_.checkers.violated(
            "group-slots",
            fmt::format(
                "with p{} {} pods sit in the {} slots of p{}",
                pod,
                model.pods().assigned(seen.gang),
                gang->slots,
                seen.gang));
    }
}

void GroupChecker::leads() {
    for (auto& [group, known] : known_) {
        for (const PodId anchor : known.anchors) {
            world_.checkers.forget_unsealed(anchor);
        }
        known.harmed = world_.plan.has_key ? known.harmed : world_.store.revision + 1;
    }
}

void GroupChecker::inspect(const Process& process) {
    for (GroupId id = 0; id < world_.cluster.group_jobs.all().size(); ++id) {
        const GroupJob& job = world_.cluster.group_jobs.at(id);
        const std::int64_t since_ms =
            std::max(job.changed_ms, process.leads_since_ms());
        const auto& pods = world_.cluster.group_jobs.pods_of(id);
        std::int64_t there = 0;
        std::int64_t running = 0;
        for (const PodId pod : pods) {
            const core::Pod* const found = world_.store.find_pod(pod);
            there += found != nullptr ? 1 : 0;
            running += found != nullptr && found->phase == core::PodPhase::running ? 1 : 0;
        }
        if (!job.has_object || job.status_is_others || there == 0 ||
            job.dialect == core::GroupDialect::labels || !world_.faults.is_calm() ||
            world_.now_ms - std::max(since_ms, world_.faults.calm_since_ms()) < status_ms) {
            continue;
        }
        const bool counts = job.dialect != core::GroupDialect::kubernetes;
        const bool is_for_good = job.status.phase == core::GroupPhase::finished ||
                                 job.status.phase == core::GroupPhase::failed;
        const bool is_empty = job.status == core::PodGroupStatus{};
        if ((counts && !is_for_good && job.status.running != running) || is_empty) {
            world_.checkers.violated(
                "group-status",
                fmt::format(
                    "{} group {} has {} pods, {} run; its object says phase {}, {} run",
                    to_string(job.dialect),
                    job.name,
                    there,
                    running,
                    core::word(job.status.phase),
                    job.status.running));
        }
    }
}

}  // namespace gang::sim
