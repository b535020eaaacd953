#pragma once
// uid -> charge for the pods that nobody needs to know more about: pods of other schedulers mostly,
// a hundred thousand of them. A uid of Kubernetes' usual form costs 20 bytes and a place in the
// index (5 to 11 bytes), any other is kept as text. No iteration has an order that means anything.

#include "core/chunks.hpp"
#include "core/ids.hpp"
#include "core/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

class PodTable {
public:
    std::optional<ChargeId> find(std::string_view uid) const;
    /// The uid must not be there yet.
    void insert(std::string_view uid, ChargeId charge);
    /// What was there.
    std::optional<ChargeId> take(std::string_view uid);
    /// False: it was not there.
    bool erase(std::string_view uid) { return take(uid).has_value(); }
    std::size_t size() const { return records_.size() + by_text_.size(); }
    /// visit(uid, charge) for each; the uid lives as long as the call.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < records_.size(); ++i) {
            const Record& record = records_[i];
            visit(std::string_view(text_of(record.uuid)), record.charge);
        }
        for (const auto& [uid, charge] : by_text_) visit(std::string_view(uid), charge);
    }
    friend bool operator==(const PodTable&, const PodTable&) = default;

private:
    struct Record {
        Uuid uuid;
        ChargeId charge;
        friend bool operator==(const Record&, const Record&) = default;
    };

    auto uuid_of() const {
        return [this](std::uint32_t number) -> const Uuid& { return records_[number].uuid; };
    }

    /// Without holes: the last one takes the place of one that goes. A list of pods whose slots are
    /// read back later would leave half of them behind.
    Chunks<Record> records_;
    UuidIndex index_;
    std::map<std::string, ChargeId, std::less<>> by_text_;
};

}  // namespace core
