// `gangs` and `why`: from the daemon when it is at hand, else from the API server alone.
#include "gang/app/cli.hpp"
#include "gang/app/control_client.hpp"
#include "gang/app/control_http.hpp"
#include "gang/app/files.hpp"
#include "gang/app/pod_view.hpp"
#include "gang/app/report.hpp"
#include "gang/app/server_name.hpp"
#include "gang/app/version.hpp"
#include "k8s/reader.hpp"
#include "k8s/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

namespace gang::app {
namespace {

/// What the flags say about where to ask.
struct Sources {
    config::Schema config;
    core::Result<k8s::Access> access = core::Error{};
    std::string control;            ///< address, or empty
    bool control_is_asked = false;  ///< by the user: then it is trusted to serve the right cluster
    std::string namespace_name;
};

core::Result<Sources> find_sources(const CommandLine& line) {
    auto config = load_config(line.text("config"));
    if (!config) {
        return config.error();
    }
    Sources out;
    out.config = *std::move(config);
    const std::string control = line.text("control", out.config.control_listen);
    out.control = control == "none" ? "" : control;
    out.control_is_asked = line.has("control");
    out.namespace_name = line.text("namespace");
    out.access = k8s::find_access(line.text("kubeconfig", out.config.kubeconfig));
    if (!out.control.empty()) {
        const auto address = config::parse_loopback(out.control);
        if (!address) {
            return core::Error{"--control: " + address.error().message};
        }
    }
    return out;
}

/// A daemon of another cluster may sit at the default address.
bool is_same_cluster(const Sources& sources, const std::string& server) {
    return sources.control_is_asked || !sources.access || server_name(*sources.access) == server;
}

/// The daemon's words, or why there are none.
core::Result<ControlAnswer> ask_control(const Sources& sources, const std::string& target) {
    const auto address = config::parse_loopback(sources.control);
    if (!address) {
        return core::Error{"no control endpoint"};
    }
    return ask_daemon(*address, target);
}

core::Result<std::vector<core::Pod>> read_pods(const Sources& sources) {
    if (!sources.access) {
        return sources.access.error();
    }
    auto endpoint = k8s::Endpoint::make(*sources.access, fmt::format("gang-scheduler/{}", version));
    if (!endpoint) {
        return endpoint.error();
    }
    return k8s::Reader(*endpoint).list_pods(sources.namespace_name);
}

PodQuestion pod_question(const Sources& sources) {
    return PodQuestion{sources.config.scheduler_names, sources.namespace_name};
}

core::Result<GangList> find_gangs(const Sources& sources) {
    const auto answer = ask_control(sources, "/gangs");
    if (answer && answer->status == 200) {
        auto list = gang_list_from_json(answer->body);
        if (list && is_same_cluster(sources, list->server)) {
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
    const auto pods = read_pods(sources);
    if (!pods) {
        return pods.error();
    }
    return GangList{
        "api-server", server_name(*sources.access), gangs_from_pods(*pods, pod_question(sources))};
}

/// The daemon's answer, when it has one about the right cluster and namespace.
std::optional<Answer> explain_by_daemon(const Sources& sources, const std::string& question) {
    const auto reply = ask_control(sources, explain_target(question));
    if (!reply || reply->status != 200) {
        return std::nullopt;
    }
    auto answer = answer_from_json(reply->body);
    if (!answer || !is_same_cluster(sources, answer->server)) {
        return std::nullopt;
    }
    const std::string& wanted = sources.namespace_name;
    const bool fits = wanted.empty() || wanted == answer->explanation.gang.namespace_name;
    return fits ? std::optional(*std::move(answer)) : std::nullopt;
}

core::Result<Answer> find_answer(const Sources& sources, const std::string& question) {
    std::vector<std::string> ways = {question};
    if (question.find('/') == std::string::npos && !sources.namespace_name.empty()) {
        ways.insert(ways.begin(), sources.namespace_name + "/" + question);
    }
    for (const std::string& words : ways) {
        if (auto answer = explain_by_daemon(sources, words)) {
            return *std::move(answer);
        }
    }
    const auto pods = read_pods(sources);
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
    const auto list = find_gangs(*sources);
    if (!list) {
        err << "gang-scheduler gangs: " << list.error().message << '\n';
        return exit_error;
    }
    out << (line.wants_json() ? to_json(*list) + "\n" : gangs_table(*list, k8s::unix_ms()));
    return exit_done;
}

int why(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto sources = find_sources(line);
    if (!sources) {
        err << sources.error().message << '\n';
        return exit_usage;
    }
    const auto answer = find_answer(*sources, line.arguments.front());
    if (!answer) {
        err << "gang-scheduler why: " << answer.error().message << '\n';
        return exit_error;
    }
    out << (line.wants_json() ? to_json(*answer) + "\n" : why_text(*answer, k8s::unix_ms()));
    return exit_done;
}

std::vector<Flag> ask_flags() {
    return {
        namespace_flag(),
        output_flag(),
        kubeconfig_flag(),
        Flag{
            "control",
            0,
            "ADDR:PORT|none",
            "the daemon's control endpoint (default: 127.0.0.1:10351, if it serves this cluster)"},
        config_flag()};
}

}  // namespace

Verb gangs_verb() {
    return Verb{
        "gangs",
        "list the gangs: the queue, and what each needs and has",
        "",
        ask_flags(),
        {"gang-scheduler gangs", "gang-scheduler gangs -n etl -o json"},
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
