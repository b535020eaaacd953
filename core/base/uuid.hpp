#pragma once
// Uids of Kubernetes' usual form in 16 bytes, and an index from them to the numbers of records that
// are kept elsewhere.

#include "core/base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// As words, so that a record of it and a number is 20 bytes.
struct Uuid {
    std::array<std::uint32_t, 4> words{};                         ///< the first digits first
    friend auto operator<=>(const Uuid&, const Uuid&) = default;  // as their texts are ordered
};

/// Nothing for another form, and for upper case: that is another text, and so another pod.
std::optional<Uuid> parse_uuid(std::string_view text);
std::string text_of(const Uuid& uuid);
/// Spreads uids whose bits are not random (UUIDv1).
std::uint64_t hash_of(const Uuid& uuid);

/// Open addressing over record numbers, 4 bytes a place, from 5/16 to 3/4 full. The records know
/// their uuid: uuid_of(number) reads it.
class UuidIndex {
public:
    template <typename UuidOf>
    std::optional<std::uint32_t> find(const Uuid& uuid, const UuidOf& uuid_of) const {
        if (used_ == 0) return std::nullopt;
        const std::uint32_t number = places_[place_of(uuid, uuid_of)];
        return number == none ? std::nullopt : std::optional(number);
    }

    /// The uuid must not be there yet; its record is.
    template <typename UuidOf>
    void insert(std::uint32_t number, const UuidOf& uuid_of) {
        if ((used_ + 1) * 4 > places_.size() * 3) {
            resize(places_.empty() ? places_min : places_.size() * 2, uuid_of);
        }
        std::uint32_t& place = places_[place_of(uuid_of(number), uuid_of)];
        ENSURE(place == none);
        place = number;
        ++used_;
    }

    /// Its record is there still.
    template <typename UuidOf>
    void erase(std::uint32_t number, const UuidOf& uuid_of) {
        const std::size_t place = place_of(uuid_of(number), uuid_of);
        ENSURE(places_[place] == number);
        close_gap(place, uuid_of);
        --used_;
        // Half of it is then 5/8 full, so that it does not go back and forth.
        if (used_ * 16 < places_.size() * 5 && places_.size() > places_min) {
            resize(places_.size() / 2, uuid_of);
        }
    }

    /// The record is about to take the number of one that was erased.
    template <typename UuidOf>
    void renumber(std::uint32_t from, std::uint32_t to, const UuidOf& uuid_of) {
        std::uint32_t& place = places_[place_of(uuid_of(from), uuid_of)];
        ENSURE(place == from);
        place = to;
    }

    std::size_t places() const { return places_.size(); }

    friend bool operator==(const UuidIndex&, const UuidIndex&) = default;

private:
    static constexpr std::uint32_t none = UINT32_MAX;
    static constexpr std::size_t places_min = 16;

    std::size_t mask() const { return places_.size() - 1; }

    /// The place that has the uuid, or the empty one where it would go.
    template <typename UuidOf>
    std::size_t place_of(const Uuid& uuid, const UuidOf& uuid_of) const {
        std::size_t place = hash_of(uuid) & mask();
        while (places_[place] != none && uuid_of(places_[place]) != uuid) {
            place = (place + 1) & mask();
        }
        return place;
    }

    template <typename UuidOf>
    void resize(std::size_t places, const UuidOf& uuid_of) {
        const std::vector<std::uint32_t> old = std::move(places_);
        places_.assign(places, none);
        for (const std::uint32_t number : old) {
            if (number != none) places_[place_of(uuid_of(number), uuid_of)] = number;
        }
    }

    /// Moves later entries of the same run back over the hole, so that no tombstones gather.
    template <typename UuidOf>
    void close_gap(std::size_t hole, const UuidOf& uuid_of) {
        std::size_t place = hole;
        for (;;) {
            place = (place + 1) & mask();
            if (places_[place] == none) break;
            const std::size_t home = hash_of(uuid_of(places_[place])) & mask();
            if (((place - home) & mask()) < ((place - hole) & mask())) continue;
            places_[hole] = places_[place];
            hole = place;
        }
        places_[hole] = none;
    }

    std::vector<std::uint32_t> places_;  ///< a power of two, or none
    std::size_t used_ = 0;
};

}  // namespace core
