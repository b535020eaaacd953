#pragma once
// uid -> a small value, found at once however many there are. A uid of Kubernetes' usual form costs
// 16 bytes beside its value, any other is kept as text. No iteration has an order that means
// anything.

#include "core/base/result.hpp"
#include "core/base/uuid.hpp"

#include <boost/unordered/unordered_flat_map.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace core {

template <typename Value>
class UidTable {
public:
    std::optional<Value> find(std::string_view uid) const {
        if (const std::optional<Uuid> uuid = parse_uuid(uid)) return find_in(by_uuid_, *uuid);
        return find_in(by_text_, uid);
    }
    /// The uid must not be there yet.
    void insert(std::string_view uid, Value value) {
        const std::optional<Uuid> uuid = parse_uuid(uid);
        ENSURE(uuid ? by_uuid_.emplace(*uuid, value).second : by_text_.emplace(uid, value).second);
    }
    /// What was there.
    std::optional<Value> take(std::string_view uid) {
        const std::optional<Uuid> uuid = parse_uuid(uid);
        const std::optional<Value> value =
            uuid ? take_from(by_uuid_, *uuid) : take_from(by_text_, uid);
        // Of thousands that came in a burst the memory is given back.
        if (by_uuid_.size() * 8 < by_uuid_.bucket_count()) by_uuid_.rehash(0);
        return value;
    }
    /// False: it was not there.
    bool erase(std::string_view uid) { return take(uid).has_value(); }
    std::size_t size() const { return by_uuid_.size() + by_text_.size(); }
    /// visit(uid, value) for each; the uid lives as long as the call.
    template <typename Visit>
    void for_each(Visit visit) const {
        for (const auto& [uuid, value] : by_uuid_) visit(std::string_view(text_of(uuid)), value);
        for (const auto& [uid, value] : by_text_) visit(std::string_view(uid), value);
    }
    friend bool operator==(const UidTable&, const UidTable&) = default;

private:
    template <typename Map, typename Key>
    static std::optional<Value> find_in(const Map& map, const Key& key) {
        const auto found = map.find(key);
        return found == map.end() ? std::nullopt : std::optional(found->second);
    }

    template <typename Map, typename Key>
    static std::optional<Value> take_from(Map& map, const Key& key) {
        const auto found = map.find(key);
        if (found == map.end()) return std::nullopt;
        const Value value = found->second;
        map.erase(found);
        return value;
    }

    boost::unordered_flat_map<Uuid, Value, UuidHash> by_uuid_;
    std::map<std::string, Value, std::less<>> by_text_;
};

}  // namespace core
