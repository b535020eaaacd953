#include "gang/app/show/report.hpp"

#include "config/printable.hpp"
#include "gang/app/base/text.hpp"
#include "gang/app/show/pod_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string_view>

namespace gang::app {
namespace {

bool is_waiting(GangState state) {
    return state == GangState::waiting || state == GangState::waiting_for_conf ||
           state == GangState::parked;
}

std::string need(const GangView& gang) {
    const std::string executors = gang.executors == executors_unknown
                                      ? std::string("1+?")
                                      : fmt::format("1+{}", gang.executors);
    return gang.needs == core::Resources{}
               ? executors
               : fmt::format("{} ({})", executors, describe(gang.needs));
}

std::string got(const GangView& gang) {
    return is_waiting(gang.state) ? "0" : fmt::format("1+{}", gang.slots_bound);
}

std::string place(const GangView& gang) {
    return gang.position > 0 ? std::to_string(gang.position) : "";
}

std::string why(const GangView& gang) {
    return gang.code == ReasonCode::none ? "" : std::string(to_string(gang.code));
}

std::string age(const GangView& gang, std::int64_t now) {
    return gang.waiting_since_ms > 0 ? format_age(now - gang.waiting_since_ms) : "";
}

/// "in 12m", of one that waits; "late", of one that has not started by then.
std::string eta(const GangView& gang, std::int64_t now) {
    return gang.start_ms == 0 || !is_waiting(gang.state) ? "-"
           : gang.start_ms <= now                        ? "late"
                                  : "in " + format_age(gang.start_ms - now);
}

std::string times_text(const GangView& gang, std::int64_t now) {
    std::string out;
    if (gang.start_ms > 0 && is_waiting(gang.state)) {
        out += fmt::format(
            "Expected to start: {}, give or take {}\n",
            eta(gang, now),
            format_age(gang.start_spread_ms));
    }
    if (gang.planned_ms > now && is_waiting(gang.state)) {
        out += fmt::format(
            "Promised: it fits in {}, if all that run end in time\n",
            format_age(gang.planned_ms - now));
    }
    if (gang.bypasses > 0) {
        out += fmt::format("Passed by {} later gangs\n", gang.bypasses);
    }
    if (gang.is_overdue) {
        out += "It runs longer than expected, while others wait for its room\n";
    } else if (gang.end_ms > now) {
        out += fmt::format("Expected to end: in {}\n", format_age(gang.end_ms - now));
    }
    return out;
}

std::string shown(const std::string& text) {
    return config::printable(text, 2048);
}

using Rows = std::vector<std::vector<std::string>>;

bool is_wider_than(std::size_t limit, const Rows& rows) {
    std::vector<std::size_t> widths;
    format_table(rows, widths);
    const std::size_t all = std::accumulate(widths.begin(), widths.end(), 2 * widths.size());
    return limit > 0 && all > limit + 2;  // no space behind the last column
}

void drop_column(Rows& rows, std::string_view title) {
    const auto at = std::find(rows.front().begin(), rows.front().end(), title);
    const auto index = at - rows.front().begin();
    for (auto& row : rows) {
        row.erase(row.begin() + index);
    }
}

std::string_view colour_of(GangState state) {
    switch (state) {
        case GangState::parked:
        case GangState::degraded:
            return "\x1b[31m";
        case GangState::waiting:
        case GangState::waiting_for_conf:
            return "\x1b[33m";
        case GangState::admitted:
        case GangState::running:
            return "\x1b[32m";
        case GangState::ended:
            break;
    }
    return "";
}

/// The table with each state in its colour. Cells are escaped before, so that the only colours are
/// ours.
std::string coloured(const Rows& rows, const std::vector<GangView>& gangs) {
    std::vector<std::size_t> widths;
    const std::string table = format_table(rows, widths);
    const auto title = std::find(rows.front().begin(), rows.front().end(), "STATE");
    const auto column = static_cast<std::size_t>(title - rows.front().begin());
    std::size_t begin = 2 * column;
    for (std::size_t i = 0; i < column; ++i) {
        begin += widths[i];
    }
    std::string out;
    std::size_t at = 0;
    for (std::size_t row = 0; row < rows.size(); ++row) {
        const std::size_t end = table.find('\n', at) + 1;
        std::string line = table.substr(at, end - at);
        at = end;
        const std::string& state = rows[row][column];
        // Names are ASCII; where one is not, the column is elsewhere and the line stays plain.
        if (row > 0 && begin < line.size() && line.compare(begin, state.size(), state) == 0) {
            line.insert(begin + state.size(), "\x1b[0m");
            line.insert(begin, colour_of(gangs[row - 1].state));
        }
        out += line;
    }
    return out;
}

std::string slots_text(const Explanation& explanation) {
    const GangView& gang = explanation.gang;
    std::string out = fmt::format(
        "Slots: {} reserved: {} bound, {} claimed, {} open\n",
        gang.executors,
        gang.slots_bound,
        gang.slots_assumed,
        gang.slots_open);
    for (const auto& [node, count] : explanation.slots_per_node) {
        out += fmt::format("  {} on {}\n", count, shown(node));
    }
    return out;
}

}  // namespace

std::string gangs_table(
    const GangList& list, std::int64_t now_unix_ms, bool is_wide, const TableStyle& style) {
    if (list.gangs.empty()) {
        return "No gangs.\n";
    }
    auto rows = gangs_rows(list, now_unix_ms, is_wide);
    if (!is_wide && is_wider_than(style.width, rows)) {
        drop_column(rows, "APPLICATION");
    }
    const std::string& first = list.gangs.front().namespace_name;
    const bool is_one_namespace =
        std::all_of(list.gangs.begin(), list.gangs.end(), [&first](const GangView& gang) {
            return gang.namespace_name == first;
        });
    if (!is_wide && is_one_namespace && is_wider_than(style.width, rows)) {
        drop_column(rows, "NAMESPACE");
    }
    return style.is_coloured ? coloured(rows, list.gangs) : format_table(rows);
}

std::string gang_names(const GangList& list) {
    std::string out;
    for (const GangView& gang : list.gangs) {
        out += "pod/" + shown(gang.driver) + "\n";
    }
    return out;
}

std::vector<std::vector<std::string>> gangs_rows(
    const GangList& list, std::int64_t now_unix_ms, bool is_wide) {
    std::vector<std::vector<std::string>> rows = {
        {"NAMESPACE", "DRIVER", "APPLICATION", "STATE", "POS", "NEED", "GOT", "AGE", "WHY"}};
    for (const GangView& gang : list.gangs) {
        rows.push_back(
            {gang.namespace_name,
             gang.driver,
             gang.application,
             std::string(to_string(gang.state)),
             place(gang),
             need(gang),
             got(gang),
             age(gang, now_unix_ms),
             why(gang)});
    }
    for (std::size_t i = 0; is_wide && i < rows.size(); ++i) {
        const GangView* const gang = i == 0 ? nullptr : &list.gangs[i - 1];
        const auto or_none = [](const std::string& text) { return text.empty() ? "-" : text; };
        rows[i].push_back(gang == nullptr ? "ETA" : eta(*gang, now_unix_ms));
        rows[i].push_back(gang == nullptr ? "QUEUE" : or_none(gang->queue));
        rows[i].push_back(gang == nullptr ? "NAME" : or_none(gang->app_name));
    }
    return rows;
}

std::string why_text(const Answer& answer, std::int64_t now_unix_ms) {
    const Explanation& explanation = answer.explanation;
    const GangView& gang = explanation.gang;
    std::string out = fmt::format(
        "{}/{}: {}", shown(gang.namespace_name), shown(gang.driver), to_string(gang.state));
    if (gang.application != gang.driver) {
        out += fmt::format(", application {}", shown(gang.application));
    }
    if (!gang.app_name.empty()) {
        out += fmt::format(", called {}", shown(gang.app_name));
    }
    if (gang.position > 0) {
        out += fmt::format(", position {}", gang.position);
    }
    const std::string since = age(gang, now_unix_ms);
    out += since.empty() ? "\n" : fmt::format(", {} old\n", since);
    if (!gang.queue.empty()) {
        out += fmt::format("Queue: {}\n", shown(gang.queue));
    }
    if (explanation.is_executor) {
        out += "The pod you asked for is an executor of this gang.\n";
    }
    if (!gang.message.empty()) {
        out += fmt::format("{}\n", shown(gang.message));
    }
    if (gang.code != ReasonCode::none) {
        out += fmt::format("Reason: {} (see docs/reference/reasons.md)\n", to_string(gang.code));
    }
    out += times_text(gang, now_unix_ms);
    const bool holds_or_wants = gang.state != GangState::ended;
    if (gang.needs != core::Resources{} && holds_or_wants) {
        const bool partial = gang.executors == executors_unknown;
        out += fmt::format(
            "Needs: {}{}\n", shown(describe(gang.needs)), partial ? " for the driver" : " in all");
    }
    if (gang.executors > 0 && holds_or_wants && explanation.executor != core::Resources{}) {
        out += fmt::format(
            "Driver: {}; each of {} executors: {}\n",
            shown(describe(explanation.driver)),
            gang.executors,
            shown(describe(explanation.executor)));
    }
    if (!is_waiting(gang.state) && gang.executors > 0 && holds_or_wants) {
        out += slots_text(explanation);
    }
    for (const std::string& note : explanation.notes) {
        out += fmt::format("- {}\n", shown(note));
    }
    if (answer.source != "daemon" && is_waiting(gang.state)) {
        out += "(read from the API server; the daemon's control endpoint knows more)\n";
    }
    return out;
}

}  // namespace gang::app
