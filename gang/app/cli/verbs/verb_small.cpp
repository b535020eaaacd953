// The verbs that need no cluster: demo, size, version.
#include "config/address.hpp"
#include "config/loader.hpp"
#include "gang/app/base/files.hpp"
#include "gang/app/base/json_text.hpp"
#include "gang/app/base/version.hpp"
#include "gang/app/cli/cli.hpp"
#include "gang/app/cli/data_output.hpp"
#include "gang/app/demo/demo.hpp"
#include "gang/app/demo/demo_gpus.hpp"
#include "gang/app/show/size.hpp"

#include <fmt/format.h>

#include <ostream>

namespace gang::app {
namespace {

int size(const CommandLine& line, std::ostream& out, std::ostream& err) {
    const auto config = load_config(line.text("config"));
    if (!config) {
        return usage_error(err, "size", config.error().message);
    }
    SizeOptions options;
    if (const auto files = line.values.find("file"); files != line.values.end()) {
        options.files = files->second;
    }
    options.driver = line.text("driver");
    options.json = line.wants_json();
    options.limits.max_gang_size = config->schema.gang.max_gang_size;
    options.limits.dynamic_allocation = config->schema.gang.dynamic_allocation;
    if (line.has("config")) {
        options.limits.scheduler_names = config->schema.scheduler_names();
    }
    return run_size(options, out, err);
}

int demo(const CommandLine& line, std::ostream&, std::ostream& err) {
    DemoOptions options;
    options.has_page = line.has("ui");
    const std::string port = line.text("port", "0");
    const auto address = config::parse_loopback("127.0.0.1:" + port);
    if (!address || (line.has("port") && !options.has_page)) {
        return usage_error(
            err,
            "demo",
            address ? "--port is of the page: --ui is missing"
                    : "--port: " + address.error().message);
    }
    options.page_port = address->port;
    if (line.has("gpus")) {
        return options.has_page ? usage_error(err, "demo", "--gpus has no page: leave --ui out")
                                : run_gpu_demo();
    }
    return run_demo(options);
}

int print_version(const CommandLine& line, std::ostream& out, std::ostream&) {
    const auto make_json = [] {
        return fmt::format(
            R"({{"version":{},"commit":{},"commitDate":{},"architecture":{},"configApiVersion":{}}})",
            json_string(version),
            json_string(commit),
            json_string(commit_date),
            json_string(architecture),
            json_string(config::api_version));
    };
    if (!print_data(line, out, make_json)) {
        const std::string source =
            commit.empty() ? "" : fmt::format(", commit {} of {}", commit, commit_date);
        out << fmt::format("gang-scheduler {} ({}{})\n", version, architecture, source);
    }
    return exit_done;
}

}  // namespace

Verb demo_verb() {
    return Verb{
        "demo",
        "a burst of Spark applications on a cluster in this process: the deadlock, then its end",
        "",
        {Flag{"gpus", 0, "", "show GPUs instead: whole, shared, and by their metrics", {}, "true"},
         Flag{"ui", 0, "", "show it on a page in the browser, too, until Ctrl-C", {}, "true"},
         Flag{"port", 0, "PORT", "of that page, on loopback (default: any free port)"}},
        {"gang-scheduler demo", "gang-scheduler demo --ui", "gang-scheduler demo --gpus"},
        demo};
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
         Flag{
             "driver", 0, "NAME", "of one driver among several (default: all that have not ended)"},
         output_flag(),
         config_flag()},
        {"gang-scheduler size -f driver.json -f configmaps.json",
         "kubectl get pod,configmap -n etl -o json | gang-scheduler size -f - -o json"},
        size};
}

Verb version_verb() {
    return Verb{"version", "print the version", "", {output_flag({"yaml"})}, {}, print_version};
}

}  // namespace gang::app
