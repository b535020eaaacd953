#include "config/kube/plugins/score_arguments.hpp"

#include "config/plugins/plugins.hpp"
#include "config/scalars.hpp"

#include <fmt/format.h>

namespace config::kube {

void read_resources(const Tree& tree, std::vector<core::ResourceWeight>& out, Notes& notes) {
    const auto read_weight = [](const Tree& value) { return read_integer(value, 1, 100); };
    const auto item = [&](const Tree& one) {
        core::ResourceWeight made;
        const auto keys = std::vector<Key>{
            {"name", into(notes, read_label_key, made.name)},
            {"weight", into(notes, read_weight, made.weight)}};
        if (!read_map(one, "a resource", keys, notes)) {
            return;
        }
        const Tree* const name = find(one, "name");
        if (name == nullptr) {
            notes.complain(one, "found a resource without name, expected it");
        } else if (read_scored_resource(*name)) {
            out.push_back(std::move(made));
        } else {
            notes.warn(one, fmt::format("{} has no effect on scores here", describe(*name)));
        }
    };
    read_list(tree, "resources", item, notes);
}

void read_shape(const Tree& tree, std::vector<core::ShapePoint>& out, Notes& notes) {
    const auto read_utilization = [](const Tree& value) { return read_integer(value, 0, 100); };
    const auto item = [&](const Tree& one) {
        core::ShapePoint& point = out.emplace_back();
        const auto keys = std::vector<Key>{
            {"utilization", into(notes, read_utilization, point.utilization)},
            {"score", into(notes, read_shape_score, point.score)}};
        read_map(one, "a point of a shape", keys, notes);
    };
    read_list(tree, "points", item, notes);
}

}  // namespace config::kube
