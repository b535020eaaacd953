#include "rig.hpp"

using rig::json;
using rig::Server;

namespace {

std::string uid(const Server& server, const std::string& name) {
    auto& mutable_server = const_cast<Server&>(server);
    return mutable_server.get(server.pods + "/" + name).body.text({"metadata", "uid"});
}

std::string condition(const k8s::embedded::Json& pod, const std::string& type) {
    const auto conditions = rig::at(pod, {"status", "conditions"});
    for (const auto& one : conditions.items()) {
        if (one.text({"type"}) == type) {
            return one.text({"status"});
        }
    }
    return "none";
}

}  // namespace

TEST_CASE("binding: node, annotations, labels and the condition come in one write") {
    Server server;
    const auto made = server.pod("one", R"("annotations":{"keep":"1","over":"old"})");
    const auto bound = server.bind(
        "one",
        "n-1",
        R"({"name":"one","annotations":{"over":"new","gang-scheduler/slot":"s"},"labels":{"l":"v"}})");
    CHECK(bound.status == 201);
    CHECK(bound.body == json(R"({"kind":"Status","apiVersion":"v1","metadata":{},
        "status":"Success","code":201})"));
    const auto pod = server.get(server.pods + "/one").body;
    CHECK(pod.text({"spec", "nodeName"}) == "n-1");
    CHECK(pod.text({"metadata", "annotations", "keep"}) == "1");
    CHECK(pod.text({"metadata", "annotations", "over"}) == "new");
    CHECK(pod.text({"metadata", "annotations", "gang-scheduler/slot"}) == "s");
    CHECK(pod.text({"metadata", "labels", "l"}) == "v");
    CHECK(condition(pod, "PodScheduled") == "True");
    CHECK(std::stoi(pod.text({"metadata", "resourceVersion"})) == std::stoi(made.version()) + 1);
}

TEST_CASE("binding: uid and resourceVersion are preconditions") {
    Server server;
    const auto made = server.pod("one");
    const auto other = server.bind("one", "n", R"({"uid":"other"})");
    CHECK(other.status == 409);
    CHECK(other.body.text({"reason"}) == "Conflict");
    CHECK(
        other.message() ==
        "Operation cannot be fulfilled on pods \"one\": StorageError: invalid object, Code: 4, "
        "Key: "
        "/registry/pods/default/one, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: "
        "UID in precondition: other, UID in object meta: " +
            uid(server, "one"));
    // A leader that writes a condition fences off every bind that was decided before.
    server.merge(server.pods + "/one/status", R"({"status":{"message":"epoch 2"}})");
    const auto fenced =
        server.bind("one", "n", R"({"resourceVersion":")" + made.version() + R"("})");
    CHECK(fenced.status == 409);
    CHECK(fenced.message().find("StorageError: invalid object, Code: 4") != std::string::npos);
    CHECK(server.bind("one", "n", R"({"uid":")" + uid(server, "one") + R"("})").status == 201);
}

TEST_CASE("binding: assigned, gated, deleted and absent pods are refused") {
    Server server;
    server.pod("one");
    REQUIRE(server.bind("one", "n-1").status == 201);
    for (const auto* node : {"n-1", "n-2"}) {
        const auto again = server.bind("one", node);
        CHECK(again.status == 409);
        CHECK(
            again.message() ==
            "Operation cannot be fulfilled on pods/binding \"one\": pod one is "
            "already assigned to node \"n-1\"");
    }
    server.post(server.pods, R"({"metadata":{"name":"gated"},
        "spec":{"schedulingGates":[{"name":"g"}],"containers":[{"name":"c","image":"x"}]}})");
    CHECK(
        server.bind("gated", "n").message().find("has non-empty .spec.schedulingGates") !=
        std::string::npos);
    server.pod("held", R"("finalizers":["x.io/y"])");
    server.remove(server.pods + "/held");
    CHECK(server.bind("held", "n").message().find("is being deleted") != std::string::npos);
    const auto absent = server.bind("none", "n");
    CHECK(absent.status == 404);
    CHECK(absent.message() == "pods \"none\" not found");
}

TEST_CASE("binding: a body that means nothing") {
    Server server;
    server.pod("one");
    const auto binding = server.pods + "/one/binding";
    CHECK(
        server.post(binding, R"({"metadata":{"name":"two"},"target":{"name":"n"}})").status == 400);
    CHECK(server.post(binding, R"({"target":{"name":"n"}})").status == 400);
    CHECK(server.bind("one", "").status == 500);
    CHECK(
        server
            .post(
                binding,
                R"({"metadata":{"name":"one"},"target":{"kind":"Rack","name":"n"}})")
            .status == 500);
    CHECK(server.get(binding).status == 405);
    CHECK(server.get(server.pods + "/one").body.text({"spec", "nodeName"}).empty());
}

TEST_CASE("delete: an unbound pod goes at once, a bound one waits for its kubelet") {
    Server server;
    server.pod("free");
    const auto gone = server.remove(server.pods + "/free");
    CHECK(gone.status == 200);
    CHECK(gone.body.text({"kind"}) == "Pod");
    CHECK(server.get(server.pods + "/free").status == 404);

    server.pod("bound");
    server.bind("bound", "n");
    const auto marked = server.remove(server.pods + "/bound", R"({"gracePeriodSeconds":10})").body;
    CHECK(marked.text({"metadata", "deletionTimestamp"}) == "2027-01-15T08:00:10Z");
    CHECK(rig::at(marked, {"metadata", "deletionGracePeriodSeconds"}).as_int() == 10);
    const auto version = server.get(server.pods + "/bound").version();
    server.remove(server.pods + "/bound");
    CHECK(server.get(server.pods + "/bound").version() == version);
    server.merge(server.pods + "/bound/status", R"({"status":{"phase":"Running"}})");
    CHECK(server.remove(server.pods + "/bound", R"({"gracePeriodSeconds":0})").status == 200);
    CHECK(server.get(server.pods + "/bound").status == 404);
}

TEST_CASE("delete: a pod that has ended needs no kubelet") {
    Server server;
    server.pod("done");
    server.bind("done", "n");
    server.merge(server.pods + "/done/status", R"({"status":{"phase":"Succeeded"}})");
    server.remove(server.pods + "/done");
    CHECK(server.get(server.pods + "/done").status == 404);
}

TEST_CASE("eviction: deletes, unless a budget is used up") {
    Server server;
    server.pod("one", R"("labels":{"app":"a"})");
    server.bind("one", "n");
    server.merge(server.pods + "/one/status", R"({"status":{"phase":"Running"}})");
    const std::string budgets = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
    server.post(
        budgets, R"({"metadata":{"name":"b"},"spec":{"selector":{"matchLabels":{"app":"a"}}}})");
    const std::string body =
        R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"one"}})";
    CHECK(server.post(server.pods + "/one/eviction", body).status == 429);
    server.merge(budgets + "/b/status", R"({"status":{"disruptionsAllowed":1}})");
    CHECK(server.post(server.pods + "/one/eviction", body).status == 201);
    CHECK_FALSE(
        server.get(server.pods + "/one").body.text({"metadata", "deletionTimestamp"}).empty());
    // One who ends already is no disruption more, another one is.
    CHECK(server.post(server.pods + "/one/eviction", body).status == 201);
    server.pod("two", R"("labels":{"app":"a"})");
    server.bind("two", "n");
    server.merge(server.pods + "/two/status", R"({"status":{"phase":"Running"}})");
    CHECK(
        server
            .post(
                server.pods + "/two/eviction",
                R"({"kind":"Eviction","apiVersion":"policy/v1","metadata":{"name":"two"}})")
            .status == 429);
}

TEST_CASE("log: nothing to read, but only of pods that exist") {
    Server server;
    server.pod("one");
    CHECK(server.get(server.pods + "/one/log").status == 204);
    CHECK(server.get(server.pods + "/none/log").status == 404);
}
