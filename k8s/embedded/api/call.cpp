#include "k8s/embedded/api/call.hpp"

#include "k8s/embedded/api/check_options.hpp"
#include "k8s/embedded/protobuf/protobuf.hpp"

#include <utility>

namespace k8s::embedded {

namespace {

/// What stands behind /api/VERSION or /apis/GROUP/VERSION.
struct Rest {
    std::string group;
    std::string version;
    std::vector<std::string> segments;
};

std::optional<Rest> take_group(const std::vector<std::string>& path) {
    if (path.size() >= 3 && path[0] == "api") {
        return Rest{"", path[1], {path.begin() + 2, path.end()}};
    }
    if (path.size() >= 4 && path[0] == "apis") {
        return Rest{path[1], path[2], {path.begin() + 3, path.end()}};
    }
    return std::nullopt;
}

/// "namespaces/NS/pods..." names a namespace; "namespaces", "namespaces/NS" and
/// "namespaces/NS/status" are about the namespace itself.
std::string take_space(Rest& rest) {
    auto& segments = rest.segments;
    const bool is_about_itself =
        rest.group.empty() && segments.size() == 3 &&
        find_kind("", "v1", "namespaces")->find_subresource(segments[2]) != nullptr;
    if (segments.size() < 3 || segments[0] != "namespaces" || is_about_itself) {
        return {};
    }
    std::string space = segments[1];
    segments.erase(segments.begin(), segments.begin() + 2);
    return space;
}

std::string_view bare_type(std::string_view content_type) {
    content_type = content_type.substr(0, content_type.find(';'));
    while (!content_type.empty() && content_type.back() == ' ') {
        content_type.remove_suffix(1);
    }
    return content_type;
}

Outcome<Json> read_body(const Request& request) {
    if (is_protobuf(request.content_type)) {
        auto decoded = decode_protobuf(request.body);
        if (!decoded) {
            return unsupported_protobuf();
        }
        return std::move(*decoded);
    }
    const auto type = bare_type(request.content_type);
    // YAML that happens to be JSON, as all known clients send it, is welcome.
    if (!type.empty() && type != "application/json" && type != "application/yaml") {
        return unsupported_media("application/json");
    }
    auto parsed = Json::parse(request.body);
    if (!parsed) {
        return bad_request("the object provided is not JSON: " + parsed.error().message);
    }
    return std::move(*parsed);
}

}  // namespace

Outcome<Call> parse_call(const Request& request, Target target) {
    auto rest = take_group(target.segments);
    if (!rest) {
        return no_such_path();
    }
    Call call;
    call.request = &request;
    call.key.space = take_space(*rest);
    call.kind = find_kind(rest->group, rest->version, rest->segments[0]);
    const auto count = rest->segments.size();
    if (call.kind == nullptr || count > 3 || (!call.kind->namespaced && !call.key.space.empty())) {
        return no_such_path();
    }
    if (count > 1) {
        call.key.name = rest->segments[1];
    }
    if (count > 2) {
        call.subresource = rest->segments[2];
        if (call.kind->find_subresource(call.subresource) == nullptr) {
            return no_such_path();
        }
    }
    if (call.kind->namespaced && call.key.space.empty() && count > 1) {
        return no_such_path();
    }
    call.target = std::move(target);
    return call;
}

Outcome<bool> is_dry_run(const Call& call) {
    if (auto failure = check_write_options(call, false)) {
        return std::move(*failure);
    }
    return call.param("dryRun") == "All";
}

Outcome<Json> read_object(const Call& call, std::string_view api_version, std::string_view kind) {
    auto body = read_body(*call.request);
    if (!body) {
        return body;
    }
    if (!body->is_object()) {
        return bad_request("the object provided is not a JSON object");
    }
    for (const auto& [field, wanted] :
         {std::pair("apiVersion", api_version), std::pair("kind", kind)}) {
        const auto& given = body->text({field});
        if (!given.empty() && given != wanted) {
            return bad_request(
                "the object provided is unrecognized (must be of type " + std::string(kind) +
                "): " + field + " \"" + given + "\" does not match the expected \"" +
                std::string(wanted) + "\"");
        }
        body->set(field, wanted);
    }
    return body;
}

Outcome<Json> read_delete_options(const Call& call) {
    Json options{Json::Object()};
    if (!call.request->body.empty()) {
        auto body = read_body(*call.request);
        if (!body) {
            return body;
        }
        options = std::move(*body);
    }
    for (const auto* name : {"propagationPolicy", "dryRun"}) {
        if (!call.param(name).empty()) {
            options.set(name, call.param(name));
        }
    }
    const auto& grace = call.param("gracePeriodSeconds");
    if (!grace.empty()) {
        const auto parsed = Json::parse(grace);
        if (!parsed || !parsed->is_int()) {
            return bad_request("gracePeriodSeconds: \"" + grace + "\" is not a number");
        }
        options.set("gracePeriodSeconds", *parsed);
    }
    if (auto failure = check_delete_options(options)) {
        return std::move(*failure);
    }
    return options;
}

}  // namespace k8s::embedded
