#include "gang/model/pod/pods.hpp"

#include "core/base/result.hpp"
#include "core/value/device/card_dialect.hpp"
#include "gang/declare/declaration.hpp"
#include "gang/model/ledger.hpp"
#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <utility>

namespace gang {

std::optional<PodId> Pods::find(std::string_view uid) const {
    return by_uid_.find(uid);
}

PodId Pods::id_of(std::string_view uid) const {
    const auto id = find(uid);
    ENSURE(id.has_value());
    return *id;
}

void Pods::share_constraints(core::Pod& pod) {
    for (const core::Shared<core::Constraints>& known : last_constraints_) {
        if (pod.constraints.share(known)) return;
    }
    last_constraints_[oldest_constraints_] = pod.constraints;
    oldest_constraints_ = (oldest_constraints_ + 1) % last_constraints_.size();
}

PodEntry& Pods::add(std::string_view uid) {
    PodId id{static_cast<std::uint32_t>(cells_.size())};
    if (free_.empty()) {
        cells_.emplace_back();
    } else {
        id = free_.back();
        free_.pop_back();
    }
    Cell& added = cell(id);
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
    return *added.active;
}

void Pods::erase(PodId id) {
    ENSURE(by_uid_.erase(expand(id).pod.uid));
    odd_uids_.erase(id);
    cell(id) = Cell{};
    free_.push_back(id);
}

PodEntry* Pods::find_active(std::string_view uid) {
    const auto id = find(uid);
    return id ? cell(*id).active.get() : nullptr;
}

const PodEntry* Pods::find_active(std::string_view uid) const {
    const auto id = find(uid);
    return id ? cell(*id).active.get() : nullptr;
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
    ENSURE(cell(id).active != nullptr);
    return *cell(id).active;
}

PodEntry& Pods::expand(PodId id) {
    Cell& woken = cell(id);
    if (woken.active == nullptr) {
        woken.active = std::make_unique<PodEntry>(copy_of(id));
        if (woken.is_driver) {
            drivers_[woken.place] = {};
            free_drivers_.push_back(woken.place);
        }
        member_versions_.erase(id);
        release_kin(woken.kin);
        woken.suffix = woken.node = {};
    }
    return *woken.active;
}

void Pods::compact(PodId id) {
    Cell& compacted = cell(id);
    ENSURE(compacted.active != nullptr);
    const PodEntry& entry = *compacted.active;
    ENSURE(!entry.bind_in_flight && !entry.pod.node_name.empty());
    const std::string& name = entry.pod.name;
    const std::size_t stem = name.rfind('-') + 1;  // 0 without a dash
    compacted.kin = retain_kin(entry, std::string_view(name).substr(0, stem));
    compacted.suffix = texts_.keep(std::string_view(name).substr(stem));
    compacted.node = texts_.keep(entry.pod.node_name);
    compacted.created = entry.pod.created;
    compacted.slot = entry.slot;
    compacted.phase = entry.pod.phase;
    compacted.annotated_slot = entry.annotated_slot;
    compacted.is_driver = entry.is_driver;
    compacted.is_executor = entry.is_executor;
    compacted.hand_made = entry.hand_made;
    compacted.lived = entry.lived;
    if (entry.is_driver) {
        compact_driver(compacted);
    } else if (!entry.group.empty()) {
        member_versions_[id] = entry.pod.resource_version;
    }
    compacted.active.reset();
}

bool Pods::is_kin(const Kin& kin, const PodEntry& entry, std::string_view stem) const {
    return kin.owner == entry.owner && kin.slot_gang == entry.slot_gang &&
           kin.application_key == entry.application_key && kin.group == entry.group &&
           kin.profile == entry.profile && kin.stem == stem && kin.priority == entry.pod.priority &&
           kin.scheduler_name == entry.pod.scheduler_name &&
           kin.namespace_name == entry.pod.namespace_name &&
           amounts_[kin.amounts] == entry.pod.requests;
}

/// That of one beside it under the same owner, if they are alike; else a new one.
std::uint32_t Pods::retain_kin(const PodEntry& entry, std::string_view stem) {
    const std::span<const PodId> members = members_of(entry.owner.str());
    const std::size_t place = members.empty() ? 0 : cell(entry.id).place;
    for (std::size_t i = place > 0 ? place - 1 : 0; i < members.size() && i <= place + 1; ++i) {
        const Cell& beside = cell(members[i]);
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

void Pods::release_kin(std::uint32_t number) {
    Kin& kin = kin_[number];
    if (--kin.references == 0) {
        amounts_.release(kin.amounts);
        kin = {};
        free_kin_.push_back(number);
    }
}

void Pods::compact_driver(Cell& compacted) {
    const PodEntry& entry = *compacted.active;
    ENSURE(entry.owner.empty());  // or its place would be among the owner's members
    if (free_drivers_.empty()) {
        compacted.place = static_cast<std::uint32_t>(drivers_.size());
        drivers_.emplace_back();
    } else {
        compacted.place = free_drivers_.back();
        free_drivers_.pop_back();
    }
    Driver& kept = drivers_[compacted.place];
    kept.resource_version = entry.pod.resource_version;
    kept.application = texts_.keep(application_id(entry.pod));
    kept.app_name = texts_.keep(spark_app_name(entry.pod));
    const std::string* text = core::find_value(entry.pod.annotations, reservation_annotation);
    kept.has_reservation = text != nullptr;
    kept.reservation = text == nullptr ? core::Text() : texts_.keep(*text);
}

bool Pods::is_known(PodId id, const core::Pod& update) {
    Cell& known = cell(id);
    const SlotNote note = read_slot_annotation(update);
    const bool same = !update.deleting && !core::is_terminal(update) &&
                      known.phase != core::PodPhase::succeeded &&
                      known.phase != core::PodPhase::failed && known.node == update.node_name &&
                      known.annotated_slot == note.kind && kin(known).slot_gang == note.gang &&
                      amounts(known) == update.requests &&
                      core::read_pod_cards(update.annotations, update.requests, false).empty();
    if (!same || !known.is_driver) {
        known.phase = same ? update.phase : known.phase;
        if (const auto member = member_versions_.find(id);
            same && member != member_versions_.end()) {
            member->second = update.resource_version;
        }
        return same;
    }
    Driver& driver = drivers_[known.place];
    const std::string* text = core::find_value(update.annotations, reservation_annotation);
    const bool same_driver = driver.has_reservation == (text != nullptr) &&
                             (text == nullptr || driver.reservation == *text) &&
                             kin(known).scheduler_name == update.scheduler_name &&
                             driver.application == application_id(update);
    if (same_driver) {
        known.phase = update.phase;
        driver.resource_version = update.resource_version;
    }
    return same_driver;
}

PodEntry Pods::copy_of(PodId id) const {
    const Cell& seen = cell(id);
    if (seen.active != nullptr) {
        return *seen.active;
    }
    PodEntry entry;
    entry.id = id;
    const Kin& shared = kin(seen);
    entry.pod.namespace_name = shared.namespace_name;
    entry.pod.name = shared.stem.str() + seen.suffix.str();
    entry.pod.uid = uid(id);
    entry.pod.node_name = seen.node;
    entry.pod.created = seen.created;
    entry.pod.requests = amounts(seen);
    entry.pod.phase = seen.phase;
    entry.pod.priority = shared.priority;
    entry.pod.scheduler_name = shared.scheduler_name;
    entry.owner = shared.owner;
    entry.slot_gang = shared.slot_gang;
    entry.application_key = shared.application_key;
    entry.group = shared.group;
    entry.slot = seen.slot;
    entry.annotated_slot = seen.annotated_slot;
    entry.profile = shared.profile;
    entry.is_driver = seen.is_driver;
    entry.is_executor = seen.is_executor;
    entry.hand_made = seen.hand_made;
    entry.lived = seen.lived;
    entry.pod.resource_version = version_of(id);
    if (seen.is_driver) {
        const Driver& kept = driver(seen);
        if (kept.has_reservation) {
            entry.pod.annotations.emplace_back(reservation_annotation, kept.reservation.str());
        }
    }
    return entry;
}

std::string Pods::uid(PodId id) const {
    return cell(id).is_odd ? odd_uids_.at(id) : core::text_of(cell(id).uuid);
}

std::string Pods::full_name(PodId id) const {
    const Cell& seen = cell(id);
    if (seen.active != nullptr) {
        return seen.active->pod.namespace_name + "/" + seen.active->pod.name;
    }
    return kin(seen).namespace_name.str() + "/" + kin(seen).stem.str() + seen.suffix.str();
}

bool Pods::holds_capacity(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr
               ? seen.active->holds_capacity()
               : seen.phase != core::PodPhase::succeeded && seen.phase != core::PodPhase::failed;
}

std::int32_t Pods::profile(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->profile : kin(seen).profile;
}

const std::string& Pods::slot_gang(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->slot_gang.str() : kin(seen).slot_gang.str();
}

void Pods::read_slot(PodEntry& entry) {
    const SlotNote note = read_slot_annotation(entry.pod);
    entry.annotated_slot = note.kind;
    entry.slot_gang = note.gang.empty() ? core::Text{} : texts_.keep(note.gang);
}

SlotAnnotation Pods::annotated_slot(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->annotated_slot : seen.annotated_slot;
}

core::PodPhase Pods::phase(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.phase : seen.phase;
}

std::int64_t Pods::created(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.created : seen.created;
}

std::int32_t Pods::priority(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.priority : kin(seen).priority;
}

bool Pods::is_executor(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->is_executor : seen.is_executor;
}

bool Pods::is_driver(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->is_driver : seen.is_driver;
}

bool Pods::hand_made(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->hand_made : seen.hand_made;
}

const std::string& Pods::application_key(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->application_key.str()
                                  : kin(seen).application_key.str();
}

const std::string& Pods::application(PodId driver_id) const {
    const Cell& seen = cell(driver_id);
    return seen.active != nullptr ? application_id(seen.active->pod)
                                  : driver(seen).application.str();
}

const std::string& Pods::app_name(PodId driver_id) const {
    const Cell& seen = cell(driver_id);
    return seen.active != nullptr ? spark_app_name(seen.active->pod) : driver(seen).app_name.str();
}

const std::string& Pods::scheduler_name(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.scheduler_name
                                  : kin(seen).scheduler_name.str();
}

const std::string& Pods::resource_version(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.resource_version : version_of(id);
}

const std::string& Pods::version_of(PodId compacted) const {
    static const std::string unknown;
    if (const Cell& seen = cell(compacted); seen.is_driver) {
        return driver(seen).resource_version;
    }
    const auto member = member_versions_.find(compacted);
    return member == member_versions_.end() ? unknown : member->second;
}

const std::string* Pods::reservation(PodId driver_id) const {
    const Cell& seen = cell(driver_id);
    if (seen.active != nullptr) {
        return core::find_value(seen.active->pod.annotations, reservation_annotation);
    }
    const Driver& kept = driver(seen);
    return kept.has_reservation ? &kept.reservation.str() : nullptr;
}

const std::string& Pods::group(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->group.str() : kin(seen).group.str();
}

const std::string& Pods::owner(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->owner.str() : kin(seen).owner.str();
}

const std::string& Pods::namespace_of(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.namespace_name
                                  : kin(seen).namespace_name.str();
}

const std::string& Pods::node(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->node() : seen.node.str();
}

const core::Resources& Pods::requests(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->pod.requests : amounts(seen);
}

std::int32_t Pods::slot(PodId id) const {
    const Cell& seen = cell(id);
    return seen.active != nullptr ? seen.active->slot : seen.slot;
}

void Pods::set_slot(PodId id, std::int32_t slot) {
    Cell& changed = cell(id);
    (changed.active != nullptr ? changed.active->slot : changed.slot) = slot;
}

int Pods::match_name(PodId id, std::string_view question) const {
    const Cell& seen = cell(id);
    const bool rests = seen.active == nullptr;
    const std::string& space =
        rests ? kin(seen).namespace_name.str() : seen.active->pod.namespace_name;
    const std::string& stem = rests ? kin(seen).stem.str() : seen.active->pod.name;
    const std::string& suffix = seen.suffix.str();
    const auto is_name = [&](std::string_view text) {
        return text.size() == stem.size() + suffix.size() && text.starts_with(stem) &&
               text.ends_with(suffix);
    };
    const bool in_space = question.size() > space.size() && question.starts_with(space) &&
                          question[space.size()] == '/';
    if (in_space && is_name(question.substr(space.size() + 1))) {
        return 3;
    }
    return is_name(question) ? 2 : 0;
}

void Pods::join(PodEntry& entry, const std::string& owner) {
    std::vector<PodId>& members = members_[owner];
    entry.owner = texts_.keep(owner);
    cell(entry.id).place = static_cast<std::uint32_t>(members.size());
    members.push_back(entry.id);
}

bool Pods::leave(PodEntry& entry) {
    const auto it = members_.find(entry.owner.str());
    if (entry.owner.empty() || it == members_.end()) {
        return false;
    }
    std::vector<PodId>& members = it->second;
    const std::uint32_t place = cell(entry.id).place;
    ENSURE(place < members.size() && members[place] == entry.id);
    members[place] = members.back();
    cell(members[place]).place = place;
    members.pop_back();
    if (!members.empty()) {
        return false;
    }
    members_.erase(it);
    return true;
}

std::span<const PodId> Pods::members_of(std::string_view owner) const {
    const auto it = members_.find(owner);
    return it == members_.end() ? std::span<const PodId>{} : it->second;
}

std::vector<PodId> Pods::sorted_members_of(std::string_view owner) const {
    const std::span<const PodId> members = members_of(owner);
    std::vector<PodId> sorted(members.begin(), members.end());
    std::sort(sorted.begin(), sorted.end(), [this](PodId a, PodId b) {
        // Their order is that of their texts.
        return cell(a).is_odd || cell(b).is_odd ? uid(a) < uid(b) : cell(a).uuid < cell(b).uuid;
    });
    return sorted;
}

std::vector<core::Account> Pods::accounts() const {
    std::uint64_t compacted = 0;
    std::uint64_t drivers = 0;
    std::uint64_t odd = 0;
    std::uint64_t owned = 0;
    std::uint64_t grouped = 0;
    std::uint64_t used = 0;
    for_each([&](PodId id) {
        const Cell& one = cell(id);
        ++used;
        const bool rests = one.active == nullptr;
        compacted += rests ? 1 : 0;
        drivers += rests && one.is_driver ? 1 : 0;
        grouped += rests && !one.is_driver && !kin(one).group.empty() ? 1 : 0;
        odd += one.is_odd ? 1 : 0;
        owned += (rests ? kin(one).owner : one.active->owner).empty() ? 0 : 1;
    });
    std::uint64_t references = 0;
    for (std::size_t i = 0; i < kin_.size(); ++i) {
        references += kin_[i].references;
    }
    std::uint64_t members = 0;
    for (const auto& [owner, pods] : members_) {
        members += pods.size();
    }
    return {
        {"cells of pods", size(), used},
        {"amounts of resting pods", amounts_.references(), kin_.size() - free_kin_.size()},
        {"kin of resting pods", references, compacted},
        {"resting drivers", drivers_.size() - free_drivers_.size(), drivers},
        {"texts of odd uids", odd_uids_.size(), odd},
        {"versions of resting members", member_versions_.size(), grouped},
        {"members", members, owned}};
}

}  // namespace gang
