#include "core/pod_table.hpp"

#include "core/result.hpp"

namespace core {

std::optional<ChargeId> PodTable::find(std::string_view uid) const {
    if (const std::optional<Uuid> uuid = parse_uuid(uid)) {
        const auto number = index_.find(*uuid, uuid_of());
        return number ? std::optional(records_[*number].charge) : std::nullopt;
    }
    const auto found = by_text_.find(uid);
    return found == by_text_.end() ? std::nullopt : std::optional(found->second);
}

void PodTable::insert(std::string_view uid, ChargeId charge) {
    const std::optional<Uuid> uuid = parse_uuid(uid);
    if (!uuid) {
        ENSURE(by_text_.emplace(uid, charge).second);
        return;
    }
    const auto number = static_cast<std::uint32_t>(records_.size());
    records_.emplace_back() = {*uuid, charge};
    index_.insert(number, uuid_of());
}

std::optional<ChargeId> PodTable::take(std::string_view uid) {
    if (const std::optional<Uuid> uuid = parse_uuid(uid)) {
        const auto number = index_.find(*uuid, uuid_of());
        if (!number) return std::nullopt;
        const ChargeId charge = records_[*number].charge;
        index_.erase(*number, uuid_of());
        if (const auto last = static_cast<std::uint32_t>(records_.size() - 1); *number != last) {
            index_.renumber(last, *number, uuid_of());
            records_[*number] = records_[last];
        }
        records_.pop_back();
        return charge;
    }
    const auto found = by_text_.find(uid);
    if (found == by_text_.end()) return std::nullopt;
    const ChargeId charge = found->second;
    by_text_.erase(found);
    return charge;
}

}  // namespace core
