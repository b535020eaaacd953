#pragma once
// Queues that let others be evicted, gangs that run, and who was asked to go.

#include "tests/gang/in_queues.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tests {

inline config::Queue by_priority(const std::string& name) {
    config::Queue made = queue(name);
    made.order = config::QueueOrder::priority;
    made.preemption.within_queue = config::PreemptionWithin::lower_priority;
    return made;
}

inline config::Queue guaranteed(const std::string& name, std::int64_t cpu) {
    config::Queue made = queue(name);
    made.guarantee = {{"cpu", cpu * 1000}};
    return made;
}

inline config::Queue reclaimable(config::Queue made) {
    made.preemption.is_reclaimable = true;
    return made;
}

inline config::Schema schema_of(std::vector<config::Queue> queues) {
    return with_queues(std::move(queues), World::sealed_schema());
}

/// The same, running with all its executors.
inline std::string running(
    World& world,
    const std::string& name,
    const std::string& queue,
    int executors,
    std::int64_t created,
    std::int32_t priority = 0) {
    const std::string driver = submit(world, name, queue, executors, created, priority);
    world.advance(1'000);
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    const auto made = world.create_executors(driver, executors);
    world.advance(1'000);
    REQUIRE(world.bound_count(made) == executors);
    for (const std::string& executor : made) {
        world.set_phase(executor, core::PodPhase::running);
    }
    world.advance(1'000);
    return driver;
}

inline std::vector<std::string> evicted(const World& world) {
    std::vector<std::string> uids;
    for (const gang::EvictPod& one : world.evictions) {
        uids.push_back(one.pod.uid);
    }
    return uids;
}

inline bool is_evicted(const World& world, const std::string& uid) {
    const auto uids = evicted(world);
    return std::find(uids.begin(), uids.end(), uid) != uids.end();
}

/// Steps by hand until `preemptor` is the one for whom others go; what was chosen is not asked for yet.
inline void advance_until_chosen(World& world, const std::string& preemptor) {
    for (int i = 0; i < 1'000; ++i) {
        for (const gang::GangView& view : world.scheduler->gangs()) {
            if (view.driver_uid == preemptor &&
                view.code == gang::ReasonCode::waiting_for_preemption) {
                return;
            }
        }
        if (!world.deliver_one()) {
            world.step(gang::Tick{});
        }
    }
    FAIL("nobody is chosen");
}

}  // namespace tests
