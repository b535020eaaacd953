#include "k8s/embedded/store/status.hpp"

#include "k8s/embedded/store/json_tools.hpp"

namespace k8s::embedded {

namespace {

Json details_of(const Kind& kind, std::string_view name) {
    Json details{Json::Object()};
    if (!name.empty()) {
        details.set("name", name);
    }
    if (!kind.group.empty()) {
        details.set("group", kind.group);
    }
    details.set("kind", kind.plural);
    return details;
}

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

Json empty_status(std::string_view outcome) {
    Json status{Json::Object()};
    status.set("kind", "Status").set("apiVersion", "v1").set("metadata", Json::Object());
    status.set("status", outcome);
    return status;
}

}  // namespace

Json Failure::status() const {
    Json status = empty_status("Failure");
    status.set("message", message);
    if (!reason.empty()) {
        status.set("reason", reason);
    }
    if (!details.is_null()) {
        status.set("details", details);
    }
    status.set("code", code);
    return status;
}

Failure bad_request(std::string message) {
    return {400, "BadRequest", std::move(message)};
}

Failure not_found(const Kind& kind, std::string_view name) {
    return {
        404,
        "NotFound",
        kind.resource() + " " + quoted(name) + " not found",
        details_of(kind, name)};
}

Failure no_such_path() {
    return {
        404, "NotFound", "the server could not find the requested resource", Json(Json::Object())};
}

Failure already_exists(const Kind& kind, std::string_view name) {
    return {
        409,
        "AlreadyExists",
        kind.resource() + " " + quoted(name) + " already exists",
        details_of(kind, name)};
}

Failure conflict(const Kind& kind, std::string_view name, std::string_view why) {
    return {
        409,
        "Conflict",
        "Operation cannot be fulfilled on " + kind.resource() + " " + quoted(name) + ": " +
            std::string(why),
        details_of(kind, name)};
}

Failure modified(const Kind& kind, std::string_view name) {
    return conflict(
        kind,
        name,
        "the object has been modified; please apply your changes to the latest version and try "
        "again");
}

Failure forbidden(const Kind& kind, std::string_view name, std::string_view why) {
    return {
        403,
        "Forbidden",
        kind.resource() + " " + quoted(name) + " is forbidden: " + std::string(why),
        details_of(kind, name)};
}

Failure invalid(const Kind& kind, std::string_view name, const std::vector<Cause>& causes) {
    const std::string whole = kind.group.empty()
                                  ? std::string(kind.kind)
                                  : std::string(kind.kind) + "." + std::string(kind.group);
    std::string text;
    Json::Array listed;
    for (const auto& cause : causes) {
        text += (text.empty() ? "" : ", ") + cause.field + ": " + cause.message;
        Json one{Json::Object()};
        one.set("reason", cause.reason).set("message", cause.message).set("field", cause.field);
        listed.push_back(std::move(one));
    }
    Json details = details_of(kind, name);
    details.set("kind", kind.kind).set("causes", std::move(listed));
    if (causes.size() > 1) {
        text = "[" + text + "]";
    }
    return {
        422, "Invalid", whole + " " + quoted(name) + " is invalid: " + text, std::move(details)};
}

Failure method_not_allowed() {
    return {
        405,
        "MethodNotAllowed",
        "the server does not allow this method on the requested resource",
        Json(Json::Object())};
}

Failure unsupported_media(std::string_view accepted) {
    return {
        415,
        "UnsupportedMediaType",
        "the body of the request was in an unknown format - accepted media types include: " +
            std::string(accepted)};
}

Failure unsupported_protobuf() {
    return {
        415,
        "UnsupportedMediaType",
        "the body of the request is protobuf, which this server reads of a few kinds alone; give it "
        "JSON: kubectl create ... --dry-run=client -o json | kubectl create -f -"};
}

Failure not_acceptable(std::string_view offered) {
    return {
        406,
        "NotAcceptable",
        "only the following media types are accepted: " + std::string(offered)};
}

Failure gone(std::string message) {
    return {410, "Expired", std::move(message)};
}

Failure unworded_error(std::string message) {
    return {500, "", std::move(message)};
}

Failure bad_patch(std::string_view why) {
    Json cause{Json::Object()};
    cause.set("reason", "FieldValueInvalid");
    cause.set("message", "Invalid value: the patched object: " + std::string(why));
    cause.set("field", "patch");
    Json details{Json::Object()};
    details.set("causes", Json::Array{std::move(cause)});
    return {
        422,
        "Invalid",
        " \"\" is invalid: patch: Invalid value: the patched object: " + std::string(why),
        std::move(details)};
}

Json success(const Kind& kind, const Json& object) {
    Json status = empty_status("Success");
    Json details = details_of(kind, name_of(object));
    details.set("uid", uid_of(object));
    status.set("details", std::move(details));
    return status;
}

}  // namespace k8s::embedded
