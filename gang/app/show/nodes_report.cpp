#include "gang/app/show/nodes_report.hpp"

#include "core/value/quantity.hpp"
#include "gang/app/base/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

using Table = std::vector<std::vector<std::string>>;

std::string cpu_text(std::int64_t milli) {
    return core::format_cpu(milli);
}

/// "3+2/8": bound, held if anything is, and what there is.
template <typename Text>
std::string used(std::int64_t bound, std::int64_t held, std::int64_t all, Text text) {
    return text(bound) + (held == 0 ? std::string() : "+" + text(held)) + "/" + text(all);
}

std::string memory_text(std::int64_t bytes) {
    return core::format_bytes_short(bytes);
}

std::size_t gangs_on(const NodeLedger& node) {
    std::set<std::string_view> gangs;
    for (const BoundShare& share : node.bound_by) {
        gangs.insert(share.gang);
    }
    for (const HeldUnit& unit : node.units) {
        gangs.insert(unit.gang);
    }
    return gangs.size();
}

std::string state_of(const NodeLedger& node) {
    if (!node.is_present) {
        return "gone";
    }
    const std::string sums = node.adds_up ? "" : "does not add up";
    return node.state.empty() ? (sums.empty() ? std::string("open") : sums)
                              : node.state + (sums.empty() ? "" : ", " + sums);
}

std::vector<std::string> row_of(const NodeLedger& node, const NodesStyle& style, bool has_pools) {
    const auto held = static_cast<std::int64_t>(node.units.size());
    std::vector<std::string> row = {node.name};
    if (has_pools) {
        row.push_back(node.pool);
    }
    if (style.is_wide) {
        row.push_back(node.zone);
    }
    row.push_back(
        used(node.bound.cpu_milli, node.held.cpu_milli, node.allocatable.cpu_milli, cpu_text));
    row.push_back(used(
        node.bound.memory_bytes,
        node.held.memory_bytes,
        node.allocatable.memory_bytes,
        memory_text));
    row.push_back(used(node.pods_bound, held, node.pods_allocatable, [](std::int64_t number) {
        return std::to_string(number);
    }));
    if (style.is_wide) {
        row.push_back(core::describe(node.free));
    }
    if (style.executor) {
        row.push_back(std::to_string(how_many_fit(node, *style.executor)));
    }
    row.push_back(std::to_string(gangs_on(node)));
    row.push_back(state_of(node));
    return row;
}

/// Nodes that are open green, all others red: the state is the last column.
std::string with_colours(const Table& rows) {
    std::vector<std::size_t> widths;
    const std::string table = format_table(rows, widths);
    std::string out;
    std::size_t at = 0;
    for (const auto& row : rows) {
        const std::size_t end = table.find('\n', at) + 1;
        std::string line = table.substr(at, end - at);
        at = end;
        const std::string& state = row.back();
        const bool is_state = &row != &rows.front() && line.ends_with(state + "\n");
        if (is_state) {
            const std::size_t begin = line.size() - 1 - state.size();
            line.insert(line.size() - 1, "\x1b[0m");
            line.insert(begin, state == "open" ? "\x1b[32m" : "\x1b[31m");
        }
        out += line;
    }
    return out;
}

/// The pool goes when the terminal is too narrow.
bool is_too_wide(const Table& rows, std::size_t limit) {
    std::vector<std::size_t> widths;
    format_table(rows, widths);
    return limit > 0 &&
           std::accumulate(widths.begin(), widths.end(), 2 * widths.size()) > limit + 2;
}

Table rows_of(const LedgerReport& report, const NodesStyle& style, bool has_pools) {
    Table rows = {{"NODE"}};
    const auto title = [&rows](bool is_wanted, const char* word) {
        if (is_wanted) {
            rows.front().emplace_back(word);
        }
    };
    title(has_pools, "POOL");
    title(style.is_wide, "ZONE");
    title(true, "CPU");
    title(true, "MEMORY");
    title(true, "PODS");
    title(style.is_wide, "FREE");
    title(style.executor.has_value(), "FITS");
    title(true, "GANGS");
    title(true, "STATE");
    for (const NodeLedger& node : report.nodes) {
        rows.push_back(row_of(node, style, has_pools));
    }
    return rows;
}

}  // namespace

core::Result<core::Resources> read_executor_size(std::string_view text) {
    const std::size_t times = text.find('x');
    core::Error wrong{"expected CPUxMEMORY of one executor, such as 2x6Gi"};
    if (times == std::string_view::npos) {
        return wrong;
    }
    const auto cpu = core::parse_milli(text.substr(0, times));
    const auto memory = core::parse_milli(text.substr(times + 1));
    if (!cpu || !memory || *cpu <= 0 || *memory < 1'000) {
        return wrong;
    }
    return core::Resources{*cpu, *memory / 1'000, 0, {}};
}

std::int64_t how_many_fit(const NodeLedger& node, const core::Resources& pod) {
    std::int64_t fit = node.is_present ? std::max<std::int64_t>(node.pods_free, 0) : 0;
    const auto bound_by = [&fit](std::int64_t free, std::int64_t asked) {
        if (asked > 0) {
            fit = std::min(fit, std::max<std::int64_t>(free, 0) / asked);
        }
    };
    bound_by(node.free.cpu_milli, pod.cpu_milli);
    bound_by(node.free.memory_bytes, pod.memory_bytes);
    return fit;
}

std::string nodes_table(const LedgerReport& report, const NodesStyle& style) {
    if (report.nodes.empty()) {
        return "There are no nodes.\n";
    }
    const bool has_pools = std::any_of(
        report.nodes.begin(), report.nodes.end(), [](const auto& node) { return !node.pool.empty(); });
    Table rows = rows_of(report, style, has_pools);
    if (has_pools && !style.is_wide && is_too_wide(rows, style.table.width)) {
        rows = rows_of(report, style, false);
    }
    return style.table.is_coloured ? with_colours(rows) : format_table(rows);
}

std::string node_names(const LedgerReport& report) {
    Table rows;
    for (const NodeLedger& node : report.nodes) {
        rows.push_back({"node/" + node.name});
    }
    return rows.empty() ? std::string() : format_table(rows);
}

std::string node_cards_table(const LedgerReport& report) {
    Table rows = {{"NODE", "CARD", "RESOURCE", "UNITS", "FREE"}};
    for (const NodeLedger& node : report.nodes) {
        for (const CardLedger& card : node.cards) {
            rows.push_back(
                {node.name,
                 card.id,
                 card.resource,
                 std::to_string(card.units),
                 std::to_string(card.free)});
        }
    }
    return rows.size() == 1 ? std::string("No node says anything of its cards.\n")
                            : format_table(rows);
}

std::optional<std::string> node_text(
    const LedgerReport& report, std::string_view name, std::int64_t now_ms) {
    const auto found = std::find_if(
        report.nodes.begin(), report.nodes.end(), [&](const auto& node) { return node.name == name; });
    if (found == report.nodes.end()) {
        return std::nullopt;
    }
    const NodeLedger& node = *found;
    LedgerReport alone = report;
    alone.nodes = {node};
    NodesStyle style;
    style.is_wide = true;
    std::string out = nodes_table(alone, style) + "\n";
    Table rows = {{"GANG", "WHAT", "SLOT", "AGE", "REQUESTS"}};
    std::int64_t of_gangs = 0;
    for (const BoundShare& share : node.bound_by) {
        rows.push_back(
            {share.gang,
             fmt::format("{} {} bound", share.pods, share.pods == 1 ? "pod" : "pods"),
             "-",
             "-",
             core::describe(share.requests)});
        of_gangs += share.pods;
    }
    if (node.pods_bound > of_gangs) {
        rows.push_back(
            {"-", fmt::format("{} outside gangs", node.pods_bound - of_gangs), "-", "-", "-"});
    }
    for (const HeldUnit& unit : node.units) {
        rows.push_back(
            {unit.gang,
             std::string(to_string(unit.state)),
             unit.slot < 0 ? "-" : std::to_string(unit.slot),
             unit.since_ms == 0 ? "-"
                                : format_age(std::max<std::int64_t>(0, now_ms - unit.since_ms)),
             core::describe(unit.requests)});
    }
    out += rows.size() == 1 ? "Nothing is bound or held there.\n" : format_table(rows);
    if (!node.cards.empty()) {
        out += "\n" + node_cards_table(alone);
    }
    return out;
}

}  // namespace gang::app
