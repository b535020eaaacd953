#include "config/queues/queue_values.hpp"

#include "config/queues/queue_name.hpp"
#include "config/scalars.hpp"
#include "core/base/suggest.hpp"
#include "core/value/quantity.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace config {
namespace {

constexpr std::string_view queue_annotation = "gang-scheduler/queue";
const std::array<std::string, 3> plain_resources = {"cpu", "ephemeral-storage", "memory"};

bool is_text(const Tree& tree) {
    return tree.kind == Tree::Kind::plain || tree.kind == Tree::Kind::quoted;
}

/// Empty: it is one.
std::string resource_problem(const Tree& key) {
    if (is_text(key) && is_queue_resource(key.scalar) &&
        (key.scalar.find('/') == std::string::npos || read_label_key(key))) {
        return {};
    }
    return fmt::format(
        "found {}, expected cpu, memory, ephemeral-storage, hugepages-SIZE or an extended resource "
        "such as nvidia.com/gpu{}",
        describe(key),
        core::did_you_mean(key.scalar, plain_resources));
}

core::Result<std::int64_t> read_amount(const std::string& resource, const Tree& value) {
    if (resource == "cpu") {
        return read_cpu(value);
    }
    if (resource.find('/') == std::string::npos) {
        return read_memory(value);
    }
    const auto count = is_text(value) ? core::parse_whole(value.scalar)
                                      : core::Result<std::int64_t>(core::Error{});
    if (!count || *count < 0) {
        return core::Error{fmt::format("found {}, expected a whole number", describe(value))};
    }
    return count;
}

/// A list of texts, each read by `read`, none twice.
template <typename Read>
core::Result<std::vector<std::string>> read_texts(
    const Tree& tree, std::string_view what, const Read& read) {
    if (tree.kind != Tree::Kind::sequence || tree.items.empty()) {
        return core::Error{fmt::format("found {}, expected a list of {}", describe(tree), what)};
    }
    std::vector<std::string> texts;
    for (const Tree& item : tree.items) {
        std::optional<std::string> text = read(item);
        if (!text) {
            return core::Error{
                fmt::format("found {} in it, expected a list of {}", describe(item), what)};
        }
        if (std::find(texts.begin(), texts.end(), *text) != texts.end()) {
            return core::Error{fmt::format("found {} in it twice", describe(item))};
        }
        texts.push_back(*std::move(text));
    }
    return texts;
}

bool is_written_namespace(const std::string& text) {
    const auto read = read_namespace(Tree{Tree::Kind::quoted, {}, text, {}, {}});
    return read && !read->empty();
}

/// One rule; a text that is not empty says what is wrong.
std::string read_rule(const Tree& item, PlacementRule& rule) {
    constexpr std::string_view expected =
        "expected `annotation: gang-scheduler/queue`, `namespace`, `namespaceLabel: LABEL` or "
        "`fixed: QUEUE`";
    if (is_text(item) && item.scalar == "namespace") {
        rule.kind = PlacementRule::Kind::namespace_name;
        return {};
    }
    if (item.kind != Tree::Kind::map || item.pairs.size() != 1) {
        return fmt::format("found {}, {}", describe(item), expected);
    }
    const auto& [key, value] = item.pairs.front();
    if (key.scalar == "namespaceLabel") {
        rule.kind = PlacementRule::Kind::namespace_label;
        auto label = read_label_key(value);
        if (!label) {
            return label.error().message;
        }
        rule.label = *std::move(label);
        return {};
    }
    if (key.scalar == "annotation") {
        const bool is_ours = is_text(value) && value.scalar == queue_annotation;
        return is_ours ? ""
                       : fmt::format("found {}, expected {}", describe(value), queue_annotation);
    }
    if (key.scalar == "fixed") {
        rule.kind = PlacementRule::Kind::fixed;
        auto name = read_queue_name(value);
        if (!name) {
            return name.error().message;
        }
        rule.queue = *std::move(name);
        return {};
    }
    return fmt::format("found {}, {}", describe(key), expected);
}

}  // namespace

bool is_queue_resource(std::string_view name) {
    const std::size_t slash = name.find('/');
    const bool is_extended =
        slash != std::string_view::npos && slash > 0 && slash + 1 < name.size();
    return std::find(plain_resources.begin(), plain_resources.end(), name) !=
               plain_resources.end() ||
           name.starts_with("hugepages-") || is_extended;
}

core::Result<std::string> read_queue_name(const Tree& tree) {
    const auto text = read_string(tree);
    if (!text) {
        return text;
    }
    std::string name = full_queue_name(*text);
    if (!is_queue_name(name)) {
        return core::Error{fmt::format(
            "found {}, expected the name of a queue: parts of letters, digits, '-' and '_' with "
            "dots between them, at most {} characters",
            describe(tree),
            queue_name_max)};
    }
    return name;
}

ResourceAmounts read_amounts(
    const Tree& tree, const std::string& path, std::vector<Complaint>& complaints) {
    ResourceAmounts amounts;
    if (tree.kind != Tree::Kind::map || tree.pairs.empty()) {
        complaints.push_back(Complaint{
            tree.mark,
            fmt::format(
                "{}: found {}, expected amounts of resources such as {{cpu: 64, memory: 256Gi}}",
                path,
                describe(tree))});
        return amounts;
    }
    for (const auto& [key, value] : tree.pairs) {
        if (const std::string problem = resource_problem(key); !problem.empty()) {
            complaints.push_back(Complaint{key.mark, path + ": " + problem});
            continue;
        }
        const auto amount = read_amount(key.scalar, value);
        if (!amount) {
            const Mark mark = value.kind == Tree::Kind::null ? key.mark : value.mark;
            complaints.push_back(
                Complaint{mark, path + "." + key.scalar + ": " + amount.error().message});
            continue;
        }
        const auto at = std::lower_bound(
            amounts.begin(), amounts.end(), key.scalar, [](const auto& known, const auto& name) {
                return known.name < name;
            });
        if (at != amounts.end() && at->name == key.scalar) {
            complaints.push_back(Complaint{
                key.mark,
                path + "." + key.scalar + ": found the key a second time, expected it once"});
            continue;
        }
        amounts.insert(at, {key.scalar, *amount});
    }
    return amounts;
}

core::Result<std::vector<std::string>> read_queue_users(const Tree& tree) {
    return read_texts(
        tree,
        "service accounts as NAMESPACE/NAME",
        [](const Tree& item) -> std::optional<std::string> {
            const std::string& text = item.scalar;
            const std::size_t slash = text.find('/');
            const bool is_user =
                is_text(item) && slash != std::string::npos &&
                is_written_namespace(text.substr(0, slash)) &&
                read_object_name(Tree{Tree::Kind::quoted, {}, text.substr(slash + 1), {}, {}});
            return is_user ? std::optional(text) : std::nullopt;
        });
}

core::Result<std::vector<std::string>> read_queue_namespaces(const Tree& tree) {
    return read_texts(tree, "namespaces", [](const Tree& item) -> std::optional<std::string> {
        return is_text(item) && is_written_namespace(item.scalar) ? std::optional(item.scalar)
                                                                  : std::nullopt;
    });
}

std::vector<PlacementRule> read_placement(const Tree& tree, std::vector<Complaint>& complaints) {
    std::vector<PlacementRule> rules;
    if (tree.kind != Tree::Kind::sequence || tree.items.empty()) {
        complaints.push_back(Complaint{
            tree.mark,
            fmt::format("placement: found {}, expected a list of rules", describe(tree))});
        return rules;
    }
    for (std::size_t i = 0; i < tree.items.size(); ++i) {
        PlacementRule rule;
        if (const std::string problem = read_rule(tree.items[i], rule); !problem.empty()) {
            complaints.push_back(
                Complaint{tree.items[i].mark, fmt::format("placement[{}]: {}", i, problem)});
            continue;
        }
        rules.push_back(std::move(rule));
    }
    return rules;
}

}  // namespace config
