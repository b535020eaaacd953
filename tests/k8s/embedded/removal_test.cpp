#include "k8s/embedded/api/removal.hpp"

#include "rig.hpp"

using rig::owned_by;
using rig::Server;

namespace {

std::string uid_of(const rig::Answer& answer) {
    return answer.body.text({"metadata", "uid"});
}

}  // namespace

TEST_CASE("garbage: dependents go with their owner, and theirs with them") {
    Server server;
    const auto owner = server.pod("owner");
    const auto child = server.pod("child", owned_by(uid_of(owner)));
    server.config_map("grandchild", owned_by(uid_of(child)));
    server.config_map("stranger");
    server.remove(server.pods + "/owner");
    CHECK(server.get(server.pods + "/child").status == 404);
    CHECK(server.get(server.maps + "/grandchild").status == 404);
    CHECK(server.get(server.maps + "/stranger").status == 200);
}

TEST_CASE("garbage: an object stays while one of its owners does") {
    Server server;
    const auto first = server.pod("first");
    const auto second = server.pod("second");
    server.config_map(
        "shared",
        R"("ownerReferences":[{"apiVersion":"v1","kind":"Pod","name":"first","uid":")" +
            uid_of(first) + R"("},{"apiVersion":"v1","kind":"Pod","name":"second","uid":")" +
            uid_of(second) + R"("}])");
    server.remove(server.pods + "/first");
    CHECK(server.get(server.maps + "/shared").status == 200);
    server.remove(server.pods + "/second");
    CHECK(server.get(server.maps + "/shared").status == 404);
}

TEST_CASE("garbage: an object born after its owner's end does not live") {
    Server server;
    const auto owner = server.pod("owner");
    server.remove(server.pods + "/owner");
    CHECK(server.config_map("late", owned_by(uid_of(owner))).status == 201);
    CHECK(server.get(server.maps + "/late").status == 404);
}

TEST_CASE("garbage: bound dependents get their grace") {
    Server server;
    const auto owner = server.pod("owner");
    server.pod("child", owned_by(uid_of(owner)));
    server.bind("child", "n");
    server.remove(server.pods + "/owner");
    CHECK_FALSE(
        server.get(server.pods + "/child").body.text({"metadata", "deletionTimestamp"}).empty());
}

TEST_CASE("garbage: orphans lose the reference and stay") {
    Server server;
    const auto owner = server.pod("owner");
    server.config_map("child", owned_by(uid_of(owner)));
    server.remove(server.pods + "/owner?propagationPolicy=Orphan");
    const auto child = server.get(server.maps + "/child");
    CHECK(child.status == 200);
    CHECK(child.body.find_path({"metadata", "ownerReferences"}) == nullptr);
}

TEST_CASE("garbage: in the foreground the owner goes last") {
    Server server;
    const auto owner = server.config_map("owner");
    server.pod("child", owned_by(uid_of(owner)));
    server.bind("child", "n");
    const auto answer =
        server.remove(server.maps + "/owner", R"({"propagationPolicy":"Foreground"})");
    CHECK(answer.body.text({"kind"}) == "ConfigMap");
    CHECK(server.get(server.maps + "/owner").status == 200);
    CHECK(server.get(server.pods + "/child").status == 200);
    server.remove(server.pods + "/child", R"({"gracePeriodSeconds":0})");
    CHECK(server.get(server.pods + "/child").status == 404);
    CHECK(server.get(server.maps + "/owner").status == 404);
}

TEST_CASE("garbage: with a deferred collector the answer comes first") {
    std::vector<std::function<void()>> posted;
    k8s::embedded::ApiServer api(
        {.limits = {}, .now_ms = {}, .defer = [&](std::function<void()> work) {
             posted.push_back(std::move(work));
         }});
    const std::string maps = "/api/v1/namespaces/default/configmaps";
    k8s::embedded::Request request{"POST", maps};
    request.body = R"({"metadata":{"name":"late",)" + owned_by("absent") + "}}";
    CHECK(api.handle(request).status == 201);
    CHECK(api.handle({"GET", maps + "/late"}).status == 200);
    REQUIRE(posted.size() == 1);
    posted[0]();
    CHECK(api.handle({"GET", maps + "/late"}).status == 404);
}

TEST_CASE("finalizers: an object waits for the last of them") {
    Server server;
    server.config_map("held", R"("finalizers":["a.io/x","b.io/y"])");
    const auto marked = server.remove(server.maps + "/held");
    CHECK_FALSE(marked.body.text({"metadata", "deletionTimestamp"}).empty());
    const auto more =
        server.merge(server.maps + "/held", R"({"metadata":{"finalizers":["a.io/x","c.io/z"]}})");
    CHECK(more.status == 422);
    CHECK(
        server.merge(server.maps + "/held", R"({"metadata":{"finalizers":["a.io/x"]}})").status ==
        200);
    CHECK(server.get(server.maps + "/held").status == 200);
    server.merge(server.maps + "/held", R"({"metadata":{"finalizers":null}})");
    CHECK(server.get(server.maps + "/held").status == 404);
}

TEST_CASE("delete: preconditions, answers and refusals") {
    Server server;
    const auto made = server.config_map("cm");
    const auto wrong = server.remove(server.maps + "/cm", R"({"preconditions":{"uid":"other"}})");
    CHECK(wrong.status == 409);
    CHECK(
        wrong.message().find("the UID in the precondition (other) does not match") !=
        std::string::npos);
    CHECK(server.remove(server.maps + "/cm?propagationPolicy=Sideways").status == 422);
    const auto gone = server.remove(
        server.maps + "/cm", R"({"preconditions":{"uid":")" + uid_of(made) + R"("}})");
    CHECK(gone.status == 200);
    CHECK(gone.body.text({"status"}) == "Success");
    CHECK(gone.body.text({"details", "uid"}) == uid_of(made));
    const auto again = server.remove(server.maps + "/cm");
    CHECK(again.status == 404);
    CHECK(again.message() == "configmaps \"cm\" not found");
}

TEST_CASE("delete: a collection by selector, as Spark's driver ends") {
    Server server;
    server.pod("a", R"("labels":{"app":"x"})");
    server.pod("b", R"("labels":{"app":"x"})");
    server.pod("c", R"("labels":{"app":"y"})");
    const auto answer = server.remove(
        server.pods + "?labelSelector=app%3Dx",
        R"({"apiVersion":"v1","kind":"DeleteOptions","propagationPolicy":"Background"})");
    CHECK(answer.status == 200);
    CHECK(answer.body.text({"kind"}) == "PodList");
    CHECK(rig::at(answer.body, {"items"}).items().size() == 2);
    CHECK(rig::at(server.get(server.pods).body, {"items"}).items().size() == 1);
}

TEST_CASE("namespace: those that came with the cluster stay") {
    Server server;
    const auto answer = server.remove("/api/v1/namespaces/default");
    CHECK(answer.status == 403);
    CHECK(
        answer.message() ==
        "namespaces \"default\" is forbidden: this namespace may not be deleted");
}

TEST_CASE("namespace: takes its contents with it, and takes in nothing while it goes") {
    Server server;
    REQUIRE(server.post("/api/v1/namespaces", R"({"metadata":{"name":"nn"}})").status == 201);
    CHECK(server.get("/api/v1/namespaces/nn/serviceaccounts/default").status == 200);
    const std::string pods = "/api/v1/namespaces/nn/pods";
    const std::string pod =
        R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x"}]}})";
    server.post(pods, pod);
    server.post(pods + "/p/binding", R"({"metadata":{"name":"p"},"target":{"name":"n"}})");
    const auto marked = server.remove("/api/v1/namespaces/nn");
    CHECK(marked.body.text({"status", "phase"}) == "Terminating");
    const auto refused =
        server.post("/api/v1/namespaces/nn/configmaps", R"({"metadata":{"name":"a"}})");
    CHECK(refused.status == 403);
    CHECK(
        refused.message() ==
        "configmaps \"a\" is forbidden: unable to create new content in namespace nn because it is "
        "being terminated");
    CHECK(server.get("/api/v1/namespaces/nn/serviceaccounts/default").status == 404);
    CHECK(server.get("/api/v1/namespaces/nn").status == 200);
    server.remove(pods + "/p", R"({"gracePeriodSeconds":0})");
    CHECK(server.get("/api/v1/namespaces/nn").status == 404);
}
