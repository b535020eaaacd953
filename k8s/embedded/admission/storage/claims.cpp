#include "k8s/embedded/admission/storage/claims.hpp"

#include "k8s/embedded/admission/check_metadata.hpp"
#include "k8s/embedded/admission/storage/volume_fields.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"
#include "k8s/embedded/store/quantity_text.hpp"

#include <vector>

namespace k8s::embedded {
namespace {

constexpr const char* attributes_class = "volumeAttributesClassName";

std::vector<const Json*> classes(const Surroundings& around) {
    return around.storage_classes ? around.storage_classes() : std::vector<const Json*>();
}

bool is_default(const Json& storage_class) {
    for (const char* key :
         {"storageclass.kubernetes.io/is-default-class",
          "storageclass.beta.kubernetes.io/is-default-class"}) {
        if (storage_class.text({"metadata", "annotations", key}) == "true") return true;
    }
    return false;
}

// The newest first, then by name, as the real server decides between several.
bool comes_before(const Json& left, const Json& right) {
    const std::string& one = left.text({"metadata", "creationTimestamp"});
    const std::string& other = right.text({"metadata", "creationTimestamp"});
    return one != other ? one > other : name_of(left) < name_of(right);
}

Json spec_of(const Json& claim) {
    const Json* spec = claim.find("spec");
    return spec == nullptr ? Json(Json::Object{}) : *spec;
}

// Nothing asked for is zero.
std::int64_t asked_milli(const Json& claim) {
    const Json* amount = claim.find_path({"spec", "resources", "requests", "storage"});
    return amount == nullptr ? 0 : milli_of(*amount);
}

void take_member(const Json& from, Json& to, std::string_view key) {
    const Json* value = from.find(key);
    if (value == nullptr) {
        to.erase(key);
    } else {
        to.set(key, *value);
    }
}

/// The claim's new spec, with what may change put back to the stored state.
Json without_allowed_changes(const Json& stored, const Json& claim) {
    const Json before = spec_of(stored);
    Json after = spec_of(claim);
    if (before.text({"volumeName"}).empty()) take_member(before, after, "volumeName");
    // A claim may be older than the class that it ends up with.
    if (before.find("storageClassName") == nullptr) after.erase("storageClassName");
    if (claim.text({"status", "phase"}) != "Bound") return after;
    take_member(before, after, attributes_class);
    const Json* amount = before.find_path({"resources", "requests", "storage"});
    const Json* asked = after.find_path({"resources", "requests"});
    if (amount != nullptr && asked != nullptr) {
        after["resources"]["requests"].set("storage", *amount);
    }
    return after;
}

void check_attributes_class(const Json& stored, const Json& claim, Checks& checks) {
    const Json* applied = stored.find_path({"status", "currentVolumeAttributesClassName"});
    const std::string& before = stored.text({"spec", attributes_class});
    const std::string& after = claim.text({"spec", attributes_class});
    if (applied != nullptr && before != after && after.empty()) {
        checks.forbidden(
            "spec.volumeAttributesClassName",
            "update to empty string is forbidden when status.currentVolumeAttributesClassName is "
            "not nil");
    }
}

void check_selector(const Json& selector, Checks& checks) {
    const std::string field = "spec.selector";
    check_labels(selector.find("matchLabels"), field + ".matchLabels", checks);
    const Json::Array& expressions = items_at(selector, {"matchExpressions"});
    for (std::size_t i = 0; i < expressions.size(); ++i) {
        const std::string at = at_index(field + ".matchExpressions", i);
        const std::string& verb = expressions[i].text({"operator"});
        const bool has_values = !items_at(expressions[i], {"values"}).empty();
        const bool compares = verb == "In" || verb == "NotIn";
        const bool asks_presence = verb == "Exists" || verb == "DoesNotExist";
        if (compares && !has_values) checks.required(at + ".values");
        if (asks_presence && has_values) checks.forbidden(at + ".values", "may not be specified");
        if (!compares && !asks_presence) {
            checks.invalid(at + ".operator", verb, "not a valid selector operator");
        }
        const std::string& key = expressions[i].text({"key"});
        checks.syntax(at + ".key", key, check_qualified_name(key));
    }
}

}  // namespace

void default_claim(Json& claim) {
    set_if_absent(claim["spec"], "volumeMode", "Filesystem");
    erase_if_empty(claim["spec"], "volumeName");
    set_if_missing(claim["status"], "phase", "Pending");
}

void name_default_class(Json& claim, const Surroundings& around) {
    // The empty name asks for a volume without a class.
    if (claim.find_path({"spec", "storageClassName"}) != nullptr) return;
    const Json* best = nullptr;
    for (const Json* one : classes(around)) {
        if (!is_default(*one)) continue;
        if (best == nullptr || comes_before(*one, *best)) best = one;
    }
    if (best != nullptr) claim["spec"].set("storageClassName", name_of(*best));
}

void check_claim(const Json& claim, Checks& checks) {
    const Json spec = spec_of(claim);
    check_volume_fields(spec, checks);
    if (const Json* selector = spec.find("selector")) check_selector(*selector, checks);
    const std::string field = "spec.resources[storage]";
    const Json* amount = spec.find_path({"resources", "requests", "storage"});
    if (amount == nullptr) {
        checks.required(field);
    } else {
        check_positive(*amount, field, checks);
    }
    const std::string& attributes = spec.text({attributes_class});
    if (attributes.empty()) return;
    checks.syntax("spec.volumeAttributesClassName", attributes, check_dns_subdomain(attributes));
}

void check_claim_update(const Json& stored, const Json& claim, Checks& checks) {
    if (!same_json(spec_of(stored), without_allowed_changes(stored, claim))) {
        checks.forbidden(
            "spec",
            "spec is immutable after creation except resources.requests and "
            "volumeAttributesClassName for bound claims");
    }
    const Json* capacity = stored.find_path({"status", "capacity", "storage"});
    const std::int64_t present = capacity == nullptr ? 0 : milli_of(*capacity);
    if (asked_milli(claim) < asked_milli(stored) && asked_milli(claim) <= present) {
        checks.forbidden(
            "spec.resources.requests.storage", "field can not be less than status.capacity");
    }
    const std::string& mode = claim.text({"spec", "volumeMode"});
    if (mode != stored.text({"spec", "volumeMode"})) {
        checks.invalid("volumeMode", mode, "field is immutable");
    }
    check_attributes_class(stored, claim, checks);
}

std::optional<Failure> refuse_expansion(
    const Kind& kind, const Json& stored, const Json& claim, const Surroundings& around) {
    if (asked_milli(claim) <= asked_milli(stored)) return std::nullopt;
    const std::string& name = claim.text({"spec", "storageClassName"});
    for (const Json* one : classes(around)) {
        if (name_of(*one) == name && true_at(*one, {"allowVolumeExpansion"})) return std::nullopt;
    }
    return forbidden(
        kind,
        name_of(claim),
        "only dynamically provisioned pvc can be resized and the storageclass that provisions the "
        "pvc must support resize");
}

}  // namespace k8s::embedded
