// The reservation as the driver's annotation: what it says, when it is written again, and what came
// of that. Each write names the state of the pod that it was decided on, so one that an older
// leader has sent comes too late; what comes too late itself is decided again on the pod's next
// state.
//
//   rewrite_reservation() --publish--> writing --written, or shown by the watch--> stored
//                             ^-----changed, failed: after a pause-----'

#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gang {
namespace {

constexpr std::int64_t write_pause_ms_min = 1'000;
constexpr std::int64_t write_pause_ms_max = 30'000;
/// A pod that changes with every write of ours must not make us write as often as it likes.
constexpr int prompt_rewrites_max = 3;
/// Somebody who keeps editing the annotation is answered less and less often.
constexpr std::int64_t dispute_pause_ms_max = 60'000;
constexpr std::int64_t dispute_forgotten_ms = 600'000;

std::int64_t doubled(std::int64_t start_ms, int times, std::int64_t max_ms) {
    return std::min(start_ms << std::min(times, 16), max_ms);
}

}  // namespace

std::int64_t Engine::rewrite_reservation(Application& app) {
    worklist_.to_publish.insert(app.uid);
    return ++app.generation;
}

std::string Engine::reservation_text(const Application& app) const {
    Reservation out;
    out.generation = app.generation;
    out.epoch = app.epoch;
    out.queue = app.queue;
    out.profile = pods_.scheduler_name(pods_.id_of(app.uid));
    out.anchor = app.uid;
    std::vector<std::map<std::string, std::int64_t>> counts(app.shapes.size());
    for (const GangShape& shape : app.shapes) {
        out.shapes.push_back(
            {shape.profile,
             shape.max,
             cluster_.resources(shape.id),
             cluster_.constraints(shape.id),
             {},
             0});
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
bool Engine::may_publish(const Application& app) const {
    return app.writing == 0 &&
           (app.rewrites->not_before_ms <= now_ms_ ||
            (app.rewrites->waits_for_change &&
             pods_.resource_version(pods_.id_of(app.uid)) != app.rewrites->written_on));
}

void Engine::publish_changed() {
    for (const std::string& uid : std::exchange(worklist_.to_publish, {})) {
        Application* app = find_app(uid);
        if (app == nullptr || app->phase != Phase::running || !app->reserved ||
            app->generation == app->stored) {
            continue;
        }
        if (!may_publish(*app)) {
            worklist_.to_publish.insert(uid);
            if (app->writing == 0) {
                wake_at(app->rewrites->not_before_ms);
            }
            continue;
        }
        const core::Pod driver = driver_of(*app);
        app->epoch = term_.epoch;
        app->annotation = texts_.keep(reservation_text(*app));
        app->text_generation = app->generation;
        app->is_shown = false;
        app->writing = app->generation;
        app->rewrites.make().written_on = driver.resource_version;
        awaited_.expect(uid, AwaitedAnswers::Write::reservation);
        ++counters_.reservations_rewritten;
        decisions_.emplace_back(UpdateReservation{
            ref_of(driver),
            driver.resource_version,
            {{std::string(reservation_annotation), app->annotation.str()}}});
    }
}

void Engine::reservation_answered(Application& app, WriteOutcome outcome) {
    const std::int64_t sent = std::exchange(app.writing, 0);
    if (outcome == WriteOutcome::written) {
        reservation_stored(app, sent);
    } else if (app.stored < sent) {  // else the watch has shown that it landed
        ++counters_.reservation_writes_failed;
        Rewrites& rewrites = app.rewrites.make();
        rewrites.waits_for_change =
            outcome == WriteOutcome::changed && rewrites.failures < prompt_rewrites_max;
        rewrites.not_before_ms =
            now_ms_ + doubled(write_pause_ms_min, rewrites.failures++, write_pause_ms_max);
    }
    worklist_.to_publish.insert(app.uid);  // which asks whether there is anything to write
}

void Engine::reservation_stored(Application& app, std::int64_t generation) {
    if (generation <= app.stored) {
        return;
    }
    app.stored = generation;
    if (app.rewrites.is_made()) {
        app.rewrites.make().failures = 0;
        app.rewrites.make().waits_for_change = false;
    }
    ledger_.finish_releases(app, generation);
    worklist_.dirty_gangs.insert(app.uid);  // slots that wait for this may be filled
}

/// The leader's ledger is the truth; what a driver carries that is neither what was last sent nor a
/// state of before that was written by a tenant, or by a leader of before us, and is overwritten.
void Engine::observe_reservation(Application& app, const std::string* text) {
    if (text != nullptr && *text == app.annotation) {
        app.is_shown = true;
        reservation_stored(app, app.text_generation);
        return;
    }
    if (!app.is_shown) {
        return;
    }
    Rewrites& rewrites = app.rewrites.make();
    if (now_ms_ - rewrites.disputed_ms > dispute_forgotten_ms) {
        rewrites.disputes = 0;
    }
    if (rewrites.disputes == 0) {
        status_reporter_.event(
            driver_of(app),
            true,
            "ReservationRestored",
            "somebody else changed the annotation gang-scheduler/reservation: it is written anew");
    }
    ++counters_.reservations_disputed;
    app.is_shown = false;
    rewrites.disputed_ms = now_ms_;
    const std::int64_t pause_ms =
        rewrites.disputes == 0
            ? 0
            : doubled(write_pause_ms_min, rewrites.disputes - 1, dispute_pause_ms_max);
    ++rewrites.disputes;
    rewrites.waits_for_change = false;
    rewrites.not_before_ms = std::max(rewrites.not_before_ms, now_ms_ + pause_ms);
    rewrite_reservation(app);
}

}  // namespace gang
