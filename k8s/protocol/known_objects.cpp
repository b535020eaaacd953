#include "k8s/protocol/known_objects.hpp"

#include "core/base/result.hpp"
#include "k8s/protocol/version.hpp"

#include <algorithm>
#include <limits>

namespace k8s::protocol {
namespace {

constexpr KnownObjects::Id none = std::numeric_limits<KnownObjects::Id>::max();
constexpr std::size_t index_size_min = 64;
constexpr std::size_t version_digits_max = 13;  // of milliseconds, as the embedded plane counts
constexpr std::uint64_t version_mask = (std::uint64_t{1} << 44) - 1;  // any such number fits
constexpr std::uint64_t fingerprint_mask = (std::uint64_t{1} << 61) - 1;

}  // namespace

KnownObjects::KnownObjects(Seed seed, bool keeps_names)
    : first_(seed.first), second_(seed.second), keeps_names_(keeps_names) {
    // What the table costs a pod is promised.
    static_assert(sizeof(Slot) <= 40);
    static_assert(lists_max == 1U << 5);  // as many as fit in a slot's bits
}

KnownObjects::Hash KnownObjects::hash(std::string_view name) const {
    Fingerprint first = first_;
    Fingerprint second = second_;
    first.add(1, name);
    second.add(1, name);
    // Once more times the secret point: or names that differ in their last letters alone, as those
    // of one application do, would lie side by side.
    first.add(0);
    return Hash{first.value(), second.value() & second_mask};
}

/// Where the index has this name, or the free place where it would be.
std::size_t KnownObjects::place_of(const Hash& hash) const {
    const std::size_t mask = index_.size() - 1;
    std::size_t place = hash.first & mask;
    while (index_[place] != none && !slots_[index_[place]].has_name(hash)) {
        place = (place + 1) & mask;
    }
    return place;
}

std::size_t KnownObjects::longest_search() const {
    std::size_t longest = 0;
    for (Id id = 0; id < id_end(); ++id) {
        const Slot& slot = slots_[id];
        if (!slot.used) continue;
        const std::size_t mask = index_.size() - 1;
        longest = std::max(longest, (place_of(slot.name()) - slot.name_first) & mask);
    }
    return longest;
}

std::optional<KnownObjects::Id> KnownObjects::find(std::string_view name) const {
    if (index_.empty()) return std::nullopt;
    const Id id = index_[place_of(hash(name))];
    return id == none ? std::nullopt : std::optional(id);
}

void KnownObjects::grow() {
    const std::size_t size = std::max(index_size_min, index_.size() * 2);
    index_.assign(size, none);
    for (Id id = 0; id < id_end(); ++id) {
        if (slots_[id].used) index_[place_of(slots_[id].name())] = id;
    }
}

KnownObjects::Id KnownObjects::insert(
    std::string_view name, std::string_view uid, std::string_view version) {
    if ((size_ + 1) * 4 > index_.size() * 3) grow();
    const Hash wanted = hash(name);
    const std::size_t place = place_of(wanted);
    ENSURE(index_[place] == none);
    Id id = id_end();
    if (free_.empty()) {
        ENSURE(id != none);
        slots_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
        slots_[id] = Slot();
    }
    index_[place] = id;
    ++size_;
    slots_[id].set_name(wanted);
    slots_[id].used = true;
    if (keeps_names_) {
        if (names_.size() <= id) names_.resize(id + 1);
        names_[id] = name;
    }
    set_uid(id, uid);
    set_version(id, version);
    return id;
}

void KnownObjects::erase(Id id) {
    Slot& slot = slots_[id];
    ENSURE(slot.used);
    const std::size_t mask = index_.size() - 1;
    std::size_t hole = place_of(slot.name());
    // What lies behind and was pushed on by it moves up.
    for (std::size_t at = (hole + 1) & mask; index_[at] != none; at = (at + 1) & mask) {
        const std::size_t home = slots_[index_[at]].name_first & mask;
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index_[hole] = index_[at];
            hole = at;
        }
    }
    index_[hole] = none;
    if (slot.uid_is_text) drop_text(slot.uid.words[0]);
    if (slot.version_is_text) drop_text(slot.version);
    if (keeps_names_) names_[id].clear();
    slot = Slot();
    free_.push_back(id);
    --size_;
}

std::optional<std::uint64_t> KnownObjects::parse_version(std::string_view text) {
    if (text.empty() || text.size() > version_digits_max || text.front() == '0') {
        return std::nullopt;
    }
    std::uint64_t number = 0;
    for (char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        number = number * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return number;
}

std::uint32_t KnownObjects::keep_text(std::string_view text) {
    if (free_texts_.empty()) {
        texts_.emplace_back(text);
        return static_cast<std::uint32_t>(texts_.size() - 1);
    }
    const std::uint32_t place = free_texts_.back();
    free_texts_.pop_back();
    texts_[place] = text;
    return place;
}

void KnownObjects::drop_text(std::uint64_t place) {
    std::string().swap(texts_[place]);
    free_texts_.push_back(static_cast<std::uint32_t>(place));
}

bool KnownObjects::has_uid(Id id, std::string_view uid) const {
    const Slot& slot = slots_[id];
    if (slot.uid_is_text) return texts_[slot.uid.words[0]] == uid;
    return core::parse_uuid(uid) == slot.uid;
}

bool KnownObjects::has_version(Id id, std::string_view version) const {
    const Slot& slot = slots_[id];
    if (slot.version_is_text) return texts_[slot.version] == version;
    return parse_version(version) == slot.version;
}

std::string KnownObjects::uid(Id id) const {
    const Slot& slot = slots_[id];
    return slot.uid_is_text ? texts_[slot.uid.words[0]] : core::text_of(slot.uid);
}

std::string KnownObjects::version(Id id) const {
    const Slot& slot = slots_[id];
    return slot.version_is_text ? texts_[slot.version] : std::to_string(slot.version);
}

std::partial_ordering KnownObjects::compare_version(std::string_view version, Id id) const {
    const Slot& slot = slots_[id];
    const auto number = slot.version_is_text ? std::nullopt : parse_version(version);
    if (number) return *number <=> slot.version;
    return compare_versions(version, this->version(id));
}

KnownObjects::Note KnownObjects::note(Id id) const {
    const Slot& slot = slots_[id];
    return Note{slot.fingerprint, static_cast<std::uint32_t>(slot.list), slot.for_good};
}

void KnownObjects::set_note(Id id, const Note& note) {
    Slot& slot = slots_[id];
    ENSURE(note.list < lists_max);
    slot.fingerprint = note.fingerprint & fingerprint_mask;
    slot.list = note.list & (lists_max - 1);
    slot.for_good = note.for_good;
}

void KnownObjects::forget_lists() {
    for (Id id = 0; id < id_end(); ++id) slots_[id].list = 0;
}

std::string KnownObjects::name(Id id) const {
    return keeps_names_ ? names_[id] : std::string();
}

void KnownObjects::set_uid(Id id, std::string_view uid) {
    Slot& slot = slots_[id];
    if (slot.uid_is_text) drop_text(slot.uid.words[0]);
    const auto parsed = core::parse_uuid(uid);
    slot.uid_is_text = !parsed;
    slot.uid = parsed ? *parsed : core::Uuid{{keep_text(uid)}};
}

void KnownObjects::set_version(Id id, std::string_view version) {
    Slot& slot = slots_[id];
    if (slot.version_is_text) drop_text(slot.version);
    const auto parsed = parse_version(version);
    slot.version_is_text = !parsed;
    slot.version = (parsed ? *parsed : keep_text(version)) & version_mask;
}

}  // namespace k8s::protocol
