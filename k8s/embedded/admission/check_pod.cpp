#include "k8s/embedded/admission/check_pod.hpp"

#include "k8s/embedded/admission/check_metadata.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace k8s::embedded {
namespace {

void check_volumes(const Json& spec, const std::string& field, Checks& checks) {
    const Json::Array& volumes = items_at(spec, {"volumes"});
    std::set<std::string> names;
    for (std::size_t i = 0; i < volumes.size(); ++i) {
        const std::string at = at_index(field, i);
        const std::string& name = volumes[i].text({"name"});
        if (name.empty()) checks.required(at + ".name");
        if (!name.empty()) checks.syntax(at + ".name", name, check_dns_label(name));
        if (!name.empty() && !names.insert(name).second) checks.duplicate(at + ".name", name);
        const Json* map = volumes[i].find("configMap");
        if (map != nullptr && map->text({"name"}).empty()) {
            checks.required(at + ".configMap.name");
        }
        if (volumes[i].members().size() > 2) {
            checks.forbidden(at, "may not specify more than 1 volume type");
        }
    }
}

void check_tolerations(const Json& spec, const std::string& field, Checks& checks) {
    const Json::Array& tolerations = items_at(spec, {"tolerations"});
    for (std::size_t i = 0; i < tolerations.size(); ++i) {
        const Json& toleration = tolerations[i];
        const std::string at = at_index(field, i);
        const std::string& key = toleration.text({"key"});
        const std::string& verb = toleration.text({"operator"});
        const std::string& value = toleration.text({"value"});
        const std::string& effect = toleration.text({"effect"});
        if (!key.empty()) checks.syntax(at + ".key", key, check_qualified_name(key));
        if (key.empty() && verb != "Exists") {
            checks.invalid(
                at + ".operator",
                verb,
                "operator must be Exists when `key` is empty, which means \"match all values and "
                "all keys\"");
        }
        if (!verb.empty()) checks.one_of(at + ".operator", verb, {"Equal", "Exists"});
        if (verb == "Exists" && !value.empty()) {
            checks.invalid(
                at + ".operator", value, "value must be empty when `operator` is 'Exists'");
        }
        if (!effect.empty()) {
            checks.one_of(at + ".effect", effect, {"NoSchedule", "PreferNoSchedule", "NoExecute"});
        }
    }
}

void check_expression(const Json& expression, const std::string& field, Checks& checks) {
    const std::string& verb = expression.text({"operator"});
    const Json::Array& texts = items_at(expression, {"values"});
    const std::size_t values = texts.size();
    const std::string& key = expression.text({"key"});
    checks.syntax(field + ".key", key, check_qualified_name(key));
    for (std::size_t i = 0; i < values; ++i) {
        const std::string& text = texts[i].as_string();
        checks.syntax(at_index(field + ".values", i), text, check_label_value(text));
    }
    if ((verb == "In" || verb == "NotIn") && values == 0) {
        checks.required(field + ".values", "must be specified when `operator` is 'In' or 'NotIn'");
    } else if ((verb == "Exists" || verb == "DoesNotExist") && values > 0) {
        checks.forbidden(
            field + ".values",
            "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
    } else if ((verb == "Gt" || verb == "Lt") && values != 1) {
        checks.required(
            field + ".values", "must be specified single value when `operator` is 'Lt' or 'Gt'");
    }
    const bool known = verb == "In" || verb == "NotIn" || verb == "Exists" ||
                       verb == "DoesNotExist" || verb == "Gt" || verb == "Lt";
    if (!known) checks.invalid(field + ".operator", verb, "not a valid selector operator");
}

void check_node_affinity(const Json& spec, const std::string& field, Checks& checks) {
    const Json* required = spec.find_path(
        {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution"});
    if (required == nullptr) return;
    const std::string at = field + ".nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution";
    check_node_selector(*required, at, checks);
}

void check_spread(const Json& spec, const std::string& field, Checks& checks) {
    const Json::Array& constraints = items_at(spec, {"topologySpreadConstraints"});
    for (std::size_t i = 0; i < constraints.size(); ++i) {
        const std::string at = at_index(field, i);
        const std::int64_t skew = int_at(constraints[i], {"maxSkew"});
        if (skew <= 0) checks.invalid(at + ".maxSkew", skew, "must be greater than zero");
        if (constraints[i].text({"topologyKey"}).empty()) {
            checks.required(at + ".topologyKey", "can not be empty");
        }
        checks.one_of(
            at + ".whenUnsatisfiable",
            constraints[i].text({"whenUnsatisfiable"}),
            {"DoNotSchedule", "ScheduleAnyway"});
    }
}

void check_gates(const Json& spec, const std::string& field, Checks& checks) {
    const Json::Array& gates = items_at(spec, {"schedulingGates"});
    std::set<std::string> names;
    for (std::size_t i = 0; i < gates.size(); ++i) {
        const std::string at = at_index(field + ".schedulingGates", i);
        const std::string& name = gates[i].text({"name"});
        checks.syntax(at, name, check_qualified_name(name));
        if (!names.insert(name).second) checks.duplicate(at, name);
    }
    if (!gates.empty() && !spec.text({"nodeName"}).empty()) {
        checks.forbidden(
            field + ".nodeName", "cannot be set until all schedulingGates have been cleared");
    }
}

// Empty members mean the same as missing ones.
Json without_empties(const Json& value) {
    if (value.is_array()) {
        Json::Array items;
        for (const Json& item : value.items()) items.push_back(without_empties(item));
        return items;
    }
    if (!value.is_object()) return value;
    Json::Object kept;
    for (const auto& [key, member] : value.members()) {
        Json slim = without_empties(member);
        const bool empty = slim.is_null() || (slim.is_object() && slim.members().empty()) ||
                           (slim.is_array() && slim.items().empty()) ||
                           (slim.is_string() && slim.as_string().empty());
        if (!empty) kept.emplace_back(key, std::move(slim));
    }
    return kept;
}

void copy_member(const Json& from, Json& to, std::string_view key) {
    const Json* value = from.find(key);
    if (value != nullptr) to.set(key, *value);
    if (value == nullptr) to.erase(key);
}

void copy_images(const Json& from, Json& to, std::string_view list) {
    Json* containers = to.find(list);
    if (containers == nullptr) return;
    const Json::Array& before = items_at(from, {list});
    for (std::size_t i = 0; i < containers->items().size() && i < before.size(); ++i) {
        copy_member(before[i], containers->items()[i], "image");
    }
}

bool contains(const Json::Array& items, const Json& wanted) {
    return std::any_of(
        items.begin(), items.end(), [&](const Json& item) { return same_json(item, wanted); });
}

void check_tolerations_grew(const Json& stored, const Json& spec, Checks& checks) {
    const Json::Array& now = items_at(spec, {"tolerations"});
    for (const Json& toleration : items_at(stored, {"tolerations"})) {
        if (contains(now, toleration)) continue;
        checks.forbidden(
            "spec.tolerations",
            "existing toleration can not be modified except its tolerationSeconds");
        return;
    }
}

void check_gates_shrank(const Json& stored, const Json& spec, Checks& checks) {
    const Json::Array& before = items_at(stored, {"schedulingGates"});
    const Json::Array& now = items_at(spec, {"schedulingGates"});
    for (std::size_t i = 0; i < now.size(); ++i) {
        if (contains(before, now[i])) continue;
        checks.forbidden(
            at_index("spec.schedulingGates", i) + ".name",
            "only deletion is allowed, but found new scheduling gate '" + now[i].text({"name"}) +
                "'");
    }
}

// False when a container was added or removed: then nothing else is worth comparing.
bool check_same_containers(const Json& stored, const Json& spec, Checks& checks) {
    for (const char* list : {"containers", "initContainers"}) {
        if (items_at(stored, {list}).size() == items_at(spec, {list}).size()) continue;
        checks.forbidden(
            std::string("spec.") + list, "pod updates may not add or remove containers");
        return false;
    }
    return true;
}

void check_pod_affinity(const Json& spec, const std::string& field, Checks& checks) {
    for (const char* sort : {"podAffinity", "podAntiAffinity"}) {
        const char* required = "requiredDuringSchedulingIgnoredDuringExecution";
        const Json::Array& terms = items_at(spec, {"affinity", sort, required});
        for (std::size_t i = 0; i < terms.size(); ++i) {
            if (!terms[i].text({"topologyKey"}).empty()) continue;
            const std::string at = field + "." + sort + "." + required;
            checks.required(at_index(at, i) + ".topologyKey", "can not be empty");
            checks.syntax(at_index(at, i) + ".topologyKey", "", check_qualified_name(""));
        }
    }
}

}  // namespace

void check_node_selector(const Json& selector, const std::string& field, Checks& checks) {
    const std::string list = field + ".nodeSelectorTerms";
    const Json::Array& terms = items_at(selector, {"nodeSelectorTerms"});
    if (terms.empty()) checks.required(list, "must have at least one node selector term");
    for (std::size_t i = 0; i < terms.size(); ++i) {
        const std::string at = at_index(list, i) + ".matchExpressions";
        const Json::Array& expressions = items_at(terms[i], {"matchExpressions"});
        for (std::size_t j = 0; j < expressions.size(); ++j) {
            check_expression(expressions[j], at_index(at, j), checks);
        }
    }
}

void check_pod_spec(const Json& spec, const std::string& field, Checks& checks) {
    check_volumes(spec, field + ".volumes", checks);
    check_containers(spec, field, false, checks);
    check_containers(spec, field, true, checks);
    checks.one_of(
        field + ".restartPolicy", spec.text({"restartPolicy"}), {"Always", "OnFailure", "Never"});
    checks.one_of(
        field + ".dnsPolicy",
        spec.text({"dnsPolicy"}),
        {"ClusterFirstWithHostNet", "ClusterFirst", "Default", "None"});
    if (spec.text({"dnsPolicy"}) == "None" && items_at(spec, {"dnsConfig", "nameservers"}).empty()) {
        checks.required(
            field + ".dnsConfig",
            "must provide `dnsConfig` when `dnsPolicy` is None");
    }
    const std::string& host = spec.text({"hostname"});
    if (!host.empty()) checks.syntax(field + ".hostname", host, check_dns_label(host));
    check_pod_affinity(spec, field + ".affinity", checks);
    check_labels(spec.find("nodeSelector"), field + ".nodeSelector", checks);
    for (const char* key : {"serviceAccountName", "nodeName"}) {
        const std::string& name = spec.text({key});
        if (!name.empty()) checks.syntax(field + "." + key, name, check_dns_subdomain(name));
    }
    check_tolerations(spec, field + ".tolerations", checks);
    check_node_affinity(spec, field + ".affinity", checks);
    check_spread(spec, field + ".topologySpreadConstraints", checks);
    check_gates(spec, field, checks);
    const Json* deadline = spec.find("activeDeadlineSeconds");
    if (deadline != nullptr && deadline->as_int() < 1) {
        checks.invalid(
            field + ".activeDeadlineSeconds",
            *deadline,
            "must be between 1 and 2147483647, inclusive");
    }
}

void check_pod_update(const Json& stored_spec, const Json& spec, Checks& checks) {
    if (!check_same_containers(stored_spec, spec, checks)) return;
    check_tolerations_grew(stored_spec, spec, checks);
    check_gates_shrank(stored_spec, spec, checks);
    const Json* deadline = spec.find("activeDeadlineSeconds");
    const Json* before = stored_spec.find("activeDeadlineSeconds");
    if (before != nullptr && (deadline == nullptr || deadline->as_int() > before->as_int())) {
        checks.invalid(
            "spec.activeDeadlineSeconds",
            deadline == nullptr ? Json() : *deadline,
            "must be less than or equal to previous value");
    }
    Json munged = spec;
    for (const char* list : {"containers", "initContainers"})
        copy_images(stored_spec, munged, list);
    for (const char* key : {"activeDeadlineSeconds", "tolerations", "schedulingGates"}) {
        copy_member(stored_spec, munged, key);
    }
    const bool gated = !items_at(stored_spec, {"schedulingGates"}).empty();
    if (gated) copy_member(stored_spec, munged, "nodeSelector");
    if (same_json(without_empties(munged), without_empties(stored_spec))) return;
    checks.forbidden(
        "spec",
        "pod updates may not change fields other than `spec.containers[*].image`,"
        "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only "
        "additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be "
        "set to 1 if it was previously negative)");
}

}  // namespace k8s::embedded
