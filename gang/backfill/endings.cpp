#include "gang/backfill/endings.hpp"

#include <algorithm>
#include <tuple>
#include <utility>

namespace gang {
namespace {

bool ends_before(const Ending& a, const Ending& b) {
    return std::tie(a.at_ms, a.uid) < std::tie(b.at_ms, b.uid);
}

/// All that the gang holds: its slots, what they have left, its driver, executors by themselves.
std::vector<core::AllocationId> room_of(const Model& model, const Application& app) {
    std::vector<core::AllocationId> room;
    for (const Slot& slot : app.slots) {
        if (slot.state != SlotState::unplaced) {
            room.push_back(slot.allocation);
        }
    }
    for (const PendingRelease& pending : *app.pending_releases) {
        room.push_back(pending.allocation);
    }
    const auto add = [&](std::string_view uid) {
        if (const auto held = model.cluster.pods().find(uid)) {
            room.push_back(*held);
        }
    };
    add(app.uid);
    for (const PodId id : model.pods.owners().sorted_members_of(app.uid)) {
        if (model.pods[id].slot() < 0) {
            add(model.pods.uid(id));
        }
    }
    return room;
}

std::int64_t start_of(const Application& app, const Run& run, std::int64_t now_ms) {
    return run.start_ms > 0 ? run.start_ms : app.milestones->admitted_ms > 0
                                  ? app.milestones->admitted_ms
                                  : now_ms;
}

}  // namespace

std::int64_t expected_end(
    const RunTime& expected, std::int64_t start_ms, std::int64_t now_ms, RunTimeKind kind) {
    const std::int64_t median_end = start_ms + expected.median_ms;
    const std::int64_t safe_end = start_ms + expected.safe_ms;
    if (kind == RunTimeKind::median && median_end > now_ms) {
        return median_end;
    }
    return safe_end > now_ms ? safe_end
                             : now_ms + std::max<std::int64_t>(expected.safe_ms / 10, 10'000);
}

Endings find_endings(const Model& model, std::int64_t now_ms, RunTimeKind kind) {
    Endings endings;
    for (const auto& [uid, app] : model.gangs.all()) {
        if (app.phase == Phase::ended) {
            endings.push_back({now_ms + leftover_ms, app.uid, room_of(model, app)});
            continue;
        }
        const Run* const run = model.run_times.find(uid);
        const auto expected = run != nullptr ? model.run_times.expected(*run) : std::nullopt;
        if (app.phase == Phase::waiting || !expected) {
            continue;
        }
        const std::int64_t at_ms =
            expected_end(*expected, start_of(app, *run, now_ms), now_ms, kind);
        endings.push_back({at_ms, app.uid, room_of(model, app)});
    }
    for (const auto& [uid, run] : model.run_times.all()) {
        const auto held = model.gangs.find(uid) == nullptr && run.start_ms > 0
                              ? model.cluster.pods().find(uid)
                              : std::nullopt;
        const auto expected = held ? model.run_times.expected(run) : std::nullopt;
        if (expected) {
            endings.push_back(
                {expected_end(*expected, run.start_ms, now_ms, kind), uid, {*held}});
        }
    }
    std::sort(endings.begin(), endings.end(), ends_before);
    return endings;
}

void add_ending(Endings& endings, Ending ending) {
    const auto at = std::upper_bound(endings.begin(), endings.end(), ending, ends_before);
    endings.insert(at, std::move(ending));
}

}  // namespace gang
