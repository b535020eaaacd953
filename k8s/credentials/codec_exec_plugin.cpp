#include "k8s/credentials/codec_exec_plugin.hpp"

#include "k8s/base/base64.hpp"
#include "k8s/credentials/kubeconfig_fields.hpp"
#include "k8s/json/json.hpp"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace k8s::kubeconfig {
namespace {

using Writer = rapidjson::Writer<rapidjson::StringBuffer>;

constexpr const char* version_v1 = "client.authentication.k8s.io/v1";
constexpr const char* version_v1beta1 = "client.authentication.k8s.io/v1beta1";
/// The name of the cluster's extension that plugins are given.
constexpr const char* extension_name = "client.authentication.k8s.io/exec";
/// Aliases may make much out of little. It is to fit into one variable of the environment.
constexpr int depth_max = 16;
constexpr std::size_t extension_max = 64 * 1024;

PluginInput read_input(const YAML::Node& exec, const std::string& version) {
    const std::string mode = text(exec, "interactiveMode");
    if (mode == "Never") return PluginInput::never;
    if (mode == "IfAvailable" || (mode.empty() && version == version_v1beta1)) {
        return PluginInput::if_available;
    }
    if (mode == "Always") return PluginInput::always;
    refuse(fmt::format(
        "user: exec: interactiveMode: found \"{}\", expected Never, IfAvailable or Always", mode));
}

YAML::Node list(const YAML::Node& map, const char* key) {
    const YAML::Node value = map[key];
    if (!value || value.IsNull()) return YAML::Node(YAML::NodeType::Sequence);
    if (!value.IsSequence()) refuse(fmt::format("user: exec: {}: expected a list", key));
    return value;
}

void read_variables(const YAML::Node& exec, ExecPlugin& into) {
    for (const auto& variable : list(exec, "env")) {
        if (!variable.IsMap()) refuse("user: exec: env: expected a list of name and value");
        only(variable, "user: exec: env", {"name", "value"});
        const std::string name = text(variable, "name");
        if (name.empty() || name.find_first_of(std::string("=\0", 2)) != std::string::npos) {
            refuse("user: exec: env: one has no name");
        }
        into.variables[name] = text(variable, "value");
    }
}

/// A plain scalar is what JSON would make of it; one in quotes is a string.
void write_scalar(const YAML::Node& node, Writer& writer) {
    bool truth = false;
    std::int64_t whole = 0;
    double number = 0;
    const bool is_plain = node.Tag() != "!";
    if (is_plain && YAML::convert<std::int64_t>::decode(node, whole)) {
        writer.Int64(whole);
    } else if (is_plain && YAML::convert<double>::decode(node, number)) {
        if (!writer.Double(number)) writer.String(node.Scalar());
    } else if (is_plain && YAML::convert<bool>::decode(node, truth)) {
        writer.Bool(truth);
    } else {
        writer.String(node.Scalar());
    }
}

struct Json {
    rapidjson::StringBuffer buffer;
    Writer writer{buffer};
};

void write_json(const YAML::Node& node, Json& into, int depth = 0) {
    if (depth > depth_max || into.buffer.GetSize() > extension_max) {
        refuse(fmt::format("cluster: extensions: {} is too large", extension_name));
    }
    Writer& writer = into.writer;
    if (node.IsMap()) {
        writer.StartObject();
        for (const auto& member : node) {
            writer.String(member.first.Scalar());
            write_json(member.second, into, depth + 1);
        }
        writer.EndObject();
    } else if (node.IsSequence()) {
        writer.StartArray();
        for (const auto& item : node) write_json(item, into, depth + 1);
        writer.EndArray();
    } else if (node.IsScalar()) {
        write_scalar(node, writer);
    } else {
        writer.Null();
    }
}

YAML::Node find_extension(const YAML::Node& cluster) {
    for (const auto& extension : list(cluster, "extensions")) {
        if (extension.IsMap() && text(extension, "name") == extension_name) {
            return extension["extension"];
        }
    }
    return YAML::Node(YAML::NodeType::Undefined);
}

void write_text(const YAML::Node& map, const char* key, Writer& writer) {
    const std::string value = text(map, key);
    if (value.empty()) return;
    writer.Key(key);
    writer.String(value);
}

void write_flag(const YAML::Node& map, const char* key, Writer& writer) {
    if (!flag(map, key)) return;
    writer.Key(key);
    writer.Bool(true);
}

}  // namespace

ExecPlugin read_exec(const YAML::Node& exec) {
    if (!exec.IsMap()) refuse("user: exec: expected a map");
    only(
        exec,
        "user: exec",
        {"apiVersion",
         "command",
         "args",
         "env",
         "installHint",
         "provideClusterInfo",
         "interactiveMode"});
    ExecPlugin plugin;
    plugin.command = text(exec, "command");
    if (plugin.command.empty()) refuse("user: exec: command is missing");
    plugin.api_version = text(exec, "apiVersion");
    if (plugin.api_version != version_v1 && plugin.api_version != version_v1beta1) {
        refuse(fmt::format(
            "user: exec: apiVersion: found \"{}\", expected {} or {}",
            plugin.api_version,
            version_v1,
            version_v1beta1));
    }
    for (const auto& argument : list(exec, "args")) {
        if (!argument.IsScalar()) refuse("user: exec: args: expected a list of strings");
        plugin.arguments.push_back(argument.Scalar());
    }
    read_variables(exec, plugin);
    plugin.install_hint = text(exec, "installHint");
    plugin.input = read_input(exec, plugin.api_version);
    return plugin;
}

std::string cluster_for_plugin(const YAML::Node& cluster, const std::string& ca_pem) {
    rapidjson::StringBuffer buffer;
    Writer writer(buffer);
    writer.StartObject();
    write_text(cluster, "server", writer);
    write_text(cluster, "tls-server-name", writer);
    write_flag(cluster, "insecure-skip-tls-verify", writer);
    if (!ca_pem.empty()) {
        writer.Key("certificate-authority-data");
        writer.String(base64_encode(ca_pem));
    }
    write_text(cluster, "proxy-url", writer);
    write_flag(cluster, "disable-compression", writer);
    const YAML::Node extension = find_extension(cluster);
    if (extension.IsDefined()) {
        Json config;
        write_json(extension, config);
        writer.Key("config");
        writer.RawValue(config.buffer.GetString(), config.buffer.GetSize(), rapidjson::kObjectType);
    }
    writer.EndObject();
    return buffer.GetString();
}

}  // namespace k8s::kubeconfig
