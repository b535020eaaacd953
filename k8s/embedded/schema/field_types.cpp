#include "k8s/embedded/schema/field_types.hpp"

#include "k8s/embedded/store/quantity_text.hpp"

#include <fmt/format.h>

#include <array>
#include <span>
#include <string>
#include <string_view>

namespace k8s::embedded {
namespace {

enum class Type { object, array, text, integer, boolean, text_map };

// A path is members joined by '.', "[]" stands for each item of an array.
struct TypeRule {
    std::string_view path;
    Type type;
};

constexpr std::array metadata_rules = {
    TypeRule{"metadata", Type::object},
    TypeRule{"metadata.name", Type::text},
    TypeRule{"metadata.generateName", Type::text},
    TypeRule{"metadata.namespace", Type::text},
    TypeRule{"metadata.uid", Type::text},
    TypeRule{"metadata.resourceVersion", Type::text},
    TypeRule{"metadata.labels", Type::text_map},
    TypeRule{"metadata.annotations", Type::text_map},
    TypeRule{"metadata.finalizers", Type::array},
    TypeRule{"metadata.finalizers[]", Type::text},
    TypeRule{"metadata.ownerReferences", Type::array},
    TypeRule{"metadata.ownerReferences[]", Type::object},
    TypeRule{"metadata.ownerReferences[].apiVersion", Type::text},
    TypeRule{"metadata.ownerReferences[].kind", Type::text},
    TypeRule{"metadata.ownerReferences[].name", Type::text},
    TypeRule{"metadata.ownerReferences[].uid", Type::text},
    TypeRule{"metadata.ownerReferences[].controller", Type::boolean},
    TypeRule{"metadata.ownerReferences[].blockOwnerDeletion", Type::boolean},
};

constexpr std::array object_rules = {
    TypeRule{"spec", Type::object},
    TypeRule{"status", Type::object},
};

constexpr std::array data_rules = {
    TypeRule{"data", Type::text_map},
    TypeRule{"binaryData", Type::text_map},
    TypeRule{"immutable", Type::boolean},
};

constexpr std::array node_rules = {
    TypeRule{"spec.unschedulable", Type::boolean},
    TypeRule{"spec.taints", Type::array},
    TypeRule{"spec.taints[]", Type::object},
    TypeRule{"spec.taints[].key", Type::text},
    TypeRule{"spec.taints[].value", Type::text},
    TypeRule{"spec.taints[].effect", Type::text},
    TypeRule{"status.capacity", Type::object},
    TypeRule{"status.allocatable", Type::object},
    TypeRule{"status.conditions", Type::array},
    TypeRule{"status.conditions[]", Type::object},
    TypeRule{"status.nodeInfo", Type::object},
    TypeRule{"status.daemonEndpoints", Type::object},
    TypeRule{"status.addresses", Type::array},
    TypeRule{"status.addresses[]", Type::object},
};

constexpr std::array pod_status_rules = {
    TypeRule{"status.phase", Type::text},
    TypeRule{"status.reason", Type::text},
    TypeRule{"status.message", Type::text},
    TypeRule{"status.podIP", Type::text},
    TypeRule{"status.conditions", Type::array},
    TypeRule{"status.conditions[]", Type::object},
    TypeRule{"status.conditions[].type", Type::text},
    TypeRule{"status.conditions[].status", Type::text},
    TypeRule{"status.containerStatuses", Type::array},
    TypeRule{"status.containerStatuses[]", Type::object},
    TypeRule{"status.initContainerStatuses", Type::array},
    TypeRule{"status.initContainerStatuses[]", Type::object},
};

constexpr std::array service_rules = {
    TypeRule{"spec.type", Type::text},
    TypeRule{"spec.clusterIP", Type::text},
    TypeRule{"spec.selector", Type::text_map},
    TypeRule{"spec.ports", Type::array},
    TypeRule{"spec.ports[]", Type::object},
    TypeRule{"spec.ports[].port", Type::integer},
    TypeRule{"spec.ports[].name", Type::text},
    TypeRule{"spec.ports[].protocol", Type::text},
};

constexpr std::array pod_spec_rules = {
    TypeRule{"nodeName", Type::text},
    TypeRule{"schedulerName", Type::text},
    TypeRule{"serviceAccountName", Type::text},
    TypeRule{"priorityClassName", Type::text},
    TypeRule{"preemptionPolicy", Type::text},
    TypeRule{"restartPolicy", Type::text},
    TypeRule{"dnsPolicy", Type::text},
    TypeRule{"priority", Type::integer},
    TypeRule{"terminationGracePeriodSeconds", Type::integer},
    TypeRule{"activeDeadlineSeconds", Type::integer},
    TypeRule{"hostNetwork", Type::boolean},
    TypeRule{"enableServiceLinks", Type::boolean},
    TypeRule{"securityContext", Type::object},
    TypeRule{"nodeSelector", Type::text_map},
    TypeRule{"overhead", Type::object},
    TypeRule{"resources", Type::object},
    TypeRule{"resources.limits", Type::object},
    TypeRule{"resources.requests", Type::object},
    TypeRule{"affinity", Type::object},
    TypeRule{"affinity.nodeAffinity", Type::object},
    TypeRule{"affinity.podAffinity", Type::object},
    TypeRule{"affinity.podAntiAffinity", Type::object},
    TypeRule{"topologySpreadConstraints", Type::array},
    TypeRule{"topologySpreadConstraints[]", Type::object},
    TypeRule{"schedulingGates", Type::array},
    TypeRule{"schedulingGates[]", Type::object},
    TypeRule{"schedulingGates[].name", Type::text},
    TypeRule{"tolerations", Type::array},
    TypeRule{"tolerations[]", Type::object},
    TypeRule{"tolerations[].key", Type::text},
    TypeRule{"tolerations[].operator", Type::text},
    TypeRule{"tolerations[].value", Type::text},
    TypeRule{"tolerations[].effect", Type::text},
    TypeRule{"tolerations[].tolerationSeconds", Type::integer},
    TypeRule{"volumes", Type::array},
    TypeRule{"volumes[]", Type::object},
    TypeRule{"volumes[].name", Type::text},
    TypeRule{"volumes[].configMap", Type::object},
    TypeRule{"volumes[].configMap.name", Type::text},
    TypeRule{"volumes[].configMap.optional", Type::boolean},
    TypeRule{"volumes[].emptyDir", Type::object},
};

// Below spec.containers[] and spec.initContainers[].
constexpr std::array container_rules = {
    TypeRule{"name", Type::text},
    TypeRule{"image", Type::text},
    TypeRule{"imagePullPolicy", Type::text},
    TypeRule{"restartPolicy", Type::text},
    TypeRule{"args", Type::array},
    TypeRule{"args[]", Type::text},
    TypeRule{"command", Type::array},
    TypeRule{"command[]", Type::text},
    TypeRule{"env", Type::array},
    TypeRule{"env[]", Type::object},
    TypeRule{"env[].name", Type::text},
    TypeRule{"env[].value", Type::text},
    TypeRule{"ports", Type::array},
    TypeRule{"ports[]", Type::object},
    TypeRule{"ports[].containerPort", Type::integer},
    TypeRule{"ports[].name", Type::text},
    TypeRule{"ports[].protocol", Type::text},
    TypeRule{"resources", Type::object},
    TypeRule{"resources.limits", Type::object},
    TypeRule{"resources.requests", Type::object},
    TypeRule{"volumeMounts", Type::array},
    TypeRule{"volumeMounts[]", Type::object},
    TypeRule{"volumeMounts[].name", Type::text},
    TypeRule{"volumeMounts[].mountPath", Type::text},
    TypeRule{"volumeMounts[].subPath", Type::text},
};

bool has_type(const Json& value, Type type) {
    switch (type) {
        case Type::object:
            return value.is_object();
        case Type::array:
            return value.is_array();
        case Type::text:
            return value.is_string();
        case Type::integer:
            return value.is_int();
        case Type::boolean:
            return value.is_bool();
        case Type::text_map:
            if (!value.is_object()) return false;
            for (const auto& [key, member] : value.members()) {
                if (!member.is_string()) return false;
            }
            return true;
    }
    return false;
}

const char* name_of_type(Type type) {
    switch (type) {
        case Type::object:
            return "struct";
        case Type::array:
            return "slice";
        case Type::text:
            return "string";
        case Type::integer:
            return "int64";
        case Type::boolean:
            return "bool";
        case Type::text_map:
            return "map[string]string";
    }
    return "";
}

const char* name_of_value(const Json& value) {
    if (value.is_object()) return "object";
    if (value.is_array()) return "array";
    if (value.is_string()) return "string";
    if (value.is_bool()) return "bool";
    return "number";
}

// The first value at the path that has another type; nullptr when all are well or missing.
const Json* find_mismatch(const Json& value, std::string_view path, Type type) {
    if (path.empty()) return has_type(value, type) ? nullptr : &value;
    if (path.starts_with("[]")) {
        std::string_view rest = path.substr(2);
        if (rest.starts_with('.')) rest.remove_prefix(1);
        for (const Json& item : value.items()) {
            const Json* mismatch = find_mismatch(item, rest, type);
            if (mismatch != nullptr) return mismatch;
        }
        return nullptr;
    }
    const std::size_t end = path.find_first_of(".[");
    const Json* member = value.find(path.substr(0, end));
    if (member == nullptr) return nullptr;
    std::string_view rest = end == std::string_view::npos ? std::string_view{} : path.substr(end);
    if (rest.starts_with('.')) rest.remove_prefix(1);
    return find_mismatch(*member, rest, type);
}

Failure cannot_be_handled(const Kind& kind, const std::string& why) {
    return bad_request(fmt::format(
        "{} in version \"{}\" cannot be handled as a {}: {}",
        kind.kind,
        kind.version,
        kind.kind,
        why));
}

class TypeCheck {
public:
    explicit TypeCheck(const Kind& kind) : kind_(kind) {}

    void below(const Json& value, const std::string& at, std::span<const TypeRule> rules) {
        for (const TypeRule& rule : rules) {
            if (failure_) return;
            const Json* mismatch = find_mismatch(value, rule.path, rule.type);
            if (mismatch == nullptr) continue;
            failure_ = cannot_be_handled(
                kind_,
                fmt::format(
                    "json: cannot unmarshal {} into Go struct field {}.{}{} of type {}",
                    name_of_value(*mismatch),
                    kind_.kind,
                    at,
                    rule.path,
                    name_of_type(rule.type)));
        }
    }

    void containers(const Json& spec, const std::string& at, std::string_view list) {
        const std::string path(list);
        const std::string items = path + "[]";
        const std::array rules = {
            TypeRule{path, Type::array}, TypeRule{std::string_view(items), Type::object}};
        below(spec, at, rules);
        const Json* found = spec.find(list);
        if (found == nullptr) return;
        for (const Json& container : found->items()) {
            below(container, at + items + ".", container_rules);
        }
    }

    std::optional<Failure> take() { return std::move(failure_); }

private:
    const Kind& kind_;
    std::optional<Failure> failure_;
};

void remove_nulls(Json& value) {
    if (value.is_array()) {
        for (Json& item : value.items()) remove_nulls(item);
    }
    if (!value.is_object()) return;
    std::erase_if(
        value.members(), [](const Json::Member& member) { return member.second.is_null(); });
    for (auto& [key, member] : value.members()) remove_nulls(member);
}

bool canonicalize_requirements(Json* requirements) {
    if (requirements == nullptr) return true;
    return canonicalize_list(requirements->find("requests")) &&
           canonicalize_list(requirements->find("limits"));
}

bool canonicalize_volume(Json& volume) {
    Json* directory = volume.find("emptyDir");
    Json* limit = directory != nullptr ? directory->find("sizeLimit") : nullptr;
    if (limit == nullptr) return true;
    const auto canonical =
        canonical_quantity(limit->is_string() ? limit->as_string() : limit->dump());
    if (canonical) *limit = *canonical;
    return canonical.has_value();
}

bool canonicalize_pod_spec(Json& spec) {
    for (const char* list : {"containers", "initContainers"}) {
        Json* containers = spec.find(list);
        if (containers == nullptr) continue;
        for (Json& container : containers->items()) {
            if (!canonicalize_requirements(container.find("resources"))) return false;
        }
    }
    if (Json* volumes = spec.find("volumes")) {
        for (Json& volume : volumes->items()) {
            if (!canonicalize_volume(volume)) return false;
        }
    }
    return canonicalize_list(spec.find("overhead")) &&
           canonicalize_requirements(spec.find("resources"));
}

bool is_core(const Kind& kind, std::string_view plural) {
    return kind.group.empty() && kind.plural == plural;
}

bool canonicalize_others(const Kind& kind, Json& object) {
    Json* spec = object.find("spec");
    Json* status = object.find("status");
    if (is_core(kind, "nodes") && status != nullptr) {
        return canonicalize_list(status->find("capacity")) &&
               canonicalize_list(status->find("allocatable"));
    }
    if (is_core(kind, "persistentvolumes") && spec != nullptr) {
        return canonicalize_list(spec->find("capacity"));
    }
    if (is_core(kind, "persistentvolumeclaims")) {
        return (spec == nullptr || canonicalize_requirements(spec->find("resources"))) &&
               (status == nullptr || (canonicalize_list(status->find("capacity")) &&
                                      canonicalize_list(status->find("allocatedResources"))));
    }
    if (kind.plural == "csistoragecapacities") {
        Json amounts{Json::Object{}};
        for (const char* key : {"capacity", "maximumVolumeSize"}) {
            if (const Json* amount = object.find(key)) amounts.set(key, *amount);
        }
        if (!canonicalize_list(&amounts)) return false;
        for (const char* key : {"capacity", "maximumVolumeSize"}) {
            if (const Json* amount = amounts.find(key)) object.set(key, *amount);
        }
    }
    return true;
}

}  // namespace

Json* find_pod_spec(const Kind& kind, Json& object) {
    Json* spec = object.find("spec");
    if (spec == nullptr || is_core(kind, "pods")) return spec;
    if (kind.kind == "CronJob") return nullptr;  // nothing here runs them
    Json* spec_template = spec->find("template");
    return spec_template != nullptr ? spec_template->find("spec") : nullptr;
}

std::optional<Failure> check_field_types(const Kind& kind, Json& object) {
    if (!object.is_object()) return bad_request("the object provided is not a JSON object");
    remove_nulls(object);
    TypeCheck check(kind);
    check.below(object, "", metadata_rules);
    const bool is_data = is_core(kind, "configmaps") || is_core(kind, "secrets");
    if (is_data) check.below(object, "", data_rules);
    if (kind.has_status() || is_core(kind, "services")) check.below(object, "", object_rules);
    if (is_core(kind, "nodes")) check.below(object, "", node_rules);
    if (is_core(kind, "services")) check.below(object, "", service_rules);
    if (is_core(kind, "pods")) check.below(object, "", pod_status_rules);
    if (auto failure = check.take()) return failure;
    const Json* spec = find_pod_spec(kind, object);
    if (spec == nullptr) return std::nullopt;
    const std::string at = is_core(kind, "pods") ? "spec." : "spec.template.spec.";
    if (!spec->is_object()) {
        return cannot_be_handled(
            kind, fmt::format("json: cannot unmarshal {} into {}", name_of_value(*spec), at));
    }
    check.below(*spec, at, pod_spec_rules);
    check.containers(*spec, at, "containers");
    check.containers(*spec, at, "initContainers");
    return check.take();
}

std::optional<Failure> canonicalize_quantities(const Kind& kind, Json& object) {
    Json* spec = find_pod_spec(kind, object);
    const bool pods_well = spec == nullptr || canonicalize_pod_spec(*spec);
    if (pods_well && canonicalize_others(kind, object)) return std::nullopt;
    return cannot_be_handled(
        kind,
        "quantities must match the regular expression "
        "'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'");
}

}  // namespace k8s::embedded
