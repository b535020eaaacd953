#include "k8s/embedded/http/api_server.hpp"

#include "rig.hpp"

using namespace k8s::embedded;
using rig::json;
using rig::Lines;
using rig::Server;

TEST_CASE("create: uid, time, version and defaults are the server's") {
    Server server;
    const auto made =
        server.pod("one", R"("uid":"mine","creationTimestamp":"1999-01-01T00:00:00Z")");
    CHECK(made.status == 201);
    const auto& metadata = *made.body.find("metadata");
    CHECK(metadata.text({"uid"}).size() == 36);
    CHECK(metadata.text({"creationTimestamp"}) == "2027-01-15T08:00:00Z");
    CHECK(metadata.text({"namespace"}) == "default");
    CHECK(made.version() == std::to_string(server.api.store().revision()));
    CHECK(made.body.text({"status", "phase"}) == "Pending");
    CHECK(made.body.dump().rfind(R"({"kind":"Pod","apiVersion":"v1","metadata":)", 0) == 0);
    CHECK(server.get(server.pods + "/one").body == made.body);
}

TEST_CASE("create: generateName makes names that differ") {
    Server server;
    const auto make = [&] {
        return server.post(server.maps, R"({"metadata":{"generateName":"x-"}})")
            .body.text({"metadata", "name"});
    };
    const auto first = make();
    CHECK(first.size() == 7);
    CHECK(first.rfind("x-", 0) == 0);
    CHECK(make() != first);
}

TEST_CASE("create: refusals in the real server's words") {
    Server server;
    REQUIRE(server.config_map("cm").status == 201);
    const auto again = server.config_map("cm");
    CHECK(again.status == 409);
    CHECK(again.body == json(R"({"kind":"Status","apiVersion":"v1","metadata":{},
        "status":"Failure","message":"configmaps \"cm\" already exists","reason":"AlreadyExists",
        "details":{"name":"cm","kind":"configmaps"},"code":409})"));

    const auto nowhere =
        server.post("/api/v1/namespaces/nope/configmaps", R"({"metadata":{"name":"a"}})");
    CHECK(nowhere.status == 404);
    CHECK(nowhere.message() == "namespaces \"nope\" not found");

    const auto elsewhere =
        server.post(server.maps, R"({"metadata":{"name":"a","namespace":"kube-system"}})");
    CHECK(elsewhere.status == 400);
    CHECK(
        elsewhere.message() ==
        "the namespace of the provided object does not match the namespace sent on the request");

    const auto other_kind =
        server.post(server.maps, R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"}})");
    CHECK(other_kind.status == 400);
    CHECK(server.post(server.maps, R"({"metadata":{}})").status == 422);
    CHECK(
        server.post(server.maps, R"({"metadata":{"name":"a","resourceVersion":"1"}})").status ==
        500);
}

TEST_CASE("unknown things get a Status with the right code") {
    Server server;
    struct Case {
        std::string method;
        std::string target;
        int code;
    };
    for (const auto& one : std::vector<Case>{
             {"GET", "/", 404},
             {"GET", "/api/v1/nothings", 404},
             {"GET", "/api/v1/pods/one", 404},
             {"GET", server.pods + "/none", 404},
             {"GET", server.pods + "/none/exec", 404},
             {"GET", server.pods + "/a/b/c/d", 404},
             {"GET", "/api/v1/namespaces/default/nodes", 404},
             {"PUT", server.pods, 405},
             {"PATCH", server.pods, 405},
             {"POST", server.pods + "/one", 405},
             {"BREW", server.pods, 405},
             {"GET", "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", 405},
             {"GET", server.pods + "?limit=x", 400},
             {"GET", server.pods + "?continue=x", 400},
             {"GET", server.pods + "?labelSelector=a%20b", 400},
             {"GET", server.pods + "?resourceVersion=99999", 504},
             {"GET", server.pods + "?watch=1&resourceVersion=99999", 504}}) {
        CAPTURE(one.method);
        CAPTURE(one.target);
        const auto answer = server.call(one.method, one.target);
        CHECK(answer.status == one.code);
        CHECK(answer.body.text({"kind"}) == "Status");
        CHECK(rig::at(answer.body, {"code"}).as_int() == one.code);
    }
    // Outside the groups that exist the router answers, in plain text.
    for (const auto* target : {"/nothing", "/apis/no.group/v1/pods"}) {
        const auto answer = server.get(target);
        CHECK(answer.status == 404);
        CHECK(answer.body.as_string() == "404 page not found\n");
    }
    CHECK(server.call("POST", server.pods, "x", "text/plain").status == 415);
    CHECK(server.call("PATCH", server.pods + "/x", "{}", "application/json").status == 415);
    CHECK(server.post(server.pods, "{").status == 400);
    CHECK(server.post(server.pods, "[]").status == 400);
    Request request{"GET", server.pods};
    request.accept = "text/html";
    CHECK(server.api.handle(request).status == 406);
}

TEST_CASE("health and version answer without objects") {
    Server server;
    for (const auto* path : {"/livez", "/readyz?verbose", "/healthz"}) {
        CHECK(server.api.handle(Request{"GET", path}).body == "ok");
    }
    CHECK_FALSE(server.get("/version").body.text({"gitVersion"}).empty());
}

TEST_CASE("update: an old resourceVersion is a conflict, none is unconditional") {
    Server server;
    const auto first = server.config_map("cm");
    Json body = first.body;
    body["data"].set("k", "w");
    const auto second = server.call("PUT", server.maps + "/cm", body.dump());
    CHECK(second.status == 200);
    CHECK(second.body.text({"data", "k"}) == "w");
    const auto late = server.call("PUT", server.maps + "/cm", body.dump());
    CHECK(late.status == 409);
    CHECK(
        late.message() ==
        "Operation cannot be fulfilled on configmaps \"cm\": the object has been modified; please "
        "apply your changes to the latest version and try again");
    body["metadata"].erase("resourceVersion");
    CHECK(server.call("PUT", server.maps + "/cm", body.dump()).status == 200);
    body["metadata"].set("uid", "other");
    CHECK(server.call("PUT", server.maps + "/cm", body.dump()).status == 409);
    body["metadata"].erase("uid");
    CHECK(server.call("PUT", server.maps + "/other", body.dump()).status == 400);
    body["metadata"].set("name", "other");
    CHECK(server.call("PUT", server.maps + "/other", body.dump()).status == 404);
}

TEST_CASE("update: a write that changes nothing moves nothing") {
    Server server;
    const auto made = server.config_map("cm", R"("labels":{"a":"b"})");
    const auto revision = server.api.store().revision();
    CHECK(
        server.merge(server.maps + "/cm", R"({"metadata":{"labels":{"a":"b"}}})").version() ==
        made.version());
    CHECK(server.call("PUT", server.maps + "/cm", made.body.dump()).version() == made.version());
    CHECK(server.api.store().revision() == revision);
}

TEST_CASE("update: leases are made by PUT and need a version afterwards") {
    Server server;
    const std::string lease = "/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/l";
    const std::string body = R"({"metadata":{"name":"l"},"spec":{"holderIdentity":"a"}})";
    CHECK(server.call("PUT", lease, body).status == 201);
    CHECK(server.call("PUT", lease, body).status == 422);
}

TEST_CASE("status: each half of an object changes by its own path only") {
    Server server;
    server.post("/api/v1/nodes", R"({"metadata":{"name":"n"},"spec":{"podCIDR":"10.0.0.0/24"}})");
    server.merge("/api/v1/nodes/n", R"({"spec":{"unschedulable":true},"status":{"phase":"x"}})");
    server.merge(
        "/api/v1/nodes/n/status",
        R"({"metadata":{"annotations":{"a":"b"}},"spec":{"unschedulable":false},
            "status":{"capacity":{"cpu":"4"}}})");
    const auto node = server.get("/api/v1/nodes/n").body;
    CHECK(rig::at(node, {"spec", "unschedulable"}).as_bool());
    CHECK(node.text({"status", "capacity", "cpu"}) == "4");
    CHECK(node.find_path({"status", "phase"}) == nullptr);
    CHECK(node.text({"metadata", "annotations", "a"}) == "b");
}

TEST_CASE("patch: uid and version in the body are preconditions") {
    Server server;
    const auto made = server.pod("one");
    CHECK(
        server
            .merge(server.pods + "/one/status", R"({"metadata":{"resourceVersion":"1"},
        "status":{"message":"x"}})")
            .status == 409);
    CHECK(server.merge(server.pods + "/one", R"({"metadata":{"uid":"x"}})").status == 422);
    const auto good = server.merge(
        server.pods + "/one/status",
        R"({"metadata":{"resourceVersion":")" + made.version() +
            R"(","annotations":{"a":"b"}},"status":{"conditions":[{"type":"PodScheduled",
               "status":"False","reason":"Unschedulable","message":"0/3 nodes"}]}})");
    CHECK(good.status == 200);
    CHECK(good.body.text({"metadata", "annotations", "a"}) == "b");
    CHECK(good.version() != made.version());
    CHECK(server.merge(server.pods + "/none", "{}").status == 404);
}

TEST_CASE("dry run: all is checked, nothing is kept") {
    Server server;
    const auto revision = server.api.store().revision();
    CHECK(
        server
            .post(
                server.pods + "?dryRun=All",
                R"({"metadata":{"name":"p"},"spec":{"containers":[{"name":"c","image":"x"}]}})")
            .status == 201);
    CHECK(server.api.store().revision() == revision);
    CHECK(server.post(server.pods + "?dryRun=None", "{}").status == 422);
    server.pod("p");
    const auto before = server.get(server.pods + "/p").body;
    server.merge(server.pods + "/p?dryRun=All", R"({"metadata":{"labels":{"x":"y"}}})");
    server.remove(server.pods + "/p?dryRun=All");
    server.post(
        server.pods + "/p/binding?dryRun=All",
        R"({"metadata":{"name":"p"},"target":{"name":"n"}})");
    CHECK(server.get(server.pods + "/p").body == before);
}

TEST_CASE("list: items carry no kind, pages follow each other, an old page is gone") {
    Server server(Limits{3});
    for (const auto* name : {"a", "b", "c"}) {
        server.config_map(name);
    }
    const auto first = server.get(server.maps + "?limit=2").body;
    CHECK(first.text({"kind"}) == "ConfigMapList");
    CHECK(rig::at(first, {"items"}).items().size() == 2);
    CHECK(rig::item(rig::at(first, {"items"}), 0).find("kind") == nullptr);
    CHECK(rig::item(rig::at(first, {"items"}), 0).text({"metadata", "name"}) == "a");
    CHECK(rig::at(first, {"metadata", "remainingItemCount"}).as_int() == 1);
    const auto rest = server.maps + "?limit=2&continue=" + first.text({"metadata", "continue"});
    server.config_map("d");
    const auto second = server.get(rest).body;
    REQUIRE(rig::at(second, {"items"}).items().size() == 1);
    CHECK(
        second.text({"metadata", "resourceVersion"}) ==
        first.text({"metadata", "resourceVersion"}));
    CHECK(second.find_path({"metadata", "continue"}) == nullptr);
    for (const auto* name : {"e", "f", "g"}) {
        server.config_map(name);
    }
    const auto late = server.get(rest);
    CHECK(late.status == 410);
    CHECK(late.body.text({"reason"}) == "Expired");
}

TEST_CASE("list: resourceVersionMatch Exact shows the past") {
    Server server;
    const auto version = server.config_map("a").version();
    server.config_map("b");
    const auto at = server.maps + "?resourceVersion=" + version;
    CHECK(
        rig::at(server.get(at + "&resourceVersionMatch=Exact").body, {"items"}).items().size() ==
        1);
    CHECK(
        rig::at(server.get(at + "&resourceVersionMatch=NotOlderThan").body, {"items"})
            .items()
            .size() == 2);
    CHECK(rig::at(server.get(at).body, {"items"}).items().size() == 2);
    CHECK(server.get(at + "&resourceVersionMatch=Never").status == 422);
}

TEST_CASE("watch: without a version it begins with what is there") {
    Server server;
    server.config_map("a");
    const auto watch = server.watch(server.maps + "?watch=true&resourceVersion=0");
    CHECK(rig::events(*watch) == Lines{"ADDED a"});
    server.config_map("b");
    server.merge(server.maps + "/a", R"({"data":{"k":"w"}})");
    server.remove(server.maps + "/b");
    CHECK(rig::events(*watch) == Lines{"ADDED b", "MODIFIED a", "DELETED b"});
    CHECK_FALSE(watch->bookmark());
}

TEST_CASE("watch: from a version it begins with the changes since then") {
    Server server;
    const auto version = server.config_map("a").version();
    server.config_map("b");
    const auto watch = server.watch(
        server.maps +
        "?watch=1&allowWatchBookmarks=true&timeoutSeconds=7&resourceVersion=" + version);
    CHECK(watch->timeout_s() == 7);
    CHECK(rig::events(*watch) == Lines{"ADDED b"});
    const auto bookmark = json(*watch->bookmark());
    CHECK(bookmark.text({"type"}) == "BOOKMARK");
    CHECK(bookmark.text({"object", "kind"}) == "ConfigMap");
    CHECK(
        bookmark.text({"object", "metadata", "resourceVersion"}) ==
        std::to_string(server.api.store().revision()));
}

TEST_CASE("watch: sendInitialEvents ends its list with a marked bookmark") {
    Server server;
    server.config_map("a");
    const std::string target =
        server.maps + "?watch=1&sendInitialEvents=true&allowWatchBookmarks=true";
    CHECK(server.get(target).status == 422);
    const auto watch = server.watch(target + "&resourceVersionMatch=NotOlderThan");
    CHECK(json(*watch->next()).text({"type"}) == "ADDED");
    const auto mark = json(*watch->next());
    CHECK(mark.text({"type"}) == "BOOKMARK");
    CHECK(mark.text({"object", "metadata", "annotations", "k8s.io/initial-events-end"}) == "true");
}

TEST_CASE("watch: one that lags behind the history ends with a 410 in the stream") {
    Server server(Limits{2});
    const auto watch = server.watch(server.maps + "?watch=1");
    for (const auto* name : {"a", "b", "c"}) {
        server.config_map(name);
    }
    const auto event = json(*watch->next());
    CHECK(event.text({"type"}) == "ERROR");
    CHECK(event.text({"object", "reason"}) == "Expired");
    CHECK(rig::at(event, {"object", "code"}).as_int() == 410);
    CHECK(watch->is_finished());
    CHECK_FALSE(watch->next());
}

TEST_CASE("watch: one object is followed by a field, its own path only answers it") {
    Server server;
    const auto by_field = server.watch(server.pods + "?watch=1&fieldSelector=metadata.name%3Done");
    const auto by_node = server.watch("/api/v1/pods?watch=1&fieldSelector=spec.nodeName%3Dn");
    server.pod("two");
    server.pod("one");
    CHECK(server.get(server.pods + "/one?watch=1").body.text({"kind"}) == "Pod");
    CHECK(rig::events(*by_field) == Lines{"ADDED one"});
    CHECK(rig::events(*by_node).empty());
    server.bind("one", "n");
    CHECK(rig::events(*by_node) == Lines{"ADDED one"});
}

TEST_CASE("events: both API versions show the same objects in their own words") {
    Server server;
    const std::string newer = "/apis/events.k8s.io/v1/namespaces/default/events";
    const std::string core = "/api/v1/namespaces/default/events";
    CHECK(
        server
            .post(
                newer,
                R"({"metadata":{"name":"e"},"regarding":{"kind":"Pod","name":"p","namespace":"default"},
        "note":"hello","reason":"R","type":"Normal","action":"A","reportingController":"c",
        "reportingInstance":"i","eventTime":"2027-01-15T08:00:00.000000Z"})")
            .status == 201);
    const auto as_core = server.get(core + "/e").body;
    CHECK(as_core.text({"apiVersion"}) == "v1");
    CHECK(as_core.text({"involvedObject", "name"}) == "p");
    CHECK(as_core.text({"message"}) == "hello");
    const auto patched = server.merge(newer + "/e", R"({"note":"bye"})");
    CHECK(patched.status == 200);
    CHECK(patched.body.text({"apiVersion"}) == "events.k8s.io/v1");
    CHECK(patched.body.text({"regarding", "name"}) == "p");
    CHECK(server.get(core + "/e").body.text({"message"}) == "bye");
    CHECK(rig::item(rig::at(server.get(newer).body, {"items"}), 0).text({"note"}) == "bye");
}

TEST_CASE("reviews: allowed, and forgotten") {
    Server server;
    const auto review = server.post(
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        R"({"spec":{"resourceAttributes":{"verb":"get","resource":"pods"}}})");
    CHECK(review.status == 201);
    CHECK(rig::at(review.body, {"status", "allowed"}).as_bool());
}
