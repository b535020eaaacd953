#include "config/kube/plugins/defaults.hpp"

#include "core/base/result.hpp"

#include <array>
#include <utility>

namespace config::kube {
namespace {

constexpr std::array in_tree_plugins = {
    DefaultPlugin{"SchedulingGates"},
    DefaultPlugin{"PrioritySort"},
    DefaultPlugin{"NodeUnschedulable"},
    DefaultPlugin{"NodeName"},
    DefaultPlugin{"TaintToleration", 3},
    DefaultPlugin{"NodeAffinity", 2},
    DefaultPlugin{"NodePorts"},
    DefaultPlugin{"NodeResourcesFit", 1},
    DefaultPlugin{"VolumeRestrictions"},
    DefaultPlugin{"NodeVolumeLimits"},
    DefaultPlugin{"VolumeBinding"},
    DefaultPlugin{"VolumeZone"},
    DefaultPlugin{"PodTopologySpread", 2},
    DefaultPlugin{"InterPodAffinity", 2},
    DefaultPlugin{"DynamicResources"},
    DefaultPlugin{"DefaultPreemption"},
    DefaultPlugin{"NodeResourcesBalancedAllocation", 1},
    DefaultPlugin{"ImageLocality", 1},
    DefaultPlugin{"DefaultBinder"}};

core::WeightedScore score(std::string_view name, std::int64_t weight) {
    const auto id = core::find_score_id(name);
    ENSURE(id.has_value());
    return {*id, weight, {}, {}};
}

}  // namespace

std::span<const DefaultPlugin> default_plugins() {
    return in_tree_plugins;
}

Profile default_profile() {
    Profile profile;
    profile.scheduler_name = "default-scheduler";
    profile.messages = Messages::kube_scheduler;
    for (const DefaultPlugin& plugin : in_tree_plugins) {
        if (plugin.weight > 0) {
            profile.scores.push_back(score(plugin.name, plugin.weight));
        }
    }
    return profile;
}

core::ScoreOrder policy_scores() {
    core::ScoreOrder scores;
    for (const auto& [name, weight] :
         {std::pair<std::string_view, std::int64_t>{"SelectorSpreadPriority", 1},
          {"InterPodAffinityPriority", 1},
          {"LeastRequestedPriority", 1},
          {"BalancedResourceAllocation", 1},
          {"NodePreferAvoidPodsPriority", 10'000},
          {"NodeAffinityPriority", 1},
          {"TaintTolerationPriority", 1},
          {"ImageLocalityPriority", 1}}) {
        scores.push_back(score(name, weight));
    }
    return scores;
}

}  // namespace config::kube
