#include "gang/reservation/publisher.hpp"

#include "core/value/pod.hpp"
#include "gang/decision.hpp"
#include "gang/model/pod/awaited_answers.hpp"
#include "gang/model/timers.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace gang {
namespace {

constexpr std::int64_t write_pause_ms_min = 1'000;
constexpr std::int64_t write_pause_ms_max = 30'000;
/// A pod that changes with every write of ours must not make us write as often as it likes.
constexpr int prompt_rewrites_max = 3;
/// Somebody who keeps editing the annotation is answered less and less often.
constexpr std::int64_t dispute_pause_ms_max = 60'000;
constexpr std::int64_t dispute_forgotten_ms = 600'000;

}  // namespace

std::int64_t Publisher::rewrite(Application& app) {
    model_.worklist.to_publish.insert(app.uid);
    return ++app.published.generation;
}

std::string Publisher::text_of(const Application& app) const {
    Reservation out;
    out.generation = app.published.generation;
    out.epoch = app.published.epoch;
    out.queue = app.declared.queue;
    out.profile = model_.pods[model_.pods.id_of(app.uid)].scheduler_name();
    out.anchor = app.uid;
    out.gang = app.published.gang.str();
    std::vector<std::map<std::string, std::int64_t>> counts(app.declared.shapes.size());
    for (const GangShape& shape : app.declared.shapes) {
        out.shapes.push_back(
            {shape.profile,
             shape.max,
             model_.cluster.resources(shape.id),
             model_.cluster.shapes().constraints(shape.id),
             {},
             0,
             shape.min == all_slots ? std::nullopt : std::optional(shape.min)});
    }
    for (const Slot& slot : app.slots) {
        if (slot.state == SlotState::unplaced) {
            ++out.shapes[slot.shape].unplaced;
        } else {
            ++counts[slot.shape][slot.node];
        }
    }
    for (std::size_t i = 0; i < counts.size(); ++i) {
        out.shapes[i].slots_per_node.assign(counts[i].begin(), counts[i].end());
    }
    return encode_reservation(out);
}

/// A write that came too late is repeated on the pod's next state, a few times at once.
bool Publisher::may_publish(const Application& app) const {
    return app.published.writing == 0 &&
           (app.published.rewrites->not_before_ms <= step_.now_ms ||
            (app.published.rewrites->waits_for_change &&
             model_.pods[model_.pods.id_of(app.uid)].resource_version() !=
                 app.published.rewrites->written_on));
}

void Publisher::publish_changed() {
    for (const std::string& uid : std::exchange(model_.worklist.to_publish, {})) {
        Application* app = model_.gangs.find(uid);
        if (app == nullptr || app->phase != Phase::running || !app->published.reserved ||
            app->published.generation == app->published.stored) {
            continue;
        }
        if (model_.wanted.unverified.contains(app->rank())) {
            model_.worklist.to_publish.insert(uid);  // it may say more than the gang declares
            continue;
        }
        if (!may_publish(*app)) {
            model_.worklist.to_publish.insert(uid);
            if (app->published.writing == 0) {
                step_.wake_at(app->published.rewrites->not_before_ms);
            }
            continue;
        }
        const core::Pod driver = model_.driver_of(*app);
        app->published.epoch = model_.term.epoch;
        app->published.annotation = model_.texts.keep(text_of(*app));
        app->published.text_generation = app->published.generation;
        app->published.is_shown = false;
        app->published.writing = app->published.generation;
        app->published.rewrites.make().written_on = driver.resource_version;
        model_.awaited_answers.expect(uid, AwaitedAnswers::Write::reservation);
        ++step_.counters.reservations_rewritten;
        step_.decisions.emplace_back(UpdateReservation{
            ref_of(driver),
            driver.resource_version,
            {{std::string(reservation_annotation), app->published.annotation.str()}}});
    }
}

void Publisher::answered(Application& app, WriteOutcome outcome) {
    const std::int64_t sent = std::exchange(app.published.writing, 0);
    if (outcome == WriteOutcome::written) {
        stored(app, sent);
    } else if (app.published.stored < sent) {  // else the watch has shown that it landed
        ++step_.counters.reservation_writes_failed;
        Rewrites& rewrites = app.published.rewrites.make();
        rewrites.waits_for_change =
            outcome == WriteOutcome::changed && rewrites.failures < prompt_rewrites_max;
        if (outcome == WriteOutcome::changed) {
            rewrites.refusals.conflicted();
        } else {
            rewrites.refusals.refused();
        }
        rewrites.not_before_ms =
            step_.now_ms + doubled(write_pause_ms_min, rewrites.failures++, write_pause_ms_max);
    }
    model_.worklist.to_publish.insert(app.uid);  // which asks whether there is anything to write
}

void Publisher::stored(Application& app, std::int64_t generation) {
    if (generation <= app.published.stored) {
        return;
    }
    app.published.stored = generation;
    if (app.published.rewrites.is_made()) {
        Rewrites& rewrites = app.published.rewrites.make();
        rewrites.failures = 0;
        rewrites.refusals = {};
        rewrites.waits_for_change = false;
    }
    model_.ledger.releases().finish(app, generation);
    model_.worklist.dirty_gangs.insert(app.uid);  // slots that wait for this may be filled
}

void Publisher::observe(Application& app, const std::string* text) {
    if (text != nullptr && *text == app.published.annotation) {
        app.published.is_shown = true;
        stored(app, app.published.text_generation);
        return;
    }
    if (!app.published.is_shown) {
        return;
    }
    Rewrites& rewrites = app.published.rewrites.make();
    if (step_.now_ms - rewrites.disputed_ms > dispute_forgotten_ms) {
        rewrites.disputes = 0;
    }
    if (rewrites.disputes == 0) {
        status_reporter_.event(
            model_.driver_of(app),
            true,
            "ReservationRestored",
            "somebody else changed the annotation gang-scheduler/reservation: it is written anew");
    }
    ++step_.counters.reservations_disputed;
    app.published.is_shown = false;
    rewrites.disputed_ms = step_.now_ms;
    const std::int64_t pause_ms =
        rewrites.disputes == 0
            ? 0
            : doubled(write_pause_ms_min, rewrites.disputes - 1, dispute_pause_ms_max);
    ++rewrites.disputes;
    rewrites.waits_for_change = false;
    rewrites.not_before_ms = std::max(rewrites.not_before_ms, step_.now_ms + pause_ms);
    rewrite(app);
}

}  // namespace gang
