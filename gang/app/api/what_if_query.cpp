#include "gang/app/api/what_if_query.hpp"

#include "config/printable.hpp"
#include "gang/app/serve/query.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

constexpr std::size_t shown_max = 100;
constexpr std::size_t pairs_max = 32;
constexpr std::array<std::string_view, 7> known_parameters = {
    "executors",
    "executorCpu",
    "executorMemory",
    "driverCpu",
    "driverMemory",
    "nodeSelector",
    "tolerations"};

core::Error wrong_value(std::string_view name, std::string_view value, std::string_view expected) {
    return core::Error{fmt::format(
        "{}: found \"{}\", expected {}", name, config::printable(value, shown_max), expected)};
}

/// Sets one amount; what is not said is `otherwise`.
core::Result<core::Done> set_amount(
    core::Resources& into,
    std::string_view resource,
    std::string_view query,
    std::string_view parameter,
    std::string_view otherwise) {
    const std::string value = find_parameter(query, parameter).value_or(std::string(otherwise));
    if (const auto set = core::set_resource(into, resource, value); !set) {
        return wrong_value(parameter, value, resource == "cpu" ? "cores: 2 or 500m" : "bytes: 4Gi");
    }
    return core::Done{};
}

/// "a=b,c=d" or "c": keys with values, where there are any.
std::vector<std::pair<std::string, std::optional<std::string>>> pairs_in(std::string_view text) {
    std::vector<std::pair<std::string, std::optional<std::string>>> out;
    while (!text.empty() && out.size() <= pairs_max) {
        const std::size_t end = std::min(text.find(','), text.size());
        const std::string_view one = text.substr(0, end);
        const std::size_t equals = one.find('=');
        if (equals == std::string_view::npos) {
            out.emplace_back(one, std::nullopt);
        } else {
            out.emplace_back(one.substr(0, equals), std::string(one.substr(equals + 1)));
        }
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return out;
}

core::Result<core::Done> set_constraints(core::Constraints& into, std::string_view query) {
    const std::string selector = find_parameter(query, "nodeSelector").value_or("");
    const auto labels = pairs_in(selector);
    for (const auto& [key, value] : labels) {
        if (key.empty() || !value || labels.size() > pairs_max) {
            return wrong_value("nodeSelector", selector, "LABEL=VALUE,LABEL=VALUE, 32 at most");
        }
        into.node_selector.emplace_back(key, *value);
    }
    std::sort(into.node_selector.begin(), into.node_selector.end());
    const std::string tolerated = find_parameter(query, "tolerations").value_or("");
    const auto taints = pairs_in(tolerated);
    for (const auto& [key, value] : taints) {
        if (key.empty() || taints.size() > pairs_max) {
            return wrong_value("tolerations", tolerated, "KEY=VALUE,KEY, 32 at most");
        }
        core::Toleration toleration;
        toleration.key = key;
        toleration.exists = !value.has_value();
        toleration.value = value.value_or("");
        into.tolerations.push_back(std::move(toleration));
    }
    return core::Done{};
}

}  // namespace

core::Result<WhatIf> read_what_if(std::string_view query) {
    for (const std::string_view name : parameter_names(query)) {
        if (std::find(known_parameters.begin(), known_parameters.end(), name) ==
            known_parameters.end()) {
            return core::Error{fmt::format(
                "there is no parameter {}, only {}",
                config::printable(name, shown_max),
                fmt::join(known_parameters, ", "))};
        }
    }
    WhatIf out;
    const std::string count = find_parameter(query, "executors").value_or("0");
    const auto [end, ec] =
        std::from_chars(count.data(), count.data() + count.size(), out.executors);
    const bool is_whole = ec == std::errc{} && end == count.data() + count.size();
    if (!is_whole || out.executors < 0 || out.executors > what_if_executors_max) {
        return wrong_value(
            "executors", count, fmt::format("a number from 0 to {}", what_if_executors_max));
    }
    for (const auto& done :
         {set_amount(out.driver, "cpu", query, "driverCpu", "1"),
          set_amount(out.driver, "memory", query, "driverMemory", "1408Mi"),
          set_amount(out.executor, "cpu", query, "executorCpu", "1"),
          set_amount(out.executor, "memory", query, "executorMemory", "1408Mi"),
          set_constraints(out.constraints, query)}) {
        if (!done) {
            return done.error();
        }
    }
    return out;
}

}  // namespace gang::app
