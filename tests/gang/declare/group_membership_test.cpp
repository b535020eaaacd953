// What pods say of the groups they are of, in every dialect and in several at once, and the task
// groups they list.

#include "gang/declare/group_membership.hpp"

#include "gang/declare/declaration.hpp"
#include "gang/declare/yunikorn/task_groups.hpp"
#include "tests/gang/declare/told.hpp"
#include "tests/support/transcript.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace {

namespace memberships {

using tests::told_text;
using tests::Walk;

const std::vector<std::string> keys = {
    "scheduling.x-k8s.io/pod-group",
    "pod-group.scheduling.sigs.k8s.io",
    "scheduling.volcano.sh/group-name",
    "scheduling.k8s.io/group-name",
    "gang-scheduler/pod-group",
    "gang-scheduler/min-members",
    "pod-group.scheduling.sigs.k8s.io/name",
    "pod-group.scheduling.sigs.k8s.io/min-available",
    "kueue.x-k8s.io/pod-group-name",
    "kueue.x-k8s.io/pod-group-total-count",
    "armadaproject.io/gangId",
    "armadaproject.io/gangCardinality",
    "armadaproject.io/gangMinimumCardinality",
    "armadaproject.io/gangNodeUniformityLabel",
    "yunikorn.apache.org/app-id",
    "applicationId",
    "yunikorn.apache.org/task-groups",
    "yunikorn.apache.org/task-group-name",
    "yunikorn.apache.org/schedulingPolicyParameters",
    "volcano.sh/task-spec",
    "gang-scheduler/executors",
    "spark-role",
    "spark-app-selector",
    "pod-group-name",
    "godel.bytedance.com/pod-group-name",
    "queue",
    "yunikorn.apache.org/queue"};

const std::vector<std::string> numbers = {
    "3", "1", "0", "-1", "2x", "", "99999999999999999999", "12"};
const std::vector<std::string> names = {"a", "b", ""};
const std::vector<std::string> lists = {
    "task groups\ngroup w 3\ngroup d 1\n",
    "task groups\ngroup a 2\nrequest cpu 1\nunread nodeAffinity\nunread x\n",
    "task groups\n",
    "none",
    "task groups\ngroup w 0\n"};
const std::vector<std::string> styles = {
    "gangSchedulingStyle=Soft",
    "gangSchedulingStyle=Hard",
    "placeholderTimeoutInSeconds=30 gangSchedulingStyle=Soft",
    "x=y"};

/// What the key takes, now and then something else.
std::string value_for(const std::string& key, Walk& walk) {
    const auto has = [&key](const char* part) { return key.find(part) != std::string::npos; };
    if (walk.pick(8) == 0) return walk.of(numbers);
    if (has("min-") || has("ardinality") || has("count") || has("executors"))
        return walk.of(numbers);
    if (key == "yunikorn.apache.org/task-groups") return walk.of(lists);
    if (has("Parameters")) return walk.of(styles);
    if (has("task-group-name"))
        return std::vector<std::string>{"w", "d", "a", "z", ""}[walk.pick(5)];
    if (has("role")) return std::vector<std::string>{"executor", "driver", "none"}[walk.pick(3)];
    return walk.of(names);
}

core::Pod draw(Walk& walk) {
    std::map<std::string, std::string> labels;
    std::map<std::string, std::string> annotations;
    for (std::size_t i = 1 + walk.pick(4); i > 0; --i) {
        const std::size_t at = walk.pick(keys.size());
        const bool is_label = walk.pick(2) == 0;
        // Often with what belongs to it, which stands beside it.
        for (std::size_t j = at; j < std::min(at + 1 + walk.pick(3), keys.size()); ++j) {
            (is_label ? labels : annotations)[keys[j]] = value_for(keys[j], walk);
        }
    }
    if (walk.pick(3) == 0) {
        labels["yunikorn.apache.org/app-id"] = "app";
        annotations
            [walk.pick(2) == 0 ? "yunikorn.apache.org/task-groups"
                               : "yunikorn.apache.org/task-group-name"] =
                walk.pick(2) == 0 ? lists[walk.pick(2)] : "w";
    }
    core::Pod pod = tests::pod("p", 1'000, 1'024);
    pod.labels.assign(labels.begin(), labels.end());
    pod.annotations.assign(annotations.begin(), annotations.end());
    if (walk.pick(6) == 0) pod.pod_group = walk.of(names);
    if (walk.pick(3) == 0)
        pod.owners = {{walk.pick(2) == 0 ? "Pod" : "StatefulSet", "o", "uid-o", walk.pick(3) > 0}};
    return pod;
}

std::string told(const std::optional<gang::GroupMembership>& said) {
    if (!said) return "none\n";
    std::string text = std::string(gang::kind_of(said->dialect)) + " " + told_text(said->name) +
                       " by " + said->source + " min " + std::to_string(said->minimum) +
                       " family " + std::string(said->family) + (said->is_silent ? " silent" : "") +
                       " soft " + std::to_string(said->soft_after_ms);
    for (const core::RoleMinimum& role : said->roles) {
        text += " " + role.role + ":" + std::to_string(role.count);
    }
    return text + "\n" +
           (said->problem.empty() ? "" : "    problem: " + told_text(said->problem) + "\n") +
           (said->warning.empty() ? "" : "    warning: " + told_text(said->warning) + "\n");
}

std::string told(const gang::yunikorn::TaskGroups& said) {
    std::string text = said.problem.empty() ? "" : "  problem: " + told_text(said.problem) + "\n";
    for (const gang::yunikorn::TaskGroup& group : said.groups) {
        text += "  " + told_text(group.name) + " " + std::to_string(group.members) + " " +
                tests::told_ask(group.requests, group.constraints) +
                tests::told_lines("unread", group.unread);
    }
    return text + tests::told_lines("says", gang::yunikorn::unread_fields(said));
}

core::Pod of_application(std::string id) {
    core::Pod pod = tests::pod("p", 1'000, 1'024);
    pod.labels = {{"yunikorn.apache.org/app-id", std::move(id)}};
    pod.annotations = {{"yunikorn.apache.org/task-group-name", "w"}};
    return pod;
}

}  // namespace memberships

}  // namespace

TEST_CASE("membership: what pods say of their groups, in all dialects") {
    using namespace memberships;
    Walk walk(7);
    std::string text;
    for (int i = 0; i < 320; ++i) {
        const core::Pod pod = draw(walk);
        text += "labels " + tests::told_map(pod.labels) + " annotations " +
                tests::told_map(pod.annotations) +
                (pod.pod_group ? " group " + told_text(*pod.pod_group) : "") +
                (pod.owners.empty() ? ""
                                    : " of " + pod.owners.front().kind +
                                          (pod.owners.front().controller ? "!" : "")) +
                "\n  " + told(gang::read_membership(pod));
        if (const auto client = gang::read_client_mode(pod)) {
            text += "  as an executor " + told(client);
        }
        text += "  role " + told_text(gang::role_in_group(pod)) + "\n";
    }
    tests::check_transcript("gang/declare/transcripts/memberships", text);
}

TEST_CASE("membership: the kinds of groups, and the keys that name an object") {
    using namespace memberships;
    CHECK(gang::kind_of(gang::GroupDialect::kubernetes) == "podgroups.scheduling.k8s.io");
    CHECK(gang::kind_of(gang::GroupDialect::coscheduling) == "podgroups.scheduling.x-k8s.io");
    CHECK(gang::kind_of(gang::GroupDialect::volcano) == "podgroups.scheduling.volcano.sh");
    CHECK(gang::kind_of(gang::GroupDialect::labels).empty());
    std::vector<std::string> named;
    std::copy_if(keys.begin(), keys.end(), std::back_inserter(named), [](const auto& key) {
        return gang::names_object(key);
    });
    CHECK(
        named == std::vector<std::string>{
                     "scheduling.x-k8s.io/pod-group",
                     "pod-group.scheduling.sigs.k8s.io",
                     "scheduling.volcano.sh/group-name",
                     "scheduling.k8s.io/group-name"});
}

TEST_CASE("membership: an application and another group are told of, the group counts") {
    using namespace memberships;
    core::Pod pod = of_application("app");
    pod.labels.emplace_back("z", "");
    pod.labels.insert(pod.labels.begin(), {"scheduling.x-k8s.io/pod-group", "g"});
    const auto said = gang::read_membership(pod);
    REQUIRE(said);
    CHECK(said->name == "g");
    CHECK(said->warning.find("is of application app") != std::string::npos);
    CHECK(said->warning.find("names pod group g: the latter counts") != std::string::npos);
    // Behind what else there is to say, and before what comes later.
    pod.annotations.insert(
        pod.annotations.begin(), {"armadaproject.io/gangNodeUniformityLabel", "zone"});
    pod.annotations.insert(pod.annotations.begin() + 1, {"scheduling.k8s.io/group-name", "other"});
    const std::string all = gang::read_membership(pod)->warning;
    CHECK(all.starts_with("annotation scheduling.k8s.io/group-name names pod group other"));
    CHECK(
        all.find("; annotation yunikorn.apache.org/task-group-name is of application app") !=
        std::string::npos);
    CHECK(
        all.find("; annotation armadaproject.io/gangNodeUniformityLabel is not read") !=
        std::string::npos);
}

TEST_CASE("membership: the id of an application is at most 253 bytes long") {
    using namespace memberships;
    const std::string longest(253, 'a');
    CHECK(gang::yunikorn::application_of(of_application(longest)) == longest);
    CHECK(gang::yunikorn::application_of(of_application(longest + "a")).empty());
    CHECK(gang::yunikorn::application_of(of_application("")).empty());
    // What cannot be one gives way to the next place that has one.
    core::Pod pod = of_application(longest + "a");
    pod.annotations.emplace_back("yunikorn.apache.org/zzz", "");
    pod.labels.insert(pod.labels.begin(), {"applicationId", "old"});
    CHECK(gang::yunikorn::application_of(pod) == "old");
    pod.annotations.insert(pod.annotations.begin(), {"yunikorn.apache.org/app-id", "new"});
    CHECK(gang::yunikorn::application_of(pod) == "new");
}

TEST_CASE("membership: a group of Volcano's words and its own list of roles, sorted by name") {
    using namespace memberships;
    core::Pod pod = of_application("app");
    pod.annotations = {
        {"yunikorn.apache.org/task-groups",
         "task groups\ngroup w 3\ngroup d 1\ngroup x 5\ngroup a 7\n"}};
    const auto said = gang::read_membership(pod);
    REQUIRE(said);
    CHECK(said->minimum == 16);
    CHECK(said->roles == std::vector<core::RoleMinimum>{{"a", 7}, {"d", 1}, {"w", 3}, {"x", 5}});
    CHECK(said->problem.empty());
    CHECK(said->warning.empty());
    CHECK_FALSE(said->is_silent);
    pod.annotations = {{"yunikorn.apache.org/task-group-name", "w"}, pod.annotations.front()};
    CHECK(gang::read_membership(pod)->problem.empty());
    pod.annotations.front().second = "nobody";
    CHECK(gang::read_membership(pod)->problem.find("is not in the list") != std::string::npos);
}

TEST_CASE(
    "membership: how an application is waited for is of its groups, and what is not understood is "
    "told") {
    using namespace memberships;
    core::Pod pod = of_application("app");
    pod.annotations = {
        {"yunikorn.apache.org/schedulingPolicyParameters", "x=y gangSchedulingStyle=Soft"},
        {"yunikorn.apache.org/task-groups",
         "task groups\ngroup w 3\nunread nodeAffinity\nunread z\n"}};
    const auto said = gang::read_membership(pod);
    REQUIRE(said);
    CHECK(said->soft_after_ms == 900'000);
    CHECK(said->warning.starts_with(
        "annotation yunikorn.apache.org/schedulingPolicyParameters: \"x=y\" is neither"));
    CHECK(
        said->warning.find(
            "; annotation yunikorn.apache.org/task-groups: nodeAffinity of task group") !=
        std::string::npos);
    CHECK(
        said->warning.find("; annotation yunikorn.apache.org/task-groups: z of task group") !=
        std::string::npos);
    pod.annotations.front().second = "gangSchedulingStyle=Hard";
    CHECK(gang::read_membership(pod)->soft_after_ms == 0);
    CHECK(gang::read_membership(pod)->warning.starts_with(
        "annotation yunikorn.apache.org/task-groups: nodeAffinity"));
}

TEST_CASE("task groups: every line that a list may have, and those that it may not") {
    using namespace memberships;
    const std::string begin = "task groups\ngroup a 2\n";
    std::string text;
    for (const std::string& lines : std::vector<std::string>{
             "",
             "task groups",
             "task groups\n",
             "task groups\n\n",
             "task group\ngroup a 1\n",
             begin,
             begin + "\n",
             begin + "group",
             begin + "group b",
             begin + "group b 1",
             begin + "group b 1 2",
             begin + "group a 1",
             "task groups\ngroup  1",
             "task groups\ngroup a 0",
             "task groups\ngroup a -1",
             "task groups\ngroup a x",
             "task groups\ngroup a ",
             "task groups\ngroup a 1x",
             "task groups\ngroup a 1000000000",
             "task groups\ngroup a 1000000001",
             "task groups\ngroup a 99999999999999999999",
             "task groups\nrequest cpu 1",
             "task groups\nunread x",
             "task groups\nerror why it is so",
             "task groups\nselect a b",
             begin + "error why it is so",
             begin + "error",
             begin + "error x\nrequest cpu x",
             begin + "request cpu 2",
             begin + "request cpu 2\nrequest memory 1Gi\nrequest a/b 3",
             begin + "request cpu x",
             begin + "request cpu -1",
             begin + "request cpu",
             begin + "request cpu 1 2",
             begin + "request",
             begin + "select disk ssd",
             begin + "select disk",
             begin + "select disk ssd hdd",
             begin + "select disk ssd\nselect a b",
             begin + "select -x ssd",
             begin + "select disk s/s",
             begin + "select -x s/s",
             begin + "select disk ",
             begin + "tolerate k Exists  NoSchedule",
             begin + "tolerate k Equal v NoExecute",
             begin + "tolerate k  v PreferNoSchedule",
             begin + "tolerate k Exists  ",
             begin + "tolerate k Exist  NoSchedule",
             begin + "tolerate k Exists  NoSched",
             begin + "tolerate k Exist v ",
             begin + "tolerate k Exists NoSchedule",
             begin + "tolerate k Exists  NoSchedule x",
             begin + "tolerate  Exists  ",
             begin + "unread nodeAffinity",
             begin + "unread",
             begin + "unread a b c\nunread d",
             begin + "other",
             begin + "other x y",
             begin + " ",
             begin + "group b 1\nrequest cpu 1\nunread x\nselect z 1\nselect y 2\nselect x 3"}) {
        text += told_text(lines) + "\n" + told(gang::yunikorn::read_task_groups(lines));
    }
    for (const int count : {100, 101}) {
        std::string lines = "task groups\n";
        for (int i = 0; i < count; ++i) {
            lines += "group g" + std::to_string(i) + " 1\n";
        }
        const auto said = gang::yunikorn::read_task_groups(lines);
        text += std::to_string(count) + ": " + std::to_string(said.groups.size()) + " " +
                said.problem + "\n";
    }
    tests::check_transcript("gang/declare/transcripts/task_groups", text);
}

TEST_CASE("task groups: the style and its timeout, on both sides of what is understood") {
    using namespace memberships;
    std::string text;
    for (const char* parameters :
         {"",
          " ",
          "gangSchedulingStyle=Soft",
          "gangSchedulingStyle=Hard",
          "gangSchedulingStyle=soft",
          "gangSchedulingStyle",
          "gangSchedulingStyle=",
          "placeholderTimeoutInSeconds=1 gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds=0 gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds=-1 gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds=100000000 gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds=100000001 gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds=1x gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds= gangSchedulingStyle=Soft",
          "placeholderTimeoutInSeconds=60",
          "placeholderTimeoutInSeconds=60  gangSchedulingStyle=Soft",
          "gangSchedulingStyle=Soft gangSchedulingStyle=Hard",
          "gangSchedulingStyle=Hard gangSchedulingStyle=Soft",
          "a=b c=d",
          "gangSchedulingStyle=Soft x",
          "other=30",
          "other=Soft",
          "placeholderTimeoutInSeconds=Soft",
          "gangSchedulingStyle=30"}) {
        const gang::yunikorn::Style style = gang::yunikorn::read_style(parameters);
        text += told_text(parameters) + " " + std::to_string(style.soft_after_ms) + " " +
                told_text(style.warning) + "\n";
    }
    tests::check_transcript("gang/declare/transcripts/styles", text);
    core::Pod pod = of_application("app");
    CHECK(gang::yunikorn::style_of(pod) == gang::yunikorn::Style{});
    pod.annotations.insert(
        pod.annotations.begin(),
        {"yunikorn.apache.org/schedulingPolicyParameters", "gangSchedulingStyle=Soft"});
    CHECK(gang::yunikorn::style_of(pod).soft_after_ms == 900'000);
}
