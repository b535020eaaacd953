// Slots whose node was lost, cordoned or overcommitted by pods of others go elsewhere before new
// gangs are looked at; a gang for which there is no other room is degraded and stops nobody.

#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace gang {

/// Whose slots may have to move, or may find room now; in the order in which they came.
std::set<Rank> Engine::find_gangs_to_repair(bool capacity_appeared) {
    std::set<Rank> gangs;
    const auto is_live = [](const Application& app) {
        return app.reserved && app.phase == Phase::running;
    };
    for (const std::string& uid : std::exchange(worklist_.to_check, {})) {
        const auto found = apps_.find(uid);
        if (found != apps_.end() && is_live(found->second)) {
            gangs.insert(found->second.rank());
        }
    }
    if (capacity_appeared) {
        for (const Rank& rank : worklist_.degraded) {
            if (is_live(apps_.at(rank.uid))) {
                gangs.insert(rank);
            }
        }
    }
    const std::set<std::string> nodes_to_repair = cluster_model_.take_nodes_to_check();
    if (nodes_to_repair.empty()) {
        return gangs;
    }
    for (const Rank& rank : ledger_.unfilled()) {
        const Application& app = apps_.at(rank.uid);
        if (is_live(app) &&
            std::any_of(app.slots.begin(), app.slots.end(), [&nodes_to_repair](const Slot& slot) {
                return slot.state == SlotState::open && nodes_to_repair.contains(slot.node.str());
            })) {
            gangs.insert(rank);
        }
    }
    return gangs;
}

void Engine::repair() {
    is_repaired_ = true;
    const bool capacity_appeared = repaired_at_ != cluster_.free_capacity_version();
    if (cluster_model_.nodes_to_check().empty() && worklist_.to_check.empty() &&
        (worklist_.degraded.empty() || !capacity_appeared)) {
        return;
    }
    const std::set<Rank> found = find_gangs_to_repair(capacity_appeared);
    std::vector<const Rank*> gangs;
    for (const Rank& rank : found) {
        gangs.push_back(&rank);
    }
    // A slot that is not written on its node yet leaves it before one that is: what is written has
    // the room until another text is, and both would be more than there is.
    std::stable_partition(gangs.begin(), gangs.end(), [this](const Rank* rank) {
        const Application& app = apps_.at(rank->uid);
        return app.stored < app.generation;
    });
    for (const Rank* rank : gangs) {
        if (work_left_ <= 0) {
            worklist_.to_check.insert(rank->uid);
            is_repaired_ = false;
            wake_at(now_ms_);
            continue;
        }
        Application& app = apps_.at(rank->uid);
        work_left_ -=
            work_per_attempt + work_per_slot * static_cast<std::int64_t>(app.slots.size());
        repair_gang(app);
    }
    repaired_at_ = cluster_.free_capacity_version();
}

/// Gives up the room of open slots that cannot stay where they are. The room may be held on for a
/// while (see move_slot()), but first the slots beside it get their chance to stay.
void Engine::find_leaving(Application& app) {
    const auto give_up_unusable = [this, &app](bool are_stored) {
        for (Slot& slot : app.slots) {
            if (slot.state != SlotState::open || is_stored(app, slot) != are_stored) {
                continue;
            }
            const auto node = cluster_.find_node(slot.node.str());
            if (!ledger_.is_usable(app, slot) ||
                ledger_.is_overcommitted_for(*node, app.shapes[slot.shape].id)) {
                ledger_.unplace(app, slot);
                slot.leaving = true;
            }
        }
    };
    give_up_unusable(false);  // see repair()
    give_up_unusable(true);
}

std::vector<core::NodeCount> Engine::find_free_capacity(
    const Application& app, core::ShapeId shape, std::int64_t count) {
    core::PlacementRequest request;
    request.policy = policy_of(app);
    request.executors = {{shape, count}};
    auto placement = place(request);
    if (const auto* rejection = std::get_if<core::Rejection>(&placement)) {
        if (rejection->executors_fit == 0) {
            return {};
        }
        request.executors[0].count = rejection->executors_fit;
        placement = place(request);
    }
    const auto* found = std::get_if<core::Plan>(&placement);
    return found == nullptr ? std::vector<core::NodeCount>{} : found->executors[0];
}

/// The reservation as written does not say so.
void Engine::move_slot(Application& app, Slot& slot, core::NodeIndex to) {
    const std::string node = cluster_.node_name(to);
    if (slot.leaving) {
        // Until the new reservation is written, a restart would look for the slot on its old node,
        // which may be back by then.
        ledger_.release_later(app, slot, app.generation + 1);
    }
    slot.leaving = false;
    slot.since = app.since(app.generation + 1);
    ledger_.open(app, slot, node);
}

void Engine::repair_gang(Application& app) {
    find_leaving(app);
    bool changed = false;
    for (std::size_t shape = 0; shape < app.shapes.size(); ++shape) {
        std::vector<Slot*> unplaced;
        for (Slot& slot : app.slots) {
            if (slot.shape == shape && slot.state == SlotState::unplaced) {
                unplaced.push_back(&slot);
            }
        }
        if (unplaced.empty()) {
            continue;
        }
        const auto count = static_cast<std::int64_t>(unplaced.size());
        auto next = unplaced.begin();
        for (const core::NodeCount& found : find_free_capacity(app, app.shapes[shape].id, count)) {
            for (std::int64_t i = 0; i < found.count; ++i, ++next) {
                move_slot(app, **next, found.node);
                changed = true;
            }
        }
    }
    for (Slot& slot : app.slots) {
        changed = changed || slot.leaving;
        // A node that is gone may come back, a closed one open, a full one get room before that,
        // too.
        if (slot.leaving) {
            ledger_.release_later(app, slot, app.generation + 1);
        }
        slot.leaving = false;
    }
    if (changed) {
        assign_members(app);  // one may run where an old text had no slot, and has one now
        rewrite_reservation(app);
        worklist_.dirty_gangs.insert(app.uid);
    }
    report_health(app);
}

void Engine::report_health(Application& app) {
    const std::size_t unplaced = app.count(SlotState::unplaced);
    if (unplaced > 0) {
        worklist_.degraded.insert(app.rank());
    } else {
        worklist_.degraded.erase(app.rank());
    }
    if (app.reported_unplaced == (unplaced > 0)) {
        return;
    }
    app.reported_unplaced = unplaced > 0;
    status_reporter_.event(
        driver_of(app),
        app.reported_unplaced,
        app.reported_unplaced ? "GangDegraded" : "GangRepaired",
        app.reported_unplaced ? "no room now for " + std::to_string(unplaced) +
                                    " of the gang's slots, whose nodes were lost or are full"
                              : "every slot of the gang has room again");
}

/// A bound driver that never runs (an image that cannot be pulled) must not hold its gang for ever.
void Engine::check_stuck() {
    while (const auto uid = stuck_due_.take(now_ms_)) {
        Application* app = find_app(*uid);
        if (app == nullptr || app->phase != Phase::running || app->stuck || !app->reserved) {
            continue;
        }
        if (pods_.phase(pods_.id_of(*uid)) != core::PodPhase::pending) {
            continue;
        }
        app->stuck = true;
        const bool release = schema_.gang.never_running_then == config::UnusedThen::release;
        if (release) {
            ledger_.give_up_unfilled(*app, rewrite_reservation(*app));
            worklist_.degraded.erase(app->rank());
            app->reported_unplaced = false;
        }
        status_reporter_.event(
            driver_of(*app),
            true,
            "GangStuck",
            std::string("the driver is bound but has never run") +
                (release ? "; the room of its executors is given back" : ""));
    }
    wake_at(stuck_due_.next_ms());
}

}  // namespace gang
