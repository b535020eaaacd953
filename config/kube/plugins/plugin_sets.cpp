#include "config/kube/plugins/plugin_sets.hpp"

#include "config/kube/plugins/defaults.hpp"
#include "config/plugins/plugins.hpp"
#include "config/scalars.hpp"
#include "core/filter/filter_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace config::kube {
namespace {

/// Plugins that neither filter nor score here, beside the defaults: older releases had them.
constexpr std::array other_plugins = {
    std::string_view{"DefaultPodTopologySpread"},
    std::string_view{"NodeLabel"},
    std::string_view{"ServiceAffinity"},
    std::string_view{"EBSLimits"},
    std::string_view{"GCEPDLimits"},
    std::string_view{"AzureDiskLimits"},
    std::string_view{"CinderLimits"}};

/// Points at which nothing is decided here.
constexpr std::array points_without_effect = {
    "preEnqueue",
    "queueSort",
    "preFilter",
    "postFilter",
    "preScore",
    "normalizeScore",
    "reserve",
    "unreserve",
    "permit",
    "preBind",
    "bind",
    "postBind"};

struct Plugin {
    std::string name;
    std::int64_t weight = 0;     ///< 0: not said
    const Tree* tree = nullptr;  ///< nullptr: a default
};

/// What one extension point says.
struct Set {
    std::vector<Plugin> enabled;
    std::set<std::string> disabled;

    bool disables(const std::string& name) const {
        return disabled.contains("*") || disabled.contains(name);
    }
    const Plugin* find_enabled(const std::string& name) const {
        const auto found = std::find_if(enabled.begin(), enabled.end(), [&name](const Plugin& one) {
            return one.name == name;
        });
        return found == enabled.end() ? nullptr : &*found;
    }
};

bool filters(const std::string& name) {
    const core::FilterName* const found = core::find_filter_name(name);
    return found != nullptr && !found->is_predicate;
}

bool scores(const std::string& name) {
    const auto id = core::find_score_id(name);
    return id && (core::score_of(*id).plugin == name || name == "NodeResourcesFit");
}

/// The defaults less what is disabled; one that is enabled anew keeps its place, with its new
/// weight. What else is enabled comes behind.
std::vector<Plugin> merge_defaults(const Set& custom) {
    std::vector<Plugin> merged;
    std::set<std::string> replaced;
    for (const DefaultPlugin& plugin : default_plugins()) {
        const std::string name(plugin.name);
        if (custom.disables(name)) {
            continue;
        }
        const Plugin* const anew = custom.find_enabled(name);
        merged.push_back(anew == nullptr ? Plugin{name, plugin.weight, nullptr} : *anew);
        if (anew != nullptr) {
            replaced.insert(name);
        }
    }
    for (const Plugin& plugin : custom.enabled) {
        if (!replaced.contains(plugin.name)) {
            merged.push_back(plugin);
        }
    }
    return merged;
}

/// At one point: what it enables although `multiPoint` has it, then the rest of `multiPoint`, then
/// what it alone enables.
std::vector<Plugin> expand(
    const Set& point, const std::vector<Plugin>& everywhere, bool (*extends)(const std::string&)) {
    std::vector<Plugin> first;
    std::vector<Plugin> then;
    std::set<std::string> overridden;
    for (const Plugin& plugin : everywhere) {
        if (!extends(plugin.name)) {
            continue;
        }
        if (const Plugin* const own = point.find_enabled(plugin.name)) {
            first.push_back(*own);
            overridden.insert(plugin.name);
        } else if (!point.disables(plugin.name)) {
            then.push_back(plugin);
        }
    }
    first.insert(first.end(), then.begin(), then.end());
    for (const Plugin& plugin : point.enabled) {
        if (!overridden.contains(plugin.name)) {
            first.push_back(plugin);
        }
    }
    return first;
}

class PluginsReader {
public:
    explicit PluginsReader(Notes& notes) : notes_(notes) {}

    Set read_set(const Tree& tree, std::string_view point) {
        Set set;
        const auto keys = std::vector<Key>{
            {"enabled", [&](const Tree& list) { enable(list, set); }},
            {"disabled", [&](const Tree& list) { disable(list, set); }}};
        read_map(tree, fmt::format("plugins.{}", point), keys, notes_);
        return set;
    }

private:
    void enable(const Tree& list, Set& set) {
        const auto item = [&](const Tree& one) {
            Plugin plugin;
            plugin.tree = &one;
            if (!read_plugin(one, plugin, false)) {
                return;
            }
            if (set.find_enabled(plugin.name) != nullptr) {
                notes_.complain(
                    one, fmt::format("found {} enabled twice, expected it once", plugin.name));
                return;
            }
            set.enabled.push_back(std::move(plugin));
        };
        read_list(list, "plugins", item, notes_);
    }

    void disable(const Tree& list, Set& set) {
        const auto item = [&](const Tree& one) {
            Plugin plugin;
            if (read_plugin(one, plugin, true)) {
                set.disabled.insert(plugin.name);
            }
        };
        read_list(list, "plugins", item, notes_);
    }

    bool read_plugin(const Tree& tree, Plugin& plugin, bool may_be_all) {
        const std::size_t before = notes_.complaints.size();
        const auto weight = [](const Tree& value) {
            return read_integer(value, 1, core::score_weight_max);
        };
        const auto keys = std::vector<Key>{
            {"name", into(notes_, read_string, plugin.name)},
            {"weight", into(notes_, weight, plugin.weight)}};
        if (!read_map(tree, "a plugin", keys, notes_) || notes_.complaints.size() != before) {
            return false;
        }
        const Tree* const name = find(tree, "name");
        if (name == nullptr) {
            notes_.complain(tree, "found a plugin without name, expected it");
        } else if (!(may_be_all && plugin.name == "*") && !is_plugin(plugin.name)) {
            complain_of_plugin(*name, notes_);
        }
        return notes_.complaints.size() == before;
    }

    Notes& notes_;
};

void refuse_others(
    const Set& set, std::string_view point, bool (*extends)(const std::string&), Notes& notes) {
    for (const Plugin& plugin : set.enabled) {
        if (!extends(plugin.name)) {
            notes.complain(*plugin.tree, fmt::format("{} is no plugin of {}", plugin.name, point));
        }
    }
}

void set_filters(
    const Tree& tree, const std::vector<Plugin>& plugins, Profile& profile, Notes& notes) {
    core::FilterSet chosen;
    for (const Plugin& plugin : plugins) {
        const core::FilterSet one = core::find_filter_name(plugin.name)->filters;
        chosen = chosen.with(one);
        if (plugin.tree != nullptr) {
            warn_of_unbuilt(one, *plugin.tree, notes.warnings);
        }
    }
    if (!chosen.contains(core::FilterId::node_resources_fit)) {
        notes.complain(tree, std::string(why_resources_stay()));
    }
    profile.left_out = core::all_filters.without(chosen);
}

void set_scores(const std::vector<Plugin>& plugins, Profile& profile, Notes& notes) {
    profile.scores.clear();
    for (const Plugin& plugin : plugins) {
        const core::ScoreId id = *core::find_score_id(plugin.name);
        profile.scores.push_back({id, std::max<std::int64_t>(plugin.weight, 1), {}, {}});
        if (plugin.tree != nullptr) {
            warn_if_unbuilt(id, plugin.name, *plugin.tree, notes.warnings);
        }
    }
    if (profile.scores.empty()) {
        profile.packing = core::PackingPolicy::first_by_name;
    }
}

std::vector<std::string> plugin_names() {
    std::vector<std::string> names(other_plugins.begin(), other_plugins.end());
    for (const DefaultPlugin& plugin : default_plugins()) {
        names.emplace_back(plugin.name);
    }
    for (const core::Score& score : core::score_table) {
        if (!score.plugin.empty()) {
            names.emplace_back(score.plugin);
        }
    }
    return names;
}

}  // namespace

bool is_plugin(std::string_view name) {
    const auto names = plugin_names();
    return std::find(names.begin(), names.end(), name) != names.end();
}

void complain_of_plugin(const Tree& name, Notes& notes) {
    notes.complain(
        name,
        fmt::format("unknown plugin {}{}", describe(name), meant(name.scalar, plugin_names())));
}

void read_plugins(const Tree& tree, Profile& profile, Notes& notes) {
    PluginsReader reader(notes);
    std::map<std::string, Set> sets;
    std::vector<Key> keys;
    for (const char* point : {"multiPoint", "filter", "score"}) {
        keys.push_back({point, [&sets, &reader, point](const Tree& value) {
                            sets[point] = reader.read_set(value, point);
                        }});
    }
    for (const char* point : points_without_effect) {
        keys.push_back(
            {point, [&reader, &notes, point](const Tree& value) {
                 reader.read_set(value, point);
                 notes.warn(
                     value, fmt::format("plugins.{} is understood, and has no effect here", point));
             }});
    }
    if (!read_map(tree, "plugins", keys, notes)) {
        return;
    }
    refuse_others(sets["filter"], "filter", filters, notes);
    refuse_others(sets["score"], "score", scores, notes);
    if (!notes.complaints.empty()) {
        return;
    }
    for (const Plugin& plugin : sets["multiPoint"].enabled) {
        if (!filters(plugin.name) && !scores(plugin.name)) {
            notes.warn(
                *plugin.tree, fmt::format("{} is understood, and has no effect here", plugin.name));
        }
    }
    const std::vector<Plugin> everywhere = merge_defaults(sets["multiPoint"]);
    set_filters(tree, expand(sets["filter"], everywhere, filters), profile, notes);
    set_scores(expand(sets["score"], everywhere, scores), profile, notes);
}

}  // namespace config::kube
