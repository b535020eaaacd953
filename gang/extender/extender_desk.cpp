#include "gang/extender/extender_desk.hpp"

#include "core/cluster/cluster.hpp"
#include "core/value/pod.hpp"
#include "core/value/resources.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/explain.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <variant>

namespace gang {
namespace {

bool is_among(const std::vector<std::string>& names, const std::string& name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

std::string with_code(const std::string& sentence, ReasonCode code) {
    return sentence + " [" + std::string(to_string(code)) + "]";
}

/// It is decided within moments: whoever asks again gets a node, or a reason that lasts.
bool passes_soon(ReasonCode code) {
    return code == ReasonCode::none || code == ReasonCode::waiting_for_spark_conf ||
           code == ReasonCode::backing_off;
}

/// kube-scheduler records these itself.
bool is_its_own(const RecordEvent& event) {
    return event.reason == "Scheduled" || event.reason == "FailedScheduling";
}

}  // namespace

void ExtenderDesk::on(const ExtenderAsked& event) {
    questions_.push_back({event, step_.now_ms});
}

void ExtenderDesk::on(const ExtenderBinds& event) {
    const auto refuse = [&](std::string why) {
        step_.decisions.emplace_back(AnswerExtender{event.token, {}, std::move(why)});
    };
    const PodRef pod{event.namespace_name, event.name, event.pod_uid};
    if (!model_.term.leads) {
        refuse("this replica does not lead");
        return;
    }
    if (!model_.pods.find(event.pod_uid)) {
        // A pod of no gang. Its node was kube-scheduler's choice.
        step_.decisions.emplace_back(BindPod{pod, {}, event.node, {}, step_.now_ms});
        return;
    }
    const HeldBind* const held = model_.held_binds.find(event.pod_uid);
    const PodEntry* const entry = model_.pods.find_active(event.pod_uid);
    if (held == nullptr || entry == nullptr || !entry->bind_in_flight) {
        refuse("no node is decided for it: it must be asked about first");
        return;
    }
    if (held->bind.node != event.node) {
        refuse("it was to go to " + held->bind.node + ", where its gang has its room");
        return;
    }
    BindPod bind = std::move(model_.held_binds.take(event.pod_uid)->bind);
    bind.resource_version = entry->pod.resource_version;  // it may have changed while it was held
    step_.decisions.emplace_back(std::move(bind));
}

/// What is held will not be bound by us; the next leader decides anew.
void ExtenderDesk::on(const LeadershipLost&) {
    questions_.clear();
    while (!model_.held_binds.all().empty()) {
        const std::string uid = model_.held_binds.all().begin()->first;
        if (PodEntry* entry = model_.pods.find_active(uid); entry != nullptr) {
            give_back(*entry);
        }
        model_.held_binds.forget(uid);
    }
}

bool ExtenderDesk::is_of_extender(std::string_view uid) const {
    const auto id = model_.pods.find(uid);
    if (!id) {
        return false;
    }
    if (const PodEntry* const entry = model_.pods.find_active(uid); entry != nullptr) {
        return model_.reader.names_extender(entry->pod);
    }
    const PodView pod = model_.pods[*id];
    return pod.is_driver() && model_.reader.is_extended(pod.scheduler_name());
}

bool ExtenderDesk::is_needed(std::string_view uid) const {
    const auto id = model_.pods.find(uid);
    if (!id) {
        return false;
    }
    const Application* const gang = model_.gangs.find(std::string(uid));
    return model_.pods[*id].slot() >= 0 ||
           (gang != nullptr && gang->is_driver && gang->phase == Phase::running);
}

void ExtenderDesk::begin_tick() {
    note_questions();
    forget_settled();
    for (auto& [uid, asked] : pods_) {
        const HeldBind* const held = model_.held_binds.find(uid);
        const bool is_held = held != nullptr;
        const std::int64_t until_ms = is_held
                                          ? std::max(asked.last_ms, held->since_ms) + answer_kept_ms
                                          : asked.last_ms + refused_kept_ms;
        PodEntry& entry = model_.pods.at(uid);
        if (entry.is_unasked || (entry.bind_in_flight && !is_held)) {
            continue;
        }
        if (step_.now_ms < until_ms) {
            step_.wake_at(until_ms);
        } else if (is_held) {
            give_back(entry);
        } else {
            pod_events_.unasked(entry);
        }
    }
}

void ExtenderDesk::note_questions() {
    for (Question& question : questions_) {
        PodEntry* const entry = model_.pods.find_active(question.asked.pod.uid);
        if (question.is_noted || entry == nullptr || !entry->pod.node_name.empty() ||
            !model_.reader.names_extender(entry->pod)) {
            continue;
        }
        question.is_noted = true;
        Asked& asked = pods_[entry->pod.uid];
        asked.last_ms = std::max(asked.last_ms, question.since_ms);
        if (asked.own && !entry->bind_in_flight) {
            place_anywhere(*entry, asked);  // other nodes are offered now
        }
        if (entry->is_unasked) {
            pod_events_.asked(*entry);
        }
    }
}

void ExtenderDesk::place_among(
    PodEntry& entry, Asked& asked, const std::vector<std::string>& nodes) {
    give_back(entry);
    asked.own = asked.own ? asked.own : std::optional(entry.pod.constraints);
    entry.pod.constraints = core::among(**asked.own, nodes);
    reshape(entry);
    pod_events_.asked(entry);
    step_.wake_at(step_.now_ms);
}

void ExtenderDesk::place_anywhere(PodEntry& entry, Asked& asked) {
    entry.pod.constraints = *std::exchange(asked.own, std::nullopt);
    reshape(entry);
    model_.worklist.dirty_pods.insert(entry.pod.uid);
}

void ExtenderDesk::reshape(const PodEntry& entry) {
    if (Application* app = model_.gangs.find(entry.pod.uid); app != nullptr) {
        model_.shapes.set_driver(
            *app,
            app->is_driver ? driver_request(entry.pod, model_.reader.declaration_of(entry.pod))
                           : entry.pod.requests,
            entry.pod.constraints);
    }
}

/// Pods that are bound, or gone.
void ExtenderDesk::forget_settled() {
    for (auto it = pods_.begin(); it != pods_.end();) {
        const PodEntry* const entry = model_.pods.find_active(it->first);
        const bool waits = entry != nullptr && entry->pod.node_name.empty() &&
                           !core::is_terminal(entry->pod) && !entry->gone;
        if (!waits || !entry->bind_in_flight) {
            model_.held_binds.take(it->first);
        }
        if (!waits) {
            model_.held_binds.forget(it->first);
        }
        it = waits ? std::next(it) : pods_.erase(it);
    }
}

/// As if its bind had failed before it was sent.
void ExtenderDesk::give_back(PodEntry& entry) {
    const std::string uid = entry.pod.uid;
    model_.held_binds.take(uid);
    entry.is_unasked = true;
    answers_.on(BindFinished{
        uid, BindOutcome::not_sent, "kube-scheduler has not asked about the pod again"});
    entry.retry.reset();
}

/// Where kube-scheduler binds: its own Binding has no room for it. Where we do: of a driver that
/// has a node by now, and that nobody asks about. kube-scheduler has heard a no, and comes back to
/// a pod that is changed.
void ExtenderDesk::write_reservations() {
    for (auto& [uid, held] : model_.held_binds.all()) {
        const PodEntry* const entry = model_.pods.find_active(uid);
        if (entry == nullptr || !held.bind.starts_gang || held.text == HeldBind::Text::writing ||
            held.text == HeldBind::Text::stored) {
            continue;
        }
        const std::string* const text =
            core::find_value(held.bind.annotations, reservation_annotation);
        const std::string* const shown =
            core::find_value(entry->pod.annotations, reservation_annotation);
        if (shown != nullptr && *shown == *text) {
            held.text = HeldBind::Text::stored;  // the answer was lost
            step_.wake_at(step_.now_ms);
            continue;
        }
        if (held.written_on == entry->pod.resource_version) {
            continue;
        }
        model_.held_binds.writes(held, entry->pod.resource_version);
        model_.awaited_answers.expect(uid, AwaitedAnswers::Write::held_reservation);
        step_.decisions.emplace_back(UpdateReservation{
            held.bind.pod, held.written_on, {{std::string(reservation_annotation), *text}}});
    }
}

void ExtenderDesk::end_tick(bool is_planned) {
    take_conditions();
    for (auto it = questions_.begin(); it != questions_.end();) {
        auto answer = answer_of(*it, is_planned);
        const bool is_over = answer || step_.now_ms - it->since_ms >= question_kept_ms;
        if (answer) {
            step_.decisions.emplace_back(*std::move(answer));
        }
        it = is_over ? questions_.erase(it) : std::next(it);
    }
    write_reservations();
}

void ExtenderDesk::take_conditions() {
    if (!model_.schema.extender.enabled) {
        return;
    }
    std::erase_if(step_.decisions, [&](const Decision& decision) {
        if (const auto* condition = std::get_if<SetCondition>(&decision)) {
            if (condition->fence || !is_of_extender(condition->pod.uid)) {
                return false;
            }
            if (const auto asked = pods_.find(condition->pod.uid); asked != pods_.end()) {
                asked->second.said = condition->message;
            }
            return true;
        }
        const auto* event = std::get_if<RecordEvent>(&decision);
        return event != nullptr && is_its_own(*event) && is_of_extender(event->pod.uid);
    });
}

std::optional<AnswerExtender> ExtenderDesk::answer_of(Question& question, bool is_planned) {
    const ExtenderAsked& asked = question.asked;
    const auto known = model_.pods.find(asked.pod.uid);
    if (!known) {
        // One of a gang that the watch has not shown yet is decided on when it has.
        return is_planned && !model_.reader.is_of_extender(asked.pod)
                   ? std::optional(answer_of_lone(asked))
                   : std::nullopt;
    }
    PodEntry* const entry = model_.pods.find_active(asked.pod.uid);
    if (entry == nullptr || !entry->pod.node_name.empty()) {
        return AnswerExtender{asked.token, {}, "the pod is on a node already"};
    }
    if (HeldBind* held = model_.held_binds.find(asked.pod.uid); held != nullptr) {
        if (model_.schema.extender.binds) {
            held->text = HeldBind::Text::stored;  // its bind will bring it
        }
        const bool is_safe = !held->bind.starts_gang || held->text == HeldBind::Text::stored;
        return is_safe ? answer_of_member(question, *entry) : std::nullopt;
    }
    if (!is_planned || entry->bind_in_flight) {
        return std::nullopt;
    }
    auto reason = reason_of(*entry);
    return reason ? std::optional(AnswerExtender{asked.token, {}, *std::move(reason)})
                  : std::nullopt;
}

std::optional<AnswerExtender> ExtenderDesk::answer_of_member(Question& question, PodEntry& entry) {
    const ExtenderAsked& asked = question.asked;
    const std::string node = entry.assumed_node;
    const std::string where = "its gang has its room on " + node;
    if (is_among(asked.nodes, node)) {
        return AnswerExtender{asked.token, {node}, where};
    }
    if (std::exchange(question.is_placed_anew, true)) {
        return AnswerExtender{asked.token, {}, where + ", which was not offered for it"};
    }
    place_among(entry, pods_.at(entry.pod.uid), asked.nodes);
    return std::nullopt;
}

/// Room alone is looked at: all else is kube-scheduler's to judge, and a node that we do not know
/// yet holds nothing of ours.
AnswerExtender ExtenderDesk::answer_of_lone(const ExtenderAsked& asked) const {
    AnswerExtender answer{asked.token, {}, {}};
    const core::ShapeId shape =
        model_.cluster.intern_shape(asked.pod.requests, *asked.pod.constraints);
    for (const std::string& name : asked.nodes) {
        const auto node = model_.cluster.nodes().find(name);
        if (!node || model_.cluster.capacity(*node, shape, core::View::free) > 0) {
            answer.nodes.push_back(name);
        }
    }
    model_.cluster.release_shape(shape);
    answer.message = with_code(
        "the pod asks " + core::describe(asked.pod.requests) +
            ", more than gangs leave free on the node",
        ReasonCode::waiting_for_capacity);
    return answer;
}

/// Why the plan has no node for it; nothing: that may be otherwise in a moment.
std::optional<std::string> ExtenderDesk::reason_of(const PodEntry& entry) const {
    const std::string& uid = entry.pod.uid;
    const Application* const owner = model_.gangs.find_owner(entry);
    const Application* const own = model_.gangs.find(uid);
    if (owner != nullptr) {
        if (owner->phase == Phase::assumed || model_.worklist.dirty_gangs.contains(owner->uid) ||
            entry.retry->code != ReasonCode::none) {
            return std::nullopt;
        }
    } else if (
        own != nullptr ? passes_soon(model_.waiting.code_of(*own))
                       : !owners_.is_waiting_ownerless(entry)) {
        return std::nullopt;
    }
    const auto explanation = views_.explain(uid);
    if (!explanation) {
        return std::nullopt;
    }
    if (owner == nullptr) {
        return with_code(explanation->gang.message, explanation->gang.code);
    }
    if (const auto asked = pods_.find(uid); asked != pods_.end() && !asked->second.said.empty()) {
        return asked->second.said;
    }
    return explanation->notes.empty() ? "this executor waits for a slot of its gang"
                                      : explanation->notes.back();
}

}  // namespace gang
