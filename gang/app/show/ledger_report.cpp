#include "gang/app/show/ledger_report.hpp"

#include "core/value/exclusive.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/text.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace gang::app {
namespace {

using rapidjson::Value;

std::string amounts(const core::Resources& resources, std::int64_t pods) {
    std::string out = fmt::format(
        "{{\"cpuMilli\":{},\"memoryBytes\":{},\"ephemeralStorageBytes\":{},\"pods\":{}",
        resources.cpu_milli,
        resources.memory_bytes,
        resources.ephemeral_bytes,
        pods);
    out += ",\"extended\":{";
    std::string_view separator;
    for (const core::ExtendedResource& entry : core::without_exclusives(resources).extended) {
        out += fmt::format("{}{}:{}", separator, json_string(entry.name), entry.amount);
        separator = ",";
    }
    return out + "}}";
}

std::string unit_json(const HeldUnit& unit) {
    return fmt::format(
        R"({{"gang":{},"driverUid":{},"slot":{},"state":"{}","sinceMs":{},"requests":{}}})",
        json_string(unit.gang),
        json_string(unit.driver_uid),
        unit.slot,
        to_string(unit.state),
        unit.since_ms,
        amounts(unit.requests, 1));
}

std::string share_json(const BoundShare& share) {
    return fmt::format(
        R"({{"gang":{},"requests":{}}})",
        json_string(share.gang),
        amounts(share.requests, share.pods));
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

std::string card_json(const CardLedger& card) {
    return fmt::format(
        R"({{"id":{},"resource":{},"units":{},"free":{}}})",
        json_string(card.id),
        json_string(card.resource),
        card.units,
        card.free);
}

std::string drift_json(const Drift& drift) {
    return fmt::format(
        R"({{"kind":"{}","name":{},"uid":{},"detail":{}}})",
        describe(drift.kind),
        json_string(drift.name),
        json_string(drift.uid),
        json_string(drift.detail));
}

std::string consistency_json(const ConsistencyStatus& consistency) {
    return fmt::format(
        R"({{"runs":{},"failures":{},"running":{},"lastMs":{},"driftTotal":{},"problem":{},"drift":{}}})",
        consistency.runs,
        consistency.failures,
        consistency.is_running,
        consistency.last_ms,
        consistency.drift_total,
        json_string(consistency.problem),
        array(consistency.drift, drift_json));
}

bool agrees(const LedgerReport& report) {
    const bool adds_up = std::all_of(
        report.nodes.begin(), report.nodes.end(), [](const auto& node) { return node.adds_up; });
    return adds_up && (!report.consistency ||
                       (report.consistency->drift.empty() && report.consistency->problem.empty()));
}

// --- reading -------------------------------------------------------------------------------------

const Value* find(const Value& object, const char* key) {
    if (!object.IsObject()) {
        return nullptr;
    }
    const auto it = object.FindMember(key);
    return it == object.MemberEnd() ? nullptr : &it->value;
}

std::int64_t number(const Value& object, const char* key) {
    const Value* value = find(object, key);
    return value != nullptr && value->IsInt64() ? value->GetInt64() : 0;
}

std::string text(const Value& object, const char* key) {
    const Value* value = find(object, key);
    return value != nullptr && value->IsString()
               ? std::string(value->GetString(), value->GetStringLength())
               : std::string();
}

bool flag(const Value& object, const char* key) {
    const Value* value = find(object, key);
    return value != nullptr && value->IsTrue();
}

/// An answer that does not say is of a program that had no standbys.
Standing standing_of(const Value& answer) {
    const bool says_so = find(answer, "leading") != nullptr;
    return {!says_so || flag(answer, "leading"), text(answer, "leader")};
}

template <typename Visit>
void each(const Value& object, const char* key, Visit visit) {
    const Value* value = find(object, key);
    if (value == nullptr || !value->IsArray()) {
        return;
    }
    for (const Value& item : value->GetArray()) {
        visit(item);
    }
}

core::Resources resources_of(const Value& value) {
    core::Resources resources{number(value, "cpuMilli"), number(value, "memoryBytes"), 0, {}};
    if (const Value* extended = find(value, "extended"); extended && extended->IsObject()) {
        for (const auto& member : extended->GetObject()) {
            if (member.value.IsInt64()) {
                resources.extended.push_back({member.name.GetString(), member.value.GetInt64()});
            }
        }
    }
    return resources;
}

std::string amount_text(const Value& node, const char* key, bool has_pods = true) {
    const Value* value = find(node, key);
    if (value == nullptr) {
        return "-";
    }
    const core::Resources resources = resources_of(*value);
    return has_pods
               ? fmt::format("{}, {} pods", core::describe(resources), number(*value, "pods"))
               : core::describe(resources);
}

HeldUnit::State unit_state(std::string_view word) {
    for (const auto state :
         {HeldUnit::State::assumed, HeldUnit::State::leaving, HeldUnit::State::nominated}) {
        if (to_string(state) == word) {
            return state;
        }
    }
    return HeldUnit::State::open;
}

/// Amounts of one key, and how many pods they are of.
std::int64_t read_amounts(const Value& node, const char* key, core::Resources& into) {
    const Value* const value = find(node, key);
    if (value == nullptr) {
        return 0;
    }
    into = resources_of(*value);
    into.ephemeral_bytes = number(*value, "ephemeralStorageBytes");
    return number(*value, "pods");
}

NodeLedger node_of(const Value& value) {
    NodeLedger node;
    node.name = text(value, "name");
    node.pool = text(value, "pool");
    node.zone = text(value, "zone");
    node.state = text(value, "state");
    node.is_present = flag(value, "present");
    node.adds_up = flag(value, "addsUp");
    node.pods_allocatable = read_amounts(value, "allocatable", node.allocatable);
    node.pods_bound = read_amounts(value, "bound", node.bound);
    read_amounts(value, "held", node.held);
    node.pods_free = read_amounts(value, "free", node.free);
    each(value, "units", [&node](const Value& unit) {
        HeldUnit held;
        held.state = unit_state(text(unit, "state"));
        held.gang = text(unit, "gang");
        held.driver_uid = text(unit, "driverUid");
        held.slot = static_cast<std::int32_t>(number(unit, "slot"));
        held.since_ms = number(unit, "sinceMs");
        read_amounts(unit, "requests", held.requests);
        node.units.push_back(std::move(held));
    });
    each(value, "boundBy", [&node](const Value& share) {
        BoundShare bound{text(share, "gang"), 0, {}};
        bound.pods = read_amounts(share, "requests", bound.requests);
        node.bound_by.push_back(std::move(bound));
    });
    each(value, "cards", [&node](const Value& card) {
        node.cards.push_back(
            {text(card, "id"), text(card, "resource"), number(card, "units"), number(card, "free")});
    });
    return node;
}

std::string nodes_text(const Value& document) {
    std::vector<std::vector<std::string>> rows = {
        {"NODE", "ALLOCATABLE", "BOUND", "HELD", "FREE", "SUMS"}};
    each(document, "nodes", [&rows](const Value& node) {
        const bool present = flag(node, "present");
        rows.push_back(
            {text(node, "name"),
             present ? amount_text(node, "allocatable") : "(not there)",
             amount_text(node, "bound"),
             amount_text(node, "held"),
             present ? amount_text(node, "free") : "-",
             flag(node, "addsUp") ? "agree" : "DO NOT ADD UP"});
    });
    return format_table(rows);
}

std::string units_text(const Value& document, std::int64_t now_ms) {
    std::vector<std::vector<std::string>> rows = {{"NODE", "GANG", "SLOT", "STATE", "AGE"}};
    each(document, "nodes", [&rows, now_ms](const Value& node) {
        each(node, "units", [&](const Value& unit) {
            const std::int64_t slot = number(unit, "slot");
            const std::int64_t since_ms = number(unit, "sinceMs");
            rows.push_back(
                {text(node, "name"),
                 text(unit, "gang"),
                 slot < 0 ? "-" : std::to_string(slot),
                 text(unit, "state"),
                 since_ms == 0 ? "-" : format_age(std::max<std::int64_t>(0, now_ms - since_ms))});
        });
    });
    return rows.size() == 1 ? "no room is held\n" : format_table(rows);
}

/// Whose pods run there; empty: no gang's.
std::string shares_text(const Value& document) {
    std::vector<std::vector<std::string>> rows = {{"NODE", "BOUND FOR", "PODS", "REQUESTS"}};
    each(document, "nodes", [&rows](const Value& node) {
        std::int64_t of_gangs = 0;
        each(node, "boundBy", [&](const Value& share) {
            const Value* const requests = find(share, "requests");
            const std::int64_t pods = requests == nullptr ? 0 : number(*requests, "pods");
            of_gangs += pods;
            rows.push_back(
                {text(node, "name"),
                 text(share, "gang"),
                 std::to_string(pods),
                 amount_text(share, "requests", false)});
        });
        const Value* const bound = find(node, "bound");
        const std::int64_t others = (bound == nullptr ? 0 : number(*bound, "pods")) - of_gangs;
        if (others > 0 && find(node, "boundBy") != nullptr) {
            rows.push_back({text(node, "name"), "pods outside gangs", std::to_string(others), ""});
        }
    });
    return rows.size() == 1 ? std::string() : format_table(rows) + "\n";
}

/// Empty: no node says anything of its cards.
std::string cards_text(const Value& document) {
    std::vector<std::vector<std::string>> rows = {{"NODE", "CARD", "RESOURCE", "UNITS", "FREE"}};
    each(document, "nodes", [&rows](const Value& node) {
        each(node, "cards", [&](const Value& card) {
            rows.push_back(
                {text(node, "name"),
                 text(card, "id"),
                 text(card, "resource"),
                 std::to_string(number(card, "units")),
                 std::to_string(number(card, "free"))});
        });
    });
    return rows.size() == 1 ? std::string() : format_table(rows) + "\n";
}

std::string consistency_text(const Value& document, std::int64_t now_ms) {
    const Value* consistency = find(document, "audit");
    if (consistency == nullptr || !consistency->IsObject()) {
        return "no scheduler was asked: this is what one that starts now would hold\n";
    }
    if (number(*consistency, "runs") == 0) {
        return fmt::format("not audited yet: {}\n", text(*consistency, "problem"));
    }
    std::string out = fmt::format(
        "audited {} ago: ",
        format_age(std::max<std::int64_t>(0, now_ms - number(*consistency, "lastMs"))));
    std::vector<std::vector<std::string>> rows = {{"DRIFT", "NAME", "WHAT"}};
    each(*consistency, "drift", [&rows](const Value& drift) {
        rows.push_back({text(drift, "kind"), text(drift, "name"), text(drift, "detail")});
    });
    if (const std::string problem = text(*consistency, "problem"); !problem.empty()) {
        out = fmt::format("the last audit came to no verdict: {}\n", problem) + out;
    }
    return rows.size() == 1 ? out + "agrees with the API server\n"
                            : out + "drift\n" + format_table(rows);
}

}  // namespace

std::string to_json(const NodeLedger& node, Units units) {
    const auto count = static_cast<std::int64_t>(node.units.size());
    return fmt::format(
        R"({{"name":{},"pool":{},"zone":{},"state":{},"present":{},"addsUp":{},"allocatable":{},"bound":{},"held":{},"free":{}{}{}}})",
        json_string(node.name),
        json_string(node.pool),
        json_string(node.zone),
        json_string(node.state),
        node.is_present,
        node.adds_up,
        amounts(node.allocatable, node.pods_allocatable),
        amounts(node.bound, node.pods_bound),
        amounts(node.held, count),
        amounts(node.free, node.pods_free),
        node.cards.empty() || units == Units::left_out
            ? ""
            : ",\"cards\":" + array(node.cards, card_json),
        units == Units::listed ? ",\"units\":" + array(node.units, unit_json) +
                                     ",\"boundBy\":" + array(node.bound_by, share_json)
                               : "");
}

std::string to_json(const LedgerReport& report) {
    return fmt::format(
        R"({{"source":{},"server":{},"leading":{},"leader":{},"agrees":{},"audit":{},"nodes":{}}})",
        json_string(report.source),
        json_string(report.server),
        report.standing.leads,
        json_string(report.standing.leader),
        agrees(report),
        report.consistency ? consistency_json(*report.consistency) : "null",
        array(report.nodes, [](const NodeLedger& node) { return to_json(node, Units::listed); }));
}

core::Result<LedgerReport> ledger_from_json(const std::string& json) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError() || !document.IsObject() || find(document, "nodes") == nullptr) {
        return core::Error{"the answer is no ledger"};
    }
    LedgerReport report{text(document, "source"), text(document, "server"), {}, {}};
    // Without the word it is of a daemon that does not know it, or of no daemon.
    report.standing = standing_of(document);
    each(document, "nodes", [&report](const Value& node) {
        report.nodes.push_back(node_of(node));
    });
    return report;
}

core::Result<LedgerAnswer> read_ledger(const std::string& json, std::int64_t now_ms) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError() || !document.IsObject() || find(document, "nodes") == nullptr) {
        return core::Error{"the answer is no ledger"};
    }
    LedgerAnswer out;
    out.server = text(document, "server");
    out.standing = standing_of(document);
    out.agrees = flag(document, "agrees");
    if (const Value* consistency = find(document, "audit"); consistency != nullptr) {
        out.runs = static_cast<std::uint64_t>(number(*consistency, "runs"));
        out.failures = static_cast<std::uint64_t>(number(*consistency, "failures"));
        out.is_running = flag(*consistency, "running");
    }
    out.text = nodes_text(document) + "\n" + cards_text(document) + shares_text(document) +
               units_text(document, now_ms) + "\n" + consistency_text(document, now_ms);
    return out;
}

}  // namespace gang::app
