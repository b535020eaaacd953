#include "gang/declare/group_membership.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/declare/spark/text.hpp"
#include "gang/declare/yunikorn/task_groups.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

namespace gang {
namespace {

enum class Place : std::uint8_t { label, annotation, either };

struct MembershipKey {
    GroupDialect dialect;
    Place place;
    std::string_view name;
    std::string_view minimum = {};       ///< of GroupDialect::labels
    std::string_view less_minimum = {};  ///< counts before that one, if it is there
    std::string_view family = {};
};

constexpr std::array membership_keys = {
    MembershipKey{GroupDialect::coscheduling, Place::label, "scheduling.x-k8s.io/pod-group"},
    // As the coscheduling plugin knew groups before it had a domain of its own.
    MembershipKey{GroupDialect::coscheduling, Place::label, "pod-group.scheduling.sigs.k8s.io"},
    MembershipKey{GroupDialect::volcano, Place::annotation, "scheduling.volcano.sh/group-name"},
    MembershipKey{GroupDialect::volcano, Place::annotation, "scheduling.k8s.io/group-name"},
    MembershipKey{
        GroupDialect::labels,
        Place::either,
        "gang-scheduler/pod-group",
        "gang-scheduler/min-members"},
    // Lightweight coscheduling, which had no object either.
    MembershipKey{
        GroupDialect::labels,
        Place::label,
        "pod-group.scheduling.sigs.k8s.io/name",
        "pod-group.scheduling.sigs.k8s.io/min-available"},
    // Kueue's groups of plain pods: Kueue admits them, all or none, and their gates go.
    MembershipKey{
        GroupDialect::labels,
        Place::either,
        "kueue.x-k8s.io/pod-group-name",
        "kueue.x-k8s.io/pod-group-total-count",
        {},
        "Kueue"},
    MembershipKey{
        GroupDialect::labels,
        Place::either,
        "armadaproject.io/gangId",
        "armadaproject.io/gangCardinality",
        "armadaproject.io/gangMinimumCardinality",
        "Armada"},
};

constexpr std::string_view armada_uniformity = "armadaproject.io/gangNodeUniformityLabel";

/// Found where the key may stand, an annotation before a label.
std::pair<const std::string*, std::string_view> find_at(
    const core::Pod& pod, Place place, std::string_view key) {
    if (place != Place::label) {
        if (const auto* found = core::find_value(pod.annotations, key)) {
            return {found, "annotation "};
        }
    }
    if (place != Place::annotation) {
        if (const auto* found = core::find_value(pod.labels, key)) {
            return {found, "label "};
        }
    }
    return {nullptr, {}};
}

void read_minimum(const core::Pod& pod, Place place, std::string_view key, GroupMembership& into) {
    const auto [value, where] = find_at(pod, place, key);
    if (value == nullptr) {
        into.problem = "pod group " + into.name + " has no minimum: set the " +
                       (place == Place::label ? "label " : "annotation ") + std::string(key);
        return;
    }
    const char* const end = value->data() + value->size();
    const auto [read, error] = std::from_chars(value->data(), end, into.minimum);
    if (error != std::errc() || read != end || into.minimum < 1) {
        into.minimum = 0;
        into.problem = std::string(where) + std::string(key) + " is \"" + *value +
                       "\": a number of pods from 1 on is wanted";
    }
}

/// YuniKorn's: the group is the application, its minimum that of all task groups, each for itself.
std::optional<GroupMembership> read_task_group(const core::Pod& pod) {
    const std::string& application = yunikorn::application_of(pod);
    if (application.empty() || !yunikorn::is_of_gang(pod)) {
        return std::nullopt;
    }
    GroupMembership found;
    found.name = application;
    found.family = "YuniKorn";
    const std::string* lines = yunikorn::find_task_groups(pod);
    if (lines == nullptr) {
        found.source = "annotation " + std::string(yunikorn::task_group_key);
        found.is_silent = true;
        found.problem = "no pod of it bears the annotation " +
                        std::string(yunikorn::task_groups_key) + ", which says how many they are";
        return found;
    }
    found.source = "annotation " + std::string(yunikorn::task_groups_key);
    const yunikorn::TaskGroups said = yunikorn::read_task_groups(*lines);
    const std::string& task_group = yunikorn::task_group_of(pod);
    bool has_own = task_group.empty();
    for (const yunikorn::TaskGroup& group : said.groups) {
        found.minimum += group.members;
        found.roles.push_back({group.name, group.members});
        has_own = has_own || group.name == task_group;
    }
    std::sort(found.roles.begin(), found.roles.end(), [](const auto& a, const auto& b) {
        return a.role < b.role;
    });
    const yunikorn::Style style = yunikorn::style_of(pod);
    found.soft_after_ms = style.soft_after_ms;
    found.warning = style.warning;
    if (!said.problem.empty()) {
        found.problem = found.source + ": " + said.problem;
    } else if (!has_own) {
        found.problem = "task group " + spark::quoted(task_group) + " of its pod " + pod.name +
                        " is not in the list of " + found.source;
    }
    for (const std::string& sentence : yunikorn::unread_fields(said)) {
        found.warning += (found.warning.empty() ? "" : "; ") + sentence;
    }
    return found;
}

void add_warning(GroupMembership& to, const std::string& warning) {
    to.warning = to.warning.empty() ? warning : to.warning + "; " + warning;
}

}  // namespace

std::optional<GroupMembership> read_membership(const core::Pod& pod) {
    std::optional<GroupMembership> found;
    if (pod.pod_group && !pod.pod_group->empty()) {
        found = GroupMembership{
            GroupDialect::kubernetes, *pod.pod_group, "spec.schedulingGroup", 0, {}, {}};
    }
    for (const MembershipKey& key : membership_keys) {
        const auto [value, where] = find_at(pod, key.place, key.name);
        if (value == nullptr || value->empty()) {
            continue;
        }
        const std::string source = std::string(where) + std::string(key.name);
        if (!found) {
            found = GroupMembership{key.dialect, *value, source, 0, {}, {}, key.family};
            if (key.dialect == GroupDialect::labels) {
                const bool has_less = find_at(pod, key.place, key.less_minimum).first != nullptr;
                read_minimum(pod, key.place, has_less ? key.less_minimum : key.minimum, *found);
            }
        } else if (found->name != *value && found->warning.empty()) {
            found->warning = source + " names pod group " + *value + ", " + found->source +
                             " names " + found->name + ": the latter counts";
        }
    }
    if (auto application = read_task_group(pod); application && !found) {
        found = std::move(application);
    } else if (application) {
        add_warning(
            *found,
            application->source + " is of application " + application->name + ", " +
                found->source + " names pod group " + found->name + ": the latter counts");
    }
    if (found && find_at(pod, Place::either, armada_uniformity).first != nullptr) {
        add_warning(
            *found,
            "annotation " + std::string(armada_uniformity) +
                " is not read: gang-scheduler/topology-key keeps a group in one domain");
    }
    return found;
}

bool names_object(std::string_view key) {
    return std::any_of(
        membership_keys.begin(), membership_keys.end(), [key](const MembershipKey& known) {
            return known.name == key && known.dialect != GroupDialect::labels;
        });
}

std::optional<GroupMembership> read_client_mode(const core::Pod& executor) {
    constexpr std::string_view key = "gang-scheduler/executors";
    const auto [value, where] = find_at(executor, Place::either, key);
    const core::OwnerReference* const controller = core::find_controller(executor);
    const std::string& application = application_id(executor);
    if (value == nullptr || application.empty() ||
        (controller != nullptr && controller->kind != "Pod")) {
        return std::nullopt;
    }
    GroupMembership found{
        GroupDialect::labels, application, std::string(where) + std::string(key), 0, {}, {}};
    read_minimum(executor, Place::either, key, found);
    return found;
}

const std::string& role_in_group(const core::Pod& pod) {
    static const std::string none;
    constexpr std::string_view key = "volcano.sh/task-spec";
    const std::string* found = core::find_value(pod.annotations, key);
    found = found != nullptr ? found : core::find_value(pod.labels, key);
    if (found == nullptr && !yunikorn::application_of(pod).empty()) {
        return yunikorn::task_group_of(pod);
    }
    return found != nullptr ? *found : none;
}

std::string_view kind_of(GroupDialect dialect) {
    switch (dialect) {
        case GroupDialect::kubernetes:
            return "podgroups.scheduling.k8s.io";
        case GroupDialect::coscheduling:
            return "podgroups.scheduling.x-k8s.io";
        case GroupDialect::volcano:
            return "podgroups.scheduling.volcano.sh";
        case GroupDialect::labels:
            break;
    }
    return {};
}

}  // namespace gang
