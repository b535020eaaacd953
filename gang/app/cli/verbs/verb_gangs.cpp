// `gangs`: from the daemon when it is at hand, else from the API server alone.
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/cli/terminal.hpp"
#include "gang/app/cli/verbs/questions.hpp"
#include "gang/app/show/gangs_watch.hpp"
#include "gang/app/show/report.hpp"
#include "k8s/base/time.hpp"

#include <chrono>
#include <ostream>
#include <thread>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

/// Between two questions of `gangs --watch`: a daemon has the answer ready, an API server lists
/// pods.
constexpr std::chrono::seconds daemon_pause(1);
constexpr std::chrono::seconds server_pause(5);

void print(
    const CommandLine& line, const Sources& sources, const GangList& list, std::ostream& out) {
    if (print_data(line, out, [&] { return to_json(list); })) {
        return;
    }
    if (line.wants_names()) {
        out << gang_names(list);
    } else if (list.gangs.empty() && !sources.namespace_name.empty()) {
        out << "No gangs in namespace " << sources.namespace_name << "; -A looks in all.\n";
    } else {
        out << gangs_table(list, k8s::unix_ms(), line.wants_wide(), find_table_style(out));
    }
}

/// Until nobody reads any more, or a signal. What goes wrong between two answers is said and tried
/// again: a daemon may be replaced meanwhile.
int watch(
    const CommandLine& line,
    const Sources& sources,
    GangList list,
    std::ostream& out,
    std::ostream& err) {
    GangsWatch shown(line.wants_wide(), line.wants_names());
    std::string said;
    while (true) {
        out << shown.update(list, k8s::unix_ms()) << std::flush;
        if (!out) {
            return exit_done;
        }
        std::this_thread::sleep_for(list.source == "daemon" ? daemon_pause : server_pause);
        std::string note;
        auto next = find_gangs(sources, note);
        const std::string wrong = next ? note : next.error().message;
        if (!wrong.empty() && wrong != said) {
            err << "gang-scheduler gangs: " << wrong << '\n';
        }
        said = wrong;
        if (next) {
            list = *std::move(next);
        }
    }
}

int gangs(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        return usage_error(err, "gangs", sources.error().message);
    }
    if (line.has("watch") && line.wants_data()) {
        return usage_error(err, "gangs", "--watch is for people: -o table, wide or name");
    }
    std::string note;
    auto list = find_gangs(*sources, note);
    if (!note.empty()) {
        err << note << '\n';
    }
    if (!list) {
        return failure(err, "gangs", list.error().message);
    }
    if (line.has("watch")) {
        return watch(line, *sources, *std::move(list), out, err);
    }
    print(line, *sources, *list, out);
    return exit_done;
}

}  // namespace

Verb gangs_verb() {
    std::vector<Flag> flags = ask_flags({"wide", "yaml", "name"});
    flags.push_back(Flag{
        "watch", 'w', "", "go on, and print each gang that changes, until Ctrl-C", {}, "true"});
    return Verb{
        "gangs",
        "list the gangs: the queue, and what each needs and has",
        "",
        std::move(flags),
        {"gang-scheduler gangs",
         "gang-scheduler gangs -A -w",
         "gang-scheduler gangs -n etl -o yaml"},
        gangs};
}

}  // namespace gang::app
