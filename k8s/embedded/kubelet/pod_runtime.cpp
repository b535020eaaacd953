#include "k8s/embedded/kubelet/pod_runtime.hpp"

#include "k8s/embedded/store/json_path.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <utility>

namespace k8s::embedded {
namespace {

constexpr double run_seconds_max = 1e7;

Json condition(const char* type, bool value, const std::string& now, const char* reason = nullptr) {
    Json object;
    object.set("type", type);
    object.set("status", value ? "True" : "False");
    object.set("lastTransitionTime", now);
    object.set("reason", reason != nullptr ? Json(reason) : Json());
    return object;
}

Json guarded_patch(const Json& pod, Json status) {
    Json patch;
    patch["metadata"].set("uid", pod.text({"metadata", "uid"}));
    patch.set("status", std::move(status));
    return patch;
}

// One status per container of the list, all in the same state.
Json container_statuses(const Json& pod, const char* list, const Json& state, bool ready) {
    Json::Array statuses;
    for (const Json& container : items_at(pod, {"spec", list})) {
        Json status;
        status.set("name", container.text({"name"}));
        status.set("image", container.text({"image"}));
        status.set("imageID", "");
        status.set("ready", ready);
        status.set("started", ready);
        status.set("restartCount", 0);
        status.set("lastState", Json(Json::Object{}));
        status.set("state", state);
        if (state.find("waiting") == nullptr) {
            status.set(
                "containerID",
                "embedded://" + pod.text({"metadata", "uid"}) + "/" + container.text({"name"}));
        }
        statuses.push_back(std::move(status));
    }
    return statuses;
}

Json terminated_state(const Sojourn& sojourn, int exit_code) {
    Json state;
    Json& terminated = state["terminated"];
    terminated.set("exitCode", exit_code);
    terminated.set("reason", exit_code == 0 ? "Completed" : "Error");
    terminated.set("startedAt", sojourn.started.empty() ? sojourn.now : sojourn.started);
    terminated.set("finishedAt", sojourn.now);
    return state;
}

void add_host(Json& status, const Json& pod, const Sojourn& sojourn) {
    status.set("hostIP", sojourn.host_ip);
    Json host;
    host.set("ip", sojourn.host_ip);
    status.set("hostIPs", Json::Array{std::move(host)});
    if (pod.text({"status", "startTime"}).empty()) status.set("startTime", sojourn.now);
}

void add_address(Json& status, const Sojourn& sojourn) {
    status.set("podIP", sojourn.pod_ip);
    Json address;
    address.set("ip", sojourn.pod_ip);
    status.set("podIPs", Json::Array{std::move(address)});
}

void add_config_map(std::vector<std::string>& names, const Json* source) {
    if (source == nullptr || true_at(*source, {"optional"})) return;
    const std::string& name = source->text({"name"});
    if (!name.empty()) names.push_back(name);
}

void add_container_maps(std::vector<std::string>& names, const Json& container) {
    for (const Json& source : items_at(container, {"envFrom"})) {
        add_config_map(names, source.find("configMapRef"));
    }
    for (const Json& variable : items_at(container, {"env"})) {
        add_config_map(names, variable.find_path({"valueFrom", "configMapKeyRef"}));
    }
}

}  // namespace

std::string owner_pod_uid(const Json& pod) {
    for (const Json& owner : items_at(pod, {"metadata", "ownerReferences"})) {
        if (owner.text({"kind"}) == "Pod") return owner.text({"uid"});
    }
    return {};
}

std::optional<std::int64_t> run_time_ms(const Json& pod, std::int64_t default_ms) {
    const std::string& text = pod.text({"metadata", "annotations", run_seconds_annotation});
    if (text == "forever") return std::nullopt;
    char* end = nullptr;
    const double seconds = std::strtod(text.c_str(), &end);
    const bool is_number = !text.empty() && end != nullptr && *end == '\0';
    if (is_number && seconds >= 0 && seconds <= run_seconds_max)
        return std::llround(seconds * 1000);
    if (!owner_pod_uid(pod).empty()) return std::nullopt;
    return default_ms;
}

std::vector<std::string> needed_config_maps(const Json& pod) {
    std::vector<std::string> names;
    for (const Json& volume : items_at(pod, {"spec", "volumes"})) {
        add_config_map(names, volume.find("configMap"));
        for (const Json& source : items_at(volume, {"projected", "sources"})) {
            add_config_map(names, source.find("configMap"));
        }
    }
    for (const char* list : {"containers", "initContainers"}) {
        for (const Json& container : items_at(pod, {"spec", list})) {
            add_container_maps(names, container);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    return names;
}

Json creating_patch(const Json& pod, const Sojourn& sojourn) {
    Json waiting;
    waiting["waiting"].set("reason", "ContainerCreating");
    Json status;
    status.set("phase", "Pending");
    status.set(
        "conditions",
        Json::Array{
            condition("Initialized", true, sojourn.now),
            condition("Ready", false, sojourn.now, "ContainersNotReady"),
            condition("ContainersReady", false, sojourn.now, "ContainersNotReady")});
    add_host(status, pod, sojourn);
    status.set("containerStatuses", container_statuses(pod, "containers", waiting, false));
    return guarded_patch(pod, std::move(status));
}

Json running_patch(const Json& pod, const Sojourn& sojourn) {
    Json running;
    running["running"].set("startedAt", sojourn.now);
    Json status;
    status.set("phase", "Running");
    status.set(
        "conditions",
        Json::Array{
            condition("Initialized", true, sojourn.now),
            condition("Ready", true, sojourn.now),
            condition("ContainersReady", true, sojourn.now)});
    add_host(status, pod, sojourn);
    add_address(status, sojourn);
    status.set("containerStatuses", container_statuses(pod, "containers", running, true));
    const Json::Array& init = items_at(pod, {"spec", "initContainers"});
    if (!init.empty()) {
        status.set(
            "initContainerStatuses",
            container_statuses(pod, "initContainers", terminated_state(sojourn, 0), true));
    }
    return guarded_patch(pod, std::move(status));
}

Json ended_patch(const Json& pod, const Sojourn& sojourn, int exit_code) {
    const char* reason = exit_code == 0 ? "PodCompleted" : "PodFailed";
    Json status;
    status.set("phase", exit_code == 0 ? "Succeeded" : "Failed");
    status.set(
        "conditions",
        Json::Array{
            condition("Ready", false, sojourn.now, reason),
            condition("ContainersReady", false, sojourn.now, reason)});
    status.set(
        "containerStatuses",
        container_statuses(pod, "containers", terminated_state(sojourn, exit_code), false));
    return guarded_patch(pod, std::move(status));
}

Json refused_patch(const Json& pod, const Sojourn& sojourn, const Refusal& refusal) {
    Json status;
    status.set("phase", "Failed");
    status.set("reason", refusal.reason);
    status.set("message", refusal.message);
    status.set("startTime", sojourn.now);
    return guarded_patch(pod, std::move(status));
}

}  // namespace k8s::embedded
