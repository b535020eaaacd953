#include "gang/declare/yunikorn/task_groups.hpp"

#include "gang/declare/spark/labels.hpp"
#include "gang/declare/spark/text.hpp"
#include "gang/declare/taint_effects.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace gang::yunikorn {
namespace {

constexpr std::string_view heading = "task groups\n";
constexpr std::int64_t timeout_s_standard = 15 * 60;
constexpr std::int64_t timeout_s_max = 100'000'000;
/// More pods than any gang may have; what a gang may have is said elsewhere.
constexpr std::int64_t members_max = 1'000'000'000;
/// As the codec has it; somebody may have written the lines himself.
constexpr std::size_t groups_max = 100;
constexpr std::size_t application_length_max = 253;

/// Parts between separators, empty ones too.
std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin <= text.size();) {
        const std::size_t end = std::min(text.find(separator, begin), text.size());
        parts.push_back(text.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
    std::int64_t value = 0;
    const char* const end = text.data() + text.size();
    const auto [read, error] = std::from_chars(text.data(), end, value);
    return error == std::errc{} && read == end && !text.empty() ? std::optional(value)
                                                               : std::nullopt;
}

class Reader {
public:
    TaskGroups read(std::string_view lines) {
        if (!lines.starts_with(heading)) {
            return {{}, "expected a JSON list of task groups"};
        }
        lines.remove_prefix(heading.size());
        for (const std::string_view line : split(lines, '\n')) {
            if (out_.problem.empty() && !line.empty()) {
                read_line(line);
            }
        }
        if (out_.problem.empty() && out_.groups.empty()) {
            out_.problem = "the list has no task group";
        }
        if (!out_.problem.empty()) {
            out_.groups.clear();
        }
        return std::move(out_);
    }

private:
    void read_line(std::string_view line) {
        const std::string_view word = line.substr(0, line.find(' '));
        const std::string_view rest = line.substr(std::min(word.size() + 1, line.size()));
        const auto words = split(rest, ' ');
        if (word == "error") {
            out_.problem = rest;
        } else if (word == "group" && words.size() == 2) {
            begin_group(words[0], words[1]);
        } else if (out_.groups.empty()) {
            out_.problem = "expected a JSON list of task groups";
        } else if (word == "request" && words.size() == 2) {
            const auto set = core::set_resource(group().requests, words[0], words[1]);
            out_.problem = set ? std::string() : set.error().message;
        } else if (word == "select" && words.size() == 2) {
            select(words[0], words[1]);
        } else if (word == "tolerate" && words.size() == 4) {
            tolerate(words);
        } else if (word == "unread") {
            group().unread.emplace_back(rest);
        } else {
            out_.problem = "expected a JSON list of task groups";
        }
    }

    TaskGroup& group() { return out_.groups.back(); }

    void begin_group(std::string_view name, std::string_view members) {
        const auto count = whole_number(members);
        const auto is_same = [name](const TaskGroup& other) { return other.name == name; };
        if (name.empty()) {
            out_.problem = "a task group has no name";
        } else if (out_.groups.size() == groups_max) {
            out_.problem = "more than " + std::to_string(groups_max) + " task groups";
        } else if (std::any_of(out_.groups.begin(), out_.groups.end(), is_same)) {
            out_.problem = "two task groups have the name " + spark::quoted(name);
        } else if (!count || *count < 1 || *count > members_max) {
            out_.problem = "minMember of task group " + spark::quoted(name) + " is " +
                           std::string(members) + ": a number of pods from 1 on is wanted";
        } else {
            out_.groups.push_back({std::string(name), *count, {}, {}, {}});
        }
    }

    void select(std::string_view key, std::string_view value) {
        if (!spark::is_label_key(key) || !spark::is_label_value(value)) {
            out_.problem = "nodeSelector of task group " + spark::quoted(group().name) +
                           " has no label of a node: " + spark::quoted(key);
            return;
        }
        group().constraints.node_selector.emplace_back(key, value);
    }

    void tolerate(const std::vector<std::string_view>& words) {
        core::Toleration toleration;
        toleration.key = words[0];
        toleration.exists = words[1] == "Exists";
        toleration.value = words[2];
        toleration.any_effect = words[3].empty();
        const auto* const effect =
            std::find_if(taint_effects.begin(), taint_effects.end(), [&words](const auto& one) {
                return one.first == words[3];
            });
        const bool is_operator = toleration.exists || words[1] == "Equal" || words[1].empty();
        if (!is_operator || (effect == taint_effects.end() && !toleration.any_effect)) {
            out_.problem = "a toleration of task group " + spark::quoted(group().name) +
                           " has an operator or effect that is none";
            return;
        }
        if (effect != taint_effects.end()) {
            toleration.effect = effect->second;
        }
        group().constraints.tolerations.push_back(std::move(toleration));
    }

    TaskGroups out_;
};

}  // namespace

TaskGroups read_task_groups(std::string_view lines) {
    TaskGroups said = Reader().read(lines);
    for (TaskGroup& group : said.groups) {
        auto& selector = group.constraints.node_selector;
        std::sort(selector.begin(), selector.end());
    }
    return said;
}

Style read_style(std::string_view parameters) {
    Style style;
    bool is_soft = false;
    std::int64_t timeout_s = timeout_s_standard;
    for (const std::string_view part : split(parameters, ' ')) {
        const std::size_t equals = std::min(part.find('='), part.size());
        const std::string_view key = part.substr(0, equals);
        const std::string_view value = part.substr(std::min(equals + 1, part.size()));
        const auto seconds = whole_number(value);
        bool is_understood = part.empty();
        if (key == "placeholderTimeoutInSeconds" && seconds && *seconds > 0 &&
            *seconds <= timeout_s_max) {
            timeout_s = *seconds;
            is_understood = true;
        } else if (key == "gangSchedulingStyle" && (value == "Hard" || value == "Soft")) {
            is_soft = value == "Soft";
            is_understood = true;
        }
        if (!is_understood && style.warning.empty()) {
            style.warning = "annotation " + std::string(parameters_key) + ": " +
                            spark::quoted(part) +
                            " is neither placeholderTimeoutInSeconds=SECONDS nor "
                            "gangSchedulingStyle=Hard or Soft, and is ignored";
        }
    }
    style.soft_after_ms = is_soft ? timeout_s * 1000 : 0;
    return style;
}

const std::string* find_task_groups(const core::Pod& pod) {
    return core::find_value(pod.annotations, task_groups_key);
}

const std::string& task_group_of(const core::Pod& pod) {
    static const std::string none;
    const std::string* name = core::find_value(pod.annotations, task_group_key);
    return name == nullptr ? none : *name;
}

Style style_of(const core::Pod& pod) {
    const std::string* parameters = core::find_value(pod.annotations, parameters_key);
    return parameters == nullptr ? Style{} : read_style(*parameters);
}

const std::string& application_of(const core::Pod& pod) {
    static const std::string none;
    for (const std::string_view key :
         {std::string_view("yunikorn.apache.org/app-id"), std::string_view("applicationId")}) {
        for (const core::StringMap* map : {&pod.labels, &pod.annotations}) {
            const std::string* const id = core::find_value(*map, key);
            if (id != nullptr && !id->empty() && id->size() <= application_length_max) {
                return *id;
            }
        }
    }
    return none;
}

std::vector<std::string> unread_fields(const TaskGroups& said) {
    std::vector<std::string> sentences;
    for (const TaskGroup& group : said.groups) {
        for (const std::string& field : group.unread) {
            sentences.push_back(
                "annotation " + std::string(task_groups_key) + ": " + field + " of task group " +
                spark::quoted(group.name) +
                " is not read; that of the pods counts once they are there");
        }
    }
    return sentences;
}

}  // namespace gang::yunikorn
