#include "k8s/embedded/discovery/discovery.hpp"
#include "k8s/embedded/discovery/openapi.hpp"
#include "k8s/embedded/store/json_path.hpp"

#include <doctest/doctest.h>

using namespace k8s::embedded;

namespace {

constexpr const char* kubectl_accept =
    "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
    "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json";

Json body_of(const std::optional<Response>& answer) {
    REQUIRE(answer);
    auto json = Json::parse(answer->body);
    REQUIRE(json);
    return *json;
}

const Json* find_named(const Json::Array& items, const char* key, const char* value) {
    for (const Json& item : items) {
        if (item.text({key}) == value) return &item;
    }
    return nullptr;
}

}  // namespace

TEST_CASE("discovery: the aggregated form is given to who asks for it, the plain one to others") {
    const auto aggregated = answer_discovery("/api", kubectl_accept);
    CHECK(body_of(aggregated).text({"kind"}) == "APIGroupDiscoveryList");
    CHECK(body_of(aggregated).text({"apiVersion"}) == "apidiscovery.k8s.io/v2");
    CHECK(
        aggregated->content_type ==
        "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    const auto older = answer_discovery(
        "/apis", "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");
    CHECK(body_of(older).text({"apiVersion"}) == "apidiscovery.k8s.io/v2beta1");
    CHECK(body_of(answer_discovery("/api", "application/json")).text({"kind"}) == "APIVersions");
    CHECK(body_of(answer_discovery("/apis", "")).text({"kind"}) == "APIGroupList");
}

TEST_CASE("discovery: pods are namespaced, have short names and a binding") {
    const Json list = body_of(answer_discovery("/api/v1", "application/json, */*"));
    CHECK(list.text({"groupVersion"}) == "v1");
    const Json* pods = find_named(items_at(list, {"resources"}), "name", "pods");
    REQUIRE(pods != nullptr);
    CHECK(true_at(*pods, {"namespaced"}));
    CHECK(items_at(*pods, {"shortNames"}).front() == Json("po"));
    const Json* binding = find_named(items_at(list, {"resources"}), "name", "pods/binding");
    REQUIRE(binding != nullptr);
    CHECK(binding->text({"kind"}) == "Binding");
}

TEST_CASE("discovery: every group has its own page, unknown paths are left to others") {
    CHECK(body_of(answer_discovery("/apis/apps", "")).text({"kind"}) == "APIGroup");
    CHECK(body_of(answer_discovery("/apis/apps/v1", "")).text({"groupVersion"}) == "apps/v1");
    CHECK(body_of(answer_discovery("/version", "")).text({"minor"}) == "37");
    CHECK_FALSE(answer_discovery("/apis/nobody.example", ""));
    CHECK_FALSE(answer_discovery("/api/v1/pods", ""));
}

TEST_CASE("openapi: the index leads to documents in which kubectl finds fieldValidation") {
    const Json index = body_of(answer_openapi("/openapi/v3"));
    const std::string url = index.text({"paths", "api/v1", "serverRelativeURL"});
    REQUIRE(url == "/openapi/v3/api/v1");
    const Json document = body_of(answer_openapi(url));
    const Json* patch =
        document.find_path({"paths", "/api/v1/namespaces/{namespace}/pods/{name}", "patch"});
    REQUIRE(patch != nullptr);
    CHECK(patch->text({"x-kubernetes-group-version-kind", "kind"}) == "Pod");
    CHECK(find_named(items_at(*patch, {"parameters"}), "name", "fieldValidation") != nullptr);
}

TEST_CASE("openapi: what is not there is a Status with 404") {
    const auto answer = answer_openapi("/openapi/v3/apis/nobody.example/v1");
    REQUIRE(answer);
    CHECK(answer->status == 404);
    CHECK(body_of(answer).text({"kind"}) == "Status");
    // kubectl reads it for a manifest of kind List: protobuf, and no kind that it would check.
    const auto old = answer_openapi("/openapi/v2");
    CHECK(old->status == 200);
    CHECK(old->body == std::string("\x0a\x03" "2.0\x12\x15\x0a\x0aKubernetes\x12\x07v1.37.0", 28));
    CHECK_FALSE(answer_openapi("/api"));
}
