#include "config/kube/plugins/defaults.hpp"
#include "config/kube/plugins/plugin_config.hpp"
#include "config/kube/plugins/plugin_sets.hpp"
#include "config/kube/policy.hpp"
#include "config/kube/scheduler.hpp"
#include "config/kube/sections.hpp"
#include "config/scalars.hpp"

#include <fmt/format.h>

#include <array>

namespace config::kube {
namespace {

constexpr std::array without_effect_in_v1alpha1 = {
    "healthzBindAddress",
    "metricsBindAddress",
    "enableProfiling",
    "enableContentionProfiling",
    "disablePreemption",
    "percentageOfNodesToScore",
    "bindTimeoutSeconds",
    "failureDomains",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds"};

class Reader {
public:
    explicit Reader(Notes& notes) : notes_(notes) {
        profile_ = default_profile();
        profile_.scores = policy_scores();
    }

    SchedulerFile read(const Tree& document) {
        const Tree* plugins = nullptr;
        const Tree* plugin_config = nullptr;
        std::vector<Key> keys = {
            ignored("apiVersion"),
            ignored("kind"),
            {"schedulerName", into(notes_, read_object_name, profile_.scheduler_name)},
            {"algorithmSource", [this](const Tree& value) { algorithm(value); }},
            {"plugins", [&plugins](const Tree& value) { plugins = &value; }},
            {"pluginConfig", [&plugin_config](const Tree& value) { plugin_config = &value; }},
            hard_affinity_weight("hardPodAffinitySymmetricWeight", profile_, notes_),
            leader_election(file_.schema, notes_),
            client_connection(file_.schema, notes_)};
        for (const char* name : without_effect_in_v1alpha1) {
            keys.push_back({name});
        }
        read_map(document, "a KubeSchedulerConfiguration", keys, notes_);
        const bool has_policy = file_.policy_path != nullptr || file_.policy_map.has_value();
        if (has_policy && plugins != nullptr) {
            notes_.complain(*plugins, "found plugins beside a policy, expected one of them");
        } else if (plugins != nullptr) {
            read_plugins(*plugins, profile_, notes_);
        }
        if (plugin_config != nullptr) {
            read_plugin_config(*plugin_config, profile_, notes_);
        }
        warn_of_default_name(document, profile_, notes_);
        file_.schema.profiles = {profile_};
        return std::move(file_);
    }

private:
    void algorithm(const Tree& tree) {
        std::size_t provider = 0;
        const auto read_provider = [](const Tree& value) {
            const std::vector<std::string> names = {"DefaultProvider", "ClusterAutoscalerProvider"};
            return read_word(value, names);
        };
        const auto keys = std::vector<Key>{
            {"provider", into(notes_, read_provider, provider)},
            {"policy", [this](const Tree& value) { policy(value); }}};
        const bool is_map = read_map(tree, "algorithmSource", keys, notes_);
        if (is_map && tree.pairs.size() != 1) {
            notes_.complain(tree, "expected either provider or policy in algorithmSource");
        }
        if (provider == 1) {
            pack_tightly();
        }
    }

    /// ClusterAutoscalerProvider is the default with MostRequested in the place of LeastRequested.
    void pack_tightly() {
        for (core::WeightedScore& one : profile_.scores) {
            if (one.score == *core::find_score_id("LeastRequestedPriority")) {
                one.score = *core::find_score_id("MostRequestedPriority");
            }
        }
    }

    void policy(const Tree& tree) {
        const auto keys = std::vector<Key>{
            {"file", [this](const Tree& value) { policy_file(value); }},
            {"configMap", [this](const Tree& value) { policy_map(value); }}};
        const bool is_map = read_map(tree, "policy", keys, notes_);
        if (is_map && tree.pairs.size() != 1) {
            notes_.complain(tree, "expected either file or configMap in policy");
        }
    }

    void policy_file(const Tree& tree) {
        const auto path = [this](const Tree& value) { file_.policy_path = &value; };
        const auto keys = std::vector<Key>{{"path", path}};
        if (read_map(tree, "file", keys, notes_) && file_.policy_path == nullptr) {
            notes_.complain(tree, "found no path, expected it");
        }
    }

    void policy_map(const Tree& tree) {
        PolicyMap& map = file_.policy_map.emplace();
        const auto keys = std::vector<Key>{
            {"namespace", into(notes_, read_namespace, map.namespace_name)},
            {"name", into(notes_, read_object_name, map.name)}};
        const bool is_map = read_map(tree, "configMap", keys, notes_);
        if (is_map && (map.name.empty() || map.namespace_name.empty())) {
            notes_.complain(tree, "expected namespace and name of the config map");
        }
    }

    Notes& notes_;
    Profile profile_;
    SchedulerFile file_;
};

}  // namespace

SchedulerFile read_v1alpha1(const Tree& document, Notes& notes) {
    return Reader(notes).read(document);
}

}  // namespace config::kube
