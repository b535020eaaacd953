#include "k8s/embedded/api/check_options.hpp"
#include "k8s/embedded/api/field_validation.hpp"
#include "k8s/embedded/api/verbs.hpp"
#include "k8s/embedded/patch/patch.hpp"
#include "k8s/embedded/query/events_view.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

constexpr std::string_view patch_types =
    "application/json-patch+json, application/merge-patch+json, "
    "application/strategic-merge-patch+json, application/apply-patch+yaml";
constexpr std::string_view apply_type = "application/apply-patch+yaml";

std::string_view patch_type(const Call& call) {
    const std::string_view type = call.request->content_type;
    return type.substr(0, std::min(type.find(';'), type.size()));
}

Outcome<Json> apply_by_type(const Call& call, Json document, const Json& patch) {
    const auto type = patch_type(call);
    if (type == "application/json-patch+json") {
        return json_patch(std::move(document), patch);
    }
    if (!patch.is_object()) {
        return bad_request("error decoding patch: the patch is not a JSON object");
    }
    if (type == "application/merge-patch+json") {
        return merge_patch(std::move(document), patch);
    }
    return strategic_patch(call.kind->stored_view(), std::move(document), patch);
}

bool is_patch_type(std::string_view type) {
    return type == apply_type || type == "application/json-patch+json" ||
           type == "application/merge-patch+json" ||
           type == "application/strategic-merge-patch+json";
}

/// A patched object is still the object it was.
std::optional<Failure> check_identity(const Json& before, const Json& after) {
    if (!after.is_object()) {
        return bad_request("the patch leaves no object");
    }
    if (name_of(after) != name_of(before)) {
        return bad_request(
            "the name of the object (" + name_of(after) + ") does not match the name on the URL (" +
            name_of(before) + ")");
    }
    if (space_of(after) != space_of(before)) {
        return bad_request(
            "the namespace of the object (" + space_of(after) +
            ") does not match the namespace on the request (" + space_of(before) + ")");
    }
    return std::nullopt;
}

bool is_of_kind(const Kind& kind, const Json& object) {
    return object.text({"apiVersion"}) == kind.api_version() && object.text({"kind"}) == kind.kind;
}

Failure uid_conflict(const Call& call, const std::string& wanted, const std::string& present) {
    return conflict(
        *call.kind,
        call.key.name,
        "StorageError: invalid object, Code: 4, Key: /registry/" + std::string(call.kind->plural) +
            "/" + call.key.space + "/" + call.key.name +
            ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: " +
            wanted + ", UID in object meta: " + present);
}

}  // namespace

Outcome<Response> Verbs::answer(const Call& call, int code, const StoredPtr& object) const {
    const auto shown = Representation::choose(call, now_ms_());
    if (!shown) {
        return shown.failure();
    }
    Response response;
    response.status = code;
    response.body = shown->one(object);
    return response;
}

Outcome<WriteOptions> Verbs::write_options(const Call& call) const {
    const bool is_apply = call.request->method == "PATCH" && patch_type(call) == apply_type;
    if (auto failure = check_write_options(call, is_apply)) {
        return std::move(*failure);
    }
    WriteOptions options;
    options.writer.manager = call.param("fieldManager");
    options.writer.subresource = call.subresource;
    options.writer.now_ms = now_ms_();
    options.writer.force = call.target.flag("force");
    options.is_dry_run = call.param("dryRun") == "All";
    options.is_status = call.subresource == "status";
    return options;
}

Outcome<Response> Verbs::create(const Call& call) {
    auto object = read_object(call, call.kind->api_version(), call.kind->kind);
    const auto options = write_options(call);
    if (!object || !options) {
        return !object ? object.failure() : options.failure();
    }
    if (call.kind->namespaced && call.key.space.empty()) {
        return method_not_allowed();
    }
    const FieldValidation fields(call, *object);
    if (auto failure = fields.refusal()) {
        return std::move(*failure);
    }
    const auto created = writes_.create(*call.kind, call.key.space, std::move(*object), *options);
    if (!created) {
        return created.failure();
    }
    return fields.warn(answer(call, 201, *created));
}

Outcome<Response> Verbs::update(const Call& call) {
    auto object = read_object(call, call.kind->api_version(), call.kind->kind);
    const auto options = write_options(call);
    if (!object || !options) {
        return !object ? object.failure() : options.failure();
    }
    const FieldValidation fields(call, *object);
    if (auto failure = fields.refusal()) {
        return std::move(*failure);
    }
    auto& metadata = (*object)["metadata"];
    if (metadata.text({"name"}).empty() || metadata.text({"name"}) != call.key.name) {
        return bad_request(
            "the name of the object (" + metadata.text({"name"}) +
            ") does not match the name on the URL (" + call.key.name + ")");
    }
    if (metadata.text({"namespace"}).empty() && call.kind->namespaced) {
        metadata.set("namespace", call.key.space);
    }
    if (call.kind->namespaced && metadata.text({"namespace"}) != call.key.space) {
        return bad_request(
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
    }
    const auto stored = store_.find(*call.kind, call.key);
    if (stored == nullptr) {
        if (!call.kind->creates_on_update || !call.subresource.empty()) {
            return not_found(*call.kind, call.key.name);
        }
        metadata.erase("resourceVersion");
        const auto made = writes_.create(*call.kind, call.key.space, std::move(*object), *options);
        if (!made) {
            return made.failure();
        }
        return fields.warn(answer(call, 201, *made));
    }
    if (const auto& uid = uid_of(*object); !uid.empty() && uid != uid_of(stored->json)) {
        return uid_conflict(call, uid, uid_of(stored->json));
    }
    if (call.kind->updates_need_version && version_of(*object).empty()) {
        Kind named = *call.kind;  // this one error names the resource where others name the kind
        named.kind = named.plural;
        return invalid(
            named,
            call.key.name,
            {Cause{
                "metadata.resourceVersion",
                "FieldValueInvalid",
                "Invalid value: \"\": must be specified for an update"}});
    }
    const auto updated = writes_.update(*call.kind, stored, std::move(*object), *options);
    if (!updated) {
        return updated.failure();
    }
    return fields.warn(answer(call, 200, *updated));
}

Outcome<Response> Verbs::patch(const Call& call) {
    if (!is_patch_type(patch_type(call))) {
        return unsupported_media(patch_types);
    }
    const auto options = write_options(call);
    if (!options) {
        return options.failure();
    }
    const auto stored = store_.find(*call.kind, call.key);
    if (patch_type(call) == apply_type) {
        return apply(call, stored, *options);
    }
    if (stored == nullptr) {
        return not_found(*call.kind, call.key.name);
    }
    const auto body = Json::parse(call.request->body);
    if (!body) {
        return bad_request("error decoding patch: " + body.error().message);
    }
    const Json before = to_view(*call.kind, stored->json);
    auto after = apply_by_type(call, before, *body);
    if (!after) {
        return after.failure();
    }
    if (auto failure = check_identity(before, *after)) {
        return std::move(*failure);
    }
    if (!is_of_kind(*call.kind, *after)) {
        return bad_patch("it is of another kind");
    }
    const FieldValidation fields(call, *after);
    if (auto failure = fields.refusal()) {
        return std::move(*failure);
    }
    const auto updated = writes_.update(*call.kind, stored, std::move(*after), *options);
    if (!updated) {
        const auto& failure = updated.failure();
        // The patch itself was well-formed; what it makes is not.
        return failure.reason == "BadRequest" ? bad_patch(failure.message) : failure;
    }
    return fields.warn(answer(call, 200, *updated));
}

Outcome<Response> Verbs::apply(
    const Call& call, const StoredPtr& stored, const WriteOptions& options) {
    const auto parsed = Json::parse(call.request->body);
    if (!parsed || !parsed->is_object()) {
        return bad_request(
            "error decoding YAML: only YAML that is JSON is understood here" +
            (parsed ? std::string() : ": " + parsed.error().message));
    }
    Json config = *parsed;
    if (!is_of_kind(*call.kind, config)) {
        return bad_request("the configuration is of another kind than the path");
    }
    const FieldValidation fields(call, config);
    if (auto failure = fields.refusal()) {
        return unworded_error("failed to create typed patch object: " + failure->message);
    }
    if (!fields.unknown().empty()) {
        return unworded_error(
            "failed to create typed patch object: ." + fields.unknown().front() +
            ": field not declared in schema");
    }
    if (config.find_path({"metadata", "managedFields"}) != nullptr) {
        return bad_request("metadata.managedFields must be nil");
    }
    auto& metadata = config["metadata"];
    if (call.kind->namespaced && metadata.text({"namespace"}).empty()) {
        metadata.set("namespace", call.key.space);
    }
    if (stored == nullptr && !call.subresource.empty()) {
        return not_found(*call.kind, call.key.name);
    }
    const Json before = stored == nullptr ? Json() : to_view(*call.kind, stored->json);
    if (name_of(config) != call.key.name) {
        return bad_request(
            "the name of the object (" + name_of(config) +
            ") does not match the name on the URL (" + call.key.name + ")");
    }
    auto merged = apply_patch(call.kind->stored_view(), before, config, options.writer);
    if (!merged) {
        return merged.failure();
    }
    WriteOptions write = options;
    write.writer.manager.clear();  // the books are in order already
    const auto written = stored == nullptr
                             ? writes_.create(*call.kind, call.key.space, std::move(*merged), write)
                             : writes_.update(*call.kind, stored, std::move(*merged), write);
    if (!written) {
        const auto& failure = written.failure();
        return failure.reason == "BadRequest" ? unworded_error(failure.message) : failure;
    }
    return answer(call, stored == nullptr ? 201 : 200, *written);
}

Outcome<DeleteOptions> to_delete_options(const Json& options) {
    if (auto failure = check_delete_options(options)) {
        return std::move(*failure);
    }
    DeleteOptions result;
    if (const Json* grace = options.find("gracePeriodSeconds"); grace && grace->is_int()) {
        result.grace_s = grace->as_int();
    }
    result.uid = options.text({"preconditions", "uid"});
    result.resource_version = options.text({"preconditions", "resourceVersion"});
    result.propagation = options.text({"propagationPolicy"});
    const Json* orphans = options.find("orphanDependents");
    if (result.propagation.empty() && orphans != nullptr && orphans->is_bool()) {
        result.propagation = orphans->as_bool() ? "Orphan" : "Background";
    }
    if (const Json* dry_run = options.find("dryRun")) {
        result.is_dry_run = !dry_run->is_array() || !dry_run->items().empty();
    }
    return result;
}

Outcome<Response> Verbs::remove(const Call& call) {
    const auto body = read_delete_options(call);
    if (!body) {
        return body.failure();
    }
    const auto options = to_delete_options(*body);
    if (!options) {
        return options.failure();
    }
    const auto removed = removal_.remove(*call.kind, call.key, *options);
    if (!removed) {
        return removed.failure();
    }
    if (!removed->is_gone || call.kind->answers_deleted) {
        return answer(call, 200, removed->object);
    }
    Response response;
    response.body = success(*call.kind, removed->object->json).dump();
    return response;
}

Outcome<Response> Verbs::remove_collection(const Call& call) {
    const auto body = read_delete_options(call);
    const auto scope = read_scope(call);
    const auto shown = Representation::choose(call, now_ms_());
    if (!body || !scope || !shown) {
        return !body ? body.failure() : !scope ? scope.failure() : shown.failure();
    }
    const auto options = to_delete_options(*body);
    if (!options) {
        return options.failure();
    }
    auto page = store_.list(*call.kind, PageRequest{*scope});
    for (const auto& object : page->objects) {
        // One that has gone meanwhile, or that a precondition protects, stops nothing.
        static_cast<void>(removal_.remove(*call.kind, key_of(object->json), *options));
    }
    page->revision = store_.revision();
    Response response;
    response.body = shown->list(*page, "");
    return response;
}

}  // namespace k8s::embedded
