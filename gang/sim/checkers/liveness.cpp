#include "gang/sim/checkers/liveness.hpp"

#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <string>

namespace gang::sim {
namespace {

constexpr std::int64_t settled_ms = 90'000;  ///< after the calm began, at least

std::string unfinished_text(const World& world) {
    std::string text;
    for (const auto& pod : world.store.pods) {
        if (pod && !core::is_terminal(*pod)) {
            text += fmt::format(
                "\n  {} {} node={} deleting={} {}",
                pod->uid,
                full_name(*pod),
                pod->node_name,
                pod->deleting,
                pod->scheduled ? pod->scheduled->message : "");
        }
    }
    for (const auto& [uid, demand] : world.cluster.autoscaler.all()) {
        text += fmt::format("\n  still asked for {} of {}", demand.count(), uid);
    }
    return text;
}

}  // namespace

bool all_is_done(const World& world) {
    const SimulatedCluster& cluster = world.cluster;
    if (!cluster.applications.all_ended() || !cluster.group_jobs.all_ended() ||
        !cluster.autoscaler.all().empty() ||
        world.now_ms - world.faults.calm_since_ms() < settled_ms) {
        return false;
    }
    const RuleChecker& rules = world.checker_suite.decisions.rules();
    for (PodId id = 0; id < world.store.pods.size(); ++id) {
        const core::Pod* pod = world.store.find_pod(id);
        if (pod != nullptr && !core::is_terminal(*pod) &&
            (!pod->node_name.empty() || !rules.has_no_node(id))) {
            return false;
        }
    }
    return true;
}

void check_liveness(World& world) {
    if (!all_is_done(world)) {
        world.checkers.violated(
            "liveness", "not finished when faults have long been over:" + unfinished_text(world));
    }
}

}  // namespace gang::sim
