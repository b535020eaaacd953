// Parts of backfill, of what runs and ends drawn by chance: when each is expected to end, with what room; what is learned of
// those that end; and what room later gangs are kept from.
#include "gang/backfill/endings.hpp"
#include "gang/backfill/kept_room.hpp"
#include "gang/backfill/run_observer.hpp"
#include "tests/gang/parts.hpp"
#include "tests/gang/shares/trees.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

using gang::Application;
using gang::PodEntry;
using gang::RunTimeKind;
using tests::Known;
using tests::Walk;

namespace {

constexpr std::int64_t runs_now_ms = 10'000'000;

config::Schema with_backfill() {
    config::Schema schema = tests::with_queues({tests::queue("etl"), tests::queue("ml")});
    schema.backfill.mode = config::BackfillMode::easy;
    return schema;
}

std::string endings_text(const gang::Endings& endings) {
    std::string text;
    for (const gang::Ending& one : endings) {
        text += " " + one.uid + "@" + std::to_string(one.at_ms - runs_now_ms) + "x" + std::to_string(one.room.size());
    }
    return text + "\n";
}

void learn(gang::Model& model, const std::string& name) {
    for (int i = 1; i <= 10; ++i) model.run_times.book().learn(name, i, i * 60'000);
}

std::string free_text(const gang::Model& model) {
    const core::NodeColumns& columns = model.cluster.columns();
    std::string text;
    for (const char* name : {"n1", "n2"}) {
        const core::NodeIndex node = *model.cluster.nodes().find(name);
        const auto gpus = model.cluster.extended_names().find("nvidia.com/gpu");
        text += std::string(" ") + name + " " + std::to_string(columns.pods(core::View::free)[node.value]) + "/" +
                std::to_string(columns.cpu(core::View::free)[node.value]) + "/" +
                std::to_string(columns.memory(core::View::free)[node.value]) + "/" +
                std::to_string(columns.ephemeral(core::View::free)[node.value]) + "/" +
                std::to_string(gpus ? columns.extended(node, *gpus, core::View::free) : 0);
    }
    return text;
}

}  // namespace

TEST_CASE("endings: a run is over after its median, or its safe time, and past that any moment") {
    std::string told;
    for (const std::int64_t safe : {1'000, 99'999, 100'000, 100'010, 600'000}) {
        for (const std::int64_t median : {std::int64_t{1'000}, safe}) {
            for (const std::int64_t ran : {0, 999, 1'000, 1'001, 99'998, 99'999, 100'000, 100'010, 600'000, 600'001}) {
                for (const RunTimeKind kind : {RunTimeKind::median, RunTimeKind::safe}) {
                    const std::int64_t end =
                        gang::expected_end({median, safe, 5}, runs_now_ms - ran, runs_now_ms, kind);
                    CHECK(end > runs_now_ms);
                    told += std::to_string(median) + "/" + std::to_string(safe) + " ran " + std::to_string(ran) +
                            (kind == RunTimeKind::median ? " median " : " safe ") + std::to_string(end - runs_now_ms) +
                            "\n";
                }
            }
        }
    }
    tests::check_transcript("gang/backfill/transcripts/expected_ends", told);
}

TEST_CASE("endings: all that holds room and is known to end, with all its room, by time and name") {
    Walk walk(21);
    std::string told;
    for (int story = 0; story < 150; ++story) {
        Known known(with_backfill());
        gang::Model& model = known.model;
        known.step.now_ms = runs_now_ms;
        for (const char* name : {"n1", "n2"}) known.add_node(name, 64);
        learn(model, "known");
        const auto some_run = [&](const std::string& uid) {
            if (walk.pick(6) == 0) return;
            gang::Run& run = model.run_times.ensure(uid);
            run.name = walk.pick(2) == 0 ? "known" : "unknown";
            if (walk.pick(3) == 0) run.said_ms = 90'000;
            if (walk.pick(3) != 0) run.start_ms = runs_now_ms - static_cast<std::int64_t>(walk.pick(5)) * 100'000 - 1;
        };
        for (std::size_t i = walk.pick(4); i > 0; --i) {
            const std::string name = "g" + std::to_string(i);
            Application& app = known.add_gang(name, "n1", static_cast<int>(walk.pick(4)));
            constexpr gang::Phase phases[] = {
                gang::Phase::running, gang::Phase::running, gang::Phase::ended, gang::Phase::assumed, gang::Phase::waiting};
            app.phase = walk.of(phases);
            if (!app.slots.empty() && walk.pick(3) == 0) model.ledger.unplace(app, app.slots[0]);
            if (walk.pick(3) == 0) model.ledger.releases().hold(app, "n2", core::Resources{1'000, 0, 0, {}}, 9);
            if (app.slots.size() > 1 && walk.pick(2) == 0) {
                model.ledger.assign(app, 1, known.add_executor(name + "-e", app, "n1"));
            }
            if (walk.pick(3) == 0) {
                model.ledger.pod_allocations().settle(known.add_executor(name + "-x", app, "n2"));
            }
            if (walk.pick(2) == 0) app.milestones.make().admitted_ms = runs_now_ms - 50'000;
            some_run(name);
        }
        for (std::size_t i = walk.pick(3); i > 0; --i) {
            const std::string name = "p" + std::to_string(i);
            core::Pod pod = tests::pod(name, 1'000, 100);
            if (walk.pick(4) != 0) pod.node_name = "n2";
            model.ledger.pod_allocations().settle(known.add(std::move(pod)));
            some_run(name);
        }
        for (const RunTimeKind kind : {RunTimeKind::median, RunTimeKind::safe}) {
            gang::Endings endings = gang::find_endings(model, runs_now_ms, kind);
            told += (kind == RunTimeKind::median ? "median" : "safe") + endings_text(endings);
            if (endings.size() > 1) {
                gang::add_ending(endings, {endings[1].at_ms, "g0", {}});
                gang::add_ending(endings, {endings[1].at_ms, "z", {}});
                told += "  with" + endings_text(endings);
            }
        }
    }
    tests::check_transcript("gang/backfill/transcripts/endings", told);
}

TEST_CASE("run observer: who begins, who ends, and what is learned of it") {
    Walk walk(22);
    std::string told;
    for (int story = 0; story < 40; ++story) {
        Known known(with_backfill());
        gang::Model& model = known.model;
        known.step.now_ms = runs_now_ms;
        known.add_node("n1", 64);
        gang::RunObserver observer(model, known.step);
        CHECK(observer.is_on());
        Application& app = known.add_gang("driver", "n1", 2);
        app.declared.queue = model.texts.keep("root.etl");
        known.add_executor("executor", app, "n1");
        known.add(tests::pod("member", 1'000, 100)).group = model.texts.keep("group");
        core::Pod lone = tests::pod("lone", 1'000, 100);
        lone.node_name = "n1";
        lone.annotations = {{"gang-scheduler/queue", "ml"}};
        model.ledger.pod_allocations().settle(known.add(lone));
        known.add(tests::pod("free", 1'000, 100));
        model.shares.charges.assign("free", {});
        for (int i = 0; i < 14; ++i) {
            static const std::vector<std::string> names = {"driver", "lone", "lone", "free", "executor", "member", "unseen"};
            const std::string& name = walk.of(names);
            core::Pod pod = model.pods.contains(name) ? model.pods.at(name).pod : tests::pod(name, 1'000, 100);
            pod.uid = name;
            pod.annotations.clear();
            if (walk.pick(3) == 0) pod.annotations = {{"gang-scheduler/expected-duration", walk.pick(3) == 0 ? "soon" : "5m"}};
            if (walk.pick(5) == 0) pod.labels = {{"spark-app-name", "daily"}};
            pod.node_name = walk.pick(3) == 0 ? "" : "n1";
            known.step.now_ms += static_cast<std::int64_t>(walk.pick(3)) * 500'000;
            if (walk.pick(2) == 0) {
                constexpr std::int64_t since[] = {0, 9'000, 10'000, 10'001, 99'000};
                pod.scheduled = core::ScheduledCondition{walk.pick(4) != 0, "", "", walk.of(since)};
            }
            if (walk.pick(3) == 0) {
                pod.phase = walk.pick(3) == 0 ? core::PodPhase::failed : core::PodPhase::succeeded;
                constexpr std::int64_t ends[] = {0, 0, 9'000, 9'001, 10'500, 99'000};
                pod.ended = walk.of(ends);
            }
            const std::size_t what = walk.pick(14);
            if (what == 0) {
                observer.on(gang::PodDeleted{name});
            } else if (what == 1) {
                model.schema.backfill.mode = observer.is_on() ? config::BackfillMode::off : config::BackfillMode::easy;
                model.outlooks.ensure("driver");
                observer.config_changed();
            } else {
                observer.on(gang::PodUpserted{pod});
            }
            told += (what == 0 ? "deleted " : what == 1 ? "file " : "pod ") + name + (pod.node_name.empty() ? "" : " bound") +
                    " ended " + std::to_string(core::is_terminal(pod) ? pod.ended : -1) + " at " +
                    std::to_string(known.step.now_ms) + ": version " + std::to_string(model.run_times.version()) +
                    " book " + std::to_string(model.run_times.book().size()) + " outlooks " +
                    std::to_string(model.outlooks.size());
            for (const auto& [uid, run] : model.run_times.all()) {
                told += " " + uid + " " + run.name + " " + std::to_string(run.said_ms) + " " + std::to_string(run.start_ms);
            }
            told += "\n";
        }
    }
    tests::check_transcript("gang/backfill/transcripts/runs", told);
}

TEST_CASE("kept room: on each node the most of what is promised there by then, and all of it given back") {
    Walk walk(23);
    std::string told;
    for (int story = 0; story < 100; ++story) {
        Known known;
        gang::Model& model = known.model;
        for (const char* name : {"n1", "n2"}) {
            core::Node node = tests::node(name, 16, 1'000);
            node.allocatable.ephemeral_bytes = 500;
            node.allocatable.extended = {{"nvidia.com/gpu", 4}};
            node.pods = 10;
            model.cluster_model.upsert_node(node);
        }
        if (walk.pick(2) == 0) known.add_gang("runs", "n1", static_cast<int>(walk.pick(18)));
        const std::string before = free_text(model);
        std::vector<Application> apps(4);
        std::vector<gang::Waiter> waiters;
        told += "story" + before + "\n";
        for (Application& app : apps) {
            gang::Waiter waiter;
            waiter.app = &app;
            if (walk.pick(4) != 0) {
                gang::PlannedStart start{1'000 + static_cast<std::int64_t>(walk.pick(3)) * 1'000, {}};
                for (const char* name : {"n1", "n2"}) {
                    if (walk.pick(3) == 0) continue;
                    gang::NodeRest rest;
                    rest.node = *model.cluster.nodes().find(name);
                    rest.pods = static_cast<std::int64_t>(walk.pick(14)) - 2;
                    constexpr std::int64_t cpus[] = {-500, 0, 1'000, 8'000, 15'999, 16'000, 20'000};
                    rest.left.cpu_milli = walk.of(cpus);
                    constexpr std::int64_t parts[] = {0, 1, 2};
                    rest.left.memory_bytes = walk.of(parts) * 400 * tests::mebibyte;
                    rest.left.ephemeral_bytes = walk.of(parts) * 250;
                    if (walk.pick(2) == 0) {
                        constexpr std::int64_t gpus[] = {0, 1, 3, 4, 5};
                        rest.left.extended = {{"nvidia.com/gpu", walk.of(gpus)}};
                        if (walk.pick(3) == 0) rest.left.extended.push_back({"of-nobody.com/x", 1});
                    }
                    rest.is_whole = walk.pick(8) == 0;
                    told += "  " + std::to_string(start.at_ms) + " " + name + " " + std::to_string(rest.pods) + "/" +
                            std::to_string(rest.left.cpu_milli) + "/" + std::to_string(rest.left.memory_bytes) + "/" +
                            std::to_string(rest.left.ephemeral_bytes) + "/" +
                            std::to_string(rest.left.extended_amount("nvidia.com/gpu")) +
                            (rest.is_whole ? " whole\n" : "\n");
                    start.rests.push_back(rest);
                }
                waiter.promise = start;
            }
            waiters.push_back(std::move(waiter));
        }
        gang::KeptRoom kept(model);
        kept.set(waiters);
        CHECK(free_text(model) == before);
        Application later;
        for (int i = 0; i < 5; ++i) {
            constexpr std::int64_t until[] = {1'000, 1'001, 2'000, 2'001, 9'999};
            const std::int64_t until_ms = walk.of(until);
            const std::size_t who = walk.pick(6);
            const Application& app = who < 4 ? apps[who] : later;
            kept.take(app, until_ms);
            const std::string taken = free_text(model);
            told += "  takes " + std::to_string(who) + " until " + std::to_string(until_ms) + ":" + taken + "\n";
            kept.take(app, until_ms);
            CHECK(free_text(model) == taken);
            if (walk.pick(3) == 0) {
                kept.drop(apps[walk.pick(4)]);
                CHECK(free_text(model) == before);
            }
        }
        kept.give_back();
        CHECK(free_text(model) == before);
    }
    tests::check_transcript("gang/backfill/transcripts/kept_room", told);
}
