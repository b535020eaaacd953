#include "gang/app/base/json_text.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "gang/app/base/text.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace gang::app {
namespace {

// Text of other people may hold bytes that are no UTF-8; the transcoding writer replaces them by
// refusing, so every string goes through clean() first.
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using Value = rapidjson::Value;

constexpr std::size_t answer_max = 64 * 1024 * 1024;

std::size_t utf8_length(std::string_view rest) {
    const auto first = static_cast<unsigned char>(rest.front());
    const std::size_t length = first < 0x80             ? 1
                               : (first & 0xE0) == 0xC0 ? 2
                               : (first & 0xF0) == 0xE0 ? 3
                               : (first & 0xF8) == 0xF0 ? 4
                                                        : 0;
    if (length == 0 || length > rest.size() || first == 0xC0 || first == 0xC1 || first > 0xF4) {
        return 0;
    }
    for (std::size_t i = 1; i < length; ++i) {
        if ((static_cast<unsigned char>(rest[i]) & 0xC0U) != 0x80U) {
            return 0;
        }
    }
    return length;
}

std::string clean(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    while (!text.empty()) {
        const std::size_t length = utf8_length(text);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
            text.remove_prefix(1);
        } else {
            out += text.substr(0, length);
            text.remove_prefix(length);
        }
    }
    return out;
}

void put(Writer& w, const char* key, std::string_view text) {
    const std::string value = clean(text);
    w.Key(key);
    w.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
}

void put(Writer& w, const char* key, std::int64_t number) {
    w.Key(key);
    w.Int64(number);
}

void put_resources(Writer& w, const char* key, const core::Resources& resources) {
    w.Key(key);
    w.StartObject();
    put(w, "cpuMilli", resources.cpu_milli);
    put(w, "memoryBytes", resources.memory_bytes);
    put(w, "ephemeralStorageBytes", resources.ephemeral_bytes);
    w.Key("extended");
    w.StartObject();
    for (const auto& [name, amount] : resources.extended) {
        if (!core::is_exclusive(name) && !core::is_gpu_wish(name) && !core::is_card_ask(name))
            put(w, clean(name).c_str(), amount);
    }
    w.EndObject();
    w.EndObject();
}

void put_gang_members(Writer& w, const GangView& gang) {
    put(w, "namespace", gang.namespace_name);
    put(w, "driver", gang.driver);
    put(w, "driverUid", gang.driver_uid);
    put(w, "application", gang.application);
    put(w, "applicationName", gang.app_name);
    put(w, "queue", gang.queue);
    put(w, "state", to_string(gang.state));
    put(w, "code", gang.code == ReasonCode::none ? "" : to_string(gang.code));
    put(w, "position", std::int64_t{gang.position});
    if (gang.executors == executors_unknown) {
        w.Key("executors");
        w.Null();
    } else {
        put(w, "executors", std::int64_t{gang.executors});
    }
    put(w, "slotsOpen", std::int64_t{gang.slots_open});
    put(w, "slotsClaimed", std::int64_t{gang.slots_assumed});
    put(w, "slotsBound", std::int64_t{gang.slots_bound});
    put_resources(w, "needs", gang.needs);
    put(w, "waitingSinceMs", gang.waiting_since_ms);
    put(w, "expectedStartMs", gang.start_ms);
    put(w, "expectedStartSpreadMs", gang.start_spread_ms);
    put(w, "plannedStartMs", gang.planned_ms);
    put(w, "expectedEndMs", gang.end_ms);
    w.Key("overdue");
    w.Bool(gang.is_overdue);
    put(w, "passedBy", std::int64_t{gang.bypasses});
    put(w, "message", gang.message);
}

constexpr std::array<std::pair<const char*, std::int64_t Milestones::*>, 6> milestone_keys = {{
    {"sizedMs", &Milestones::sized_ms},
    {"admittedMs", &Milestones::admitted_ms},
    {"driverBoundMs", &Milestones::driver_bound_ms},
    {"firstExecutorBoundMs", &Milestones::first_executor_ms},
    {"allExecutorsBoundMs", &Milestones::all_executors_ms},
    {"endedMs", &Milestones::ended_ms},
}};

void put_milestones(Writer& w, const Milestones& milestones) {
    w.Key("milestones");
    w.StartObject();
    for (const auto& [key, member] : milestone_keys) {
        put(w, key, milestones.*member);
    }
    put(w, "executorsBound", std::int64_t{milestones.executors_bound});
    w.EndObject();
}

std::string_view text_at(const Value& object, const char* key) {
    const auto it = object.FindMember(key);
    if (it == object.MemberEnd() || !it->value.IsString()) {
        return {};
    }
    return {it->value.GetString(), it->value.GetStringLength()};
}

std::int64_t number_at(const Value& object, const char* key) {
    const auto it = object.FindMember(key);
    return it != object.MemberEnd() && it->value.IsInt64() ? it->value.GetInt64() : 0;
}

std::int32_t small_at(const Value& object, const char* key) {
    const auto it = object.FindMember(key);
    return it != object.MemberEnd() && it->value.IsInt() ? it->value.GetInt() : 0;
}

core::Resources resources_at(const Value& object, const char* key) {
    core::Resources out;
    const auto it = object.FindMember(key);
    if (it == object.MemberEnd() || !it->value.IsObject()) {
        return out;
    }
    out.cpu_milli = number_at(it->value, "cpuMilli");
    out.memory_bytes = number_at(it->value, "memoryBytes");
    out.ephemeral_bytes = number_at(it->value, "ephemeralStorageBytes");
    const auto extended = it->value.FindMember("extended");
    if (extended != it->value.MemberEnd() && extended->value.IsObject()) {
        for (const auto& member : extended->value.GetObject()) {
            if (member.value.IsInt64()) {
                out.extended.push_back(
                    core::ExtendedResource{member.name.GetString(), member.value.GetInt64()});
            }
        }
    }
    return out;
}

Milestones milestones_at(const Value& object) {
    Milestones out;
    const auto it = object.FindMember("milestones");
    if (it == object.MemberEnd() || !it->value.IsObject()) {
        return out;
    }
    for (const auto& [key, member] : milestone_keys) {
        out.*member = number_at(it->value, key);
    }
    out.executors_bound = small_at(it->value, "executorsBound");
    return out;
}

GangView gang_from(const Value& object) {
    GangView gang;
    gang.namespace_name = text_at(object, "namespace");
    gang.driver = text_at(object, "driver");
    gang.driver_uid = text_at(object, "driverUid");
    gang.application = text_at(object, "application");
    gang.app_name = text_at(object, "applicationName");
    gang.queue = text_at(object, "queue");
    gang.state = find_gang_state(text_at(object, "state")).value_or(GangState::waiting);
    gang.code = find_reason_code(text_at(object, "code")).value_or(ReasonCode::none);
    gang.position = small_at(object, "position");
    const auto executors = object.FindMember("executors");
    const bool unknown = executors == object.MemberEnd() || executors->value.IsNull();
    gang.executors = unknown ? executors_unknown : small_at(object, "executors");
    gang.slots_open = small_at(object, "slotsOpen");
    gang.slots_assumed = small_at(object, "slotsClaimed");
    gang.slots_bound = small_at(object, "slotsBound");
    gang.needs = resources_at(object, "needs");
    gang.waiting_since_ms = number_at(object, "waitingSinceMs");
    gang.start_ms = number_at(object, "expectedStartMs");
    gang.start_spread_ms = number_at(object, "expectedStartSpreadMs");
    gang.planned_ms = number_at(object, "plannedStartMs");
    gang.end_ms = number_at(object, "expectedEndMs");
    const auto overdue = object.FindMember("overdue");
    gang.is_overdue = overdue != object.MemberEnd() && overdue->value.IsTrue();
    gang.bypasses = small_at(object, "passedBy");
    gang.message = text_at(object, "message");
    return gang;
}

core::Result<core::Done> parse(std::string_view json, rapidjson::Document& into) {
    if (json.size() > answer_max) {
        return core::Error{"the answer is too large"};
    }
    into.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (into.HasParseError() || !into.IsObject()) {
        return core::Error{"the answer is not a JSON object"};
    }
    return core::Done{};
}

std::string text_of(const rapidjson::StringBuffer& buffer) {
    return {buffer.GetString(), buffer.GetSize()};
}

/// Only a daemon leads, or does not.
void put_standing(Writer& w, std::string_view source, const Standing& standing) {
    if (source != "daemon") {
        return;
    }
    w.Key("leading");
    w.Bool(standing.leads);
    put(w, "leader", standing.leader);
}

/// Of a daemon that does not say it: it leads.
Standing standing_at(const Value& object) {
    const auto leads = object.FindMember("leading");
    return {
        leads == object.MemberEnd() || !leads->value.IsFalse(),
        std::string(text_at(object, "leader"))};
}

void put_explanation_members(Writer& w, const Explanation& explanation) {
    put_gang_members(w, explanation.gang);
    put_milestones(w, explanation.milestones);
    w.Key("isExecutor");
    w.Bool(explanation.is_executor);
    put_resources(w, "driverRequests", explanation.driver);
    put_resources(w, "executorRequests", explanation.executor);
    w.Key("slotsPerNode");
    w.StartObject();
    for (const auto& [node, count] : explanation.slots_per_node) {
        put(w, clean(node).c_str(), std::int64_t{count});
    }
    w.EndObject();
    w.Key("notes");
    w.StartArray();
    for (const std::string& note : explanation.notes) {
        const std::string shown = clean(note);
        w.String(shown.data(), static_cast<rapidjson::SizeType>(shown.size()));
    }
    w.EndArray();
}

}  // namespace

std::string json_string(std::string_view text) {
    const std::string value = clean(text);
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    w.String(value.data(), static_cast<rapidjson::SizeType>(value.size()));
    return text_of(buffer);
}

std::string json_strings(const std::vector<std::string>& texts) {
    std::string out = "[";
    for (const std::string& text : texts) {
        out += (out.size() > 1 ? "," : "") + json_string(text);
    }
    return out + "]";
}

std::string to_json(const GangView& gang) {
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    w.StartObject();
    put_gang_members(w, gang);
    w.EndObject();
    return text_of(buffer);
}

std::string to_json(const GangList& list) {
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    w.StartObject();
    put(w, "source", list.source);
    put(w, "server", list.server);
    put_standing(w, list.source, list.standing);
    w.Key("gangs");
    w.StartArray();
    for (const GangView& gang : list.gangs) {
        w.StartObject();
        put_gang_members(w, gang);
        w.EndObject();
    }
    w.EndArray();
    w.EndObject();
    return text_of(buffer);
}

core::Result<GangList> gang_list_from_json(std::string_view json) {
    rapidjson::Document document;
    if (const auto parsed = parse(json, document); !parsed) {
        return parsed.error();
    }
    GangList list{
        std::string(text_at(document, "source")),
        std::string(text_at(document, "server")),
        {},
        standing_at(document)};
    const auto gangs = document.FindMember("gangs");
    if (gangs == document.MemberEnd() || !gangs->value.IsArray()) {
        return core::Error{"the answer has no list of gangs"};
    }
    for (const Value& object : gangs->value.GetArray()) {
        if (object.IsObject()) {
            list.gangs.push_back(gang_from(object));
        }
    }
    return list;
}

std::string to_json(const Answer& answer) {
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    w.StartObject();
    put(w, "source", answer.source);
    put(w, "server", answer.server);
    put_standing(w, answer.source, answer.standing);
    put_explanation_members(w, answer.explanation);
    w.EndObject();
    return text_of(buffer);
}

std::string to_json(const Explanation& explanation) {
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    w.StartObject();
    put_explanation_members(w, explanation);
    w.EndObject();
    return text_of(buffer);
}

core::Result<Answer> answer_from_json(std::string_view json) {
    rapidjson::Document document;
    if (const auto parsed = parse(json, document); !parsed) {
        return parsed.error();
    }
    // In the API's answer it is one member of several.
    const auto within = document.FindMember("gang");
    const bool is_within = within != document.MemberEnd() && within->value.IsObject();
    const Value& gang = is_within ? within->value : document;
    if (text_at(gang, "driver").empty()) {
        return core::Error{"the answer names no pod"};
    }
    Explanation explanation;
    explanation.gang = gang_from(gang);
    explanation.milestones = milestones_at(gang);
    const auto executor = gang.FindMember("isExecutor");
    explanation.is_executor = executor != gang.MemberEnd() && executor->value.IsTrue();
    explanation.driver = resources_at(gang, "driverRequests");
    explanation.executor = resources_at(gang, "executorRequests");
    const auto slots = gang.FindMember("slotsPerNode");
    if (slots != gang.MemberEnd() && slots->value.IsObject()) {
        for (const auto& member : slots->value.GetObject()) {
            if (member.value.IsInt()) {
                explanation.slots_per_node.emplace_back(
                    member.name.GetString(), member.value.GetInt());
            }
        }
    }
    const auto notes = gang.FindMember("notes");
    if (notes != gang.MemberEnd() && notes->value.IsArray()) {
        for (const Value& note : notes->value.GetArray()) {
            if (note.IsString()) {
                explanation.notes.emplace_back(note.GetString(), note.GetStringLength());
            }
        }
    }
    return Answer{
        std::string(text_at(document, "source")),
        std::string(text_at(document, "server")),
        std::move(explanation),
        standing_at(document)};
}

}  // namespace gang::app
