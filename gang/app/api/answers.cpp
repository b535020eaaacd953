#include "gang/app/api/answers.hpp"

#include "gang/app/base/version.hpp"
#include "gang/app/show/ledger_report.hpp"
#include "gang/app/show/queue_report.hpp"
#include "gang/app/show/report.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace gang::app {
namespace {

std::string head(std::string_view kind, const Snapshot& snapshot) {
    return fmt::format(
        R"("apiVersion":"{}","kind":"{}","from":"{}","leader":{},"synced":{},"asOfMs":{},"id":"{}")",
        api_version,
        kind,
        snapshot.standing.leads ? "leader" : "standby",
        json_string(snapshot.standing.leader),
        snapshot.synced,
        snapshot.unix_ms,
        snapshot.id);
}

std::string error_head(int status) {
    return fmt::format(R"("apiVersion":"{}","kind":"Error","status":{})", api_version, status);
}

template <typename Items, typename Text>
std::string array(const Items& items, Text text) {
    std::string out = "[";
    for (const auto& item : items) {
        out += out.size() > 1 ? "," : "";
        out += text(item);
    }
    return out + "]";
}

/// What never fits as things are does not count: its age says nothing of how long others wait.
bool is_in_line(GangState state) {
    return state == GangState::waiting || state == GangState::waiting_for_conf;
}

bool fits(const GangView& gang, const GangQuery& query) {
    const auto has = [&query](std::string_view text) {
        return text.find(query.text) != std::string_view::npos;
    };
    const bool state_fits =
        query.states.empty() ||
        std::find(query.states.begin(), query.states.end(), gang.state) != query.states.end();
    const bool space_fits =
        query.namespace_name.empty() || query.namespace_name == gang.namespace_name;
    return state_fits && space_fits &&
           (has(gang.namespace_name + "/" + gang.driver) || has(gang.application) || has(gang.app_name) ||
            has(to_string(gang.state)) || has(gang.message) ||
            (gang.code != ReasonCode::none && has(to_string(gang.code))));
}

/// A page of what fits, and how many fit in all.
template <typename Item, typename Fits>
std::pair<std::vector<const Item*>, std::size_t> page_of(
    const std::vector<Item>& all, std::size_t skip, std::size_t limit, Fits is_wanted) {
    std::vector<const Item*> shown;
    std::size_t total = 0;
    for (const Item& item : all) {
        if (is_wanted(item)) {
            if (total >= skip && shown.size() < limit) {
                shown.push_back(&item);
            }
            ++total;
        }
    }
    return {std::move(shown), total};
}

/// How the nodes' room adds up; nodes that are gone have none.
struct Room {
    std::int64_t allocatable = 0;
    std::int64_t bound = 0;
    std::int64_t held = 0;
    std::int64_t free = 0;
};

std::string room_json(const Room& room) {
    return fmt::format(
        R"({{"allocatable":{},"bound":{},"held":{},"free":{}}})",
        room.allocatable,
        room.bound,
        room.held,
        room.free);
}

std::string rooms_json(const std::vector<NodeLedger>& nodes) {
    Room cpu;
    Room memory;
    Room pods;
    for (const NodeLedger& node : nodes) {
        if (!node.is_present) {
            continue;
        }
        cpu.allocatable += node.allocatable.cpu_milli;
        cpu.bound += node.bound.cpu_milli;
        cpu.held += node.held.cpu_milli;
        cpu.free += node.free.cpu_milli;
        memory.allocatable += node.allocatable.memory_bytes;
        memory.bound += node.bound.memory_bytes;
        memory.held += node.held.memory_bytes;
        memory.free += node.free.memory_bytes;
        pods.allocatable += node.pods_allocatable;
        pods.bound += node.pods_bound;
        pods.held += static_cast<std::int64_t>(node.units.size());
        pods.free += node.pods_free;
    }
    return fmt::format(
        R"({{"cpuMilli":{},"memoryBytes":{},"pods":{}}})",
        room_json(cpu),
        room_json(memory),
        room_json(pods));
}

std::string states_json(const std::vector<GangView>& gangs) {
    std::array<std::int64_t, static_cast<std::size_t>(GangState::ended) + 1> counts{};
    for (const GangView& gang : gangs) {
        ++counts[static_cast<std::size_t>(gang.state)];
    }
    std::string out = "{";
    for (std::size_t i = 0; i < counts.size(); ++i) {
        out += fmt::format(
            "{}\"{}\":{}", i == 0 ? "" : ",", to_string(static_cast<GangState>(i)), counts[i]);
    }
    return out + "}";
}

}  // namespace

std::string summary_json(const Snapshot& snapshot, const ApiSource& source) {
    std::int64_t oldest_ms = 0;
    std::int64_t waiting = 0;
    for (const GangView& gang : snapshot.gangs) {
        if (is_in_line(gang.state)) {
            ++waiting;
            const bool is_older = oldest_ms == 0 || gang.waiting_since_ms < oldest_ms;
            oldest_ms = gang.waiting_since_ms > 0 && is_older ? gang.waiting_since_ms : oldest_ms;
        }
    }
    const auto present = std::count_if(
        snapshot.nodes.begin(), snapshot.nodes.end(), [](const auto& n) { return n.is_present; });
    return fmt::format(
        R"({{{},"version":{},"server":{},"schedulerNames":{},"gangs":{},"waiting":{},"oldestWaitingSinceMs":{},"nodes":{},"room":{}}})",
        head("Summary", snapshot),
        json_string(version),
        json_string(source.server),
        array(source.config.scheduler_names(), json_string),
        states_json(snapshot.gangs),
        waiting,
        oldest_ms,
        present,
        rooms_json(snapshot.nodes));
}

std::string gangs_json(const Snapshot& snapshot, const GangQuery& query) {
    const auto [shown, total] =
        page_of(snapshot.gangs, query.skip, query.limit, [&query](const GangView& gang) {
            return fits(gang, query);
        });
    return fmt::format(
        R"({{{},"total":{},"gangs":{}}})",
        head("GangList", snapshot),
        total,
        array(shown, [](const GangView* gang) { return to_json(*gang); }));
}

std::string gangs_text(const Snapshot& snapshot, const GangQuery& query) {
    const auto [shown, total] =
        page_of(snapshot.gangs, query.skip, query.limit, [&query](const GangView& gang) {
            return fits(gang, query);
        });
    GangList list;
    for (const GangView* gang : shown) {
        list.gangs.push_back(*gang);
    }
    const std::string rest =
        shown.size() < total ? fmt::format("... {} in all\n", total) : std::string();
    return gangs_table(list, snapshot.unix_ms) + rest;
}

std::string nodes_json(const Snapshot& snapshot, const NodeQuery& query) {
    const auto [shown, total] =
        page_of(snapshot.nodes, query.skip, query.limit, [&query](const NodeLedger& node) {
            return node.name.find(query.text) != std::string::npos;
        });
    return fmt::format(
        R"({{{},"total":{},"nodes":{}}})",
        head("NodeList", snapshot),
        total,
        array(shown, [units = query.has_units ? Units::listed : Units::left_out](
                         const NodeLedger* node) { return to_json(*node, units); }));
}

std::optional<std::string> node_json(const Snapshot& snapshot, std::string_view name) {
    for (const NodeLedger& node : snapshot.nodes) {
        if (node.name == name) {
            return fmt::format(
                R"({{{},"node":{}}})", head("Node", snapshot), to_json(node, Units::listed));
        }
    }
    return std::nullopt;
}

std::string queues_json(const Snapshot& snapshot) {
    return fmt::format(
        R"({{{},"queues":{}}})",
        head("QueueList", snapshot),
        array(snapshot.queues, [](const QueueView& queue) { return to_json(queue); }));
}

std::string history_json(const Snapshot& snapshot, const std::vector<HistoryPoint>& points) {
    const auto point_json = [](const HistoryPoint& point) {
        return array(history_columns, [&point](const HistoryColumn& column) {
            return std::to_string(point.*column.member);
        });
    };
    return fmt::format(
        R"({{{},"betweenMs":{},"columns":{},"points":{}}})",
        head("History", snapshot),
        History::between_ms,
        array(history_columns, [](const auto& column) { return json_string(column.name); }),
        array(points, point_json));
}

std::string what_if_json(const Snapshot& snapshot, const WhatIfAnswer& answer) {
    const auto text = [](const auto& entry) {
        return fmt::format(
            R"({{"node":{},"executors":{}}})", json_string(entry.first), entry.second);
    };
    return fmt::format(
        R"({{{},"fitsNow":{},"fitsEmpty":{},"executorsFitNow":{},"executorsFitEmpty":{},"now":{},"empty":{},"waiting":{},"driverNode":{},"executorsPerNode":{}}})",
        head("WhatIf", snapshot),
        answer.fits_now,
        answer.fits_empty,
        answer.executors_fit_now,
        answer.executors_fit_empty,
        json_string(answer.now),
        json_string(answer.empty),
        answer.waiting,
        json_string(answer.driver_node),
        array(answer.executors_per_node, text));
}

std::string gang_json(
    const Snapshot& snapshot, const Explanation& explanation, std::string_view text) {
    return fmt::format(
        R"({{{},"text":{},"gang":{}}})",
        head("Gang", snapshot),
        json_string(text),
        to_json(explanation));
}

std::string config_json(const Snapshot& snapshot, const config::Schema& config) {
    return fmt::format(R"({{{},"config":{}}})", head("Config", snapshot), config_members(config));
}

std::string index_json(const Snapshot& snapshot, const std::vector<std::string_view>& paths) {
    return fmt::format(R"({{{},"paths":{}}})", head("Index", snapshot), array(paths, json_string));
}

std::string error_json(int status, std::string_view why) {
    return fmt::format(R"({{{},"error":{}}})", error_head(status), json_string(why));
}

std::string standby_json(const Standing& standing) {
    const std::string why =
        standing.leader.empty()
            ? "this is a standby and nobody leads now: nothing is decided"
            : "this is a standby: " + standing.leader + " leads and knows the gangs";
    return fmt::format(
        R"({{{},"error":{},"from":"standby","leader":{}}})",
        error_head(503),
        json_string(why),
        json_string(standing.leader));
}

}  // namespace gang::app
