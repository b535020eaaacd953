// Slots that nobody's valid text vouches for, held against what the gang declares. Two cases:
//
//   The text of a bound driver is missing, void or not sealed by us (a tenant edited it while
//   nobody led): its slots are made anew, from the declaration and from the executors that run.
//   There is no key, so every text may be a tenant's: it counts, but as far as the declaration
//   goes.
//
//   adopted --want_declaration()--> asked --found, or lost--> declarations_ --settle--> done
//                                     ^---------- lost: it may still come ----------'
//
// New slots are found all at once or not at all: who strips his own annotation, or was bound by
// somebody else, must not hold the cluster's holes one by one for a gang that does not fit. Until
// then the gang's executors are placed as they come (engine_members.cpp).

#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gang {
namespace {

std::int64_t declared_count(const GangSize& size) {
    std::int64_t count = 0;
    for (const spark::ExecutorShape& shape : size.executors) {
        count += shape.count;
    }
    return count;
}

}  // namespace

/// What the gang is, as its driver and its conf say it now. `conf` is nullptr when there is none.
GangSize Engine::size_of(const core::Pod& driver, const spark::Conf* conf) const {
    const auto derived = conf == nullptr ? std::nullopt : std::optional(derive(*conf, driver));
    return size_gang(driver, declaration_of(driver), derived ? &*derived : nullptr, limits());
}

/// A compacted driver has forgotten what it declares: it is asked when the API server shows it
/// again.
void Engine::want_declaration(Application& app) {
    to_rebuild_.insert(app.rank());
    app.is_unproven = true;
    const PodEntry* entry = pods_.find_active(app.uid);
    if (entry == nullptr || entry->pod.node_name.empty() || declarations_.contains(app.rank())) {
        return;
    }
    if (is_spark_driver(entry->pod)) {
        app.conf_needed = true;
        asker_.want(app.uid, now_ms_);
    } else {
        declaration_found(app, size_of(entry->pod, nullptr));
    }
}

void Engine::forget_declaration(Application& app) {
    unverified_.erase(app.rank());
    if (std::exchange(app.is_unproven, false)) {
        to_rebuild_.erase(app.rank());
        app.conf_needed = false;
        asker_.forget(app.uid);
        declarations_.erase(app.rank());
    }
}

/// Whether the driver's pod has to stay whole, because of what it declares.
bool Engine::awaits_declaration(const Application& app, const core::Pod& driver) const {
    if (app.is_unproven || !reads_gangs()) {
        return app.is_unproven;
    }
    const std::string* text = core::find_value(driver.annotations, reservation_annotation);
    const bool is_known = app.reserved && text != nullptr && *text == app.annotation;
    const bool is_vouched_for = schema_.is_sealed() && text != nullptr;
    return !is_known && !is_vouched_for && worklist_.to_adopt.contains(app.rank());
}

/// A gang whose slots were lost would lose their room, too, to whoever is admitted meanwhile.
bool Engine::awaits_lost_declaration() const {
    return std::any_of(to_rebuild_.begin(), to_rebuild_.end(), [this](const Rank& rank) {
        return asker_.is_asking(rank.uid) && !declarations_.contains(rank);
    });
}

void Engine::declaration_found(Application& app, GangSize size) {
    const bool is_lost = !size.problem.empty();
    if (!is_lost) {
        app.conf_needed = false;
        asker_.forget(app.uid);
    }
    if (!is_lost || !declarations_.contains(app.rank())) {
        declarations_.insert_or_assign(app.rank(), std::move(size));
        settled_capacity_ = 0;
    }
}

/// A conf that cannot be asked for, whatever the reason, does not hold up a new leader for ever.
void Engine::give_up_unverified() {
    if (unverified_.empty()) {
        return;
    }
    const std::int64_t until_ms = term_.fence_raised_ms + fence_give_up_ms;
    if (!term_.fence_is_raised || now_ms_ < until_ms) {
        wake_at(term_.fence_is_raised ? until_ms : now_ms_ + fence_give_up_ms);
        return;
    }
    for (const Rank& rank : unverified_) {
        if (Application* app = find_app(rank.uid); app != nullptr) {
            GangSize lost;
            lost.problem = "its Spark conf could not be read";
            declaration_found(*app, std::move(lost));
        }
    }
}

/// New slots are found behind the fence only: before that, free room is nobody's yet.
void Engine::settle_declarations() {
    give_up_unverified();
    if (declarations_.empty() || settled_capacity_ == cluster_.free_capacity_version()) {
        return;
    }
    const bool may_place = is_fence_passed();
    for (auto next = declarations_.begin(); next != declarations_.end();) {
        const Rank rank = next->first;
        Application* app = find_app(rank.uid);
        if (app == nullptr || app->phase != Phase::running) {
            to_rebuild_.erase(rank);
            unverified_.erase(rank);
            next = declarations_.erase(next);
            continue;
        }
        const GangSize& size = next->second;
        work_left_ -=
            work_per_attempt + work_per_slot * static_cast<std::int64_t>(app->slots.size());
        const bool is_known = size.problem.empty();
        if (app->reserved) {
            bound_by(*app, size);
        } else if (!is_known || !may_place || !rebuild(*app, size)) {
            ++next;
            continue;
        }
        unverified_.erase(rank);
        if (is_known) {  // else it may still be found
            to_rebuild_.erase(rank);
            app->is_unproven = false;
        }
        next = declarations_.erase(next);
        if (PodEntry* entry = pods_.find_active(rank.uid); entry != nullptr && is_known) {
            compact_if_settled(*entry);
        }
    }
    settled_capacity_ = may_place ? cluster_.free_capacity_version() : 0;
}

/// The largest that slots of the gang may be: as declared, or as an executor that runs.
core::Resources Engine::bound_of(const Application& app, const core::Resources& declared) const {
    core::Resources bound = declared;
    for (const Slot& slot : app.slots) {
        bound = slot.pod.is_none() ? bound : core::larger(bound, pods_.requests(slot.pod));
    }
    return bound;
}

/// Takes from a reservation that was read from an unsealed text what goes beyond the declaration:
/// slots that are too many, too large, or of a profile that is not declared. Executors stay in
/// theirs. Without a declaration all others go.
void Engine::bound_by(Application& app, const GangSize& size) {
    const bool is_known = size.problem.empty() && !size.executors.empty();
    const spark::ExecutorShape* said = is_known ? &size.executors.front() : nullptr;
    const core::Resources bound = is_known ? bound_of(app, said->requests) : core::Resources{};
    const auto is_fine = [&](const Slot& slot) {
        const GangShape& shape = app.shapes[slot.shape];
        return is_known && shape.profile == said->profile &&
               fits_within(cluster_.resources(shape.id), bound);
    };
    const auto held = static_cast<std::int64_t>(app.slots.size());
    std::int64_t left = is_known ? said->count : 0;  // of the declared ones
    std::vector<std::size_t> leaving;
    std::vector<std::size_t> too_large;
    for (const bool are_filled : {true, false}) {
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            const Slot& slot = app.slots[i];
            if (slot.pod.is_none() == are_filled) {
                continue;
            }
            const bool stays = are_filled || (left > 0 && is_fine(slot));
            left -= stays ? 1 : 0;
            if (!stays) {
                leaving.push_back(i);
            } else if (is_known && !is_fine(slot)) {
                too_large.push_back(i);
            }
        }
    }
    if (leaving.empty() && too_large.empty()) {
        return;
    }
    if (is_known) {
        const std::size_t shape = app.shapes.size();
        add_shape(
            app, {said->profile, said->count, said->max, {}}, said->requests, said->constraints);
        for (const std::size_t i : too_large) {
            reshape(app, i, shape);
        }
    }
    ledger_.give_up(app, leaving, rewrite_reservation(app));
    const auto kept = static_cast<std::int64_t>(app.slots.size());
    const std::int64_t replaced = std::min(held, is_known ? said->count : 0) - kept;
    if (replaced > 0) {
        ledger_.add(app, app.shapes.size() - 1, {}, replaced);
    }
    report_bounded(app);
    worklist_.to_check.insert(app.uid);
    worklist_.dirty_gangs.insert(app.uid);
}

/// The executor stays where it is, in a slot of another size.
void Engine::reshape(Application& app, std::size_t slot, std::size_t shape) {
    PodEntry& executor = pods_.expand(app.slots[slot].pod);
    ledger_.release(app, executor);
    app.slots[slot].shape = static_cast<std::uint16_t>(shape);
    ledger_.assign(app, slot, executor);
    compact_if_settled(executor);
}

void Engine::report_bounded(Application& app) {
    status_reporter_.event(
        driver_of(app),
        true,
        "ReservationBounded",
        "the annotation gang-scheduler/reservation named more than the application declares: it "
        "holds " +
            std::to_string(app.slots.size()) + " slots now");
}

/// Slots for the executors that run, where they run, and for the rest of what is declared wherever
/// there is room for all of it. False: there is none.
bool Engine::rebuild(Application& app, const GangSize& size) {
    follow_slot_annotations(app);
    std::map<std::string, std::int64_t> running;
    std::int64_t missing = declared_count(size);
    for (const PodId member : pods_.sorted_members_of(app.uid)) {
        const bool is_its = pods_.holds_capacity(member) &&
                            pods_.annotated_slot(member) != SlotAnnotation::surplus &&
                            pods_.namespace_of(member) == app.namespace_name.str();
        if (is_its && missing > 0) {
            ++running[pods_.node(member)];
            --missing;
        }
    }
    const bool is_gang = !size.executors.empty();
    release_shapes(app);
    if (is_gang) {
        const spark::ExecutorShape& said = size.executors.front();
        add_shape(app, {said.profile, said.count, said.max, {}}, said.requests, said.constraints);
    }
    std::vector<core::NodeCount> room;
    if (missing > 0) {
        room = find_free_capacity(app, app.shapes.front().id, missing);
        std::int64_t found = 0;
        for (const core::NodeCount& place : room) {
            found += place.count;
        }
        if (found < missing) {
            release_shapes(app);
            return false;
        }
    }
    ledger_.expect(app, declared_count(size));
    for (const auto& [node, count] : running) {
        ledger_.add(app, 0, node, count);
    }
    app.reserved = true;
    app.is_shown = false;
    app.first_generation = app.generation + 1;
    app.stored = app.generation;
    app.annotation = {};
    assign_members(app);
    open_remaining(app);
    for (const core::NodeCount& place : room) {
        ledger_.add_open(app, 0, place.node, place.count);
    }
    rewrite_reservation(app);
    worklist_.dirty_gangs.insert(app.uid);
    worklist_.to_check.insert(app.uid);
    report_rebuilt(app);
    return true;
}

void Engine::report_rebuilt(Application& app) {
    const std::string slots = std::to_string(app.slots.size());
    app.diagnostics.make().notes = {
        "its reservation was lost, and its " + slots +
        " slots were made anew from what it declares"};
    if (app.slots.empty()) {
        return;
    }
    status_reporter_.event(
        driver_of(app),
        true,
        "ReservationRebuilt",
        "the annotation gang-scheduler/reservation was missing, or not written by the scheduler: "
        "the gang's " +
            slots + " slots are made anew from what the application declares");
}

}  // namespace gang
