#include "gang/group_status/status_rules.hpp"

#include <algorithm>

namespace gang {
namespace {

using core::GroupCondition;
using core::GroupDialect;
using core::GroupPhase;
using core::PodGroupStatus;

constexpr std::string_view volcano_group = "scheduling.volcano.sh/";

bool is_for_good(GroupPhase phase) {
    return phase == GroupPhase::finished || phase == GroupPhase::failed;
}

void count(const GroupFacts& facts, PodGroupStatus& status) {
    status.running = facts.running;
    status.succeeded = facts.succeeded;
    status.failed = facts.failed;
}

/// An executor that fails is made anew: that is no end.
GroupPhase phase_of_application(const GroupFacts& facts) {
    if (facts.end != ApplicationEnd::none) {
        return facts.end == ApplicationEnd::failed ? GroupPhase::failed : GroupPhase::finished;
    }
    return facts.running > 0 ? GroupPhase::running : GroupPhase::scheduling;
}

PodGroupStatus coscheduling(const GroupFacts& facts, const PodGroupStatus& stored) {
    if (is_for_good(stored.phase)) {
        return stored;
    }
    PodGroupStatus status;
    count(facts, status);
    status.occupied_by = stored.occupied_by.empty() ? facts.occupied_by : stored.occupied_by;
    if (facts.is_application) {
        status.phase = phase_of_application(facts);
    } else if (facts.pods < facts.minimum || !facts.is_sound) {
        status.phase = GroupPhase::pending;
    } else if (facts.succeeded >= facts.minimum) {
        status.phase = GroupPhase::finished;
    } else if (
        facts.failed > 0 && facts.failed + facts.running + facts.succeeded >= facts.minimum) {
        status.phase = GroupPhase::failed;
    } else if (facts.running + facts.succeeded >= facts.minimum) {
        status.phase = GroupPhase::running;
    } else {
        status.phase = GroupPhase::scheduling;
    }
    return status;
}

std::string lack_word(const GroupFacts& facts) {
    if (facts.code != ReasonCode::waiting_for_pod_group) {
        return "NotEnoughResources";
    }
    return facts.pods < facts.minimum ? "NotEnoughTasks" : "NotEnoughPodsOfTask";
}

std::string gang_message(const GroupFacts& facts) {
    const std::int64_t unready =
        facts.is_application
            ? facts.pods
            : std::max<std::int64_t>(
                  facts.minimum - facts.scheduled, facts.is_sound ? 1 : facts.pods);
    return std::to_string(unready) + "/" + std::to_string(facts.pods) +
           " tasks in gang unschedulable: " + facts.text;
}

PodGroupStatus volcano(const GroupFacts& facts, const PodGroupStatus& stored) {
    const bool is_volcano = facts.api_version.starts_with(volcano_group);
    const bool is_ready = facts.is_sound && facts.scheduled >= std::max<std::int64_t>(
                                                                   facts.minimum, 1);
    PodGroupStatus status;
    count(facts, status);
    if (is_ready) {
        const bool has_ended = facts.is_application
                                   ? facts.end != ApplicationEnd::none
                                   : facts.succeeded + facts.failed >= facts.scheduled;
        status.phase = has_ended && is_volcano ? GroupPhase::finished : GroupPhase::running;
        if (is_volcano) {
            status.condition = GroupCondition::scheduled;
            status.reason = "tasks in gang are ready to be scheduled";
        }
        return status;
    }
    if (facts.running > 0 && facts.is_waiting) {
        status.phase = GroupPhase::unknown;
    } else {
        status.phase =
            facts.is_sound && is_volcano ? GroupPhase::inqueue : GroupPhase::pending;
    }
    if (facts.is_waiting && !facts.text.empty()) {
        status.condition = GroupCondition::unschedulable;
        status.reason = lack_word(facts);
        status.message = gang_message(facts);
    } else if (stored.condition == GroupCondition::unschedulable && facts.is_waiting) {
        status.condition = stored.condition;
        status.reason = stored.reason;
        status.message = stored.message;
    }
    return status;
}

PodGroupStatus kubernetes(const GroupFacts& facts, const PodGroupStatus& stored) {
    PodGroupStatus status;
    if (stored.condition == GroupCondition::scheduled) {
        return stored;
    }
    if (facts.is_sound && facts.scheduled >= std::max<std::int64_t>(facts.minimum, 1)) {
        status.condition = GroupCondition::scheduled;
        status.reason = "Scheduled";
    } else if (facts.is_waiting && !facts.text.empty()) {
        status.condition = GroupCondition::unschedulable;
        status.reason = "Unschedulable";
        status.message = facts.text;
    } else {
        return stored;
    }
    return status;
}

}  // namespace

PodGroupStatus status_of(const GroupFacts& facts, const PodGroupStatus& stored) {
    switch (facts.dialect) {
        case GroupDialect::coscheduling:
            return coscheduling(facts, stored);
        case GroupDialect::volcano:
            return volcano(facts, stored);
        case GroupDialect::kubernetes:
            return kubernetes(facts, stored);
        case GroupDialect::labels:
            break;
    }
    return stored;
}

}  // namespace gang
