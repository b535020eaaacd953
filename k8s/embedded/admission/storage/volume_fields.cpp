#include "k8s/embedded/admission/storage/volume_fields.hpp"

#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/quantity_text.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

namespace k8s::embedded {
namespace {

constexpr std::size_t driver_name_max = 63;
constexpr const char* one_pod = "ReadWriteOncePod";

void check_access_modes(const Json& spec, Checks& checks) {
    const std::string field = "spec.accessModes";
    const Json::Array& modes = items_at(spec, {"accessModes"});
    if (modes.empty()) checks.required(field, "at least 1 access mode is required");
    bool has_one_pod = false;
    bool has_other = false;
    for (const Json& mode : modes) {
        const std::string& name = mode.as_string();
        checks.one_of(
            field, name, {"ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"});
        (name == one_pod ? has_one_pod : has_other) = true;
    }
    if (has_one_pod && has_other) {
        checks.forbidden(field, "may not use ReadWriteOncePod with other access modes");
    }
}

}  // namespace

void set_if_absent(Json& object, std::string_view key, Json value) {
    if (object.find(key) == nullptr) object.set(key, std::move(value));
}

void check_volume_fields(const Json& spec, Checks& checks) {
    check_access_modes(spec, checks);
    checks.supported("spec.volumeMode", spec.text({"volumeMode"}), {"Block", "Filesystem"});
    const std::string& storage_class = spec.text({"storageClassName"});
    if (storage_class.empty()) return;
    checks.syntax("spec.storageClassName", storage_class, check_dns_subdomain(storage_class));
}

void check_driver_name(const std::string& name, const std::string& field, Checks& checks) {
    if (name.empty()) return checks.required(field);
    if (name.size() > driver_name_max) checks.too_long(field, driver_name_max);
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    checks.syntax(field, name, check_dns_subdomain(lower));
}

void check_positive(const Json& amount, const std::string& field, Checks& checks) {
    if (milli_of(amount) <= 0) checks.invalid(field, amount, "must be greater than zero");
}

void check_no_backsteps(const std::string& path, const std::string& field, Checks& checks) {
    if (("/" + path + "/").find("/../") == std::string::npos) return;
    checks.invalid(field, path, "must not contain '..'");
}

}  // namespace k8s::embedded
