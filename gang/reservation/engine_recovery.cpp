// Reservations read back from the annotations of bound drivers: after a start, and while another
// leader decides. The annotation is a hint that a tenant may have edited: it is bounded by the
// config, its nodes are checked for room again, and it never gives a gang more than it says in
// shape and count.

#include "gang/engine.hpp"
#include "gang/reservation/reservation.hpp"

#include <algorithm>
#include <map>
#include <string_view>

namespace gang {
/// False: most of the tick's work was used up, and what follows from it is for the next.
bool Engine::adopt_waiting() {
    work_left_ = work_per_tick;
    for (auto next = worklist_.to_adopt.begin(); next != worklist_.to_adopt.end();) {
        if (work_left_ <= 0) {
            return false;
        }
        const Rank& rank = *next;
        Application* app = find_app(rank.uid);
        const bool is_running = app != nullptr && app->phase == Phase::running;
        const PodEntry* whole = is_running ? pods_.find_active(rank.uid) : nullptr;
        if (whole != nullptr && whole->pod.node_name.empty()) {
            ++next;  // our own bind, whose annotation the watch has yet to show
            continue;
        }
        work_left_ -= work_per_attempt;
        if (is_running) {
            adopt(*app);
            work_left_ -= work_per_slot_adopted * static_cast<std::int64_t>(app->slots.size());
        }
        next = worklist_.to_adopt.erase(next);
    }
    return work_left_ >= work_per_tick / 2;
}

void Engine::adopt(Application& app) {
    const std::string* text = pods_.reservation(pods_.id_of(app.uid));
    if (app.reserved && text != nullptr && *text == app.annotation) {
        return;
    }
    ledger_.drop(app);
    release_shapes(app);
    worklist_.degraded.erase(app.rank());
    app.reported_unplaced = false;
    app.reserved = false;
    if (!read_reservation(app, text)) {
        if (reads_gangs()) {
            want_declaration(app);
        }
        return;
    }
    app.reserved = true;
    if (schema_.is_sealed()) {
        forget_declaration(app);
    } else {
        unverified_.insert(app.rank());
        want_declaration(app);
    }
    follow_slot_annotations(app);
    assign_members(app);
    open_remaining(app);
    worklist_.dirty_gangs.insert(app.uid);
    worklist_.to_check.insert(app.uid);
}

/// `text` is what its driver carries.
bool Engine::read_reservation(Application& app, const std::string* text) {
    if (text == nullptr || !reads_gangs()) {
        return false;
    }
    app.annotation = texts_.keep(*text);
    const auto read = decode_reservation(*text, schema_.gang.max_gang_size - 1);
    if (!read || read->anchor != app.uid) {
        app.diagnostics.make().notes = {
            read ? "the reservation annotation belongs to another pod" : read.error().message};
        return false;
    }
    app.first_generation = read->generation;
    app.generation = read->generation;
    app.text_generation = read->generation;
    app.stored = read->generation;
    app.is_shown = true;
    app.epoch = read->epoch;
    app.queue = texts_.keep(read->queue);
    ledger_.expect(app, slot_count(*read));
    for (const ReservedShape& shape : read->shapes) {
        const std::size_t index = app.shapes.size();
        std::int64_t count = shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            count += slots;
            ledger_.add(app, index, node, slots);
        }
        ledger_.add(app, index, {}, shape.unplaced);
        add_shape(app, {shape.profile, count, shape.max, {}}, shape.requests, shape.constraints);
    }
    return true;
}

void Engine::follow_slot_annotations(const Application& app) {
    const PodIds executors =
        application_ids_.of(pods_.application_key(pods_.id_of(app.uid))).ownerless;
    for (const PodId executor : executors) {
        PodEntry& entry = pods_.expand(executor);  // none of them is compacted
        follow_slot_annotation(entry);
        follow_labels(app, entry);
    }
    recheck_application(app);
}

/// An executor that runs and whose slot annotation a tenant has taken: it belongs to the gang whose
/// slot its labels would have got it. Otherwise that slot is held for nobody as long as the gang
/// lives.
void Engine::follow_labels(const Application& app, PodEntry& entry) {
    const bool lacks_annotation = entry.annotated_slot != SlotAnnotation::surplus &&
                                  has_unknown_driver(entry) && !entry.pod.node_name.empty() &&
                                  entry.holds_capacity();
    if (lacks_annotation && find_driver_by_id(entry) == &app) {
        become_member(entry, app.uid);
    }
}

/// Bound executors take slots on their own nodes first; an executor that was bound to a slot which
/// has moved since takes one from elsewhere, or the gang would hold room twice.
void Engine::assign_members(Application& app) {
    std::map<std::string_view, std::vector<std::size_t>> empty;  // by node, the first slot last
    for (std::size_t i = app.slots.size(); i-- > 0;) {
        if (app.slots[i].pod.is_none()) {
            empty[app.slots[i].node.str()].push_back(i);
        }
    }
    // A pod of another namespace may name our driver as its owner.
    std::vector<PodId> members = pods_.sorted_members_of(app.uid);
    std::erase_if(members, [this, &app](PodId member) {
        return pods_.slot(member) >= 0 || !pods_.holds_capacity(member) ||
               pods_.namespace_of(member) != app.namespace_name.str();
    });
    const auto assign = [this, &app](std::size_t slot, PodId member) {
        if (pods_.is_compacted(member)) {
            ledger_.assign(app, slot, member);
        } else {
            ledger_.assign(app, slot, pods_.expand(member));
        }
    };
    for (const PodId member : members) {
        const auto here = empty.find(pods_.node(member));
        if (pods_.annotated_slot(member) != SlotAnnotation::surplus && here != empty.end() &&
            !here->second.empty()) {
            assign(here->second.back(), member);
            here->second.pop_back();
        }
    }
    std::size_t next = 0;
    for (const PodId member : members) {
        if (pods_.slot(member) >= 0 || pods_.annotated_slot(member) != SlotAnnotation::slot) {
            continue;
        }
        while (next < app.slots.size() && !app.slots[next].pod.is_none()) {
            ++next;
        }
        if (next < app.slots.size()) {
            assign(next, member);
        }
    }
}

/// One that was bound while we looked elsewhere.
void Engine::assign_bound(Application& app, PodEntry& entry) {
    for (std::size_t i = 0; app.count_empty() > 0 && i < app.slots.size(); ++i) {
        const Slot& slot = app.slots[i];
        if (entry.annotated_slot != SlotAnnotation::surplus && slot.pod.is_none() &&
            slot.node == entry.node()) {
            ledger_.assign(app, i, entry);
            return;
        }
    }
}

void Engine::open_remaining(Application& app) {
    for (Slot& slot : app.slots) {
        const auto node = slot.pod.is_none() ? cluster_.find_node(slot.node.str()) : std::nullopt;
        const core::ShapeId shape = app.shapes[slot.shape].id;
        if (node && cluster_.capacity_in_all(*node, shape, core::View::free) > 0) {
            ledger_.open(app, slot, slot.node.str());
        }
    }
    if (app.count(SlotState::unplaced) > 0) {
        worklist_.degraded.insert(app.rank());
    }
}

}  // namespace gang
