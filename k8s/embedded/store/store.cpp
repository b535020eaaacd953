#include "k8s/embedded/store/store.hpp"

#include "k8s/embedded/store/json_tools.hpp"

#include <algorithm>

namespace k8s::embedded {

namespace {

bool is_in(const Scope& scope, const Key& key, const StoredPtr& object) {
    return object != nullptr && (scope.space.empty() || scope.space == key.space) &&
           (!scope.matches || scope.matches(object->json));
}

/// The last state that a watcher has seen of an object that no longer matches, with the revision of
/// the change that took it away.
StoredPtr left_view(const Change& change) {
    Json last = change.before->json;
    last["metadata"].set("resourceVersion", std::to_string(change.revision));
    return std::make_shared<const Stored>(std::move(last));
}

std::vector<std::string> owners_of(const Json* object) {
    std::vector<std::string> uids;
    const Json* owners =
        object == nullptr ? nullptr : object->find_path({"metadata", "ownerReferences"});
    if (owners != nullptr) {
        for (const auto& owner : owners->items()) {
            uids.push_back(owner.text({"uid"}));
        }
    }
    return uids;
}

}  // namespace

const std::string& Stored::text() const {
    if (text_.empty()) {
        text_ = json.dump();
    }
    return text_;
}

Store::Store(Limits limits) : limits_(limits), revision_(limits.first_revision) {
    for (const auto& kind : all_kinds()) {
        if (kind.is_stored && &kind.stored_view() == &kind) {
            auto& table = tables_[&kind];
            table.kind = &kind;
            table.compacted = limits.first_revision;
        }
    }
}

Store::Table& Store::table(const Kind& kind) {
    return tables_.at(&kind.stored_view());
}
const Store::Table& Store::table(const Kind& kind) const {
    return tables_.at(&kind.stored_view());
}

StoredPtr Store::find(const Kind& kind, const Key& key) const {
    const auto& objects = table(kind).objects;
    const auto found = objects.find(key);
    return found == objects.end() ? nullptr : found->second;
}

std::optional<Place> Store::find_uid(const std::string& uid) const {
    const auto found = by_uid_.find(uid);
    return found == by_uid_.end() ? std::nullopt : std::optional(found->second);
}

std::vector<Place> Store::dependents(const std::string& uid) const {
    const auto found = by_owner_.find(uid);
    if (found == by_owner_.end()) {
        return {};
    }
    return {found->second.begin(), found->second.end()};
}

std::vector<Place> Store::contents(const std::string& space) const {
    std::vector<Place> places;
    for (const auto& [kind, table] : tables_) {
        if (!kind->namespaced) {
            continue;
        }
        const auto first = table.objects.lower_bound(Key{space, ""});
        for (auto it = first; it != table.objects.end() && it->first.space == space; ++it) {
            places.push_back(Place{kind, it->first});
        }
    }
    return places;
}

StoredPtr Store::put(const Kind& kind, const Key& key, Json object) {
    auto& into = table(kind);
    ++revision_;
    object["metadata"].set("resourceVersion", std::to_string(revision_));
    auto stored = std::make_shared<const Stored>(std::move(object));
    auto& slot = into.objects[key];
    const StoredPtr before = std::exchange(slot, stored);
    index(Place{into.kind, key}, before ? &before->json : nullptr, &stored->json);
    record(into, Change{revision_, false, key, before, stored});
    return stored;
}

StoredPtr Store::erase(const Kind& kind, const Key& key) {
    auto& from = table(kind);
    const auto found = from.objects.find(key);
    if (found == from.objects.end()) {
        return nullptr;
    }
    const StoredPtr before = found->second;
    from.objects.erase(found);
    ++revision_;
    Json last = before->json;
    last["metadata"].set("resourceVersion", std::to_string(revision_));
    auto stored = std::make_shared<const Stored>(std::move(last));
    index(Place{from.kind, key}, &before->json, nullptr);
    record(from, Change{revision_, true, key, before, stored});
    if (on_erased_) {
        on_erased_(Place{from.kind, key}, stored);
    }
    return stored;
}

void Store::on_erased(std::function<void(const Place&, const StoredPtr&)> listener) {
    on_erased_ = std::move(listener);
}

void Store::index(const Place& place, const Json* before, const Json* after) {
    if (before != nullptr) {
        by_uid_.erase(uid_of(*before));
    }
    for (const auto& owner : owners_of(before)) {
        auto& places = by_owner_[owner];
        places.erase(place);
        if (places.empty()) {
            by_owner_.erase(owner);
        }
    }
    if (after != nullptr) {
        by_uid_[uid_of(*after)] = place;
    }
    for (const auto& owner : owners_of(after)) {
        by_owner_[owner].insert(place);
    }
}

void Store::record(Table& table, Change change) {
    if (table.to_lose > 0) {
        --table.to_lose;
        change.is_lost = true;
    }
    table.history.push_back(std::move(change));
    while (table.history.size() > limits_.history_max) {
        table.compacted = table.history.front().revision;
        table.history.pop_front();
    }
    for (const Watch* watch : table.watches) {
        if (watch->wake_) {
            watch->wake_();
        }
    }
}

std::map<Key, StoredPtr> Store::state_at(const Table& table, Revision revision) const {
    // Undoes the changes since then, newest first; what they leave is the state of that moment.
    auto objects = table.objects;
    for (auto it = table.history.rbegin(); it != table.history.rend() && it->revision > revision;
         ++it) {
        if (it->before == nullptr) {
            objects.erase(it->key);
        } else {
            objects[it->key] = it->before;
        }
    }
    return objects;
}

std::optional<Page> Store::list(const Kind& kind, const PageRequest& request) const {
    const auto& from = table(kind);
    const Revision at = request.at == 0 ? revision_ : request.at;
    if (at < from.compacted) {
        return std::nullopt;
    }
    const bool is_now = from.history.empty() || from.history.back().revision <= at;
    const auto old_state = is_now ? std::map<Key, StoredPtr>() : state_at(from, at);
    const auto& objects = is_now ? from.objects : old_state;

    Page page;
    page.revision = at;
    const auto& space = request.scope.space;
    auto it =
        request.after ? objects.upper_bound(*request.after) : objects.lower_bound(Key{space, ""});
    const auto is_within = [&] {
        return it != objects.end() && (space.empty() || it->first.space == space);
    };
    for (; is_within(); ++it) {
        if (!is_in(request.scope, it->first, it->second)) {
            continue;
        }
        if (request.limit != 0 && page.objects.size() == request.limit) {
            page.next = key_of(page.objects.back()->json);
            break;
        }
        page.objects.push_back(it->second);
    }
    if (page.next && !request.scope.matches) {
        for (; is_within(); ++it) {
            ++page.remaining;
        }
    }
    return page;
}

std::unique_ptr<Watch> Store::watch(const Kind& kind, Scope scope, Revision from) {
    return std::make_unique<Watch>(*this, kind, std::move(scope), from);
}

Revision Store::compacted(const Kind& kind) const {
    return table(kind).compacted;
}

Watch::Watch(Store& store, const Kind& kind, Scope scope, Revision from)
    : store_(store), kind_(kind), scope_(std::move(scope)), position_(from) {
    store_.table(kind_).watches.insert(this);
}

Watch::~Watch() {
    store_.table(kind_).watches.erase(this);
}

bool Watch::is_expired() const {
    return position_ < compacted();
}

Revision Watch::compacted() const {
    return store_.compacted(kind_);
}

std::optional<Watch::Event> Watch::next() {
    const auto& history = store_.table(kind_).history;
    if (is_expired()) {
        return std::nullopt;
    }
    auto it = std::upper_bound(
        history.begin(), history.end(), position_, [](Revision revision, const Change& change) {
            return revision < change.revision;
        });
    for (; it != history.end(); ++it) {
        position_ = it->revision;
        if (it->is_lost) {
            continue;
        }
        const bool was_in = is_in(scope_, it->key, it->before);
        const bool is_now_in = !it->is_deletion && is_in(scope_, it->key, it->after);
        if (is_now_in) {
            return Event{was_in ? Type::modified : Type::added, it->after};
        }
        if (was_in) {
            return Event{Type::deleted, it->is_deletion ? it->after : left_view(*it)};
        }
    }
    position_ = std::max(position_, store_.revision());
    return std::nullopt;
}

}  // namespace k8s::embedded
