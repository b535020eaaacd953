#include "k8s/embedded/admission/storage/volumes.hpp"

#include "k8s/embedded/admission/check_pod.hpp"
#include "k8s/embedded/admission/storage/volume_fields.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <array>
#include <string>

namespace k8s::embedded {
namespace {

// In the order in which the real server looks for them: all but the first are one too many.
constexpr std::array sources = {
    "hostPath",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "glusterfs",
    "flocker",
    "nfs",
    "rbd",
    "quobyte",
    "cephfs",
    "iscsi",
    "cinder",
    "fc",
    "flexVolume",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "scaleIO",
    "local",
    "storageos",
    "csi"};

void check_capacity(const Json& spec, Checks& checks) {
    const Json* capacity = spec.find("capacity");
    const std::string field = "spec.capacity";
    const std::size_t amounts = capacity == nullptr ? 0 : capacity->members().size();
    if (amounts == 0) checks.required(field);
    if (amounts != 1 || capacity->find("storage") == nullptr) {
        checks.one_of(field, capacity == nullptr ? "{}" : capacity->dump(), {"storage"});
    }
    if (capacity == nullptr) return;
    for (const auto& [name, amount] : capacity->members()) {
        check_positive(amount, field + "[" + name + "]", checks);
    }
}

void check_path(const Json& source, const std::string& field, Checks& checks) {
    const std::string& path = source.text({"path"});
    if (path.empty()) return checks.required(field + ".path");
    check_no_backsteps(path, field + ".path", checks);
}

void check_csi(const Json& source, const std::string& field, Checks& checks) {
    check_driver_name(source.text({"driver"}), field + ".driver", checks);
    if (source.text({"volumeHandle"}).empty()) checks.required(field + ".volumeHandle");
}

void check_source(const Json& spec, const std::string& name, Checks& checks) {
    const std::string field = "spec." + name;
    const Json& source = *spec.find(name);
    if (name == "hostPath" || name == "local") check_path(source, field, checks);
    if (name == "hostPath") {
        checks.supported(
            field + ".type",
            source.text({"type"}),
            {"",
             "BlockDevice",
             "CharDevice",
             "Directory",
             "DirectoryOrCreate",
             "File",
             "FileOrCreate",
             "Socket"});
    }
    if (name == "csi") check_csi(source, field, checks);
    if (name == "local" && spec.find("nodeAffinity") == nullptr) {
        checks.required("spec.nodeAffinity", "Local volume requires node affinity");
    }
}

void check_sources(const Json& spec, Checks& checks) {
    bool has_one = false;
    for (const std::string name : sources) {
        if (spec.find(name) == nullptr) continue;
        if (has_one) {
            checks.forbidden("spec." + name, "may not specify more than 1 volume type");
        } else {
            check_source(spec, name, checks);
        }
        has_one = true;
    }
    if (!has_one) checks.required("spec", "must specify a volume type");
}

void check_attributes_class(const Json& spec, Checks& checks) {
    const Json* name = spec.find("volumeAttributesClassName");
    if (name == nullptr) return;
    const std::string field = "spec.volumeAttributesClassName";
    if (name->as_string().empty()) {
        checks.required(field, "an empty string is disallowed");
    } else {
        checks.syntax(field, name->as_string(), check_dns_subdomain(name->as_string()));
    }
    if (spec.find("csi") == nullptr) {
        checks.required("spec.csi", "has to be specified when using volumeAttributesClassName");
    }
}

bool same_member(const Json& left, const Json& right, JsonPath path) {
    const Json* one = left.find_path(path);
    const Json* other = right.find_path(path);
    if (one == nullptr || other == nullptr) return one == other;
    return same_json(*one, *other);
}

}  // namespace

void default_volume(Json& volume) {
    Json& spec = volume["spec"];
    set_if_missing(spec, "persistentVolumeReclaimPolicy", "Retain");
    set_if_absent(spec, "volumeMode", "Filesystem");
    erase_if_empty(spec, "storageClassName");
    if (Json* path = spec.find("hostPath")) set_if_missing(*path, "type", "");
    set_if_missing(volume["status"], "phase", "Pending");
}

void date_new_volume(Json& volume) {
    const std::string now = volume.text({"metadata", "creationTimestamp"});
    volume["status"].set("lastPhaseTransitionTime", now);
}

void date_phase(const Json& stored, Json& volume, const Surroundings& around) {
    constexpr const char* key = "lastPhaseTransitionTime";
    const bool changed = stored.text({"status", "phase"}) != volume.text({"status", "phase"});
    const std::string before = stored.text({"status", key});
    const std::string given = volume.text({"status", key});
    if (!changed && given.empty() && !before.empty()) volume["status"].set(key, before);
    if (changed && (given.empty() || given == before) && around.now) {
        volume["status"].set(key, around.now());
    }
}

void check_volume(const Json& volume, Checks& checks) {
    const Json* found = volume.find("spec");
    const Json spec = found == nullptr ? Json(Json::Object{}) : *found;
    check_volume_fields(spec, checks);
    check_capacity(spec, checks);
    checks.one_of(
        "spec.persistentVolumeReclaimPolicy",
        spec.text({"persistentVolumeReclaimPolicy"}),
        {"Delete", "Recycle", "Retain"});
    if (const Json* affinity = spec.find("nodeAffinity")) {
        const std::string field = "spec.nodeAffinity.required";
        if (const Json* required = affinity->find("required")) {
            check_node_selector(*required, field, checks);
        } else {
            checks.required(field, "must specify required node constraints");
        }
    }
    check_sources(spec, checks);
    check_attributes_class(spec, checks);
}

void check_volume_update(const Json& stored, const Json& volume, Checks& checks) {
    for (const char* name : sources) {
        if (same_member(stored, volume, {"spec", name})) continue;
        checks.forbidden(
            "spec.persistentvolumesource",
            "spec.persistentvolumesource is immutable after creation");
        break;
    }
    const std::string& mode = volume.text({"spec", "volumeMode"});
    if (mode != stored.text({"spec", "volumeMode"})) {
        checks.invalid("volumeMode", mode, "field is immutable");
    }
    if (stored.find_path({"spec", "nodeAffinity"}) != nullptr &&
        !same_member(stored, volume, {"spec", "nodeAffinity"})) {
        checks.invalid("nodeAffinity", Json(), "field is immutable");
    }
    if (stored.find_path({"spec", "volumeAttributesClassName"}) != nullptr &&
        volume.find_path({"spec", "volumeAttributesClassName"}) == nullptr) {
        checks.forbidden(
            "spec.volumeAttributesClassName", "update from non-nil value to nil is forbidden");
    }
}

}  // namespace k8s::embedded
