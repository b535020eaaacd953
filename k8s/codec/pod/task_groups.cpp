#include "k8s/codec/pod/task_groups.hpp"

#include "core/value/constraints.hpp"
#include "core/value/resources.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/json/json_fields.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace k8s {
namespace {

using rapidjson::Value;

constexpr std::string_view heading = "task groups\n";
/// More is no gang's any more: a reservation holds seventeen kinds of pods.
constexpr std::size_t task_groups_max = 100;
constexpr std::size_t error_length_max = 200;

std::string error_line(std::string text) {
    text.resize(std::min(text.size(), error_length_max));
    std::replace_if(
        text.begin(), text.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    return std::string(heading) + "error " + text + "\n";
}

bool is_word(std::string_view text) {
    return std::none_of(
        text.begin(), text.end(), [](unsigned char c) { return c <= ' ' || c == 0x7f; });
}

class Writer {
public:
    /// Empty: all is written.
    std::string write(const Value& list) {
        if (list.Size() > task_groups_max) {
            return "more than " + std::to_string(task_groups_max) + " task groups";
        }
        for (const Value& group : list.GetArray()) {
            if (!group.IsObject()) {
                return "expected a list of objects";
            }
            write_group(group);
            if (!fields_.problem().empty()) {
                return fields_.problem();
            }
            if (!are_words_) {
                return "a blank or a control character in a name, a selector or a toleration";
            }
        }
        return {};
    }
    std::string take() { return std::move(text_); }

private:
    void write_group(const Value& group) {
        add({"group",
             fields_.text(group, "name"),
             std::to_string(fields_.integer(group, "minMember", 0))});
        const core::Resources size = fields_.quantities(group, "minResource");
        const auto request = [this](std::string name, std::int64_t amount, const char* unit) {
            if (amount > 0) add({"request", std::move(name), std::to_string(amount) + unit});
        };
        request("cpu", size.cpu_milli, "m");
        request("memory", size.memory_bytes, "");
        request("ephemeral-storage", size.ephemeral_bytes, "");
        for (const core::ExtendedResource& one : size.extended) {
            request(one.name, one.amount, "");
        }
        for (const auto& [key, value] : fields_.map(group, "nodeSelector")) {
            add({"select", key, value});
        }
        for (const Value& toleration : fields_.objects(group, "tolerations")) {
            add({"tolerate",
                 fields_.text(toleration, "key"),
                 fields_.text(toleration, "operator", "Equal"),
                 fields_.text(toleration, "value"),
                 fields_.text(toleration, "effect")});
        }
        for (const char* const field : {"affinity", "topologySpreadConstraints"}) {
            if (const Value* const found = find_member(group, field); found && !is_empty(*found)) {
                add({"unread", field});
            }
        }
    }

    static bool is_empty(const Value& value) {
        return (value.IsObject() && value.ObjectEmpty()) || (value.IsArray() && value.Empty());
    }

    void add(const std::vector<std::string>& words) {
        for (std::size_t i = 0; i < words.size(); ++i) {
            are_words_ = are_words_ && is_word(words[i]);
            text_ += (i == 0 ? "" : " ") + words[i];
        }
        text_ += '\n';
    }

    Fields fields_;
    bool are_words_ = true;
    std::string text_ = std::string(heading);
};

}  // namespace

std::string plain_task_groups(std::string json) {
    if (json.starts_with(heading)) {
        return json;
    }
    rapidjson::Document document;
    if (const auto parsed = parse_in_place(json, document); !parsed) {
        return error_line("it is no JSON: " + parsed.error().message);
    }
    if (!document.IsArray()) {
        return error_line("expected a JSON list of task groups");
    }
    Writer writer;
    const std::string problem = writer.write(document);
    return problem.empty() ? writer.take() : error_line(problem);
}

}  // namespace k8s
