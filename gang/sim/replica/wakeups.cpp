#include "gang/sim/replica/wakeups.hpp"

#include "gang/sim/world.hpp"

#include <utility>

namespace gang::sim {

void Wakeups::plan(std::int64_t at_ms, Happening what) {
    world_.queue.plan(at_ms, what, replica_, life_);
}

void Wakeups::plan_part(
    std::int64_t ms, Happening what, std::uint32_t whose, std::uint32_t serial) {
    world_.queue.plan(time_.true_ms_after(ms), what, whose, (std::uint64_t{life_} << 32U) | serial);
}

void Wakeups::turn() {
    if (!std::exchange(turn_is_planned_, true)) {
        plan(world_.now_ms, Happening::replica_turn);
    }
}

void Wakeups::next_turn() {
    turn_is_planned_ = true;
    plan(world_.now_ms + 1, Happening::replica_turn);
}

void Wakeups::tick(std::int64_t unix_ms) {
    const std::int64_t at_ms = time_.true_ms_after(unix_ms - time_.unix_ms());
    if (tick_ms_ > world_.now_ms && tick_ms_ <= at_ms) {
        return;
    }
    tick_ms_ = at_ms;
    plan(at_ms, Happening::replica_wakes);
}

void Wakeups::watcher(bool is_of_nodes, std::int64_t ms, std::uint32_t serial) {
    plan_part(ms, Happening::watcher_pause, replica_ * 2 + (is_of_nodes ? 1 : 0), serial);
}

void Wakeups::elector(std::int64_t ms, std::uint32_t serial) {
    plan_part(ms, Happening::elector_wakes, replica_, serial);
}

void Wakeups::writer(std::int64_t ms, std::uint32_t tag) {
    plan_part(ms, Happening::writer_wakes, replica_, tag);
}

void Wakeups::volume_client(std::int64_t ms, std::uint32_t what) {
    plan_part(ms, Happening::volumes_wake, replica_, what);
}

void Wakeups::demand_client() {
    plan(world_.now_ms, Happening::demand_wakes);
}

void Wakeups::pod_lister(std::int64_t true_ms) {
    plan(world_.now_ms + true_ms, Happening::pods_listed);
}

void Wakeups::end_of_drain(std::int64_t ms) {
    plan(time_.true_ms_after(ms), Happening::drain_ends);
}

}  // namespace gang::sim
