#include "gang/model/pod/compact_details.hpp"

#include "core/base/result.hpp"
#include "core/value/device/card_dialect.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/model/pod/executor_labels.hpp"
#include "gang/reservation/format/reservation.hpp"

namespace gang {

void CompactDetails::remember(PodRecord& record, std::span<const PodId> neighbours) {
    const PodEntry& entry = *record.active;
    const std::string& name = entry.pod.name;
    const std::size_t stem = name.rfind('-') + 1;  // 0 without a dash
    record.kin = retain_kin(entry, std::string_view(name).substr(0, stem), neighbours);
    record.suffix = texts_.keep(std::string_view(name).substr(stem));
    record.node = texts_.keep(entry.pod.node_name);
    if (entry.is_driver) {
        remember_driver(record);
    } else if (!entry.group.empty()) {
        member_versions_[entry.id] = entry.pod.resource_version;
    }
}

void CompactDetails::forget(PodRecord& record) {
    if (record.is_driver) {
        drivers_[record.place] = {};
        free_drivers_.push_back(record.place);
    }
    member_versions_.erase(record.active->id);
    release_kin(record.kin);
    record.suffix = record.node = {};
}

bool CompactDetails::is_kin(const PodKin& kin, const PodEntry& entry, std::string_view stem) const {
    return kin.owner == entry.owner && kin.slot_gang == entry.slot_gang &&
           kin.application_key == entry.application_key && kin.group == entry.group &&
           kin.profile == entry.profile && kin.stem == stem && kin.priority == entry.pod.priority &&
           kin.scheduler_name == entry.pod.scheduler_name &&
           kin.namespace_name == entry.pod.namespace_name &&
           amounts_[kin.amounts] == entry.pod.requests;
}

/// That of a neighbour, if they are alike; else a new one.
std::uint32_t CompactDetails::retain_kin(
    const PodEntry& entry, std::string_view stem, std::span<const PodId> neighbours) {
    for (const PodId id : neighbours) {
        const PodRecord& beside = records_[id];
        if (beside.active == nullptr && is_kin(kin(beside), entry, stem)) {
            ++kin_[beside.kin].references;
            return beside.kin;
        }
    }
    std::uint32_t number = static_cast<std::uint32_t>(kin_.size());
    if (free_kin_.empty()) {
        kin_.emplace_back();
    } else {
        number = free_kin_.back();
        free_kin_.pop_back();
    }
    kin_[number] = {
        texts_.keep(entry.pod.namespace_name),
        texts_.keep(stem),
        entry.owner,
        entry.slot_gang,
        entry.application_key,
        entry.group,
        texts_.keep(entry.pod.scheduler_name),
        amounts_.intern(entry.pod.requests).id,
        entry.profile,
        entry.pod.priority,
        1};
    return number;
}

void CompactDetails::release_kin(std::uint32_t number) {
    PodKin& kin = kin_[number];
    if (--kin.references == 0) {
        amounts_.release(kin.amounts);
        kin = {};
        free_kin_.push_back(number);
    }
}

void CompactDetails::remember_driver(PodRecord& record) {
    const PodEntry& entry = *record.active;
    ENSURE(entry.owner.empty());  // or its place would be among the owner's members
    if (free_drivers_.empty()) {
        record.place = static_cast<std::uint32_t>(drivers_.size());
        drivers_.emplace_back();
    } else {
        record.place = free_drivers_.back();
        free_drivers_.pop_back();
    }
    CompactDriver& kept = drivers_[record.place];
    kept.resource_version = entry.pod.resource_version;
    kept.application = texts_.keep(application_id(entry.pod));
    kept.app_name = texts_.keep(spark_app_name(entry.pod));
    const std::string* text = core::find_value(entry.pod.annotations, reservation_annotation);
    kept.has_reservation = text != nullptr;
    kept.reservation = text == nullptr ? core::Text() : texts_.keep(*text);
}

const std::string& CompactDetails::version(PodId id) const {
    static const std::string unknown;
    if (const PodRecord& record = records_[id]; record.is_driver) {
        return driver(record).resource_version;
    }
    const auto member = member_versions_.find(id);
    return member == member_versions_.end() ? unknown : member->second;
}

void CompactDetails::set_version(PodId id, const std::string& version) {
    if (const PodRecord& record = records_[id]; record.is_driver) {
        drivers_[record.place].resource_version = version;
    } else if (const auto member = member_versions_.find(id); member != member_versions_.end()) {
        member->second = version;
    }
}

bool CompactDetails::is_same(const PodRecord& record, const core::Pod& update) const {
    const SlotNote note = read_slot_annotation(update);
    const PodKin& known = kin(record);
    const bool same = !update.deleting && !core::is_terminal(update) &&
                      record.phase != core::PodPhase::succeeded &&
                      record.phase != core::PodPhase::failed && record.node == update.node_name &&
                      record.annotated_slot == note.kind && known.slot_gang == note.gang &&
                      amounts(record) == update.requests &&
                      core::read_pod_cards(update.annotations, update.requests, false).empty();
    if (!same || !record.is_driver) {
        return same;
    }
    const CompactDriver& kept = driver(record);
    const std::string* text = core::find_value(update.annotations, reservation_annotation);
    return kept.has_reservation == (text != nullptr) &&
           (text == nullptr || kept.reservation == *text) &&
           known.scheduler_name == update.scheduler_name &&
           kept.application == application_id(update);
}

CompactDetails::Counts CompactDetails::count() const {
    Counts counts;
    counts.kin = kin_.size() - free_kin_.size();
    for (std::size_t i = 0; i < kin_.size(); ++i) {
        counts.kin_references += kin_[i].references;
    }
    counts.amounts_references = amounts_.references();
    counts.drivers = drivers_.size() - free_drivers_.size();
    counts.member_versions = member_versions_.size();
    return counts;
}

}  // namespace gang
