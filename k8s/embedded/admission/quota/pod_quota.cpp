#include "k8s/embedded/admission/quota/pod_quota.hpp"

#include "core/value/quantity.hpp"
#include "k8s/embedded/store/json_tools.hpp"
#include "k8s/embedded/store/quantity_text.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

namespace k8s::embedded {
namespace {

/// By resource as a quota names it, in thousandths.
using Usage = std::map<std::string, std::int64_t>;
constexpr std::int64_t one = 1'000;

void add(Usage& to, const Usage& more) {
    for (const auto& [resource, amount] : more) to[resource] += amount;
}

void add_list(Usage& to, const Json* list, const std::string& prefix) {
    if (list == nullptr) return;
    for (const auto& [resource, amount] : list->members()) {
        to[prefix + resource] += milli_of(amount);
        if (prefix == "requests.") to[resource] += milli_of(amount);
    }
}

Usage usage_of_container(const Json& container) {
    Usage usage;
    add_list(usage, container.find_path({"resources", "requests"}), "requests.");
    add_list(usage, container.find_path({"resources", "limits"}), "limits.");
    return usage;
}

/// Containers side by side with sidecars, or the largest init container, whichever is more.
Usage usage_of(const Json& pod) {
    Usage usage;
    Usage largest;
    if (const Json* list = pod.find_path({"spec", "initContainers"})) {
        for (const Json& container : list->items()) {
            const Usage needs = usage_of_container(container);
            if (container.text({"restartPolicy"}) == "Always") {
                add(usage, needs);
                continue;
            }
            for (const auto& [resource, amount] : needs) {
                largest[resource] = std::max(largest[resource], amount);
            }
        }
    }
    if (const Json* list = pod.find_path({"spec", "containers"})) {
        for (const Json& container : list->items()) add(usage, usage_of_container(container));
    }
    for (const auto& [resource, amount] : largest) {
        usage[resource] = std::max(usage[resource], amount);
    }
    usage["pods"] = one;
    usage["count/pods"] = one;
    return usage;
}

bool ends_with(const std::string& resource, std::string_view name) {
    return resource == name || resource.ends_with("." + std::string(name));
}

std::string text_of(const std::string& resource, std::int64_t milli) {
    if (ends_with(resource, "cpu")) return core::format_cpu(milli);
    return ends_with(resource, "memory") ? core::format_bytes(milli / one)
                                         : std::to_string(milli / one);
}

/// Of these every container has to say something, where a quota counts them.
bool is_to_be_said(const std::string& resource) {
    return ends_with(resource, "cpu") || ends_with(resource, "memory");
}

void append(std::string& list, const std::string& item, const char* between = ",") {
    list += (list.empty() ? "" : between) + item;
}

/// Names of the containers that do not say it, each init container too.
std::string silent_containers(const Json& pod, const std::string& resource) {
    std::string names;
    for (const char* const list : {"containers", "initContainers"}) {
        const Json* const containers = pod.find_path({"spec", list});
        if (containers == nullptr) continue;
        for (const Json& container : containers->items()) {
            if (!usage_of_container(container).contains(resource)) {
                append(names, container.text({"name"}));
            }
        }
    }
    return names;
}

/// Counts the pod; nothing: the quota is not about it.
Outcome<std::optional<Json>> charge(
    const Kind& pods, const Json& quota, const Json& pod, const Usage& usage) {
    const Json* const hard = quota.find_path({"status", "hard"});
    if (hard == nullptr || quota.find_path({"spec", "scopeSelector"}) != nullptr ||
        quota.find_path({"spec", "scopes"}) != nullptr) {
        return std::optional<Json>();
    }
    Json changed = quota;
    std::string requested;
    std::string taken;
    std::string limited;
    std::string unsaid;
    std::string unknown;
    // In the order in which the real server names them.
    const std::map<std::string, Json> sorted(hard->members().begin(), hard->members().end());
    for (const auto& [resource, most] : sorted) {
        const std::string silent =
            is_to_be_said(resource) ? silent_containers(pod, resource) : std::string();
        if (!silent.empty()) append(unsaid, resource + " for: " + silent, "; ");
        const auto needs = usage.find(resource);
        if (needs == usage.end()) continue;
        const Json* const before = quota.find_path({"status", "used", resource});
        if (before == nullptr) {
            append(unknown, resource);
            continue;
        }
        const std::int64_t used = milli_of(*before);
        if (used + needs->second > milli_of(most)) {
            append(requested, resource + "=" + text_of(resource, needs->second));
            append(taken, resource + "=" + text_of(resource, used));
            append(limited, resource + "=" + text_of(resource, milli_of(most)));
        }
        changed["status"]["used"].set(resource, text_of(resource, used + needs->second));
    }
    const std::string name = name_of(quota);
    if (!unsaid.empty()) {
        return forbidden(
            pods, name_of(pod), "failed quota: " + name + ": must specify " + unsaid);
    }
    if (!unknown.empty()) {
        return forbidden(
            pods, name_of(pod), "status unknown for quota: " + name + ", resources: " + unknown);
    }
    if (!requested.empty()) {
        return forbidden(
            pods,
            name_of(pod),
            "exceeded quota: " + name + ", requested: " + requested + ", used: " + taken +
                ", limited: " + limited);
    }
    return std::optional(std::move(changed));
}

}  // namespace

Outcome<std::vector<Json>> charge_quotas(
    const Store& store, const Kind& pods, const std::string& space, const Json& pod) {
    std::vector<Json> charged;
    const auto quotas = store.list(core_kind("resourcequotas"), PageRequest{Scope{space}});
    if (quotas->objects.empty()) return charged;
    const Usage usage = usage_of(pod);
    for (const StoredPtr& quota : quotas->objects) {
        auto changed = charge(pods, quota->json, pod, usage);
        if (!changed) return changed.failure();
        if (*changed) charged.push_back(**changed);
    }
    return charged;
}

}  // namespace k8s::embedded
