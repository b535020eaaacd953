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
      pauses_(options.backoff),
      objects_(options.seed, options.keeps_names) {}

ReflectorAction Reflector::next(std::uint32_t random) {
    if (const std::int64_t ms = pauses_.take(); ms > 0) return Pause{ms};
    if (wants_list_) return AskList{list_.continue_token};
    const std::int64_t seconds = std::max<std::int64_t>(options_.watch_timeout_ms_min / 1'000, 1);
    return AskWatch{version_, seconds + static_cast<std::int64_t>(random) % seconds};
}

void Reflector::list_again() {
    wants_list_ = true;
    synced_ = false;
    list_.continue_token.clear();
    list_.version.clear();
    list_.pages = 0;
    list_.bytes = 0;
    watch_failures_ = 0;
}

// Something came by the watch: the server is there, and the next cut is a first one again. Without
// this a connection that breaks every few seconds leaves us blind for most of the time.
void Reflector::on_sign_of_life() {
    watch_.had_event = true;
    watch_failures_ = 0;
    pauses_.reset_backoff();
}

PageVerdict Reflector::on_page(
    const std::string& version, const std::string& continue_token, std::size_t bytes) {
    const bool first = list_.pages == 0;
    if (first) {
        list_.trusts_older = false;
        if (is_older(version, version_)) {
            // A lagging replica for a while; a cluster restored from a backup for good.
            if (++older_lists_ < older_lists_max) {
                pauses_.set(options_.backoff.ms_min);
                return PageVerdict::refused;
            }
            list_.trusts_older = true;
        }
        older_lists_ = 0;
        list_.version = version;
        if (++list_.number == KnownObjects::lists_max) {
            list_.number = 1;  // 0 is of no list
            objects_.forget_lists();
        }
    }
    list_.bytes += bytes;
    if (++list_.pages > options_.pages_max || list_.bytes > options_.list_bytes_max) {
        list_again();
        pauses_.set(options_.backoff.ms_max);
        return PageVerdict::refused;
    }
    list_.continue_token = continue_token;
    return std::exchange(list_.has_begun, true) ? PageVerdict::more : PageVerdict::first;
}

Verdict Reflector::on_item(const ObjectView& item) {
    return store(item, true);
}

std::optional<std::vector<ObjectKey>> Reflector::end_page() {
    if (!list_.continue_token.empty()) return std::nullopt;
    std::vector<ObjectKey> missing;
    for (KnownObjects::Id id = 0; id < objects_.id_end(); ++id) {
        if (!objects_.is_used(id) || objects_.note(id).list == list_.number) continue;
        missing.push_back(ObjectKey{objects_.name(id), objects_.uid(id), objects_.version(id)});
        burials_.bury(missing.back().uid);
        objects_.erase(id);
    }
    version_ = list_.version;
    list_.pages = 0;
    list_.bytes = 0;
    wants_list_ = false;
    list_.has_begun = false;
    synced_ = true;
    return missing;
}

void Reflector::on_list_failed(const Trouble& trouble, std::int64_t now_ms, std::uint32_t random) {
    list_again();
    pauses_.back_off(trouble.retry_after_ms, now_ms, random);
}

void Reflector::on_watch_opened(std::int64_t now_ms) {
    watch_.opened_ms = now_ms;
    watch_.had_event = false;
    watch_.is_replaying = is_no_version(version_);
}

void Reflector::on_watched(WatchEventType type, const ObjectView& object) {
    on_sign_of_life();
    // A watch from no version begins with what exists, in any order: the versions of these say
    // nothing about where the stream is.
    if (type != WatchEventType::added) watch_.is_replaying = false;
    if (!watch_.is_replaying) advance(object.version);
}

Verdict Reflector::on_event(WatchEventType type, const ObjectView& object) {
    on_watched(type, object);
    return type == WatchEventType::deleted ? remove(object) : store(object, false);
}

void Reflector::on_bookmark(const std::string& version) {
    on_sign_of_life();
    watch_.is_replaying = false;
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
    return !list_.trusts_older &&
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
    note.list = list_.number;
    objects_.set_note(id, note);
}

Verdict Reflector::store(const ObjectView& object, bool from_list) {
    Verdict verdict;
    const auto known = objects_.find(object.name);
    if (!known) {
        if (!from_list && burials_.is_buried(object.uid)) return verdict;
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
        if (!from_list && burials_.is_buried(object.uid)) return verdict;
        verdict.deleted =
            ObjectKey{std::string(object.name), objects_.uid(id), objects_.version(id)};
        burials_.bury(verdict.deleted->uid);
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
    burials_.bury(object.uid);
    const auto known = objects_.find(object.name);
    if (!known || !objects_.has_uid(*known, object.uid)) return verdict;
    verdict.deleted =
        ObjectKey{std::string(object.name), std::string(object.uid), std::string(object.version)};
    objects_.erase(*known);
    return verdict;
}

void Reflector::on_watch_failed(const Trouble& trouble, std::int64_t now_ms, std::uint32_t random) {
    if (is_expired(trouble)) {
        list_again();
        // At once the first time, but a server that expires every list must not be hammered.
        if (!watch_.had_event) pauses_.back_off_relist(now_ms, random);
        watch_.had_event = false;
        return;
    }
    const bool list_is_due = is_too_large_version(trouble) ||
                             (!is_passing(trouble) &&
                              (!is_internal(trouble) || ++watch_failures_ >= watch_failures_max));
    if (list_is_due) list_again();
    pauses_.back_off(trouble.retry_after_ms, now_ms, random);
}

void Reflector::on_watch_closed(bool clean, std::int64_t now_ms, std::uint32_t random) {
    if (now_ms - watch_.opened_ms >= healthy_watch_ms) pauses_.reset_backoff();
    const bool very_short = now_ms - watch_.opened_ms < short_watch_ms && !watch_.had_event;
    if (!clean || very_short) pauses_.back_off(-1, now_ms, random);
}

void Reflector::ask_for_list() {
    list_again();
    pauses_.set(0);
}

void Reflector::on_garbage(std::int64_t now_ms, std::uint32_t random) {
    list_again();
    pauses_.back_off_relist(now_ms, random);
}

}  // namespace k8s::protocol
