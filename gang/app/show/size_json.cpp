#include "core/value/exclusive.hpp"
#include "core/value/quantity.hpp"
#include "gang/app/show/size_report.hpp"
#include "k8s/codec/pod/pod_spec.hpp"
#include "k8s/json/json.hpp"

namespace gang::app {
namespace {

using SizeWriter = rapidjson::Writer<rapidjson::StringBuffer>;

void member(SizeWriter& writer, const char* name, const std::string& text) {
    writer.Key(name);
    writer.String(text);
}

/// Left out when empty, as Kubernetes does.
void optional_member(SizeWriter& writer, const char* name, const std::string& text) {
    if (!text.empty()) {
        member(writer, name, text);
    }
}

void write_requests(SizeWriter& writer, const core::Resources& requests) {
    writer.Key("requests");
    writer.StartObject();
    member(writer, "cpu", core::format_cpu(requests.cpu_milli));
    member(writer, "memory", core::format_bytes(requests.memory_bytes));
    if (requests.ephemeral_bytes > 0) {
        member(writer, "ephemeral-storage", core::format_bytes(requests.ephemeral_bytes));
    }
    for (const auto& resource : core::without_exclusives(requests).extended) {
        member(writer, resource.name.c_str(), std::to_string(resource.amount));
    }
    writer.EndObject();
    // The same as numbers, as all other answers have them.
    writer.Key("cpuMilli");
    writer.Int64(requests.cpu_milli);
    writer.Key("memoryBytes");
    writer.Int64(requests.memory_bytes);
}

void write_map(SizeWriter& writer, const char* name, const core::StringMap& map) {
    writer.Key(name);
    writer.StartObject();
    for (const auto& [key, value] : map) {
        member(writer, key.c_str(), value);
    }
    writer.EndObject();
}

void write_toleration(SizeWriter& writer, const core::Toleration& toleration) {
    writer.StartObject();
    optional_member(writer, "key", toleration.key);
    member(writer, "operator", toleration.exists ? "Exists" : "Equal");
    optional_member(writer, "value", toleration.value);
    if (!toleration.any_effect) {
        member(writer, "effect", k8s::effect_name(toleration.effect));
    }
    if (toleration.seconds >= 0) {
        writer.Key("tolerationSeconds");
        writer.Int64(toleration.seconds);
    }
    writer.EndObject();
}

void write_constraints(SizeWriter& writer, const core::Constraints& constraints) {
    write_map(writer, "nodeSelector", constraints.node_selector);
    writer.Key("tolerations");
    writer.StartArray();
    for (const auto& toleration : constraints.tolerations) {
        write_toleration(writer, toleration);
    }
    writer.EndArray();
}

/// The template's own JSON, which the codec has written, so it is well-formed.
void write_subtree(SizeWriter& writer, const char* name, const std::string& json, const char* none) {
    rapidjson::Document document;
    document.Parse<rapidjson::kParseIterativeFlag>(json.empty() ? none : json.c_str());
    writer.Key(name);
    document.Accept(writer);
}

void write_ports(SizeWriter& writer, const std::vector<core::HostPort>& ports) {
    writer.Key("hostPorts");
    writer.StartArray();
    for (const core::HostPort& port : ports) {
        writer.StartObject();
        optional_member(writer, "hostIP", port.ip);
        writer.Key("hostPort");
        writer.Int64(port.port);
        member(writer, "protocol", port.protocol);
        writer.EndObject();
    }
    writer.EndArray();
}

void write_made_claim(SizeWriter& writer, const spark::MadeClaim& made) {
    writer.Key("spec");
    writer.StartObject();
    member(writer, "storageClassName", made.storage_class);
    writer.Key("accessModes");
    writer.StartArray();
    writer.String(made.one_pod ? "ReadWriteOncePod" : "ReadWriteOnce");
    writer.EndArray();
    writer.Key("resources");
    writer.StartObject();
    writer.Key("requests");
    writer.StartObject();
    member(writer, "storage", core::format_bytes(made.bytes));
    writer.EndObject();
    writer.EndObject();
    writer.EndObject();
}

/// The template's own volumes, and the claims of the conf as the template would have them.
void write_volumes(SizeWriter& writer, const spark::ExecutorShape& shape) {
    writer.Key("volumes");
    writer.StartArray();
    if (!shape.volumes_json.empty()) {
        rapidjson::Document own;
        own.Parse<rapidjson::kParseIterativeFlag>(shape.volumes_json.c_str());
        for (const auto& volume : own.GetArray()) {
            volume.Accept(writer);
        }
    }
    for (const spark::VolumeClaim& claim : shape.claims) {
        writer.StartObject();
        member(writer, "name", claim.volume);
        writer.Key("persistentVolumeClaim");
        writer.StartObject();
        member(writer, "claimName", claim.claim_name);
        if (claim.made) {
            write_made_claim(writer, *claim.made);
        }
        writer.EndObject();
        writer.EndObject();
    }
    writer.EndArray();
}

void write_shape(SizeWriter& writer, const spark::ExecutorShape& shape) {
    writer.StartObject();
    writer.Key("resourceProfileId");
    writer.Int(shape.profile);
    writer.Key("count");
    writer.Int64(shape.count);
    writer.Key("max");
    if (shape.max == spark::unlimited_executors) {
        writer.Null();
    } else {
        writer.Int64(shape.max);
    }
    write_requests(writer, shape.requests);
    write_constraints(writer, shape.constraints);
    write_subtree(writer, "affinity", shape.affinity_json, "{}");
    write_subtree(writer, "topologySpreadConstraints", shape.topology_spread_json, "[]");
    write_ports(writer, shape.host_ports);
    write_volumes(writer, shape);
    write_subtree(writer, "schedulingGates", shape.scheduling_gates_json, "[]");
    write_map(writer, "labels", shape.labels);
    member(writer, "schedulerName", shape.scheduler_name);
    optional_member(writer, "nodeName", shape.node_name);
    optional_member(writer, "priorityClassName", shape.priority_class_name);
    optional_member(writer, "preemptionPolicy", shape.preemption_policy);
    optional_member(writer, "runtimeClassName", shape.runtime_class_name);
    writer.EndObject();
}

void write_shapes(
    SizeWriter& writer, const char* name, const std::vector<spark::ExecutorShape>& shapes) {
    writer.Key(name);
    writer.StartArray();
    for (const auto& shape : shapes) {
        write_shape(writer, shape);
    }
    writer.EndArray();
}

void write_driver(SizeWriter& writer, const core::Pod& driver) {
    writer.Key("driver");
    writer.StartObject();
    member(writer, "namespace", driver.namespace_name);
    member(writer, "name", driver.name);
    member(writer, "schedulerName", driver.scheduler_name);
    write_requests(writer, driver.requests);
    write_constraints(writer, driver.constraints);
    writer.EndObject();
}

void write_report(SizeWriter& writer, const SizeReport& report) {
    writer.StartObject();
    write_driver(writer, report.driver);
    write_shapes(writer, "executors", report.gang.executors);
    if (!report.gang.foreign_executors.empty()) {
        write_shapes(writer, "foreignExecutors", report.gang.foreign_executors);
    }
    writer.Key("notes");
    writer.StartArray();
    for (const std::string& note : report.gang.notes) {
        writer.String(note);
    }
    writer.EndArray();
    optional_member(writer, "problem", report.gang.problem);
    writer.EndObject();
}

}  // namespace

std::string size_as_json(const std::vector<SizeReport>& reports) {
    rapidjson::StringBuffer buffer;
    SizeWriter writer(buffer);
    if (reports.size() == 1) {
        write_report(writer, reports.front());
    } else {
        writer.StartObject();
        writer.Key("items");
        writer.StartArray();
        for (const SizeReport& report : reports) {
            write_report(writer, report);
        }
        writer.EndArray();
        writer.EndObject();
    }
    return std::string(buffer.GetString(), buffer.GetSize()) + "\n";
}

}  // namespace gang::app
