#include "gang/recovery/recovery.hpp"

#include "gang/model/group/group_records.hpp"
#include "gang/model/work.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace gang {

bool Recovery::run() {
    step_.work_left = work_per_tick;
    for (auto next = model_.worklist.to_adopt.begin(); next != model_.worklist.to_adopt.end();) {
        if (step_.work_left <= 0) {
            return false;
        }
        const Rank rank = *next;
        Application* app = model_.gangs.find(rank.uid);
        const bool is_running = app != nullptr && app->phase == Phase::running;
        const PodEntry* whole = is_running ? model_.pods.find_active(rank.uid) : nullptr;
        if (whole != nullptr && whole->pod.node_name.empty()) {
            ++next;  // our own bind, whose annotation the watch has yet to show
            continue;
        }
        step_.work_left -= work_per_attempt;
        model_.worklist.to_adopt.erase(next);
        if (is_running) {
            Application& counted = choose_newest(*app);
            model_.worklist.to_adopt.erase(counted.rank());
            adopt(counted);
            step_.work_left -=
                work_per_slot_adopted * static_cast<std::int64_t>(counted.slots.size());
        }
        next = model_.worklist.to_adopt.upper_bound(rank);
    }
    return step_.work_left >= work_per_tick / 2;
}

/// Of a pod group the newest text counts, whoever bears it. All others that bear one are members of
/// that one's gang.
Application& Recovery::choose_newest(Application& app) {
    const auto newest = app.group.empty() ? std::nullopt : newest_record(model_, app.group);
    if (!newest) {
        return app;
    }
    PodEntry& bearer = model_.pods.expand(newest->bearer);
    for (const PodId member : model_.groups.find(bearer.group.str())->members) {
        const Application* const other = find_anchored(model_, member);
        if (other != nullptr && member != newest->bearer && other->phase == Phase::running) {
            unmake_anchor(model_, model_.pods.expand(member));
        }
    }
    Application* const known = model_.gangs.find(bearer.pod.uid);
    if (known != nullptr && known->is_driver && known->phase == Phase::running) {
        return *known;
    }
    Application& gang = make_anchor(model_, bearer);
    model_.shapes.set_driver(gang, bearer.pod);
    gang.phase = Phase::running;
    gang.bound_ms = step_.now_ms;
    return gang;
}

void Recovery::adopt(Application& app) {
    const std::string* text = model_.pods[model_.pods.id_of(app.uid)].reservation();
    if (app.published.reserved && text != nullptr && *text == app.published.annotation) {
        return;
    }
    model_.ledger.drop(app);
    model_.shapes.release_all(app);
    model_.worklist.degraded.erase(app.rank());
    app.health.reported_unplaced = false;
    app.published.reserved = false;
    if (!read_reservation(app, text)) {
        if (!app.group.empty()) {
            model_.worklist.dirty_groups.insert(app.group);  // which forms anew, without it
        } else if (model_.reader.reads_gangs()) {
            declarations_.want_declaration(app);
        }
        return;
    }
    app.published.reserved = true;
    if (model_.schema.is_sealed()) {
        declarations_.forget_declaration(app);
    } else {
        model_.wanted.unverified.insert(app.rank());
        declarations_.want_declaration(app);
    }
    owners_.follow_slot_annotations(app);
    assign_members(app);
    assigner_.open_remaining(app);
    if (!app.group.empty()) {
        model_.worklist.dirty_groups.insert(app.group);  // its anchor may have ended
    }
    model_.worklist.dirty_gangs.insert(app.uid);
    model_.worklist.to_check.insert(app.uid);
}

/// An executor may run where its slot was moved to while the text still names the old node: who
/// reads the text next takes that room for the gang's, so it is held until another text is stored.
/// A text without a seal is held against its declaration first, and must not be written again
/// before that.
void Recovery::assign_members(Application& app) {
    std::vector<core::Text> written;
    for (const Slot& slot : app.slots) {
        written.push_back(slot.node);
    }
    assigner_.assign_members(app);
    std::int64_t generation = 0;
    for (std::size_t i = 0; i < written.size(); ++i) {
        const Slot& slot = app.slots[i];
        const bool has_moved = !written[i].str().empty() && written[i] != slot.node;
        if (!has_moved || !model_.schema.is_sealed()) {
            continue;
        }
        generation = generation > 0 ? generation : publisher_.rewrite(app);
        const auto node = model_.cluster.nodes().find(written[i].str());
        const core::ShapeId shape = app.declared.shapes[slot.shape].id;
        if (node && capacity_in_all(model_.cluster, *node, shape, core::View::free) > 0) {
            const core::Resources amounts = model_.cluster.resources(shape);
            model_.ledger.releases().hold(app, written[i].str(), amounts, generation);
        }
    }
}

/// `text` is what its driver carries.
bool Recovery::read_reservation(Application& app, const std::string* text) {
    if (text == nullptr || !model_.reader.reads_gangs()) {
        return false;
    }
    app.published.annotation = model_.texts.keep(*text);
    const auto read = decode_reservation(*text, model_.schema.gang.max_gang_size - 1);
    if (!read || read->anchor != app.uid) {
        app.declared.diagnostics.make().notes = {
            read ? "the reservation annotation belongs to another pod" : read.error().message};
        return false;
    }
    app.published.first_generation = read->generation;
    app.published.generation = read->generation;
    app.published.text_generation = read->generation;
    app.published.stored = read->generation;
    app.published.is_shown = true;
    app.published.epoch = read->epoch;
    app.published.gang = read->gang == app.uid ? core::Text{} : model_.texts.keep(read->gang);
    model_.gangs.restore_queue(app, read->queue);
    reserve_slots(app, slot_count(*read));
    for (const ReservedShape& shape : read->shapes) {
        const std::size_t index = app.declared.shapes.size();
        std::int64_t count = shape.unplaced;
        for (const auto& [node, slots] : shape.slots_per_node) {
            count += slots;
        }
        GangShape made{shape.profile, count, shape.max, {}};
        made.min = shape.min.value_or(all_slots);
        model_.shapes.add(app, std::move(made), shape.requests, shape.constraints);
        for (const auto& [node, slots] : shape.slots_per_node) {
            model_.ledger.add(app, index, node, slots);
        }
        model_.ledger.add(app, index, {}, shape.unplaced);
    }
    return true;
}

}  // namespace gang
