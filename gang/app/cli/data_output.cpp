#include "gang/app/cli/data_output.hpp"

#include "gang/app/output/json_path.hpp"
#include "k8s/json/json.hpp"

#include <yaml-cpp/emitter.h>
#include <yaml-cpp/emittermanip.h>

#include <algorithm>
#include <cctype>
#include <ostream>
#include <set>

namespace gang::app {
namespace {

/// What begins with a letter is no number and no time; the emitter quotes what has marks of YAML.
bool needs_quotes(const std::string& text) {
    static const std::set<std::string> words = {
        "true", "false", "yes", "no", "on", "off", "y", "n", "null"};
    std::string small = text;
    std::transform(small.begin(), small.end(), small.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return small.empty() || small.front() < 'a' || small.front() > 'z' || words.contains(small);
}

void emit_text(YAML::Emitter& out, const rapidjson::Value& value) {
    const std::string text(value.GetString(), value.GetStringLength());
    if (needs_quotes(text)) {
        out << YAML::DoubleQuoted;
    }
    out << text;
}

void emit(YAML::Emitter& out, const rapidjson::Value& value) {
    if (value.IsObject()) {
        out << (value.ObjectEmpty() ? YAML::Flow : YAML::Block) << YAML::BeginMap;
        for (const auto& member : value.GetObject()) {
            out << YAML::Key;
            emit_text(out, member.name);
            out << YAML::Value;
            emit(out, member.value);
        }
        out << YAML::EndMap;
    } else if (value.IsArray()) {
        out << (value.Empty() ? YAML::Flow : YAML::Block) << YAML::BeginSeq;
        for (const auto& item : value.GetArray()) {
            emit(out, item);
        }
        out << YAML::EndSeq;
    } else if (value.IsString()) {
        emit_text(out, value);
    } else if (value.IsBool()) {
        out << value.GetBool();
    } else if (value.IsInt64()) {
        out << value.GetInt64();
    } else if (value.IsUint64()) {
        out << value.GetUint64();
    } else if (value.IsNumber()) {
        out << value.GetDouble();
    } else {
        out << YAML::Null;
    }
}

}  // namespace

std::string yaml_from_json(std::string_view json) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.data(), json.size());
    if (document.HasParseError()) {
        return std::string(json);
    }
    YAML::Emitter out;
    emit(out, document);
    return out.c_str();
}

bool print_data(
    const CommandLine& line, std::ostream& out, const std::function<std::string()>& make_json) {
    if (line.wants_json()) {
        out << make_json() << '\n';
    } else if (line.wants_yaml()) {
        out << yaml_from_json(make_json()) << '\n';
    } else if (const auto text = line.json_path()) {
        // The template was read when the flags were.
        const auto path = JsonPath::parse(*text);
        const auto shown = path ? path->apply(make_json()) : core::Result<std::string>(path.error());
        out << (shown ? *shown : std::string());
    } else {
        return false;
    }
    return true;
}

}  // namespace gang::app
