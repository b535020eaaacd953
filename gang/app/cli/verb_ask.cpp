// `gangs` and `why`: from the daemon when it is at hand, else from the API server alone.
#include "gang/app/base/server_name.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/sources.hpp"
#include "gang/app/show/pod_view.hpp"
#include "gang/app/show/report.hpp"
#include "k8s/base/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace gang::app {
namespace {

/// Of all namespaces, if none is named: who may not list them all is told how to ask for less.
core::Result<std::vector<core::Pod>> read_pods(
    const Sources& sources, const std::string& namespace_name) {
    auto reader = make_reader(sources);
    if (!reader) {
        return reader.error();
    }
    auto pods = reader->list_pods(namespace_name);
    if (!pods && namespace_name.empty() && pods.error().message.ends_with("(403)")) {
        return core::Error{pods.error().message + "; try -n NAMESPACE"};
    }
    return pods;
}

PodQuestion pod_question(const Sources& sources) {
    return PodQuestion{sources.config.scheduler_names(), sources.namespace_name};
}

core::Result<GangList> find_gangs(const Sources& sources, std::string& note) {
    const auto answer = ask_control(sources, "/gangs");
    if (answer && answer->status == 200) {
        auto list = gang_list_from_json(answer->body);
        if (list && is_same_cluster(sources, list->server) && !list->standing.leads) {
            note = describe_standby(list->standing);
        } else if (list && is_same_cluster(sources, list->server)) {
            std::erase_if(list->gangs, [&](const GangView& gang) {
                const std::string& wanted = sources.namespace_name;
                return gang.state == GangState::ended ||
                       (!wanted.empty() && gang.namespace_name != wanted);
            });
            return list;
        }
    }
    if (!answer && sources.control_is_asked && !sources.control.empty()) {
        return answer.error();
    }
    const auto pods = read_pods(sources, sources.namespace_name);
    if (!pods) {
        return pods.error();
    }
    return GangList{
        "api-server", server_name(*sources.access), gangs_from_pods(*pods, pod_question(sources))};
}

core::Result<Answer> find_answer(
    const Sources& sources, const std::string& question, std::string& note) {
    std::vector<std::string> ways = {question};
    if (question.find('/') == std::string::npos && !sources.namespace_name.empty()) {
        ways.insert(ways.begin(), sources.namespace_name + "/" + question);
    }
    for (const std::string& words : ways) {
        if (auto answer = explain_by_daemon(sources, words, note)) {
            return *std::move(answer);
        }
    }
    const std::size_t slash = question.find('/');
    const auto pods = read_pods(
        sources,
        slash == std::string::npos ? sources.namespace_name : question.substr(0, slash));
    if (!pods) {
        return pods.error();
    }
    auto explanation = explain_from_pods(*pods, pod_question(sources), question);
    if (!explanation) {
        return explanation.error();
    }
    return Answer{"api-server", server_name(*sources.access), *std::move(explanation)};
}

int gangs(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        err << sources.error().message << '\n';
        return exit_usage;
    }
    std::string note;
    const auto list = find_gangs(*sources, note);
    if (!note.empty()) {
        err << note << '\n';
    }
    if (!list) {
        err << "gang-scheduler gangs: " << list.error().message << '\n';
        return exit_error;
    }
    out
        << (line.wants_json() ? to_json(*list) + "\n"
                              : gangs_table(*list, k8s::unix_ms(), line.wants_wide()));
    return exit_done;
}

int why(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        err << sources.error().message << '\n';
        return exit_usage;
    }
    std::string note;
    const auto answer = find_answer(*sources, line.arguments.front(), note);
    if (!note.empty()) {
        err << note << '\n';
    }
    if (!answer) {
        err << "gang-scheduler why: " << answer.error().message << '\n';
        return exit_error;
    }
    out << (line.wants_json() ? to_json(*answer) + "\n" : why_text(*answer, k8s::unix_ms()));
    return exit_done;
}

}  // namespace

Verb gangs_verb() {
    std::vector<Flag> flags = ask_flags();
    for (Flag& flag : flags) {
        if (flag.name == "output") {
            flag.placeholder = "table|wide|json";
            flag.allowed.insert(flag.allowed.begin() + 1, "wide");
        }
    }
    return Verb{
        "gangs",
        "list the gangs: the queue, and what each needs and has",
        "",
        std::move(flags),
        {"gang-scheduler gangs",
         "gang-scheduler gangs -o wide",
         "gang-scheduler gangs -n etl -o json"},
        gangs};
}

Verb why_verb() {
    return Verb{
        "why",
        "say why a pod or an application waits, or what it holds",
        "POD|NAMESPACE/POD|APPLICATION",
        ask_flags(),
        {"gang-scheduler why etl/pi-driver", "gang-scheduler why spark-9f3c2a -o json"},
        why};
}

}  // namespace gang::app
