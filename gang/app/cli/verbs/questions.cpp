#include "gang/app/cli/verbs/questions.hpp"

#include "gang/app/base/server_name.hpp"
#include "gang/app/cli/scheduler_from_lists.hpp"
#include "gang/app/cli/service/leader_service.hpp"
#include "gang/app/show/pod_view.hpp"

#include <utility>
#include <vector>

namespace gang::app {
namespace {

core::Result<Answer> find_within(
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
    for (const std::string& words : ways) {
        if (auto answer = explain_by_service(sources, words, note)) {
            return *std::move(answer);
        }
    }
    const std::size_t slash = question.find('/');
    const auto pods = read_pods(
        sources, slash == std::string::npos ? sources.namespace_name : question.substr(0, slash));
    if (!pods) {
        return pods.error();
    }
    auto explanation = explain_from_pods(
        *pods, {sources.config.scheduler_names(), sources.namespace_name}, question);
    if (!explanation) {
        return explanation.error();
    }
    return Answer{"api-server", server_name(*sources.access), *std::move(explanation)};
}

}  // namespace

core::Result<GangList> find_gangs(const Sources& sources, std::string& note) {
    auto list = ask_leader(sources, "/gangs", gang_list_from_json, note);
    if (!list) {
        return list.error();
    }
    if (*list) {
        std::erase_if((*list)->gangs, [&sources](const GangView& gang) {
            const std::string& wanted = sources.namespace_name;
            return gang.state == GangState::ended ||
                   (!wanted.empty() && gang.namespace_name != wanted);
        });
        return **std::move(list);
    }
    if (auto told = gangs_by_service(sources, note)) {
        std::erase_if(told->gangs, [](const GangView& gang) {
            return gang.state == GangState::ended;
        });
        return *std::move(told);
    }
    const auto pods = read_our_pods(sources, sources.namespace_name);
    if (!pods) {
        return pods.error();
    }
    return GangList{
        "api-server",
        server_name(*sources.access),
        gangs_from_pods(*pods, {sources.config.scheduler_names(), sources.namespace_name})};
}

core::Result<LedgerReport> find_nodes(const Sources& sources, std::string& note) {
    auto report = ask_leader(sources, "/ledger", ledger_from_json, note);
    if (!report) {
        return report.error();
    }
    if (*report) {
        return **std::move(report);
    }
    if (!sources.access) {
        return sources.access.error();
    }
    if (auto told = nodes_by_service(sources, note)) {
        return *std::move(told);
    }
    const auto scheduler = scheduler_from_lists(sources.config, *sources.access);
    return scheduler ? core::Result<LedgerReport>(LedgerReport{
                           "api-server", server_name(*sources.access), scheduler->ledger(), {}})
                     : core::Result<LedgerReport>(scheduler.error());
}

core::Result<Answer> find_answer(
    const Sources& sources, const std::string& words, std::string& note) {
    const std::string question = without_kind(words);
    return find_widely(
        sources, [&](const Sources& within) { return find_within(within, question, note); });
}

}  // namespace gang::app
