// `why`: from the daemon when it is at hand, else from the API server alone.
#include "config/duration.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/cli/verbs/questions.hpp"
#include "gang/app/show/report.hpp"
#include "k8s/base/time.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <thread>
#include <utility>

namespace gang::app {
namespace {

/// Between two questions of `why --wait`.
constexpr std::chrono::seconds wait_pause(1);

int exit_code_of(const Answer& answer) {
    const GangView& gang = answer.explanation.gang;
    switch (gang.state) {
        case GangState::admitted:
        case GangState::running:
        case GangState::degraded:
        case GangState::ended:
            return exit_done;
        case GangState::waiting_for_conf:
        case GangState::waiting:
        case GangState::parked:
            break;
    }
    return can_never_run(gang.code) ? exit_never : exit_waits;
}

/// How long `--wait` goes on, from now.
struct Patience {
    bool waits = false;
    std::optional<std::int64_t> until_ms;  ///< monotonic; none: for ever
};

core::Result<Patience> find_patience(const CommandLine& line) {
    Patience patience{line.has("wait"), {}};
    if (!line.has("timeout")) {
        return patience;
    }
    const auto timeout_ms = config::parse_duration(line.text("timeout"));
    if (!timeout_ms) {
        return core::Error{"--timeout: " + timeout_ms.error().message};
    }
    if (!patience.waits) {
        return core::Error{"--timeout says how long --wait goes on: it is nothing without it"};
    }
    patience.until_ms = k8s::monotonic_ms() + *timeout_ms;
    return patience;
}

/// Asks until the gang no longer waits. What has changed is shown at once, or in JSON the last
/// answer alone.
int wait_for(
    const CommandLine& line,
    const Sources& sources,
    const Patience& patience,
    std::ostream& out,
    std::ostream& err) {
    std::string shown;
    std::string last_note;
    while (true) {
        std::string note;
        const auto answer = find_answer(sources, line.arguments.front(), note);
        if (!note.empty() && note != last_note) {
            err << note << '\n';
            last_note = note;
        }
        if (!answer) {
            return failure(err, "why", answer.error().message);
        }
        const int code = exit_code_of(*answer);
        const bool is_over = !patience.waits || code != exit_waits ||
                             (patience.until_ms && k8s::monotonic_ms() >= *patience.until_ms);
        const GangView& gang = answer->explanation.gang;
        const std::string state = std::string(to_string(gang.state)) + gang.message;
        if (line.wants_data()) {
            is_over&& print_data(line, out, [&] { return to_json(*answer); });
        } else if (state != shown) {
            out << why_text(*answer, k8s::unix_ms()) << std::flush;
            shown = state;
        }
        if (is_over) {
            return code;
        }
        std::this_thread::sleep_for(wait_pause);
    }
}

int why(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        return usage_error(err, "why", sources.error().message);
    }
    const auto patience = find_patience(line);
    if (!patience) {
        return usage_error(err, "why", patience.error().message);
    }
    return wait_for(line, *sources, *patience, out, err);
}

}  // namespace

Verb why_verb() {
    std::vector<Flag> flags = ask_flags();
    flags.push_back(
        Flag{"wait", 0, "", "ask until the gang no longer waits; show what changes", {}, "true"});
    flags.push_back(Flag{"timeout", 0, "DURATION", "how long --wait goes on (default: for ever)"});
    return Verb{
        "why",
        "say why a pod or an application waits, or what it holds",
        "POD|NAMESPACE/POD|APPLICATION",
        std::move(flags),
        {"gang-scheduler why etl/pi-driver",
         "gang-scheduler why spark-9f3c2a -o json",
         "gang-scheduler why etl/pi-driver --wait --timeout 30m"},
        why};
}

}  // namespace gang::app
