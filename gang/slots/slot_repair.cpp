#include "gang/slots/slot_repair.hpp"

#include "gang/model/ledger.hpp"
#include "gang/model/work.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace gang {

void SlotRepair::run() {
    is_repaired_ = true;
    const bool capacity_appeared = repaired_at_ != model_.cluster.room().gains().version();
    if (model_.cluster_model.nodes_to_check().empty() && model_.worklist.to_check.empty() &&
        (model_.worklist.degraded.empty() || !capacity_appeared)) {
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
        const Application& app = model_.gangs.at(rank->uid);
        return app.published.stored < app.published.generation;
    });
    for (const Rank* rank : gangs) {
        if (step_.work_left <= 0) {
            model_.worklist.to_check.insert(rank->uid);
            is_repaired_ = false;
            step_.wake_at(step_.now_ms);
            continue;
        }
        Application& app = model_.gangs.at(rank->uid);
        step_.work_left -=
            work_per_attempt + work_per_slot * static_cast<std::int64_t>(app.slots.size());
        repair_gang(app);
    }
    repaired_at_ = model_.cluster.room().gains().version();
}

/// Whose slots may have to move, or may find room now; in the order in which they came.
std::set<Rank> SlotRepair::find_gangs_to_repair(bool capacity_appeared) {
    std::set<Rank> gangs;
    const auto is_live = [](const Application& app) {
        return app.published.reserved && app.phase == Phase::running;
    };
    for (const std::string& uid : std::exchange(model_.worklist.to_check, {})) {
        const Application* app = model_.gangs.find(uid);
        if (app != nullptr && is_live(*app)) {
            gangs.insert(app->rank());
        }
    }
    if (capacity_appeared) {
        for (const Rank& rank : model_.worklist.degraded) {
            if (is_live(model_.gangs.at(rank.uid))) {
                gangs.insert(rank);
            }
        }
    }
    const std::set<std::string> nodes_to_repair = model_.cluster_model.take_nodes_to_check();
    if (nodes_to_repair.empty()) {
        return gangs;
    }
    for (const Rank& rank : model_.ledger.counts().unfilled()) {
        const Application& app = model_.gangs.at(rank.uid);
        if (is_live(app) &&
            std::any_of(app.slots.begin(), app.slots.end(), [&nodes_to_repair](const Slot& slot) {
                return slot.state == SlotState::open && nodes_to_repair.contains(slot.node.str());
            })) {
            gangs.insert(rank);
        }
    }
    return gangs;
}

void SlotRepair::repair_gang(Application& app) {
    find_leaving(app);
    bool changed = false;
    for (std::size_t shape = 0; shape < app.declared.shapes.size(); ++shape) {
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
        const core::ShapeId passing = called_.without_refused(app, shape);
        auto next = unplaced.begin();
        for (const core::NodeCount& found : placer_.find_free_capacity(app, passing, count)) {
            for (std::int64_t i = 0; i < found.count; ++i, ++next) {
                move_slot(app, **next, found.node);
                changed = true;
            }
        }
        model_.shapes.release(passing);
    }
    for (Slot& slot : app.slots) {
        changed = changed || slot.leaving;
        // A node that is gone may come back, a closed one open, a full one get room before that,
        // too.
        if (slot.leaving) {
            model_.ledger.releases().hold(app, slot, app.published.generation + 1);
        }
        slot.leaving = false;
    }
    if (changed) {
        assigner_.assign_members(
            app);  // one may run where an old text had no slot, and has one now
        publisher_.rewrite(app);
        model_.worklist.dirty_gangs.insert(app.uid);
    }
    health_.report(app);
}

bool SlotRepair::is_card_overdrawn(
    const Application& app, const Slot& slot, core::NodeIndex node) const {
    const core::Demand& demand = model_.cluster.demand(app.declared.shapes[slot.shape].id);
    return demand.wants_cards &&
           std::any_of(
               demand.extended.begin(),
               demand.extended.end(),
               [&](const core::ExtendedDemand& wanted) {
                   return model_.cluster.columns().is_card_overdrawn(node, wanted.id);
               });
}

/// Gives up the room of open slots that cannot stay where they are. The room may be held on for a
/// while (see move_slot()), but first the slots beside it get their chance to stay.
void SlotRepair::find_leaving(Application& app) {
    const auto give_up_unusable = [this, &app](bool are_stored) {
        for (Slot& slot : app.slots) {
            if (slot.state != SlotState::open || is_stored(app, slot) != are_stored) {
                continue;
            }
            const auto node = model_.cluster.nodes().find(slot.node.str());
            if (node && is_card_overdrawn(app, slot, *node)) {
                model_.ledger.choose_card_anew(app, slot);
            }
            const core::ShapeId shape = app.declared.shapes[slot.shape].id;
            if (!is_usable(model_.cluster, app, slot) ||
                model_.ledger.releases().is_overcommitted_for(*node, shape)) {
                model_.ledger.unplace(app, slot);
                slot.leaving = true;
            }
        }
    };
    give_up_unusable(false);  // see run()
    give_up_unusable(true);
}

/// The reservation as written does not say so.
void SlotRepair::move_slot(Application& app, Slot& slot, core::NodeIndex to) {
    const std::string node = model_.cluster.nodes().name(to);
    if (slot.leaving) {
        // Until the new reservation is written, a restart would look for the slot on its old node,
        // which may be back by then.
        model_.ledger.releases().hold(app, slot, app.published.generation + 1);
    }
    slot.leaving = false;
    slot.since = app.since(app.published.generation + 1);
    model_.ledger.open(app, slot, node);
}

}  // namespace gang
