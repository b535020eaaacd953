#include "gang/sim/checkers/capacity/capacity_model.hpp"

#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

namespace gang::sim {
namespace {

constexpr std::int64_t slots_max = 1'000'000;

const std::string slot_key(slot_annotation);
const std::string reservation_key(reservation_annotation);
const std::string seal_key(seal_annotation);

std::string value_or_empty(const core::Pod& pod, const std::string& key) {
    const std::string* found = core::find_value(pod.annotations, key);
    return found == nullptr ? std::string() : *found;
}

/// "p7/3": slot 3 of the gang of driver p7. What a tenant had written there is nobody's slot.
void read_slot(const core::Pod& pod, Seen& seen) {
    const std::string* text = core::find_value(pod.annotations, slot_key);
    if (text != nullptr && *text == seen.tenant_slot) {
        return;
    }
    const std::size_t slash = text == nullptr ? std::string::npos : text->find('/');
    seen.is_surplus = text != nullptr && *text == surplus_slot;
    if (slash == std::string::npos) {
        return;
    }
    seen.gang = number_of(text->substr(0, slash));
    std::from_chars(text->data() + slash + 1, text->data() + text->size(), seen.slot);
}

/// What the pod itself says, whoever wrote it.
void read_state(const Entry<core::Pod>& entry, Seen& seen) {
    const core::Pod& pod = entry.object;
    seen.is_over = entry.change == Change::deleted || core::is_terminal(pod);
    seen.is_gone = entry.change == Change::deleted;
    seen.is_bound = !pod.node_name.empty();
    seen.amount = amount_of(pod.requests);
    const core::OwnerReference* owner = core::find_controller(pod);
    seen.owner = owner == nullptr ? nobody : number_of(owner->uid);
}

/// In which slot it is, or that a tenant has written about it.
void read_mark(const core::Pod& pod, const Author& author, const Seal& seal, Seen& seen) {
    if (author.actor != Actor::scheduler && author.actor != Actor::tenant) {
        return;
    }
    core::Pod opened = pod;
    seal.open(opened);
    if (author.actor == Actor::scheduler) {
        return read_slot(opened, seen);
    }
    const std::string* text = core::find_value(pod.annotations, slot_key);
    seen.tenant_slot = text == nullptr || seal.has_key() ? std::string() : *text;
    const std::string* shown = core::find_value(opened.annotations, slot_key);
    // Without a key a slot that he has copied from another pod is believed where one is open.
    seen.is_unmarked = shown == nullptr || (!seal.has_key() && shown->find('/') != std::string::npos);
}

/// Relabelled, and without a key nothing says that it is a driver.
bool is_lost_to_tenant(const core::Pod& pod, const Seal& seal) {
    return core::find_value(pod.labels, "edited") != nullptr && !seal.has_key();
}

/// What a text names is not taken from others if it is made anew.
void add_named(GangRecord& gang, const std::string& text) {
    const auto read = decode_reservation(text, slots_max);
    if (!read) {
        return;
    }
    std::map<NodeId, std::int64_t> named;
    for (const ReservedShape& shape : read->shapes) {
        for (const auto& [name, count] : shape.slots_per_node) {
            named[number_of(name)] += count;
        }
    }
    for (const auto& [node, count] : named) {
        std::int64_t& slots = gang.lost[node];
        slots = std::max(slots, count);
    }
}

}  // namespace

void CapacityModel::clear_slots(PodId driver, GangRecord& gang) {
    nodes_.clear_slots(driver, gang.nodes);
    gang.nodes.clear();
    gang.slots = 0;
    gang.unplaced.clear();
}

void CapacityModel::make_void(PodId driver, GangRecord& gang) {
    gang.is_void = true;
    gang.text.clear();
    clear_slots(driver, gang);
}

/// Than what another pod of its group bears: it counts for nothing.
bool CapacityModel::is_older(PodId anchor, const std::string& text) const {
    const auto before = gangs_.predecessor(anchor);
    const auto read = decode_reservation(text, slots_max);
    return before && read && !pods_[*before].is_gone &&
           gangs_.find(*before)->age > std::pair{read->epoch, read->generation};
}

/// What others took of its room meanwhile, its text goes on naming until it is mended.
void CapacityModel::succeed(PodId before, PodId anchor) {
    GangRecord& ended = gangs_.record(before);
    GangRecord& heir = gangs_.record(anchor);
    ended.is_succeeded = true;
    ended.heir = anchor;
    ended.is_live = false;
    clear_slots(before, ended);
    heir.is_succeeded = false;
    add_named(heir, ended.text);
    if (const NodeId own = pods_[before].was_on; own != nobody) {
        ++heir.lost[own];  // where its successor has a slot now
    }
}

/// By what number they are known now, nobody has said.
void CapacityModel::move_seats(PodId from, PodId to) {
    for (PodId id = 0; pods_.knows(id); ++id) {
        Seen& seen = pods_[id];
        if (seen.gang != from) {
            continue;
        }
        if (seen.counted_on != nobody) {
            nodes_.assign(seen, -1);
        }
        seen.gang = id == to ? nobody : to;
        seen.slot = id == to ? -1 : seen.slot;
        pods_.forget_number(id);
        if (seen.counted_on != nobody) {
            nodes_.assign(seen, 1);
        }
    }
}

void CapacityModel::read_shape(PodId driver, const ReservedShape& shape, bool is_one_of_several) {
    GangRecord& gang = gangs_.record(driver);
    const Amount unit = amount_of(shape.requests);
    if (shape.unplaced > 0) {
        gang.unplaced.emplace_back(unit, shape.unplaced);
    }
    for (const auto& [name, count] : shape.slots_per_node) {
        const NodeId id = number_of(name);
        NodeSlots& slots = nodes_.slots_of(driver, id);
        const bool is_known =
            std::any_of(slots.sizes.begin(), slots.sizes.end(), [&unit](const SizedSlots& one) {
                return one.unit == unit;
            });
        if (!is_known && is_one_of_several) {
            slots.sizes.push_back({0, 0, unit});
        }
        SizedSlots& sized = slots.of(unit);
        sized.slots += count;
        sized.unit = unit;
        gang.nodes.push_back(id);
    }
}

void CapacityModel::read_reservation(PodId driver, const core::Pod& pod, const std::string& text) {
    GangRecord& gang = gangs_.record(driver);
    gang.is_forsaken = gang.is_forsaken || is_lost_to_tenant(pod, seal_);
    if (gang.has_reservation && gang.text == text) {
        return;
    }
    const auto read = decode_reservation(text, slots_max);
    if (!read || gang.is_forsaken) {
        return;
    }
    if (slot_count(*read) < gang.slots) {
        pods_.forget_numbers(driver);
    }
    seat(driver, -1);
    clear_slots(driver, gang);
    const bool was_void = gang.is_void;
    if (!was_void) {
        gang.lost.clear();
    }
    gang.text = text;
    gang.seal = value_or_empty(pod, seal_key);
    gang.has_reservation = true;
    gang.is_void = false;
    gang.age = {read->epoch, read->generation};
    gang.slots = slot_count(*read);
    for (const ReservedShape& shape : read->shapes) {
        read_shape(driver, shape, read->shapes.size() > 1);
    }
    seat(driver, 1);
    if (was_void) {
        seat_executors(driver);
    }
    seat_unmarked(driver);
}

/// Those of the gang sit in slots of other sizes when its text names others.
void CapacityModel::seat(PodId driver, int sign) {
    for (Seen& seen : pods_.all()) {
        if (seen.gang == driver && seen.counted_on != nobody) {
            nodes_.assign(seen, sign);
        }
    }
}

void CapacityModel::sit_down(Seen& pod, PodId driver) {
    nodes_.assign(pod, -1);
    pod.gang = driver;
    nodes_.assign(pod, 1);
}

/// Slots that are made anew are made for the executors that run, also for those that were placed
/// while nobody could know of their gang.
void CapacityModel::seat_executors(PodId driver) {
    for (Seen& seen : pods_.all()) {
        if (seen.owner == driver && seen.gang == nobody && !seen.is_surplus &&
            seen.counted_on != nobody && has_open_slot(driver, seen.counted_on)) {
            sit_down(seen, driver);
        }
    }
}

/// A member of a group of which nobody can tell whether it sat in a slot gets one, where it is.
void CapacityModel::seat_unmarked(PodId anchor) {
    const GroupId group = group_jobs_.find(anchor);
    if (group == nobody) {
        return;
    }
    for (const PodId id : group_jobs_.pods_of(group)) {
        Seen* const seen = pods_.knows(id) && id != anchor ? &pods_[id] : nullptr;
        if (seen != nullptr && seen->is_unmarked && seen->gang == nobody &&
            seen->counted_on != nobody && has_open_slot(anchor, seen->counted_on)) {
            sit_down(*seen, anchor);
        }
    }
}

/// An edit of something else changes no promise, unless the driver is not known for one any more.
void CapacityModel::tenant_edited(PodId driver, const core::Pod& pod) {
    GangRecord* const gang = gangs_.find(driver);
    if (gang == nullptr) {
        return;
    }
    gang->is_forsaken = gang->is_forsaken || is_lost_to_tenant(pod, seal_);
    const bool is_whole = value_or_empty(pod, reservation_key) == gang->text &&
                          value_or_empty(pod, seal_key) == gang->seal;
    if (is_whole && !gang->is_forsaken) {
        return;
    }
    if (!gang->is_void) {
        gang->lost.clear();
        for (const NodeId id : gang->nodes) {
            gang->lost[id] = nodes_.named_slots(driver, id);
        }
    }
    make_void(driver, *gang);
    // An older text of ours that he has put back: a new leader cannot tell, and goes on with it.
    core::Pod opened = pod;
    if (seal_.has_key() && seal_.open(opened)) {
        add_named(*gang, value_or_empty(opened, reservation_key));
    }
}

bool CapacityModel::is_restored(PodId driver, NodeId id) const {
    const GangRecord* const gang = gangs_.find(driver);
    if (gang == nullptr) {
        return false;
    }
    const auto before = gang->lost.find(id);
    return before != gang->lost.end() && nodes_.named_slots(driver, id) <= before->second;
}

void CapacityModel::pod_changed(
    const Entry<core::Pod>& entry, const Author& author, std::int64_t now_ms) {
    const core::Pod& pod = entry.object;
    Seen& seen = pods_.record(entry.id);
    const bool was_bound = seen.is_bound;
    if (entry.change == Change::added) {
        seen.created_ms = now_ms;
    }
    if (seen.counted_on != nobody) {
        nodes_.assign(seen, -1);
        seen.counted_on = nobody;
    }
    read_state(entry, seen);
    read_mark(pod, author, seal_, seen);
    if (seen.is_bound && seen.bound_revision == 0) {
        seen.bound_revision = entry.revision;
        seen.binder = (std::uint64_t{author.replica} << 32U) | author.life;
    }
    if (const PodId heir = gangs_.heir_of(seen.gang); heir != seen.gang) {
        seen.gang = heir == entry.id ? nobody : heir;
        pods_.forget_number(entry.id);
    }
    seen.node = seen.is_bound && !seen.is_over ? number_of(pod.node_name) : nobody;
    if (seen.node != nobody) {
        seen.counted_on = seen.node;
        seen.was_on = seen.node;
        nodes_.assign(seen, 1);
    }
    if (author.actor == Actor::scheduler) {
        written_by_us(entry, was_bound);
    }
    if (author.actor == Actor::tenant && entry.change == Change::modified && !pod.deleting) {
        tenant_edited(entry.id, pod);
    }
    if (const PodId anchor = seen.gang; anchor != nobody && seen.node == nobody) {
        seat_unmarked(anchor);  // its slot is open now
    }
    if (GangRecord* const gang = gangs_.find(entry.id)) {
        gang->is_live = seen.is_bound && !seen.is_over && !pod.deleting && !gang->is_succeeded;
        if (!gang->is_live) {
            clear_slots(entry.id, *gang);
        }
    }
}

void CapacityModel::written_by_us(const Entry<core::Pod>& entry, bool was_bound) {
    const std::string* text = core::find_value(entry.object.annotations, reservation_key);
    if (text == nullptr || (was_bound && is_older(entry.id, *text))) {
        return;
    }
    const GangRecord* const known = gangs_.find(entry.id);
    const bool is_first = known == nullptr || !known->has_reservation || known->is_succeeded;
    const auto before = was_bound && is_first ? gangs_.predecessor(entry.id) : std::nullopt;
    if (before) {
        move_seats(*before, entry.id);
    }
    read_reservation(entry.id, entry.object, *text);
    if (before) {
        succeed(*before, entry.id);
    }
    gangs_.record(entry.id).revision = entry.revision;
}

void CapacityModel::forget_unsealed(PodId anchor) {
    GangRecord* const gang = gangs_.find(anchor);
    if (gang != nullptr && !seal_.has_key()) {
        make_void(anchor, *gang);
    }
}

std::int64_t CapacityModel::open_for(PodId driver, const Amount& size) const {
    std::int64_t open = nodes_.open_for(driver, size);
    if (const GangRecord* const gang = gangs_.find(driver)) {
        for (const auto& [unit, count] : gang->unplaced) {
            open += unit == size || gang->unplaced.size() == 1 ? count : 0;
        }
    }
    return open;
}

}  // namespace gang::sim
