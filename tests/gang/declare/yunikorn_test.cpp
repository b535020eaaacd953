// YuniKorn's words: task groups, of drivers and of pods without one.
#include "gang/declare/declaration.hpp"
#include "gang/declare/gang_size.hpp"
#include "gang/declare/group_membership.hpp"
#include "gang/declare/yunikorn/task_groups.hpp"
#include "tests/gang/builders.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>

using namespace gang;
using yunikorn::read_style;
using yunikorn::read_task_groups;

namespace {

const std::string two_groups =
    "task groups\ngroup spark-driver 1\nrequest cpu 1000m\nrequest memory 1073741824\n"
    "group spark-executor 2\nrequest cpu 2000m\nrequest memory 2147483648\nselect disk ssd\n"
    "tolerate dedicated Exists  NoSchedule\n";

core::Pod driver_of(const std::string& lines, const std::string& own = "spark-driver") {
    core::Pod pod = tests::pod("driver", 1'000, 1'024);
    pod.labels = {{"spark-role", "driver"}};
    pod.annotations = {
        {std::string(yunikorn::task_group_key), own},
        {std::string(yunikorn::task_groups_key), lines}};
    return pod;
}

bool tells(const std::vector<std::string>& sentences, const std::string& text) {
    return std::any_of(sentences.begin(), sentences.end(), [&text](const std::string& sentence) {
        return sentence.find(text) != std::string::npos;
    });
}

}  // namespace

TEST_CASE("yunikorn: lines become task groups") {
    const auto said = read_task_groups(two_groups);
    REQUIRE(said.problem.empty());
    REQUIRE(said.groups.size() == 2);
    CHECK(said.groups[1].name == "spark-executor");
    CHECK(said.groups[1].members == 2);
    CHECK(said.groups[1].requests == core::Resources{2'000, 2'147'483'648, 0, {}});
    CHECK(said.groups[1].constraints.node_selector == core::StringMap{{"disk", "ssd"}});
    REQUIRE(said.groups[1].constraints.tolerations.size() == 1);
    CHECK(said.groups[1].constraints.tolerations[0].exists);
    CHECK_FALSE(said.groups[1].constraints.tolerations[0].any_effect);
}

TEST_CASE("yunikorn: a list that makes no sense is a problem, and nothing of it counts") {
    const auto problem = [](const std::string& lines) {
        const auto said = read_task_groups(lines);
        CHECK(said.groups.empty());
        CHECK_FALSE(said.problem.empty());
        return said.problem;
    };
    const std::string heading = "task groups\n";
    problem("");
    problem("[]");
    CHECK(problem(heading) == "the list has no task group");
    CHECK(problem(heading + "error it is no JSON\n") == "it is no JSON");
    CHECK(
        problem(heading + "group a 0\n") ==
        "minMember of task group \"a\" is 0: a number of pods from 1 on is wanted");
    problem(heading + "group a -1\n");
    problem(heading + "group a 99999999999999999999\n");
    problem(heading + "group  1\n");
    CHECK(problem(heading + "group a 1\ngroup a 2\n") == "two task groups have the name \"a\"");
    problem(heading + "group a 1\nrequest cpu 1x\n");
    problem(heading + "group a 1\ntolerate k Near v NoSchedule\n");
    problem(heading + "group a 1\ntolerate k Equal v Never\n");
    problem(heading + "group a 1\nselect a/b/c d\n");
    problem(heading + "request cpu 1\n");
    std::string many = heading;
    for (int i = 0; i < 30'000; ++i) {
        many += "group g" + std::to_string(i) + " 1\n";
    }
    CHECK(problem(many) == "more than 100 task groups");
    CHECK(read_task_groups(heading + "group a 1000000000\n").problem.empty());
}

TEST_CASE("yunikorn: the style and its timeout") {
    CHECK(read_style("").soft_after_ms == 0);
    CHECK(
        read_style("gangSchedulingStyle=Hard placeholderTimeoutInSeconds=30") == yunikorn::Style{});
    CHECK(read_style("placeholderTimeoutInSeconds=30").soft_after_ms == 0);
    CHECK(
        read_style("placeholderTimeoutInSeconds=30 gangSchedulingStyle=Soft").soft_after_ms ==
        30'000);
    CHECK(read_style("gangSchedulingStyle=Soft").soft_after_ms == 900'000);
    for (const char* wrong :
         {"placeholderTimeoutSeconds=30",
          "gangSchedulingStyle=soft",
          "placeholderTimeoutInSeconds=0",
          "placeholderTimeoutInSeconds=99999999999999999999",
          "a",
          "=",
          "gangSchedulingStyle"}) {
        CHECK_MESSAGE(!read_style(wrong).warning.empty(), wrong);
        CHECK(read_style(wrong).soft_after_ms == 0);
    }
}

TEST_CASE("yunikorn: a Spark driver's other task groups are its executors") {
    const core::Pod pod = driver_of(two_groups);
    CHECK(declares_gang(pod));
    const Declaration said = read_declaration(pod);
    CHECK(said.problem.empty());
    REQUIRE(said.count);
    CHECK(said.count->initial == 2);
    const GangSize size = size_gang(pod, said, nullptr, {});
    REQUIRE_MESSAGE(size.problem.empty(), size.problem);
    REQUIRE(size.executors.size() == 1);
    CHECK(size.executors[0].count == 2);
    CHECK(size.executors[0].requests.cpu_milli == 2'000);
    CHECK(size.executors[0].constraints.node_selector == core::StringMap{{"disk", "ssd"}});
    CHECK(size.source == "annotation yunikorn.apache.org/task-groups");
    SUBCASE("without the role it is no driver") {
        core::Pod plain = pod;
        plain.labels.clear();
        CHECK_FALSE(declares_gang(plain));
    }
    SUBCASE("the larger of both sizes counts, its own number of executors, and that is said") {
        spark::Derivation derived;
        spark::ExecutorShape shape;
        shape.count = 5;
        shape.requests = {1'000, 4'294'967'296, 0, {}};
        derived.executors.push_back(shape);
        const GangSize both = size_gang(pod, said, &derived, {});
        REQUIRE(both.executors.size() == 1);
        CHECK(both.executors[0].count == 2);
        CHECK(both.executors[0].requests == core::Resources{2'000, 4'294'967'296, 0, {}});
        CHECK(both.source == "annotation yunikorn.apache.org/task-groups, the Spark conf");
        CHECK(tells(both.warnings, "makes it 2 executors to reserve, the Spark conf 5"));
    }
    SUBCASE("Palantir's count is believed before it, kubernetes-gang-scheduler's after it") {
        core::Pod other = driver_of(two_groups);
        other.annotations.insert(other.annotations.begin(), {"spark-executor-count", "7"});
        CHECK(read_declaration(other).count->initial == 7);
        CHECK(tells(read_declaration(other).warnings, "say different numbers of executors"));
        core::Pod ancestor = driver_of(two_groups);
        ancestor.labels.insert(ancestor.labels.begin(), {"executors", "7"});
        CHECK(read_declaration(ancestor).count->initial == 2);
    }
    SUBCASE("several kinds of executors are several shapes") {
        const auto many = read_declaration(driver_of(two_groups + "group big 3\nrequest cpu 8\n"));
        const GangSize sized = size_gang(pod, many, nullptr, {});
        REQUIRE(sized.executors.size() == 2);
        CHECK(sized.executors[1].count == 3);
        CHECK(sized.executors[1].requests.cpu_milli == 8'000);
    }
}

TEST_CASE("yunikorn: a driver's list that contradicts itself is a problem") {
    const Declaration other = read_declaration(driver_of(two_groups, "other"));
    CHECK(other.problem.find("\"other\" is not in the list") != std::string::npos);
    CHECK_FALSE(read_declaration(driver_of("task groups\nerror no JSON\n")).problem.empty());
    const auto problem_of = [](const core::Pod& pod) {
        return size_gang(pod, read_declaration(pod), nullptr, {}).problem;
    };
    const auto huge =
        driver_of("task groups\ngroup spark-driver 1\ngroup e 1000000000\nrequest cpu 1\n");
    CHECK(problem_of(huge).find("maxGangSize") != std::string::npos);
    const auto none = driver_of("task groups\ngroup spark-driver 1\ngroup e 2\n");
    CHECK(problem_of(none).find("has no minResource") != std::string::npos);
}

TEST_CASE("yunikorn: pods without a driver are members of their application's group") {
    core::Pod pod = tests::pod("p", 1'000, 256);
    pod.labels = {{"applicationId", "app-1"}};
    pod.annotations = {{std::string(yunikorn::task_group_key), "spark-executor"}};
    const auto silent = read_membership(pod);
    REQUIRE(silent);
    CHECK(silent->name == "app-1");
    CHECK(silent->is_silent);
    CHECK(role_in_group(pod) == "spark-executor");
    pod.annotations.push_back({std::string(yunikorn::task_groups_key), two_groups});
    const auto said = read_membership(pod);
    REQUIRE(said);
    CHECK(said->minimum == 3);
    CHECK(
        said->roles ==
        std::vector<core::RoleMinimum>{{"spark-driver", 1}, {"spark-executor", 2}});
    CHECK(said->problem.empty());
    SUBCASE("without an application it is of none, and that is said") {
        pod.labels.clear();
        CHECK_FALSE(read_membership(pod));
        CHECK(tells(
            unread_warnings(pod, "x"), "the label yunikorn.apache.org/app-id is missing: x"));
    }
    SUBCASE("a task group that is not in the list") {
        pod.annotations[0].second = "third";
        CHECK(read_membership(pod)->problem.find("is not in the list") != std::string::npos);
    }
}

TEST_CASE("declaration: Kueue's and Armada's groups") {
    core::Pod pod = tests::pod("p", 1'000, 256);
    pod.labels = {{"kueue.x-k8s.io/pod-group-name", "g"}, {"kueue.x-k8s.io/queue-name", "team"}};
    pod.annotations = {{"kueue.x-k8s.io/pod-group-total-count", "4"}};
    auto found = read_membership(pod);
    REQUIRE(found);
    CHECK(found->name == "g");
    CHECK(found->minimum == 4);
    CHECK(*queue_elsewhere(pod) == "team");
    CHECK(asked_queue(pod) == nullptr);
    pod.annotations = {};
    CHECK(read_membership(pod)->problem.find("pod-group-total-count") != std::string::npos);
    pod.labels.clear();
    pod.annotations = {
        {"armadaproject.io/gangCardinality", "5"},
        {"armadaproject.io/gangId", "a"},
        {"armadaproject.io/gangNodeUniformityLabel", "zone"}};
    found = read_membership(pod);
    REQUIRE(found);
    CHECK(found->minimum == 5);
    CHECK(found->warning.find("gangNodeUniformityLabel is not read") != std::string::npos);
    pod.annotations[2] = {"armadaproject.io/gangMinimumCardinality", "3"};
    CHECK(read_membership(pod)->minimum == 3);
}

TEST_CASE("declaration: a plain label queue counts beside YuniKorn's words alone") {
    core::Pod pod = tests::pod("p", 1'000, 256);
    pod.labels = {{"queue", "root.etl"}};
    CHECK(queue_elsewhere(pod) == nullptr);
    pod.labels = {{"applicationId", "a"}, {"queue", "root.etl"}};
    CHECK(*queue_elsewhere(pod) == "root.etl");
}
