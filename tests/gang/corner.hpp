#pragma once
// What the scenarios of docs/concepts/corner-cases.md share.

#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace tests {

inline std::int64_t events_of(const World& world, const std::string& reason) {
    return std::count_if(world.events.begin(), world.events.end(), [&reason](const auto& event) {
        return event.reason == reason;
    });
}

/// A node of 4 cpu and an application of 1 + 3 that fills it, its driver running.
inline std::string fill_node(World& world) {
    world.add_node(node("n1", 4, 16 * 1024));
    const auto driver = world.submit("a", 3, 1);
    world.settle();
    REQUIRE(world.is_bound(driver));
    world.set_phase(driver, core::PodPhase::running);
    world.settle();
    return driver;
}

/// The same with its three executors running.
inline std::string fill_node(World& world, std::vector<std::string>& executors) {
    const auto driver = fill_node(world);
    executors = world.create_executors(driver, 3);
    world.settle();
    REQUIRE(world.bound_count(executors) == 3);
    for (const auto& uid : executors) {
        world.set_phase(uid, core::PodPhase::running);
    }
    world.settle();
    return driver;
}

/// A pod that another scheduler has bound.
inline core::Pod other_pod(std::string name, std::int64_t cpu_milli, std::string node) {
    core::Pod pod = tests::pod(std::move(name), cpu_milli, 64);
    pod.scheduler_name = "default-scheduler";
    pod.node_name = std::move(node);
    return pod;
}

/// One executor of that driver, with other requests or labels as `change` says.
template <class Change>
std::string create_executor(World& world, const std::string& driver, Change change) {
    core::Pod pod = executor("special", world.pod(driver));
    change(pod);
    return world.create(pod);
}

}  // namespace tests
