// What only pods have (binding, eviction, log), and the reviews, which are answered and forgotten.

#include "k8s/base/time.hpp"
#include "k8s/embedded/api/verbs.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

/// Refusals of the binding handler name the subresource, those of the storage below it the pod.
Failure binding_conflict(const std::string& pod, const std::string& why) {
    Json details{Json::Object()};
    details.set("name", pod).set("kind", "pods/binding");
    return {
        409,
        "Conflict",
        "Operation cannot be fulfilled on pods/binding \"" + pod + "\": " + why,
        std::move(details)};
}

std::optional<Failure> check_precondition(
    const Json& pod, const Json& binding, const char* field, const char* label) {
    const auto& wanted = binding.text({"metadata", field});
    const auto& present = pod.text({"metadata", field});
    if (wanted.empty() || wanted == present) {
        return std::nullopt;
    }
    return conflict(
        core_kind("pods"),
        name_of(pod),
        "StorageError: invalid object, Code: 4, Key: /registry/pods/" + space_of(pod) + "/" +
            name_of(pod) + ", ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: " +
            label + " in precondition: " + wanted + ", " + label + " in object meta: " + present);
}

std::optional<Failure> check_bindable(const Json& pod, const Json& binding) {
    const auto& name = name_of(pod);
    if (auto failure = check_precondition(pod, binding, "uid", "UID")) {
        return failure;
    }
    if (auto failure = check_precondition(pod, binding, "resourceVersion", "ResourceVersion")) {
        return failure;
    }
    if (is_deleting(pod)) {
        return binding_conflict(
            name, "pod " + name + " is being deleted, cannot be assigned to a host");
    }
    const auto& node = pod.text({"spec", "nodeName"});
    if (!node.empty()) {
        return binding_conflict(
            name, "pod " + name + " is already assigned to node \"" + node + "\"");
    }
    const Json* gates = pod.find_path({"spec", "schedulingGates"});
    if (gates != nullptr && !gates->items().empty()) {
        return binding_conflict(name, "pod " + name + " has non-empty .spec.schedulingGates");
    }
    return std::nullopt;
}

Failure other_space() {
    return bad_request(
        "the namespace of the provided object does not match the namespace sent on the request");
}

void merge_map(Json& metadata, const Json& binding, std::string_view field) {
    const Json* added = binding.find_path({"metadata", field});
    if (added == nullptr) {
        return;
    }
    for (const auto& [key, value] : added->members()) {
        metadata[field].set(key, value);
    }
}

/// PodScheduled=True, in place of what the condition said before.
void mark_scheduled(Json& pod, std::int64_t now_ms) {
    auto& conditions = pod["status"]["conditions"].items();
    std::erase_if(conditions, [](const Json& one) { return one.text({"type"}) == "PodScheduled"; });
    Json condition{Json::Object()};
    condition.set("type", "PodScheduled").set("status", "True").set("lastProbeTime", Json());
    condition.set("lastTransitionTime", k8s::format_time(now_ms));
    conditions.push_back(std::move(condition));
}

Response success_status(int code) {
    Json status{Json::Object()};
    status.set("kind", "Status").set("apiVersion", "v1").set("metadata", Json::Object());
    status.set("status", "Success").set("code", code);
    Response response;
    response.status = code;
    response.body = status.dump();
    return response;
}

bool budget_covers(const Json& budget, const Json& pod) {
    const Json* wanted = budget.find_path({"spec", "selector", "matchLabels"});
    const Json* labels = pod.find_path({"metadata", "labels"});
    if (wanted == nullptr || labels == nullptr) {
        return false;
    }
    const auto& all = wanted->members();
    return std::all_of(all.begin(), all.end(), [&](const Json::Member& one) {
        const Json* label = labels->find(one.first);
        return label != nullptr && *label == one.second;
    });
}

Json allow_all() {
    Json rule{Json::Object()};
    rule.set("verbs", Json::Array{"*"}).set("apiGroups", Json::Array{"*"});
    rule.set("resources", Json::Array{"*"});
    Json path{Json::Object()};
    path.set("verbs", Json::Array{"*"}).set("nonResourceURLs", Json::Array{"*"});
    Json status{Json::Object()};
    status.set("resourceRules", Json::Array{std::move(rule)});
    status.set("nonResourceRules", Json::Array{std::move(path)});
    return status.set("incomplete", false);
}

Json the_user() {
    Json user{Json::Object()};
    user.set("username", "embedded-admin").set("groups", Json::Array{"system:masters"});
    Json status{Json::Object()};
    return status.set("userInfo", std::move(user));
}

}  // namespace

/// A subresource's object is about the pod in the path, and in a namespace that exists.
std::optional<Failure> Verbs::check_target(const Call& call, const Json& body) const {
    const auto& spaces = core_kind("namespaces");
    if (store_.find(spaces, Key{"", call.key.space}) == nullptr) {
        return not_found(spaces, call.key.space);
    }
    if (!space_of(body).empty() && space_of(body) != call.key.space) {
        return other_space();
    }
    if (name_of(body) != call.key.name) {
        return bad_request("name in URL does not match the name of the object");
    }
    return std::nullopt;
}

Outcome<Response> Verbs::bind(const Call& call) {
    const auto body = read_object(call, "v1", "Binding");
    const auto dry_run = is_dry_run(call);
    if (!body || !dry_run) {
        return !body ? body.failure() : dry_run.failure();
    }
    if (auto failure = check_target(call, *body)) {
        return std::move(*failure);
    }
    const auto& node = body->text({"target", "name"});
    const auto& target_kind = body->text({"target", "kind"});
    if (node.empty() || (!target_kind.empty() && target_kind != "Node")) {
        return unworded_error(
            node.empty() ? "target.name: Required value"
                         : "target.kind: Unsupported value: \"" + target_kind +
                               "\": supported values: \"Node\", \"<empty>\"");
    }
    const auto stored = store_.find(*call.kind, call.key);
    if (stored == nullptr) {
        return not_found(*call.kind, call.key.name);
    }
    if (auto failure = check_bindable(stored->json, *body)) {
        return std::move(*failure);
    }
    if (!*dry_run) {
        Json pod = stored->json;
        pod["spec"].set("nodeName", node);
        merge_map(pod["metadata"], *body, "annotations");
        merge_map(pod["metadata"], *body, "labels");
        mark_scheduled(pod, now_ms_());
        writes_.put(*call.kind, std::move(pod));
    }
    return success_status(201);
}

Outcome<Response> Verbs::evict(const Call& call) {
    const auto body = read_object(call, "policy/v1", "Eviction");
    if (!body) {
        return body.failure();
    }
    if (auto failure = check_target(call, *body)) {
        return std::move(*failure);
    }
    const Json* given = body->find("deleteOptions");
    auto options = to_delete_options(given == nullptr ? Json(Json::Object()) : *given);
    const auto dry_run = is_dry_run(call);
    if (!options || !dry_run) {
        return !options ? options.failure() : dry_run.failure();
    }
    options->is_dry_run = options->is_dry_run || *dry_run;
    const auto pod = store_.find(*call.kind, call.key);
    if (pod == nullptr) {
        return not_found(*call.kind, call.key.name);
    }
    Scope scope{call.key.space, [&](const Json& one) { return budget_covers(one, pod->json); }};
    const auto* budgets = find_kind("policy", "v1", "poddisruptionbudgets");
    const auto& phase = pod->json.text({"status", "phase"});
    const bool is_disruption = phase == "Running" && !is_deleting(pod->json);
    const auto covering = is_disruption ? store_.list(*budgets, PageRequest{scope})->objects
                                        : std::vector<StoredPtr>();
    for (const auto& budget : covering) {
        const Json* allowed = budget->json.find_path({"status", "disruptionsAllowed"});
        if (allowed == nullptr || allowed->as_int() <= 0) {
            return Failure{
                429,
                "TooManyRequests",
                "Cannot evict pod as it would violate the pod's disruption budget."};
        }
    }
    const auto removed = removal_.remove(*call.kind, call.key, *options);
    if (!removed) {
        return removed.failure();
    }
    // Nobody counts them anew here, as a controller would.
    for (const auto& budget : options->is_dry_run ? std::vector<StoredPtr>() : covering) {
        Json spent = budget->json;
        Json& allowed = spent["status"]["disruptionsAllowed"];
        allowed = Json(allowed.as_int() - 1);
        writes_.put(*budgets, std::move(spent));
    }
    return success_status(201);
}

/// There is no container behind a pod here, so there is nothing to read.
Outcome<Response> Verbs::log(const Call& call) {
    if (store_.find(*call.kind, call.key) == nullptr) {
        return not_found(*call.kind, call.key.name);
    }
    Response response;
    response.status = 204;
    response.content_type = "text/plain";
    return response;
}

/// Everybody may do everything here.
Outcome<Response> Verbs::review(const Call& call) {
    auto object = read_object(call, call.kind->api_version(), call.kind->kind);
    if (!object) {
        return object.failure();
    }
    Json status{Json::Object()};
    if (call.kind->plural == "selfsubjectrulesreviews") {
        status = allow_all();
    } else if (call.kind->plural == "selfsubjectreviews") {
        status = the_user();
    } else {
        status.set("allowed", true);
    }
    (*object)["metadata"].set("creationTimestamp", Json());
    object->set("status", std::move(status));
    Response response;
    response.status = 201;
    response.body = object->dump();
    return response;
}

}  // namespace k8s::embedded
