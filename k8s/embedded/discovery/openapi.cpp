#include "k8s/embedded/discovery/openapi.hpp"

#include "k8s/embedded/discovery/openapi_schemas.hpp"
#include "k8s/embedded/store/json_value.hpp"
#include "k8s/embedded/store/kinds.hpp"
#include "k8s/embedded/store/status.hpp"

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace k8s::embedded {
namespace {

constexpr std::string_view root = "/openapi/v3";

std::string root_of(const Kind& kind) {
    return (kind.group.empty() ? "api/" : "apis/") + kind.api_version();
}

Json index() {
    Json paths{Json::Object{}};
    for (const Kind& kind : all_kinds()) {
        Json entry;
        entry.set("serverRelativeURL", std::string(root) + "/" + root_of(kind));
        paths.set(root_of(kind), std::move(entry));
    }
    Json object;
    object.set("paths", std::move(paths));
    return object;
}

Json parameter(std::string_view name) {
    Json schema;
    schema.set("type", "string");
    schema.set("uniqueItems", true);
    Json object;
    object.set("name", name);
    object.set("in", "query");
    object.set("schema", std::move(schema));
    return object;
}

Json operation(const Kind& kind, std::string_view action) {
    Json type;
    type.set("group", kind.group);
    type.set("version", kind.version);
    type.set("kind", kind.kind);
    Json ok;
    ok.set("description", "OK");
    Json responses;
    responses.set("200", std::move(ok));
    Json object;
    object.set("responses", std::move(responses));
    object.set("x-kubernetes-action", action);
    object.set("x-kubernetes-group-version-kind", std::move(type));
    return object;
}

// kubectl asks the PATCH operation of a kind which query parameters the server knows.
Json object_path(const Kind& kind) {
    Json patch = operation(kind, "patch");
    constexpr std::array names = {"dryRun", "fieldManager", "fieldValidation", "force", "pretty"};
    Json::Array parameters;
    for (const char* name : names) parameters.push_back(parameter(name));
    patch.set("parameters", std::move(parameters));
    Json path;
    path.set("get", operation(kind, "get"));
    path.set("patch", std::move(patch));
    return path;
}

std::string path_of(const Kind& kind) {
    std::string path = "/" + root_of(kind);
    if (kind.namespaced) path += "/namespaces/{namespace}";
    return path + "/" + std::string(kind.plural) + "/{name}";
}

Json document(std::string_view of_root) {
    Json paths{Json::Object{}};
    std::vector<const Kind*> kinds;
    for (const Kind& kind : all_kinds()) {
        if (root_of(kind) != of_root) continue;
        paths.set(path_of(kind), object_path(kind));
        kinds.push_back(&kind);
    }
    Json info;
    info.set("title", "Kubernetes");
    info.set("version", "v1.37.0");
    Json components;
    components.set("schemas", openapi_schemas(kinds));
    Json object;
    object.set("openapi", "3.0.0");
    object.set("info", std::move(info));
    object.set("paths", std::move(paths));
    object.set("components", std::move(components));
    return object;
}

bool is_served(std::string_view of_root) {
    for (const Kind& kind : all_kinds()) {
        if (root_of(kind) == of_root) return true;
    }
    return false;
}

Response json_answer(int status, const Json& body) {
    Response answer;
    answer.status = status;
    answer.body = body.dump();
    return answer;
}

/// kubectl asks it about manifests of kind List, and helm about kinds that are not served. It reads
/// protobuf alone, and checks nothing of kinds that the document does not have. So it has none: a
/// gnostic Document {swagger = 1, info = 2 {title = 1, version = 2}}.
Response document_of_version_2() {
    const auto text = [](char field, const std::string& value) {
        return std::string{static_cast<char>(field * 8 + 2), static_cast<char>(value.size())} +
               value;
    };
    Response answer;
    answer.content_type = "application/com.github.proto-openapi.spec.v2.v1.0+protobuf";
    answer.body = text(1, "2.0") + text(2, text(1, "Kubernetes") + text(2, "v1.37.0"));
    return answer;
}

}  // namespace

std::optional<Response> answer_openapi(std::string_view path) {
    if (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
    if (path == root) return json_answer(200, index());
    const bool below = path.starts_with(root) && path.substr(root.size()).starts_with('/');
    if (below) {
        const std::string_view wanted = path.substr(root.size() + 1);
        if (is_served(wanted)) return json_answer(200, document(wanted));
    }
    if (path == "/openapi/v2") return document_of_version_2();
    if (below) return json_answer(404, no_such_path().status());
    return std::nullopt;
}

}  // namespace k8s::embedded
