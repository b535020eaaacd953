// The verbs that need no cluster: demo, size, check-config, version.
#include "config/loader.hpp"
#include "gang/app/base/files.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/demo/demo.hpp"
#include "gang/app/show/size.hpp"

#include <fmt/format.h>

#include <ostream>
#include <sstream>

namespace gang::app {
namespace {

int size(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto config = load_config(line.text("config"));
    if (!config) {
        err << config.error().message << '\n';
        return exit_usage;
    }
    SizeOptions options;
    if (const auto files = line.values.find("file"); files != line.values.end()) {
        options.files = files->second;
    }
    options.json = line.wants_json();
    options.limits.max_gang_size = config->gang.max_gang_size;
    options.limits.dynamic_allocation = config->gang.dynamic_allocation;
    if (line.has("config")) {
        options.limits.scheduler_names = config->scheduler_names();
    }
    return run_size(options, out, err);
}

std::string verdict_json(const std::string& file, const std::string& errors) {
    std::string list;
    std::istringstream lines(errors);
    for (std::string one; std::getline(lines, one);) {
        list += (list.empty() ? "" : ",") + json_string(one);
    }
    return fmt::format(
        "{{\"file\":{},\"valid\":{},\"errors\":[{}]}}\n", json_string(file), errors.empty(), list);
}

int check_config(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const std::string& file = line.arguments.front();
    const auto config = load_config(file);
    const std::string errors = config ? "" : config.error().message;
    if (line.wants_json()) {
        out << verdict_json(file, errors);
    } else if (config) {
        out << file << ": valid\n";
    } else {
        err << errors << '\n';
    }
    return config ? exit_done : exit_usage;
}

int print_version(const CommandLine& line, std::ostream& out, std::ostream&) {
    if (line.wants_json()) {
        out << fmt::format(
            "{{\"version\":{},\"configApiVersion\":{}}}\n",
            json_string(version),
            json_string(config::api_version));
    } else {
        out << "gang-scheduler " << version << '\n';
    }
    return exit_done;
}

}  // namespace

Verb demo_verb() {
    return Verb{
        "demo",
        "a burst of Spark applications on a cluster in this process: the deadlock, then its end",
        "",
        {},
        {"gang-scheduler demo"},
        [](const CommandLine&, std::ostream&, std::ostream&) { return run_demo(DemoOptions{}); }};
}

Verb size_verb() {
    return Verb{
        "size",
        "show what gang would be reserved for a driver and its config maps",
        "",
        {Flag{
             "file",
             'f',
             "FILE",
             "JSON of kubectl get -o json; may be repeated; - is standard input"},
         output_flag(),
         config_flag()},
        {"gang-scheduler size -f driver.json -f configmaps.json",
         "kubectl get pod,configmap -n etl -o json | gang-scheduler size -f - -o json"},
        size};
}

Verb check_config_verb() {
    return Verb{
        "check-config",
        "check a configuration file as `run` would read it",
        "FILE",
        {output_flag()},
        {"gang-scheduler check-config config.yaml"},
        check_config};
}

Verb version_verb() {
    return Verb{"version", "print the version", "", {output_flag()}, {}, print_version};
}

}  // namespace gang::app
