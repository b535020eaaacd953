// The small parts that look after slots, each alone, in situations drawn by chance: who takes which slot, who is told
// of what is missing, and what is given back.

#include "gang/slots/crash_loop_back_off.hpp"
#include "gang/slots/executors_elsewhere.hpp"
#include "gang/slots/gang_health.hpp"
#include "gang/slots/missing_executors.hpp"
#include "gang/slots/slot_assigner.hpp"
#include "gang/slots/stuck_drivers.hpp"
#include "tests/gang/parts.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

using gang::Application;
using gang::PodEntry;
using gang::SlotState;
using tests::Known;
using tests::Walk;

namespace {

constexpr const char* slot_state_names[] = {"open", "assumed", "bound", "draining", "unplaced"};

std::string all_slots_of(const Known& known, const Application& app) {
    std::string told;
    for (const gang::Slot& slot : app.slots) {
        told += " " + slot.node.str() + "/" + std::to_string(slot.shape) + "/" +
                slot_state_names[static_cast<std::size_t>(slot.state)];
        if (!slot.pod.is_none()) told += "/" + known.model.pods.uid(slot.pod);
    }
    return told.empty() ? " none" : told;
}

/// What was told, word for word.
std::string told_by(Known& known) {
    std::vector<gang::Decision> decisions;
    known.reporter.flush(decisions, known.step.now_ms, [&known](const std::string& uid) {
        return gang::ref_of(known.model.pods.at(uid).pod);
    });
    std::string told;
    for (const gang::Decision& decision : decisions) {
        if (const auto* event = std::get_if<gang::RecordEvent>(&decision)) {
            told += "\n    " + std::string(event->warning ? "warning " : "") + event->reason + ": " + event->message;
        }
    }
    return told;
}

/// Two shapes of two profiles, and slots of them on three nodes, some without room.
Application& add_gang_by_chance(Known& known, Walk& walk) {
    for (const char* node : {"n1", "n2", "n3"}) known.add_node(node, 8);
    Application& app = known.add_gang("d1", "n1", static_cast<int>(walk.pick(3)));
    const core::Pod like = tests::pod("like", 500, 1024);
    known.model.shapes.add(app, {1, 2, 0, {}, false}, like.requests, like.constraints);
    const auto open = [&](const char* node, std::size_t shape, std::size_t count) {
        known.model.ledger.add_open(
            app, shape, *known.model.cluster.nodes().find(node), static_cast<std::int64_t>(count));
    };
    open("n2", 1, walk.pick(3));
    open("n1", 1, walk.pick(2));
    open("n3", 0, walk.pick(2));
    for (gang::Slot& slot : app.slots) {
        if (walk.pick(5) == 0) known.model.ledger.unplace(app, slot);
    }
    return app;
}

}  // namespace

TEST_CASE("slot assigner: who takes which slot, whatever there is") {
    Walk walk(21);
    std::string told;
    for (int round = 0; round < 220; ++round) {
        Known known;
        Application& app = add_gang_by_chance(known, walk);
        known.step.work_left = 1'000'000;
        told += "slots" + all_slots_of(known, app) + "\n";
        std::vector<std::string> members;
        const std::size_t count = 1 + walk.pick(5);
        for (std::size_t i = 0; i < count; ++i) {
            constexpr const char* nodes[] = {"n1", "n2", "n3", "n1", "n2", ""};
            const std::string node = walk.of(nodes);
            const std::string uid = "e" + std::to_string(i);
            members.push_back(uid);
            PodEntry& entry = known.add_executor(uid, app, node);
            constexpr gang::SlotAnnotation annotations[] = {
                gang::SlotAnnotation::slot,
                gang::SlotAnnotation::slot,
                gang::SlotAnnotation::none,
                gang::SlotAnnotation::surplus};
            entry.annotated_slot = walk.of(annotations);
            entry.profile = static_cast<std::int32_t>(walk.pick(2));
            told += "  " + uid + " on " + (node.empty() ? "no node" : node) + " profile " +
                    std::to_string(entry.profile) + " annotated " +
                    std::to_string(static_cast<int>(entry.annotated_slot));
            const std::size_t oddity = walk.pick(20);
            if (oddity == 0) {
                entry.pod.namespace_name = "elsewhere";
                told += " of another namespace";
            } else if (oddity == 1) {
                entry.pod.phase = core::PodPhase::failed;
                told += " failed";
            } else if (oddity < 4) {
                entry.pod.deleting = true;
                told += " being deleted";
            } else if (oddity < 6) {
                known.model.evicting.insert(uid);
                told += " asked to go";
            } else if (oddity == 6) {
                known.model.gangs.ensure(entry, false);
                told += " beyond";
            } else if (oddity == 7 && node.empty()) {
                entry.assumed_node = known.model.texts.keep("n2");
                told += " on its way to n2";
            }
            known.model.ledger.pod_allocations().settle(entry);
            told += "\n";
        }
        gang::SlotAssigner assigner(known.model);
        app.has_slotless = walk.pick(3) != 0;
        switch (walk.pick(4)) {
            case 0:
            case 1:
                assigner.assign_members(app);
                told += "all";
                break;
            case 2:
                told += "one by one";
                for (const std::string& uid : members) {
                    PodEntry& entry = known.model.pods.at(uid);
                    if (entry.holds_capacity()) assigner.assign_bound(app, entry);
                }
                break;
            default:
                told += app.has_slotless ? "opened, of some without" : "opened";
                assigner.slot_opened(app);
                break;
        }
        told += all_slots_of(known, app) + (app.has_slotless ? " some are without" : "") + "\n";
        if (walk.pick(3) == 0) {
            for (gang::Slot& slot : app.slots) {
                if (slot.state == SlotState::open) known.model.ledger.unplace(app, slot);
            }
            if (walk.pick(2) == 0) known.model.cluster_model.remove_node("n2");
            assigner.open_remaining(app);
            told += "rest" + all_slots_of(known, app) +
                    (known.model.worklist.degraded.empty() ? "" : " degraded") + "\n";
        }
    }
    tests::check_transcript("gang/slots/transcripts/slot_assigner", told);
}

TEST_CASE("executors elsewhere: whose slots are given back, whatever such a pod says") {
    Walk walk(22);
    std::string told;
    for (int round = 0; round < 120; ++round) {
        Known known;
        Application& app = add_gang_by_chance(known, walk);
        if (!app.slots.empty() && walk.pick(3) == 0) {
            known.model.ledger.assign(app, 0, known.add_executor("e0", app, app.slots[0].node.str()));
        }
        told += "slots" + all_slots_of(known, app) + "\n";
        gang::Publisher publisher(known.model, known.step, known.reporter);
        gang::ExecutorsElsewhere elsewhere(known.model, known.reporter, publisher);
        const std::size_t oddity = walk.pick(16);
        if (oddity == 0) known.model.term.leads = false;
        if (oddity == 1) app.published.reserved = false;
        if (oddity == 2) app.phase = gang::Phase::ended;
        if (oddity == 3) app.is_driver = false;
        constexpr const char* oddities[] = {"follows", "not reserved", "ended", "no driver"};
        if (oddity < 4) told += std::string("  ") + oddities[oddity] + "\n";
        for (int i = 0; i < 3; ++i) {
            core::Pod pod = tests::executor("x" + std::to_string(walk.pick(3)), known.model.pods.at("d1").pod);
            pod.uid = pod.name;
            pod.scheduler_name = "other-scheduler";
            constexpr const char* nodes[] = {"n1", "n2", "n3", "n2", ""};
            pod.node_name = walk.of(nodes);
            pod.labels[1].second = std::to_string(walk.pick(2));
            told += "  " + pod.name + " on " + pod.node_name + " profile " + pod.labels[1].second;
            switch (walk.pick(14)) {
                case 0:
                    pod.namespace_name = "elsewhere";
                    told += " of another namespace";
                    break;
                case 1:
                    pod.labels[2].second = "driver";
                    told += " a driver";
                    break;
                case 2:
                    pod.labels.pop_back();
                    told += " without a role";
                    break;
                case 3:
                    pod.phase = core::PodPhase::succeeded;
                    told += " ended";
                    break;
                case 4:
                    pod.owners.clear();
                    told += " of nobody";
                    break;
                case 5:
                    pod.owners[0].uid = "d2";
                    told += " of another";
                    break;
                default:
                    break;
            }
            elsewhere.observe(pod);
            told += ":" + all_slots_of(known, app) + " generation " + std::to_string(app.published.generation) +
                    " remembered " + std::to_string(elsewhere.remembered()) +
                    (known.model.worklist.dirty_gangs.empty() ? "" : " dirty") + " counts " +
                    std::to_string(app.declared.shapes[0].count) + "," + std::to_string(app.declared.shapes[1].count) +
                    told_by(known) + "\n";
        }
    }
    tests::check_transcript("gang/slots/transcripts/executors_elsewhere", told);
}

TEST_CASE("gang parts: what is missing, stuck, failing or without room is told and given back in time") {
    Walk walk(23);
    std::string told;
    for (int life = 0; life < 20; ++life) {
        config::Schema schema;
        const bool releases = walk.pick(2) == 0;
        if (releases) schema.gang.missing_executors_then = config::UnusedThen::release;
        if (walk.pick(2) == 0) schema.gang.never_running_then = config::UnusedThen::release;
        Known known(schema);
        known.step.now_ms = 1'000'000;
        known.add_node("n1", 16);
        Application& app = known.add_gang("d1", "n1", 1 + static_cast<int>(walk.pick(4)));
        app.health.driver_runs = walk.pick(3) != 0;
        app.bound_ms = known.step.now_ms;
        gang::Publisher publisher(known.model, known.step, known.reporter);
        gang::GangHealth health(known.model, known.reporter);
        gang::MissingExecutors missing(known.model, known.step, known.reporter, publisher, health);
        gang::StuckDrivers stuck(known.model, known.step, known.reporter, publisher);
        gang::CrashLoopBackOff back_off(known.model, known.step, known.reporter);
        stuck.expect_running(app);
        PodEntry& waiting = known.add_executor("waits", app);
        app.pending.reset();
        told += std::string("a gang") + (releases ? " whose room is given back" : "") + "\n";
        int executors = 0;
        for (int i = 0; i < 36; ++i) {
            const auto now = [&known] { return std::to_string(known.step.now_ms - 1'000'000); };
            switch (walk.pick(16)) {
                case 0:
                case 1:
                case 2: {
                    constexpr std::int64_t waits[] = {1, 1'000, 60'000, 300'000, 599'999, 600'000};
                    known.step.now_ms += walk.of(waits);
                    told += "at " + now();
                    break;
                }
                case 3: {
                    const std::string name = "e" + std::to_string(++executors);
                    std::size_t slot = 0;
                    while (slot < app.slots.size() && !app.slots[slot].pod.is_none()) ++slot;
                    if (slot == app.slots.size()) continue;
                    PodEntry& entry = known.add_executor(name, app, "n1");
                    known.model.ledger.assign(app, slot, entry);
                    back_off.note_failure(entry, &app);
                    told += name + " comes";
                    break;
                }
                case 4:
                case 5: {
                    std::size_t slot = 0;
                    while (slot < app.slots.size() && app.slots[slot].pod.is_none()) ++slot;
                    if (slot == app.slots.size()) continue;
                    PodEntry& entry = known.model.pods.at(known.model.pods.uid(app.slots[slot].pod));
                    const bool is_success = walk.pick(4) == 0;
                    const int times = walk.pick(2) == 0 ? 1 : 8 + static_cast<int>(walk.pick(8));
                    known.model.ledger.release(app, entry);
                    for (int fails = 0; fails < times; ++fails) {
                        entry.pod.phase = core::PodPhase::running;
                        back_off.note_failure(entry, &app);
                        entry.pod.phase = is_success ? core::PodPhase::succeeded : core::PodPhase::failed;
                        back_off.note_failure(entry, walk.pick(8) == 0 ? nullptr : &app);
                        back_off.note_failure(entry, &app);  // once is enough
                    }
                    told += entry.pod.name + (is_success ? " succeeds " : " fails ") + std::to_string(times);
                    if (walk.pick(2) == 0) told += back_off.back_off(app) ? ", backs off" : ", goes on";
                    break;
                }
                case 6:
                    if (walk.pick(4) != 0) continue;
                    app.health.driver_runs = !app.health.driver_runs || walk.pick(2) == 0;
                    told += app.health.driver_runs ? "the driver runs" : "the driver does not run";
                    break;
                case 7:
                    if (app.pending->empty() && walk.pick(3) != 0) continue;
                    if (app.pending->empty()) {
                        app.pending.make().insert(waiting.rank());
                    } else {
                        app.pending.reset();
                    }
                    told += app.pending->empty() ? "nobody waits" : "one waits";
                    break;
                case 8:
                    if (walk.pick(3) != 0) continue;
                    app.group = app.group.empty() ? known.model.texts.keep("g") : core::Text{};
                    told += app.group.empty() ? "of no group" : "of a group";
                    break;
                case 9:
                    for (gang::Slot& slot : app.slots) {
                        if (slot.state == SlotState::open) {
                            known.model.ledger.unplace(app, slot);
                            break;
                        }
                        if (slot.state == SlotState::unplaced) {
                            known.model.ledger.open(app, slot, "n1");
                            break;
                        }
                    }
                    health.report(app);
                    told += "room";
                    break;
                case 10:
                    if (walk.pick(4) == 0) {
                        app.phase = app.phase == gang::Phase::running ? gang::Phase::ended : gang::Phase::running;
                        told += app.phase == gang::Phase::running ? "running" : "not running";
                    } else if (walk.pick(4) == 0) {
                        app.published.reserved = !app.published.reserved;
                        told += app.published.reserved ? "reserved" : "not reserved";
                    } else {
                        known.model.pods.at("d1").pod.phase =
                            walk.pick(2) == 0 ? core::PodPhase::running : core::PodPhase::pending;
                        told += "its phase " + std::to_string(static_cast<int>(known.model.pods.at("d1").pod.phase));
                    }
                    break;
                case 11:
                    stuck.check();
                    told += "stuck?";
                    break;
                case 12:
                    back_off.end_due();
                    told += back_off.back_off(app) ? "backs off" : "goes on";
                    break;
                case 13:
                    missing.check();
                    told += "missing?";
                    break;
                default:
                    missing.watch(app);
                    told += "watch";
                    if (walk.pick(3) == 0) {
                        known.step.now_ms += 600'000 - static_cast<std::int64_t>(walk.pick(2));
                        missing.check();
                        told += ", missing at " + now() + "?";
                    }
                    break;
            }
            const auto until = gang::crash_backoff_until_ms(app);
            told += ":" + all_slots_of(known, app) + " missing " + std::to_string(app.health.missing) + " since " +
                    std::to_string(app.health.missing_since_ms == 0 ? 0 : app.health.missing_since_ms - 1'000'000) +
                    (app.health.missing_is_due ? " due" : "") + (app.health.reported_missing ? " told" : "") +
                    (app.health.stuck ? " stuck" : "") + (app.health.reported_unplaced ? " degraded" : "") +
                    (known.model.worklist.degraded.empty() ? "" : " to repair") +
                    (known.model.worklist.dirty_gangs.empty() ? "" : " dirty") + " backs off until " +
                    std::to_string(std::max(until - 1'000'000, std::int64_t{-1})) + " remembered " +
                    std::to_string(missing.remembered()) + std::to_string(stuck.remembered()) +
                    std::to_string(back_off.remembered()) + " generation " +
                    std::to_string(app.published.generation) + told_by(known) + "\n";
            known.model.worklist.dirty_gangs.clear();
        }
    }
    tests::check_transcript("gang/slots/transcripts/gang_parts", told);
}
