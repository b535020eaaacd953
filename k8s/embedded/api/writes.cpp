#include "k8s/embedded/api/writes.hpp"

#include "k8s/base/time.hpp"
#include "k8s/embedded/admission/check_events.hpp"
#include "k8s/embedded/admission/quota/pod_quota.hpp"
#include "k8s/embedded/query/events_view.hpp"
#include "k8s/embedded/store/json_tools.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace k8s::embedded {

namespace {

/// kind, apiVersion and metadata first, as the real server answers; lists rely on it.
Json arrange(const Kind& kind, Json object) {
    Json::Object members;
    members.emplace_back("kind", kind.kind);
    members.emplace_back("apiVersion", kind.api_version());
    members.emplace_back("metadata", std::move(object["metadata"]));
    for (auto& [key, value] : object.members()) {
        if (key != "kind" && key != "apiVersion" && key != "metadata") {
            members.emplace_back(std::move(key), std::move(value));
        }
    }
    return Json(std::move(members));
}

void copy_member(const Json& from, Json& to, std::string_view key) {
    const Json* value = from.find(key);
    if (value == nullptr) {
        to.erase(key);
    } else {
        to.set(key, *value);
    }
}

/// What the status subresource may change: the status, and a pod's or node's labels and
/// annotations too, as the real server lets it.
Json status_change(const Kind& kind, const Json& stored, const Json& object) {
    Json result = stored;
    copy_member(object, result, "status");
    if (kind.plural == "pods" || kind.plural == "nodes") {
        const Json* metadata = object.find("metadata");
        for (const auto* name : {"labels", "annotations"}) {
            copy_member(metadata == nullptr ? Json() : *metadata, result["metadata"], name);
        }
    }
    const Json* books = object.find_path({"metadata", "managedFields"});
    if (books != nullptr) {
        result["metadata"].set("managedFields", *books);
    }
    return result;
}

/// Members that an update cannot change, whatever the client sent.
Json keep_fixed(const Kind& kind, const Json& stored, Json object) {
    if (kind.has_status()) {
        copy_member(stored, object, "status");
    }
    const Json& before = *stored.find("metadata");
    auto& metadata = object["metadata"];
    for (const auto* name : {"name", "namespace", "uid", "creationTimestamp", "generation"}) {
        copy_member(before, metadata, name);
    }
    if (metadata.find("managedFields") == nullptr) {
        copy_member(before, metadata, "managedFields");
    }
    return object;
}

void count_generation(const Kind& kind, const Json& stored, Json& object) {
    if (!kind.has_generation) {
        return;
    }
    const auto strip = [](Json value) {
        value.erase("metadata");
        value.erase("status");
        return value;
    };
    if (!same_json(strip(stored), strip(object))) {
        const auto before = stored.find_path({"metadata", "generation"});
        object["metadata"].set("generation", (before == nullptr ? 0 : before->as_int()) + 1);
    }
}

/// A deleted object gets no new finalizers: somebody might wait for it for ever.
std::optional<Failure> check_finalizers(const Kind& kind, const Json& stored, const Json& object) {
    const Json* wanted = object.find_path({"metadata", "finalizers"});
    if (!is_deleting(stored) || wanted == nullptr) {
        return std::nullopt;
    }
    const Json* present = stored.find_path({"metadata", "finalizers"});
    const auto known = present == nullptr ? Json::Array() : present->items();
    for (const auto& one : wanted->items()) {
        if (std::find(known.begin(), known.end(), one) == known.end()) {
            return invalid(
                kind,
                name_of(stored),
                {Cause{
                    "metadata.finalizers",
                    "FieldValueForbidden",
                    "Forbidden: no new finalizers can be added if the object is being deleted, "
                    "found new finalizers []string{\"" +
                        one.as_string() + "\"}"}});
        }
    }
    return std::nullopt;
}

}  // namespace

Writes::Writes(Store& store, Removal& removal, std::function<std::int64_t()> now_ms)
    : store_(store),
      removal_(removal),
      now_ms_(std::move(now_ms)),
      random_(
          (static_cast<std::uint64_t>(std::random_device()()) << 32U) ^ std::random_device()()) {}

std::string Writes::make_uid() {
    constexpr std::uint64_t version_4 = 0x4000;
    constexpr std::uint64_t variant = 0x8000;
    const auto high = random_();
    const auto low = random_();
    return fmt::format(
        "{:08x}-{:04x}-{:04x}-{:04x}-{:012x}",
        high >> 32U,
        (high >> 16U) & 0xffffU,
        (high & 0xfffU) | version_4,
        ((low >> 48U) & 0x3fffU) | variant,
        low & 0xffff'ffff'ffffU);
}

Surroundings Writes::surroundings() {
    Surroundings around;
    around.find_priority_class = [this](std::string_view name) -> const Json* {
        const auto* kind = find_kind("scheduling.k8s.io", "v1", "priorityclasses");
        const auto found = store_.find(*kind, Key{"", std::string(name)});
        return found == nullptr ? nullptr : &found->json;
    };
    around.storage_classes = [this] {
        const auto* kind = find_kind("storage.k8s.io", "v1", "storageclasses");
        const auto page = store_.list(*kind, PageRequest{});
        std::vector<const Json*> classes;
        for (const auto& object : page->objects) classes.push_back(&object->json);
        return classes;
    };
    around.now = [this] { return k8s::format_time(now_ms_()); };
    around.next_number = [this] { return ++next_number_; };
    return around;
}

Outcome<std::string> Writes::take_name(const Kind& kind, const Json& object) {
    if (!name_of(object).empty()) {
        return name_of(object);
    }
    auto name = object.text({"metadata", "generateName"});
    if (name.empty()) {
        return invalid(
            kind,
            "",
            {Cause{
                "metadata.name",
                "FieldValueRequired",
                "Required value: name or generateName is required"}});
    }
    // No vowels and no look-alikes, so that no words come out.
    constexpr std::string_view letters = "bcdfghjklmnpqrstvwxz2456789";
    constexpr std::size_t suffix = 5;
    constexpr std::size_t base_max = 58;
    name.resize(std::min(name.size(), base_max));
    for (std::size_t i = 0; i < suffix; ++i) {
        name.push_back(letters[random_() % letters.size()]);
    }
    return name;
}

std::optional<Failure> Writes::check_space(
    const Kind& kind, const std::string& space, const Json& object) {
    if (!kind.namespaced) {
        return std::nullopt;
    }
    const auto& given = space_of(object);
    if (!given.empty() && given != space) {
        return bad_request(
            "the namespace of the provided object does not match the namespace sent on the "
            "request");
    }
    const auto& spaces = core_kind("namespaces");
    const auto found = store_.find(spaces, Key{"", space});
    if (found == nullptr) {
        return not_found(spaces, space);
    }
    if (is_deleting(found->json)) {
        auto failure = forbidden(
            kind,
            name_of(object),
            "unable to create new content in namespace " + space +
                " because it is being terminated");
        Json cause{Json::Object()};
        cause.set("reason", "NamespaceTerminating");
        cause.set("message", "namespace " + space + " is being terminated");
        cause.set("field", "metadata.namespace");
        failure.details.set("causes", Json::Array{std::move(cause)});
        return failure;
    }
    return std::nullopt;
}

/// What the server says about a new object, whatever the client wrote there.
Json Writes::stamp_new(const Kind& kind, const Key& key, Json object) {
    if (kind.has_status() && kind.plural != "nodes") {
        object.erase("status");
    }
    auto& metadata = object["metadata"];
    metadata.set("name", key.name);
    metadata.set("uid", make_uid());
    metadata.set("creationTimestamp", k8s::format_time(now_ms_()));
    for (const auto* field :
         {"namespace",
          "generation",
          "deletionTimestamp",
          "deletionGracePeriodSeconds",
          "selfLink"}) {
        metadata.erase(field);
    }
    if (kind.namespaced) {
        metadata.set("namespace", key.space);
    }
    if (kind.has_generation) {
        metadata.set("generation", 1);
    }
    return object;
}

Outcome<StoredPtr> Writes::create(
    const Kind& kind, const std::string& space, Json object, const WriteOptions& options) {
    if (auto failure = check_space(kind, space, object)) {
        return std::move(*failure);
    }
    if (!version_of(object).empty()) {
        return unworded_error("resourceVersion should not be set on objects to be created");
    }
    auto name = take_name(kind, object);
    if (!name) {
        return name.failure();
    }
    const auto& stored_kind = kind.stored_view();
    if (&stored_kind != &kind) {
        Checks checks;
        check_new_event(object, checks);
        if (!checks.causes().empty()) {
            return invalid(stored_kind, *name, checks.causes());
        }
    }
    object = stamp_new(kind, Key{space, *name}, from_view(kind, std::move(object)));
    // What admission adds belongs to nobody, as on the real server.
    const Json booked = note_update(stored_kind, Json(), object, options.writer);
    if (auto failure = admit_create(stored_kind, object, surroundings())) {
        return std::move(*failure);
    }
    const Key key = key_of(object);
    if (store_.find(stored_kind, key) != nullptr) {
        return already_exists(kind, *name);
    }
    copy_member(*booked.find("metadata"), object["metadata"], "managedFields");
    object = arrange(stored_kind, std::move(object));
    std::vector<Json> quotas;
    if (stored_kind.plural == "pods") {
        auto charged = charge_quotas(store_, stored_kind, space, object);
        if (!charged) {
            return charged.failure();
        }
        quotas = *std::move(charged);
    }
    if (options.is_dry_run) {
        return std::make_shared<const Stored>(std::move(object));
    }
    for (Json& quota : quotas) {
        put(core_kind("resourcequotas"), std::move(quota));
    }
    auto created = store_.put(stored_kind, key, std::move(object));
    removal_.after_create(stored_kind, created);
    if (kind.plural == "namespaces") {
        add_service_account(*name);
    }
    return created;
}

/// What the service account controller does for every new namespace.
void Writes::add_service_account(const std::string& space) {
    Json account{Json::Object()};
    account["metadata"].set("name", "default");
    const auto made = create(core_kind("serviceaccounts"), space, std::move(account), {});
    ENSURE(static_cast<bool>(made));
}

Outcome<StoredPtr> Writes::update(
    const Kind& kind, const StoredPtr& stored, Json object, const WriteOptions& options) {
    const auto& before = stored->json;
    const auto& stored_kind = kind.stored_view();
    object = from_view(kind, std::move(object));
    const auto& version = version_of(object);
    if (!version.empty() && version != version_of(before)) {
        return modified(kind, name_of(before));
    }
    if (!uid_of(object).empty() && uid_of(object) != uid_of(before)) {
        return invalid(
            kind,
            name_of(before),
            {Cause{
                "metadata.uid",
                "FieldValueInvalid",
                "Invalid value: \"" + uid_of(object) + "\": field is immutable"}});
    }
    if (auto failure = check_finalizers(kind, before, object)) {
        return std::move(*failure);
    }
    object["metadata"].set("resourceVersion", version_of(before));
    for (const auto* name : {"finalizers", "ownerReferences"}) {
        const Json* list = object["metadata"].find(name);
        if (list != nullptr && list->is_array() && list->items().empty()) {
            object["metadata"].erase(name);
        }
    }
    object = options.is_status ? status_change(stored_kind, before, object)
                               : keep_fixed(stored_kind, before, std::move(object));
    auto failure = options.is_status ? admit_status(stored_kind, before, object, surroundings())
                                     : admit_update(stored_kind, before, object, surroundings());
    if (failure) {
        return std::move(*failure);
    }
    if (!options.is_status) {
        count_generation(stored_kind, before, object);
    }
    object =
        note_update(stored_kind, before, arrange(stored_kind, std::move(object)), options.writer);
    if (same_json(before, object)) {
        return stored;
    }
    if (options.is_dry_run) {
        return std::make_shared<const Stored>(std::move(object));
    }
    return put(stored_kind, std::move(object));
}

StoredPtr Writes::put(const Kind& kind, Json object) {
    const auto key = key_of(object);
    return removal_.after_update(kind, store_.put(kind, key, std::move(object)));
}

}  // namespace k8s::embedded
