#pragma once
// The objects of one kind that a reflector knows, 40 bytes each and an index of four to eleven:
// there are 150,000 of them. A uid is its 16 bytes and a version its number where they look like
// ones; other texts, and numbers that no etcd reaches, are kept beside. A name is kept only if
// asked for. It is found again by 78 bits of it at two secret points (fingerprint.hpp): nobody can
// make two names meet, and that any two of a million do is less likely than 10^-9. (Two names of
// w words of seven bytes meet at w of 2^61 first points, and in the low 17 bits at about 2w of 2^17
// second ones.)

#include "core/base/chunks.hpp"
#include "core/base/uuid.hpp"
#include "k8s/protocol/fingerprint.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace k8s::protocol {

class KnownObjects {
public:
    using Id = std::uint32_t;

    struct Seed {
        std::uint64_t first = 0;
        std::uint64_t second = 0;
    };

    KnownObjects(Seed seed, bool keeps_names);

    std::optional<Id> find(std::string_view name) const;
    /// The name is not known yet.
    Id insert(std::string_view name, std::string_view uid, std::string_view version);
    void erase(Id id);

    bool has_uid(Id id, std::string_view uid) const;
    bool has_version(Id id, std::string_view version) const;
    std::string uid(Id id) const;
    std::string version(Id id) const;
    /// As compare_versions() of this text and the object's version.
    std::partial_ordering compare_version(std::string_view version, Id id) const;
    /// Empty if names are not kept.
    std::string name(Id id) const;
    void set_uid(Id id, std::string_view uid);
    void set_version(Id id, std::string_view version);

    /// The list that had it last, and what the receiver was told of it.
    struct Note {
        std::uint64_t fingerprint = 0;  ///< below 2^61
        std::uint32_t list = 0;         ///< below lists_max
        bool for_good = false;
    };
    static constexpr std::uint32_t lists_max = 1U << 5;
    Note note(Id id) const;
    void set_note(Id id, const Note& note);
    /// No object is of any list any more: before numbers are used again.
    void forget_lists();

    std::size_t size() const { return size_; }
    /// How many others are looked at, at most, until a name is found.
    std::size_t longest_search() const;
    /// Ids are below this; some may be free.
    Id id_end() const { return static_cast<Id>(slots_.size()); }
    bool is_used(Id id) const { return slots_[id].used; }

private:
    static constexpr std::uint64_t second_mask = (std::uint64_t{1} << 17) - 1;
    struct Hash {
        std::uint64_t first = 0;   ///< below 2^61
        std::uint64_t second = 0;  ///< below 2^17
    };
    struct Slot {
        core::Uuid uid;  ///< or in its first word the place of a text
        std::uint64_t name_first : 61 = 0;
        bool used : 1 = false;
        bool for_good : 1 = false;
        bool uid_is_text : 1 = false;
        std::uint64_t fingerprint : 61 = 0;
        bool version_is_text : 1 = false;
        std::uint64_t name_second_high : 2 = 0;
        std::uint64_t version : 44 = 0;  ///< a number, or the place of a text
        std::uint64_t list : 5 = 0;
        std::uint64_t name_second_low : 15 = 0;

        Hash name() const {
            const std::uint64_t high = name_second_high;
            const std::uint64_t low = name_second_low;
            return Hash{name_first, high << 15 | low};
        }
        void set_name(const Hash& hash) {
            name_first = hash.first & ((std::uint64_t{1} << 61) - 1);
            name_second_high = hash.second >> 15 & 3;
            name_second_low = hash.second & ((std::uint64_t{1} << 15) - 1);
        }
        bool has_name(const Hash& hash) const {
            return name_first == hash.first && name().second == hash.second;
        }
    };

    Hash hash(std::string_view name) const;
    std::size_t place_of(const Hash& hash) const;
    void grow();
    std::uint32_t keep_text(std::string_view text);
    void drop_text(std::uint64_t place);
    static std::optional<std::uint64_t> parse_version(std::string_view text);

    Fingerprint first_;
    Fingerprint second_;
    bool keeps_names_;
    core::Chunks<Slot> slots_;
    std::vector<std::string> names_;  ///< by Id, if they are kept
    std::vector<Id> free_;
    std::vector<Id> index_;  ///< open addressing, linear; none where no Id is
    std::size_t size_ = 0;
    std::vector<std::string> texts_;
    std::vector<std::uint32_t> free_texts_;
};

}  // namespace k8s::protocol
