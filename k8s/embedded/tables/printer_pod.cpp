// The Status text of a pod, case for case as printPod of the real API server decides it.
#include "k8s/base/time.hpp"
#include "k8s/embedded/store/json_path.hpp"
#include "k8s/embedded/tables/age.hpp"
#include "k8s/embedded/tables/printer.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace k8s::embedded {
namespace {

bool is_condition_true(const Json& pod, std::string_view type) {
    for (const Json& condition : items_at(pod, {"status", "conditions"})) {
        if (condition.text({"type"}) == type) return condition.text({"status"}) == "True";
    }
    return false;
}

bool is_sidecar(const Json& pod, const std::string& name) {
    for (const Json& container : items_at(pod, {"spec", "initContainers"})) {
        if (container.text({"name"}) == name) return container.text({"restartPolicy"}) == "Always";
    }
    return false;
}

struct Restarts {
    std::int64_t count = 0;
    std::string last;  // the newest time at which a container ended before a restart

    void add(const Json& status) {
        count += int_at(status, {"restartCount"});
        const std::string& ended = status.text({"lastState", "terminated", "finishedAt"});
        last = std::max(last, ended);  // metav1.Time is always UTC, so text order is time order
    }
};

struct Summary {
    std::string reason;
    Restarts restarts;
    std::int64_t ready = 0;
    bool initializing = false;
};

// "Signal:9", "ExitCode:1" or the reason that the runtime gave.
std::string termination_reason(const Json& terminated) {
    const std::string& reason = terminated.text({"reason"});
    if (!reason.empty()) return reason;
    const std::int64_t signal = int_at(terminated, {"signal"});
    if (signal != 0) return fmt::format("Signal:{}", signal);
    return fmt::format("ExitCode:{}", int_at(terminated, {"exitCode"}));
}

// What holds up the initialisation at this container; empty when it has done its part.
std::string init_obstacle(const Json& pod, const Json& status, std::size_t index) {
    const Json* terminated = status.find_path({"state", "terminated"});
    if (terminated != nullptr && int_at(*terminated, {"exitCode"}) == 0) return {};
    if (is_sidecar(pod, status.text({"name"})) && true_at(status, {"started"})) return {};
    if (terminated != nullptr) return "Init:" + termination_reason(*terminated);
    const std::string& waiting = status.text({"state", "waiting", "reason"});
    if (!waiting.empty() && waiting != "PodInitializing") return "Init:" + waiting;
    const std::size_t total = items_at(pod, {"spec", "initContainers"}).size();
    return fmt::format("Init:{}/{}", index, total);
}

// The restarts of sidecars stay counted when the pod has been initialised, the others' do not.
Restarts read_init_containers(const Json& pod, Summary& summary) {
    Restarts sidecars;
    std::size_t index = 0;
    for (const Json& status : items_at(pod, {"status", "initContainerStatuses"})) {
        summary.restarts.add(status);
        const bool sidecar = is_sidecar(pod, status.text({"name"}));
        if (sidecar) sidecars.add(status);
        const std::string obstacle = init_obstacle(pod, status, index++);
        if (!obstacle.empty()) {
            summary.reason = obstacle;
            summary.initializing = true;
            break;
        }
        const bool ended = status.find_path({"state", "terminated"}) != nullptr;
        if (sidecar && !ended && true_at(status, {"ready"})) ++summary.ready;
    }
    return sidecars;
}

void read_containers(const Json& pod, Summary& summary) {
    bool running = false;
    std::string error;
    const Json::Array& statuses = items_at(pod, {"status", "containerStatuses"});
    for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
        summary.restarts.add(*status);
        const std::string& waiting = status->text({"state", "waiting", "reason"});
        const Json* terminated = status->find_path({"state", "terminated"});
        if (!waiting.empty()) {
            summary.reason = waiting;
        } else if (terminated != nullptr) {
            summary.reason = termination_reason(*terminated);
            if (int_at(*terminated, {"exitCode"}) != 0) error = summary.reason;
        } else if (true_at(*status, {"ready"}) && status->find_path({"state", "running"})) {
            running = true;
            ++summary.ready;
        }
    }
    if (summary.reason != "Completed") return;
    if (running && is_condition_true(pod, "Ready")) {
        summary.reason = "Running";
    } else if (!error.empty()) {
        summary.reason = error;
    } else if (running) {
        summary.reason = "NotReady";
    }
}

std::string first_reason(const Json& pod) {
    for (const Json& condition : items_at(pod, {"status", "conditions"})) {
        const bool scheduled = condition.text({"type"}) == "PodScheduled";
        if (scheduled && condition.text({"reason"}) == "SchedulingGated") return "SchedulingGated";
    }
    const std::string& reason = pod.text({"status", "reason"});
    return reason.empty() ? pod.text({"status", "phase"}) : reason;
}

Summary summarize(const Json& pod) {
    Summary summary;
    summary.reason = first_reason(pod);
    Restarts sidecars = read_init_containers(pod, summary);
    if (!summary.initializing || is_condition_true(pod, "Initialized")) {
        summary.restarts = std::move(sidecars);
        read_containers(pod, summary);
    }
    const std::string& phase = pod.text({"status", "phase"});
    const bool terminal = phase == "Succeeded" || phase == "Failed";
    if (!pod.text({"metadata", "deletionTimestamp"}).empty()) {
        const bool lost = pod.text({"status", "reason"}) == "NodeLost";
        if (lost) summary.reason = "Unknown";
        if (!lost && !terminal) summary.reason = "Terminating";
    }
    return summary;
}

std::string restarts_text(const Restarts& restarts, std::int64_t now_ms) {
    if (restarts.count == 0 || restarts.last.empty()) return std::to_string(restarts.count);
    return fmt::format("{} ({} ago)", restarts.count, age_since(restarts.last, now_ms));
}

std::string readiness_gates(const Json& pod) {
    const Json::Array& gates = items_at(pod, {"spec", "readinessGates"});
    if (gates.empty()) return "<none>";
    const auto is_open = [&](const Json& gate) {
        return is_condition_true(pod, gate.text({"conditionType"}));
    };
    return fmt::format("{}/{}", std::count_if(gates.begin(), gates.end(), is_open), gates.size());
}

std::string or_none(const std::string& text) {
    return text.empty() ? "<none>" : text;
}

std::string first_address(const Json& pod) {
    const Json::Array& addresses = items_at(pod, {"status", "podIPs"});
    return addresses.empty() ? pod.text({"status", "podIP"}) : addresses.front().text({"ip"});
}

}  // namespace

Json::Array pod_cells(const Json& pod, std::int64_t now_ms) {
    const Summary summary = summarize(pod);
    std::size_t total = items_at(pod, {"spec", "containers"}).size();
    for (const Json& container : items_at(pod, {"spec", "initContainers"})) {
        if (container.text({"restartPolicy"}) == "Always") ++total;
    }
    return {
        name_cell(pod),
        fmt::format("{}/{}", summary.ready, total),
        summary.reason,
        restarts_text(summary.restarts, now_ms),
        age_cell(pod, now_ms),
        or_none(first_address(pod)),
        or_none(pod.text({"spec", "nodeName"})),
        or_none(pod.text({"status", "nominatedNodeName"})),
        readiness_gates(pod),
    };
}

}  // namespace k8s::embedded
