#include "config/kube/plugins/plugin_config.hpp"

#include "config/kube/plugins/plugin_sets.hpp"
#include "config/kube/plugins/score_arguments.hpp"
#include "config/kube/policy.hpp"
#include "config/scalars.hpp"

#include <fmt/format.h>

#include <array>
#include <set>

namespace config::kube {
namespace {

/// The strategies of NodeResourcesFit.
struct Strategy {
    std::string_view name;
    std::string_view score;
};
constexpr std::array strategies = {
    Strategy{"LeastAllocated", "least-allocated"},
    Strategy{"MostAllocated", "most-allocated"},
    Strategy{"RequestedToCapacityRatio", "requested-to-capacity-ratio"}};

core::Result<std::size_t> read_strategy(const Tree& tree) {
    std::vector<std::string> names;
    for (const Strategy& one : strategies) {
        names.emplace_back(one.name);
    }
    return read_word(tree, names);
}

/// Arguments of one plugin.
class Arguments {
public:
    Arguments(Profile& profile, Notes& notes) : profile_(profile), notes_(notes) {}

    void of(const std::string& plugin, const Tree& tree) {
        if (plugin == "NodeResourcesFit") {
            fit(tree);
        } else if (
            plugin == "RequestedToCapacityRatio" || plugin == "NodeResourcesLeastAllocated" ||
            plugin == "NodeResourcesMostAllocated") {
            score(tree, plugin);
        } else if (plugin == "NodeResourcesBalancedAllocation") {
            balanced(tree);
        } else if (plugin == "InterPodAffinity") {
            inter_pod_affinity(tree);
        } else {
            without_effect(tree, plugin);
        }
    }

private:
    void fit(const Tree& tree) {
        std::size_t chosen = 0;
        core::WeightedScore made;
        const auto ratio = [&](const Tree& value) {
            const auto keys = std::vector<Key>{
                {"shape", [&](const Tree& list) { read_shape(list, made.shape, notes_); }}};
            read_map(value, "requestedToCapacityRatio", keys, notes_);
        };
        const auto strategy = [&](const Tree& value) {
            const auto keys = std::vector<Key>{
                {"type", into(notes_, read_strategy, chosen)},
                {"resources",
                 [&](const Tree& list) { read_resources(list, made.resources, notes_); }},
                {"requestedToCapacityRatio", ratio}};
            read_map(value, "scoringStrategy", keys, notes_);
        };
        const auto keys = with_type(
            {{"scoringStrategy", strategy}, {"ignoredResources"}, {"ignoredResourceGroups"}});
        if (!read_map(tree, "the arguments of NodeResourcesFit", keys, notes_)) {
            return;
        }
        made.score = *core::find_score_id(strategies[chosen].score);
        replace("NodeResourcesFit", std::move(made));
    }

    void score(const Tree& tree, const std::string& plugin) {
        core::WeightedScore made;
        made.score = *core::find_score_id(plugin);
        const auto keys = with_type(
            {{"shape", [&](const Tree& list) { read_shape(list, made.shape, notes_); }},
             {"resources",
              [&](const Tree& list) { read_resources(list, made.resources, notes_); }}});
        read_map(tree, fmt::format("the arguments of {}", plugin), keys, notes_);
        replace(plugin, std::move(made));
    }

    void balanced(const Tree& tree) {
        const auto resources = [this](const Tree& list) {
            std::vector<core::ResourceWeight> named;
            read_resources(list, named, notes_);
            for (const core::ResourceWeight& one : named) {
                if (one.name != "cpu" && one.name != "memory") {
                    notes_.warn(
                        list, fmt::format("{} has no effect on the balance here", one.name));
                }
            }
        };
        const auto keys = with_type({{"resources", resources}});
        read_map(tree, "the arguments of NodeResourcesBalancedAllocation", keys, notes_);
    }

    void inter_pod_affinity(const Tree& tree) {
        const auto keys = with_type(
            {hard_affinity_weight("hardPodAffinityWeight", profile_, notes_),
             {"ignorePreferredTermsOfExistingPods",
              into(notes_, read_bool, profile_.pod_scoring.ignores_placed)}});
        read_map(tree, "the arguments of InterPodAffinity", keys, notes_);
    }

    void without_effect(const Tree& tree, const std::string& plugin) {
        if (tree.kind != Tree::Kind::map) {
            notes_.complain(
                tree,
                fmt::format("found {}, expected the arguments of {}", describe(tree), plugin));
            return;
        }
        notes_.warn(tree, fmt::format("the arguments of {} have no effect here", plugin));
    }

    static std::vector<Key> with_type(std::vector<Key> keys) {
        keys.push_back(ignored("apiVersion"));
        keys.push_back(ignored("kind"));
        return keys;
    }

    /// A score that is not enabled stays so, whatever its arguments.
    void replace(std::string_view plugin, core::WeightedScore made) {
        const core::ScoreId id = *core::find_score_id(plugin);
        for (core::WeightedScore& one : profile_.scores) {
            if (one.score == id) {
                made.weight = one.weight;
                one = std::move(made);
                return;
            }
        }
    }

    Profile& profile_;
    Notes& notes_;
};

}  // namespace

void read_plugin_config(const Tree& tree, Profile& profile, Notes& notes) {
    Arguments arguments(profile, notes);
    std::set<std::string> seen;
    const auto item = [&](const Tree& one) {
        std::string name;
        const Tree* values = nullptr;
        const auto keys = std::vector<Key>{
            {"name", into(notes, read_string, name)},
            {"args", [&values](const Tree& value) { values = &value; }}};
        if (!read_map(one, "an entry of pluginConfig", keys, notes)) {
            return;
        }
        const Tree* const named = find(one, "name");
        if (named == nullptr) {
            notes.complain(one, "found arguments without name, expected it");
        } else if (!is_plugin(name)) {
            complain_of_plugin(*named, notes);
        } else if (!seen.insert(name).second) {
            notes.complain(
                one, fmt::format("found arguments of {} twice, expected them once", name));
        } else if (values != nullptr) {
            arguments.of(name, *values);
        }
    };
    read_list(tree, "arguments", item, notes);
}

}  // namespace config::kube
