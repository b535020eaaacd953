// `queues`: from the leading daemon; without one, what runs, counted from the API server alone.
#include "gang/app/base/server_name.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/scheduler_from_lists.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/queue_report.hpp"

#include <ostream>
#include <utility>

namespace gang::app {
namespace {

core::Result<QueueReport> find_queues(const Sources& sources, std::string& note) {
    const auto answer = ask_control(sources, "/queues");
    if (answer && answer->status == 200) {
        auto report = queue_report_from_json(answer->body);
        if (report && is_same_cluster(sources, report->server)) {
            if (report->standing.leads) {
                return report;
            }
            note = describe_standby(report->standing);
        }
    }
    if (!answer && sources.control_is_asked && !sources.control.empty()) {
        return answer.error();
    }
    if (!sources.access) {
        return sources.access.error();
    }
    const auto scheduler = scheduler_from_lists(sources.config, *sources.access);
    if (!scheduler) {
        return scheduler.error();
    }
    note += note.empty() ? "" : "; ";
    note += "who waits is known to the daemon alone: asked the API server";
    return QueueReport{"api-server", server_name(*sources.access), scheduler->queues()};
}

int queues(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        err << sources.error().message << '\n';
        return exit_usage;
    }
    std::string note;
    const auto report = find_queues(*sources, note);
    if (!note.empty()) {
        err << note << '\n';
    }
    if (!report) {
        err << "gang-scheduler queues: " << report.error().message << '\n';
        return exit_error;
    }
    out << (line.wants_json() ? to_json(*report) + "\n" : queues_table(*report));
    return exit_done;
}

}  // namespace

Verb queues_verb() {
    std::vector<Flag> flags = ask_flags();  // of the whole cluster, so of no namespace
    std::erase_if(flags, [](const Flag& flag) { return flag.name == "namespace"; });
    return Verb{
        "queues",
        "list the queues: share, usage, limits, and who waits",
        "",
        std::move(flags),
        {"gang-scheduler queues", "gang-scheduler queues -o json"},
        queues};
}

}  // namespace gang::app
