#include "gang/queue/status/status_messages.hpp"

#include "core/cluster/standard_reasons.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "gang/durations/outlook_text.hpp"
#include "gang/event.hpp"
#include "gang/model/group/min_resources.hpp"
#include "gang/model/ledger.hpp"
#include "gang/model/pod/pods.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/model/work.hpp"
#include "gang/quota/max_waits.hpp"
#include "gang/quota/quota_messages.hpp"
#include "gang/report/gang_needs.hpp"
#include "gang/report/messages.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace gang {
namespace {

/// spark-submit makes the config map after the driver, on a busy API server seconds later: who said
/// that it is missing would begin every job with a false alarm.
constexpr std::int64_t conf_absence_ms = 10'000;
/// So long its condition says so, and no Event warns of it.
constexpr std::int64_t conf_warning_ms = 30'000;
/// An API server that could not answer once can the next time.
constexpr std::int64_t conf_failure_ms = 900;

std::int64_t patience_with(ConfProblem problem) {
    switch (problem) {
        case ConfProblem::not_found:
            return conf_absence_ms;
        case ConfProblem::failed:
            return conf_failure_ms;
        default:
            return 0;  // who is refused once is refused again
    }
}

/// A pod group has no driver and no executors.
core::Rejection in_words_for(const Application& app, core::Rejection rejection) {
    rejection.is_of_pods = !app.group.empty();
    return rejection;
}

}  // namespace

MemoKey StatusMessages::key_of(const Application& app) const {
    MemoKey key{placer_.wish_of(app), {{*app.declared.driver_shape, 1}}};
    for (const GangShape& shape : app.declared.shapes) {
        key.shapes.emplace_back(shape.id, shape.count);
    }
    return key;
}

/// As the view is now: what was known of another state of it is forgotten.
Memo& StatusMessages::memo_of(core::View view, MessageContext& context) const {
    return context.cache.memo_of(view, model_.cluster_model.version_of(view));
}

/// Of the empty nodes. Where none is closed, all that counts is whether there is one.
core::OpenCapacity StatusMessages::capacity_if_open(
    core::ShapeId shape, MessageContext& context) const {
    if (!model_.cluster.nodes().has_closed()) {
        return {model_.cluster.shapes().eligible(shape).count(), 0, 0};
    }
    const auto [it, inserted] =
        memo_of(core::View::allocatable, context).if_open.try_emplace(shape);
    if (inserted) {
        ++context.searches;
        it->second = core::capacity_if_open(model_.cluster, shape, core::View::allocatable);
    }
    return it->second;
}

ReasonCode StatusMessages::refusal_of(const Application& app, MessageContext& context) const {
    bool is_enough = true;
    bool is_closed = false;
    std::vector<core::ShapeCount> parts =
        placer_.request_of(app, core::View::allocatable).executors;
    parts.push_back({*app.declared.driver_shape, 1});
    for (const core::ShapeCount& part : parts) {
        const core::OpenCapacity capacity = capacity_if_open(part.shape, context);
        if (capacity.nodes == 0 && part.count > 0 && model_.cluster.nodes().count() > 0) {
            return ReasonCode::constraints_unsatisfiable;
        }
        is_enough = is_enough && capacity.pods >= part.count;
        is_closed = is_closed || capacity.closed > 0;
    }
    return is_enough && is_closed ? ReasonCode::waiting_for_capacity : ReasonCode::exceeds_cluster;
}

/// Why the gang does not fit, or nothing. Equal gangs are answered by one look, as long as nothing
/// has changed that could change the answer.
const std::optional<core::Rejection>& StatusMessages::find_rejection(
    const Application& app, core::View view, MessageContext& context) const {
    Memo& memo = memo_of(view, context);
    const auto [it, inserted] = memo.gangs.try_emplace(key_of(app));
    if (inserted) {
        ++context.searches;
        auto placement = placer_.place(app, view, context.cache.planner);
        if (auto* rejection = std::get_if<core::Rejection>(&placement)) {
            it->second = std::move(*rejection);
        }
        memo.has_fits = memo.has_fits || !it->second;
    }
    return it->second;
}

std::optional<StatusMessage> StatusMessages::find_obstacle(
    const Application& app, const PodEntry& entry, Placed& placed) const {
    const std::size_t nodes = model_.cluster.nodes().count();
    if (!app.declared.diagnostics->problem.empty()) {
        return problem_message(nodes, app.declared.diagnostics->problem);
    }
    if (app.declared.queue_problem.is_made()) {
        return problem_message(nodes, *app.declared.queue_problem);
    }
    if (app.declared.is_held) {
        return held_message(nodes);
    }
    if (quota_.is_stopped(app)) {
        return stopped_message(
            nodes,
            subject_of(app, entry.pod),
            *model_.shares.charges.find(app.uid),
            model_.shares);
    }
    if (app.declared.conf_needed) {
        const ConfMisses& conf = *app.declared.conf;
        const bool is_time =
            conf.misses > 0 && step_.now_ms - conf.first_miss_ms >= patience_with(conf.problem);
        return is_time ? conf_message(nodes, app, entry.pod) : StatusMessage{};
    }
    if (model_.gangs.awaits_group(app)) {
        const PodGroup* const group = model_.groups.group_of_driver(app.uid);
        return group != nullptr && group->missing ? group_missing_message(nodes, *group->missing)
                                                  : StatusMessage{};
    }
    if (const auto obstacle = model_.find_claim_obstacle(app, entry.pod)) {
        if (obstacle->text.empty()) {
            return StatusMessage{};
        }
        const bool is_bare = speaks_as_kube_scheduler(app) &&
                             obstacle->code == ReasonCode::waiting_for_volumes;
        StatusMessage message = volume_message(nodes, obstacle->code, obstacle->text);
        message.sentence += is_bare ? "." : "";
        message.is_bare = is_bare;
        return message;
    }
    if (const auto obstacle = model_.find_quota_obstacle(app, entry.pod)) {
        return obstacle->text.empty()
                   ? StatusMessage{}
                   : namespace_quota_message(
                         nodes, subject_of(app, entry.pod), obstacle->code, obstacle->text);
    }
    if (const auto limit = surplus_limit(app, placed)) {
        return limit_message(nodes, *model_.gangs.find(app.surplus_of), *limit);
    }
    return std::nullopt;
}

std::optional<std::int64_t> StatusMessages::surplus_limit(
    const Application& app, Placed& placed) const {
    const Application* gang = app.surplus_of.empty() ? nullptr : model_.gangs.find(app.surplus_of);
    if (gang == nullptr || gang->declared.shapes.empty()) {
        return std::nullopt;
    }
    const std::int32_t profile = model_.pods.at(app.uid).profile;
    const auto declared = std::find_if(
        gang->declared.shapes.begin(),
        gang->declared.shapes.end(),
        [profile](const GangShape& shape) { return shape.profile == profile; });
    const std::int64_t limit =
        declared == gang->declared.shapes.end() ? gang->declared.shapes.front().max : declared->max;
    if (limit <= 0) {
        return std::nullopt;
    }
    const auto [it, inserted] = placed.try_emplace({gang->uid, profile});
    if (inserted) {
        const auto members = model_.pods.owners().members_of(gang->uid);
        it->second = std::count_if(members.begin(), members.end(), [&](PodId member) {
            return model_.pods[member].holds_capacity() && model_.pods[member].profile() == profile;
        });
    }
    return it->second >= limit ? std::optional(limit) : std::nullopt;
}

bool StatusMessages::is_worth_an_event(const Application& app, ReasonCode code) const {
    if (code != ReasonCode::waiting_for_spark_conf) {
        return true;
    }
    const ConfMisses& conf = *app.declared.conf;
    return conf.problem != ConfProblem::not_found ||
           step_.now_ms - conf.first_miss_ms >= conf_warning_ms;
}

StatusMessage StatusMessages::message_of(
    const Application& app, const Application* head, MessageContext& context) const {
    StatusMessage message = with_max_wait(app, with_size(app, why_it_waits(app, head, context)));
    return model_.demand.is_on() && DemandBoard::is_about_room(message.code)
               ? with_demand(app, std::move(message), context.is_shown)
               : message;
}

/// Where the reason is not room, which is told with the size of the gang. Who reads the pod alone
/// learns it from here.
StatusMessage StatusMessages::with_size(const Application& app, StatusMessage message) const {
    const bool is_sized = app.is_driver && app.group.empty() && app.declared.driver_shape &&
                          !app.declared.shapes.empty();
    const bool is_wrong = message.code == ReasonCode::misconfigured;
    if (!is_sized || is_wrong || message.is_bare || message.code == ReasonCode::none ||
        message.sentence.find("needs 1 driver + ") != std::string::npos) {
        return message;
    }
    const GangNeeds needs = needs_of(model_.cluster, app);
    message.sentence += size_text(needs.executors, needs.total);
    return message;
}

/// It stands in the line, and before others.
StatusMessage StatusMessages::with_max_wait(const Application& app, StatusMessage message) const {
    const QueueEntry* const entry = model_.waiting.find_entry(app);
    const bool is_in_line = entry != nullptr && entry->gang_class != nullptr;
    if (app.declared.is_overdue && is_in_line && !message.is_bare &&
        message.code != ReasonCode::none) {
        message.sentence += "; it has waited for longer than it is to";
        message.sentence +=
            is_strict(model_.shares.tree, entry->gang_class->first.lane)
                ? " and is passed by nobody: it starts at the latest when those overdue for longer have "
                  "started and what runs now has ended"
                : ", and goes before the others of its queue";
    }
    return message;
}

/// What an autoscaler was asked. A condition has the time of that: how long ago it was would be
/// another text each second.
StatusMessage StatusMessages::with_demand(
    const Application& app, StatusMessage message, bool is_shown) const {
    const CapacityRequest* const asked = model_.demand.find_asked(app.uid);
    if (asked != nullptr) {
        std::vector<AskedFor> parts;
        for (const GangShape& shape : app.declared.shapes) {
            parts.push_back({shape.count, &model_.cluster.resources(shape.id)});
        }
        return nodes_message(
            std::move(message),
            app,
            parts,
            is_shown ? "" : utc_time_text(asked->asked_ms),
            step_.now_ms - asked->asked_ms);
    }
    if (model_.demand.is_beyond_quota(app.uid)) {
        message.code = ReasonCode::waiting_for_quota;
        message.sentence +=
            ". No nodes are asked for: gangs before it in its queue wait for nodes, and with them "
            "the queue's limit is used up";
        return message;
    }
    const bool is_too_early = !is_shown && model_.demand.is_about_to_ask(app.uid, step_.now_ms);
    return is_too_early ? StatusMessage{} : message;
}

StatusMessage StatusMessages::why_it_waits(
    const Application& app, const Application* head, MessageContext& context) const {
    const std::size_t nodes = model_.cluster.nodes().count();
    const PodEntry& entry = model_.pods.at(app.uid);
    const QueueEntry* const queue_entry = model_.waiting.find_entry(app);
    if (queue_entry == nullptr) {
        return {};
    }
    if (auto obstacle = find_obstacle(app, entry, context.cache.placed)) {
        return std::move(*obstacle);
    }
    if (!app.declared.driver_shape) {
        return {};
    }
    const std::string subject = subject_of(app, entry.pod);
    if (queue_entry->is_infeasible) {
        // Room that pods of others hold may come back by itself; a cluster does not grow by itself.
        if (const auto& exceeds = find_rejection(app, core::View::allocatable, context)) {
            if (auto message = find_gpu_message(app, subject, *exceeds)) {
                return in_its_words(*std::move(message), app, context);
            }
            return in_its_words(
                infeasible_message(refusal_of(app, context), subject, in_words_for(app, *exceeds)),
                app,
                context);
        }
        if (const auto& by_others = find_rejection(app, core::View::without_gangs, context)) {
            return in_its_words(
                other_schedulers_message(subject, in_words_for(app, *by_others)), app, context);
        }
        if (auto message = find_sum_message(app, subject)) {
            return std::move(*message);
        }
    }
    if (!entry.is_ready(step_.now_ms)) {
        return retry_message(nodes, *entry.retry);
    }
    if (auto message = find_quota_message(app, *queue_entry, subject)) {
        return std::move(*message);
    }
    if (const Nomination* const nomination = model_.nominations.find(app.uid)) {
        return preemption_message(nodes, subject, *nomination);
    }
    // Who asks is told all: only what is written is for eyes of the pod's own namespace.
    const bool is_behind_other = queue_entry->is_behind && head != nullptr && head != &app;
    const bool names_all = context.is_shown || model_.schema.names_other_namespaces;
    const std::string before =
        is_behind_other ? gang_name_for(app.namespace_name.str(), *head, names_all) : std::string();
    if (const auto& rejection = find_rejection(app, core::View::free, context)) {
        if (auto message = find_gpu_message(app, subject, *rejection)) {
            return in_its_words(*std::move(message), app, context);
        }
        return in_its_words(
            with_outlook(capacity_message(subject, in_words_for(app, *rejection), before), app),
            app,
            context);
    }
    if (auto message = find_sum_message(app, subject)) {
        return with_outlook(std::move(*message), app);
    }
    if (auto message = find_rules_message(app, subject)) {
        return in_its_words(*std::move(message), app, context);
    }
    return queue_entry->is_behind
               ? with_outlook(queue_message(nodes, subject, queue_entry->ahead, before), app)
               : StatusMessage{};
}

/// Its own pods have room; what its group's object wants beside them is not free.
std::optional<StatusMessage> StatusMessages::find_sum_message(
    const Application& app, const std::string& subject) const {
    if (!app.declared.min_resources) {
        return std::nullopt;
    }
    const core::Resources& wanted = *app.declared.min_resources;
    const auto there = [&](core::View view) {
        return sum_of_nodes(model_.cluster, wanted, view);
    };
    const core::Resources free = there(core::View::free);
    if (covers(free, wanted)) {
        return std::nullopt;
    }
    return sum_message(
        covers(there(core::View::allocatable), wanted) ? ReasonCode::waiting_for_capacity
                                                       : ReasonCode::exceeds_cluster,
        model_.cluster.nodes().count(),
        subject,
        wanted,
        free);
}

/// And when it may expect to start, as far as that is known.
StatusMessage StatusMessages::with_outlook(StatusMessage message, const Application& app) const {
    const Outlook* const outlook = model_.outlooks.find(app.uid);
    const std::string text =
        outlook == nullptr
            ? std::string()
            : outlook_text(*outlook, step_.now_ms, model_.schema.backfill.max_bypass);
    if (!text.empty()) {
        message.sentence += "; " + text;
    }
    return message;
}

const core::Rejection* StatusMessages::find_shortage(
    const Application& app, MessageContext& context) const {
    const QueueEntry* const queue_entry = model_.waiting.find_entry(app);
    const bool lacks_room = queue_entry != nullptr && !queue_entry->is_infeasible &&
                            app.declared.driver_shape && !app.declared.conf_needed &&
                            queue_entry->code == ReasonCode::waiting_for_capacity;
    if (!lacks_room) {
        return nullptr;
    }
    const auto& rejection = find_rejection(app, core::View::free, context);
    return rejection ? &*rejection : nullptr;
}

/// A limit of its queue keeps it waiting, or others of its queue who wait for one.
std::optional<StatusMessage> StatusMessages::find_quota_message(
    const Application& app, const QueueEntry& queue_entry, const std::string& subject) const {
    if (!quota_.is_active() || queue_entry.gang_class == nullptr) {
        return std::nullopt;
    }
    const QuotaShortages shortages = quota_.find_shortages(queue_entry);
    if (shortages.empty() && queue_entry.code != ReasonCode::waiting_for_quota) {
        return std::nullopt;
    }
    return quota_message(
        model_.cluster.nodes().count(),
        subject,
        *model_.shares.charges.find(app.uid),
        shortages,
        model_.shares);
}

/// What a wish of GPUs lacks, if that is what is in the way. What nodes offer of it says how much
/// is free now, in every view: an empty cluster is not to be spoken of, unless there are too few
/// GPUs.
std::optional<StatusMessage> StatusMessages::find_gpu_message(
    const Application& app, const std::string& subject, const core::Rejection& rejection) const {
    if (!core::is_gpu_wish(rejection.binding)) {
        return std::nullopt;
    }
    const GpuBoard::Answer answer = model_.gpus.ask(rejection.binding);
    ReasonCode code = ReasonCode::waiting_for_capacity;
    switch (answer.verdict) {
        case GpuBoard::Verdict::stale:
            code = ReasonCode::gpu_metrics_stale;
            break;
        case GpuBoard::Verdict::never:
            code = ReasonCode::exceeds_cluster;
            break;
        case GpuBoard::Verdict::none:
        case GpuBoard::Verdict::full:
            break;
    }
    return gpu_message(code, subject, in_words_for(app, rejection), answer.text);
}

/// There is room for it, but not where the rules between pods let it go.
std::optional<StatusMessage> StatusMessages::find_rules_message(
    const Application& app, const std::string& subject) const {
    if (!domain_placer_.is_reached(app)) {
        return std::nullopt;
    }
    if (!domain_placer_.is_ready(app)) {
        return labels_message(model_.cluster.nodes().count());
    }
    const core::Placement placement = domain_placer_.place(app);
    const auto* const rejection = std::get_if<core::Rejection>(&placement);
    return rejection == nullptr
               ? std::nullopt
               : std::optional(rules_message(subject, in_words_for(app, *rejection)));
}

/// kube-scheduler has no words for gangs.
bool StatusMessages::speaks_as_kube_scheduler(const Application& app) const {
    const config::Profile* const profile = model_.profile_of(app);
    return !app.is_driver && !app.is_surplus && profile != nullptr &&
           profile->messages == config::Messages::kube_scheduler;
}

/// As its profile has it.
StatusMessage StatusMessages::in_its_words(
    StatusMessage ours, const Application& app, MessageContext& context) const {
    if (!speaks_as_kube_scheduler(app)) {
        return ours;
    }
    const core::Pod& pod = model_.pods.at(app.uid).pod;
    if (ours.code == ReasonCode::pod_rules_not_met && !domain_placer_.is_ready(app)) {
        return ours;  // that labels are being listed
    }
    ++context.searches;
    return {
        ours.code,
        core::describe_as_kube_scheduler(
            model_.cluster,
            *app.declared.driver_shape,
            core::View::free,
            domain_placer_.reasons_by_position(pod)),
        true};
}

std::int64_t StatusMessages::work_of(const MessageContext& context) const {
    return context.searches * static_cast<std::int64_t>(model_.cluster.nodes().count()) *
           work_per_node_explained;
}

}  // namespace gang
