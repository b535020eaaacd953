#include "gang/sim/api/watch_caches.hpp"

#include "gang/sim/world.hpp"

#include <algorithm>

namespace gang::sim {

WatchCaches::WatchCaches(World& world)
    : world_(world), caches_(static_cast<std::size_t>(world.plan.servers)) {}

void WatchCaches::store_changed() {
    for (std::uint32_t i = 0; i < caches_.size(); ++i) {
        Cache& cache = caches_[i];
        if (cache.advance_planned) {
            continue;
        }
        cache.advance_planned = true;
        const std::int64_t after_ms = world_.random.between(0, world_.plan.cache_ms_max);
        world_.queue.plan(
            std::max(world_.now_ms + after_ms, cache.lags_until_ms), Happening::cache_advances, i);
    }
}

void WatchCaches::advance(std::uint32_t server) {
    Cache& cache = caches_[server];
    if (cache.lags_until_ms > world_.now_ms) {
        world_.queue.plan(cache.lags_until_ms, Happening::cache_advances, server);
        return;
    }
    cache.advance_planned = false;
    cache.pods_to = world_.store.pod_log.end();
    cache.nodes_to = world_.store.node_log.end();
    world_.cluster.api.streams.cache_advanced(server);
}

void WatchCaches::lag(std::int64_t ms) {
    caches_[world_.random.below(caches_.size())].lags_until_ms = world_.now_ms + ms;
}

// What some cache has yet to read stays: a server reads the store, not its history.
void WatchCaches::compact() {
    std::uint64_t pods_to = world_.store.pod_log.end();
    std::uint64_t nodes_to = world_.store.node_log.end();
    for (const Cache& cache : caches_) {
        pods_to = std::min(pods_to, cache.pods_to);
        nodes_to = std::min(nodes_to, cache.nodes_to);
    }
    world_.store.pod_log.forget_before(pods_to);
    world_.store.node_log.forget_before(nodes_to);
}

void WatchCaches::heal() {
    for (Cache& cache : caches_) {
        cache.lags_until_ms = 0;
    }
}

}  // namespace gang::sim
