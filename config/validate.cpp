#include "config/validate.hpp"

#include "config/address.hpp"
#include "config/duration.hpp"
#include "config/plugins/plugins.hpp"
#include "config/queues/queue_rules.hpp"

#include <fmt/format.h>

#include <initializer_list>
#include <set>

namespace config {
namespace {

/// The first of these keys that the file wrote.
Mark place(const Marks& marks, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        const auto it = marks.find(key);
        if (it != marks.end()) {
            return it->second;
        }
    }
    return {};
}

void check_lease(const Reading& reading, std::vector<Complaint>& out) {
    constexpr auto duration = "leaderElection.leaseDuration";
    constexpr auto deadline = "leaderElection.renewDeadline";
    constexpr auto period = "leaderElection.retryPeriod";
    const LeaderElection& lease = reading.schema.leader_election;
    if (lease.lease_duration_ms - lease.renew_deadline_ms < lease_margin_ms_min) {
        out.push_back(Complaint{
            place(reading.marks, {duration, deadline}),
            fmt::format(
                "found leaseDuration {} and renewDeadline {}, expected leaseDuration to be "
                "longer by at least {}",
                format_duration(lease.lease_duration_ms),
                format_duration(lease.renew_deadline_ms),
                format_duration(lease_margin_ms_min))});
    }
    if (lease.renew_deadline_ms * 10 <= lease.retry_period_ms * 12) {
        out.push_back(Complaint{
            place(reading.marks, {deadline, period}),
            fmt::format(
                "found renewDeadline {} and retryPeriod {}, expected renewDeadline to be "
                "longer than 1.2 times retryPeriod",
                format_duration(lease.renew_deadline_ms),
                format_duration(lease.retry_period_ms))});
    }
}

void check_names(const Reading& reading, std::vector<Complaint>& out) {
    std::set<std::string> seen;
    const auto names = reading.schema.scheduler_names();
    for (std::size_t i = 0; i < names.size(); ++i) {
        if (!seen.insert(names[i]).second) {
            const std::string path = fmt::format("profiles[{}].schedulerName", i);
            out.push_back(Complaint{
                place(reading.marks, {path.c_str()}),
                fmt::format(
                    "{}: found \"{}\" a second time, expected each name once", path, names[i])});
        }
    }
}

/// Whose pods we place ourselves, and whose kube-scheduler does, is told by the name alone.
void check_extender(const Reading& reading, std::vector<Complaint>& out) {
    const Extender& extender = reading.schema.extender;
    if (extender.enabled && reading.schema.find_profile(extender.scheduler_name) != nullptr) {
        out.push_back(Complaint{
            place(reading.marks, {"extender.schedulerName", "extender.enabled"}),
            fmt::format(
                "extender.schedulerName: found \"{}\", which is a profile's name, too, expected "
                "kube-scheduler's own",
                extender.scheduler_name)});
    }
}

/// Of a profile: `packing` and `scores` both say which nodes come first.
void check_order(const Reading& reading, std::size_t profile, std::vector<Complaint>& out) {
    const std::string path = fmt::format("profiles[{}]", profile);
    const std::string packing = path + ".packing";
    const std::string scores = path + ".scores";
    if (!reading.marks.contains(packing) || !reading.marks.contains(scores)) {
        return;
    }
    out.push_back(Complaint{
        place(reading.marks, {scores.c_str()}),
        fmt::format("{}: found packing beside scores, expected one of them", path)});
}

void check_scores(const Reading& reading, std::size_t profile, std::vector<Complaint>& out) {
    std::set<core::ScoreId> seen;
    const core::ScoreOrder& scores = reading.schema.profiles[profile].scores;
    for (std::size_t i = 0; i < scores.size(); ++i) {
        const std::string path = fmt::format("profiles[{}].scores[{}]", profile, i);
        std::string problem = find_score_problem(scores[i]);
        // A Policy may have several lines, each under a name of its own.
        if (scores[i].shape.empty() && !seen.insert(scores[i].score).second) {
            problem = fmt::format(
                "found {} a second time, expected each score once",
                core::plugin_name(scores[i].score));
        }
        if (!problem.empty()) {
            out.push_back(Complaint{
                place(reading.marks, {(path + ".name").c_str()}),
                fmt::format("{}: {}", path, problem)});
        }
    }
}

void check_gpu_metrics(const Reading& reading, std::vector<Complaint>& out) {
    const GpuMetrics& metrics = reading.schema.gpu_metrics;
    const auto complain = [&](const char* key, std::string text) {
        out.push_back(
            Complaint{place(reading.marks, {key, "gpuMetrics"}), fmt::format("{}: {}", key, text)});
    };
    const MetricsService& service = metrics.service;
    if (!metrics.url.empty() && !service.name.empty()) {
        complain("gpuMetrics.service", "found service beside url, expected one of them");
    }
    if (service.name.empty() != service.namespace_name.empty()) {
        complain("gpuMetrics.service", "found one of namespace and name, expected both or neither");
    }
    const bool is_file_in_vain =
        metrics.url.empty() && !(metrics.bearer_token_file.empty() && metrics.ca_file.empty());
    if (is_file_in_vain) {
        complain(
            "gpuMetrics.url",
            "found bearerTokenFile or caFile without url, expected url beside them: a service is "
            "reached through the API server");
    }
    if (!metrics.bearer_token_file.empty() && metrics.url.starts_with("http://")) {
        complain(
            "gpuMetrics.bearerTokenFile",
            "found it beside a url without TLS, expected https: everybody on the way could read "
            "the token");
    }
    if (metrics.stale_after_ms < 2 * metrics.interval_ms) {
        complain(
            "gpuMetrics.staleAfter",
            fmt::format(
                "found {} beside an interval of {}, expected at least twice as much",
                format_duration(metrics.stale_after_ms),
                format_duration(metrics.interval_ms)));
    }
}

/// What one endpoint listens on; without an address: on nothing.
struct Listener {
    const char* key;
    std::string text;
    core::Result<ListenAddress> address;
};

bool is_same_port(const ListenAddress& a, const ListenAddress& b) {
    const bool is_tcp = a.path.empty() && b.path.empty();
    const bool is_same_host = a.host.empty() || b.host.empty() || a.host == b.host;
    return is_tcp && is_same_host && a.port != 0 && a.port == b.port;
}

}  // namespace

std::optional<ListenProblem> find_listen_problem(const Schema& schema) {
    const std::string& api = schema.api.listen;
    if (schema.api.enabled && api.empty()) {
        return ListenProblem{
            "api.listen", "found none while api.enabled is true, expected ADDRESS:PORT or :PORT"};
    }
    const Extender& extender = schema.extender;
    if (extender.enabled && extender.listen.empty()) {
        return ListenProblem{
            "extender.listen",
            "found none while extender.enabled is true, expected a loopback ADDRESS:PORT"};
    }
    const std::vector<Listener> listeners = {
        {"server.listen", schema.server_listen, parse_listen(schema.server_listen)},
        {"control.listen", schema.control_listen, parse_private(schema.control_listen)},
        {"api.listen", api, parse_listen(schema.api.enabled ? api : "")},
        {"extender.listen",
         extender.listen,
         parse_loopback(extender.enabled ? extender.listen : "")}};
    for (std::size_t later = 1; later < listeners.size(); ++later) {
        for (std::size_t first = 0; first < later; ++first) {
            const Listener& a = listeners[first];
            const Listener& b = listeners[later];
            if (a.address && b.address && is_same_port(*a.address, *b.address)) {
                return ListenProblem{
                    b.key,
                    fmt::format(
                        "found \"{}\", whose port {} has, too, expected another port",
                        b.text,
                        a.key)};
            }
        }
    }
    return std::nullopt;
}

std::vector<Complaint> validate(const Reading& reading) {
    std::vector<Complaint> out;
    check_lease(reading, out);
    check_names(reading, out);
    check_extender(reading, out);
    check_gpu_metrics(reading, out);
    if (const auto problem = find_listen_problem(reading.schema)) {
        out.push_back(Complaint{
            place(
                reading.marks,
                {problem->key.c_str(),
                 "extender.enabled",
                 "api.enabled",
                 "server.listen",
                 "control.listen"}),
            problem->key + ": " + problem->text});
    }
    for (std::size_t i = 0; i < reading.schema.profiles.size(); ++i) {
        check_order(reading, i, out);
        check_scores(reading, i, out);
    }
    const std::vector<Complaint> of_queues = check_queues(reading);
    out.insert(out.end(), of_queues.begin(), of_queues.end());
    return out;
}

}  // namespace config
