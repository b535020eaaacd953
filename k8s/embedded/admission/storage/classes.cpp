#include "k8s/embedded/admission/storage/classes.hpp"

#include "k8s/embedded/admission/storage/volume_fields.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>
#include <cctype>
#include <set>
#include <string>

namespace k8s::embedded {
namespace {

constexpr std::size_t node_id_max = 256;

std::string lower_case(std::string text) {
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    return text;
}

void check_topology(const Json& expression, const std::string& field, Checks& checks) {
    const Json::Array& values = items_at(expression, {"values"});
    if (values.empty()) checks.required(field + ".values");
    std::set<std::string> known;
    for (std::size_t i = 0; i < values.size(); ++i) {
        if (known.insert(values[i].as_string()).second) continue;
        checks.duplicate(at_index(field + ".values", i), values[i]);
    }
    const std::string& key = expression.text({"key"});
    checks.syntax(field + ".key", key, check_qualified_name(key));
}

void check_topologies(const Json& storage_class, Checks& checks) {
    const Json::Array& terms = items_at(storage_class, {"allowedTopologies"});
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::string list = at_index("allowedTopologies", i) + ".matchLabelExpressions";
        const Json::Array& expressions = items_at(terms[i], {"matchLabelExpressions"});
        std::set<std::string> keys;
        for (std::size_t j = 0; j < expressions.size(); ++j) {
            const std::string at = at_index(list, j);
            check_topology(expressions[j], at, checks);
            const std::string& key = expressions[j].text({"key"});
            if (!keys.insert(key).second) checks.duplicate(at + ".key", key);
        }
        if (expressions.empty()) checks.duplicate(list, "");  // two terms that allow everything
    }
}

void check_driver(const Json& driver, const std::string& at, Checks& checks) {
    check_driver_name(driver.text({"name"}), at + ".name", checks);
    const std::string& id = driver.text({"nodeID"});
    if (id.empty()) checks.required(at + ".nodeID");
    if (id.size() > node_id_max) {
        checks.invalid(at + ".nodeID", id, "must be 256 characters or less");
    }
    const std::int64_t count = int_at(driver, {"allocatable", "count"});
    if (count < 0) {
        checks.invalid(at + ".allocatable.count", count, "must be greater than or equal to 0");
    }
    std::set<std::string> keys;
    for (const Json& key : items_at(driver, {"topologyKeys"})) {
        if (key.as_string().empty()) checks.required(at);
        if (!keys.insert(key.as_string()).second) checks.duplicate(at, key);
        checks.syntax(at, key.as_string(), check_qualified_name(key.as_string()));
    }
}

Json without_allocatable(Json driver) {
    driver.erase("allocatable");
    return driver;
}

}  // namespace

void default_storage_class(Json& storage_class) {
    set_if_absent(storage_class, "reclaimPolicy", "Delete");
    set_if_absent(storage_class, "volumeBindingMode", "Immediate");
    for (const char* key : {"parameters", "allowedTopologies", "mountOptions"}) {
        erase_if_empty(storage_class, key);
    }
}

void check_storage_class(const Json& storage_class, Checks& checks) {
    const std::string& provisioner = storage_class.text({"provisioner"});
    if (provisioner.empty()) {
        checks.required("provisioner");
    } else {
        checks.syntax("provisioner", provisioner, check_qualified_name(lower_case(provisioner)));
    }
    const std::string& policy = storage_class.text({"reclaimPolicy"});
    checks.supported("reclaimPolicy", policy, {"", "Delete", "Retain"});
    checks.supported(
        "volumeBindingMode",
        storage_class.text({"volumeBindingMode"}),
        {"Immediate", "WaitForFirstConsumer"});
    check_topologies(storage_class, checks);
}

void check_storage_class_update(const Json& stored, const Json& storage_class, Checks& checks) {
    for (const char* key : {"parameters", "provisioner", "reclaimPolicy", "volumeBindingMode"}) {
        const Json* before = stored.find(key);
        const Json* after = storage_class.find(key);
        const Json none;
        if (same_json(before == nullptr ? none : *before, after == nullptr ? none : *after)) {
            continue;
        }
        checks.invalid(key, after == nullptr ? none : *after, "field is immutable");
    }
}

void default_csi_node(Json& node) {
    set_if_missing(node, "spec", Json(Json::Object{}));
    Json& spec = node["spec"];
    erase_if_empty(spec, "drivers");
    if (Json* drivers = spec.find("drivers")) {
        for (Json& driver : drivers->items()) erase_if_empty(driver, "topologyKeys");
    }
}

void check_csi_node(const Json& node, Checks& checks) {
    const Json::Array& drivers = items_at(node, {"spec", "drivers"});
    std::set<std::string> names;
    for (std::size_t i = 0; i < drivers.size(); ++i) {
        const std::string at = at_index("spec.drivers", i);
        check_driver(drivers[i], at, checks);
        const std::string& name = drivers[i].text({"name"});
        if (!names.insert(name).second) checks.duplicate(at + ".name", name);
    }
}

void check_csi_node_update(const Json& stored, const Json& node, Checks& checks) {
    for (const Json& before : items_at(stored, {"spec", "drivers"})) {
        for (const Json& after : items_at(node, {"spec", "drivers"})) {
            if (before.text({"name"}) != after.text({"name"})) continue;
            if (same_json(without_allocatable(before), without_allocatable(after))) continue;
            checks.invalid("spec.drivers", after, "field is immutable");
        }
    }
}

}  // namespace k8s::embedded
