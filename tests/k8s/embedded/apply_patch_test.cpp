#include "k8s/embedded/patch/apply_patch.hpp"

#include "k8s/embedded/patch/field_set.hpp"
#include "rig.hpp"

using namespace k8s::embedded;
using rig::json;
using rig::Server;

namespace {

std::string map_of(const std::string& data, const std::string& labels = "{}") {
    return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"cm","labels":)" + labels +
           R"(},"data":)" + data + "}";
}

std::string manager_fields(const Json& object, const std::string& manager) {
    const Json* entries = object.find_path({"metadata", "managedFields"});
    for (const auto& entry : entries == nullptr ? Json::Array() : entries->items()) {
        if (entry.text({"manager"}) == manager) {
            return rig::at(entry, {"fieldsV1"}).dump();
        }
    }
    return "none";
}

}  // namespace

TEST_CASE("apply: makes an absent object, changes a present one, leaves others' fields") {
    Server server;
    const auto cm = server.maps + "/cm";
    const auto made = server.apply(cm + "?fieldManager=fabric8&force=true", map_of(R"({"a":"1"})"));
    CHECK(made.status == 201);
    CHECK(
        manager_fields(made.body, "fabric8") ==
        R"({"f:metadata":{"f:labels":{}},"f:data":{"f:a":{}}})");
    server.merge(cm + "?fieldManager=human", R"({"data":{"b":"2"}})");
    const auto next = server.apply(cm + "?fieldManager=fabric8", map_of(R"({"a":"3"})"));
    REQUIRE(next.status == 200);
    CHECK(rig::at(next.body, {"data"}).dump() == R"({"a":"3","b":"2"})");
    CHECK(manager_fields(next.body, "human") == R"({"f:data":{"f:b":{}}})");
}

TEST_CASE("apply: the same again moves nothing") {
    Server server;
    const auto target = server.maps + "/cm?fieldManager=m";
    const auto first = server.apply(target, map_of(R"({"a":"1"})"));
    server.now_ms += 60'000;
    CHECK(server.apply(target, map_of(R"({"a":"1"})")).version() == first.version());
}

TEST_CASE("apply: a field that is no longer applied goes, unless somebody else has it") {
    Server server;
    const auto cm = server.maps + "/cm";
    server.apply(cm + "?fieldManager=one", map_of(R"({"a":"1","b":"2","c":"3"})", R"({"x":"y"})"));
    server.apply(cm + "?fieldManager=two", map_of(R"({"b":"2"})"));
    const auto result = server.apply(cm + "?fieldManager=one", map_of(R"({"c":"3"})"));
    REQUIRE(result.status == 200);
    CHECK(rig::at(result.body, {"data"}).dump() == R"({"b":"2","c":"3"})");
    CHECK(result.body.find_path({"metadata", "labels", "x"}) == nullptr);
}

TEST_CASE("apply: another value of another's field is a conflict, force takes the field") {
    Server server;
    const auto cm = server.maps + "/cm";
    server.apply(cm + "?fieldManager=one", map_of(R"({"a":"1"})"));
    const auto refused = server.apply(cm + "?fieldManager=two", map_of(R"({"a":"2"})"));
    CHECK(refused.status == 409);
    CHECK(
        refused.message() ==
        "Apply failed with 1 conflict: conflict with \"one\" using v1: .data.a");
    CHECK(rig::item(rig::at(refused.body, {"details", "causes"}), 0).text({"field"}) == ".data.a");
    CHECK(server.apply(cm + "?fieldManager=two", map_of(R"({"a":"1"})")).status == 200);
    const auto forced = server.apply(cm + "?fieldManager=two&force=true", map_of(R"({"a":"2"})"));
    CHECK(forced.status == 200);
    CHECK(forced.body.text({"data", "a"}) == "2");
    CHECK(manager_fields(forced.body, "one").find("f:a") == std::string::npos);
}

TEST_CASE("apply: lists merge by their keys") {
    Server server;
    const std::string service = "/api/v1/namespaces/default/services/s";
    const auto body = [](const std::string& ports) {
        return R"({"apiVersion":"v1","kind":"Service","metadata":{"name":"s"},"spec":{"ports":)" +
               ports + "}}";
    };
    server.apply(service + "?fieldManager=one", body(R"([{"name":"a","port":1}])"));
    const auto both =
        server.apply(service + "?fieldManager=two", body(R"([{"name":"b","port":2}])"));
    REQUIRE(both.status == 200);
    REQUIRE(rig::at(both.body, {"spec", "ports"}).items().size() == 2);
    const auto rest = server.apply(service + "?fieldManager=one", body("[]"));
    REQUIRE(rig::at(rest.body, {"spec", "ports"}).items().size() == 1);
    CHECK(rig::item(rig::at(rest.body, {"spec", "ports"}), 0).text({"name"}) == "b");
}

TEST_CASE("apply: what it asks of the request") {
    Server server;
    const auto cm = server.maps + "/cm";
    CHECK(server.apply(cm, map_of("{}")).status == 422);
    CHECK(server.apply(cm + "?fieldManager=m", "a: b").status == 400);
    CHECK(server.apply(cm + "?fieldManager=m", R"({"metadata":{"name":"cm"}})").status == 400);
    CHECK(server.apply(server.maps + "/other?fieldManager=m", map_of("{}")).status == 400);
    CHECK(
        server
            .apply(
                cm + "?fieldManager=m",
                R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"managedFields":[]}})")
            .status == 400);
}

TEST_CASE("books: a write is noted under its manager, and taken from the one before") {
    Server server;
    const auto made = server.post(
        server.maps + "?fieldManager=kubectl-create",
        R"({"metadata":{"name":"cm"},"data":{"a":"1","b":"2"}})");
    CHECK(manager_fields(made.body, "kubectl-create") == R"({"f:data":{"f:a":{},"f:b":{}}})");
    const auto changed =
        server.merge(server.maps + "/cm?fieldManager=kubectl-edit", R"({"data":{"b":"3"}})");
    CHECK(manager_fields(changed.body, "kubectl-create") == R"({"f:data":{"f:a":{}}})");
    CHECK(manager_fields(changed.body, "kubectl-edit") == R"({"f:data":{"f:b":{}}})");
    CHECK(manager_fields(server.config_map("other").body, "") == "none");
}

TEST_CASE("field set: paths of lists are readable") {
    const auto set = fields_of(
        core_kind("pods"),
        json(R"({"metadata":{"finalizers":["f"],"name":"ignored"},"spec":{"containers":
        [{"name":"c","ports":[{"containerPort":80}]}],"tolerations":[{"key":"k"}]}})"));
    CHECK(
        field_paths(set) ==
        std::vector<std::string>{
            ".metadata.finalizers[=\"f\"]",
            ".spec.containers[name=\"c\"]",
            ".spec.containers[name=\"c\"].name",
            ".spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"]",
            ".spec.containers[name=\"c\"].ports[containerPort=80,protocol=\"TCP\"].containerPort",
            ".spec.tolerations"});
}
