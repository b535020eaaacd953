#include "core/pod_table.hpp"

#include "core/result.hpp"

namespace core {

namespace {

std::optional<std::uint64_t> hex_digit(char c) {
    if (c >= '0' && c <= '9') return static_cast<std::uint64_t>(c - '0');
    // Upper case is another text, and so another pod.
    if (c >= 'a' && c <= 'f') return static_cast<std::uint64_t>(c - 'a' + 10);
    return std::nullopt;
}

/// The finaliser of splitmix64: spreads uids whose bits are not random (UUIDv1).
std::uint64_t mix(std::uint64_t x) {
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
    return x ^ (x >> 31);
}

}  // namespace

std::optional<PodTable::Uuid> PodTable::parse_uuid(std::string_view text) {
    if (text.size() != 36) return std::nullopt;
    Uuid uuid;
    std::size_t digits = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
        if (dash && text[i] != '-') return std::nullopt;
        if (dash) continue;
        const std::optional<std::uint64_t> digit = hex_digit(text[i]);
        if (!digit) return std::nullopt;
        std::uint64_t& half = digits++ < 16 ? uuid.high : uuid.low;
        half = half << 4 | *digit;
    }
    return uuid;
}

std::string PodTable::text_of(const Uuid& uuid) {
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text;
    for (unsigned i = 0; i < 32; ++i) {
        if (i == 8 || i == 12 || i == 16 || i == 20) text += '-';
        const std::uint64_t half = i < 16 ? uuid.high : uuid.low;
        text += digits[half >> (60 - 4 * (i % 16)) & 15U];
    }
    return text;
}

std::size_t PodTable::home_of(const Uuid& uuid) const {
    return static_cast<std::size_t>(mix(uuid.high ^ mix(uuid.low))) & (slots_.size() - 1);
}

/// The slot that holds the uid, or the empty one where it would go.
std::size_t PodTable::slot_of(const Uuid& uuid) const {
    std::size_t slot = home_of(uuid);
    while (!slots_[slot].charge.is_none() && slots_[slot].uuid != uuid) {
        slot = (slot + 1) & (slots_.size() - 1);
    }
    return slot;
}

std::optional<ChargeId> PodTable::find(std::string_view uid) const {
    if (const std::optional<Uuid> uuid = parse_uuid(uid)) {
        if (used_ == 0) return std::nullopt;
        const ChargeId charge = slots_[slot_of(*uuid)].charge;
        return charge.is_none() ? std::nullopt : std::optional(charge);
    }
    const auto found = by_text_.find(uid);
    return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

void PodTable::insert(std::string_view uid, ChargeId charge) {
    if (const std::optional<Uuid> uuid = parse_uuid(uid)) {
        if ((used_ + 1) * 4 > slots_.size() * 3) grow();
        Slot& slot = slots_[slot_of(*uuid)];
        ENSURE(slot.charge.is_none());
        slot = {*uuid, charge};
        ++used_;
        return;
    }
    ENSURE(by_text_.emplace(uid, charge).second);
}

bool PodTable::erase(std::string_view uid) {
    if (const std::optional<Uuid> uuid = parse_uuid(uid)) {
        if (used_ == 0) return false;
        const std::size_t slot = slot_of(*uuid);
        if (slots_[slot].charge.is_none()) return false;
        close_gap(slot);
        --used_;
        return true;
    }
    const auto found = by_text_.find(uid);
    if (found == by_text_.end()) return false;
    by_text_.erase(found);
    return true;
}

void PodTable::grow() {
    const std::vector<Slot> old = std::move(slots_);
    slots_.assign(old.empty() ? 16 : old.size() * 2, Slot{});
    for (const Slot& slot : old) {
        if (!slot.charge.is_none()) slots_[slot_of(slot.uuid)] = slot;
    }
}

/// Moves later entries of the same run back over the hole, so that no tombstones gather.
void PodTable::close_gap(std::size_t hole) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hole;
    for (;;) {
        slot = (slot + 1) & mask;
        if (slots_[slot].charge.is_none()) break;
        const std::size_t distance_from_home = (slot - home_of(slots_[slot].uuid)) & mask;
        if (distance_from_home < ((slot - hole) & mask)) continue;
        slots_[hole] = slots_[slot];
        hole = slot;
    }
    slots_[hole] = {};
}

}  // namespace core
