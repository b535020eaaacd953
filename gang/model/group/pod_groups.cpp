#include "gang/model/group/pod_groups.hpp"

#include <utility>

namespace gang {

std::string PodGroups::key_of(
    GroupDialect dialect, const std::string& namespace_name, const std::string& name) {
    return std::to_string(static_cast<int>(dialect)) + " " + namespace_name + "/" + name;
}

std::string PodGroups::key_of(const core::Pod& pod, const GroupMembership& membership) {
    const std::string key = key_of(membership.dialect, pod.namespace_name, membership.name);
    return membership.family.empty() ? key : std::string(membership.family) + " " + key;
}

void PodGroups::join(const PodEntry& entry, const GroupMembership& membership) {
    PodGroup& group = groups_[entry.group.str()];
    group.dialect = membership.dialect;
    group.namespace_name = entry.pod.namespace_name;
    group.name = membership.name;
    group.members.insert(entry.id);
    // Of members that disagree the first one counts: what is said once is not unsaid by a later
    // pod.
    if (membership.dialect == GroupDialect::labels && (!group.object || group.is_silent)) {
        group.object = core::PodGroup{membership.minimum, membership.roles, membership.problem};
        group.is_silent = membership.is_silent;
        group.soft_after_ms = membership.soft_after_ms;
    }
}

void PodGroups::leave(const PodEntry& entry) {
    const auto group = groups_.find(entry.group.str());
    if (group == groups_.end()) {
        return;
    }
    group->second.members.erase(entry.id);
    forget_if_unused(entry.group.str());
}

void PodGroups::set_driver_group(
    const core::Pod& driver, const std::optional<GroupMembership>& named) {
    const auto before = driver_groups_.find(driver.uid);
    const std::string key = named ? key_of(driver, *named) : std::string();
    if (before != driver_groups_.end() && before->second != key) {
        const std::string left = before->second;
        driver_groups_.erase(before);
        groups_.at(left).drivers.erase(driver.uid);
        forget_if_unused(left);
    }
    if (named) {
        driver_groups_[driver.uid] = key;
        PodGroup& group = groups_[key];
        group.dialect = named->dialect;
        group.namespace_name = driver.namespace_name;
        group.name = named->name;
        group.drivers.insert(driver.uid);
    }
}

const std::string* PodGroups::find_driver_group(std::string_view driver) const {
    const auto found = driver_groups_.find(driver);
    return found == driver_groups_.end() ? nullptr : &found->second;
}

const PodGroup* PodGroups::group_of_driver(std::string_view driver) const {
    const std::string* const key = find_driver_group(driver);
    return key == nullptr ? nullptr : find(*key);
}

void PodGroups::forget_if_unused(const std::string& key) {
    const auto group = groups_.find(key);
    if (!group->second.members.empty() || !group->second.drivers.empty()) {
        return;
    }
    asker_.forget(key);
    std::erase_if(deadlines_, [&key](const auto& deadline) { return deadline.second == key; });
    groups_.erase(group);
}

PodGroup* PodGroups::find(std::string_view key) {
    const auto group = groups_.find(key);
    return group == groups_.end() ? nullptr : &group->second;
}

const PodGroup* PodGroups::find(std::string_view key) const {
    const auto group = groups_.find(key);
    return group == groups_.end() ? nullptr : &group->second;
}

void PodGroups::forget_statuses() {
    for (auto& [key, group] : groups_) {
        group.status = {};
    }
}

void PodGroups::want(const std::string& key, std::int64_t now_ms) {
    if (const PodGroup* group = find(key); group->dialect != GroupDialect::labels) {
        asker_.want(key, now_ms);
    }
}

std::optional<std::string> PodGroups::take_deadline(std::int64_t now_ms) {
    if (deadlines_.empty() || deadlines_.begin()->first > now_ms) {
        return std::nullopt;
    }
    return std::move(deadlines_.extract(deadlines_.begin()).value().second);
}

std::optional<std::int64_t> PodGroups::next_due_ms(std::int64_t now_ms) const {
    const auto asked = asker_.next_due_ms(now_ms);
    if (deadlines_.empty() || (asked && *asked <= deadlines_.begin()->first)) {
        return asked;
    }
    return deadlines_.begin()->first;
}

std::string PodGroups::found(const PodGroupFound& event, std::int64_t now_ms) {
    const std::string key = key_of(event.dialect, event.namespace_name, event.name);
    PodGroup* const group = find(key);
    if (group == nullptr) {
        return {};
    }
    asker_.missing(key, now_ms);  // it may change while its pods wait
    const bool is_same = group->object == event.group;
    group->object = event.group;
    group->missing.reset();
    if (GroupStatusRecord& status = group->status; !status.writing) {
        status.is_left = status.is_left && status.uid == event.uid;
        status.is_read = true;
        status.uid = event.uid;
        status.api_version = event.api_version;
        status.stored = event.status;
    }
    return is_same ? std::string() : key;
}

std::string PodGroups::missing(const PodGroupMissing& event, std::int64_t now_ms) {
    const std::string key = key_of(event.dialect, event.namespace_name, event.name);
    PodGroup* const group = find(key);
    if (group == nullptr) {
        return {};
    }
    asker_.missing(key, now_ms);
    // What was known stands while the API server has no answer.
    if (event.problem == PodGroupProblem::failed && group->object) {
        return {};
    }
    const bool is_same = group->missing && group->missing->problem == event.problem &&
                         group->missing->message == event.message && !group->object;
    group->object.reset();
    group->missing = event;
    return is_same ? std::string() : key;
}

std::vector<FetchPodGroup> PodGroups::due(std::int64_t now_ms) {
    std::vector<FetchPodGroup> questions;
    for (const std::string& key : asker_.due(now_ms)) {
        const PodGroup& group = groups_.at(key);
        questions.push_back({group.dialect, group.namespace_name, group.name});
    }
    return questions;
}

}  // namespace gang
