#include "config/plugins/plugins.hpp"
#include "config/scalars.hpp"
#include "core/base/suggest.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace config {
namespace {

std::vector<std::string> known_scores() {
    std::vector<std::string> names = {"NodeResourcesFit"};
    for (const core::Score& score : core::score_table) {
        for (const std::string_view name : {score.name, score.plugin, score.priority}) {
            if (!name.empty()) {
                names.emplace_back(name);
            }
        }
    }
    return names;
}

constexpr std::string_view line = "requested-to-capacity-ratio";

bool goes_by_resources(const core::Score& score) {
    return score.name == "least-allocated" || score.name == "most-allocated" ||
           score.name == "binpack" || score.name == line;
}

bool rises(const std::vector<core::ShapePoint>& shape) {
    return std::adjacent_find(shape.begin(), shape.end(), [](const auto& a, const auto& b) {
               return a.utilization >= b.utilization;
           }) == shape.end();
}

}  // namespace

void warn_if_unbuilt(
    core::ScoreId score, std::string_view name, const Tree& at, Warnings& warnings) {
    if (core::score_of(score).use == core::ScoreUse::unbuilt) {
        warnings.push_back(
            {at.mark, fmt::format("the score {} is not built here and has no effect", name)});
    }
}

core::Result<core::ScoreId> read_score(const Tree& tree, Warnings& warnings) {
    const auto name = read_string(tree);
    if (!name) {
        return name.error();
    }
    const auto id = core::find_score_id(*name);
    if (!id) {
        return core::Error{fmt::format(
            "found unknown score {}, expected the name of a score{}",
            describe(tree),
            core::did_you_mean(*name, known_scores()))};
    }
    warn_if_unbuilt(*id, *name, tree, warnings);
    return *id;
}

core::Result<std::string> read_scored_resource(const Tree& tree) {
    auto name = read_label_key(tree);
    if (name && *name != "cpu" && *name != "memory" && name->find('/') == std::string::npos) {
        return core::Error{fmt::format(
            "found {}, expected cpu, memory or an extended resource such as nvidia.com/gpu",
            describe(tree))};
    }
    return name;
}

core::Result<std::int64_t> read_shape_score(const Tree& tree) {
    const auto score = read_integer(tree, 0, 10);
    return score ? core::Result<std::int64_t>(*score * 10) : score;
}

std::string find_score_problem(const core::WeightedScore& score) {
    const core::Score& row = core::score_of(score.score);
    const bool is_line = row.name == line;
    if (is_line && score.shape.empty()) {
        return "found no shape, expected it: RequestedToCapacityRatio goes by a line between "
               "points";
    }
    if (!is_line && !score.shape.empty()) {
        return fmt::format(
            "found a shape, expected none: {} has no use for it", core::plugin_name(score.score));
    }
    if (!rises(score.shape)) {
        return "found a shape that goes back, expected rising values of utilization";
    }
    if (!score.resources.empty() && !goes_by_resources(row)) {
        return fmt::format(
            "found resources, expected none: {} has no use for them",
            core::plugin_name(score.score));
    }
    return {};
}

}  // namespace config
