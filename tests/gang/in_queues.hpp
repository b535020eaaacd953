#pragma once
// Gangs in queues for tests, and what a pod that waits is told.

#include "tests/gang/shares/trees.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <utility>

namespace tests {

inline config::Queue limited(const std::string& name, std::int64_t cpu) {
    config::Queue made = queue(name);
    made.limit = {{"cpu", cpu * 1000}};
    return made;
}

/// A driver of 1 cpu with executors of 1 cpu, in this queue; empty: it says nothing.
inline std::string submit(
    World& world,
    const std::string& name,
    const std::string& queue,
    std::int64_t executors,
    std::int64_t created,
    std::int32_t priority = 0) {
    core::Pod pod = driver(name);
    pod.created = created;
    pod.priority = priority;
    if (!queue.empty()) {
        pod.annotations = {{"gang-scheduler/queue", queue}};
    }
    return world.submit(std::move(pod), conf(executors));
}

/// Whether its condition has this part; checked.
inline bool says(const World& world, const std::string& uid, const std::string& part) {
    const std::string text = world.condition(uid);
    CAPTURE(text);
    CAPTURE(part);
    const bool found = text.find(part) != std::string::npos;
    CHECK(found);
    return found;
}

}  // namespace tests
