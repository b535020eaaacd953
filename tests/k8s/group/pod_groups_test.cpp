// Objects of pod groups: what is read of them, and from which version of which API group.
#include "k8s/codec/group/codec_pod_group.hpp"
#include "k8s/group/pod_group_client.hpp"
#include "tests/k8s/fake_server.hpp"

#include <doctest/doctest.h>

#include <mutex>
#include <optional>
#include <string>
#include <vector>

using namespace k8s;
using core::GroupDialect;

namespace {

core::PodGroup decoded(GroupDialect dialect, const std::string& spec) {
    auto object =
        decode_pod_group(dialect, "g/v1", R"({"kind": "PodGroup", "spec": )" + spec + "}");
    REQUIRE(object);
    return object->group;
}

core::PodGroup native(const std::string& members) {
    return decoded(GroupDialect::kubernetes, "{" + members + "}");
}

/// Answers with what stands under the target, else 404.
struct Objects {
    std::mutex mutex;
    std::vector<std::pair<std::string, std::string>> objects;
    std::vector<std::string> asked;
    int status = 404;

    void handle(fake::Peer& peer, const fake::Request& request) {
        const std::lock_guard lock(mutex);
        asked.push_back(request.target);
        for (const auto& [target, body] : objects) {
            if (target == request.target) return peer.reply(200, body);
        }
        peer.reply(status, R"({"kind":"Status","message":"not here"})");
    }
};

PodGroupResult ask(fake::Server& server, GroupDialect dialect) {
    boost::asio::io_context io;
    PodGroupClient client(io, server.endpoint());
    std::optional<PodGroupResult> result;
    client.read({dialect, "etl", "g"}, [&](const PodGroupResult& answer) { result = answer; });
    CHECK_FALSE(result);  // never from inside the call
    fake::run_until(io, [&] { return result.has_value(); });
    client.stop();
    io.restart();
    io.run_for(std::chrono::seconds(1));
    return *result;
}

}  // namespace

TEST_CASE("codec_pod_group: minima of every kind") {
    CHECK(decoded(GroupDialect::coscheduling, R"({"minMember": 3})").min_members == 3);
    CHECK(decoded(GroupDialect::coscheduling, "{}").min_members == 1);
    const auto volcano = decoded(
        GroupDialect::volcano,
        R"({"minMember": 2, "minTaskMember": {"launcher": 1, "worker": 3, "x": 0}})");
    CHECK(volcano.min_members == 4);
    CHECK(volcano.roles == std::vector<core::RoleMinimum>{{"launcher", 1}, {"worker", 3}});
    const std::string gang = R"({"schedulingPolicy": {"gang": {"minCount": 5}}})";
    CHECK(decoded(GroupDialect::kubernetes, gang).min_members == 5);
    CHECK(
        decoded(GroupDialect::kubernetes, R"({"schedulingPolicy": {"basic": {}}})").min_members ==
        0);
}

TEST_CASE(
    "codec_pod_group: what makes no sense is the group's problem, what is no group an error") {
    CHECK(
        decoded(GroupDialect::coscheduling, R"({"minMember": -2})").problem ==
        "spec.minMember is -2: no number of pods");
    CHECK(
        decoded(GroupDialect::volcano, R"({"minTaskMember": {"a": -1}})").problem ==
        "spec.minTaskMember.a is to be a number of pods");
    const auto most = decoded(
        GroupDialect::volcano,
        R"({"minTaskMember": {"a": 9223372036854775807, "b": 9223372036854775807}})");
    CHECK(most.min_members == INT64_MAX);
    CHECK_FALSE(
        decoded(GroupDialect::kubernetes, R"({"schedulingPolicy": {"gang": {}}})").problem.empty());
    for (const char* policy : {R"({"gang": {"minCount": 2}})", R"({"basic": {}})"}) {
        CHECK(
            native(std::string(R"("parentCompositePodGroupName": "c", "schedulingPolicy": )") + policy)
                .problem == "it is a part of CompositePodGroup c (spec.parentCompositePodGroupName), "
                            "which is not supported");
    }
    for (const char* bad :
         {"[]", "{", R"({"kind": "Pod"})", R"({"kind": "PodGroup", "spec": {"minMember": "x"}})"}) {
        CAPTURE(bad);
        CHECK_FALSE(decode_pod_group(GroupDialect::coscheduling, "g/v1", bad));
    }
}

TEST_CASE("pod_group_client: the newest version that is there") {
    Objects objects;
    fake::Server server(
        [&](fake::Peer& peer, const fake::Request& request) { objects.handle(peer, request); });
    const std::string path = "/namespaces/etl/podgroups/g";
    objects.objects = {
        {"/apis/scheduling.k8s.io/v1alpha2" + path,
         R"({"kind":"PodGroup","spec":{"schedulingPolicy":{"gang":{"minCount":4}}}})"},
        {"/apis/scheduling.incubator.k8s.io/v1alpha1" + path,
         R"({"kind":"PodGroup","spec":{"minMember":6}})"}};
    const PodGroupResult native = ask(server, GroupDialect::kubernetes);
    CHECK(native.outcome == FetchOutcome::found);
    CHECK(native.group.min_members == 4);
    CHECK(
        objects.asked == std::vector<std::string>{
                             "/apis/scheduling.k8s.io/v1beta1" + path,
                             "/apis/scheduling.k8s.io/v1alpha3" + path,
                             "/apis/scheduling.k8s.io/v1alpha2" + path});
    CHECK(ask(server, GroupDialect::volcano).group.min_members == 6);
    const PodGroupResult none = ask(server, GroupDialect::coscheduling);
    CHECK(none.outcome == FetchOutcome::not_found);
    CHECK(none.message == "not here");
    SUBCASE("who is refused is not asked on") {
        objects.status = 403;
        objects.asked.clear();
        CHECK(ask(server, GroupDialect::volcano).outcome == FetchOutcome::forbidden);
        CHECK(objects.asked.size() == 1);
    }
    SUBCASE("what is no group") {
        objects.objects = {{"/apis/scheduling.x-k8s.io/v1alpha1" + path, "{}"}};
        CHECK(ask(server, GroupDialect::coscheduling).outcome == FetchOutcome::unreadable);
    }
}

TEST_CASE("codec_pod_group: minResources, queue and priority") {
    const auto volcano = decode_pod_group(
        GroupDialect::volcano,
        "scheduling.volcano.sh/v1beta1",
        R"({"kind": "PodGroup", "metadata": {"uid": "u"}, "spec": {"queue": "etl",)"
        R"("priorityClassName": "high", "minResources": {"cpu": "3", "memory": "2Gi",)"
        R"("nvidia.com/gpu": 2, "pods": 3, "count/pods": "3", "requests.cpu": "3",)"
        R"("limits.memory": "4Gi", "requests.nvidia.com/gpu": "2"}}})");
    REQUIRE(volcano);
    CHECK(volcano->uid == "u");
    CHECK(volcano->priority_class == "high");
    CHECK(volcano->group.queue == "etl");
    CHECK(volcano->group.min_resources.cpu_milli == 3000);
    CHECK(volcano->group.min_resources.memory_bytes == 2LL << 30);
    CHECK(
        volcano->group.min_resources.extended ==
        std::vector<core::ExtendedResource>{{"nvidia.com/gpu", 2}});
    CHECK(decoded(GroupDialect::coscheduling, R"({"queue": "etl"})").queue.empty());
    CHECK_FALSE(decode_pod_group(
        GroupDialect::volcano,
        "scheduling.volcano.sh/v1beta1",
        R"({"kind": "PodGroup", "spec": {"minResources": {"cpu": "-1"}}})"));
    CHECK(*decode_priority_class(R"({"kind": "PriorityClass", "value": -5})") == -5);
    CHECK_FALSE(decode_priority_class(R"({"value": "x"})"));
}

TEST_CASE("codec_pod_group: what Kubernetes' own groups ask beside their minimum") {
    CHECK(native(R"("priority": 7)").priority == 7);
    CHECK_FALSE(native("").priority);
    // As the API server completes a group that names no class, and one whose class is worth nothing.
    CHECK_FALSE(native(R"("priority": 0)").priority);
    CHECK(native(R"("priority": 0, "priorityClassName": "none")").priority == 0);
    CHECK(native(R"("preemptionPolicy": "Never")").never_preempts);
    CHECK_FALSE(native(R"("preemptionPolicy": "PreemptLowerPriority")").never_preempts);
    CHECK(native(R"("disruptionMode": {"all": {}})").goes_whole);
    CHECK_FALSE(native(R"("disruptionMode": {"single": {}})").goes_whole);
    CHECK(native(R"("disruptionMode": "PodGroup")").goes_whole);  // 1.36
    CHECK_FALSE(native(R"("disruptionMode": "Pod")").goes_whole);
    const std::string gang = R"("schedulingPolicy": {"gang": {"minCount": 2}}, )";
    const std::string zone = R"("schedulingConstraints": {"topology": [{"key": "zone"}]})";
    CHECK(native(gang + zone).topology_key == "zone");
    CHECK(native(gang + zone).problem.empty());
    CHECK(native(gang + R"("schedulingConstraints": {})").problem.empty());
    CHECK(
        native(R"("schedulingPolicy": {"basic": {}}, )" + zone).problem ==
        "spec.schedulingConstraints.topology is supported for gangs with a minCount from 2 on");
    CHECK(
        native(gang + R"("schedulingConstraints": {"topology": [{"key": "a"}, {"key": "b"}]})")
            .problem == "spec.schedulingConstraints.topology is to have one entry, with a key");
}

TEST_CASE("pod_group_client: a group's priority is that of its class, or nobody's") {
    Objects objects;
    fake::Server server(
        [&](fake::Peer& peer, const fake::Request& request) { objects.handle(peer, request); });
    objects.objects = {
        {"/apis/scheduling.volcano.sh/v1beta1/namespaces/etl/podgroups/g",
         R"({"kind":"PodGroup","metadata":{"uid":"u"},"spec":{"priorityClassName":"high"}})"},
        {"/apis/scheduling.k8s.io/v1/priorityclasses/high", R"({"value": 1000})"}};
    const PodGroupResult found = ask(server, GroupDialect::volcano);
    CHECK(found.outcome == FetchOutcome::found);
    CHECK(found.uid == "u");
    CHECK(found.api_version == "scheduling.volcano.sh/v1beta1");
    CHECK(found.group.priority == 1000);
    objects.objects.pop_back();
    CHECK_FALSE(ask(server, GroupDialect::volcano).group.priority);
}
