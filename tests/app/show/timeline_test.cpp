// The life of a gang, put together from what three sources remember.
#include "gang/app/show/timeline.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace gang::app;
using k8s::PodHistory;
using k8s::RecordedEvent;

namespace {

constexpr std::int64_t start = 1'800'000'000'000;

PodHistory pod(const std::string& name, std::int64_t created_ms) {
    PodHistory out;
    out.namespace_name = "etl";
    out.name = name;
    out.uid = "uid-" + name;
    out.application = "spark-1";
    out.created_ms = start + created_ms;
    return out;
}

PodHistory executor(const std::string& name, std::int64_t created_ms, std::int64_t bound_ms) {
    PodHistory out = pod(name, created_ms);
    out.controller_uid = "uid-pi-driver";
    out.bound_ms = bound_ms == 0 ? 0 : start + bound_ms;
    return out;
}

PodHistory driver() {
    PodHistory out = pod("pi-driver", 0);
    out.is_of_spark = true;
    out.app_name = "nightly-pi";
    out.node = "n1";
    out.bound_ms = start + 40'000;
    out.started_ms = start + 42'000;
    return out;
}

std::vector<std::string> steps(const Timeline& timeline) {
    std::vector<std::string> out;
    for (const TimelineEntry& entry : timeline.entries) {
        out.push_back(entry.step);
    }
    return out;
}

const TimelineEntry* find(const Timeline& timeline, const std::string& text) {
    for (const TimelineEntry& entry : timeline.entries) {
        if (entry.text.find(text) != std::string::npos) {
            return &entry;
        }
    }
    return nullptr;
}

}  // namespace

TEST_CASE("timeline: in the order of time, from all sources") {
    const GangHistory gang{
        driver(), {executor("e1", 45'000, 45'000), executor("e2", 45'000, 46'000)}};
    const std::vector<RecordedEvent> events = {
        {start + 40'000, false, "gang-scheduler", "Scheduled", "assigned"},
        {start + 1'000,
         true,
         "gang-scheduler",
         "FailedScheduling",
         "0/3 nodes [WaitingForCapacity]"}};
    gang::Milestones seen;
    seen.sized_ms = start + 700;
    seen.admitted_ms = start + 40'100;
    seen.driver_bound_ms = start + 40'150;
    const Timeline timeline = make_timeline(gang, events, 2, seen);
    CHECK(
        steps(timeline) == std::vector<std::string>{
                               "Created",
                               "Sized",
                               "FailedScheduling",
                               "Admitted",
                               "Scheduled",
                               "DriverBound",
                               "DriverRunning",
                               "ExecutorsAsked",
                               "ExecutorsBound",
                               "ExecutorsBound"});
    // A gang that is declared by labels has no conf.
    CHECK(find(timeline, "the size of its gang is known")->time_ms == start + 700);
    // The API server knows seconds, we know better.
    CHECK(find(timeline, "driver bound to n1")->time_ms == start + 40'150);
    CHECK(find(timeline, "2 of 2 executors bound")->time_ms == start + 46'000);
}

TEST_CASE("timeline: another leader's bind keeps the API server's time") {
    gang::Milestones seen;
    seen.driver_bound_ms = start + 90'000;
    const Timeline timeline = make_timeline({driver(), {}}, {}, 0, seen);
    CHECK(find(timeline, "driver bound to n1")->time_ms == start + 40'000);
}

TEST_CASE("timeline: half, four fifths, all") {
    GangHistory gang{driver(), {}};
    for (int i = 0; i < 10; ++i) {
        gang.executors.push_back(
            executor("e" + std::to_string(i), 45'000, i < 9 ? 46'000 + i * 1'000 : 0));
    }
    const Timeline timeline = make_timeline(gang, {}, 10, std::nullopt);
    CHECK(find(timeline, "1 of 10 executors bound")->time_ms == start + 46'000);
    CHECK(find(timeline, "5 of 10 executors bound")->time_ms == start + 50'000);
    CHECK(find(timeline, "8 of 10 executors bound")->time_ms == start + 53'000);
    CHECK(find(timeline, "10 of 10") == nullptr);
}

TEST_CASE("timeline: executors that are gone are remembered by the daemon") {
    gang::Milestones seen;
    seen.first_executor_ms = start + 45'500;
    seen.all_executors_ms = start + 47'000;
    const Timeline timeline = make_timeline({driver(), {}}, {}, 4, seen);
    CHECK(find(timeline, "1 of 4 executors bound")->time_ms == start + 45'500);
    CHECK(find(timeline, "all 4 executors bound")->time_ms == start + 47'000);
}

TEST_CASE("timeline: why a pod ended, a storm of them cut") {
    GangHistory gang{driver(), {}};
    gang.driver.phase = core::PodPhase::failed;
    gang.driver.end_reason = "Error, exit code 1";
    gang.driver.ended_ms = start + 99'000;
    for (int i = 0; i < 30; ++i) {
        PodHistory lost = executor("e" + std::to_string(i), 45'000, 46'000);
        lost.phase = core::PodPhase::failed;
        lost.end_reason = "OOMKilled, exit code 137";
        lost.ended_ms = start + 50'000 + i;
        gang.executors.push_back(lost);
    }
    const Timeline timeline = make_timeline(gang, {}, 0, std::nullopt);
    CHECK(find(timeline, "executor e0 ended: Failed (OOMKilled, exit code 137)") != nullptr);
    CHECK(find(timeline, "executor e25 ended") == nullptr);
    CHECK(find(timeline, "10 more executors failed") != nullptr);
    CHECK(find(timeline, "driver ended: Failed (Error, exit code 1)") != nullptr);
}

TEST_CASE("timeline: by driver, executor or application, never by guess") {
    PodHistory other = pod("pi-driver", 0);
    other.namespace_name = "adhoc";
    other.uid = "uid-other";
    PodHistory of_set = executor("e3", 1'000, 0);
    of_set.controller_uid = "uid-of-a-statefulset";
    const std::vector<PodHistory> pods = {driver(), executor("e1", 1'000, 0), of_set, other};
    const auto by_executor = find_gang(pods, "etl/e1");
    REQUIRE(by_executor.has_value());
    CHECK(by_executor->driver.uid == "uid-pi-driver");
    CHECK(by_executor->executors.size() == 2);
    CHECK(find_gang(pods, "etl/pi-driver")->executors.size() == 2);
    CHECK_FALSE(find_gang(pods, "pi-driver").has_value());
    CHECK_FALSE(find_gang(pods, "spark-1").has_value());
    CHECK_FALSE(find_gang(pods, "nothing").has_value());
}

TEST_CASE("timeline: hostile names neither draw on the terminal nor break the JSON") {
    PodHistory evil = driver();
    evil.node = "n1\x1b[2J\"\n";
    const Timeline timeline = make_timeline({evil, {}}, {}, 0, std::nullopt);
    CHECK(timeline_text(timeline).find('\x1b') == std::string::npos);
    CHECK(to_json(timeline).find('\n') == std::string::npos);
    CHECK(to_json(timeline).find("\\\"") != std::string::npos);
}

TEST_CASE("timeline: D16: what is known to the millisecond is in order of time") {
    const GangHistory gang{driver(), {}};
    gang::Milestones seen;
    seen.sized_ms = start + 1'350;
    const std::vector<RecordedEvent> events = {
        {start + 1'248, true, "", "FailedScheduling", "its conf is not there yet"}};
    const Timeline timeline = make_timeline(gang, events, 0, seen);
    REQUIRE(timeline.entries.size() >= 3);
    CHECK(timeline.entries[0].step == "Created");
    CHECK(timeline.entries[1].step == "FailedScheduling");
    CHECK(timeline.entries[2].step == "Sized");
}

TEST_CASE("timeline: JSON says of each time how exactly it is known") {  // D16
    gang::Milestones seen;
    seen.sized_ms = start + 700;
    const Timeline timeline = make_timeline({driver(), {}}, {}, 0, seen);
    const std::string json = to_json(timeline);
    CHECK(json.find(R"("timePrecision":"second","step":"Created")") != std::string::npos);
    CHECK(json.find(R"("timePrecision":"millisecond","step":"Sized")") != std::string::npos);
}

TEST_CASE("timeline: an application is found by its name, too, and a slip is answered with the nearest") {  // D27
    const std::vector<PodHistory> pods = {driver(), executor("pi-exec-1", 1'000, 2'000)};
    const auto found = find_gang(pods, "nightly-pi");
    REQUIRE(found);
    CHECK(found->driver.name == "pi-driver");
    CHECK(found->executors.size() == 1);
    CHECK(find_gang(pods, "nightly-pl").error().message.ends_with("did you mean \"nightly-pi\"?"));
    CHECK_FALSE(find_gang(pods, ""));
    PodHistory yesterday = driver();
    yesterday.name = "pi-0-driver";
    yesterday.uid = "uid-0";
    yesterday.application = "spark-0";
    CHECK_FALSE(find_gang({driver(), yesterday}, "nightly-pi"));
    yesterday.phase = core::PodPhase::succeeded;
    CHECK(find_gang({driver(), yesterday}, "nightly-pi")->driver.name == "pi-driver");
}

TEST_CASE("timeline: a pod that is no driver is not called one") {
    PodHistory alone = pod("alone", 0);
    alone.node = "n1";
    alone.bound_ms = start + 1'000;
    const Timeline timeline = make_timeline({alone, {}}, {}, 0, std::nullopt);
    CHECK(find(timeline, "pod created") != nullptr);
    CHECK(find(timeline, "pod bound to n1") != nullptr);
    CHECK(find(timeline, "driver") == nullptr);
}
