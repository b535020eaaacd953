// `ledger`: from the daemon, after a fresh consistency check; without one, what a scheduler that
// starts now would hold.
#include "gang/app/base/server_name.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/control_client.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/cli/scheduler_from_lists.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/ledger_report.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

namespace gang::app {
namespace {

constexpr auto ask_again_after = std::chrono::milliseconds(200);
constexpr std::int64_t consistency_wait_ms_max = 60'000;

/// The daemon's ledger after a consistency check that began now; an error: nobody answers, or it
/// does not end.
core::Result<std::string> checked_by_daemon(const config::ListenAddress& address) {
    std::string target = "/ledger?audit=now";
    std::optional<std::uint64_t> before;
    const std::int64_t until = k8s::monotonic_ms() + consistency_wait_ms_max;
    for (;;) {
        auto answer = ask_daemon(address, target);
        if (!answer) {
            return answer.error();
        }
        if (answer->status != 200) {
            return core::Error{fmt::format("the scheduler answered {}", answer->status)};
        }
        const auto read = read_ledger(answer->body, k8s::unix_ms());
        if (!read) {
            return read.error();
        }
        const std::uint64_t tried = read->runs + read->failures;
        if (!read->is_running && before && tried > *before) {
            return std::move(answer->body);
        }
        if (!before) {
            before = tried;
        }
        if (k8s::monotonic_ms() > until) {
            return core::Error{"the scheduler's audit has not ended within a minute"};
        }
        target = "/ledger";
        std::this_thread::sleep_for(ask_again_after);
    }
}

/// Of a scheduler that has just listed.
core::Result<std::string> from_lists(const config::Schema& config, const k8s::Access& access) {
    const auto scheduler = scheduler_from_lists(config, access);
    return scheduler ? core::Result<std::string>(to_json(LedgerReport{
                           "api-server", server_name(access), scheduler->ledger(), {}}))
                     : core::Result<std::string>(scheduler.error());
}

core::Result<std::string> find_ledger(const Sources& sources) {
    if (const auto address = config::parse_private(sources.control)) {
        auto answer = checked_by_daemon(*address);
        if (!answer && sources.control_is_asked) {
            return answer;
        }
        const auto read =
            answer ? read_ledger(*answer, 0) : core::Result<LedgerAnswer>(answer.error());
        if (read && is_same_cluster(sources, read->server)) {
            return answer;
        }
    }
    return sources.access ? from_lists(sources.config, *sources.access)
                          : core::Result<std::string>(sources.access.error());
}

int ledger(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        return usage_error(err, "ledger", sources.error().message);
    }
    const auto json = find_ledger(*sources);
    const auto answer =
        json ? read_ledger(*json, k8s::unix_ms()) : core::Result<LedgerAnswer>(json.error());
    if (!answer) {
        return failure(err, "ledger", answer.error().message);
    }
    if (!answer->standing.leads) {
        err << describe_standby(answer->standing, "this is what the standby itself counts") << '\n';
    }
    if (!print_data(line, out, [&] { return *json; })) {
        out << answer->text;
    }
    return answer->agrees ? exit_done : exit_error;
}

}  // namespace

Verb ledger_verb() {
    return Verb{
        "ledger",
        "compare the ledger with the API server: what each node has, holds, and for whom",
        "",
        cluster_flags(),
        {"gang-scheduler ledger", "gang-scheduler ledger -o json"},
        ledger};
}

}  // namespace gang::app
