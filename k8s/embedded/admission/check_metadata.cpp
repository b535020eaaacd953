#include "k8s/embedded/admission/check_metadata.hpp"

#include "k8s/embedded/store/json_path.hpp"

#include <algorithm>
#include <array>
#include <cctype>

namespace k8s::embedded {
namespace {

constexpr std::size_t annotation_bytes_max = 256U << 10U;
constexpr std::array fixed_fields = {
    "uid", "creationTimestamp", "deletionTimestamp", "deletionGracePeriodSeconds"};

Complaints check_name(const Kind& kind, std::string_view name) {
    if (kind.group == "rbac.authorization.k8s.io") return check_path_segment(name);
    const bool is_label =
        kind.group.empty() && (kind.plural == "namespaces" || kind.plural == "services");
    return is_label ? check_dns_label(name) : check_dns_subdomain(name);
}

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

void check_annotations(const Json* annotations, Checks& checks) {
    if (annotations == nullptr) return;
    std::size_t bytes = 0;
    for (const auto& [key, value] : annotations->members()) {
        bytes += key.size() + value.as_string().size();
        checks.syntax("metadata.annotations", key, check_qualified_name(lower_case(key)));
    }
    if (bytes > annotation_bytes_max) checks.too_long("metadata.annotations", annotation_bytes_max);
}

void check_owners(const Json& object, Checks& checks) {
    const Json::Array& owners = items_at(object, {"metadata", "ownerReferences"});
    std::string controller;
    const std::string field = "metadata.ownerReferences";
    for (std::size_t i = 0; i < owners.size(); ++i) {
        const Json& owner = owners[i];
        for (const char* key : {"apiVersion", "kind", "name", "uid"}) {
            if (owner.text({key}).empty()) {
                checks.required(at_index(field, i) + "." + key, "must not be empty");
            }
        }
        if (!true_at(owner, {"controller"})) continue;
        const std::string name = owner.text({"kind"}) + "/" + owner.text({"name"});
        if (!controller.empty()) {
            checks.invalid(
                field,
                owners,
                "Only one reference can have Controller set to true. Found \"true\" in references "
                "for " +
                    controller + " and " + name);
        }
        controller = name;
    }
}

bool is_standard_finalizer(std::string_view name) {
    return name == "orphan" || name == "foregroundDeletion" || name == "kubernetes";
}

void check_finalizers(const Json& object, Checks& checks) {
    const Json::Array& finalizers = items_at(object, {"metadata", "finalizers"});
    for (std::size_t i = 0; i < finalizers.size(); ++i) {
        const std::string& text = finalizers[i].as_string();
        checks.syntax("metadata.finalizers", text, check_qualified_name(text));
        if (text.find('/') != std::string::npos || is_standard_finalizer(text)) continue;
        checks.invalid(
            at_index("metadata.finalizers", i),
            text,
            "name is neither a standard finalizer name nor is it fully qualified");
    }
}

}  // namespace

void check_labels(const Json* labels, const std::string& field, Checks& checks) {
    if (labels == nullptr) return;
    for (const auto& [key, value] : labels->members()) {
        checks.syntax(field, key, check_qualified_name(key));
        checks.syntax(field, value.as_string(), check_label_value(value.as_string()));
    }
}

void check_metadata(const Kind& kind, const Json& object, Checks& checks) {
    const std::string& name = object.text({"metadata", "name"});
    if (name.empty()) checks.required("metadata.name", "name or generateName is required");
    if (!name.empty()) checks.syntax("metadata.name", name, check_name(kind, name));
    std::string prefix = object.text({"metadata", "generateName"});
    if (!prefix.empty()) {
        // A name may not end with a dash, but the beginning of one may.
        if (prefix.back() == '-') prefix.back() = 'a';
        checks.syntax("metadata.generateName", prefix, check_name(kind, prefix));
    }
    check_labels(object.find_path({"metadata", "labels"}), "metadata.labels", checks);
    check_annotations(object.find_path({"metadata", "annotations"}), checks);
    check_owners(object, checks);
    check_finalizers(object, checks);
}

void check_metadata_update(const Json& stored, const Json& object, Checks& checks) {
    constexpr std::array fields = {
        "name", "namespace", "uid", "creationTimestamp", "deletionTimestamp"};
    for (const char* key : fields) {
        const std::string& now = object.text({"metadata", key});
        if (now == stored.text({"metadata", key})) continue;
        checks.invalid(std::string("metadata.") + key, now, "field is immutable");
    }
    if (stored.text({"metadata", "deletionTimestamp"}).empty()) return;
    const Json::Array& before = items_at(stored, {"metadata", "finalizers"});
    for (const Json& finalizer : items_at(object, {"metadata", "finalizers"})) {
        if (std::find(before.begin(), before.end(), finalizer) != before.end()) continue;
        checks.forbidden(
            "metadata.finalizers",
            "no new finalizers can be added if the object is being deleted, found new finalizers "
            "[]string{" +
                finalizer.dump() + "}");
    }
}

void keep_metadata(const Json& stored, Json& object) {
    const Json* before = stored.find("metadata");
    if (before == nullptr) return;
    Json& metadata = object["metadata"];
    for (const char* key : fixed_fields) {
        const Json* value = before->find(key);
        if (value != nullptr && metadata.find(key) == nullptr) metadata.set(key, *value);
    }
}

}  // namespace k8s::embedded
