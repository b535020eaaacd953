#include "k8s/embedded/admission/object_rules.hpp"

#include "k8s/embedded/admission/check_events.hpp"
#include "k8s/embedded/admission/check_secrets.hpp"
#include "k8s/embedded/admission/storage/claims.hpp"
#include "k8s/embedded/admission/storage/classes.hpp"
#include "k8s/embedded/admission/storage/csi_objects.hpp"
#include "k8s/embedded/admission/storage/volumes.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <utility>

namespace k8s::embedded {
namespace {

constexpr std::size_t data_bytes_max = 1U << 20U;
constexpr std::int64_t service_port_max = 65535;
constexpr std::int64_t user_priority_max = 1'000'000'000;

bool is_core_kind(const Kind& kind, std::string_view plural) {
    return kind.group.empty() && kind.plural == plural;
}

// Addresses are only shown, nothing answers there; 10.96.0.0/12 is what clusters use.
std::string made_up_address(const Surroundings& around) {
    const std::uint64_t number = around.next_number ? around.next_number() : 1;
    return fmt::format("10.{}.{}.{}", 96 + number / 65536 % 16, number / 256 % 256, number % 256);
}

void default_service_address(Json& spec, const Surroundings& around) {
    set_if_missing(spec, "clusterIP", made_up_address(around));
    const std::string address = spec.text({"clusterIP"});
    spec.set("clusterIPs", Json::Array{address});
    set_if_missing(spec, "ipFamilies", Json::Array{"IPv4"});
    set_if_missing(spec, "ipFamilyPolicy", "SingleStack");
    set_if_missing(spec, "internalTrafficPolicy", "Cluster");
}

void default_service(Json& object, const Surroundings& around) {
    Json& spec = object["spec"];
    set_if_missing(spec, "type", "ClusterIP");
    set_if_missing(spec, "sessionAffinity", "None");
    if (spec.text({"type"}) != "ExternalName") default_service_address(spec, around);
    if (spec.find("ports") != nullptr) {
        for (Json& port : spec["ports"].items()) {
            set_if_missing(port, "protocol", "TCP");
            const std::int64_t number = int_at(port, {"port"});
            set_if_missing(port, "targetPort", number);
        }
    }
    if (object.find("status") == nullptr) {
        object["status"].set("loadBalancer", Json(Json::Object{}));
    }
}

void default_namespace(Json& object) {
    const std::string name = object.text({"metadata", "name"});
    if (!name.empty()) object["metadata"]["labels"].set("kubernetes.io/metadata.name", name);
    set_if_missing(object, "spec", Json(Json::Object{}));
    if (object.text({"metadata", "deletionTimestamp"}).empty()) {
        set_if_missing(object["spec"], "finalizers", Json::Array{"kubernetes"});
    }
    set_if_missing(object["status"], "phase", "Active");
}

// Clients look into the status of a node without asking whether it is there.
void default_node(Json& object) {
    set_if_missing(object, "spec", Json(Json::Object{}));
    set_if_missing(object, "status", Json(Json::Object{}));
    Json& status = object["status"];
    const Json* capacity = status.find("capacity");
    if (capacity != nullptr) set_if_missing(status, "allocatable", Json(*capacity));
    if (status.find("daemonEndpoints") == nullptr) {
        status["daemonEndpoints"]["kubeletEndpoint"].set("Port", 0);
    }
    Json& info = status["nodeInfo"];
    constexpr std::array facts = {
        "machineID",
        "systemUUID",
        "bootID",
        "kernelVersion",
        "osImage",
        "containerRuntimeVersion",
        "kubeletVersion",
        "kubeProxyVersion",
        "operatingSystem",
        "architecture"};
    for (const char* fact : facts) set_if_missing(info, fact, "");
}

void default_deployment(Json& spec) {
    set_if_missing(spec, "revisionHistoryLimit", 10);
    set_if_missing(spec, "progressDeadlineSeconds", 600);
    if (spec.find("strategy") != nullptr) return;
    Json& strategy = spec["strategy"];
    strategy.set("type", "RollingUpdate");
    strategy["rollingUpdate"].set("maxUnavailable", "25%");
    strategy["rollingUpdate"].set("maxSurge", "25%");
}

void default_stateful_set(Json& spec) {
    set_if_missing(spec, "podManagementPolicy", "OrderedReady");
    for (const char* when : {"whenDeleted", "whenScaled"}) {
        set_if_missing(spec["persistentVolumeClaimRetentionPolicy"], when, "Retain");
    }
    set_if_missing(spec, "revisionHistoryLimit", 10);
    if (spec.find("updateStrategy") != nullptr) return;
    Json& strategy = spec["updateStrategy"];
    strategy.set("type", "RollingUpdate");
    strategy["rollingUpdate"].set("partition", 0);
    strategy["rollingUpdate"].set("maxUnavailable", 1);
}

void default_job(Json& spec) {
    const bool counts = spec.find("completions") != nullptr || spec.find("parallelism") != nullptr;
    if (!counts) set_if_missing(spec, "completions", 1);
    set_if_missing(spec, "parallelism", 1);
    set_if_missing(spec, "backoffLimit", 6);
    set_if_missing(spec, "completionMode", "NonIndexed");
    set_if_missing(spec, "suspend", false);
}

void default_workload(const Kind& kind, Json& object) {
    if (kind.has_status()) set_if_missing(object, "status", Json(Json::Object{}));
    Json* spec = object.find("spec");
    if (spec == nullptr) return;
    const bool replicated = kind.plural == "deployments" || kind.plural == "replicasets" ||
                            kind.plural == "statefulsets";
    if (replicated) set_if_missing(*spec, "replicas", 1);
    if (kind.plural == "deployments") default_deployment(*spec);
    if (kind.plural == "statefulsets") default_stateful_set(*spec);
    if (kind.plural == "statefulsets") set_if_missing(object["status"], "availableReplicas", 0);
    const bool counts_all = kind.plural == "statefulsets" || kind.plural == "replicasets";
    if (counts_all) set_if_missing(object["status"], "replicas", 0);
    if (kind.plural == "jobs") default_job(*spec);
}

void default_endpoints(Json& object) {
    if (object.find("subsets") == nullptr) return;
    for (Json& subset : object["subsets"].items()) {
        if (subset.find("ports") == nullptr) continue;
        for (Json& port : subset["ports"].items()) set_if_missing(port, "protocol", "TCP");
    }
}

void default_budget(Json& object) {
    for (const char* count :
         {"disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods"}) {
        set_if_missing(object["status"], count, 0);
    }
}

void default_network_policy(Json& spec) {
    if (spec.find("policyTypes") != nullptr) return;
    Json::Array types{"Ingress"};
    if (spec.find("egress") != nullptr) types.emplace_back("Egress");
    spec.set("policyTypes", std::move(types));
}

void check_data(const Json& object, Checks& checks) {
    std::size_t bytes = 0;
    for (const char* bag : {"data", "binaryData"}) {
        const Json* entries = object.find(bag);
        if (entries == nullptr) continue;
        for (const auto& [key, value] : entries->members()) {
            bytes += value.as_string().size();
            const std::string field = std::string(bag) + "[" + key + "]";
            checks.syntax(field, key, check_data_key(key));
            const Json* other = object.find_path({"data", key});
            if (entries != object.find("data") && other != nullptr) {
                checks.invalid(field, key, "duplicate of key present in data");
            }
        }
    }
    if (bytes > data_bytes_max) checks.too_long("[]", data_bytes_max);
}

bool is_ip_address(const std::string& text) {
    int parts = 0;
    std::size_t at = 0;
    while (at <= text.size()) {
        const auto end = std::min(text.find('.', at), text.size());
        const auto part = text.substr(at, end - at);
        const bool is_number = !part.empty() && part.size() <= 3 &&
                               part.find_first_not_of("0123456789") == std::string::npos;
        if (!is_number || std::stoi(part) > 255) return false;
        ++parts;
        at = end + 1;
    }
    return parts == 4;
}

void check_service(const Json& object, Checks& checks) {
    const std::string& type = object.text({"spec", "type"});
    checks.one_of("spec.type", type, {"ClusterIP", "ExternalName", "LoadBalancer", "NodePort"});
    const Json::Array& ports = items_at(object, {"spec", "ports"});
    const bool headless = object.text({"spec", "clusterIP"}) == "None";
    if (ports.empty() && !headless && type != "ExternalName") checks.required("spec.ports");
    std::set<std::string> names;
    std::set<std::string> used;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const std::string at = at_index("spec.ports", i);
        const std::string& name = ports[i].text({"name"});
        if (ports.size() > 1 && name.empty()) checks.required(at + ".name");
        for (const char* key : {"port", "targetPort"}) {
            const Json* port = ports[i].find(key);
            if (port != nullptr && port->is_string()) continue;  // the name of a container's port
            const std::int64_t number = int_at(ports[i], {key});
            if (number >= 1 && number <= service_port_max) continue;
            checks.invalid(at + "." + key, number, "must be between 1 and 65535, inclusive");
        }
        if (!name.empty() && !names.insert(name).second) checks.duplicate(at + ".name", name);
        const std::string number = std::to_string(int_at(ports[i], {"port"}));
        const bool is_new = used.insert(number + "/" + ports[i].text({"protocol"})).second;
        if (!is_new) checks.duplicate(at, ports[i]);
    }
    const std::string& address = object.text({"spec", "clusterIP"});
    if (!address.empty() && !headless && address.find(':') == std::string::npos &&
        !is_ip_address(address)) {
        checks.invalid("spec.clusterIPs[0]", address, "must be a valid IP address");
    }
}

void check_amounts(const Json& object, Checks& checks) {
    for (const char* list : {"capacity", "allocatable"}) {
        const Json* amounts = object.find_path({"status", list});
        if (amounts == nullptr) continue;
        for (const auto& [resource, amount] : amounts->members()) {
            if (!amount.as_string().starts_with('-')) continue;
            checks.invalid(
                std::string("status.") + list + "." + resource,
                amount,
                "must be greater than or equal to 0");
        }
    }
}

void check_lease(const Json& object, Checks& checks) {
    const Json* duration = object.find_path({"spec", "leaseDurationSeconds"});
    if (duration != nullptr && duration->as_int() <= 0) {
        checks.invalid("spec.leaseDurationSeconds", *duration, "must be greater than 0");
    }
    const Json* transitions = object.find_path({"spec", "leaseTransitions"});
    if (transitions != nullptr && transitions->as_int() < 0) {
        checks.invalid("spec.leaseTransitions", *transitions, "must be greater than or equal to 0");
    }
}

void check_node(const Json& object, Checks& checks) {
    const Json::Array& taints = items_at(object, {"spec", "taints"});
    for (std::size_t i = 0; i < taints.size(); ++i) {
        const std::string at = at_index("metadata.taints", i);  // the real server says it so
        const std::string& key = taints[i].text({"key"});
        checks.syntax(at + ".key", key, check_qualified_name(key));
        checks.one_of(
            at + ".effect",
            taints[i].text({"effect"}),
            {"NoSchedule", "PreferNoSchedule", "NoExecute"});
    }
}

bool same_member(const Json& left, const Json& right, std::string_view key) {
    const Json* one = left.find(key);
    const Json* other = right.find(key);
    if (one == nullptr || other == nullptr) return one == other;
    return same_json(*one, *other);
}

}  // namespace

void default_other(const Kind& kind, Json& object, const Surroundings& around) {
    if (is_core_kind(kind, "services")) default_service(object, around);
    if (is_core_kind(kind, "namespaces")) default_namespace(object);
    if (is_core_kind(kind, "nodes")) default_node(object);
    if (is_core_kind(kind, "secrets")) default_secret(object);
    if (kind.plural == "leases") set_if_missing(object, "spec", Json(Json::Object{}));
    if (is_core_kind(kind, "events")) default_event(object);
    if (is_core_kind(kind, "persistentvolumeclaims")) default_claim(object);
    if (is_core_kind(kind, "persistentvolumes")) default_volume(object);
    if (kind.plural == "priorityclasses") {
        set_if_missing(object, "preemptionPolicy", "PreemptLowerPriority");
    }
    if (is_core_kind(kind, "endpoints")) default_endpoints(object);
    if (is_core_kind(kind, "resourcequotas")) set_if_missing(object, "status", Json(Json::Object{}));
    if (kind.plural == "poddisruptionbudgets") default_budget(object);
    if (kind.plural == "networkpolicies") default_network_policy(object["spec"]);
    if (kind.plural == "ingresses") {
        set_if_missing(object["status"], "loadBalancer", Json(Json::Object{}));
    }
    if (kind.plural == "storageclasses") default_storage_class(object);
    if (kind.plural == "csinodes") default_csi_node(object);
    if (kind.plural == "csidrivers") default_csi_driver(object);
    if (kind.plural == "volumeattachments") default_attachment(object);
    if (kind.group == "apps" || kind.group == "batch") default_workload(kind, object);
}

void check_other(const Kind& kind, const Json& object, Checks& checks) {
    if (is_core_kind(kind, "configmaps") || is_core_kind(kind, "secrets")) check_data(object, checks);
    if (is_core_kind(kind, "secrets")) check_secret(object, checks);
    if (is_core_kind(kind, "events")) check_event(object, checks);
    if (is_core_kind(kind, "services")) check_service(object, checks);
    if (is_core_kind(kind, "nodes")) check_node(object, checks);
    if (kind.plural == "leases") check_lease(object, checks);
    if (is_core_kind(kind, "persistentvolumeclaims")) check_claim(object, checks);
    if (is_core_kind(kind, "persistentvolumes")) check_volume(object, checks);
    if (kind.plural == "storageclasses") check_storage_class(object, checks);
    if (kind.plural == "csinodes") check_csi_node(object, checks);
    if (kind.plural == "csidrivers") check_csi_driver(object, checks);
    if (kind.plural == "csistoragecapacities") check_storage_capacity(object, checks);
    if (kind.plural == "volumeattachments") check_attachment(object, checks);
    if (kind.plural == "priorityclasses" && int_at(object, {"value"}) > user_priority_max) {
        checks.forbidden(
            "value", fmt::format("maximum allowed value of a user defined priority is {}", user_priority_max));
    }
    const bool has_template = object.find_path({"spec", "template", "spec"}) != nullptr;
    const bool is_workload = kind.group == "apps" || kind.plural == "jobs";
    if (is_workload && kind.plural != "controllerrevisions" && !has_template) {
        checks.required("spec.template.spec.containers");
    }
}

void check_other_status(const Kind& kind, const Json& object, Checks& checks) {
    if (is_core_kind(kind, "nodes")) check_amounts(object, checks);
}

void check_other_update(const Kind& kind, const Json& stored, const Json& object, Checks& checks) {
    if (is_core_kind(kind, "persistentvolumeclaims")) check_claim_update(stored, object, checks);
    if (is_core_kind(kind, "persistentvolumes")) check_volume_update(stored, object, checks);
    if (kind.plural == "storageclasses") check_storage_class_update(stored, object, checks);
    if (kind.plural == "csinodes") check_csi_node_update(stored, object, checks);
    if (kind.plural == "csistoragecapacities") check_storage_capacity_update(stored, object, checks);
    if (kind.plural == "volumeattachments") check_attachment_update(stored, object, checks);
    const bool is_data = is_core_kind(kind, "configmaps") || is_core_kind(kind, "secrets");
    if (is_core_kind(kind, "secrets") && stored.text({"type"}) != object.text({"type"})) {
        checks.invalid("type", object.text({"type"}), "field is immutable");
    }
    if (!is_data || !true_at(stored, {"immutable"})) return;
    constexpr const char* why = "field is immutable when `immutable` is set";
    if (!true_at(object, {"immutable"})) checks.forbidden("immutable", why);
    for (const char* key : {"data", "binaryData"}) {
        if (!same_member(stored, object, key)) checks.forbidden(key, why);
    }
}

}  // namespace k8s::embedded
