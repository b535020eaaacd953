// gang-policies: one day of Spark applications in 40 queues, under one policy after the other.

#include "config/queues/queue_name.hpp"
#include "tests/bench/policy/day.hpp"

#include <boost/program_options.hpp>
#include <fmt/format.h>

#include <cstdint>
#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

namespace {

using config::BackfillMode;

struct Policy {
    const char* name;
    bool has_queues;
    BackfillMode mode;
    std::int64_t half_life_ms = 0;
};

constexpr std::int64_t three_hours_ms = 3 * 3'600'000;
constexpr Policy policies[] = {
    {"one line", false, BackfillMode::off},
    {"one line, easy", false, BackfillMode::easy},
    {"queues", true, BackfillMode::off},
    {"queues, easy", true, BackfillMode::easy},
    {"queues, conservative", true, BackfillMode::conservative},
    {"queues, 3 h", true, BackfillMode::off, three_hours_ms},
    {"queues, 3 h, easy", true, BackfillMode::easy, three_hours_ms}};

config::Schema schema_of(const policy::TraceOptions& options, const Policy& policy) {
    config::Schema schema;
    schema.backfill.mode = policy.mode;
    schema.fair_share.usage_half_life_ms = policy.half_life_ms;
    if (policy.has_queues) {
        for (std::size_t i = 0; i < options.queues; ++i) {
            config::Queue queue;
            queue.name = config::full_queue_name(fmt::format("q{:02}", i));
            queue.weight = policy::weight_of(i);
            schema.queues.push_back(queue);
        }
        schema.placement = config::default_placement();
    }
    return schema;
}

void print(const char* name, const policy::DayReport& day) {
    fmt::print(
        "| {} | {:.1f} % | {:.0f} s | {:.0f} s | {:.0f} s | {:.2f} | {:.1f} % | {:.1f} % | {} | {} "
        "| {:.1f} s |\n",
        name,
        100 * day.used,
        day.mean_wait_s,
        day.p95_wait_s,
        day.longest_wait_s,
        day.slowdown,
        100 * day.fairness_error,
        100 * day.worst_queue,
        day.backfilled,
        day.broken_promises,
        day.cpu_s);
    std::fflush(stdout);
}

int run(int argc, char** argv) {
    namespace po = boost::program_options;
    policy::TraceOptions options;
    std::string only;
    po::options_description known("gang-policies");
    known.add_options()("help", "this")(
        "seed", po::value(&options.seed)->default_value(options.seed), "of the day")(
        "queues", po::value(&options.queues)->default_value(options.queues), "how many")(
        "nodes", po::value(&options.nodes)->default_value(options.nodes), "of 64 cores, 256 GiB")(
        "hours",
        po::value<std::int64_t>()->default_value(options.seconds / 3'600),
        "of submissions")(
        "load", po::value(&options.load)->default_value(options.load), "of what the nodes can do")(
        "executors-max",
        po::value(&options.executors_max)->default_value(options.executors_max),
        "of one application")("policy", po::value(&only), "this one alone");
    po::variables_map given;
    po::store(po::parse_command_line(argc, argv, known), given);
    po::notify(given);
    if (given.count("help") != 0) {
        known.print(std::cout);
        return 0;
    }
    options.seconds = given["hours"].as<std::int64_t>() * 3'600;
    const std::vector<policy::Job> day = policy::draw_day(options);
    fmt::print(
        "{} applications, {} queues, {} nodes, load {:.2f}, seed {}\n\n",
        day.size(),
        options.queues,
        options.nodes,
        options.load,
        options.seed);
    fmt::print(
        "| policy | used | mean wait | 95 % waited at most | longest | slowdown | unfair by | "
        "worst queue | "
        "passed | late | CPU |\n|---|---|---|---|---|---|---|---|---|---|---|\n");
    for (const Policy& one : policies) {
        if (only.empty() || only == one.name) {
            print(one.name, policy::play(options, day, schema_of(options, one)));
        }
    }
    return 0;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        fmt::print(stderr, "gang-policies: {}\n", error.what());
        return 2;
    }
}
