#include "k8s/embedded/admission/pod_defaults.hpp"

#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace k8s::embedded {
namespace {

// An image is pulled always when its tag is "latest", which it is too when it has none.
const char* pull_policy(std::string_view image) {
    if (image.find('@') != std::string_view::npos) return "IfNotPresent";
    const std::size_t slash = image.rfind('/');
    const std::string_view name = slash == std::string_view::npos ? image : image.substr(slash + 1);
    const std::size_t colon = name.find(':');
    const bool latest = colon == std::string_view::npos || name.substr(colon) == ":latest";
    return latest ? "Always" : "IfNotPresent";
}

void copy_limits_to_requests(Json& container) {
    const Json* limits = container.find_path({"resources", "limits"});
    if (limits == nullptr || limits->members().empty()) return;
    const Json::Object wanted = limits->members();
    Json& requests = container["resources"]["requests"];
    for (const auto& [name, quantity] : wanted) set_if_missing(requests, name, quantity);
}

void default_probe(Json* probe) {
    if (probe == nullptr || !probe->is_object()) return;
    set_if_missing(*probe, "timeoutSeconds", 1);
    set_if_missing(*probe, "periodSeconds", 10);
    set_if_missing(*probe, "successThreshold", 1);
    set_if_missing(*probe, "failureThreshold", 3);
    if (Json* request = probe->find("httpGet")) {
        set_if_missing(*request, "scheme", "HTTP");
        set_if_missing(*request, "path", "/");
    }
}

void default_container(Json& container, bool host_network) {
    set_if_missing(container, "resources", Json(Json::Object{}));
    copy_limits_to_requests(container);
    set_if_missing(container, "imagePullPolicy", pull_policy(container.text({"image"})));
    set_if_missing(container, "terminationMessagePath", "/dev/termination-log");
    set_if_missing(container, "terminationMessagePolicy", "File");
    if (container.find("ports") != nullptr) {
        for (Json& port : container["ports"].items()) {
            set_if_missing(port, "protocol", "TCP");
            const std::int64_t number = int_at(port, {"containerPort"});
            if (host_network) set_if_missing(port, "hostPort", number);
        }
    }
    if (container.find("env") != nullptr) {
        for (Json& variable : container["env"].items()) {
            Json* source = variable.find("valueFrom");
            Json* field = source != nullptr ? source->find("fieldRef") : nullptr;
            if (field != nullptr) set_if_missing(*field, "apiVersion", "v1");
        }
    }
    for (const char* probe : {"livenessProbe", "readinessProbe", "startupProbe"}) {
        default_probe(container.find(probe));
    }
}

void default_pod_volume(Json& volume) {
    constexpr int mode = 420;  // 0644
    if (volume.members().size() <= 1) volume.set("emptyDir", Json(Json::Object{}));
    for (const char* source : {"configMap", "secret", "projected", "downwardAPI"}) {
        if (Json* found = volume.find(source)) set_if_missing(*found, "defaultMode", mode);
    }
    Json* host_path = volume.find("hostPath");
    if (host_path != nullptr && host_path->find("type") == nullptr) host_path->set("type", "");
}

bool is_gated(const Json& spec) {
    return !items_at(spec, {"schedulingGates"}).empty();
}

struct QosScan {
    bool any = false;        // some container asks for or limits cpu or memory
    bool guaranteed = true;  // each container limits both and asks for just that
};

void scan_container(const Json& container, QosScan& scan) {
    for (const char* resource : {"cpu", "memory"}) {
        const std::string& request = container.text({"resources", "requests", resource});
        const std::string& limit = container.text({"resources", "limits", resource});
        const bool asks = !request.empty() && request != "0";
        const bool limits = !limit.empty() && limit != "0";
        scan.any = scan.any || asks || limits;
        scan.guaranteed = scan.guaranteed && limits && request == limit;
    }
}

const char* qos_class(const Json& spec) {
    QosScan scan;
    for (const Json& container : items_at(spec, {"containers"})) scan_container(container, scan);
    for (const Json& container : items_at(spec, {"initContainers"}))
        scan_container(container, scan);
    if (!scan.any) return "BestEffort";
    return scan.guaranteed ? "Guaranteed" : "Burstable";
}

bool tolerates(const Json& spec, std::string_view key) {
    const Json::Array& tolerations = items_at(spec, {"tolerations"});
    return std::any_of(tolerations.begin(), tolerations.end(), [&](const Json& toleration) {
        const std::string& tolerated = toleration.text({"key"});
        const std::string& effect = toleration.text({"effect"});
        return (tolerated == key || tolerated.empty()) && (effect == "NoExecute" || effect.empty());
    });
}

}  // namespace

void default_pod_spec(Json& spec) {
    set_if_missing(spec, "dnsPolicy", "ClusterFirst");
    set_if_missing(spec, "restartPolicy", "Always");
    set_if_missing(spec, "securityContext", Json(Json::Object{}));
    set_if_missing(spec, "terminationGracePeriodSeconds", 30);
    const std::int64_t grace_s = int_at(spec, {"terminationGracePeriodSeconds"});
    if (grace_s < 0) spec.set("terminationGracePeriodSeconds", 1);
    set_if_missing(spec, "schedulerName", "default-scheduler");
    const bool host_network = true_at(spec, {"hostNetwork"});
    for (const char* list : {"containers", "initContainers"}) {
        if (spec.find(list) == nullptr) continue;
        for (Json& container : spec[list].items()) default_container(container, host_network);
    }
    if (spec.find("volumes") == nullptr) return;
    for (Json& volume : spec["volumes"].items()) default_pod_volume(volume);
}

void default_pod_account(Json& spec) {
    set_if_missing(spec, "enableServiceLinks", true);
    set_if_missing(spec, "serviceAccountName", spec.text({"serviceAccount"}));
    set_if_missing(spec, "serviceAccountName", "default");
    spec.set("serviceAccount", std::string(spec.text({"serviceAccountName"})));
}

void default_pod_tolerations(Json& spec) {
    constexpr std::array keys = {"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"};
    for (const char* key : keys) {
        if (tolerates(spec, key)) continue;
        Json toleration;
        toleration.set("key", key);
        toleration.set("operator", "Exists");
        toleration.set("effect", "NoExecute");
        toleration.set("tolerationSeconds", 300);
        spec["tolerations"].items().push_back(std::move(toleration));
    }
}

Json initial_pod_status(const Json& spec, const std::string& now) {
    Json status;
    status.set("phase", "Pending");
    if (is_gated(spec)) {
        Json condition;
        condition.set("type", "PodScheduled");
        condition.set("status", "False");
        condition.set("lastProbeTime", Json());
        condition.set("lastTransitionTime", now);
        condition.set("reason", "SchedulingGated");
        condition.set("message", "Scheduling is blocked due to non-empty scheduling gates");
        status.set("conditions", Json::Array{std::move(condition)});
    }
    status.set("qosClass", qos_class(spec));
    return status;
}

}  // namespace k8s::embedded
