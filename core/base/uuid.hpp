#pragma once
// Uids of Kubernetes' usual form in 16 bytes.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

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
struct UuidHash {
    using is_avalanching = void;  ///< its bits are spread well enough for Boost's containers
    std::size_t operator()(const Uuid& uuid) const {
        return static_cast<std::size_t>(hash_of(uuid));
    }
};

}  // namespace core
