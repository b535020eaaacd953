// `nodes`: from the leading daemon; without one, what a scheduler that starts now would hold.
#include "config/printable.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/cli/terminal.hpp"
#include "gang/app/cli/verbs/questions.hpp"
#include "gang/app/show/nodes_report.hpp"
#include "k8s/base/time.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

namespace gang::app {
namespace {

std::string shown(const CommandLine& line, const LedgerReport& report, NodesStyle style) {
    if (line.wants_names()) {
        return node_names(report);
    }
    return line.has("cards") ? node_cards_table(report) : nodes_table(report, style);
}

int nodes(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        return usage_error(err, "nodes", sources.error().message);
    }
    NodesStyle style;
    style.is_wide = line.wants_wide();
    style.table = find_table_style(out);
    if (line.has("executor")) {
        const auto executor = read_executor_size(line.text("executor"));
        if (!executor) {
            return usage_error(err, "nodes", "--executor: " + executor.error().message);
        }
        style.executor = *executor;
    }
    std::string note;
    auto report = find_nodes(*sources, note);
    if (!note.empty()) {
        err << note << '\n';
    }
    if (!report) {
        return failure(err, "nodes", report.error().message);
    }
    const std::string name = line.arguments.empty() ? "" : line.arguments.front();
    if (!name.empty()) {
        std::erase_if(report->nodes, [&](const NodeLedger& node) { return node.name != name; });
        if (report->nodes.empty()) {
            return failure(err, "nodes", "no node is called " + config::printable(name, 300));
        }
    }
    if (print_data(line, out, [&] { return to_json(*report); })) {
        return exit_done;
    }
    const bool is_alone = !name.empty() && !line.has("cards") && !line.wants_names();
    out << (is_alone ? node_text(*report, name, k8s::unix_ms()).value_or("")
                     : shown(line, *report, style));
    return exit_done;
}

}  // namespace

Verb nodes_verb() {
    std::vector<Flag> flags = cluster_flags({"wide", "yaml", "name"});
    flags.push_back(Flag{"cards", 0, "", "the cards that pods share, one a line", {}, "true"});
    flags.push_back(service_flag());
    flags.push_back(Flag{
        "executor", 0, "CPUxMEMORY", "say how many executors of this size still go on each"});
    return Verb{
        "nodes",
        "list the nodes: what is bound, held and free, and for whom",
        "[NODE]",
        std::move(flags),
        {"gang-scheduler nodes", "gang-scheduler nodes node-1", "gang-scheduler nodes --executor 2x6Gi"},
        nodes};
}

}  // namespace gang::app
