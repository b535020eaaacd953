// Printers of claims, volumes, storage classes, CSI drivers and what they say of nodes.
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/tables/printer.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace k8s::embedded {
namespace {

std::string or_unset(const std::string& text) {
    return text.empty() ? "<unset>" : text;
}

// "RWO,ROX" in the order of the real printer.
std::string access_modes(const Json::Array& modes) {
    constexpr std::pair<const char*, const char*> names[] = {
        {"ReadWriteOnce", "RWO"},
        {"ReadOnlyMany", "ROX"},
        {"ReadWriteMany", "RWX"},
        {"ReadWriteOncePod", "RWOP"}};
    std::string joined;
    for (const auto& [mode, abbreviation] : names) {
        const bool has = std::any_of(modes.begin(), modes.end(), [wanted = mode](const Json& item) {
            return item.as_string() == wanted;
        });
        if (has) joined += (joined.empty() ? "" : ",") + std::string(abbreviation);
    }
    return joined;
}

std::string phase(const Json& object) {
    const bool deleting = !object.text({"metadata", "deletionTimestamp"}).empty();
    return deleting ? "Terminating" : object.text({"status", "phase"});
}

std::string amount(const Json& object, std::string_view part) {
    const std::string& text = object.text({part, "capacity", "storage"});
    return text.empty() ? "0" : text;
}

Json::Array claim_cells(const Json& claim, std::int64_t now_ms) {
    const std::string& volume = claim.text({"spec", "volumeName"});
    const bool has_volume = !volume.empty();
    return {
        name_cell(claim),
        phase(claim),
        volume,
        has_volume ? amount(claim, "status") : "",
        has_volume ? access_modes(items_at(claim, {"status", "accessModes"})) : "",
        claim.text({"spec", "storageClassName"}),
        or_unset(claim.text({"spec", "volumeAttributesClassName"})),
        age_cell(claim, now_ms),
        or_unset(claim.text({"spec", "volumeMode"})),
    };
}

Json::Array volume_cells(const Json& volume, std::int64_t now_ms) {
    const Json* claim = volume.find_path({"spec", "claimRef"});
    return {
        name_cell(volume),
        amount(volume, "spec"),
        access_modes(items_at(volume, {"spec", "accessModes"})),
        volume.text({"spec", "persistentVolumeReclaimPolicy"}),
        phase(volume),
        claim == nullptr ? "" : claim->text({"namespace"}) + "/" + claim->text({"name"}),
        volume.text({"spec", "storageClassName"}),
        or_unset(volume.text({"spec", "volumeAttributesClassName"})),
        volume.text({"status", "reason"}),
        age_cell(volume, now_ms),
        or_unset(volume.text({"spec", "volumeMode"})),
    };
}

Json::Array class_cells(const Json& storage_class, std::int64_t now_ms) {
    return {
        name_cell(storage_class),
        storage_class.text({"provisioner"}),
        storage_class.text({"reclaimPolicy"}),
        storage_class.text({"volumeBindingMode"}),
        true_at(storage_class, {"allowVolumeExpansion"}),
        age_cell(storage_class, now_ms),
    };
}

bool is_default(const Json& storage_class) {
    const auto is_marked = [&](const char* key) {
        return storage_class.text({"metadata", "annotations", key}) == "true";
    };
    return is_marked("storageclass.kubernetes.io/is-default-class") ||
           is_marked("storageclass.beta.kubernetes.io/is-default-class");
}

Json::Array csi_node_cells(const Json& node, std::int64_t now_ms) {
    const auto drivers = static_cast<std::int64_t>(items_at(node, {"spec", "drivers"}).size());
    return {name_cell(node), drivers, age_cell(node, now_ms)};
}

std::string joined(const Json::Array& items, std::string_view key) {
    std::string texts;
    for (const Json& item : items) {
        const std::string& text = key.empty() ? item.as_string() : item.text({key});
        texts += (texts.empty() ? "" : ",") + text;
    }
    return texts;
}

Json::Array csi_driver_cells(const Json& driver, std::int64_t now_ms) {
    const bool has_tokens = driver.find_path({"spec", "tokenRequests"}) != nullptr;
    return {
        name_cell(driver),
        true_at(driver, {"spec", "attachRequired"}),
        true_at(driver, {"spec", "podInfoOnMount"}),
        true_at(driver, {"spec", "storageCapacity"}),
        has_tokens ? joined(items_at(driver, {"spec", "tokenRequests"}), "audience") : "<unset>",
        true_at(driver, {"spec", "requiresRepublish"}),
        joined(items_at(driver, {"spec", "volumeLifecycleModes"}), {}),
        age_cell(driver, now_ms),
    };
}

Json::Array capacity_cells(const Json& capacity, std::int64_t) {
    return {
        name_cell(capacity),
        capacity.text({"storageClassName"}),
        or_unset(capacity.text({"capacity"})),
    };
}

Json::Array attachment_cells(const Json& attachment, std::int64_t now_ms) {
    return {
        name_cell(attachment),
        attachment.text({"spec", "attacher"}),
        attachment.text({"spec", "source", "persistentVolumeName"}),
        attachment.text({"spec", "nodeName"}),
        true_at(attachment, {"status", "attached"}),
        age_cell(attachment, now_ms),
    };
}

const std::map<std::string_view, Printer>& storage_printers() {
    static const std::map<std::string_view, Printer> printers = {
        {"persistentvolumeclaims",
         {{{"Name"},
           {"Status"},
           {"Volume"},
           {"Capacity"},
           {"Access Modes"},
           {"StorageClass"},
           {"VolumeAttributesClass"},
           {"Age"},
           {"VolumeMode", "string", 1}},
          claim_cells}},
        {"persistentvolumes",
         {{{"Name"},
           {"Capacity"},
           {"Access Modes"},
           {"Reclaim Policy"},
           {"Status"},
           {"Claim"},
           {"StorageClass"},
           {"VolumeAttributesClass"},
           {"Reason"},
           {"Age"},
           {"VolumeMode", "string", 1}},
          volume_cells}},
        {"storageclasses",
         {{{"Name"},
           {"Provisioner"},
           {"ReclaimPolicy"},
           {"VolumeBindingMode"},
           {"AllowVolumeExpansion"},
           {"Age"}},
          class_cells}},
        {"csinodes", {{{"Name"}, {"Drivers", "integer"}, {"Age"}}, csi_node_cells}},
        {"csidrivers",
         {{{"Name"},
           {"AttachRequired", "boolean"},
           {"PodInfoOnMount", "boolean"},
           {"StorageCapacity", "boolean"},
           {"TokenRequests"},
           {"RequiresRepublish", "boolean"},
           {"Modes"},
           {"Age"}},
          csi_driver_cells}},
        {"csistoragecapacities", {{{"Name"}, {"StorageClassName"}, {"Capacity"}}, capacity_cells}},
        {"volumeattachments",
         {{{"Name"}, {"Attacher"}, {"PV"}, {"Node"}, {"Attached", "boolean"}, {"Age"}},
          attachment_cells}},
    };
    return printers;
}

}  // namespace

std::string default_class_of(const Json::Array& classes) {
    std::string name;
    std::string made;
    for (const Json& one : classes) {
        const std::string at = one.text({"metadata", "creationTimestamp"});
        const std::string its = one.text({"metadata", "name"});
        if (is_default(one) && (name.empty() || at > made || (at == made && its < name))) {
            name = its;
            made = at;
        }
    }
    return name;
}

const Printer* find_storage_printer(std::string_view resource) {
    const auto found = storage_printers().find(resource);
    return found != storage_printers().end() ? &found->second : nullptr;
}

}  // namespace k8s::embedded
