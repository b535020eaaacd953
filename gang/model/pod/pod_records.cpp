#include "gang/model/pod/pod_records.hpp"

#include "core/base/result.hpp"

#include <memory>

namespace gang {

PodRecord& PodRecords::add(std::string_view uid) {
    PodId id{static_cast<std::uint32_t>(records_.size())};
    if (free_.empty()) {
        records_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    PodRecord& added = records_[id.value];
    added.is_used = true;
    if (const auto uuid = core::parse_uuid(uid)) {
        added.uuid = *uuid;
    } else {
        added.is_odd = true;
        odd_uids_.emplace(id, uid);
    }
    by_uid_.insert(uid, id);
    added.active = std::make_unique<PodEntry>();
    added.active->id = id;
    added.active->pod.uid = uid;
    return added;
}

void PodRecords::erase(PodId id) {
    PodRecord& erased = records_[id.value];
    ENSURE(by_uid_.erase(erased.active->pod.uid));
    odd_uids_.erase(id);
    erased = PodRecord{};
    free_.push_back(id);
}

std::string PodRecords::uid(PodId id) const {
    const PodRecord& record = records_[id.value];
    return record.is_odd ? odd_uids_.at(id) : core::text_of(record.uuid);
}

/// The order of uuids is that of their texts.
bool PodRecords::is_before(PodId a, PodId b) const {
    const PodRecord& first = records_[a.value];
    const PodRecord& second = records_[b.value];
    return first.is_odd || second.is_odd ? uid(a) < uid(b) : first.uuid < second.uuid;
}

}  // namespace gang
