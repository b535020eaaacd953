// Declarations at the limits of what is read, and drivers' task groups: each rule from both sides.

#include "gang/declare/declaration.hpp"
#include "gang/declare/declaration_values.hpp"
#include "tests/gang/builders.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace declaration_limits {

using gang::Declaration;

core::Pod annotated(
    core::StringMap annotations, core::StringMap labels = {{"spark-role", "driver"}}) {
    core::Pod pod = tests::pod("d", 1'000, 1'024);
    std::sort(annotations.begin(), annotations.end());
    std::sort(labels.begin(), labels.end());
    pod.annotations = std::move(annotations);
    pod.labels = std::move(labels);
    return pod;
}

Declaration said(core::StringMap annotations) {
    return gang::read_declaration(annotated(std::move(annotations)));
}

bool tells(const std::vector<std::string>& texts, const std::string& part) {
    return std::any_of(texts.begin(), texts.end(), [&part](const std::string& text) {
        return text.find(part) != std::string::npos;
    });
}

}  // namespace declaration_limits

}  // namespace

TEST_CASE("declaration: our own annotations on a pod are no keys that somebody has mistyped") {
    using namespace declaration_limits;
    for (const char* key :
         {"gang-scheduler/reservation", "gang-scheduler/slot", "gang-scheduler/seal"}) {
        const core::Pod pod = annotated({{key, "x"}}, {});
        CHECK_MESSAGE(gang::read_declaration(pod).problem.empty(), key);
        CHECK_MESSAGE(!gang::declares_gang(pod), key);
    }
    CHECK(gang::declares_gang(annotated({{"gang-scheduler/reservations", "x"}}, {})));
    CHECK(gang::declares_gang(annotated({}, {{"gang-scheduler/slots", "x"}})));
    CHECK_FALSE(gang::declares_gang(annotated({{"gang-scheduler", "x"}}, {})));
}

TEST_CASE("declaration: three mistyped keys are told, the fourth is not") {
    using namespace declaration_limits;
    const std::string three =
        said({{"gang-scheduler/a", ""}, {"gang-scheduler/b", ""}, {"gang-scheduler/executer", ""}})
            .problem;
    CHECK(
        three.find("gang-scheduler/a is no key of gang-scheduler's: expected one of role, ") == 0);
    CHECK(three.find("; gang-scheduler/b is no key of gang-scheduler's;") != std::string::npos);
    CHECK(three.find("gang-scheduler/executer is no key") != std::string::npos);
    const std::string four = said({{"gang-scheduler/a", ""},
                                   {"gang-scheduler/b", ""},
                                   {"gang-scheduler/c", ""},
                                   {"gang-scheduler/d", ""}})
                                 .problem;
    CHECK(four.find("gang-scheduler/c is no key") != std::string::npos);
    CHECK(four.find("gang-scheduler/d is no key") == std::string::npos);
}

TEST_CASE("declaration: the name of a queue is at most 63 letters, digits and points long") {
    using namespace declaration_limits;
    const std::string longest(63, 'q');
    CHECK(said({{"gang-scheduler/queue", longest}}).queue == longest);
    CHECK(tells(said({{"gang-scheduler/queue", longest}}).notes, "is kept with the gang"));
    for (const char* name : {"a", "A", "z", "Z", "0", "9", "-", ".", "_", "root.etl_1-A"}) {
        CHECK_MESSAGE(said({{"gang-scheduler/queue", name}}).queue == name, name);
    }
    for (const std::string& name : std::vector<std::string>{
             "", longest + "q", "a b", "@", "[", "`", "{", "/", ":", "a\xc3\xa9"}) {
        const Declaration refused = said({{"gang-scheduler/queue", name}});
        CHECK_MESSAGE(refused.queue == "default", name);
        CHECK(tells(refused.warnings, "is no name of a queue and is ignored"));
        CHECK(refused.notes.empty());
    }
    const core::Pod pod = annotated({{"gang-scheduler/queue", "etl"}});
    CHECK(
        gang::read_declaration(pod, true).queue ==
        "default");  // the configuration's queues say what becomes of it
    CHECK(gang::read_declaration(pod, true).notes.empty());
}

TEST_CASE("declaration: two dialects that differ in one number alone contradict each other") {
    using namespace declaration_limits;
    const auto differs = [](const char* ours_min,
                            const char* ours_first,
                            const char* ours_max,
                            const char* theirs_min,
                            const char* theirs_max) {
        const Declaration both = said(
            {{"gang-scheduler/executors", ours_first},
             {"gang-scheduler/max-executors", ours_max},
             {"gang-scheduler/min-executors", ours_min},
             {"spark-dynamic-allocation-enabled", "true"},
             {"spark-dynamic-allocation-max-executor-count", theirs_max},
             {"spark-dynamic-allocation-min-executor-count", theirs_min}});
        CHECK(both.problem.empty());
        return tells(both.warnings, "say different numbers of executors");
    };
    CHECK_FALSE(differs("2", "2", "5", "2", "5"));
    CHECK(differs("2", "2", "5", "2", "6"));
    CHECK(differs("2", "3", "5", "2", "5"));
    CHECK(differs("1", "2", "5", "2", "5"));
}

TEST_CASE("declaration: a driver is one of its own task group, the others are its executors") {
    using namespace declaration_limits;
    const std::string list = "task groups\ngroup d 1\nrequest cpu 1\ngroup w 3\nrequest cpu 2\n";
    const auto groups = [&list](const char* own, const std::string& lines) {
        return said(
            {{"yunikorn.apache.org/task-group-name", own},
             {"yunikorn.apache.org/task-groups", lines}});
    };
    const Declaration first = groups("d", list);
    REQUIRE(first.count);
    CHECK(first.count->min == 3);
    CHECK(first.count->initial == 3);
    CHECK(first.count->max == 3);
    CHECK(first.count->is_of_task_groups);
    REQUIRE(first.task_groups.size() == 1);
    CHECK(first.task_groups[0].name == "w");
    const Declaration among = groups("w", list);
    CHECK(among.count->min == 3);
    REQUIRE(among.task_groups.size() == 2);
    CHECK(among.task_groups[1].members == 2);
    // Nobody has said which of them it is: then it is none of them.
    const Declaration none = groups("", list);
    CHECK(none.count->min == 4);
    CHECK(none.problem.empty());
    const Declaration strange = groups("x", list);
    CHECK_FALSE(strange.count);
    CHECK(strange.problem.find("task-group-name = \"x\" is not in the list") != std::string::npos);
    CHECK_FALSE(groups("d", "task groups\n").count);
    CHECK(
        groups("d", "task groups\n").problem.find("the list has no task group") !=
        std::string::npos);
    CHECK(tells(
        groups("d", list + "unread nodeAffinity\n").warnings,
        "nodeAffinity of task group \"w\" is not read"));
    // On a pod that is no driver it is no declaration.
    CHECK_FALSE(
        gang::read_declaration(annotated({{"yunikorn.apache.org/task-groups", list}}, {})).count);
}

TEST_CASE(
    "declaration: a soft style of a driver's task groups is told to change nothing, a wrong one to "
    "be ignored") {
    using namespace declaration_limits;
    const auto warnings = [](const char* style) {
        return said({{"yunikorn.apache.org/schedulingPolicyParameters", style},
                     {"yunikorn.apache.org/task-group-name", "d"},
                     {"yunikorn.apache.org/task-groups", "task groups\ngroup d 1\ngroup w 1\n"}})
            .warnings;
    };
    CHECK(warnings("gangSchedulingStyle=Hard").empty());
    CHECK(warnings("gangSchedulingStyle=Soft").size() == 1);
    CHECK(tells(
        warnings("gangSchedulingStyle=Soft"),
        "Soft is not acted upon for an application with a driver"));
    CHECK(warnings("x=y").size() == 1);
    CHECK(tells(warnings("x=y"), "is neither placeholderTimeoutInSeconds"));
    CHECK(warnings("x=y gangSchedulingStyle=Soft").size() == 2);
}

TEST_CASE("declaration: a range from its least to its most, and beyond") {
    using namespace declaration_limits;
    const auto range = [](core::StringMap map) { return said(std::move(map)); };
    CHECK(range({{"gang-scheduler/executors", "5"}, {"gang-scheduler/max-executors", "5"}})
              .problem.empty());
    CHECK(
        range({{"gang-scheduler/executors", "6"}, {"gang-scheduler/max-executors", "5"}})
            .problem.find("annotation gang-scheduler/executors = 6 is more than annotation "
                          "gang-scheduler/max-executors = 5") != std::string::npos);
    const Declaration least =
        range({{"gang-scheduler/executors", "1"}, {"gang-scheduler/min-executors", "2"}});
    REQUIRE(least.count);
    CHECK(least.count->initial == 2);
    CHECK(least.count->max == -1);
    CHECK(least.count->is_dynamic);
    CHECK(
        range({{"gang-scheduler/max-executors", "5"}}).problem.find("min-executors is missing") !=
        std::string::npos);
    CHECK(
        range({{"spark-dynamic-allocation-enabled", "false"},
               {"spark-dynamic-allocation-max-executor-count", "5"}})
            .problem.find("spark-executor-count is missing") != std::string::npos);
    const Declaration fixed = range({{"gang-scheduler/executors", "4"}});
    CHECK_FALSE(fixed.count->is_capped);
    CHECK(range({{"spark-executor-count", "4"}}).count->is_capped);
}

TEST_CASE("declared values: all forms of counts, amounts, flags and taints") {
    using namespace declaration_limits;
    using gang::BareMemory;
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    std::string told;
    for (const std::string& text : std::vector<std::string>{
             "",
             "0",
             "1",
             "007",
             "-1",
             "+1",
             "1x",
             "x",
             "1.5",
             ".5",
             "5.",
             ".",
             "1..5",
             "1.5.5",
             "0.0",
             "0.0001",
             "0.001",
             "500m",
             "0m",
             "m",
             "1.5m",
             "-5m",
             "999999999",
             "1000000000",
             "0999999999",
             "99999999999999999999",
             "9223372036854775807",
             "9223372036854775808",
             "9223372036854775807m",
             "9223372036854775.807",
             "9223372036854776",
             "1048575",
             "1048576",
             "1k",
             "1kb",
             "1kbb",
             "1kx",
             "1K",
             "1Ki",
             "1Kib",
             "1m",
             "1mb",
             "1M",
             "1Mi",
             "1g",
             "1gb",
             "1G",
             "1Gi",
             "1t",
             "1T",
             "1Ti",
             "1P",
             "1Pi",
             "1E",
             "1Ei",
             "1e",
             "1b",
             "1i",
             "1 g",
             " 1g",
             "1g ",
             "1.5g",
             "1.5Gi",
             "1.5G",
             ".5Gi",
             "5.Gi",
             "Gi",
             "g",
             "0g",
             "0Gi",
             "1X",
             "1Xi",
             "8191P",
             "8192Pi",
             "9007199254740991k",
             "9007199254740992k",
             "8388607t",
             "8388608t",
             "8589934591",
             "8589934592",
             "8589934592g",
             "true",
             "TRUE",
             "False",
             "yes",
             "2147483647",
             "2147483648",
             "-2147483648",
             "-2147483649",
             "2147483647 "}) {
        told += tests::told_text(text) + "\n  count " +
                tests::told_result(gang::read_count(text), number) + "\n  cpu " +
                tests::told_result(gang::read_cpu(text), number) + "\n  memory " +
                tests::told_result(gang::read_memory(text, BareMemory::bytes), number) +
                "\n  GiB " +
                tests::told_result(gang::read_memory(text, BareMemory::gibibytes), number)
                    .substr(0, 30) +
                "\n  devices " + tests::told_result(gang::read_devices(text), number) +
                "\n  priority " + tests::told_result(gang::read_priority(text), number) + "\n";
        const auto flag = gang::read_flag(text);
        told += !flag ? "" : *flag ? "  true\n" : "  false\n";
    }
    for (const char* text :
         {"",
          "*",
          " * ",
          "a",
          "a=b",
          "a=",
          "=b",
          "a:NoSchedule",
          "a=b:NoExecute",
          "a=b:PreferNoSchedule",
          "a:",
          "a:x",
          "a=b:",
          "a=b=c",
          "a:NoSchedule:x",
          ",",
          "a,",
          ",a",
          "a,b",
          " a , b ",
          "a/b=c:NoSchedule,*",
          "a b",
          "-x",
          "a:=b",
          "a=b c:NoExecute",
          "*=b",
          "*:NoSchedule"}) {
        told += tests::told_text(text) + " " +
                tests::told_result(
                    gang::read_tolerations(text),
                    [](const std::vector<core::Toleration>& tolerations) {
                        core::Constraints constraints;
                        constraints.tolerations = tolerations;
                        return tests::told_ask({}, constraints);
                    }) +
                "\n";
    }
    tests::check_transcript("gang/declare/transcripts/declared_values", told);
}
