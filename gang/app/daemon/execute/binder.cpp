#include "gang/app/daemon/execute/binder.hpp"

#include "core/value/device/card_dialect.hpp"
#include "gang/app/daemon/execute/log_names.hpp"
#include "gang/host/requests.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <vector>

namespace gang::app {
namespace {

using config::LogLevel;
using gang::to_event;

}  // namespace

/// What is measured of a bind: when it was decided, how long that took, and since when the pod is
/// known.
struct Binder::Begun {
    std::chrono::steady_clock::time_point at = std::chrono::steady_clock::now();
    double plan_seconds = 0;
    std::int64_t pending_since_ms = 0;
};

void Binder::bind(const BindPod& decision) {
    wiring_.log->write(
        LogLevel::info, "bind", {{"pod", full_name(decision.pod)}, {"node", decision.node}});
    Begun begun;
    begun.plan_seconds = wiring_.metrics->last_plan_seconds();
    begun.pending_since_ms = decision.pending_since_ms;
    if (decision.claims.empty() && decision.volumes.empty()) {
        send(decision, begun);
        return;
    }
    k8s::ProvisionRequest wanted{decision.pod.namespace_name, decision.claims, decision.node, {}};
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
    wiring_.claims->provision(std::move(wanted), [this, decision, begun](const std::string& why) {
        if (why.empty()) {
            send(decision, begun);
            return;
        }
        wiring_.log->write(
            LogLevel::warning,
            "no volumes",
            {{"pod", full_name(decision.pod)}, {"node", decision.node}, {"why", why}});
        wiring_.answer(BindFinished{decision.pod.uid, BindOutcome::not_sent, why});
    });
}

void Binder::send(const BindPod& decision, const Begun& begun) {
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
        answered(begun, result);
    });
}

void Binder::answered(const Begun& begun, const k8s::BindResult& result) {
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

}  // namespace gang::app
