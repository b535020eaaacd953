#include "gang/app/show/pod_view.hpp"

#include "gang/app/base/json_text.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace gang::app;
using gang::GangState;
using gang::ReasonCode;

namespace {

const PodQuestion everywhere{{"gang-scheduler"}, ""};

core::Pod driver(const std::string& name) {
    core::Pod pod;
    pod.namespace_name = "etl";
    pod.name = name;
    pod.uid = "uid-" + name;
    pod.scheduler_name = "gang-scheduler";
    pod.created = 1000;
    pod.labels = {{"spark-app-selector", "spark-" + name}};
    pod.requests.cpu_milli = 1000;
    pod.spark_properties = core::ConfigMapKey{"m", "spark.properties"};
    return pod;
}

core::Pod executor_of(const core::Pod& driver, const std::string& name) {
    core::Pod pod = driver;
    pod.name = name;
    pod.uid = "uid-" + name;
    pod.spark_properties.reset();
    pod.annotations.clear();
    pod.owners = {core::OwnerReference{"Pod", driver.name, driver.uid, true}};
    return pod;
}

void say(core::Pod& pod, const std::string& message) {
    pod.scheduled = core::ScheduledCondition{false, "Unschedulable", message};
}

/// Three slots of one cpu: two on n1, one on n2.
std::string reservation_of(const core::Pod& driver) {
    gang::ReservedShape shape;
    shape.requests.cpu_milli = 1000;
    shape.slots_per_node = {{"n1", 2}, {"n2", 1}};
    gang::Reservation reservation;
    reservation.anchor = driver.uid;
    reservation.shapes = {shape};
    return gang::encode_reservation(reservation);
}

core::Pod admitted(const std::string& name) {
    core::Pod pod = driver(name);
    pod.node_name = "n1";
    pod.annotations = {{std::string(gang::reservation_annotation), reservation_of(pod)}};
    return pod;
}

}  // namespace

TEST_CASE("pod_view: a driver that waits shows the code and sentence of its condition") {
    core::Pod pod = driver("a");
    say(pod, "0/3 nodes can take it. [WaitingForCapacity]");
    const auto gangs = gangs_from_pods({pod}, everywhere);
    REQUIRE(gangs.size() == 1);
    CHECK(gangs[0].state == GangState::waiting);
    CHECK(gangs[0].code == ReasonCode::waiting_for_capacity);
    CHECK(gangs[0].message == "0/3 nodes can take it.");
    CHECK(gangs[0].application == "spark-a");
    CHECK(gangs[0].executors == executors_unknown);
    CHECK(gangs[0].waiting_since_ms == 1'000'000);
}

TEST_CASE("pod_view: D4: what a gang needs is what its condition says, not its driver's part") {
    core::Pod pod = driver("a");
    const auto seen = [&pod](const std::string& needs) {
        say(pod, "0/3 nodes could take gang a: needs " + needs + "; 1 + 2 fit. [ExceedsCluster]");
        return gangs_from_pods({pod}, everywhere).at(0);
    };
    const gang::GangView view = seen("1 driver + 40 executors (81 cpu, 225.5Gi memory, 2 nvidia.com/gpu)");
    CHECK(view.executors == 40);
    CHECK(view.needs.cpu_milli == 81'000);
    CHECK(view.needs.memory_bytes == 451LL << 29);
    CHECK(view.needs.extended_amount("nvidia.com/gpu") == 2);
    CHECK(seen("1 driver + 1 executor (2 cpu)").executors == 1);
    // Somebody else's words, or ours of another day.
    for (const char* other :
         {"1 driver + executors (2 cpu)",
          "1 driver + 4 executors",
          "1 driver + 4 executors (two cpu)",
          "1 driver + 4 executors (2cpu)",
          "1 driver + 99999999999 executors (2 cpu)",
          "1 driver + 4 things (2 cpu)"}) {
        CHECK_MESSAGE(seen(other).executors == executors_unknown, other);
        CHECK_MESSAGE(seen(other).needs == pod.requests, other);
    }
}

TEST_CASE("pod_view: codes become states") {
    for (const auto& [code, state] :
         {std::pair("WaitingForSparkConf", GangState::waiting_for_conf),
          std::pair("WaitingInQueue", GangState::waiting),
          std::pair("ExceedsCluster", GangState::parked),
          std::pair("Misconfigured", GangState::parked),
          std::pair("DriverEnded", GangState::parked),
          std::pair("BindFailed", GangState::waiting)}) {
        core::Pod pod = driver("a");
        say(pod, std::string("0/3 nodes [") + code + "]");
        CHECK(gangs_from_pods({pod}, everywhere).at(0).state == state);
    }
}

TEST_CASE("pod_view: a driver that nobody has spoken about says so") {
    const auto gangs = gangs_from_pods({driver("a")}, everywhere);
    REQUIRE(gangs.size() == 1);
    CHECK(gangs[0].code == ReasonCode::none);
    CHECK(gangs[0].message.find("has said anything") != std::string::npos);
}

TEST_CASE("pod_view: a reservation gives slots, needs and nodes; executors fill it") {
    const core::Pod a = admitted("a");
    core::Pod bound = executor_of(a, "a-exec-1");
    core::Pod pending = executor_of(a, "a-exec-2");
    pending.node_name.clear();
    core::Pod finished = executor_of(a, "a-exec-3");
    finished.phase = core::PodPhase::failed;
    const auto answer = explain_from_pods({a, bound, pending, finished}, everywhere, "etl/a");
    REQUIRE(answer.has_value());
    CHECK(answer->gang.state == GangState::running);
    CHECK(answer->gang.executors == 3);
    CHECK(answer->gang.slots_bound == 1);
    CHECK(answer->gang.slots_open == 2);
    CHECK(answer->gang.needs.cpu_milli == 4000);
    CHECK(answer->executor.cpu_milli == 1000);
    CHECK(
        answer->slots_per_node ==
        std::vector<std::pair<std::string, std::int32_t>>{{"n1", 2}, {"n2", 1}});
}

TEST_CASE("pod_view: an executor beyond the reservation takes no slot") {
    const core::Pod a = admitted("a");
    core::Pod inside = executor_of(a, "a-exec-1");
    inside.annotations = {{std::string(gang::slot_annotation), a.uid + "/0"}};
    core::Pod beyond = executor_of(a, "a-exec-2");
    beyond.annotations = {{std::string(gang::slot_annotation), std::string(gang::surplus_slot)}};
    core::Pod ended = executor_of(a, "a-exec-3");
    ended.annotations = beyond.annotations;
    ended.phase = core::PodPhase::failed;
    const auto answer = explain_from_pods({a, inside, beyond, ended}, everywhere, "etl/a");
    REQUIRE(answer.has_value());
    CHECK(answer->gang.slots_bound == 1);
    CHECK(answer->gang.slots_open == 2);
    CHECK(answer->notes == std::vector<std::string>{"1 more executor than it reserved has a node"});
}

TEST_CASE("pod_view: slots whose node was lost make it degraded") {
    core::Pod a = admitted("a");
    auto reservation = gang::decode_reservation(a.annotations[0].second, 100);
    REQUIRE(reservation.has_value());
    reservation->shapes[0].unplaced = 2;
    a.annotations[0].second = gang::encode_reservation(*reservation);
    const auto answer = explain_from_pods({a}, everywhere, "a");
    REQUIRE(answer.has_value());
    CHECK(answer->gang.state == GangState::degraded);
    CHECK(answer->gang.executors == 5);
    CHECK(answer->gang.needs.cpu_milli == 6000);
    CHECK(answer->notes == std::vector<std::string>{"2 of its slots have no node now"});
}

TEST_CASE("pod_view: an annotation that a tenant spoilt is said to be unreadable") {
    core::Pod a = admitted("a");
    a.annotations[0].second = "v1 generation=\x1b[2J";
    const auto answer = explain_from_pods({a}, everywhere, "a");
    REQUIRE(answer.has_value());
    REQUIRE(answer->notes.size() == 1);
    CHECK(answer->notes[0].find("cannot be read") != std::string::npos);
}

TEST_CASE("pod_view: waiting gangs first, oldest first, ended and foreign ones not at all") {
    core::Pod older = driver("older");
    older.created = 500;
    core::Pod ended = driver("ended");
    ended.phase = core::PodPhase::succeeded;
    core::Pod other_pod = driver("foreign");
    other_pod.scheduler_name = "default-scheduler";
    const auto gangs =
        gangs_from_pods({admitted("run"), driver("new"), ended, other_pod, older}, everywhere);
    REQUIRE(gangs.size() == 3);
    CHECK(gangs[0].driver == "older");
    CHECK(gangs[1].driver == "new");
    CHECK(gangs[2].driver == "run");
}

TEST_CASE("pod_view: a single pod is listed while it waits, not when it has its node") {
    core::Pod lone = driver("lone");
    lone.spark_properties.reset();
    CHECK(gangs_from_pods({lone}, everywhere).size() == 1);
    lone.node_name = "n1";
    CHECK(gangs_from_pods({lone}, everywhere).empty());
    CHECK(explain_from_pods({lone}, everywhere, "lone").has_value());
}

TEST_CASE("pod_view: an executor whose driver is gone is no gang") {
    const core::Pod ownerless = executor_of(driver("gone"), "x");
    CHECK(gangs_from_pods({ownerless}, everywhere).empty());
}

TEST_CASE("pod_view: a namespace hides the others") {
    core::Pod other = driver("b");
    other.namespace_name = "ml";
    const auto gangs = gangs_from_pods({driver("a"), other}, {{"gang-scheduler"}, "ml"});
    REQUIRE(gangs.size() == 1);
    CHECK(gangs[0].driver == "b");
}

TEST_CASE("pod_view: asked by pod, namespace/pod, uid, application or executor") {
    const core::Pod a = admitted("a");
    const std::vector<core::Pod> pods = {a, executor_of(a, "a-exec-1"), driver("b")};
    for (const char* question : {"a", "etl/a", "uid-a", "spark-a"}) {
        const auto answer = explain_from_pods(pods, everywhere, question);
        REQUIRE_MESSAGE(answer.has_value(), question);
        CHECK(answer->gang.driver == "a");
        CHECK_FALSE(answer->is_executor);
    }
    const auto executor = explain_from_pods(pods, everywhere, "etl/a-exec-1");
    REQUIRE(executor.has_value());
    CHECK(executor->gang.driver == "a");
    CHECK(executor->is_executor);
}

TEST_CASE("pod_view: D27: asked by the application's name, or by a slip of one") {
    core::Pod last_night = driver("sales-1");
    core::Pod tonight = driver("sales-2");
    for (core::Pod* pod : {&last_night, &tonight}) {
        pod->labels.insert(pod->labels.begin(), {"spark-app-name", "sales-report"});
        std::sort(pod->labels.begin(), pod->labels.end());
    }
    last_night.phase = core::PodPhase::succeeded;
    const auto found = explain_from_pods({last_night, tonight}, everywhere, "sales-report");
    REQUIRE(found.has_value());
    CHECK(found->gang.driver == "sales-2");
    CHECK(explain_from_pods({last_night}, everywhere, "sales-report")->gang.driver == "sales-1");
    CHECK(
        explain_from_pods({last_night, tonight}, everywhere, "sale-report").error().message ==
        "no pod or application is called sale-report, did you mean \"sales-report\"?");
}

TEST_CASE("pod_view: nothing, several, foreign: three different sentences") {
    core::Pod twin = driver("a");
    twin.namespace_name = "ml";
    twin.uid = "uid-twin";
    core::Pod other_pod = driver("f");
    other_pod.scheduler_name = "default-scheduler";
    const std::vector<core::Pod> pods = {driver("a"), twin, other_pod};
    CHECK(
        explain_from_pods(pods, everywhere, "x\x1b[2J").error().message ==
        "no pod or application is called x\\x1b[2J");
    CHECK(
        explain_from_pods(pods, everywhere, "a").error().message ==
        "a names several: etl/a, ml/a; ask with namespace/name");
    CHECK(
        explain_from_pods(pods, everywhere, "f").error().message ==
        "pod etl/f belongs to scheduler \"default-scheduler\", not to us");
}

TEST_CASE("pod_view: an ended application is still explained") {
    core::Pod ended = driver("a");
    ended.phase = core::PodPhase::failed;
    const auto answer = explain_from_pods({ended}, everywhere, "a");
    REQUIRE(answer.has_value());
    CHECK(answer->gang.state == GangState::ended);
    CHECK(answer->gang.message == "it has ended: Failed");
}

TEST_CASE("pod_view: a gang that labels declare says its size in its condition, too") {  // D4
    core::Pod pod = driver("a");
    pod.spark_properties.reset();
    say(pod,
        "0/4 nodes can take gang spark-3 now: needs 1 driver + 9 executors (10 cpu, 10Gi memory); "
        "1 + 5 fit [WaitingForCapacity]");
    const auto gangs = gangs_from_pods({pod}, everywhere);
    REQUIRE(gangs.size() == 1);
    CHECK(gangs[0].executors == 9);
    CHECK(gangs[0].needs.cpu_milli == 10'000);
}

TEST_CASE("pod_view: D4: the size stands behind other reasons, too, and ahead of what follows it") {
    core::Pod pod = driver("a");
    say(pod,
        "0/4 nodes are for gang spark-3 yet: it fits, but 2 gangs are ahead, first etl/b; needs 1 driver + 9 executors "
        "(10 cpu, 10Gi memory); it has waited for longer than it is to (really) [WaitingInQueue]");
    const auto gangs = gangs_from_pods({pod}, everywhere);
    REQUIRE(gangs.size() == 1);
    CHECK(gangs[0].executors == 9);
    CHECK(gangs[0].needs.cpu_milli == 10'000);
}
