#include "k8s/embedded/api/removal.hpp"

#include "k8s/base/time.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

constexpr std::int64_t pod_grace_s = 30;
constexpr std::string_view foreground = "foregroundDeletion";
constexpr std::string_view foreground_policy = "Foreground";

const Json::Array& finalizers_of(const Json& object) {
    static const Json::Array none;
    const Json* found = object.find_path({"metadata", "finalizers"});
    return found == nullptr ? none : found->items();
}

bool has_finalizer(const Json& object, std::string_view name) {
    const auto& all = finalizers_of(object);
    return std::any_of(
        all.begin(), all.end(), [&](const Json& one) { return one.as_string() == name; });
}

/// Pods that run somewhere are ended by their kubelet; nothing else waits.
std::int64_t grace_of(const Kind& kind, const Json& object, const DeleteOptions& options) {
    const auto& phase = object.text({"status", "phase"});
    const bool is_ended = phase == "Succeeded" || phase == "Failed";
    if (kind.plural != "pods" || is_ended || object.text({"spec", "nodeName"}).empty()) {
        return 0;
    }
    const Json* wanted = object.find_path({"spec", "terminationGracePeriodSeconds"});
    const auto grace = options.grace_s.value_or(wanted ? wanted->as_int() : pod_grace_s);
    return grace < 0 ? 1 : grace;
}

std::optional<Failure> check_preconditions(
    const Kind& kind, const Json& object, const DeleteOptions& options) {
    // These conflicts name the kind where others name the resource.
    Kind named = kind;
    named.plural = kind.kind;
    const auto refuse =
        [&](const std::string& what, const std::string& wanted, const std::string& present) {
            return conflict(
                named,
                name_of(object),
                "the " + what + " in the precondition (" + wanted + ") does not match the " + what +
                    " in record (" + present + "). The object might have been " +
                    (what == "UID" ? "deleted and then recreated" : "modified"));
        };
    if (!options.uid.empty() && options.uid != uid_of(object)) {
        return refuse("UID", options.uid, uid_of(object));
    }
    if (!options.resource_version.empty() && options.resource_version != version_of(object)) {
        return refuse("ResourceVersion", options.resource_version, version_of(object));
    }
    return std::nullopt;
}

bool is_immortal(std::string_view space) {
    return space == "default" || space == "kube-system" || space == "kube-public";
}

std::int64_t present_grace(const Json& object) {
    const Json* grace = object.find_path({"metadata", "deletionGracePeriodSeconds"});
    return grace == nullptr ? 0 : grace->as_int();
}

}  // namespace

Removal::Removal(Store& store, std::function<std::int64_t()> now_ms, std::function<void()> on_work)
    : store_(store), now_ms_(std::move(now_ms)), on_work_(std::move(on_work)) {
    store_.on_erased(
        [this](const Place& place, const StoredPtr& object) { erased(place, object); });
}

Removal::~Removal() {
    store_.on_erased({});
}

void Removal::queue(std::function<void()> work) {
    work_.push_back(std::move(work));
    on_work_();
}

void Removal::run() {
    while (!work_.empty()) {
        const auto work = std::move(work_.front());
        work_.pop_front();
        work();
    }
}

Outcome<Removed> Removal::remove(const Kind& kind, const Key& key, const DeleteOptions& options) {
    const auto object = store_.find(kind, key);
    if (object == nullptr) {
        return not_found(kind, key.name);
    }
    if (auto failure = check_preconditions(kind, object->json, options)) {
        return std::move(*failure);
    }
    const bool is_space = kind.plural == "namespaces";
    if (is_space && is_immortal(key.name)) {
        return forbidden(kind, key.name, "this namespace may not be deleted");
    }
    if (options.is_dry_run) {
        return Removed{object, true};
    }
    if (is_space) {
        queue([this, name = key.name] { empty_namespace(name); });
        return is_deleting(object->json) ? Removed{object, false} : mark(kind, object, 0);
    }
    return remove_present(kind, object, options);
}

Removed Removal::remove_present(
    const Kind& kind, const StoredPtr& object, const DeleteOptions& options) {
    const auto& json = object->json;
    const auto key = key_of(json);
    const auto grace = grace_of(kind, json, options);
    if (is_deleting(json) && grace >= present_grace(json)) {
        // Only a shorter grace means anything to an object that is going already. With none left
        // it waits for finalizers; or it was stored that way and nothing holds it.
        const bool is_held = present_grace(json) > 0 || !finalizers_of(json).empty();
        return is_held ? Removed{object, false} : end(kind, key);
    }
    auto held = object;
    if (options.propagation == "Orphan") {
        orphan_dependents(uid_of(json));
    } else if (
        options.propagation == foreground_policy && !store_.dependents(uid_of(json)).empty() &&
        !has_finalizer(json, foreground)) {
        Json with_finalizer = json;
        with_finalizer["metadata"]["finalizers"].items().emplace_back(foreground);
        held = std::make_shared<const Stored>(std::move(with_finalizer));
        queue([this, uid = uid_of(json)] {
            collect_dependents(uid);
            finish_owner(uid);
        });
    }
    if (grace > 0 || !finalizers_of(held->json).empty()) {
        return mark(kind, held, grace);
    }
    return end(kind, key);
}

/// A pod is answered as if it had been marked first; the watch shows it as it was stored.
Removed Removal::end(const Kind& kind, const Key& key) {
    auto object = store_.erase(kind, key);
    if (kind.plural != "pods") {
        return {std::move(object), true};
    }
    Json json = object->json;
    set_deletion(json, 0);
    return {std::make_shared<const Stored>(std::move(json)), true};
}

void Removal::set_deletion(Json& json, std::int64_t grace_s) const {
    const bool is_first = !is_deleting(json);
    auto& metadata = json["metadata"];
    metadata.set("deletionTimestamp", k8s::format_time(now_ms_() + grace_s * 1000));
    metadata.set("deletionGracePeriodSeconds", grace_s);
    if (const auto generation = metadata["generation"].as_int(); generation > 0) {
        metadata.set("generation", generation + (is_first ? 1 : 0));
    } else {
        metadata.erase("generation");
    }
}

Removed Removal::mark(const Kind& kind, const StoredPtr& object, std::int64_t grace_s) {
    Json json = object->json;
    set_deletion(json, grace_s);
    if (kind.plural == "namespaces") {
        json["metadata"].erase("deletionGracePeriodSeconds");
        json["status"].set("phase", "Terminating");
    }
    const auto key = key_of(json);
    return {store_.put(kind, key, std::move(json)), false};
}

void Removal::after_create(const Kind& kind, const StoredPtr& object) {
    const Json* owners = object->json.find_path({"metadata", "ownerReferences"});
    if (owners != nullptr && !owners->items().empty()) {
        queue([this, place = Place{&kind.stored_view(), key_of(object->json)}] { collect(place); });
    }
}

StoredPtr Removal::after_update(const Kind& kind, const StoredPtr& object) {
    const auto& json = object->json;
    if (!is_deleting(json) || !finalizers_of(json).empty() || present_grace(json) > 0 ||
        kind.plural == "namespaces") {
        return object;
    }
    return store_.erase(kind, key_of(json));
}

void Removal::erased(const Place& place, const StoredPtr& object) {
    const auto& json = object->json;
    queue([this, uid = uid_of(json)] { collect_dependents(uid); });
    if (const Json* owners = json.find_path({"metadata", "ownerReferences"})) {
        for (const auto& owner : owners->items()) {
            queue([this, uid = owner.text({"uid"})] { finish_owner(uid); });
        }
    }
    const auto space = store_.find(core_kind("namespaces"), Key{"", place.key.space});
    if (!place.key.space.empty() && space != nullptr && is_deleting(space->json)) {
        queue([this, name = place.key.space] { empty_namespace(name); });
    }
}

void Removal::collect_dependents(const std::string& uid) {
    for (const auto& place : store_.dependents(uid)) {
        collect(place);
    }
}

/// Goes when no owner is left that is not itself waiting for its dependents.
void Removal::collect(const Place& place) {
    const auto object = store_.find(*place.kind, place.key);
    const Json* owners =
        object == nullptr ? nullptr : object->json.find_path({"metadata", "ownerReferences"});
    if (owners == nullptr || owners->items().empty()) {
        return;
    }
    for (const auto& owner : owners->items()) {
        const auto at = store_.find_uid(owner.text({"uid"}));
        const auto present = at ? store_.find(*at->kind, at->key) : nullptr;
        if (present != nullptr && !has_finalizer(present->json, foreground)) {
            return;
        }
    }
    DeleteOptions options;
    options.propagation = "Background";
    options.uid = uid_of(object->json);
    static_cast<void>(remove(*place.kind, place.key, options));
}

void Removal::orphan_dependents(const std::string& uid) {
    for (const auto& place : store_.dependents(uid)) {
        Json json = store_.find(*place.kind, place.key)->json;
        auto& owners = json["metadata"]["ownerReferences"].items();
        std::erase_if(owners, [&](const Json& owner) { return owner.text({"uid"}) == uid; });
        if (owners.empty()) {
            json["metadata"].erase("ownerReferences");
        }
        store_.put(*place.kind, place.key, std::move(json));
    }
}

/// An owner that waits for its dependents goes with the last of them.
void Removal::finish_owner(const std::string& uid) {
    const auto place = store_.find_uid(uid);
    const auto owner = place ? store_.find(*place->kind, place->key) : nullptr;
    if (owner == nullptr || !has_finalizer(owner->json, foreground) ||
        !store_.dependents(uid).empty()) {
        return;
    }
    Json json = owner->json;
    auto& finalizers = json["metadata"]["finalizers"].items();
    std::erase_if(finalizers, [](const Json& one) { return one.as_string() == foreground; });
    after_update(*place->kind, store_.put(*place->kind, place->key, std::move(json)));
}

void Removal::empty_namespace(const std::string& name) {
    const auto& kind = core_kind("namespaces");
    const auto space = store_.find(kind, Key{"", name});
    if (space == nullptr || !is_deleting(space->json)) {
        return;
    }
    for (const auto& place : store_.contents(name)) {
        DeleteOptions options;
        options.propagation = "Background";
        static_cast<void>(remove(*place.kind, place.key, options));
    }
    if (store_.contents(name).empty() && finalizers_of(space->json).empty()) {
        store_.erase(kind, Key{"", name});
    }
}

}  // namespace k8s::embedded
