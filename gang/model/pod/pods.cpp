#include "gang/model/pod/pods.hpp"

#include "core/base/result.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <memory>

namespace gang {

PodId Pods::id_of(std::string_view uid) const {
    const auto id = find(uid);
    ENSURE(id.has_value());
    return *id;
}

void Pods::erase(PodId id) {
    expand(id);
    records_.erase(id);
}

PodEntry* Pods::find_active(std::string_view uid) {
    const auto id = find(uid);
    return id ? records_[*id].active.get() : nullptr;
}

const PodEntry* Pods::find_active(std::string_view uid) const {
    const auto id = find(uid);
    return id ? records_[*id].active.get() : nullptr;
}

PodEntry& Pods::at(std::string_view uid) {
    PodEntry* entry = find_active(uid);
    ENSURE(entry != nullptr);
    return *entry;
}

const PodEntry& Pods::at(std::string_view uid) const {
    const PodEntry* entry = find_active(uid);
    ENSURE(entry != nullptr);
    return *entry;
}

const PodEntry& Pods::at(PodId id) const {
    ENSURE(records_[id].active != nullptr);
    return *records_[id].active;
}

PodEntry& Pods::expand(PodId id) {
    PodRecord& record = records_[id];
    if (record.active == nullptr) {
        record.active = std::make_unique<PodEntry>(copy_of(id));
        details_.forget(record);
    }
    return *record.active;
}

void Pods::compact(PodId id) {
    PodRecord& record = records_[id];
    ENSURE(record.active != nullptr);
    const PodEntry& entry = *record.active;
    ENSURE(!entry.bind_in_flight && !entry.pod.node_name.empty());
    record.created = entry.pod.created;
    record.slot = entry.slot;
    record.phase = entry.pod.phase;
    record.annotated_slot = entry.annotated_slot;
    record.is_driver = entry.is_driver;
    record.is_executor = entry.is_executor;
    record.hand_made = entry.hand_made;
    record.lived = entry.lived;
    details_.remember(record, owners_.neighbours_of(entry));
    record.active.reset();
}

bool Pods::is_known(PodId id, const core::Pod& update) {
    PodRecord& known = records_[id];
    if (!details_.is_same(known, update)) {
        return false;
    }
    known.phase = update.phase;
    details_.set_version(id, update.resource_version);
    return true;
}

PodEntry Pods::copy_of(PodId id) const {
    const PodRecord& record = records_[id];
    if (record.active != nullptr) {
        return *record.active;
    }
    PodEntry entry;
    entry.id = id;
    const PodKin& kin = details_.kin(record);
    entry.pod.namespace_name = kin.namespace_name;
    entry.pod.name = kin.stem.str() + record.suffix.str();
    entry.pod.uid = uid(id);
    entry.pod.node_name = record.node;
    entry.pod.created = record.created;
    entry.pod.requests = details_.amounts(record);
    entry.pod.phase = record.phase;
    entry.pod.priority = kin.priority;
    entry.pod.scheduler_name = kin.scheduler_name;
    entry.owner = kin.owner;
    entry.slot_gang = kin.slot_gang;
    entry.application_key = kin.application_key;
    entry.group = kin.group;
    entry.slot = record.slot;
    entry.annotated_slot = record.annotated_slot;
    entry.profile = kin.profile;
    entry.is_driver = record.is_driver;
    entry.is_executor = record.is_executor;
    entry.hand_made = record.hand_made;
    entry.lived = record.lived;
    entry.pod.resource_version = details_.version(id);
    if (record.is_driver) {
        const CompactDriver& driver = details_.driver(record);
        if (driver.has_reservation) {
            entry.pod.annotations.emplace_back(reservation_annotation, driver.reservation.str());
        }
    }
    return entry;
}

void Pods::set_slot(PodId id, std::int32_t slot) {
    PodRecord& record = records_[id];
    (record.active != nullptr ? record.active->slot : record.slot) = slot;
}

std::vector<core::Account> Pods::accounts() const {
    std::uint64_t compacted = 0;
    std::uint64_t drivers = 0;
    std::uint64_t odd = 0;
    std::uint64_t owned = 0;
    std::uint64_t grouped = 0;
    std::uint64_t used = 0;
    records_.for_each([&](PodId id, const PodRecord& record) {
        const PodView pod = (*this)[id];
        const bool is_compact = record.active == nullptr;
        ++used;
        compacted += is_compact ? 1 : 0;
        drivers += is_compact && record.is_driver ? 1 : 0;
        grouped += is_compact && !record.is_driver && !pod.group().empty() ? 1 : 0;
        odd += record.is_odd ? 1 : 0;
        owned += pod.owner().empty() ? 0 : 1;
    });
    const CompactDetails::Counts kept = details_.count();
    return {
        {"cells of pods", size(), used},
        {"amounts of resting pods", kept.amounts_references, kept.kin},
        {"kin of resting pods", kept.kin_references, compacted},
        {"resting drivers", kept.drivers, drivers},
        {"texts of odd uids", records_.odd_count(), odd},
        {"versions of resting members", kept.member_versions, grouped},
        {"members", owners_.member_count(), owned}};
}

}  // namespace gang
