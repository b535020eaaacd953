#include "gang/demand/capacity_demand.hpp"

#include "core/value/exclusive.hpp"
#include "gang/model/application.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace gang {
namespace {

/// Most gangs that lack room for a moment have it in the next.
constexpr std::int64_t ask_after_ms = 1'000;
/// Executors that come at once need no object.
constexpr std::int64_t hold_after_ms = 2'000;
/// A driver that has not made its executors by then may be alone on its nodes.
constexpr std::int64_t hold_max_ms = 5 * 60'000;
constexpr std::int64_t look_every_ms = 1'000;
/// What others deleted or an unknown answer left behind is found by then.
constexpr std::int64_t list_every_ms = 10 * 60'000;
constexpr std::int64_t list_retry_ms = 30'000;
constexpr std::int64_t list_answer_ms = 60'000;
/// Of writes that failed, from the first pause to the longest.
constexpr std::int64_t retry_ms = 2'000;
constexpr std::int64_t retry_max_ms = 5 * 60'000;
/// An API server without the kind does not get it the next second.
constexpr std::int64_t refused_retry_ms = 60'000;
constexpr int sent_per_second = 10;

std::int64_t total(const std::vector<std::int64_t>& counts) {
    std::int64_t sum = 0;
    for (const std::int64_t count : counts) {
        sum += count;
    }
    return sum;
}

}  // namespace

void CapacityDemand::on(const LeadershipGained&) {
    model_.demand.all().clear();
    list_at_ms_ = 0;
}

/// Whoever leads now finds the objects; answers that come yet are nobody's.
void CapacityDemand::on(const LeadershipLost&) {
    model_.demand.all().clear();
}

void CapacityDemand::on(const CapacityListed& event) {
    if (!model_.demand.is_on()) {
        return;
    }
    list_at_ms_ = step_.now_ms + (event.is_complete ? list_every_ms : list_retry_ms);
    for (const FoundCapacity& found : event.found) {
        const Application* const app = model_.gangs.find(found.driver_uid);
        if (app != nullptr && app->namespace_name.str() != found.namespace_name) {
            continue;  // somebody else's, with a label like ours
        }
        const auto [it, inserted] = model_.demand.all().try_emplace(found.driver_uid);
        CapacityRequest& request = it->second;
        request.shapes = std::max(request.shapes, found.shapes);
        if (inserted) {
            request.driver = {
                found.namespace_name, app != nullptr ? app->name : std::string(), found.driver_uid};
            request.since_ms = found.created_ms;
            request.asked_ms = found.created_ms;
            request.is_news = true;
        }
    }
    if (!event.is_complete) {
        return;
    }
    // Written again, whether it is still there or not: what changes nothing costs little.
    for (auto& [uid, request] : model_.demand.all()) {
        const Application* const app = model_.gangs.find(uid);
        if (!request.is_under_way && request.asked_ms > 0 && app != nullptr &&
            app->phase == Phase::waiting) {
            request.stored.clear();
        }
    }
}

void CapacityDemand::on(const CapacityAnswered& event) {
    const auto it = model_.demand.all().find(event.driver_uid);
    if (it == model_.demand.all().end() || !it->second.is_under_way) {
        return;  // another leadership term's
    }
    CapacityRequest& request = it->second;
    request.is_under_way = false;
    const bool was_drop = request.writing.empty();
    const Counts written = std::exchange(request.writing, {});
    if (!event.may_exist && request.asked_ms == 0) {
        request.shapes = 0;
    }
    switch (event.outcome) {
        case CapacityOutcome::written:
            ++step_.counters.capacity_written;
            request.is_news = request.is_news || request.asked_ms == 0;
            request.asked_ms = request.asked_ms == 0 ? step_.now_ms : request.asked_ms;
            request.stored = written;
            request.failures = 0;
            break;
        case CapacityOutcome::dropped:
            ++step_.counters.capacity_dropped;
            model_.demand.all().erase(it);
            return;
        case CapacityOutcome::failed:
            ++step_.counters.capacity_failed;
            request.not_before_ms =
                step_.now_ms + doubled(retry_ms, request.failures++, retry_max_ms);
            break;
        case CapacityOutcome::no_kind:
        case CapacityOutcome::forbidden:
        case CapacityOutcome::refused:
            ++step_.counters.capacity_refused;
            if (was_drop) {
                model_.demand.all().erase(it);  // they end with their driver
                return;
            }
            request.not_before_ms =
                step_.now_ms + doubled(refused_retry_ms, request.failures++, retry_max_ms);
            tell_problem(request, event);
            break;
    }
    request.is_news = request.is_news || !request.is_answered;
    request.is_answered = true;
}

void CapacityDemand::tell_problem(CapacityRequest& request, const CapacityAnswered& answer) {
    if (std::exchange(request.is_told, true)) {
        return;
    }
    const auto pod = model_.pods.find(request.driver.uid);
    if (!pod) {
        return;
    }
    const std::string why =
        answer.outcome == CapacityOutcome::no_kind ? "the cluster has no such kind of object"
        : answer.outcome == CapacityOutcome::forbidden
            ? "the scheduler has no right to write the objects"
            : "the API server refuses the objects";
    status_reporter_.event(
        model_.pods.copy_of(*pod).pod,
        true,
        "AutoscalerNotAsked",
        "no autoscaler is asked for nodes for the executors: " + why + " (" + answer.message + ")");
}

void CapacityDemand::run() {
    if (!model_.demand.is_on()) {
        return;
    }
    if (second_ != step_.now_ms / 1'000) {
        second_ = step_.now_ms / 1'000;
        sent_ = 0;
    }
    list_if_due();
    note_open_slots();
    auto& all = model_.demand.all();
    for (auto it = all.begin(); it != all.end();) {
        it = step_request(it->second) ? all.erase(it) : std::next(it);
    }
}

void CapacityDemand::list_if_due() {
    if (step_.now_ms < list_at_ms_) {
        step_.wake_at(list_at_ms_);
        return;
    }
    list_at_ms_ = step_.now_ms + list_answer_ms;
    step_.decisions.emplace_back(ListCapacity{});
    step_.wake_at(list_at_ms_);
}

/// Of gangs that were admitted without having asked: their nodes look empty just the same.
void CapacityDemand::note_open_slots() {
    if (model_.demand.mode() != config::AutoscalingMode::capacity_buffer) {
        return;
    }
    if (step_.now_ms < look_at_ms_) {
        if (model_.ledger.counts().open_milli() > 0) {
            step_.wake_at(look_at_ms_);
        }
        return;
    }
    look_at_ms_ = step_.now_ms + look_every_ms;
    bool is_any = false;
    for (const auto& [uid, app] : model_.gangs.all()) {
        const bool stands_open = app.phase == Phase::running && app.count(SlotState::open) > 0 &&
                                 step_.now_ms < app.bound_ms + hold_max_ms;
        is_any = is_any || stands_open;
        if (stands_open && step_.now_ms >= app.bound_ms + hold_after_ms) {
            model_.demand.note(app, step_.now_ms);
        }
    }
    if (is_any) {
        step_.wake_at(look_at_ms_);
    }
}

/// True: there is nothing more to it.
bool CapacityDemand::step_request(CapacityRequest& request) {
    note_quota(request);
    report(request);
    if (request.is_under_way) {
        return false;
    }
    auto wanted = find_wanted(request);
    if (!wanted || *wanted == request.stored) {
        return wanted && wanted->empty() && !drop(request);
    }
    if (wanted->empty()) {
        return !drop(request);
    }
    want(request, *std::move(wanted));
    return false;
}

/// Of one that is not asked for yet. Who would be over a limit once those before it are admitted would
/// wait for quota beside nodes that were bought for it.
void CapacityDemand::note_quota(CapacityRequest& request) {
    const Application* const app = model_.gangs.find(request.driver.uid);
    if (request.asked_ms > 0 || request.is_under_way || app == nullptr ||
        app->phase != Phase::waiting) {
        return;
    }
    const bool is_beyond = !keeps_to_quota(*app);
    if (request.is_beyond_quota != is_beyond) {
        request.is_beyond_quota = is_beyond;
        request.is_news = true;
        request.is_answered = is_beyond;
        request.since_ms = step_.now_ms;
        QueueEntry* const entry =
            !is_beyond && WaitingLine::contains(*app) ? &model_.waiting.entry(*app) : nullptr;
        // Of no class is who waits for something else: a quota of its namespace, by the same code.
        if (entry != nullptr && entry->gang_class != nullptr &&
            entry->code == ReasonCode::waiting_for_quota) {
            entry->code = ReasonCode::waiting_for_capacity;  // what is left
        }
    }
}

/// Those before it in its own queue count as if they were admitted: who was asked for, or will be.
bool CapacityDemand::keeps_to_quota(const Application& app) const {
    const QueueEntry* const entry = model_.waiting.find_entry(app);
    if (!model_.shares.is_active() || entry == nullptr || entry->gang_class == nullptr) {
        return true;
    }
    const EquivalenceKey& key = entry->gang_class->first;
    if (!model_.shares.tree.at(key.lane.queue).is_bounded) {
        return true;
    }
    QuotaDemand demand{{}, 0};
    const auto add = [this, &demand](const Application& one) {
        demand.amounts.add(model_.cluster.resources(*one.declared.driver_shape), 1);
        for (const GangShape& shape : one.declared.shapes) {
            demand.amounts.add(model_.cluster.resources(shape.id), shape.count);
        }
        ++demand.gangs;
    };
    add(app);
    for (const auto& [uid, other] : model_.demand.all()) {
        const Application* const one = uid == app.uid ? nullptr : model_.gangs.find(uid);
        const QueueEntry* const place =
            one == nullptr ? nullptr : model_.waiting.find_entry(*one);
        const bool is_of_queue = place != nullptr && place->gang_class != nullptr &&
                                 place->gang_class->first.lane.queue == key.lane.queue;
        if (is_of_queue && !other.is_beyond_quota &&
            (other.asked_ms > 0 || one->order() < app.order())) {
            add(*one);
        }
    }
    return model_.shares.quota.find_shortages({key.lane.queue, key.user}, demand).empty();
}

/// Nothing: what is there stays as it is.
std::optional<CapacityDemand::Counts> CapacityDemand::find_wanted(
    const CapacityRequest& request) const {
    const Application* const app = model_.gangs.find(request.driver.uid);
    if (app == nullptr) {
        return Counts{};
    }
    switch (app->phase) {
        case Phase::waiting:
            return wanted_while_waiting(*app, request);
        case Phase::assumed:
        case Phase::running:
            return wanted_while_running(*app, request);
        case Phase::ended:
            break;
    }
    return Counts{};
}

std::optional<CapacityDemand::Counts> CapacityDemand::wanted_while_waiting(
    const Application& app, const CapacityRequest& request) const {
    const ReasonCode code = model_.waiting.code_of(app);
    const bool is_listing =
        code == ReasonCode::pod_rules_not_met && !model_.pod_rules.labels().are_known();
    const bool is_unknown = is_listing || code == ReasonCode::none ||
                            code == ReasonCode::backing_off ||
                            code == ReasonCode::bind_failed ||
                            code == ReasonCode::waiting_for_extender ||
                            code == ReasonCode::waiting_for_spark_conf;
    if (is_unknown) {
        return std::nullopt;
    }
    if (request.is_beyond_quota) {
        return std::nullopt;
    }
    const bool is_asked = request.asked_ms > 0;
    // Nodes that were bought for it are not given back because others are before it now.
    if (!DemandBoard::is_about_room(code) && !(is_asked && code == ReasonCode::waiting_in_queue)) {
        return Counts{};
    }
    Counts counts;
    for (const GangShape& shape : app.declared.shapes) {
        counts.push_back(shape.count);
    }
    return total(counts) > 0 ? counts : Counts{};
}

/// Slots that nobody is in yet; never more than before.
CapacityDemand::Counts CapacityDemand::wanted_while_running(
    const Application& app, const CapacityRequest& request) const {
    const bool is_over = app.phase == Phase::running && app.bound_ms > 0 &&
                         step_.now_ms >= app.bound_ms + hold_max_ms;
    const auto open = static_cast<std::int64_t>(app.count(SlotState::open));
    if (model_.demand.mode() != config::AutoscalingMode::capacity_buffer || is_over || open == 0) {
        return {};
    }
    if (open == total(request.stored)) {
        return request.stored;
    }
    Counts counts(app.declared.shapes.size());
    for (const Slot& slot : app.slots) {
        if (slot.state == SlotState::open && slot.shape < counts.size()) {
            ++counts[slot.shape];
        }
    }
    if (request.stored.size() == counts.size()) {
        for (std::size_t shape = 0; shape < counts.size(); ++shape) {
            counts[shape] = std::min(counts[shape], request.stored[shape]);
        }
    }
    return total(counts) > 0 ? counts : Counts{};
}

/// Few enough in this second, and not before its time: else it is tried again then.
bool CapacityDemand::may_send(std::int64_t not_before_ms) {
    if (sent_ >= sent_per_second) {
        not_before_ms = std::max(not_before_ms, (second_ + 1) * 1'000);
    }
    if (step_.now_ms < not_before_ms) {
        step_.wake_at(not_before_ms);
        return false;
    }
    ++sent_;
    return true;
}

void CapacityDemand::want(CapacityRequest& request, Counts counts) {
    const bool is_first = request.shapes == 0 && request.asked_ms == 0;
    const std::int64_t first_ms = is_first ? request.since_ms + ask_after_ms : 0;
    if (!may_send(std::max(first_ms, request.not_before_ms))) {
        return;
    }
    const Application& app = *model_.gangs.find(request.driver.uid);
    request.driver.name = app.name;
    WantCapacity decision{request.driver, {}};
    for (std::size_t index = 0; index < counts.size(); ++index) {
        const core::ShapeId shape = app.declared.shapes[index].id;
        decision.shapes.push_back(
            {core::without_exclusives(model_.cluster.resources(shape)),
             model_.cluster.shapes().constraints(shape),
             counts[index]});
    }
    request.shapes = std::max(request.shapes, static_cast<std::int64_t>(counts.size()));
    request.writing = std::move(counts);
    request.is_under_way = true;
    step_.decisions.emplace_back(std::move(decision));
}

/// False: it has no objects.
bool CapacityDemand::drop(CapacityRequest& request) {
    if (request.shapes == 0) {
        return false;
    }
    if (!may_send(request.not_before_ms)) {
        return true;
    }
    request.writing.clear();
    request.is_under_way = true;
    step_.decisions.emplace_back(DropCapacity{request.driver, request.shapes});
    return true;
}

/// A gang whose request was answered, or that has waited long enough for that.
void CapacityDemand::report(CapacityRequest& request) {
    const std::int64_t patience_ends_ms = request.since_ms + capacity_patience_ms;
    const bool is_late = !request.is_answered && request.asked_ms == 0;
    if (is_late && step_.now_ms < patience_ends_ms) {
        step_.wake_at(patience_ends_ms);
        return;
    }
    if (!request.is_news && !is_late) {
        return;
    }
    const Application* const app = model_.gangs.find(request.driver.uid);
    const QueueEntry* const entry = app == nullptr ? nullptr : model_.waiting.find_entry(*app);
    if (entry == nullptr || entry->code == ReasonCode::none) {
        return;
    }
    request.is_news = false;
    request.is_answered = true;
    status_.report(model_.gangs.at(app->uid), model_.gangs.find(refresh_.head()));
}

}  // namespace gang
