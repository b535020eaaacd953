#pragma once
// uid -> charge for the pods that nobody needs to know more about: pods of other schedulers mostly,
// a hundred thousand of them. A uid of Kubernetes' usual form is kept as 16 bytes in an open
// addressing table (24 bytes a slot, at most 3/4 full), any other as text. Never iterated.

#include "core/ids.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

class PodTable {
public:
    std::optional<ChargeId> find(std::string_view uid) const;
    /// The uid must not be there yet.
    void insert(std::string_view uid, ChargeId charge);
    /// False: it was not there.
    bool erase(std::string_view uid);
    std::size_t size() const { return used_ + by_text_.size(); }
    /// visit(uid, charge) for each; the uid lives as long as the call.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const Slot& slot : slots_) {
            if (!slot.charge.is_none()) visit(std::string_view(text_of(slot.uuid)), slot.charge);
        }
        for (const auto& [uid, charge] : by_text_) visit(std::string_view(uid), charge);
    }
    friend bool operator==(const PodTable&, const PodTable&) = default;

private:
    struct Uuid {
        std::uint64_t high = 0;
        std::uint64_t low = 0;
        friend bool operator==(const Uuid&, const Uuid&) = default;
    };
    struct Slot {
        Uuid uuid;
        ChargeId charge;  ///< none: the slot is empty
        friend bool operator==(const Slot&, const Slot&) = default;
    };

    static std::optional<Uuid> parse_uuid(std::string_view text);
    static std::string text_of(const Uuid& uuid);
    std::size_t home_of(const Uuid& uuid) const;
    std::size_t slot_of(const Uuid& uuid) const;
    void grow();
    void close_gap(std::size_t hole);

    std::vector<Slot> slots_;  ///< a power of two, or none
    std::size_t used_ = 0;
    std::map<std::string, ChargeId, std::less<>> by_text_;
};

}  // namespace core
