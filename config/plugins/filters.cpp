#include "config/plugins/plugins.hpp"
#include "config/scalars.hpp"
#include "core/base/suggest.hpp"
#include "core/filter/filter_names.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace config {
namespace {

std::vector<std::string> known_filters() {
    std::vector<std::string> names;
    for (const core::FilterName& one : core::filter_names()) {
        names.emplace_back(one.name);
    }
    return names;
}

}  // namespace

void warn_of_unbuilt(core::FilterSet filters, const Tree& at, Warnings& warnings) {
    for (std::size_t i = 0; i < core::filter_count; ++i) {
        const auto id = static_cast<core::FilterId>(i);
        if (filters.contains(id) && !core::is_built(id)) {
            warnings.push_back(
                {at.mark,
                 fmt::format(
                     "the filter {} is not built here and has no effect", core::to_string(id))});
        }
    }
}

std::string_view why_resources_stay() {
    return "NodeResourcesFit cannot be left out: gangs hold room on nodes, so room is always "
           "looked at";
}

core::Result<core::FilterSet> read_filter(const Tree& tree, Warnings& warnings) {
    const auto name = read_string(tree);
    if (!name) {
        return name.error();
    }
    const core::FilterName* const found = core::find_filter_name(*name);
    if (found == nullptr) {
        const std::string near = core::did_you_mean(*name, known_filters());
        return core::Error{fmt::format(
            "found unknown filter {}, expected the name of a filter of kube-scheduler{}",
            describe(tree),
            near)};
    }
    warn_of_unbuilt(found->filters, tree, warnings);
    return found->filters;
}

core::Result<core::FilterSet> read_filters(const Tree& tree, Warnings& warnings) {
    if (tree.kind != Tree::Kind::sequence) {
        return core::Error{fmt::format(
            "found {}, expected a list of filters, such as [NodeResourcesFit, TaintToleration]",
            describe(tree))};
    }
    core::FilterSet chosen;
    std::vector<std::string> seen;
    for (const Tree& item : tree.items) {
        const auto filters = read_filter(item, warnings);
        if (!filters) {
            return filters.error();
        }
        if (std::find(seen.begin(), seen.end(), item.scalar) != seen.end()) {
            return core::Error{
                fmt::format("found {} twice, expected each filter once", describe(item))};
        }
        seen.push_back(item.scalar);
        chosen = chosen.with(*filters);
    }
    if (!chosen.contains(core::FilterId::node_resources_fit)) {
        return core::Error{
            fmt::format("found no NodeResourcesFit, expected it: {}", why_resources_stay())};
    }
    return chosen;
}

}  // namespace config
