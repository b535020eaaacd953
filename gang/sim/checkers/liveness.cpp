// When faults are over and everything is healed, all that can finish does, in bounded time.

#include "gang/sim/checkers/checkers.hpp"
#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <string>

namespace gang::sim {
namespace {
constexpr std::int64_t settled_ms = 90'000;  ///< after the calm began, at least
}  // namespace

bool Checkers::all_is_done() const {
    if (!world_.applications.all_ended() || !world_.group_jobs.all_ended() || world_.now_ms - world_.calm_ms < settled_ms) {
        return false;
    }
    if (!world_.autoscaler.all().empty()) {
        return false;
    }
    const RuleChecker& rules = world_.decision_checker.rules();
    for (PodId id = 0; id < world_.store.pods.size(); ++id) {
        const core::Pod* pod = world_.store.find_pod(id);
        if (pod != nullptr && !core::is_terminal(*pod) &&
            (!pod->node_name.empty() || !rules.has_no_node(id))) {
            return false;
        }
    }
    return true;
}

std::string Checkers::unfinished() const {
    std::string text;
    for (const auto& pod : world_.store.pods) {
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
    for (const auto& [uid, demand] : world_.autoscaler.all()) {
        text += fmt::format("\n  still asked for {} of {}", demand.count(), uid);
    }
    return text;
}

void Checkers::at_the_end() {
    if (!all_is_done()) {
        violated("liveness", "not finished when faults have long been over:" + unfinished());
    }
}

}  // namespace gang::sim
