// `queues`: from the leading daemon; without one, what runs, counted from the API server alone.
#include "gang/app/base/server_name.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/cli/scheduler_from_lists.hpp"
#include "gang/app/cli/service/leader_service.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/queue_report.hpp"

#include <ostream>
#include <utility>
#include <vector>

namespace gang::app {
namespace {

core::Result<QueueReport> find_queues(const Sources& sources, std::string& note) {
    auto report = ask_leader(sources, "/queues", queue_report_from_json, note);
    if (!report) {
        return report.error();
    }
    if (*report) {
        return **std::move(report);
    }
    if (!sources.access) {
        return sources.access.error();
    }
    if (auto told = queues_by_service(sources, note)) {
        return *std::move(told);
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
        return usage_error(err, "queues", sources.error().message);
    }
    std::string note;
    const auto report = find_queues(*sources, note);
    if (!note.empty()) {
        err << note << '\n';
    }
    if (!report) {
        return failure(err, "queues", report.error().message);
    }
    if (!print_data(line, out, [&] { return to_json(*report); })) {
        out << queues_table(*report);
    }
    return exit_done;
}

}  // namespace

Verb queues_verb() {
    std::vector<Flag> flags = cluster_flags();
    flags.push_back(service_flag());
    return Verb{
        "queues",
        "list the queues: share, usage, limits, and who waits",
        "",
        std::move(flags),
        {"gang-scheduler queues", "gang-scheduler queues -o json"},
        queues};
}

}  // namespace gang::app
