#include "gang/app/serve/served_http.hpp"

#include "gang/app/serve/query.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gang::app {
namespace {

constexpr const char* exposition = "text/plain; version=0.0.4; charset=utf-8";

Check synced(const char* name, bool is_synced) {
    return Check{name, is_synced ? "" : "not listed completely yet"};
}

Check watched(const char* name, std::int64_t interrupted_ms) {
    return Check{
        name,
        interrupted_ms <= interrupted_ms_max
            ? ""
            : fmt::format("cut off from the API server for {} s", interrupted_ms / 1'000)};
}

bool is_verbose(std::string_view query) {
    const auto names = parameter_names(query);
    return std::find(names.begin(), names.end(), "verbose") != names.end();
}

HttpReply health_reply(
    std::string_view name, std::string_view query, const std::vector<Check>& checks) {
    const bool passes = std::all_of(
        checks.begin(), checks.end(), [](const Check& check) { return check.failure.empty(); });
    if (passes && !is_verbose(query)) {
        return HttpReply{200, "ok", plain_text};
    }
    std::string text;
    for (const Check& check : checks) {
        text += check.failure.empty()
                    ? fmt::format("[+]{} ok\n", check.name)
                    : fmt::format("[-]{} failed: {}\n", check.name, check.failure);
    }
    text += fmt::format("{} check {}\n", name, passes ? "passed" : "failed");
    return HttpReply{passes ? 200 : 503, std::move(text), plain_text};
}

}  // namespace

std::vector<Check> live_checks(const Health& health) {
    return {
        Check{"ping"},
        Check{
            "loop",
            health.overdue_ms <= turn_ms_max
                ? ""
                : fmt::format("events have waited for {} s", health.overdue_ms / 1'000)},
        Check{
            "lease",
            health.lease_lost && !health.stopping ? "lost, and the process has not ended" : ""}};
}

std::vector<Check> ready_checks(const Health& health) {
    if (health.policy_missing) {
        return {Check{"ping"}, Check{"policy", "not read yet: nothing is scheduled"}};
    }
    const bool leader = health.leads || health.leader_known;
    return {
        Check{"ping"},
        Check{"shutdown", health.stopping || health.lease_lost ? "the process ends" : ""},
        synced("pods-synced", health.pods_synced),
        synced("nodes-synced", health.nodes_synced),
        watched("pods-watch", health.pods_interrupted_ms),
        watched("nodes-watch", health.nodes_interrupted_ms),
        Check{"leader-election", leader ? "" : "no leader is known, and this is none"}};
}

HttpReply served_reply(const HttpAsk& ask, const ServedSource& source) {
    const auto [path, query] = split_target(ask.target);
    if (path == "/livez" || path == "/healthz") {  // kube-scheduler has that name, too
        return health_reply("livez", query, live_checks(source.health()));
    }
    if (path == "/readyz") {
        return health_reply("readyz", query, ready_checks(source.health()));
    }
    if (path == "/metrics") {
        return HttpReply{200, source.metrics(), exposition};
    }
    return HttpReply{404, "there are /livez, /healthz, /readyz and /metrics\n", plain_text};
}

}  // namespace gang::app
