#include "gang/report/messages.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/declare/group_membership.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace gang {
namespace {

std::string none_of(std::size_t nodes) {
    return "0/" + std::to_string(nodes) + " nodes ";
}

std::string name_of(const Application& app) {
    return app.namespace_name.str() + "/" + app.name;
}

/// "annotations A, B" and not "annotation A, annotation B", where all are annotations.
std::string source_text(const Application& app) {
    constexpr std::string_view one = "annotation ";
    constexpr std::string_view next = ", annotation ";
    constexpr std::string_view comma = ", ";
    const std::string& source = app.declared.source.str();
    std::string out = source.starts_with(one) ? "annotations " : "";
    std::string_view rest = source;
    rest.remove_prefix(std::min(one.size(), rest.size()));
    while (!out.empty() && !rest.empty()) {
        const std::size_t end = rest.find(comma);
        out += rest.substr(0, end);
        if (end == std::string_view::npos) {
            return out.find(comma) == std::string::npos ? source : out;
        }
        rest.remove_prefix(end);
        if (!rest.starts_with(next)) {
            break;
        }
        out += comma;
        rest.remove_prefix(next.size());
    }
    return source;
}

/// What speaks against nodes is said of the pods that do not fit: here of executors.
bool are_executors_kept_off_by_taints(const core::Rejection& rejection) {
    const bool is_about_executors = !rejection.is_of_pods && rejection.wants_driver &&
                                    rejection.driver_fits &&
                                    rejection.executors_fit < rejection.executors_wanted;
    return is_about_executors &&
           std::any_of(
               rejection.reasons.begin(),
               rejection.reasons.end(),
               [](const core::ReasonCount& reason) {
                   return reason.reason.starts_with("untolerated taint ") &&
                          reason.reason.find(" node.kubernetes.io/") == std::string::npos;
               });
}

}  // namespace

std::string name_for(
    std::string_view reader,
    std::string_view namespace_name,
    std::string_view name,
    bool names_other_namespaces) {
    return names_other_namespaces || reader == namespace_name
               ? std::string(namespace_name) + "/" + std::string(name)
               : std::string("of another namespace");
}

std::string gang_name_for(
    std::string_view reader, const Application& gang, bool names_other_namespaces) {
    const std::string& space = gang.namespace_name.str();
    const bool is_named = names_other_namespaces || reader == space;
    return (is_named ? "" : "a gang ") + name_for(reader, space, gang.name, is_named);
}

std::string duration_text(std::int64_t ms) {
    const std::int64_t seconds = (ms + 999) / 1000;
    return seconds % 60 == 0 && seconds > 0 ? std::to_string(seconds / 60) + "m"
                                            : std::to_string(seconds) + "s";
}

std::string utc_time_text(std::int64_t unix_ms) {
    const std::int64_t seconds = unix_ms / 1'000 % 86'400;
    const auto two_digits = [](std::int64_t number) {
        return (number < 10 ? "0" : "") + std::to_string(number);
    };
    return two_digits(seconds / 3'600) + ":" + two_digits(seconds / 60 % 60) + ":" +
           two_digits(seconds % 60) + " UTC";
}

std::string subject_of(const Application& app, const core::Pod& pod) {
    if (!app.is_driver) {
        const bool is_executor = app.is_surplus && !read_membership(pod);
        return (is_executor ? "executor " : "pod ") + name_of(app);
    }
    const auto membership = app.group.empty() ? std::nullopt : read_membership(pod);
    const std::string& application = application_id(pod);
    std::string subject = "gang " + (application.empty() ? name_of(app) : application);
    if (membership) {
        subject = "pod group " + app.namespace_name.str() + "/" + membership->name;
    }
    if (app.declared.topology && app.declared.topology->is_required) {
        subject += " in one " + app.declared.topology->name.str();
    }
    return subject;
}

StatusMessage conf_message(std::size_t nodes, const Application& app, const core::Pod& driver) {
    const bool unreadable = app.declared.conf->problem == ConfProblem::unreadable;
    std::string text = none_of(nodes) + "looked at: config map " + driver.namespace_name + "/" +
                       driver.spark_properties->config_map +
                       (unreadable ? " is not a Spark conf" : " is not readable yet");
    if (!app.declared.conf->message.empty()) {
        text += " (" + app.declared.conf->message + ")";
    }
    if (app.declared.conf->problem == ConfProblem::forbidden) {
        text += "; grant the scheduler get on config maps in namespace " + driver.namespace_name;
    }
    return {
        unreadable ? ReasonCode::misconfigured : ReasonCode::waiting_for_spark_conf,
        std::move(text)};
}

StatusMessage held_message(std::size_t nodes) {
    return {
        ReasonCode::held,
        "0/" + std::to_string(nodes) +
            " nodes looked at: annotation gang-scheduler/hold says that it waits: it goes on when "
            "the annotation is removed"};
}

StatusMessage problem_message(std::size_t nodes, const std::string& problem) {
    return {ReasonCode::misconfigured, none_of(nodes) + "looked at: " + problem};
}

StatusMessage capacity_message(
    const std::string& subject, const core::Rejection& rejection, const std::string& head) {
    std::string text = none_of(static_cast<std::size_t>(rejection.nodes)) + "can take " + subject +
                       " now: " + core::describe(rejection);
    if (!head.empty()) {
        text += ". Behind " + head;
    }
    return {ReasonCode::waiting_for_capacity, std::move(text)};
}

StatusMessage rules_message(const std::string& subject, const core::Rejection& rejection) {
    return {ReasonCode::pod_rules_not_met, capacity_message(subject, rejection, {}).sentence};
}

StatusMessage labels_message(std::size_t nodes) {
    return {
        ReasonCode::pod_rules_not_met,
        none_of(nodes) +
            "looked at: the labels of the pods that run are being listed, for its affinity or "
            "topology spread"};
}

StatusMessage volume_message(std::size_t nodes, ReasonCode code, const std::string& text) {
    return {code, none_of(nodes) + "are available: " + text};
}

StatusMessage group_missing_message(std::size_t nodes, const PodGroupMissing& missing) {
    const std::string group = missing.namespace_name + "/" + missing.name;
    std::string text = none_of(nodes) + "looked at: PodGroup ";
    switch (missing.problem) {
        case PodGroupProblem::not_found:
            text += "not found: " + group;
            break;
        case PodGroupProblem::forbidden:
            text += group + " is not readable; grant the scheduler get on " +
                    std::string(kind_of(missing.dialect));
            break;
        case PodGroupProblem::unreadable:
        case PodGroupProblem::failed:
            text += group + " is not readable";
            break;
    }
    return {ReasonCode::waiting_for_pod_group, text + " (" + missing.message + ")"};
}

std::string size_text(std::int64_t executors, const core::Resources& needs) {
    return "; needs 1 driver + " + std::to_string(executors) +
           (executors == 1 ? " executor (" : " executors (") + core::describe(needs) + ")";
}

StatusMessage queue_message(
    std::size_t nodes, const std::string& subject, std::int32_t ahead, const std::string& head) {
    std::string text = none_of(nodes) + "are for " + subject + " yet: it fits, but " +
                       std::to_string(ahead) + (ahead == 1 ? " gang is" : " gangs are") + " ahead";
    if (!head.empty()) {
        text += ", first " + head;
    }
    return {ReasonCode::waiting_in_queue, std::move(text)};
}

StatusMessage preemption_message(
    std::size_t nodes, const std::string& subject, const Nomination& nomination) {
    std::string text = none_of(nodes) + "have room for " + subject + " yet: ";
    if (nomination.victims.empty()) {
        text += "pods that end already leave enough";
    } else if (nomination.pods == 0) {
        text += "taking " + nomination.whom;  // of room that no pod uses
    } else {
        text += "evicting " + nomination.whom + "; " + std::to_string(nomination.pods_gone) +
                " of " + std::to_string(nomination.pods) + " pods are gone";
    }
    if (nomination.replan_ms != 0) {
        text += ". A disruption budget, or the API server, refused one: others are looked for soon";
    }
    return {ReasonCode::waiting_for_preemption, std::move(text)};
}

StatusMessage infeasible_message(
    ReasonCode code, const std::string& subject, const core::Rejection& rejection) {
    const bool is_closed = code == ReasonCode::waiting_for_capacity;
    std::string text = none_of(static_cast<std::size_t>(rejection.nodes)) +
                       (is_closed ? "can" : "could") + " take " + subject +
                       (is_closed ? " now: nodes that it could use are closed: "
                                  : " even if they were empty: ") +
                       core::describe(rejection);
    if (are_executors_kept_off_by_taints(rejection)) {
        text +=
            ". As far as its conf says, its executors do not tolerate the taints: if a webhook adds "
            "that, name them in the driver's annotation gang-scheduler/executor-tolerations";
    }
    return {code, std::move(text)};
}

StatusMessage sum_message(
    ReasonCode code,
    std::size_t nodes,
    const std::string& subject,
    const core::Resources& wanted,
    const core::Resources& free) {
    return {
        code,
        none_of(nodes) + "looked at: " + subject + " needs " + core::describe(wanted) +
            " free on all nodes together (spec.minResources), short of " +
            core::describe(core::difference(wanted, free))};
}

StatusMessage other_schedulers_message(
    const std::string& subject, const core::Rejection& rejection) {
    return {
        ReasonCode::waiting_for_capacity,
        none_of(static_cast<std::size_t>(rejection.nodes)) + "can take " + subject +
            " now: pods of other schedulers hold the room it needs: " + core::describe(rejection)};
}

StatusMessage gpu_message(
    ReasonCode code,
    const std::string& subject,
    const core::Rejection& rejection,
    const std::string& lacks) {
    StatusMessage message = code == ReasonCode::exceeds_cluster
                                ? infeasible_message(code, subject, rejection)
                                : capacity_message(subject, rejection, {});
    message.code = code;
    if (code == ReasonCode::gpu_metrics_stale) {
        message.sentence = none_of(static_cast<std::size_t>(rejection.nodes)) + "can take " +
                           subject + " now: " + lacks;
    } else if (!lacks.empty()) {
        message.sentence += ". " + lacks;
    }
    return message;
}

StatusMessage nodes_message(
    StatusMessage message,
    const Application& app,
    const std::vector<AskedFor>& parts,
    const std::string& at,
    std::int64_t ago_ms) {
    std::string asked;
    for (const AskedFor& part : parts) {
        if (part.count > 0) {
            const std::string one = app.group.empty() ? " executor" : " pod";
            asked += (asked.empty() ? "" : " and ") + std::to_string(part.count) + one +
                     (part.count == 1 ? " of " : "s of ") + core::describe(*part.each);
        }
    }
    message.code = ReasonCode::waiting_for_nodes;
    message.sentence += ". Asked the autoscaler for " + asked +
                        (at.empty() ? ", " + duration_text(ago_ms) + " ago" : ", at " + at);
    return message;
}

StatusMessage retry_message(std::size_t nodes, const Retry& retry) {
    if (retry.code == ReasonCode::waiting_for_extender) {
        return {retry.code, none_of(nodes) + "looked at: " + retry.message};
    }
    std::string text = none_of(nodes) + "tried again yet: the last bind was not carried out";
    if (!retry.message.empty()) {
        text += " (" + retry.message + ")";
    }
    return {retry.code, std::move(text)};
}

StatusMessage member_message(
    std::size_t nodes, const Application& gang, const core::Resources& asked) {
    if (gang.health.reported_unplaced) {
        return {
            ReasonCode::waiting_for_capacity,
            none_of(nodes) + "have room for what its gang lacks, " + core::describe(asked) +
                (gang.group.empty() ? " for each executor: see driver "
                                    : " for each pod: see pod ") +
                name_of(gang)};
    }
    return {
        ReasonCode::waiting_in_queue,
        none_of(nodes) + "have a free slot of its gang: see " +
            (gang.group.empty() ? "driver " : "pod ") + name_of(gang)};
}

StatusMessage ended_driver_message(std::size_t nodes, const Application& gang) {
    return {
        ReasonCode::driver_ended,
        none_of(nodes) + "are for it: its driver " + name_of(gang) + " has ended"};
}

StatusMessage ownerless_message(std::size_t nodes, const core::Pod& executor) {
    const std::string& application = application_id(executor);
    return {
        ReasonCode::waiting_in_queue,
        none_of(nodes) +
            "looked at: the executor waits for the admitted driver of its application" +
            (application.empty() ? std::string() : " " + application) + " in namespace " +
            executor.namespace_name};
}

StatusMessage limit_message(std::size_t nodes, const Application& gang, std::int64_t limit) {
    return {
        ReasonCode::misconfigured,
        none_of(nodes) + "looked at: its application may have " + std::to_string(limit) +
            " executors, see driver " + name_of(gang)};
}

StatusMessage failing_message(std::size_t nodes, const Application& gang, std::int64_t pause_ms) {
    return {
        ReasonCode::backing_off,
        none_of(nodes) +
            "tried yet: executors of its application fail as fast as they are "
            "started, the next ones are bound after a pause of up to " +
            duration_text(pause_ms) + ", see driver " + name_of(gang)};
}

StatusMessage oversized_message(
    std::size_t nodes,
    const Application& gang,
    const core::Resources& asked,
    const core::Resources& declared) {
    return {
        ReasonCode::waiting_for_capacity,
        none_of(nodes) + "have room for it: it asks " + core::describe_exactly(asked) +
            ", its application declared " + core::describe_exactly(declared) + ", see driver " +
            name_of(gang)};
}

std::string bound_text(const PodEntry& entry, const Application* app) {
    std::string text = "Successfully assigned " + entry.pod.namespace_name + "/" + entry.pod.name +
                       " to " + entry.node();
    if (app == nullptr || app->slots.empty()) {
        return text;
    }
    std::set<std::string_view> nodes;
    for (const Slot& slot : app->slots) {
        nodes.insert(slot.node.str());
    }
    const auto counted = [](std::size_t count, const char* what) {
        return std::to_string(count) + " " + what + (count == 1 ? "" : "s");
    };
    return text + ", with room reserved for " +
           counted(app->slots.size(), app->group.empty() ? "executor" : "more pod") + " on " +
           counted(nodes.size(), "node") +
           (app->declared.source.empty() ? "" : ", as said by " + source_text(*app));
}

}  // namespace gang
