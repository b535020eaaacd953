#include "k8s/protocol/reflector.hpp"

#include "k8s/protocol/version.hpp"

#include <algorithm>
#include <utility>

namespace k8s::protocol {
namespace {

constexpr std::int64_t short_watch_ms = 1'000;
constexpr std::int64_t healthy_watch_ms = 5'000;  // one that lived so long is not hammering
constexpr std::int32_t watch_failures_max = 3;
constexpr std::int32_t older_lists_max = 5;
constexpr std::size_t buried_max = 1'024;

bool is_expired(const Trouble& trouble) {
    return trouble.status == 410 || trouble.reason == "Expired" || trouble.reason == "Gone";
}

// Old servers say it in words only.
bool is_too_large_version(const Trouble& trouble) {
    return trouble.version_too_large ||
           trouble.message.find("Too large resource version") != std::string::npos;
}

// Asking again for the same watch is right: the server is away or busy, the version is still good.
bool is_passing(const Trouble& trouble) {
    return trouble.status == 0 || trouble.status == 401 || trouble.status == 403 ||
           trouble.status == 429 || trouble.status == 503;
}

// The server failed. The same watch may work in a moment, but not for ever.
bool is_internal(const Trouble& trouble) {
    return trouble.status >= 500;
}

// A server that knows no version of a list says "0".
bool is_no_version(const std::string& version) {
    return version.empty() || version == "0";
}

bool is_older(std::string_view a, std::string_view b) {
    return compare_versions(a, b) == std::partial_ordering::less;
}

}  // namespace

Reflector::Reflector(ReflectorOptions options)
    : options_(options),
      backoff_(options.backoff),
      relist_backoff_(options.backoff),
      objects_(options.seed, options.keeps_names) {}

ReflectorAction Reflector::next(std::uint32_t random) {
    if (pause_ms_ > 0) return Pause{std::exchange(pause_ms_, 0)};
    if (wants_list_) return AskList{continue_token_};
    const std::int64_t seconds = std::max<std::int64_t>(options_.watch_timeout_ms_min / 1'000, 1);
    return AskWatch{version_, seconds + static_cast<std::int64_t>(random) % seconds};
}

void Reflector::list_again() {
    wants_list_ = true;
    synced_ = false;
    continue_token_.clear();
    list_version_.clear();
    pages_ = 0;
    list_bytes_ = 0;
    watch_failures_ = 0;
}

void Reflector::back_off(std::int64_t asked_ms, std::int64_t now_ms, std::uint32_t random) {
    pause_ms_ = backoff_.failed(now_ms, random) + std::max<std::int64_t>(asked_ms, 0);
}

// What the server sent made a list necessary. That it sends says nothing for it, so these pauses
// grow whatever comes between them.
void Reflector::back_off_relist(std::int64_t now_ms, std::uint32_t random) {
    pause_ms_ = relist_backoff_.failed(now_ms, random);
}

// Something came by the watch: the server is there, and the next cut is a first one again. Without
// this a connection that breaks every few seconds leaves us blind for most of the time.
void Reflector::on_sign_of_life() {
    watch_had_event_ = true;
    watch_failures_ = 0;
    backoff_.reset();
}

PageVerdict Reflector::on_page(
    const std::string& version, const std::string& continue_token, std::size_t bytes) {
    const bool first = pages_ == 0;
    if (first) {
        trust_older_ = false;
        if (is_older(version, version_)) {
            // A lagging replica for a while; a cluster restored from a backup for good.
            if (++older_lists_ < older_lists_max) {
                pause_ms_ = options_.backoff.ms_min;
                return PageVerdict::refused;
            }
            trust_older_ = true;
        }
        older_lists_ = 0;
        list_version_ = version;
        if (++list_number_ == KnownObjects::lists_max) {
            list_number_ = 1;  // 0 is of no list
            objects_.forget_lists();
        }
    }
    list_bytes_ += bytes;
    if (++pages_ > options_.pages_max || list_bytes_ > options_.list_bytes_max) {
        list_again();
        pause_ms_ = options_.backoff.ms_max;
        return PageVerdict::refused;
    }
    continue_token_ = continue_token;
    return std::exchange(begun_, true) ? PageVerdict::more : PageVerdict::first;
}

Verdict Reflector::on_item(const ObjectView& item) {
    return store(item, true);
}

std::optional<std::vector<ObjectKey>> Reflector::end_page() {
    if (!continue_token_.empty()) return std::nullopt;
    std::vector<ObjectKey> missing;
    for (KnownObjects::Id id = 0; id < objects_.id_end(); ++id) {
        if (!objects_.is_used(id) || objects_.note(id).list == list_number_) continue;
        missing.push_back(ObjectKey{objects_.name(id), objects_.uid(id), objects_.version(id)});
        bury(missing.back().uid);
        objects_.erase(id);
    }
    version_ = list_version_;
    pages_ = 0;
    list_bytes_ = 0;
    wants_list_ = false;
    begun_ = false;
    synced_ = true;
    return missing;
}

void Reflector::on_list_failed(const Trouble& trouble, std::int64_t now_ms, std::uint32_t random) {
    list_again();
    back_off(trouble.retry_after_ms, now_ms, random);
}

void Reflector::on_watch_opened(std::int64_t now_ms) {
    watch_opened_ms_ = now_ms;
    watch_had_event_ = false;
    replaying_ = is_no_version(version_);
}

void Reflector::on_watched(WatchEventType type, const ObjectView& object) {
    on_sign_of_life();
    // A watch from no version begins with what exists, in any order: the versions of these say
    // nothing about where the stream is.
    if (type != WatchEventType::added) replaying_ = false;
    if (!replaying_) advance(object.version);
}

Verdict Reflector::on_event(WatchEventType type, const ObjectView& object) {
    on_watched(type, object);
    return type == WatchEventType::deleted ? remove(object) : store(object, false);
}

void Reflector::on_bookmark(const std::string& version) {
    on_sign_of_life();
    replaying_ = false;
    advance(version);
}

// Versions of one stream grow; a late or repeated event must not turn the next watch back.
void Reflector::advance(std::string_view version) {
    if (!version.empty() && !is_older(version, version_)) version_ = version;
}

std::optional<Verdict> Reflector::on_repeat(WatchEventType type, const ObjectView& object) {
    const auto known = objects_.find(object.name);
    if (!known || object.fingerprint == 0 ||
        objects_.note(*known).fingerprint != object.fingerprint ||
        !objects_.has_uid(*known, object.uid)) {
        return std::nullopt;
    }
    on_watched(type, object);
    // What store() does of an object of the same uid; what is noted of it stays.
    Verdict verdict;
    const bool older = is_older_than_known(object, *known);
    if (older || objects_.has_version(*known, object.version)) return verdict;
    objects_.set_version(*known, object.version);
    verdict.upsert = true;
    return verdict;
}

bool Reflector::is_older_than_known(const ObjectView& object, KnownObjects::Id id) const {
    return !trust_older_ &&
           objects_.compare_version(object.version, id) == std::partial_ordering::less;
}

/// What the receiver is told now.
void Reflector::note(KnownObjects::Id id, const ObjectView& object) {
    KnownObjects::Note note = objects_.note(id);
    note.for_good = note.for_good || object.for_good;
    note.fingerprint = note.for_good ? 0 : object.fingerprint;
    objects_.set_note(id, note);
}

void Reflector::mark_listed(KnownObjects::Id id) {
    KnownObjects::Note note = objects_.note(id);
    note.list = list_number_;
    objects_.set_note(id, note);
}

Verdict Reflector::store(const ObjectView& object, bool from_list) {
    Verdict verdict;
    const auto known = objects_.find(object.name);
    if (!known) {
        if (!from_list && is_buried(object.uid)) return verdict;
        const auto id = objects_.insert(object.name, object.uid, object.version);
        mark_listed(id);
        note(id, object);
        verdict.upsert = true;
        return verdict;
    }
    const KnownObjects::Id id = *known;
    const bool same_uid = objects_.has_uid(id, object.uid);
    const bool older = is_older_than_known(object, id);
    if (from_list) mark_listed(id);
    if (older || (!from_list && same_uid && objects_.has_version(id, object.version))) {
        return verdict;
    }
    if (!same_uid) {
        if (!from_list && is_buried(object.uid)) return verdict;
        verdict.deleted =
            ObjectKey{std::string(object.name), objects_.uid(id), objects_.version(id)};
        bury(verdict.deleted->uid);
        objects_.set_uid(id, object.uid);
        objects_.set_note(id, {0, objects_.note(id).list, false});
    }
    objects_.set_version(id, object.version);
    note(id, object);
    verdict.upsert = true;
    return verdict;
}

Verdict Reflector::remove(const ObjectView& object) {
    Verdict verdict;
    bury(object.uid);
    const auto known = objects_.find(object.name);
    if (!known || !objects_.has_uid(*known, object.uid)) return verdict;
    verdict.deleted =
        ObjectKey{std::string(object.name), std::string(object.uid), std::string(object.version)};
    objects_.erase(*known);
    return verdict;
}

void Reflector::bury(std::string_view text) {
    const auto [buried, inserted] = buried_.emplace(text);
    if (!inserted) return;
    const std::string& uid = *buried;
    if (burial_order_.size() < buried_max) {
        burial_order_.push_back(uid);
        return;
    }
    buried_.erase(burial_order_[burial_next_]);
    burial_order_[burial_next_] = uid;
    burial_next_ = (burial_next_ + 1) % buried_max;
}

void Reflector::on_watch_failed(const Trouble& trouble, std::int64_t now_ms, std::uint32_t random) {
    if (is_expired(trouble)) {
        list_again();
        // At once the first time, but a server that expires every list must not be hammered.
        if (!watch_had_event_) back_off_relist(now_ms, random);
        watch_had_event_ = false;
        return;
    }
    const bool list_is_due = is_too_large_version(trouble) ||
                             (!is_passing(trouble) &&
                              (!is_internal(trouble) || ++watch_failures_ >= watch_failures_max));
    if (list_is_due) list_again();
    back_off(trouble.retry_after_ms, now_ms, random);
}

void Reflector::on_watch_closed(bool clean, std::int64_t now_ms, std::uint32_t random) {
    if (now_ms - watch_opened_ms_ >= healthy_watch_ms) backoff_.reset();
    const bool very_short = now_ms - watch_opened_ms_ < short_watch_ms && !watch_had_event_;
    if (!clean || very_short) back_off(-1, now_ms, random);
}

void Reflector::ask_for_list() {
    list_again();
    pause_ms_ = 0;
}

void Reflector::on_garbage(std::int64_t now_ms, std::uint32_t random) {
    list_again();
    back_off_relist(now_ms, random);
}

}  // namespace k8s::protocol
