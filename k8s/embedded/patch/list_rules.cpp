#include "k8s/embedded/patch/list_rules.hpp"

#include <array>

namespace k8s::embedded {

namespace {

using Form = ListRule::Form;

struct NamedRule {
    std::string_view field;
    ListRule rule;
};

ListRule keyed(std::string_view key) {
    return {Form::keyed, key, {}, false};
}

const std::vector<NamedRule>& by_field() {
    static const std::vector<NamedRule> rules = {
        {"containers", keyed("name")},
        {"initContainers", keyed("name")},
        {"ephemeralContainers", keyed("name")},
        {"env", keyed("name")},
        {"volumes", keyed("name")},
        {"volumeMounts", keyed("mountPath")},
        {"volumeDevices", keyed("devicePath")},
        {"hostAliases", keyed("ip")},
        {"schedulingGates", keyed("name")},
        {"resourceClaims", keyed("name")},
        {"topologySpreadConstraints",
         {Form::keyed, "topologyKey", {"topologyKey", "whenUnsatisfiable"}, false}},
        {"conditions", keyed("type")},
        {"ownerReferences", keyed("uid")},
        {"addresses", keyed("type")},
        {"podIPs", keyed("ip")},
        {"hostIPs", {Form::keyed, "ip", {}, true}},
        {"secrets", keyed("name")},
        {"finalizers", {Form::set, {}, {}, false}},
        {"podCIDRs", {Form::set, {}, {}, false}}};
    return rules;
}

bool is_container_list(std::string_view parent) {
    return parent == "containers" || parent == "initContainers" || parent == "ephemeralContainers";
}

}  // namespace

ListRule list_rule(const Kind& kind, std::string_view parent, std::string_view field) {
    if (field == "ports" && is_container_list(parent)) {
        return {Form::keyed, "containerPort", {"containerPort", "protocol"}, false};
    }
    if (field == "ports" && kind.plural == "services" && parent == "spec") {
        return {Form::keyed, "port", {"port", "protocol"}, false};
    }
    if (field == "imagePullSecrets" && kind.plural != "serviceaccounts") {
        return keyed("name");
    }
    // Namespaces have finalizers in their spec too, which are atomic.
    if (field == "finalizers" && parent != "metadata") {
        return {};
    }
    if ((field == "resourceClaims" || field == "secrets") && is_container_list(parent)) {
        return {};
    }
    if (field == "drivers" && kind.plural == "csinodes") {
        return keyed("name");
    }
    for (const auto& [name, rule] : by_field()) {
        if (name == field) {
            return rule;
        }
    }
    return {};
}

Json key_value(const Json& item, std::string_view key) {
    if (const Json* value = item.find(key)) {
        return *value;
    }
    return key == "protocol" ? Json("TCP") : Json();
}

}  // namespace k8s::embedded
