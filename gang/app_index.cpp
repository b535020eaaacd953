#include "gang/app_index.hpp"

#include "core/result.hpp"

namespace gang {

Application* AppIndex::find(std::string_view uid) const {
    if (const auto uuid = core::parse_uuid(uid)) {
        const auto number = index_.find(*uuid, uuid_of());
        return number ? records_[*number].app : nullptr;
    }
    const auto it = by_odd_uid_.find(uid);
    return it == by_odd_uid_.end() ? nullptr : it->second;
}

void AppIndex::insert(Application& app) {
    if (const auto uuid = core::parse_uuid(app.uid)) {
        records_.push_back({*uuid, &app});
        index_.insert(static_cast<std::uint32_t>(records_.size() - 1), uuid_of());
        return;
    }
    ENSURE(by_odd_uid_.emplace(app.uid, &app).second);
}

/// The last record takes the place of the one that goes.
void AppIndex::erase(const Application& app) {
    const auto uuid = core::parse_uuid(app.uid);
    if (!uuid) {
        ENSURE(by_odd_uid_.erase(app.uid) == 1);
        return;
    }
    const auto number = index_.find(*uuid, uuid_of());
    ENSURE(number.has_value());
    index_.erase(*number, uuid_of());
    const auto last = static_cast<std::uint32_t>(records_.size() - 1);
    if (*number != last) {
        index_.renumber(last, *number, uuid_of());
        records_[*number] = records_[last];
    }
    records_.pop_back();
}

}  // namespace gang
