#include "config/kube/extenders.hpp"
#include "config/kube/plugins/defaults.hpp"
#include "config/kube/plugins/plugin_config.hpp"
#include "config/kube/plugins/plugin_sets.hpp"
#include "config/kube/scheduler.hpp"
#include "config/kube/sections.hpp"
#include "config/scalars.hpp"

#include <array>

namespace config::kube {
namespace {

constexpr std::array without_effect = {
    "parallelism",
    "enableProfiling",
    "enableContentionProfiling",
    "percentageOfNodesToScore",
    "podInitialBackoffSeconds",
    "podMaxBackoffSeconds",
    "delayCacheUntilActive"};

void read_profile(const Tree& tree, std::vector<Profile>& profiles, Notes& notes) {
    Profile& profile = profiles.emplace_back(default_profile());
    const Tree* plugins = nullptr;
    const Tree* plugin_config = nullptr;
    const auto keys = std::vector<Key>{
        {"schedulerName", into(notes, read_object_name, profile.scheduler_name)},
        {"plugins", [&plugins](const Tree& value) { plugins = &value; }},
        {"pluginConfig", [&plugin_config](const Tree& value) { plugin_config = &value; }},
        {"percentageOfNodesToScore"}};
    if (!read_map(tree, "a profile", keys, notes)) {
        return;
    }
    if (plugins != nullptr) {
        read_plugins(*plugins, profile, notes);
    }
    if (plugin_config != nullptr) {
        read_plugin_config(*plugin_config, profile, notes);
    }
    warn_of_default_name(tree, profile, notes);
}

}  // namespace

SchedulerFile read_v1(const Tree& document, Notes& notes) {
    SchedulerFile file;
    std::vector<Profile> profiles;
    const auto item = [&](const Tree& one) { read_profile(one, profiles, notes); };
    std::vector<Key> keys = {
        ignored("apiVersion"),
        ignored("kind"),
        {"profiles", [&](const Tree& value) { read_list(value, "profiles", item, notes); }},
        {"extenders",
         [&](const Tree& value) {
             read_extenders(value, ExtenderForm::v1, file.schema.extenders, notes);
         }},
        leader_election(file.schema, notes),
        client_connection(file.schema, notes)};
    for (const char* name : without_effect) {
        keys.push_back({name});
    }
    read_map(document, "a KubeSchedulerConfiguration", keys, notes);
    if (profiles.empty()) {
        profiles.push_back(default_profile());
        warn_of_default_name(document, profiles.front(), notes);
    }
    file.schema.profiles = std::move(profiles);
    return file;
}

}  // namespace config::kube
