#include "gang/group/group_former.hpp"

#include "gang/group/group_members.hpp"
#include "gang/model/group/group_records.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

namespace gang {

void GroupFormer::on(const PodGroupFound& event) {
    if (const std::string key = model_.groups.found(event, step_.now_ms); !key.empty()) {
        model_.worklist.dirty_groups.insert(key);
        tell_drivers(key);
    }
}

void GroupFormer::on(const PodGroupMissing& event) {
    if (const std::string key = model_.groups.missing(event, step_.now_ms); !key.empty()) {
        model_.worklist.dirty_groups.insert(key);
        tell_drivers(key);
    }
}

/// Those of its drivers that wait, and learn from it how large their gangs are, or in which queue
/// they wait.
std::vector<Application*> GroupFormer::drivers_that_ask(const PodGroup& group) const {
    std::vector<Application*> found;
    for (const std::string& driver : group.drivers) {
        Application* const app = model_.gangs.find(driver);
        if (app != nullptr && app->phase == Phase::waiting &&
            (app->declared.group_needed || model_.shares.is_active())) {
            found.push_back(app);
        }
    }
    return found;
}

void GroupFormer::tell_drivers(const std::string& key) {
    for (Application* const app : drivers_that_ask(*model_.groups.find(key))) {
        if (app->declared.group_needed) {
            life_.look_at_group(*app);
        }
        life_.follow_group(*app, model_.pods.at(app->uid));
        model_.waiting.changed(*app);
        model_.worklist.queue_changed = true;
    }
}

void GroupFormer::ask() {
    for (FetchPodGroup& question : model_.groups.due(step_.now_ms)) {
        step_.decisions.emplace_back(std::move(question));
    }
}

void GroupFormer::run() {
    gangs_.give_up_done();
    while (const auto key = model_.groups.take_deadline(step_.now_ms)) {
        model_.worklist.dirty_groups.insert(*key);
    }
    for (const std::string& key : std::exchange(model_.worklist.dirty_groups, {})) {
        if (PodGroup* const group = model_.groups.find(key)) {
            form(key, *group);
            model_.worklist.group_statuses.insert(key);
        }
    }
}

void GroupFormer::form(const std::string& key, PodGroup& group) {
    Application* gang = live_gang(key, group);
    std::vector<PodEntry*> members = waiting_members(group);
    const bool is_asked = !members.empty() || (gang != nullptr && gang->phase == Phase::waiting);
    if (is_asked || !drivers_that_ask(group).empty()) {
        model_.groups.want(key, step_.now_ms);
    } else {
        model_.groups.rest(key);
    }
    const bool is_sound = group.object && problem_of(*group.object, gang_size_max()).empty();
    const bool is_held = std::any_of(
        members.begin(), members.end(), [](const auto* member) { return asks_hold(member->pod); });
    const bool waits_on_request = is_held || (gang != nullptr && gang->declared.is_held);
    const bool is_given_up = is_asked && is_sound && !waits_on_request && gives_up(key, group);
    if (is_given_up && (gang == nullptr || gang->phase == Phase::waiting)) {
        if (gang != nullptr) {
            gangs_.dissolve(group, *gang);
        }
        let_go_alone(waiting_members(group), Alone::single);
        return;
    }
    if (gang != nullptr && gang->phase == Phase::waiting) {
        PodEntry* const anchor = &model_.pods.at(gang->uid);
        members.insert(members.begin(), anchor);
        const auto chosen = is_sound ? choose(group, members) : std::vector<PodEntry*>{};
        if (!chosen.empty() && chosen.front() == anchor) {
            gangs_.reshape(group, *gang, chosen);
        } else {
            gangs_.dissolve(group, *gang);
            gang = nullptr;
            members = waiting_members(group);
        }
    }
    if (gang != nullptr && is_gone(group)) {
        gangs_.leave(*gang, members);
        let_wait(group, members);
    } else if (gang != nullptr) {
        if (group.object) {
            life_.set_topology(*gang, group.object->topology_key);
        }
        gangs_.follow(*gang, members);
        gangs_.hold(*gang, is_held);
    } else if (!is_sound) {
        let_wait(group, members);
    } else if (starts_one_by_one(group)) {
        let_go_alone(members, Alone::single);
    } else if (count_placed(model_, group) >= group.object->min_members) {
        let_go_alone(members, Alone::surplus);
    } else if (const auto chosen = choose(group, members); !chosen.empty()) {
        gangs_.begin(key, group, chosen);
        std::erase(members, chosen.front());
        gangs_.follow(model_.gangs.at(group.anchor), members);
        gangs_.hold(model_.gangs.at(group.anchor), is_held);
    } else {
        let_wait(group, members);
    }
}

/// Its time is over: from here on its members start one by one. Counted from its oldest pod, so
/// that a restart changes nothing.
bool GroupFormer::gives_up(const std::string& key, const PodGroup& group) {
    if (group.soft_after_ms == 0) {
        return false;
    }
    std::optional<std::int64_t> oldest;
    for (const PodId id : group.members) {
        const PodEntry* const member =
            model_.pods.is_compacted(id) ? nullptr : model_.pods.find_active(model_.pods.uid(id));
        if (member != nullptr && (!oldest || member->pod.created < *oldest)) {
            oldest = member->pod.created;
        }
    }
    const std::int64_t at_ms = oldest.value_or(0) * 1000 + group.soft_after_ms;
    if (at_ms > step_.now_ms) {
        model_.groups.look_again(key, at_ms);
        return false;
    }
    return true;
}

/// A minimum of one asks for no company. Its first pod is a gang of one where more must be free
/// than it asks for itself.
bool GroupFormer::starts_one_by_one(const PodGroup& group) const {
    const core::PodGroup& object = *group.object;
    return object.min_members < 1 ||
           (object.min_members == 1 &&
            (object.min_resources == core::Resources{} || count_placed(model_, group) > 0));
}

std::int64_t GroupFormer::gang_size_max() const {
    return model_.schema.gang.max_gang_size;
}

/// Who starts now, in order; nobody if they are too few.
std::vector<PodEntry*> GroupFormer::choose(
    const PodGroup& group, const std::vector<PodEntry*>& members) const {
    const std::int64_t placed = count_placed(model_, group);
    const std::int64_t needed = group.object->min_members - placed;
    std::vector<PodEntry*> able;
    for (PodEntry* member : members) {
        if (member->pod.problem.empty() && !model_.find_claim_obstacle(member->pod)) {
            able.push_back(member);
        }
    }
    // Of members that run nobody remembers the role: who takes their places counts by number.
    return choose_members(
        able, placed == 0 ? group.object->roles : std::vector<core::RoleMinimum>{}, needed);
}

/// The gang that the group is now; nullptr: it is none. One that runs without a reservation holds
/// nothing for the others: it is none any more.
Application* GroupFormer::live_gang(const std::string& key, PodGroup& group) {
    const auto live = [&](PodId member) {
        Application* const app = find_anchored(model_, member);
        return app == nullptr || app->phase == Phase::ended || app->group != key ? nullptr : app;
    };
    for (const PodId member : group.members) {
        Application* const app = live(member);
        if (app != nullptr && app->phase == Phase::running &&
            (!app->published.reserved || is_over(model_, member))) {
            life_.end(*app);  // another member may go on with it
        }
    }
    Application* found = nullptr;
    for (const PodId member : group.members) {
        Application* const app = live(member);
        if (app != nullptr && (found == nullptr || app->order() < found->order())) {
            found = app;
        }
    }
    group.anchor = found == nullptr ? std::string() : found->uid;
    return found;
}

/// Members that may be bound and are not the anchor, in order. Whoever was one of a gang that is
/// over is nobody's now.
std::vector<PodEntry*> GroupFormer::waiting_members(const PodGroup& group) {
    std::vector<PodEntry*> waiting;
    for (const PodId id : group.members) {
        if (model_.pods.is_compacted(id)) {
            continue;
        }
        PodEntry& member = *model_.pods.find_active(model_.pods.uid(id));
        if (member.is_driver || !member.is_bindable()) {
            continue;
        }
        if (!member.owner.empty() && member.owner != std::string_view(group.anchor)) {
            Application* const owner = model_.gangs.find_owner(member);
            if (owner != nullptr && owner->group.empty()) {
                continue;  // an executor of a driver of ours
            }
            if (owner != nullptr) {
                owner->remove_pending(member.rank());
            }
            model_.gangs.leave_owner(member);
        }
        waiting.push_back(&member);
    }
    std::sort(waiting.begin(), waiting.end(), [](const PodEntry* a, const PodEntry* b) {
        return a->rank() < b->rank();
    });
    return waiting;
}

void GroupFormer::let_wait(PodGroup& group, const std::vector<PodEntry*>& members) {
    const std::size_t nodes = model_.cluster.nodes().count();
    const std::string problem = first_problem(members);
    for (PodEntry* const member : members) {
        member->alone = Alone::no;
        model_.gangs.erase(member->pod.uid);
        const auto obstacle = model_.find_claim_obstacle(member->pod);
        if (!member->pod.problem.empty()) {
            StatusMessage message = problem_message(nodes, member->pod.problem);
            group.told_code = message.code;
            group.told = message.sentence;
            status_reporter_.report(member->pod, std::move(message), step_.now_ms);
        } else if (obstacle && group.object) {
            if (!obstacle->text.empty()) {
                status_reporter_.report(
                    member->pod,
                    volume_message(nodes, obstacle->code, obstacle->text),
                    step_.now_ms);
            }
        } else if (StatusMessage message = why_waiting(group); message.code != ReasonCode::none) {
            message.sentence += problem.empty() ? "" : "; " + problem;
            group.told_code = message.code;
            group.told = message.sentence;
            status_reporter_.report(member->pod, std::move(message), step_.now_ms);
        }
    }
}

StatusMessage GroupFormer::why_waiting(const PodGroup& group) const {
    const std::size_t nodes = model_.cluster.nodes().count();
    if (!group.object) {
        return group.missing ? group_missing_message(nodes, *group.missing) : StatusMessage{};
    }
    const std::string name = "pod group " + group.namespace_name + "/" + group.name;
    if (group.is_silent) {
        return {
            ReasonCode::waiting_for_pod_group,
            "0/" + std::to_string(nodes) + " nodes looked at: " + name +
                " waits: " + group.object->problem};
    }
    if (std::string problem = problem_of(*group.object, gang_size_max()); !problem.empty()) {
        return problem_message(nodes, name + ": " + problem);
    }
    std::vector<PodEntry*> there;
    for (const PodId id : group.members) {
        PodEntry* const member =
            model_.pods.is_compacted(id) ? nullptr : model_.pods.find_active(model_.pods.uid(id));
        if (member != nullptr && member->is_bindable() && member->pod.problem.empty()) {
            there.push_back(member);
        }
    }
    return {
        ReasonCode::waiting_for_pod_group,
        "0/" + std::to_string(nodes) + " nodes looked at: " + name + " has " +
            describe_lack(
                there, group.object->roles, count_placed(model_, group), group.object->min_members)};
}

void GroupFormer::let_go_alone(const std::vector<PodEntry*>& members, Alone how) {
    for (PodEntry* const member : members) {
        if (std::exchange(member->alone, how) != how) {
            model_.gangs.erase(member->pod.uid);
            model_.worklist.dirty_pods.insert(member->pod.uid);
        }
    }
}

}  // namespace gang
