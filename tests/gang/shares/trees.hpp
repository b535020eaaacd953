#pragma once
// Queues for tests, written down shortly, and random ones.

#include "config/queues/queue_name.hpp"
#include "config/schema.hpp"
#include "tests/gang/random.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace tests {

inline config::Queue queue(std::string name) {
    config::Queue made;
    made.name = config::full_queue_name(name);
    return made;
}

/// With the rules that a file without `placement` has.
inline config::Schema with_queues(std::vector<config::Queue> queues, config::Schema schema = {}) {
    schema.queues = std::move(queues);
    schema.placement = {
        {config::PlacementRule::Kind::annotation, {}},
        {config::PlacementRule::Kind::fixed, std::string(config::default_queue)}};
    return schema;
}

/// A tree of some depth, with weights, guarantees and limits.
inline std::vector<config::Queue> random_queues(Random& random, int count) {
    std::vector<config::Queue> queues;
    std::vector<std::string> names = {"root"};
    for (int i = 0; i < count; ++i) {
        const auto above = static_cast<std::size_t>(
            random.between(0, static_cast<std::int64_t>(names.size()) - 1));
        config::Queue made = queue(names[above] + ".q" + std::to_string(i));
        if (made.name.size() > config::queue_name_max) {
            made = queue("q" + std::to_string(i));
        }
        made.weight = random.between(1, 4);
        if (random.chance(30)) {
            made.guarantee = {{"cpu", random.between(1, 8) * 1000}};
        }
        if (random.chance(20)) {
            made.guarantee.push_back({"memory", random.between(1, 16)});
        }
        if (random.chance(40)) {
            made.limit = {{"cpu", random.between(1, 20) * 1000}};
        }
        if (random.chance(20)) {
            made.user_limit = {{"memory", random.between(1, 16)}};
        }
        if (random.chance(20)) {
            made.max_gangs = random.between(0, 4);
        }
        names.push_back(made.name);
        queues.push_back(std::move(made));
    }
    return queues;
}

}  // namespace tests
