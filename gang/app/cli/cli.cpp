#include "gang/app/cli/cli.hpp"

#include "config/printable.hpp"
#include "core/base/suggest.hpp"
#include "gang/app/output/json_path.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

namespace gang::app {
namespace {

std::string overview() {
    std::string out =
        "gang-scheduler: a Kubernetes scheduler that starts a Spark driver only when all its\n"
        "executors have their place.\n\nusage: gang-scheduler VERB [flags]\n\n";
    for (const Verb& verb : verbs()) {
        out += fmt::format("  {:<14} {}\n", verb.name, verb.summary);
    }
    return out + "\n`gang-scheduler help VERB` shows its flags.\n";
}

bool asks_for_help(const std::string& word) {
    return word == "--help" || word == "-h";
}

int unknown_verb(const std::string& found, std::ostream& err) {
    std::vector<std::string> names;
    for (const Verb& verb : verbs()) {
        names.push_back(verb.name);
    }
    err << fmt::format(
        "gang-scheduler: unknown verb \"{}\", expected one of {}{}\n",
        config::printable(found, 100),
        fmt::join(names, ", "),
        core::did_you_mean(found, names));
    return exit_usage;
}

void name_help(std::ostream& err, std::string_view verb) {
    err << fmt::format("`gang-scheduler {} --help` shows its flags.\n", verb);
}

int run_one(
    const Verb& verb,
    const std::vector<std::string>& arguments,
    std::ostream& out,
    std::ostream& err) {
    if (std::any_of(arguments.begin(), arguments.end(), asks_for_help)) {
        out << help_text(verb);
        return exit_done;
    }
    const auto parsed = parse_flags(verb, arguments);
    if (const auto* wrong = std::get_if<std::string>(&parsed)) {
        failure(err, verb.name, *wrong);
        name_help(err, verb.name);
        return exit_usage;
    }
    const auto& line = std::get<CommandLine>(parsed);
    const auto text = line.json_path();
    const auto path = text ? std::optional(JsonPath::parse(*text)) : std::nullopt;
    if (path && !*path) {
        return usage_error(err, verb.name, "--output: " + path->error().message);
    }
    return verb.run(line, out, err);
}

}  // namespace

int failure(std::ostream& err, std::string_view verb, std::string_view message) {
    err << fmt::format("gang-scheduler {}: {}\n", verb, message);
    return exit_error;
}

int usage_error(std::ostream& err, std::string_view verb, std::string_view message) {
    failure(err, verb, message);
    if (message.starts_with("--")) {
        name_help(err, verb);
    }
    return exit_usage;
}

const std::vector<Verb>& verbs() {
    static const std::vector<Verb> table = {
        run_verb(),
        demo_verb(),
        cluster_verb(),
        gangs_verb(),
        why_verb(),
        top_verb(),
        timeline_verb(),
        queues_verb(),
        nodes_verb(),
        ledger_verb(),
        ui_verb(),
        size_verb(),
        replay_verb(),
        check_config_verb(),
        completion_verb(),
        man_verb(),
        version_verb()};
    return table;
}

int run_cli(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
    if (arguments.empty()) {
        err << overview();
        return exit_usage;
    }
    std::string name = arguments.front();
    std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
    if (asks_for_help(name) || (name == "help" && rest.empty())) {
        out << overview();
        return exit_done;
    }
    if (name == "help") {
        name = rest.front();
        rest = {"--help"};
    }
    if (name == "--version" || name == "-v") {
        name = "version";
    }
    for (const Verb& verb : verbs()) {
        if (verb.name == name) {
            return run_one(verb, rest, out, err);
        }
    }
    return unknown_verb(name, err);
}

}  // namespace gang::app
