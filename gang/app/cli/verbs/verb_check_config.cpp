// `check-config`: a configuration file as `run` would read it.
#include "config/plugins/profile_view.hpp"
#include "gang/app/base/files.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/cli/cli.hpp"

#include <fmt/format.h>

#include <ostream>
#include <sstream>
#include <vector>

namespace gang::app {
namespace {

std::string scores_json(const std::vector<config::ScoreView>& scores) {
    std::vector<std::string> items;
    for (const config::ScoreView& score : scores) {
        items.push_back(fmt::format(
            "{{\"name\":{},\"weight\":{},\"built\":{}}}",
            json_string(score.name),
            score.weight,
            score.is_built));
    }
    return fmt::format("[{}]", fmt::join(items, ","));
}

std::string profile_json(const config::ProfileView& profile) {
    return fmt::format(
        "{{\"schedulerName\":{},\"filters\":{},\"filtersNotBuilt\":{},\"scores\":{},"
        "\"packing\":{},\"messages\":{},\"gangs\":{}}}",
        json_string(profile.scheduler_name),
        json_strings(profile.filters),
        json_strings(profile.not_built),
        scores_json(profile.scores),
        profile.packing.empty() ? "null" : json_string(profile.packing),
        json_string(profile.messages),
        profile.gangs);
}

std::vector<std::string> lines_of(const std::string& text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string one; std::getline(stream, one);) {
        lines.push_back(one);
    }
    return lines;
}

std::string name_of(const config::PolicyMap& map) {
    return map.namespace_name + "/" + map.name;
}

std::string verdict_json(const std::string& file, const core::Result<config::Loaded>& loaded) {
    std::vector<std::string> profiles;
    if (loaded) {
        for (const config::Profile& profile : loaded->schema.profiles) {
            profiles.push_back(profile_json(config::view(profile)));
        }
    }
    const bool has_map = loaded && loaded->policy_map;
    return fmt::format(
        "{{\"file\":{},\"valid\":{},\"errors\":{},\"warnings\":{},\"policyConfigMap\":{},"
        "\"profiles\":[{}]}}\n",
        json_string(file),
        loaded.has_value(),
        json_strings(loaded ? std::vector<std::string>{} : lines_of(loaded.error().message)),
        json_strings(loaded ? loaded->warnings : std::vector<std::string>{}),
        has_map ? json_string(name_of(*loaded->policy_map)) : "null",
        fmt::join(profiles, ","));
}

int check_config(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const std::string& file = line.arguments.front();
    const auto loaded = load_config(file);
    if (line.wants_json()) {
        out << verdict_json(file, loaded);
    } else if (loaded) {
        for (const std::string& warning : loaded->warnings) {
            err << "warning: " << warning << '\n';
        }
        if (loaded->policy_map) {
            err << "the policy is in the config map " << name_of(*loaded->policy_map)
                << ", which `run` reads\n";
        }
        out << file << ": valid\n";
    } else {
        err << loaded.error().message << '\n';
    }
    return loaded ? exit_done : exit_usage;
}

}  // namespace

Verb check_config_verb() {
    return Verb{
        "check-config",
        "check a configuration file as `run` would read it",
        "FILE",
        {output_flag()},
        {"gang-scheduler check-config config.yaml",
         "gang-scheduler check-config policy.cfg -o json"},
        check_config};
}

}  // namespace gang::app
