#include "gang/declare/group_membership.hpp"

#include "gang/declare/declaration.hpp"

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
    std::string_view minimum;  ///< of GroupDialect::labels
};

constexpr std::array keys = {
    MembershipKey{GroupDialect::coscheduling, Place::label, "scheduling.x-k8s.io/pod-group", {}},
    // As the coscheduling plugin knew groups before it had a domain of its own.
    MembershipKey{GroupDialect::coscheduling, Place::label, "pod-group.scheduling.sigs.k8s.io", {}},
    MembershipKey{GroupDialect::volcano, Place::annotation, "scheduling.volcano.sh/group-name", {}},
    MembershipKey{GroupDialect::volcano, Place::annotation, "scheduling.k8s.io/group-name", {}},
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
};

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

}  // namespace

std::optional<GroupMembership> read_membership(const core::Pod& pod) {
    std::optional<GroupMembership> found;
    if (pod.pod_group && !pod.pod_group->empty()) {
        found = GroupMembership{
            GroupDialect::kubernetes, *pod.pod_group, "spec.schedulingGroup", 0, {}, {}};
    }
    for (const MembershipKey& key : keys) {
        const auto [value, where] = find_at(pod, key.place, key.name);
        if (value == nullptr || value->empty()) {
            continue;
        }
        const std::string source = std::string(where) + std::string(key.name);
        if (!found) {
            found = GroupMembership{key.dialect, *value, source, 0, {}, {}};
            if (key.dialect == GroupDialect::labels) {
                read_minimum(pod, key.place, key.minimum, *found);
            }
        } else if (found->name != *value && found->warning.empty()) {
            found->warning = source + " names pod group " + *value + ", " + found->source +
                             " names " + found->name + ": the latter counts";
        }
    }
    return found;
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
