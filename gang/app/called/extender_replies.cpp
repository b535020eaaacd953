#include "gang/app/called/extender_replies.hpp"

#include "gang/app/base/json_text.hpp"
#include "k8s/codec/codec_status.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>

namespace gang::app {
namespace {

namespace json = rapidjson;

constexpr std::size_t said_max = 256;

bool is_name(std::string_view key, std::string_view name) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::equal(key.begin(), key.end(), name.begin(), name.end(), [&](char a, char b) {
        return lower(a) == lower(b);
    });
}

/// The member in whatever case; nullptr: it is missing or null.
const json::Value* member(const json::Value& object, std::string_view name) {
    if (!object.IsObject()) {
        return nullptr;
    }
    for (const auto& one : object.GetObject()) {
        const std::string_view key(one.name.GetString(), one.name.GetStringLength());
        if (is_name(key, name)) {
            return one.value.IsNull() ? nullptr : &one.value;
        }
    }
    return nullptr;
}

std::string text_of(const json::Value* value) {
    return value != nullptr && value->IsString()
               ? std::string(value->GetString(), value->GetStringLength())
               : std::string();
}

core::Result<core::Done> parse(const std::string& body, json::Document& into) {
    into.Parse<json::kParseIterativeFlag | json::kParseValidateEncodingFlag>(
        body.data(), body.size());
    if (into.HasParseError()) {
        return core::Error{fmt::format(
            "its answer is no JSON: {} (at byte {})",
            json::GetParseError_En(into.GetParseError()),
            into.GetErrorOffset())};
    }
    return core::Done{};
}

core::Result<std::vector<std::string>> names_in(const json::Value& result, bool by_name) {
    std::vector<std::string> names;
    const json::Value* const list = member(result, by_name ? "NodeNames" : "Nodes");
    if (list == nullptr) {
        return names;
    }
    if (by_name) {
        if (!list->IsArray()) {
            return core::Error{"NodeNames in its answer is no list"};
        }
        for (const json::Value& one : list->GetArray()) {
            names.push_back(text_of(&one));
        }
        return names;
    }
    const json::Value* const items = member(*list, "items");
    if (items != nullptr && !items->IsArray()) {
        return core::Error{"Nodes in its answer has no list of items"};
    }
    for (json::SizeType i = 0; items != nullptr && i < items->Size(); ++i) {
        const json::Value* const metadata = member((*items)[i], "metadata");
        names.push_back(metadata == nullptr ? "" : text_of(member(*metadata, "name")));
    }
    return names;
}

std::string first_refusal(const json::Value& result) {
    for (const char* key : {"FailedAndUnresolvableNodes", "FailedNodes"}) {
        const json::Value* const failed = member(result, key);
        if (failed != nullptr && failed->IsObject() && failed->MemberCount() > 0) {
            const auto& first = *failed->MemberBegin();
            return k8s::one_line(text_of(&first.name) + ": " + text_of(&first.value), said_max);
        }
    }
    return {};
}

}  // namespace

std::string extender_args(
    std::string_view pod,
    const std::vector<std::string>& nodes,
    const std::vector<std::string_view>* objects) {
    std::string out = "{\"Pod\":" + std::string(pod);
    if (objects == nullptr) {
        return out + ",\"Nodes\":null,\"NodeNames\":" + json_strings(nodes) + "}";
    }
    out += ",\"Nodes\":{\"metadata\":{},\"items\":[";
    for (std::size_t i = 0; i < objects->size(); ++i) {
        out += i > 0 ? "," : "";
        out += (*objects)[i];
    }
    return out + "]},\"NodeNames\":null}";
}

std::string pod_to_come(const AskExtenders& question) {
    const core::Resources& asked = question.requests;
    std::string extended;
    for (const core::ExtendedResource& one : asked.extended) {
        if (one.name.find('/') != std::string::npos && one.name.find(' ') == std::string::npos) {
            extended += fmt::format(",{}:\"{}\"", json_string(one.name), one.amount);
        }
    }
    const std::string limits = extended.empty() ? "" : extended.substr(1);
    return fmt::format(
        "{{\"metadata\":{{\"name\":{},\"namespace\":{},\"ownerReferences\":[{{\"apiVersion\":\"v1\","
        "\"kind\":\"Pod\",\"name\":{},\"uid\":{},\"controller\":true}}]}},"
        "\"spec\":{{\"schedulerName\":{},\"containers\":[{{\"name\":\"executor\",\"resources\":{{"
        "\"requests\":{{\"cpu\":\"{}m\",\"memory\":\"{}\"{}}},\"limits\":{{{}}}}}}}]}},"
        "\"status\":{{}}}}",
        json_string(question.pod.name + "-executor"),
        json_string(question.pod.namespace_name),
        json_string(question.pod.name),
        json_string(question.pod.uid),
        json_string(question.scheduler_name),
        asked.cpu_milli,
        asked.memory_bytes,
        extended,
        limits);
}

core::Result<FilterReply> read_filter_reply(
    const std::string& body, const std::vector<std::string>& asked, bool by_name) {
    json::Document result;
    if (const auto parsed = parse(body, result); !parsed) {
        return parsed.error();
    }
    if (!result.IsObject()) {
        return core::Error{"its answer is no ExtenderFilterResult"};
    }
    if (const std::string error = text_of(member(result, "Error")); !error.empty()) {
        return core::Error{k8s::one_line(error, said_max)};
    }
    const auto names = names_in(result, by_name);
    if (!names) {
        return names.error();
    }
    const std::set<std::string_view> passed(names->begin(), names->end());
    FilterReply reply;
    for (const std::string& name : asked) {
        if (passed.contains(name)) {
            reply.nodes.push_back(name);
        }
    }
    if (reply.nodes.size() != passed.size()) {
        const std::set<std::string_view> known(asked.begin(), asked.end());
        const auto stray = std::find_if(passed.begin(), passed.end(), [&](std::string_view name) {
            return !known.contains(name);
        });
        return core::Error{
            "it names node " + k8s::one_line(json_string(*stray), said_max) +
            ", which it was not asked about"};
    }
    reply.refusal = first_refusal(result);
    return reply;
}

core::Result<PriorityReply> read_priorities(
    const std::string& body, const std::vector<std::string>& asked) {
    json::Document list;
    if (const auto parsed = parse(body, list); !parsed) {
        return parsed.error();
    }
    if (!list.IsArray()) {
        return core::Error{"its answer is no HostPriorityList"};
    }
    const std::set<std::string_view> known(asked.begin(), asked.end());
    PriorityReply reply;
    for (const json::Value& one : list.GetArray()) {
        const std::string host = text_of(member(one, "Host"));
        const json::Value* const score = member(one, "Score");
        if (!known.contains(host) || score == nullptr || !score->IsInt64()) {
            reply.warning = "a score of its answer is of no node that it was asked about, or no "
                            "whole number";
            continue;
        }
        const std::int64_t said = score->GetInt64();
        const std::int64_t taken = std::clamp<std::int64_t>(said, 0, extender_score_max);
        if (taken != said) {
            reply.warning = fmt::format("score {} of node {} counts as {}", said, host, taken);
        }
        reply.scores.emplace_back(host, taken);
    }
    return reply;
}

}  // namespace gang::app
