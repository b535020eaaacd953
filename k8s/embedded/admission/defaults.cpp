#include "k8s/embedded/admission/defaults.hpp"

#include "k8s/embedded/admission/check_forms.hpp"
#include "k8s/embedded/admission/check_metadata.hpp"
#include "k8s/embedded/admission/check_pod.hpp"
#include "k8s/embedded/admission/checks.hpp"
#include "k8s/embedded/admission/object_rules.hpp"
#include "k8s/embedded/admission/pod_defaults.hpp"
#include "k8s/embedded/admission/storage/claims.hpp"
#include "k8s/embedded/admission/storage/volumes.hpp"
#include "k8s/embedded/schema/field_types.hpp"
#include "k8s/embedded/store/json_path.hpp"

#include <fmt/format.h>

#include <string>
#include <utility>

namespace k8s::embedded {
namespace {

bool is_core(const Kind& kind, std::string_view plural) {
    return kind.group.empty() && kind.plural == plural;
}

struct Priority {
    std::int64_t value = 0;
    std::string preemption_policy = "PreemptLowerPriority";
};

// The two classes that every cluster has.
std::optional<Priority> system_priority(std::string_view name) {
    if (name == "system-cluster-critical") return Priority{2'000'000'000, "PreemptLowerPriority"};
    if (name == "system-node-critical") return Priority{2'000'001'000, "PreemptLowerPriority"};
    return std::nullopt;
}

// The priority that a class name stands for; nothing when there is no such class.
std::optional<Priority> find_priority(const std::string& name, const Surroundings& around) {
    if (auto priority = system_priority(name)) return priority;
    const Json* found = nullptr;
    if (around.find_priority_class) found = around.find_priority_class(name);
    if (found == nullptr) return name.empty() ? std::optional(Priority{}) : std::nullopt;
    Priority priority;
    priority.value = int_at(*found, {"value"});
    const std::string& policy = found->text({"preemptionPolicy"});
    if (!policy.empty()) priority.preemption_policy = policy;
    return priority;
}

// The admission plugin Priority: the class decides, a number beside it may only repeat it.
std::optional<Failure> resolve_priority(
    const Kind& kind, Json& object, const Surroundings& around) {
    Json& spec = object["spec"];
    const std::string& pod = object.text({"metadata", "name"});
    const std::string& name = spec.text({"priorityClassName"});
    const auto priority = find_priority(name, around);
    if (!priority) {
        return forbidden(kind, pod, fmt::format("no PriorityClass with name {} was found", name));
    }
    const Json* given = spec.find("priority");
    if (given != nullptr && given->as_int() != priority->value) {
        return forbidden(
            kind,
            pod,
            fmt::format(
                "the integer value of priority ({}) must not be provided in pod spec; priority "
                "admission controller computed {} from the given PriorityClass name",
                given->as_int(),
                priority->value));
    }
    spec.set("priority", priority->value);
    if (spec.find("preemptionPolicy") == nullptr) {
        spec.set("preemptionPolicy", priority->preemption_policy);
    }
    return std::nullopt;
}

// A client that leaves out what admission filled in does not mean to change it.
void keep_admitted(const Json& stored_spec, Json& spec) {
    for (const char* key : {"priority", "preemptionPolicy"}) {
        const Json* value = stored_spec.find(key);
        if (value != nullptr && spec.find(key) == nullptr) spec.set(key, *value);
    }
    default_pod_account(spec);
}

std::string spec_field(const Kind& kind) {
    return is_core(kind, "pods") ? "spec" : "spec.template.spec";
}

std::optional<Failure> decode(const Kind& kind, Json& object) {
    if (auto failure = check_field_types(kind, object)) return failure;
    if (auto failure = decode_forms(kind, object)) return failure;
    return canonicalize_quantities(kind, object);
}

void default_object(const Kind& kind, Json& object, const Surroundings& around) {
    if (is_core(kind, "pods") && object.find("spec") == nullptr) {
        object.set("spec", Json(Json::Object{}));
    }
    if (Json* spec = find_pod_spec(kind, object)) {
        default_pod_spec(*spec);
        if (is_core(kind, "pods")) default_pod_tolerations(*spec);
    }
    default_other(kind, object, around);
}

/// The pods of a StatefulSet get a volume for each of its claim templates.
Json with_claimed_volumes(Json spec, const Json::Array& claims) {
    for (const Json& claim : claims) {
        Json volume;
        volume.set("name", claim.text({"metadata", "name"}));
        volume["persistentVolumeClaim"].set("claimName", claim.text({"metadata", "name"}));
        spec["volumes"].items().push_back(std::move(volume));
    }
    return spec;
}

void check_object(const Kind& kind, Json& object, Checks& checks) {
    check_metadata(kind, object, checks);
    const Json* spec = find_pod_spec(kind, object);
    if (spec != nullptr) {
        const Json::Array& claims = items_at(object, {"spec", "volumeClaimTemplates"});
        check_pod_spec(with_claimed_volumes(*spec, claims), spec_field(kind), checks);
    }
    check_other(kind, object, checks);
}

std::optional<Failure> verdict(const Kind& kind, const Json& object, const Checks& checks) {
    if (checks.causes().empty()) return std::nullopt;
    return invalid(kind, object.text({"metadata", "name"}), checks.causes());
}

}  // namespace

std::optional<Failure> admit_create(const Kind& kind, Json& object, const Surroundings& around) {
    if (auto failure = decode(kind, object)) return failure;
    default_object(kind, object, around);
    if (is_core(kind, "pods")) {
        default_pod_account(object["spec"]);
        if (auto failure = resolve_priority(kind, object, around)) return failure;
        object.set(
            "status",
            initial_pod_status(object["spec"], object.text({"metadata", "creationTimestamp"})));
    }
    if (is_core(kind, "persistentvolumeclaims")) name_default_class(object, around);
    if (is_core(kind, "persistentvolumes")) date_new_volume(object);
    Checks checks;
    check_object(kind, object, checks);
    return verdict(kind, object, checks);
}

std::optional<Failure> admit_update(
    const Kind& kind, const Json& stored, Json& object, const Surroundings& around) {
    if (auto failure = decode(kind, object)) return failure;
    keep_metadata(stored, object);
    default_object(kind, object, around);
    Checks checks;
    check_metadata_update(stored, object, checks);
    check_object(kind, object, checks);
    const Json* stored_spec = stored.find("spec");
    if (is_core(kind, "pods") && stored_spec != nullptr) {
        keep_admitted(*stored_spec, object["spec"]);
        check_pod_update(*stored_spec, object["spec"], checks);
    }
    check_other_update(kind, stored, object, checks);
    if (auto failure = verdict(kind, object, checks)) return failure;
    if (is_core(kind, "persistentvolumeclaims")) {
        return refuse_expansion(kind, stored, object, around);
    }
    return std::nullopt;
}

std::optional<Failure> admit_status(
    const Kind& kind, const Json& stored, Json& object, const Surroundings& around) {
    if (auto failure = decode(kind, object)) return failure;
    keep_metadata(stored, object);
    if (is_core(kind, "persistentvolumes")) date_phase(stored, object, around);
    Checks checks;
    check_metadata_update(stored, object, checks);
    check_metadata(kind, object, checks);
    check_other_status(kind, object, checks);
    return verdict(kind, object, checks);
}

}  // namespace k8s::embedded
