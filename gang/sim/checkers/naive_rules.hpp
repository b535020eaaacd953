#pragma once
// Kubernetes' rules between pods as their definition says them: each pod is looked at for each
// node, and nothing is kept. Independent of core/domain, which is what is being checked.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/sim/base/store.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace gang::sim {

/// A pod that is on a node, or on its way there.
struct Neighbour {
    PodId id = nobody;
    const core::Pod* pod = nullptr;
    std::string node;
    const core::StringMap* labels = nullptr;
    bool is_deleting = false;
};

struct Surroundings {
    std::map<std::string, const core::Node*> nodes;  ///< by name
    std::vector<Neighbour> pods;                     ///< without the one that is asked for
};

enum class BrokenRule : std::uint8_t { affinity, anti_affinity, existing_anti_affinity, spread };
std::string_view to_string(BrokenRule rule);

struct Broken {
    BrokenRule rule = BrokenRule::affinity;
    PodId by = nobody;      ///< of anti-affinity: whose nearness breaks it
    std::size_t index = 0;  ///< of spread: which one of the pod's
};

/// The first rule that the pod would break on the node, which is there.
std::optional<Broken> find_broken_rule(
    const Surroundings& around, const core::Pod& pod, const std::string& node);

/// The pod has rules, or one of the others has anti-affinity to such pods, wherever it is.
bool is_reached_by_rules(const core::Pod& pod, const std::map<PodId, core::Pod>& others);

/// Whether pods with such labels are among those that the affinity, or this spread, counts.
bool is_counted(
    const core::Pod& pod,
    const Broken& broken,
    const std::string& namespace_name,
    const core::StringMap& labels);

}  // namespace gang::sim
