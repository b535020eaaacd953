#pragma once
// uid -> a small value, found at once however many there are. A uid of Kubernetes' usual form costs
// 16 bytes beside its value and a place in the index (5 to 11 bytes), any other is kept as text. No
// iteration has an order that means anything.

#include "core/base/chunks.hpp"
#include "core/base/result.hpp"
#include "core/base/uuid.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

template <typename Value, std::size_t per_chunk = 1024>
class UidTable {
public:
    std::optional<Value> find(std::string_view uid) const {
        if (const std::optional<Uuid> uuid = parse_uuid(uid)) {
            const auto number = index_.find(*uuid, uuid_of());
            return number ? std::optional(records_[*number].value) : std::nullopt;
        }
        const auto found = by_text_.find(uid);
        return found == by_text_.end() ? std::nullopt : std::optional(found->second);
    }
    /// The uid must not be there yet.
    void insert(std::string_view uid, Value value) {
        const std::optional<Uuid> uuid = parse_uuid(uid);
        if (!uuid) {
            ENSURE(by_text_.emplace(uid, value).second);
            return;
        }
        const auto number = static_cast<std::uint32_t>(records_.size());
        records_.emplace_back() = {*uuid, value};
        index_.insert(number, uuid_of());
    }
    /// What was there.
    std::optional<Value> take(std::string_view uid) {
        if (const std::optional<Uuid> uuid = parse_uuid(uid)) return take(*uuid);
        const auto found = by_text_.find(uid);
        if (found == by_text_.end()) return std::nullopt;
        const Value value = found->second;
        by_text_.erase(found);
        return value;
    }
    /// False: it was not there.
    bool erase(std::string_view uid) { return take(uid).has_value(); }
    std::size_t size() const { return records_.size() + by_text_.size(); }
    /// visit(uid, value) for each; the uid lives as long as the call.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (std::size_t i = 0; i < records_.size(); ++i) {
            const Record& record = records_[i];
            visit(std::string_view(text_of(record.uuid)), record.value);
        }
        for (const auto& [uid, value] : by_text_) visit(std::string_view(uid), value);
    }
    friend bool operator==(const UidTable&, const UidTable&) = default;

private:
    struct Record {
        Uuid uuid;
        Value value{};
        friend bool operator==(const Record&, const Record&) = default;
    };

    std::optional<Value> take(const Uuid& uuid) {
        const auto number = index_.find(uuid, uuid_of());
        if (!number) return std::nullopt;
        const Value value = records_[*number].value;
        index_.erase(*number, uuid_of());
        if (const auto last = static_cast<std::uint32_t>(records_.size() - 1); *number != last) {
            index_.renumber(last, *number, uuid_of());
            records_[*number] = records_[last];
        }
        records_.pop_back();
        return value;
    }
    auto uuid_of() const {
        return [this](std::uint32_t number) -> const Uuid& { return records_[number].uuid; };
    }

    /// Without holes: the last one takes the place of one that goes. A list of pods whose slots are
    /// read back later would leave half of them behind.
    Chunks<Record, per_chunk> records_;
    UuidIndex index_;
    std::map<std::string, Value, std::less<>> by_text_;
};

}  // namespace core
