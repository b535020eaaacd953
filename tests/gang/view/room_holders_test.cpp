// Who holds the room that a gang lacks, as the asker is told.

#include "gang/view/room_holders.hpp"

#include "tests/gang/parts.hpp"
#include "tests/gang/world.hpp"

#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

namespace {

struct Asked {
    tests::Known known;
    core::Rejection rejection;

    explicit Asked(int nodes = 1) {
        for (int i = 1; i <= nodes; ++i) known.add_node("n" + std::to_string(i));
        rejection.binding = "cpu";
        rejection.wants_driver = true;
        rejection.driver_fits = true;
        rejection.executors_wanted = 5;
    }

    /// Waits, and holds nothing.
    gang::Application& add_waiting(const std::string& name = "waits") {
        gang::Application& app = known.add_gang(name, "n1", 0);
        known.model.pods.at(name).pod.node_name = "";
        app.phase = gang::Phase::waiting;
        return app;
    }

    std::vector<std::string> notes(const gang::Application& app) const {
        return gang::RoomHolders(known.model, app, rejection).notes();
    }

    /// Of a driver that is not there any more.
    gang::PodEntry& add_left(const std::string& name, const std::string& node, std::int64_t cpu_milli) {
        core::Pod driver = tests::driver("gone");
        driver.uid = "gone";
        core::Pod pod = tests::executor(name, driver);
        pod.node_name = node;
        pod.requests.cpu_milli = cpu_milli;
        gang::PodEntry& entry = known.add(pod);
        known.model.pods.owners().join(entry, "gone");
        return entry;
    }
};

std::string joined(const std::vector<std::string>& notes) {
    std::string text;
    for (const std::string& note : notes) text += note + "\n";
    return text;
}

}  // namespace

TEST_CASE("room holders: nobody is in the way, and nothing is said") {
    Asked asked;
    const gang::Application& app = asked.add_waiting();
    CHECK(asked.notes(app).empty());
}

TEST_CASE("room holders: gangs that run or are being bound, the largest of what is short first") {
    Asked asked(2);
    const gang::Application& app = asked.add_waiting();
    asked.known.add_gang("b", "n1", 2);
    asked.known.add_gang("a", "n1", 2);
    asked.known.add_gang("c", "n2", 3).phase = gang::Phase::assumed;
    CHECK(
        joined(asked.notes(app)) ==
        "room that it may use is held by running gangs: etl/c (4 cpu, 5632Mi memory), etl/a (3 cpu, 4224Mi "
        "memory), etl/b (3 cpu, 4224Mi memory)\n");
    asked.known.add_gang("d", "n2", 0);
    CHECK(
        joined(asked.notes(app)) ==
        "room that it may use is held by running gangs: etl/c (4 cpu, 5632Mi memory), etl/a (3 cpu, 4224Mi "
        "memory), etl/b (3 cpu, 4224Mi memory) and 1 more\n");
    asked.known.add_gang("e", "n2", 0);
    CHECK(asked.notes(app).front().ends_with(" and 2 more"));
}

TEST_CASE("room holders: gangs that hold nothing there, have ended or wait are not named") {
    Asked asked(2);
    const gang::Application& app = asked.add_waiting();
    asked.known.add_gang("ended", "n1", 1).phase = gang::Phase::ended;
    asked.known.add_gang("waits-too", "n1", 1).phase = gang::Phase::waiting;
    CHECK(asked.notes(app).empty());
    gang::Application& unplaced = asked.known.add_gang("unplaced", "n1", 1);
    asked.known.model.pods.at("unplaced").pod.phase = core::PodPhase::succeeded;
    asked.known.model.ledger.unplace(unplaced, unplaced.slots[0]);
    CHECK(asked.notes(app).empty());
}

TEST_CASE("room holders: only nodes that the gang may use count") {
    Asked asked(1);
    core::Node tainted = tests::node("n2", 16, 65'536);
    tainted.taints = {{"dedicated", "gpu", core::TaintEffect::no_schedule}};
    asked.known.model.cluster_model.upsert_node(tainted);
    const gang::Application& app = asked.add_waiting();
    asked.known.add_gang("there", "n2", 2);
    asked.add_left("left", "n2", 1'000);
    asked.add_left("lost", "n9", 1'000);
    CHECK(asked.notes(app).empty());
    asked.known.add_gang("here", "n1", 0);
    CHECK(
        joined(asked.notes(app)) ==
        "room that it may use is held by running gangs: etl/here (1 cpu, 1408Mi memory)\n");
}

TEST_CASE("room holders: executors that are left of drivers that are gone, with the way to be rid of them") {
    Asked asked;
    const gang::Application& app = asked.add_waiting();
    asked.add_left("x1", "n1", 1'000);
    CHECK(
        joined(asked.notes(app)) ==
        "executors whose driver has ended hold 1 cpu, 1408Mi memory: etl/x1 on n1 (not running). Deleting it frees "
        "that room: kubectl delete pod -n etl x1\n");
    asked.add_left("x2", "n1", 2'000);
    asked.add_left("x3", "n1", 500);
    CHECK(
        joined(asked.notes(app)) ==
        "executors whose driver has ended hold 3500m cpu, 4224Mi memory: etl/x2 on n1 (not running), etl/x1 on n1 (not "
        "running), etl/x3 on n1 (not running). Deleting them frees that room: kubectl delete pod -n etl x2; kubectl "
        "delete pod -n etl x1; kubectl delete pod -n etl x3\n");
    asked.add_left("x4", "n1", 100);
    const std::string note = asked.notes(app).front();
    CHECK(note.find("x3 on n1 (not running) and 1 more. Deleting them frees that room: ") != std::string::npos);
    CHECK(note.ends_with("kubectl delete pod -n etl x3"));
}

TEST_CASE("room holders: executors that run, have a driver, or hold nothing are nobody's leftovers") {
    Asked asked;
    const gang::Application& app = asked.add_waiting();
    asked.add_left("runs", "n1", 1'000).pod.phase = core::PodPhase::running;  // it ends by itself
    asked.add_left("over", "n1", 1'000).pod.phase = core::PodPhase::failed;
    asked.add_left("waits-itself", "", 1'000);
    asked.add_left("no-executor", "n1", 1'000).is_executor = false;
    CHECK(asked.notes(app).empty());
    core::Pod driver = tests::driver("gone");
    driver.uid = "gone";
    asked.known.add(driver);
    asked.add_left("owned", "n1", 1'000);
    CHECK(asked.notes(app).empty());
}

TEST_CASE("room holders: of a driver that has ended all executors are left, running ones too") {
    Asked asked;
    const gang::Application& app = asked.add_waiting();
    gang::Application& ended = asked.known.add_gang("ended", "n1", 0);
    asked.known.model.pods.at("ended").pod.phase = core::PodPhase::succeeded;
    ended.phase = gang::Phase::ended;
    asked.known.add_executor("runs", ended, "n1").pod.phase = core::PodPhase::running;
    asked.known.add_executor("over", ended, "n1").pod.phase = core::PodPhase::succeeded;
    CHECK(
        joined(asked.notes(app)) ==
        "executors whose driver has ended hold 1 cpu, 1408Mi memory: etl/runs on n1. Deleting it frees that room: "
        "kubectl delete pod -n etl runs\n");
}

TEST_CASE("room holders: who holds most of what is short comes first, whatever that is") {
    Asked asked;
    const gang::Application& app = asked.add_waiting();
    asked.add_left("cpu", "n1", 9'000);
    asked.add_left("memory", "n1", 1'000).pod.requests.memory_bytes = 9'000 * tests::mebibyte;
    asked.add_left("disk", "n1", 1'000).pod.requests.ephemeral_bytes = 9'000;
    asked.add_left("gpu", "n1", 1'000).pod.requests.extended = {{"nvidia.com/gpu", 2}};
    const auto order = [&](const std::string& binding) {
        asked.rejection.binding = binding;
        const std::string note = asked.notes(app).front();
        const std::size_t from = note.find(": ") + 2;
        const std::string names = note.substr(from, note.find(" and 1 more") - from);
        std::string out;
        for (std::size_t at = 0; (at = names.find("etl/", at)) != std::string::npos;) {
            at += 4;
            out += names.substr(at, names.find(' ', at) - at) + " ";
        }
        return out;
    };
    // Behind the first: by cpu, then by memory, then by name.
    CHECK(order("cpu") == "cpu memory disk ");
    CHECK(order("memory") == "memory cpu disk ");
    CHECK(order("ephemeral-storage") == "disk cpu memory ");
    CHECK(order("nvidia.com/gpu") == "gpu cpu memory ");
    CHECK(order("pods") == "cpu memory disk ");
}

TEST_CASE("room holders: with fewer executors it would fit, of drivers that say their number in one key") {
    Asked asked;
    gang::Application& app = asked.add_waiting();
    const std::string said =
        "with 4 executors instead of 5 it would fit now: --conf spark.executor.instances=4\n";
    asked.rejection.executors_fit = 4;
    CHECK(joined(asked.notes(app)) == said);
    asked.rejection.executors_fit = 1;
    CHECK(joined(asked.notes(app)).starts_with("with 1 executors instead of 5"));
    asked.rejection.executors_fit = 0;
    CHECK(asked.notes(app).empty());
    asked.rejection.executors_fit = 5;
    CHECK(asked.notes(app).empty());
    asked.rejection.executors_fit = 6;
    CHECK(asked.notes(app).empty());
    asked.rejection.executors_fit = 4;
    asked.rejection.driver_fits = false;
    CHECK(asked.notes(app).empty());
    asked.rejection.driver_fits = true;
    app.is_driver = false;
    CHECK(asked.notes(app).empty());
    app.is_driver = true;
    const core::Pod like = tests::pod("like", 2'000, 1408);
    asked.known.model.shapes.add(app, {1, 3, 0, {}, false}, like.requests, like.constraints);
    CHECK(asked.notes(app).empty());
}
