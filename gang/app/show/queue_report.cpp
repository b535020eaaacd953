#include "gang/app/show/queue_report.hpp"

#include "core/value/quantity.hpp"
#include "gang/app/base/text.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace gang::app {
namespace {

using Amounts = std::vector<core::ExtendedResource>;
using Writer = rapidjson::Writer<rapidjson::StringBuffer>;
using Value = rapidjson::Value;

void put(Writer& w, const char* key, std::string_view text) {
    w.Key(key);
    w.String(text.data(), static_cast<rapidjson::SizeType>(text.size()));
}

void put_amounts(Writer& w, const char* key, const Amounts& amounts) {
    w.Key(key);
    w.StartObject();
    for (const core::ExtendedResource& amount : amounts) {
        w.Key(amount.name == "cpu" ? "cpuMilli" : amount.name.c_str());
        w.Int64(amount.amount);
    }
    w.EndObject();
}

/// By their Kubernetes names, as limits are.
Amounts amounts_of(const core::Resources& resources) {
    Amounts amounts = resources.extended;
    const auto add = [&amounts](const char* name, std::int64_t amount) {
        if (amount != 0) amounts.push_back({name, amount});
    };
    add("cpu", resources.cpu_milli);
    add("memory", resources.memory_bytes);
    add("ephemeral-storage", resources.ephemeral_bytes);
    std::sort(amounts.begin(), amounts.end());
    return amounts;
}

/// A scheduler that has only listed has decided nothing: in what order who waits it cannot say.
bool knows_line(const QueueReport& report) {
    return report.source == "daemon";
}

void put_line(Writer& w, const QueueView* queue) {
    w.Key("waiting");
    queue == nullptr ? w.Null() : w.Int64(queue->waiting);
    w.Key("head");
    queue == nullptr
        ? w.Null()
        : w.String(queue->head.data(), static_cast<rapidjson::SizeType>(queue->head.size()));
    w.Key("headExpectedStartMs");
    queue == nullptr ? w.Null() : w.Int64(queue->head_start_ms);
}

void put_queue(Writer& w, const QueueView& queue, bool with_line) {
    w.StartObject();
    put(w, "name", queue.name);
    put(w, "parent", queue.parent);
    put(w, "object", queue.object);
    w.Key("leaf");
    w.Bool(queue.is_leaf);
    put(w, "state", queue.is_stopped ? "stopped" : "running");
    put(w, "order", config::name_of(queue.order));
    w.Key("weight");
    w.Int64(queue.weight);
    w.Key("shareMillionths");
    w.Int64(queue.share_millionths);
    w.Key("owedMillionths");
    w.Int64(queue.owed_millionths);
    w.Key("belowGuarantee");
    w.Bool(queue.is_below_guarantee);
    put_amounts(w, "usage", amounts_of(queue.usage));
    put_amounts(w, "guarantee", queue.guarantee);
    put_amounts(w, "limit", queue.limit);
    put_amounts(w, "userLimit", queue.user_limit);
    w.Key("maxGangs");
    if (queue.max_gangs) {
        w.Int64(*queue.max_gangs);
    } else {
        w.Null();
    }
    w.Key("running");
    w.Int64(queue.running);
    put_line(w, with_line ? &queue : nullptr);
    w.EndObject();
}

std::string text_in(const Value& object, const char* key) {
    const auto it = object.FindMember(key);
    return it == object.MemberEnd() || !it->value.IsString()
               ? std::string()
               : std::string(it->value.GetString(), it->value.GetStringLength());
}

std::int64_t number_in(const Value& object, const char* key) {
    const auto it = object.FindMember(key);
    return it != object.MemberEnd() && it->value.IsInt64() ? it->value.GetInt64() : 0;
}

bool flag_in(const Value& object, const char* key, bool otherwise) {
    const auto it = object.FindMember(key);
    return it != object.MemberEnd() && it->value.IsBool() ? it->value.GetBool() : otherwise;
}

Amounts amounts_in(const Value& object, const char* key) {
    Amounts amounts;
    const auto it = object.FindMember(key);
    if (it == object.MemberEnd() || !it->value.IsObject()) {
        return amounts;
    }
    for (const auto& member : it->value.GetObject()) {
        if (member.value.IsInt64()) {
            const std::string name(member.name.GetString(), member.name.GetStringLength());
            amounts.push_back({name == "cpuMilli" ? "cpu" : name, member.value.GetInt64()});
        }
    }
    std::sort(amounts.begin(), amounts.end());
    return amounts;
}

core::Resources resources_in(const Value& object, const char* key) {
    core::Resources resources;
    for (core::ExtendedResource& amount : amounts_in(object, key)) {
        if (amount.name == "cpu") {
            resources.cpu_milli = amount.amount;
        } else if (amount.name == "memory") {
            resources.memory_bytes = amount.amount;
        } else if (amount.name == "ephemeral-storage") {
            resources.ephemeral_bytes = amount.amount;
        } else {
            resources.extended.push_back(std::move(amount));
        }
    }
    return resources;
}

/// "12.3% (below)", "12.3% (owed 0.5%)": what its turn goes by.
std::string share_text(const QueueView& queue) {
    const auto percent = [](std::int64_t millionths) {
        const std::int64_t size = std::abs(millionths);
        return fmt::format("{}{}.{}%", millionths < 0 ? "-" : "", size / 10'000, size / 1'000 % 10);
    };
    std::string text = percent(queue.share_millionths);
    if (queue.is_below_guarantee) {
        text += " (below)";
    } else if (std::abs(queue.owed_millionths) >= 1'000) {
        text += " (owed " + percent(queue.owed_millionths) + ")";
    }
    return text;
}

QueueView queue_from(const Value& object) {
    QueueView queue;
    queue.name = text_in(object, "name");
    queue.parent = text_in(object, "parent");
    queue.object = text_in(object, "object");
    queue.is_leaf = flag_in(object, "leaf", true);
    queue.is_stopped = text_in(object, "state") == "stopped";
    for (const auto order : {config::QueueOrder::priority, config::QueueOrder::fair}) {
        if (text_in(object, "order") == config::name_of(order)) queue.order = order;
    }
    queue.weight = number_in(object, "weight");
    queue.share_millionths = number_in(object, "shareMillionths");
    queue.owed_millionths = number_in(object, "owedMillionths");
    queue.is_below_guarantee = flag_in(object, "belowGuarantee", false);
    queue.usage = resources_in(object, "usage");
    queue.guarantee = amounts_in(object, "guarantee");
    queue.limit = amounts_in(object, "limit");
    queue.user_limit = amounts_in(object, "userLimit");
    const auto max_gangs = object.FindMember("maxGangs");
    if (max_gangs != object.MemberEnd() && max_gangs->value.IsInt64()) {
        queue.max_gangs = max_gangs->value.GetInt64();
    }
    queue.running = number_in(object, "running");
    queue.waiting = number_in(object, "waiting");
    queue.head = text_in(object, "head");
    queue.head_start_ms = number_in(object, "headExpectedStartMs");
    return queue;
}

std::string amounts_text(const Amounts& amounts) {
    std::string text;
    for (const auto& [name, amount] : amounts) {
        const std::string number = name == "cpu" ? core::format_cpu(amount)
                                   : name.find('/') == std::string::npos
                                       ? core::format_bytes_short(amount)
                                       : std::to_string(amount);
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", number, name);
    }
    return text.empty() ? "-" : text;
}

}  // namespace

std::string to_json(const QueueReport& report) {
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    w.StartObject();
    put(w, "source", report.source);
    put(w, "server", report.server);
    if (report.source == "daemon") {
        w.Key("leading");
        w.Bool(report.standing.leads);
        put(w, "leader", report.standing.leader);
    }
    w.Key("queues");
    w.StartArray();
    for (const QueueView& queue : report.queues) {
        put_queue(w, queue, knows_line(report));
    }
    w.EndArray();
    w.EndObject();
    return {buffer.GetString(), buffer.GetSize()};
}

std::string to_json(const QueueView& queue) {
    rapidjson::StringBuffer buffer;
    Writer w(buffer);
    put_queue(w, queue, true);
    return {buffer.GetString(), buffer.GetSize()};
}

core::Result<QueueReport> queue_report_from_json(std::string_view json) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError() || !document.IsObject()) {
        return core::Error{"the answer is not a JSON object"};
    }
    const auto queues = document.FindMember("queues");
    if (queues == document.MemberEnd() || !queues->value.IsArray()) {
        return core::Error{"the answer has no list of queues"};
    }
    QueueReport report{
        text_in(document, "source"),
        text_in(document, "server"),
        {},
        {flag_in(document, "leading", true), text_in(document, "leader")}};
    for (const Value& object : queues->value.GetArray()) {
        if (object.IsObject()) {
            report.queues.push_back(queue_from(object));
        }
    }
    return report;
}

std::string queues_table(const QueueReport& report) {
    std::vector<std::vector<std::string>> rows = {
        {"QUEUE", "WEIGHT", "SHARE", "USAGE", "GUARANTEE", "LIMIT", "RUNNING", "WAITING", "HEAD"}};
    const bool has_line = knows_line(report);
    for (const QueueView& queue : report.queues) {
        const auto depth =
            static_cast<std::size_t>(std::count(queue.name.begin(), queue.name.end(), '.'));
        const bool is_below_any = !queue.parent.empty();
        const std::string last =
            is_below_any ? queue.name.substr(queue.parent.size() + 1) : queue.name;
        rows.push_back(
            {std::string(is_below_any ? 2 * depth : 0, ' ') + last,
             std::to_string(queue.weight),
             share_text(queue),
             amounts_text(amounts_of(queue.usage)),
             amounts_text(queue.guarantee),
             amounts_text(queue.limit),
             queue.max_gangs ? fmt::format("{}/{}", queue.running, *queue.max_gangs)
                             : std::to_string(queue.running),
             has_line ? std::to_string(queue.waiting) : "?",
             !has_line            ? "?"
             : queue.head.empty() ? "-"
                                  : queue.head});
    }
    return format_table(rows);
}

}  // namespace gang::app
