#include "rig.hpp"

#include "k8s/embedded/schema/schema.hpp"

using k8s::embedded::apply_schema;
using k8s::embedded::core_kind;
using rig::json;
using rig::Lines;
using rig::Server;

TEST_CASE("schema: unknown fields go, in the order of the document, whatever is known stays") {
    auto pod = json(R"({"metadata":{"name":"p","labels":{"any":"x"}},"zeal":1,"spec":{"containers":[
        {"name":"c","nonsense":{},"resources":{"requests":{"example.com/card":"1"}}}],"more":[]}})");
    const auto verdict = apply_schema(core_kind("pods"), pod);
    CHECK(verdict.unknown == Lines{"zeal", "spec.containers[0].nonsense", "spec.more"});
    CHECK(verdict.mismatched.empty());
    CHECK(pod == json(R"({"metadata":{"name":"p","labels":{"any":"x"}},"spec":{"containers":[
        {"name":"c","resources":{"requests":{"example.com/card":"1"}}}]}})"));
}

TEST_CASE("schema: values of another type are named, null is of every type") {
    auto map = json(R"({"metadata":null,"data":{"a":"1","b":2},"immutable":"yes"})");
    const auto verdict = apply_schema(core_kind("configmaps"), map);
    CHECK(verdict.unknown.empty());
    CHECK(verdict.mismatched == Lines{"data.b", "immutable"});
}

TEST_CASE("fieldValidation: Strict refuses, Warn says so, Ignore says nothing") {
    Server server;
    const std::string body = R"({"metadata":{"name":"m"},"un\"known\r\n":1})";
    const auto refused = server.post(server.maps + "?fieldValidation=Strict", body);
    CHECK(refused.status == 400);
    CHECK(refused.message().find("unknown field") != std::string::npos);
    const auto warnings = [&](const std::string& query) {
        k8s::embedded::Request request{"POST", server.maps + query};
        request.body = body;
        Lines found;
        for (const auto& [name, value] : server.api.handle(request).headers) {
            if (name == "Warning") found.push_back(value);
        }
        return found;
    };
    CHECK(warnings("?dryRun=All&fieldValidation=Ignore").empty());
    CHECK(warnings("?dryRun=All") == Lines{R"(299 - "unknown field \"un\"known\"")"});
    CHECK(server.post(server.maps + "?fieldValidation=Perhaps", body).status == 422);
}

TEST_CASE("openapi: a document has the fields of its kinds") {
    Server server;
    const auto document = server.get("/openapi/v3/api/v1").body;
    const auto field = rig::at(
        document,
        {"components", "schemas", "io.k8s.api.core.v1.PodSpec", "properties", "schedulerName"});
    CHECK(field.text({"type"}) == "string");
}
