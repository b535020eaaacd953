// Printers of the core group.
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/tables/age.hpp"
#include "k8s/embedded/tables/printer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

namespace k8s::embedded {
namespace {

std::int64_t count_at(const Json& object, std::string_view key) {
    const Json* found = object.find(key);
    return found != nullptr ? static_cast<std::int64_t>(found->members().size()) : 0;
}

std::string or_else(const std::string& text, std::string_view fallback) {
    return text.empty() ? std::string(fallback) : text;
}

std::string node_status(const Json& node) {
    std::string status = "Unknown";
    for (const Json& condition : items_at(node, {"status", "conditions"})) {
        if (condition.text({"type"}) != "Ready") continue;
        status = condition.text({"status"}) == "True" ? "Ready" : "NotReady";
    }
    const Json* cordoned = node.find_path({"spec", "unschedulable"});
    if (cordoned != nullptr && cordoned->as_bool()) status += ",SchedulingDisabled";
    return status;
}

std::string node_roles(const Json& node) {
    constexpr std::string_view prefix = "node-role.kubernetes.io/";
    std::set<std::string> roles;
    if (const Json* labels = node.find_path({"metadata", "labels"})) {
        for (const auto& [key, value] : labels->members()) {
            if (key.starts_with(prefix)) roles.insert(key.substr(prefix.size()));
            if (key == "kubernetes.io/role") roles.insert(value.as_string());
        }
    }
    roles.erase("");
    std::string joined;
    for (const std::string& role : roles) joined += (joined.empty() ? "" : ",") + role;
    return or_else(joined, "<none>");
}

std::string node_address(const Json& node, std::string_view type) {
    for (const Json& address : items_at(node, {"status", "addresses"})) {
        if (address.text({"type"}) == type) return address.text({"address"});
    }
    return "<none>";
}

Json::Array node_cells(const Json& node, std::int64_t now_ms) {
    const auto info = [&](std::string_view key) { return node.text({"status", "nodeInfo", key}); };
    std::string kernel = or_else(info("kernelVersion"), "<unknown>");
    if (!info("architecture").empty()) kernel += " (" + info("architecture") + ")";
    return {
        name_cell(node),
        node_status(node),
        node_roles(node),
        age_cell(node, now_ms),
        info("kubeletVersion"),
        node_address(node, "InternalIP"),
        node_address(node, "ExternalIP"),
        or_else(info("osImage"), "<unknown>"),
        kernel,
        or_else(info("containerRuntimeVersion"), "<unknown>"),
    };
}

// Ingress addresses of a load balancer, sorted; "<pending>" while there are none.
std::string load_balancer_addresses(const Json& service) {
    std::set<std::string> addresses;
    for (const Json& ingress : items_at(service, {"status", "loadBalancer", "ingress"})) {
        addresses.insert(or_else(ingress.text({"ip"}), ingress.text({"hostname"})));
    }
    std::string joined;
    for (const std::string& address : addresses) {
        joined += (joined.empty() ? "" : ",") + address;
    }
    return joined;
}

std::string service_external_ip(const Json& service) {
    const std::string& type = service.text({"spec", "type"});
    if (type == "ExternalName") return service.text({"spec", "externalName"});
    std::string external = join_texts(service.find_path({"spec", "externalIPs"}));
    if (type != "LoadBalancer") return or_else(external, "<none>");
    const std::string balanced = load_balancer_addresses(service);
    if (balanced.empty()) return or_else(external, "<pending>");
    return external.empty() ? balanced : balanced + "," + external;
}

std::string service_ports(const Json& service) {
    std::string ports;
    for (const Json& port : items_at(service, {"spec", "ports"})) {
        if (!ports.empty()) ports += ',';
        ports += std::to_string(int_at(port, {"port"}));
        const std::int64_t node_port = int_at(port, {"nodePort"});
        if (node_port > 0) ports += fmt::format(":{}", node_port);
        ports += "/" + port.text({"protocol"});
    }
    return or_else(ports, "<none>");
}

Json::Array service_cells(const Json& service, std::int64_t now_ms) {
    const Json::Array& addresses = items_at(service, {"spec", "clusterIPs"});
    const std::string cluster_ip =
        addresses.empty() ? service.text({"spec", "clusterIP"}) : addresses.front().as_string();
    return {
        name_cell(service),
        service.text({"spec", "type"}),
        or_else(cluster_ip, "<none>"),
        service_external_ip(service),
        service_ports(service),
        age_cell(service, now_ms),
        format_labels(service.find_path({"spec", "selector"})),
    };
}

Json::Array config_map_cells(const Json& map, std::int64_t now_ms) {
    const std::int64_t entries = count_at(map, "data") + count_at(map, "binaryData");
    return {name_cell(map), entries, age_cell(map, now_ms)};
}

Json::Array secret_cells(const Json& secret, std::int64_t now_ms) {
    const std::int64_t entries = count_at(secret, "data");
    return {name_cell(secret), secret.text({"type"}), entries, age_cell(secret, now_ms)};
}

Json::Array namespace_cells(const Json& space, std::int64_t now_ms) {
    return {name_cell(space), space.text({"status", "phase"}), age_cell(space, now_ms)};
}

Json::Array service_account_cells(const Json& account, std::int64_t now_ms) {
    return {name_cell(account), age_cell(account, now_ms)};
}

std::string event_target(const Json& event) {
    std::string target = event.text({"involvedObject", "kind"});
    std::transform(target.begin(), target.end(), target.begin(), [](unsigned char c) {
        return static_cast<char>(std::tolower(c));
    });
    const std::string& name = event.text({"involvedObject", "name"});
    return name.empty() ? target : target + "/" + name;
}

std::string event_source(const Json& event) {
    const std::string component =
        or_else(event.text({"source", "component"}), event.text({"reportingComponent"}));
    const std::string host =
        or_else(event.text({"source", "host"}), event.text({"reportingInstance"}));
    return host.empty() ? component : component + ", " + host;
}

std::string trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const std::size_t begin = text.find_first_not_of(space);
    if (begin == std::string_view::npos) return {};
    return std::string(text.substr(begin, text.find_last_not_of(space) - begin + 1));
}

Json::Array event_cells(const Json& event, std::int64_t now_ms) {
    const std::string& event_time = event.text({"eventTime"});
    const std::string first = or_else(event.text({"firstTimestamp"}), event_time);
    std::string last = or_else(event.text({"lastTimestamp"}), first);
    std::int64_t count = std::max<std::int64_t>(int_at(event, {"count"}), 1);
    const Json* series = event.find("series");
    if (series != nullptr && series->is_object()) {
        last = series->text({"lastObservedTime"});
        count = int_at(*series, {"count"});
    }
    return {
        age_since(last, now_ms),
        event.text({"type"}),
        event.text({"reason"}),
        event_target(event),
        event.text({"involvedObject", "fieldPath"}),
        event_source(event),
        trimmed(event.text({"message"})),
        age_since(first, now_ms),
        count,
        name_cell(event),
    };
}

const std::map<std::string_view, Printer>& core_printers() {
    static const std::map<std::string_view, Printer> printers = {
        {"pods",
         {{{"Name"},
           {"Ready"},
           {"Status"},
           {"Restarts"},
           {"Age"},
           {"IP", "string", 1},
           {"Node", "string", 1},
           {"Nominated Node", "string", 1},
           {"Readiness Gates", "string", 1}},
          pod_cells}},
        {"nodes",
         {{{"Name"},
           {"Status"},
           {"Roles"},
           {"Age"},
           {"Version"},
           {"Internal-IP", "string", 1},
           {"External-IP", "string", 1},
           {"OS-Image", "string", 1},
           {"Kernel-Version", "string", 1},
           {"Container-Runtime", "string", 1}},
          node_cells}},
        {"services",
         {{{"Name"},
           {"Type"},
           {"Cluster-IP"},
           {"External-IP"},
           {"Port(s)"},
           {"Age"},
           {"Selector", "string", 1}},
          service_cells}},
        {"configmaps", {{{"Name"}, {"Data"}, {"Age"}}, config_map_cells}},
        {"secrets", {{{"Name"}, {"Type"}, {"Data"}, {"Age"}}, secret_cells}},
        {"namespaces", {{{"Name"}, {"Status"}, {"Age"}}, namespace_cells}},
        {"serviceaccounts", {{{"Name"}, {"Age"}}, service_account_cells}},
        {"events",
         {{{"Last Seen"},
           {"Type"},
           {"Reason"},
           {"Object"},
           {"Subobject", "string", 1},
           {"Source", "string", 1},
           {"Message"},
           {"First Seen", "string", 1},
           {"Count", "string", 1},
           {"Name", "string", 1}},
          event_cells}},
    };
    return printers;
}

}  // namespace

const Printer* find_core_printer(std::string_view resource) {
    const auto found = core_printers().find(resource);
    return found != core_printers().end() ? &found->second : nullptr;
}

}  // namespace k8s::embedded
