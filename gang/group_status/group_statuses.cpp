#include "gang/group_status/group_statuses.hpp"

#include "gang/model/group/member_choice.hpp"
#include "gang/model/group/pod_groups.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace gang {
namespace {

/// A gang that starts at once is written once.
constexpr std::int64_t settle_ms = 1'000;
/// Between two writes that differ in numbers or in a text alone.
constexpr std::int64_t soft_gap_ms_of_groups = 5'000;
/// An answer that takes longer is taken for lost.
constexpr std::int64_t read_again_ms = 60'000;
/// Of all groups of a dialect, once a write of one was refused for want of the right, or of a
/// token.
constexpr std::int64_t forbidden_pause_ms = 60'000;
constexpr std::int64_t write_retry_ms = 2'000;
constexpr std::int64_t write_retry_max_ms = 5 * 60'000;
constexpr int statuses_per_second = 20;

std::string group_key(core::GroupDialect dialect, const std::string& place) {
    return std::to_string(static_cast<int>(dialect)) + " " + place;
}

bool is_soft(const core::PodGroupStatus& wanted, const core::PodGroupStatus& stored) {
    return wanted.phase == stored.phase && wanted.condition == stored.condition &&
           wanted.reason == stored.reason;
}

}  // namespace

void GroupStatuses::on(const PodGroupFound& event) {
    const std::string key = group_key(event.dialect, event.namespace_name + "/" + event.name);
    if (PodGroup* const group = model_.groups.find(key); group != nullptr && model_.term.leads) {
        GroupStatusRecord& record = group->status;
        schedule(key, record, std::max(step_.now_ms + settle_ms, record.not_before_ms));
    }
}

/// Whoever makes the group of an application makes it before its driver, mostly: after the next
/// question only what changes asks again.
void GroupStatuses::on(const PodGroupMissing& event) {
    const std::string key = group_key(event.dialect, event.namespace_name + "/" + event.name);
    PodGroup* const group = model_.groups.find(key);
    if (group == nullptr || group->drivers.empty() || group->status.is_read) {
        return;
    }
    due_.erase({group->status.due_ms, key});
    group->status.due_ms = 0;
    group->status.not_before_ms = step_.now_ms + read_again_ms;
}

void GroupStatuses::on(const GroupStatusWritten& event) {
    const std::string key = group_key(event.dialect, event.namespace_name + "/" + event.name);
    PodGroup* const group = model_.groups.find(key);
    if (group == nullptr || !group->status.writing) {
        return;  // another leadership term's, or its pods are gone
    }
    ++step_.counters.group_statuses[static_cast<std::size_t>(event.outcome)];
    GroupStatusRecord& record = group->status;
    const core::PodGroupStatus written = *std::exchange(record.writing, std::nullopt);
    switch (event.outcome) {
        case GroupStatusOutcome::written:
            paused_until(event.dialect) = 0;
            record.stored = written;
            record.failures = 0;
            record.written_ms = step_.now_ms;
            model_.worklist.group_statuses.insert(key);
            break;
        case GroupStatusOutcome::others:
        case GroupStatusOutcome::refused:
            record.is_left = true;
            break;
        case GroupStatusOutcome::forbidden:
            paused_until(event.dialect) = step_.now_ms + forbidden_pause_ms;
            model_.worklist.group_statuses.insert(key);
            break;
        case GroupStatusOutcome::gone:
            record.is_read = false;  // read again with the next change
            break;
        case GroupStatusOutcome::failed:
            record.not_before_ms =
                step_.now_ms + doubled(write_retry_ms, record.failures++, write_retry_max_ms);
            model_.worklist.group_statuses.insert(key);
            break;
    }
}

/// What another leader wrote is read first.
void GroupStatuses::on(const LeadershipGained&) {
    forget_all();
    for (const auto& [key, group] : model_.groups.all()) {
        model_.worklist.group_statuses.insert(key);
    }
}

void GroupStatuses::on(const LeadershipLost&) {
    forget_all();
}

void GroupStatuses::forget_all() {
    due_.clear();
    paused_until_ms_ = {};
    model_.groups.forget_statuses();
    model_.worklist.group_statuses.clear();
}

void GroupStatuses::schedule(
    const std::string& key, GroupStatusRecord& record, std::int64_t at_ms) {
    if (record.due_ms != 0 && record.due_ms <= at_ms) {
        return;
    }
    due_.erase({record.due_ms, key});
    record.due_ms = at_ms;
    due_.insert({at_ms, key});
}

void GroupStatuses::run() {
    for (const std::string& key : std::exchange(model_.worklist.group_statuses, {})) {
        PodGroup* const group = model_.groups.find(key);
        if (group == nullptr || group->dialect == core::GroupDialect::labels) {
            continue;
        }
        GroupStatusRecord& record = group->status;
        if (!record.is_left && !record.writing) {
            schedule(key, record, std::max(step_.now_ms + settle_ms, record.not_before_ms));
        }
    }
    while (!due_.empty() && due_.begin()->first <= step_.now_ms) {
        PodGroup* const group = model_.groups.find(due_.begin()->second);
        // A group of that name may have come anew, and is due at another time.
        const bool is_stale = group == nullptr || group->status.due_ms != due_.begin()->first;
        if (!is_stale && !may_send()) {
            step_.wake_at((second_ + 1) * 1000);
            return;
        }
        const std::string key = due_.begin()->second;
        due_.erase(due_.begin());
        if (!is_stale) {
            group->status.due_ms = 0;
            look(key, *group);
        }
    }
    if (!due_.empty()) {
        step_.wake_at(due_.begin()->first);
    }
}

bool GroupStatuses::may_send() {
    if (second_ != step_.now_ms / 1000) {
        second_ = step_.now_ms / 1000;
        sent_ = 0;
    }
    return sent_ < statuses_per_second;
}

void GroupStatuses::look(const std::string& key, PodGroup& group) {
    GroupStatusRecord& record = group.status;
    if (record.is_left || record.writing) {
        return;
    }
    if (paused_until(group.dialect) > step_.now_ms) {
        schedule(key, record, paused_until(group.dialect));
        return;
    }
    if (!record.is_read) {
        // It is asked for anyway while members wait; of one that is not there nobody asks again,
        // but for a driver's: nobody waits for that.
        const bool is_wanted = !group.missing || !group.drivers.empty();
        if (is_wanted && !model_.groups.is_asking(key)) {
            ++sent_;
            step_.decisions.emplace_back(
                FetchPodGroup{group.dialect, group.namespace_name, group.name});
            schedule(key, record, step_.now_ms + read_again_ms);
        }
        return;
    }
    if (!record.uid.empty()) {
        write(key, group);
    }
}

void GroupStatuses::write(const std::string& key, PodGroup& group) {
    GroupStatusRecord& record = group.status;
    const GroupFacts facts = facts_of(group);
    tell_problem(group, facts);
    core::PodGroupStatus wanted = status_of(facts, record.stored);
    const bool is_same_condition = wanted.condition == record.stored.condition;
    wanted.since_ms = wanted.condition == core::GroupCondition::none ? 0
                      : is_same_condition                            ? record.stored.since_ms
                                                                     : step_.now_ms / 1000 * 1000;
    if (wanted == record.stored) {
        return;
    }
    const std::int64_t soft_ms = record.written_ms + soft_gap_ms_of_groups;
    if (is_soft(wanted, record.stored) && record.written_ms != 0 && soft_ms > step_.now_ms) {
        schedule(key, record, soft_ms);
        return;
    }
    if (paused_until(group.dialect) != 0) {
        paused_until(group.dialect) = step_.now_ms + forbidden_pause_ms;  // one finds out for all
    }
    ++sent_;
    record.writing = wanted;
    step_.decisions.emplace_back(WriteGroupStatus{
        group.dialect,
        group.namespace_name,
        group.name,
        record.uid,
        record.api_version,
        std::move(wanted)});
}

void GroupStatuses::count(PodId id, GroupFacts& facts, std::optional<Rank>& first) const {
    const core::PodPhase phase = model_.pods[id].phase();
    ++facts.pods;
    facts.scheduled += model_.pods[id].node().empty() ? 0 : 1;
    facts.running += phase == core::PodPhase::running ? 1 : 0;
    facts.succeeded += phase == core::PodPhase::succeeded ? 1 : 0;
    facts.failed += phase == core::PodPhase::failed ? 1 : 0;
    const PodEntry* const member =
        model_.pods.is_compacted(id) ? nullptr : model_.pods.find_active(model_.pods.uid(id));
    if (member == nullptr) {
        return;
    }
    facts.is_waiting = facts.is_waiting || member->is_bindable();
    if (!member->pod.owners.empty() && (!first || member->rank() < *first)) {
        first = member->rank();
        std::vector<std::string> owners;
        for (const core::OwnerReference& owner : member->pod.owners) {
            owners.push_back(member->pod.namespace_name + "/" + owner.name);
        }
        std::sort(owners.begin(), owners.end());
        facts.occupied_by.clear();
        for (const std::string& owner : owners) {
            facts.occupied_by += (facts.occupied_by.empty() ? "" : ",") + owner;
        }
    }
}

/// Executors do not exist while their driver waits: they are counted as declared.
void GroupStatuses::count_application(
    const std::string& driver, GroupFacts& facts, std::optional<Rank>& first) const {
    const auto id = model_.pods.find(driver);
    if (!id) {
        return;
    }
    count(*id, facts, first);
    const Application* const gang = model_.gangs.find(driver);
    if (gang != nullptr && gang->phase == Phase::waiting) {
        for (const GangShape& shape : gang->declared.shapes) {
            facts.pods += shape.count;
        }
    }
    // An executor without room does not make the gang wait, which has its own.
    const bool is_waiting = facts.is_waiting;
    std::optional<Rank> none;
    const std::string owners = facts.occupied_by;
    for (const PodId executor : model_.pods.owners().members_of(driver)) {
        count(executor, facts, none);
    }
    facts.is_waiting = is_waiting;
    facts.occupied_by = owners;
}

/// Drivers that ended; none as long as one of them has not.
ApplicationEnd GroupStatuses::end_of(const std::set<std::string>& drivers) const {
    bool has_failed = false;
    for (const std::string& driver : drivers) {
        const auto id = model_.pods.find(driver);
        const core::PodPhase phase = id ? model_.pods[*id].phase() : core::PodPhase::unknown;
        if (phase != core::PodPhase::succeeded && phase != core::PodPhase::failed) {
            return ApplicationEnd::none;
        }
        has_failed = has_failed || phase == core::PodPhase::failed;
    }
    return has_failed ? ApplicationEnd::failed : ApplicationEnd::succeeded;
}

GroupFacts GroupStatuses::facts_of(const PodGroup& group) const {
    GroupFacts facts;
    facts.dialect = group.dialect;
    facts.api_version = group.status.api_version;
    facts.is_application = group.members.empty();
    if (!facts.is_application) {
        facts.minimum = group.object ? group.object->min_members : 1;
        facts.is_sound =
            group.object && problem_of(*group.object, model_.schema.gang.max_gang_size).empty();
    }
    std::optional<Rank> first;
    for (const PodId id : group.members) {
        count(id, facts, first);
    }
    for (const std::string& driver : group.drivers) {
        count_application(driver, facts, first);
    }
    if (facts.is_application) {
        facts.end = end_of(group.drivers);
    }
    if (facts.is_waiting) {
        facts.code = group.told_code;
        facts.text = group.told;
    }
    return facts;
}

/// Coscheduling's status has no room for a sentence, and an event is found by `kubectl describe`.
void GroupStatuses::tell_problem(PodGroup& group, const GroupFacts& facts) {
    const bool is_bad = group.object && !facts.is_sound && facts.is_waiting;
    const std::string problem = is_bad ? facts.text : std::string();
    if (problem.empty() || problem == group.status.told_problem) {
        return;
    }
    group.status.told_problem = problem;
    RecordEvent event;
    event.pod = {group.namespace_name, group.name, group.status.uid};
    event.warning = true;
    event.reason = "InvalidPodGroup";
    event.message = problem;
    event.group_api_version = group.status.api_version;
    step_.decisions.emplace_back(std::move(event));
}

}  // namespace gang
