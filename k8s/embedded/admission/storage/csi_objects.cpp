#include "k8s/embedded/admission/storage/csi_objects.hpp"

#include "k8s/embedded/admission/storage/volume_fields.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"
#include "k8s/embedded/store/quantity_text.hpp"

#include <string>

namespace k8s::embedded {
namespace {

const Json& member_or_null(const Json& object, std::string_view key) {
    static const Json null;
    const Json* found = object.find(key);
    return found == nullptr ? null : *found;
}

void check_same(const Json& stored, const Json& object, const char* key, Checks& checks) {
    const Json& after = member_or_null(object, key);
    if (!same_json(member_or_null(stored, key), after)) {
        checks.invalid(key, after, "field is immutable");
    }
}

}  // namespace

void default_csi_driver(Json& driver) {
    set_if_missing(driver, "spec", Json(Json::Object{}));
    Json& spec = driver["spec"];
    set_if_missing(spec, "attachRequired", true);
    for (const char* key : {"podInfoOnMount", "requiresRepublish", "seLinuxMount", "storageCapacity"}) {
        set_if_missing(spec, key, false);
    }
    set_if_missing(spec, "fsGroupPolicy", "ReadWriteOnceWithFSType");
    if (items_at(spec, {"volumeLifecycleModes"}).empty()) {
        spec.set("volumeLifecycleModes", Json(Json::Array{Json("Persistent")}));
    }
}

void check_csi_driver(const Json& driver, Checks& checks) {
    check_driver_name(driver.text({"metadata", "name"}), "metadata.name", checks);
    checks.one_of(
        "spec.fsGroupPolicy",
        driver.text({"spec", "fsGroupPolicy"}),
        {"File", "None", "ReadWriteOnceWithFSType"});
    for (const Json& mode : items_at(driver, {"spec", "volumeLifecycleModes"})) {
        checks.supported("spec.volumeLifecycleModes", mode.as_string(), {"Ephemeral", "Persistent"});
    }
}

void check_storage_capacity(const Json& capacity, Checks& checks) {
    const std::string& name = capacity.text({"storageClassName"});
    checks.syntax("storageClassName", name, check_dns_subdomain(name));
    const Json* amount = capacity.find("capacity");
    if (amount != nullptr && milli_of(*amount) < 0) {
        checks.invalid("capacity", *amount, "must be greater than or equal to 0");
    }
}

void check_storage_capacity_update(const Json& stored, const Json& capacity, Checks& checks) {
    check_same(stored, capacity, "nodeTopology", checks);
    check_same(stored, capacity, "storageClassName", checks);
}

void default_attachment(Json& attachment) {
    set_if_missing(attachment, "status", Json(Json::Object{}));
    set_if_missing(attachment["status"], "attached", false);
}

void check_attachment(const Json& attachment, Checks& checks) {
    check_driver_name(attachment.text({"spec", "attacher"}), "spec.attacher", checks);
    const bool has_volume = attachment.find_path({"spec", "source", "persistentVolumeName"}) != nullptr;
    const bool has_inline = attachment.find_path({"spec", "source", "inlineVolumeSpec"}) != nullptr;
    constexpr const char* one = "must specify exactly one of inlineVolumeSpec and persistentVolumeName";
    if (!has_volume && !has_inline) checks.required("spec.source", one);
    if (has_volume && has_inline) checks.forbidden("spec.source", one);
    const std::string& node = attachment.text({"spec", "nodeName"});
    checks.syntax("spec.nodeName", node, check_dns_subdomain(node));
}

void check_attachment_update(const Json& stored, const Json& attachment, Checks& checks) {
    check_same(stored, attachment, "spec", checks);
}

}  // namespace k8s::embedded
