#include "gang/app/daemon/executor.hpp"

#include "core/value/device/card_dialect.hpp"
#include "gang/app/daemon/translate.hpp"
#include "gang/host/requests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <string>
#include <utility>

namespace gang::app {
namespace {

using config::LogLevel;
using gang::to_event;

std::string full_name(const std::string& namespace_name, const std::string& name) {
    return namespace_name + "/" + name;
}

std::string full_name(const PodRef& pod) {
    return full_name(pod.namespace_name, pod.name);
}

std::string word(ConfProblem problem) {
    constexpr std::array<const char*, 4> words = {"not_found", "forbidden", "unreadable", "failed"};
    return words[static_cast<std::size_t>(problem)];
}

}  // namespace

/// What is measured of a bind: when it was decided, how long that took, and since when the pod is
/// known.
struct Executor::Begun {
    std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
    double plan_seconds = 0;
    std::int64_t pending_since_ms = 0;
};

void Executor::carry_out(const Decision& decision) {
    std::visit([this](const auto& one) { run(one); }, decision);
}

void Executor::run(const BindPod& decision) {
    wiring_.log->write(
        LogLevel::info, "bind", {{"pod", full_name(decision.pod)}, {"node", decision.node}});
    Begun begun;
    begun.plan_seconds = wiring_.metrics->last_plan_seconds();
    begun.pending_since_ms = decision.pending_since_ms;
    if (decision.claims.empty() && decision.volumes.empty()) {
        bind(decision, begun);
        return;
    }
    k8s::ProvisionRequest wanted{
        decision.pod.namespace_name, decision.claims, decision.node, {}};
    std::vector<std::string> claims = decision.claims;
    for (const ClaimedVolume& one : decision.volumes) {
        wanted.volumes.push_back({one.claim, one.volume});
        claims.push_back(one.claim + "=" + one.volume);
    }
    wiring_.log->write(
        LogLevel::info,
        "volumes wanted",
        {{"pod", full_name(decision.pod)},
         {"node", decision.node},
         {"claims", fmt::format("{}", fmt::join(claims, ","))}});
    wiring_.claims->provision(
        std::move(wanted),
        [this, decision, begun](const std::string& why) {
            if (why.empty()) {
                bind(decision, begun);
                return;
            }
            wiring_.log->write(
                LogLevel::warning,
                "no volumes",
                {{"pod", full_name(decision.pod)}, {"node", decision.node}, {"why", why}});
            wiring_.answer(BindFinished{decision.pod.uid, BindOutcome::not_sent, why});
        });
}

void Executor::bind(const BindPod& decision, const Begun& begun) {
    k8s::BindRequest request = to_request(decision);
    wiring_.seal->close(decision.pod.uid, request.annotations);
    for (auto& [key, value] : request.annotations) {
        if (core::is_bind_time(key)) {
            value = std::to_string(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                       std::chrono::system_clock::now().time_since_epoch())
                                       .count());
        }
    }
    wiring_.writer->bind(std::move(request), [this, begun](const k8s::BindResult& result) {
        bind_answered(begun, result);
    });
}

void Executor::bind_answered(const Begun& begun, const k8s::BindResult& result) {
    const k8s::BindRequest& request = result.request;
    BindFinished event = to_event(result);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begun.at;
    const std::int64_t pending_ms =
        std::max<std::int64_t>(wiring_.now_ms() - begun.pending_since_ms, 0);
    wiring_.metrics->bind_answered(BindMeasured{
        event.outcome,
        begun.plan_seconds,
        took.count(),
        static_cast<double>(pending_ms) / 1'000,
        request.starts_gang});
    const auto level = event.outcome == BindOutcome::bound ? LogLevel::debug : LogLevel::warning;
    wiring_.log->write(
        level,
        "bind answered",
        {{"pod", full_name(request.pod.namespace_name, request.pod.name)},
         {"node", request.node},
         {"outcome", to_string(event.outcome)},
         {"why", event.message}});
    wiring_.answer(std::move(event));
}

void Executor::run(const FetchSparkConf& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "fetch conf",
        {{"pod", full_name(decision.driver)}, {"configMap", decision.properties.config_map}});
    wiring_.writer->get_config_map(
        decision.driver.namespace_name,
        decision.properties.config_map,
        [this, decision](const k8s::ConfigMapResult& properties) {
            if (properties.outcome == k8s::FetchOutcome::found && decision.executor_template) {
                fetch_template(decision, properties);
            } else {
                conf_answered(to_event(decision, properties, k8s::ConfigMapResult{}));
            }
        });
}

void Executor::fetch_template(
    const FetchSparkConf& decision, const k8s::ConfigMapResult& properties) {
    wiring_.writer->get_config_map(
        decision.driver.namespace_name,
        decision.executor_template->config_map,
        [this, decision, properties](const k8s::ConfigMapResult& executor_template) {
            conf_answered(to_event(decision, properties, executor_template));
        });
}

void Executor::conf_answered(Event event) {
    if (const auto* missing = std::get_if<SparkConfMissing>(&event)) {
        wiring_.log->write(
            LogLevel::debug,
            "conf missing",
            {{"driverUid", missing->driver_uid},
             {"problem", word(missing->problem)},
             {"why", missing->message}});
    }
    wiring_.answer(std::move(event));
}

void Executor::run(const FetchClaim& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "fetch claim",
        {{"claim", full_name(decision.namespace_name, decision.name)}});
    wiring_.claims->read(
        decision.namespace_name, decision.name, [this, decision](const k8s::ClaimResult& result) {
            wiring_.answer(to_event(decision, result));
        });
}

void Executor::run(const WatchVolumeLimits&) {
    wiring_.log->write(LogLevel::info, "watch volume limits");
    wiring_.csi_nodes->start();
}

void Executor::run(const WatchStorage&) {
    wiring_.log->write(LogLevel::info, "watch free storage");
    wiring_.storage->start();
}

void Executor::run(const WatchNamespaces&) {
    wiring_.log->write(LogLevel::info, "watch namespaces");
    wiring_.namespaces->start();
}

void Executor::run(const FetchPodGroup& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "fetch pod group",
        {{"group", full_name(decision.namespace_name, decision.name)}});
    wiring_.groups->read(
        {decision.dialect, decision.namespace_name, decision.name},
        [this, decision](const k8s::PodGroupResult& result) {
            wiring_.answer(to_event(decision, result));
        });
}

void Executor::run(const FetchQuotas& decision) {
    wiring_.log->write(LogLevel::debug, "fetch quotas", {{"namespace", decision.namespace_name}});
    wiring_.quotas->read(decision.namespace_name, [this, decision](const k8s::QuotaResult& result) {
        quotas_answered(to_event(decision, result));
    });
}

void Executor::quotas_answered(Event event) {
    if (const auto* missing = std::get_if<QuotasMissing>(&event)) {
        const bool is_new = quota_problem_ != missing->message;
        quota_problem_ = missing->message;
        wiring_.log->write(
            is_new ? LogLevel::warning : LogLevel::debug,
            missing->problem == QuotaProblem::failed
                ? "quotas could not be read: they will be asked for again"
                : "quotas could not be read: gangs of the namespace start without a look at them",
            {{"namespace", missing->namespace_name}, {"why", missing->message}});
    }
    wiring_.answer(std::move(event));
}

void Executor::run(const WriteGroupStatus& decision) {
    const std::string name = full_name(decision.namespace_name, decision.name);
    wiring_.log->write(
        LogLevel::debug,
        "pod group status",
        {{"group", name}, {"reason", decision.status.reason}, {"message", decision.status.message}});
    wiring_.writer->write_group_status(
        to_request(decision), [this, decision, name](const k8s::ObjectStatusResult& result) {
            GroupStatusWritten event = to_event(decision, result);
            if (event.outcome != GroupStatusOutcome::written) {
                // One object that is written by others, or gone, is nothing to be told twice.
                const bool is_new =
                    std::exchange(group_status_problem_, event.message) != event.message;
                wiring_.log->write(
                    is_new && event.outcome == GroupStatusOutcome::forbidden ? LogLevel::warning
                                                                             : LogLevel::debug,
                    "pod group status not written",
                    {{"group", name}, {"why", event.message}});
            }
            wiring_.answer(std::move(event));
        });
}

void Executor::run(const SetCondition& decision) {
    wiring_.log->write(
        LogLevel::info,
        "condition",
        {{"pod", full_name(decision.pod)},
         {"reason", decision.reason},
         {"message", decision.message}});
    if (!decision.fence) {
        wiring_.metrics->found_unschedulable();
        wiring_.writer->patch_status(to_patch(decision), {});
        return;
    }
    wiring_.writer->patch_status(
        to_patch(decision), [this, uid = decision.pod.uid](const k8s::StatusResult& result) {
            wiring_.answer(to_event(uid, result));
        });
}

void Executor::run(const ListPods&) {
    wiring_.log->write(LogLevel::info, "list pods for their labels");
    wiring_.pod_lister->list();
}

void Executor::run(const UpdateReservation& decision) {
    wiring_.log->write(
        LogLevel::info, "reservation changed", {{"pod", full_name(decision.driver)}});
    k8s::StatusPatch patch = to_patch(decision);
    wiring_.seal->close(decision.driver.uid, patch.annotations);
    wiring_.writer->patch_status(
        std::move(patch), [this, driver = decision.driver](const k8s::StatusResult& result) {
            if (!result.written) {
                wiring_.log->write(
                    LogLevel::warning,
                    "reservation not written",
                    {{"pod", full_name(driver)}, {"why", result.message}});
            }
            wiring_.answer(to_event(driver.uid, result));
        });
}

void Executor::run(const EvictPod& decision) {
    wiring_.log->write(
        LogLevel::info,
        "evict",
        {{"pod", full_name(decision.pod)}, {"reason", to_string(decision.reason)}});
    wiring_.writer->evict(
        to_name(decision), [this, pod = decision.pod](const k8s::EvictResult& result) {
            EvictFinished event = to_event(pod.uid, result);
            wiring_.log->write(
                event.outcome == EvictOutcome::evicted ? LogLevel::debug : LogLevel::warning,
                "eviction answered",
                {{"pod", full_name(pod)},
                 {"outcome", to_string(event.outcome)},
                 {"why", event.message}});
            wiring_.answer(std::move(event));
        });
}

void Executor::run(const RecordEvent& decision) {
    // Nearly always the same words as a condition or a bind, which have their line.
    wiring_.log->write(
        LogLevel::debug,
        "event",
        {{"pod", full_name(decision.pod)},
         {"reason", decision.reason},
         {"message", decision.message}});
    wiring_.writer->record_event(to_pod_event(decision));
}

void Executor::run(const WantCapacity& decision) {
    std::int64_t executors = 0;
    for (const core::CapacityShape& shape : decision.shapes) {
        executors += shape.count;
    }
    wiring_.log->write(
        LogLevel::info,
        "ask the autoscaler",
        {{"driver", full_name(decision.driver)}, {"executors", std::to_string(executors)}});
    wiring_.demand->want(to_request(decision), [this, decision](const k8s::DemandResult& result) {
        capacity_answered(decision.driver, to_event(decision, result));
    });
}

void Executor::run(const DropCapacity& decision) {
    wiring_.log->write(
        LogLevel::info, "ask the autoscaler no more", {{"driver", full_name(decision.driver)}});
    wiring_.demand->drop(to_request(decision), [this, decision](const k8s::DemandResult& result) {
        capacity_answered(decision.driver, to_event(decision, result));
    });
}

void Executor::capacity_answered(const PodRef& driver, CapacityAnswered event) {
    if (!event.message.empty()) {
        const bool is_new = std::exchange(capacity_problem_, event.message) != event.message;
        wiring_.log->write(
            is_new ? LogLevel::warning : LogLevel::debug,
            "the autoscaler cannot be asked",
            {{"driver", full_name(driver)}, {"why", event.message}});
    }
    wiring_.answer(std::move(event));
}

void Executor::run(const ListCapacity&) {
    wiring_.demand->list([this](const k8s::DemandList& list) {
        wiring_.log->write(
            list.is_complete ? LogLevel::debug : LogLevel::warning,
            "what the autoscaler is asked for",
            {{"drivers", std::to_string(list.found.size())}, {"why", list.message}});
        wiring_.answer(to_event(list));
    });
}

void Executor::run(const AnswerExtender& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "answer kube-scheduler",
        {{"nodes", std::to_string(decision.nodes.size())}, {"message", decision.message}});
    wiring_.answer_extender(decision);
}

void Executor::run(const AskExtenders& decision) {
    wiring_.log->write(
        LogLevel::debug,
        "ask extenders",
        {{"pod", full_name(decision.pod.namespace_name, decision.pod.name)},
         {"executors", decision.is_to_come ? "yes" : "no"},
         {"nodes", std::to_string(decision.nodes.size())}});
    wiring_.extenders->ask(
        decision, [this](ExtendersAnswered event) { wiring_.answer(std::move(event)); });
}

void Executor::run(const WakeAt& decision) {
    wiring_.wake(decision.time_ms);
}

void Executor::run(const StepDown& decision) {
    wiring_.step_down(decision.why);
}

}  // namespace gang::app
