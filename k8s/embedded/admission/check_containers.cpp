#include "k8s/embedded/admission/check_pod.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/quantity_text.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace k8s::embedded {
namespace {

constexpr std::int64_t port_max = 65535;

// Resources that Kubernetes defines itself may be promised more than once; cards may not.
bool is_overcommittable(std::string_view resource) {
    const bool native = resource.find('/') == std::string_view::npos ||
                        resource.find("kubernetes.io/") != std::string_view::npos;
    return native && !resource.starts_with("hugepages-");
}

bool must_be_whole(std::string_view resource) {
    return resource == "pods" || !is_overcommittable(resource);
}

void check_resource_name(const std::string& resource, const std::string& field, Checks& checks) {
    checks.syntax(field, resource, check_qualified_name(resource));
    const bool known = resource == "cpu" || resource == "memory" ||
                       resource == "ephemeral-storage" || resource.starts_with("hugepages-");
    if (resource.find('/') == std::string::npos && !known) {
        checks.invalid(field, resource, "must be a standard resource type or fully qualified");
        checks.invalid(field, resource, "must be a standard resource for containers");
    }
}

void check_quantities(const Json* list, const std::string& field, Checks& checks) {
    if (list == nullptr) return;
    for (const auto& [resource, quantity] : list->members()) {
        const std::string at = field + "[" + resource + "]";
        check_resource_name(resource, at, checks);
        if (quantity.as_string().starts_with('-')) {
            checks.invalid(at, quantity, "must be greater than or equal to 0");
        }
        if (must_be_whole(resource) && milli_of(quantity) % 1000 != 0) {
            checks.invalid(at, quantity, "must be an integer");
        }
    }
}

void check_request(
    const Json::Member& request, const Json* limits, const std::string& field, Checks& checks) {
    const auto& [resource, quantity] = request;
    const Json* limit = limits != nullptr ? limits->find(resource) : nullptr;
    if (limit == nullptr) {
        if (is_overcommittable(resource)) return;
        return checks.required(
            field + ".limits", "Limit must be set for non overcommitable resources");
    }
    const std::string which = resource + " limit of " + limit->as_string();
    if (!is_overcommittable(resource) && milli_of(quantity) != milli_of(*limit)) {
        return checks.invalid(field + ".requests", quantity, "must be equal to " + which);
    }
    if (milli_of(quantity) > milli_of(*limit)) {
        checks.invalid(field + ".requests", quantity, "must be less than or equal to " + which);
    }
}

void check_resources(const Json& container, const std::string& field, Checks& checks) {
    const Json* limits = container.find_path({"resources", "limits"});
    const Json* requests = container.find_path({"resources", "requests"});
    check_quantities(limits, field + ".limits", checks);
    check_quantities(requests, field + ".requests", checks);
    if (requests == nullptr) return;
    for (const auto& request : requests->members()) check_request(request, limits, field, checks);
}

void check_ports(const Json& container, const std::string& field, Checks& checks) {
    const Json::Array& ports = items_at(container, {"ports"});
    std::set<std::string> names;
    for (std::size_t i = 0; i < ports.size(); ++i) {
        const std::string at = at_index(field, i);
        const std::int64_t port = int_at(ports[i], {"containerPort"});
        if (port == 0) checks.required(at + ".containerPort");
        if (port < 0 || port > port_max) {
            checks.invalid(at + ".containerPort", port, "must be between 1 and 65535, inclusive");
        }
        checks.one_of(at + ".protocol", ports[i].text({"protocol"}), {"SCTP", "TCP", "UDP"});
        const std::string& name = ports[i].text({"name"});
        if (!name.empty() && !names.insert(name).second) checks.duplicate(at + ".name", name);
    }
}

void check_environment(const Json& container, const std::string& field, Checks& checks) {
    const Json::Array& variables = items_at(container, {"env"});
    for (std::size_t i = 0; i < variables.size(); ++i) {
        const std::string at = at_index(field, i) + ".name";
        const std::string& name = variables[i].text({"name"});
        if (name.empty()) checks.required(at);
        checks.syntax(at, name, check_variable_name(name));
    }
}

bool has_volume(const Json& spec, const std::string& name) {
    const Json::Array& volumes = items_at(spec, {"volumes"});
    return std::any_of(volumes.begin(), volumes.end(), [&](const Json& volume) {
        return volume.text({"name"}) == name;
    });
}

void check_mounts(
    const Json& spec, const Json& container, const std::string& field, Checks& checks) {
    const Json::Array& mounts = items_at(container, {"volumeMounts"});
    std::set<std::string> paths;
    for (std::size_t i = 0; i < mounts.size(); ++i) {
        const std::string at = at_index(field, i);
        const std::string& name = mounts[i].text({"name"});
        const std::string& path = mounts[i].text({"mountPath"});
        if (name.empty()) checks.required(at + ".name");
        if (!has_volume(spec, name)) checks.not_found(at + ".name", name);
        if (path.empty()) checks.required(at + ".mountPath");
        if (!path.empty() && !paths.insert(path).second) {
            checks.invalid(at + ".mountPath", path, "must be unique");
        }
    }
}

void check_container(
    const Json& spec, const Json& container, const std::string& field, Checks& checks) {
    const std::string& name = container.text({"name"});
    if (name.empty()) checks.required(field + ".name");
    if (!name.empty()) checks.syntax(field + ".name", name, check_dns_label(name));
    if (container.text({"image"}).empty()) checks.required(field + ".image");
    checks.one_of(
        field + ".imagePullPolicy",
        container.text({"imagePullPolicy"}),
        {"Always", "IfNotPresent", "Never"});
    check_ports(container, field + ".ports", checks);
    check_environment(container, field + ".env", checks);
    check_mounts(spec, container, field + ".volumeMounts", checks);
    check_resources(container, field + ".resources", checks);
}

bool has_container(const Json& spec, const std::string& name) {
    const Json::Array& containers = items_at(spec, {"containers"});
    return std::any_of(containers.begin(), containers.end(), [&](const Json& container) {
        return container.text({"name"}) == name;
    });
}

}  // namespace

void check_containers(const Json& spec, const std::string& field, bool init, Checks& checks) {
    const Json::Array& containers = items_at(spec, {init ? "initContainers" : "containers"});
    const std::string list = field + (init ? ".initContainers" : ".containers");
    if (!init && containers.empty()) checks.required(list);
    std::set<std::string> names;
    for (std::size_t i = 0; i < containers.size(); ++i) {
        const std::string at = at_index(list, i);
        check_container(spec, containers[i], at, checks);
        const std::string& name = containers[i].text({"name"});
        const bool taken = !names.insert(name).second || (init && has_container(spec, name));
        if (!name.empty() && taken) checks.duplicate(at + ".name", name);
    }
}

}  // namespace k8s::embedded
