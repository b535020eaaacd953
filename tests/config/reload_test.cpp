#include "config/loader.hpp"
#include "config/reload/reload.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace {

using Keys = std::vector<std::string>;

config::Schema read(const std::string& text) {
    const auto loaded = config::load(text, "file.yaml");
    REQUIRE_MESSAGE(loaded.has_value(), loaded.error().message);
    return loaded->schema;
}

}  // namespace

TEST_CASE("reload: every key is of one sort") {
    const Keys live = config::live_keys();
    const Keys fixed = config::fixed_keys();
    const auto begin = [](const Keys& sort, const std::string& key) {
        return std::count_if(sort.begin(), sort.end(), [&key](const std::string& one) {
            return key == one || key.starts_with(one + ".") || key.starts_with(one + "[");
        });
    };
    for (const std::string& key : config::known_keys()) {
        if (key != "apiVersion" && key != "kind") {
            CHECK_MESSAGE(begin(live, key) + begin(fixed, key) == 1, key);
        }
    }
}

TEST_CASE("reload: nothing differs") {
    const config::Schema file = read("queues: [{name: etl}]");
    const config::Reload change = config::reload(file, file);
    CHECK(change.schema == file);
    CHECK(change.taken.empty());
    CHECK(change.after_restart.empty());
}

TEST_CASE("reload: what can be taken over is, and the rest stays") {
    const config::Schema running = read(R"(
leaderElection: {leaseName: one}
logging: {level: info}
profiles: [{schedulerName: a, packing: tightest}, {schedulerName: b}]
)");
    const config::Schema written = read(R"(
leaderElection: {leaseName: two}
server: {listen: ":1"}
logging: {level: debug, format: json}
profiles: [{schedulerName: a, packing: fewest-nodes}, {schedulerName: b}]
gang: {maxGangSize: 7, discovery: annotations, neverRunning: {after: 1m}}
nodes: {headroom: {cpu: 1}, costLabel: price}
queues: [{name: etl, state: stopped}]
)");
    const config::Reload change = config::reload(running, written);
    CHECK(change.taken == Keys{
                              "logging.level",
                              "profiles[].packing",
                              "gang.maxGangSize",
                              "gang.neverRunning.after",
                              "nodes",
                              "queues",
                              "placement"});
    CHECK(change.after_restart ==
          Keys{"leaderElection", "server.listen", "logging.format", "gang.discovery"});
    config::Schema wanted = running;
    wanted.log_level = config::LogLevel::debug;
    wanted.profiles[0].packing = core::PackingPolicy::fewest_nodes;
    wanted.gang.max_gang_size = 7;
    wanted.gang.never_running_after_ms = 60'000;
    wanted.nodes = written.nodes;
    wanted.queues = written.queues;
    wanted.placement = written.placement;
    CHECK(change.schema == wanted);
    CHECK(change.schema.queues.front().state == config::QueueState::stopped);
    // What waits for a restart is said again as long as it does.
    CHECK(config::reload(change.schema, written).taken.empty());
    CHECK(config::reload(change.schema, written).after_restart == change.after_restart);
}

TEST_CASE("reload: profiles by their names") {
    const config::Schema running = read("profiles: [{schedulerName: a}, {schedulerName: b}]");
    SUBCASE("one more, in another order") {
        const config::Reload change = config::reload(
            running,
            read("profiles: [{schedulerName: c}, {schedulerName: b, packing: most-allocated}, "
                 "{schedulerName: a}]"));
        CHECK(change.after_restart == Keys{"profiles[].schedulerName"});
        CHECK(change.taken == Keys{"profiles[].packing"});
        CHECK(change.schema.scheduler_names() == Keys{"a", "b"});
        CHECK(change.schema.profiles[1].packing == core::PackingPolicy::most_allocated);
    }
    SUBCASE("filters and gangs are read with the pod") {
        const config::Reload change = config::reload(
            running, read("profiles: [{schedulerName: a, gangs: false}, {schedulerName: b}]"));
        CHECK(change.after_restart == Keys{"profiles[].gangs"});
        CHECK(change.schema == running);
    }
    SUBCASE("scores and messages") {
        const config::Schema written = read(
            "profiles: [{schedulerName: a, scores: [{name: TaintToleration, weight: 3}]}, "
            "{schedulerName: b, messages: kube-scheduler}]");
        const config::Reload change = config::reload(running, written);
        CHECK(change.taken == Keys{"profiles[].scores", "profiles[].messages"});
        CHECK(change.schema == written);
    }
}

TEST_CASE("reload: scores for which more is read of pods and nodes wait for a restart") {
    const config::Schema running = read("profiles: [{schedulerName: a}]");
    for (const char* const score : {"ImageLocality", "ServiceSpreadingPriority"}) {
        const config::Schema written = read(
            "profiles: [{schedulerName: a, scores: [{name: " + std::string(score) + "}]}]");
        for (const auto& [from, to] : {std::pair(running, written), std::pair(written, running)}) {
            const config::Reload change = config::reload(from, to);
            CHECK(change.taken.empty());
            CHECK(change.after_restart == std::vector<std::string>{"profiles[].scores"});
            CHECK(change.schema == from);
        }
    }
}
