#include "gang/backfill/promises.hpp"

#include "gang/backfill/forward_run.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace gang {
namespace {

/// So many are told when they are expected to start.
constexpr std::size_t expected_max = 64;
/// The spread of a start is never said to be less.
constexpr std::int64_t spread_ms_min = 60'000;

bool wants_promise(const Waiter& waiter) {
    return !waiter.is_strict &&
           (waiter.mode == config::BackfillMode::conservative || waiter.is_first);
}

}  // namespace

/// Those who share nodes, in their order: pools that share none have nothing to do with each other.
std::vector<Promises::Group> Promises::groups_of(
    const std::vector<Waiter>& waiters, const std::vector<std::size_t>& chosen) {
    struct Pool {
        core::NodeBitmap nodes;
        Group members;
    };
    std::vector<Pool> pools;
    for (const std::size_t i : chosen) {
        Pool joined{waiters[i].nodes, {i}};
        for (auto pool = pools.begin(); pool != pools.end();) {
            if (!pool->nodes.intersects(waiters[i].nodes)) {
                ++pool;
                continue;
            }
            joined.nodes.add(pool->nodes);
            joined.members.insert(
                joined.members.end(), pool->members.begin(), pool->members.end());
            pool = pools.erase(pool);
        }
        pools.push_back(std::move(joined));
    }
    std::vector<Group> groups;
    for (Pool& pool : pools) {
        std::sort(pool.members.begin(), pool.members.end());
        groups.push_back(std::move(pool.members));
    }
    return groups;
}

void Promises::plan(std::vector<Waiter>& waiters) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < waiters.size(); ++i) {
        if (!wants_promise(waiters[i])) {
            continue;
        }
        if (chosen.size() < promises_max) {
            chosen.push_back(i);
        } else {
            waiters[i].is_strict = waiters[i].is_first;
        }
    }
    const auto endings = find_endings(model_, step_.now_ms, RunTimeKind::safe);
    for (const Group& group : groups_of(waiters, chosen)) {
        ForwardRun run(model_, step_, placer_, endings, RunTimeKind::safe);
        for (const std::size_t i : group) {
            waiters[i].promise = run.start(*waiters[i].app);
            waiters[i].is_strict = !waiters[i].promise;
        }
    }
    for (const Waiter& waiter : waiters) {
        if (waiter.promise || model_.outlooks.find(waiter.app->uid) != nullptr) {
            model_.outlooks.ensure(waiter.app->uid).planned_ms =
                waiter.promise ? waiter.promise->at_ms : 0;
        }
    }
}

void Promises::expect(const std::vector<Waiter>& waiters) {
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < std::min(waiters.size(), expected_max); ++i) {
        chosen.push_back(i);
    }
    const std::array<Endings, 2> endings = {
        find_endings(model_, step_.now_ms, RunTimeKind::median),
        find_endings(model_, step_.now_ms, RunTimeKind::safe)};
    for (const Group& group : groups_of(waiters, chosen)) {
        expect_group(waiters, group, endings);
    }
}

/// Nothing is said of those behind one of whom nobody knows when it starts.
void Promises::expect_group(
    const std::vector<Waiter>& waiters,
    const Group& group,
    const std::array<Endings, 2>& endings) {
    std::vector<std::optional<std::int64_t>> starts[2];
    for (const RunTimeKind kind : {RunTimeKind::median, RunTimeKind::safe}) {
        ForwardRun run(
            model_, step_, placer_, endings[static_cast<std::size_t>(kind)], kind);
        core::NodeBitmap unknown;
        for (const std::size_t i : group) {
            std::optional<PlannedStart> start;
            if (!waiters[i].nodes.intersects(unknown)) {
                start = run.start(*waiters[i].app);
            }
            if (!start) {
                unknown.add(waiters[i].nodes);
            }
            starts[static_cast<std::size_t>(kind)].push_back(
                start ? std::optional(start->at_ms) : std::nullopt);
        }
    }
    for (std::size_t i = 0; i < group.size(); ++i) {
        const std::string& uid = waiters[group[i]].app->uid;
        const auto median = starts[0][i];
        const auto safe = starts[1][i];
        if (!median || !safe) {
            if (model_.outlooks.find(uid) != nullptr) {
                model_.outlooks.ensure(uid).start_ms = 0;
            }
            continue;
        }
        Outlook& outlook = model_.outlooks.ensure(uid);
        outlook.start_ms = *median;
        outlook.spread_ms = std::max(spread_ms_min, *safe - *median);
        outlook.first_start_ms =
            outlook.first_start_ms > 0 ? outlook.first_start_ms : outlook.start_ms;
    }
}

}  // namespace gang
