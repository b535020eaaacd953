// Queues in the file: what is read, and what is refused, at its place.
#include "config/loader.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

/// The complaints about these lines below `queues:`, "f" being the file's name.
std::string complaints(const std::string& items, const std::string& after = "") {
    const auto loaded = config::load("queues:\n" + items + after, "f");
    return loaded ? "" : loaded.error().message;
}

config::Schema loaded(const std::string& text) {
    const auto result = config::load(text, "f");
    REQUIRE_MESSAGE(result.has_value(), (result ? "" : result.error().message));
    return result->schema;
}

void refuses(const std::string& items, const std::string& place, const std::string& part) {
    const std::string said = complaints(items);
    CAPTURE(items);
    CAPTURE(said);
    CHECK(said.find("f:" + place + ": ") != std::string::npos);
    CHECK(said.find(part) != std::string::npos);
}

}  // namespace

TEST_CASE("queues: without a placement the annotation is asked, then root.default") {
    const config::Schema schema = loaded("queues: [{name: etl}]");
    REQUIRE(schema.placement.size() == 2);
    CHECK(schema.placement[0].kind == config::PlacementRule::Kind::annotation);
    CHECK(schema.placement[1].queue == "root.default");
    CHECK(loaded("").placement.empty());
}

TEST_CASE("queues: names are places in a tree, root or not in front") {
    CHECK(loaded("queues: [{name: a.b}]").queues[0].name == "root.a.b");
    CHECK(loaded("queues: [{name: root}]").queues[0].name == "root");
    CHECK(loaded("queues: [{name: rooter}]").queues[0].name == "root.rooter");
    refuses("  - name: a\n  - name: root.a\n", "3:11", "found root.a a second time");
    refuses("  - name: a..b\n", "2:11", "expected the name of a queue");
    refuses("  - name: .a\n", "2:11", "expected the name of a queue");
    refuses("  - name: a b\n", "2:11", "expected the name of a queue");
    refuses("  - name: \"\"\n", "2:11", "expected the name of a queue");
    refuses("  - name: " + std::string(70, 'a') + "\n", "2:11", "at most 63 characters");
    refuses("  - name: lost\n", "2:11", "expected another name");
    refuses("  - name: root.lost.a\n", "2:11", "expected another name");
    refuses("  - weight: 2\n", "2:5", "found no key name");
}

TEST_CASE("queues: values of another type, and keys that are none") {
    refuses("  - {name: a, weigth: 2}\n", "2:15", "did you mean \"weight\"");
    refuses("  - {name: a, weight: -1}\n", "2:23", "queues[0].weight");
    refuses("  - {name: a, weight: 0}\n", "2:23", "queues[0].weight");
    refuses("  - {name: a, maxGangs: -1}\n", "2:25", "queues[0].maxGangs");
    refuses("  - {name: a, order: lifo}\n", "2:22", "one of fifo, priority");
    refuses("  - {name: a, order: priority, agingPerHour: -1}\n", "2:46", "queues[0].agingPerHour");
    for (const char* const bad :
         {"1000001", "9223372036854775807", "9223372036854775808", "99999999999999999999999",
          "-9223372036854775809", "1e3", "0.5", "\"5\""}) {
        refuses(
            "  - {name: a, order: priority, agingPerHour: " + std::string(bad) + "}\n",
            "2:46",
            "expected a whole number from 0 to 1000000");
    }
    refuses("  - {name: a, order: priority, agingPerHour: ~}\n", "2:32", "found nothing, expected a whole number");
    CHECK(loaded("queues: [{name: a, order: priority, agingPerHour: 1000000}]")
              .queues[0].aging_per_hour == 1'000'000);
    refuses("  - {name: a, agingPerHour: 5}\n", "2:29", "expected `order: priority`");
    CHECK(complaints("  - {name: a, order: fair, agingPerHour: 0}\n").empty());
    refuses("  - {name: a, limit: 5}\n", "2:22", "expected amounts of resources");
    refuses("  - {name: a, limit: {}}\n", "2:22", "expected amounts of resources");
    refuses("  - {name: a, limit: {cpus: 5}}\n", "2:23", "did you mean \"cpu\"");
    refuses("  - {name: a, limit: {pods: 5}}\n", "2:23", "expected cpu, memory");
    refuses("  - {name: a, limit: {cpu: -5}}\n", "2:28", "queues[0].limit.cpu");
    refuses("  - {name: a, limit: {cpu: x}}\n", "2:28", "queues[0].limit.cpu");
    refuses("  - {name: a, limit: {cpu: 1, cpu: 2}}\n", "2:31", "a second time");
    refuses("  - {name: a, limit: {memory: 1m}}\n", "2:31", "queues[0].limit.memory");
    refuses("  - {name: a, limit: {a.b/c: 1Q}}\n", "2:30", "expected a whole number");
    refuses("  - {name: a, users: [spark]}\n", "2:22", "NAMESPACE/NAME");
    refuses("  - {name: a, users: []}\n", "2:22", "NAMESPACE/NAME");
    refuses("  - {name: a, namespaces: [A_B]}\n", "2:27", "list of namespaces");
    refuses("  - {name: a, namespaces: [b, b]}\n", "2:27", "twice");
    CHECK(complaints("  - {name: a, limit: {nvidia.com/gpu: 0, cpu: 0}, maxGangs: 0}\n").empty());
}

TEST_CASE("queues: limits are not below guarantees, of the queue and of those below it") {
    refuses(
        "  - {name: a, guarantee: {cpu: 5}, limit: {cpu: 4}}\n",
        "2:43",
        "found cpu 4, expected at least its guarantee of 5");
    CHECK(complaints("  - {name: a, guarantee: {cpu: 5}, limit: {cpu: 5}}\n").empty());
    CHECK(complaints("  - {name: a, guarantee: {cpu: 5}, limit: {memory: 1}}\n").empty());
    const std::string children =
        "  - {name: a.x, guarantee: {cpu: 3}}\n  - {name: a.y.z, guarantee: {cpu: 2500m}}\n";
    refuses(
        "  - {name: a, limit: {cpu: 5}}\n" + children,
        "2:22",
        "found cpu 5, expected at least the guarantees of the queues below it, 5500m together");
    refuses(children + "  - {name: root, limit: {cpu: 5}}\n", "4:25", "5500m together");
    CHECK(complaints("  - {name: a, limit: {cpu: 6}}\n" + children).empty());
    // What a queue itself is guaranteed covers those below it.
    refuses(
        "  - {name: root, limit: {cpu: 5}}\n  - {name: a, guarantee: {cpu: 6}}\n"
        "  - {name: a.x, guarantee: {cpu: 3}}\n",
        "2:25",
        "6 together");
}

TEST_CASE("queues: placement rules name queues that are there") {
    const std::string items = "  - {name: a.b}\n";
    const auto placed = [&](const std::string& rules) {
        return complaints(items, "placement:\n" + rules);
    };
    CHECK(placed("  - namespace\n  - fixed: a.b\n").empty());
    CHECK(placed("  - fixed: root.default\n").empty());
    CHECK(placed("  - fixed: a\n").find("none below it") != std::string::npos);
    CHECK(placed("  - fixed: c\n").find("f:4:3: placement: found root.c") != std::string::npos);
    CHECK(placed("  - namespaceLabel: example.com/team\n").empty());
    CHECK(placed("  - namespaceLabel: a b\n").find("f:4:5: placement[0]") != std::string::npos);
    CHECK(placed("  - namespaceLabel: []\n").find("f:4:5: placement[0]") != std::string::npos);
    CHECK(
        placed("  - annotation: other\n").find("expected gang-scheduler/queue") !=
        std::string::npos);
    CHECK(placed("  - user\n").find("placement[0]: found") != std::string::npos);
    CHECK(placed("  []\n").find("expected a list of rules") != std::string::npos);
    const auto alone = config::load("placement: [namespace]\n", "f");
    REQUIRE_FALSE(alone.has_value());
    CHECK(alone.error().message.find("rules without queues") != std::string::npos);
}

TEST_CASE("queues: preemption, of a queue and of all") {
    refuses("  - {name: a, preemption: {reclaimable: 1}}\n", "2:41", "true or false");
    refuses("  - {name: a, preemption: {withinQueue: all}}\n", "2:41", "never, lowerPriority");
    refuses("  - {name: a, preemption: {within: never}}\n", "2:28", "unknown key");
    const auto all = [&](const std::string& keys) {
        return complaints("  - {name: a}\n", "preemption: {" + keys + "}\n");
    };
    CHECK(all("acrossQueues: true, maxVictimsPerMinute: 1").empty());
    CHECK(all("maxVictimsPerMinute: 0").find("f:3:35: preemption.maxVictims") != std::string::npos);
    CHECK(all("breakBudgets: true").find("f:3:14: preemption: found unknown key") != std::string::npos);
    const auto alone = config::load("preemption: {acrossQueues: true}\n", "f");
    REQUIRE_FALSE(alone.has_value());
    CHECK(alone.error().message.find("true without queues") != std::string::npos);
    CHECK(config::load("preemption: {acrossQueues: false}\n", "f").has_value());
}
