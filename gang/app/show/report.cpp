#include "gang/app/show/report.hpp"

#include "config/printable.hpp"
#include "gang/app/base/text.hpp"
#include "gang/app/show/pod_view.hpp"

#include <fmt/format.h>

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

std::string gangs_table(const GangList& list, std::int64_t now_unix_ms, bool is_wide) {
    return list.gangs.empty() ? "No gangs.\n"
                              : format_table(gangs_rows(list, now_unix_ms, is_wide));
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
        const std::string& queue = i == 0 ? "QUEUE" : list.gangs[i - 1].queue;
        rows[i].push_back(i == 0 ? "ETA" : eta(list.gangs[i - 1], now_unix_ms));
        rows[i].push_back(queue.empty() ? "-" : queue);
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
        out += fmt::format("Reason: {} (see docs/reasons.md)\n", to_string(gang.code));
    }
    out += times_text(gang, now_unix_ms);
    const bool holds_or_wants = gang.state != GangState::ended;
    if (gang.needs != core::Resources{} && holds_or_wants) {
        const bool partial = gang.executors == executors_unknown;
        out += fmt::format(
            "Needs: {}{}\n", shown(describe(gang.needs)), partial ? " for the driver" : " in all");
    }
    if (gang.executors > 0 && holds_or_wants) {
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
