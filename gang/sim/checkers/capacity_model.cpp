#include "gang/sim/checkers/capacity_model.hpp"

#include "gang/reservation/format/reservation.hpp"

#include <algorithm>
#include <charconv>

namespace gang::sim {
namespace {

/// Of a pod whose slot has no number that could be compared.
constexpr std::uint64_t nobody_numbers = std::uint64_t{1} << 63U;

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

}  // namespace

SizedSlots& NodeSlots::of(const Amount& size) {
    for (SizedSlots& one : sizes) {
        if (one.unit == size) {
            return one;
        }
    }
    if (sizes.empty()) {
        sizes.push_back({0, 0, size});
    }
    return sizes.front();
}

SizedSlots& NodeSlots::open_for(const Amount& size) {
    const auto find_open = [&](auto&& is_fine) {
        return std::find_if(sizes.begin(), sizes.end(), [&](const SizedSlots& one) {
            return one.open() > 0 && is_fine(one);
        });
    };
    auto found = find_open([&](const SizedSlots& one) { return one.unit == size; });
    if (found == sizes.end()) {
        found = find_open([&](const SizedSlots& one) { return size.is_within(one.unit); });
    }
    if (found == sizes.end()) {
        found = find_open([](const SizedSlots&) { return true; });
    }
    return found == sizes.end() ? of(size) : *found;
}

std::int64_t NodeSlots::open() const {
    std::int64_t sum = 0;
    for (const SizedSlots& one : sizes) {
        sum += one.open();
    }
    return sum;
}

Amount NodeSlots::room() const {
    Amount sum;
    for (const SizedSlots& one : sizes) {
        sum.add(one.unit, one.open());
    }
    return sum;
}

CapacityModel::NodeRecord& CapacityModel::node(NodeId id) {
    if (id >= nodes_.size()) {
        nodes_.resize(id + 1);
    }
    return nodes_[id];
}

void CapacityModel::node_changed(const Entry<core::Node>& entry) {
    NodeRecord& record = node(entry.id);
    record.allocatable = {};
    if (entry.change != Change::deleted) {
        record.allocatable = {
            entry.object.allocatable.cpu_milli,
            entry.object.allocatable.memory_bytes,
            entry.object.pods,
            entry.object.allocatable.extended_amount(gpu_resource),
            1,
            entry.object.allocatable.extended_amount(card_resource)};
    }
}

void CapacityModel::assign(Seen& pod, int sign) {
    NodeRecord& record = node(pod.counted_on);
    record.pods.add(pod.amount, sign);
    if (pod.gang == nobody) {
        return;
    }
    NodeSlots& node_slots = record.node_slots[pod.gang];
    if (sign > 0) {
        pod.slot_size = node_slots.open_for(pod.amount).unit;
    }
    node_slots.of(pod.slot_size).assigned += sign;
}

void CapacityModel::clear_slots(PodId driver) {
    GangRecord& gang = gangs_[driver];
    for (const NodeId id : gang.nodes) {
        for (SizedSlots& one : node(id).node_slots[driver].sizes) {
            one.slots = 0;
        }
    }
    gang.nodes.clear();
    gang.slots = 0;
    gang.unplaced.clear();
}

/// Of its group's other pods the one whose text was written last, which an anchor goes on from.
std::optional<PodId> CapacityModel::predecessor(PodId anchor) const {
    std::optional<PodId> found;
    const GroupId group = group_jobs_.find(anchor);
    if (group == nobody) {
        return found;
    }
    for (const PodId other : group_jobs_.pods_of(group)) {
        const GangRecord* const gang = find_gang(other);
        if (other != anchor && gang != nullptr && gang->has_reservation &&
            (!found || gang->revision > gangs_.at(*found).revision)) {
            found = other;
        }
    }
    return found;
}

/// Than what another pod of its group bears: it counts for nothing.
bool CapacityModel::is_older(PodId anchor, const std::string& text) const {
    const auto before = predecessor(anchor);
    const auto read = decode_reservation(text, slots_max);
    return before && read && !pods_[*before].is_gone &&
           gangs_.at(*before).age > std::pair{read->epoch, read->generation};
}

/// What others took of its room meanwhile, its text goes on naming until it is mended.
void CapacityModel::succeed(PodId before, PodId anchor) {
    GangRecord& ended = gangs_.at(before);
    ended.is_succeeded = true;
    ended.heir = anchor;
    ended.is_live = false;
    clear_slots(before);
    gangs_.at(anchor).is_succeeded = false;
    add_named(gangs_.at(anchor), ended.text);
    if (const NodeId own = pods_[before].was_on; own != nobody) {
        ++gangs_.at(anchor).lost[own];  // where its successor has a slot now
    }
}

/// A bind that was under way may name the one before.
PodId CapacityModel::heir_of(PodId anchor) const {
    const GangRecord* gang = find_gang(anchor);
    while (gang != nullptr && gang->is_succeeded) {
        anchor = gang->heir;
        gang = find_gang(anchor);
    }
    return anchor;
}

/// By what number they are known now, nobody has said.
void CapacityModel::move_seats(PodId from, PodId to) {
    for (PodId id = 0; id < pods_.size(); ++id) {
        Seen& seen = pods_[id];
        if (seen.gang != from) {
            continue;
        }
        if (seen.counted_on != nobody) {
            assign(seen, -1);
        }
        seen.gang = id == to ? nobody : to;
        seen.slot = id == to ? -1 : seen.slot;
        seen.binder = nobody_numbers | id;
        if (seen.counted_on != nobody) {
            assign(seen, 1);
        }
    }
}

void CapacityModel::read_reservation(PodId driver, const core::Pod& pod, const std::string& text) {
    GangRecord& gang = gangs_[driver];
    const bool is_relabelled = core::find_value(pod.labels, "edited") != nullptr;
    gang.is_forsaken = gang.is_forsaken || (is_relabelled && !seal_.has_key());
    if (gang.has_reservation && gang.text == text) {
        return;
    }
    const auto read = decode_reservation(text, slots_max);
    if (!read || gang.is_forsaken) {
        return;
    }
    if (slot_count(*read) < gang.slots) {
        forget_numbers(driver);
    }
    seat(driver, -1);
    clear_slots(driver);
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
        if (shape.unplaced > 0) {
            gang.unplaced.emplace_back(amount_of(shape.requests), shape.unplaced);
        }
        for (const auto& [name, count] : shape.slots_per_node) {
            const NodeId id = number_of(name);
            NodeSlots& node_slots = node(id).node_slots[driver];
            const Amount unit = amount_of(shape.requests);
            const bool is_known = std::any_of(
                node_slots.sizes.begin(), node_slots.sizes.end(), [&unit](const auto& one) {
                    return one.unit == unit;
                });
            if (!is_known && read->shapes.size() > 1) {
                node_slots.sizes.push_back({0, 0, unit});
            }
            SizedSlots& sized = node_slots.of(unit);
            sized.slots += count;
            sized.unit = unit;
            gang.nodes.push_back(id);
        }
    }
    seat(driver, 1);
    if (was_void) {
        seat_executors(driver);
    }
    seat_unmarked(driver);
}

/// Those of the gang sit in slots of other sizes when its text names others.
void CapacityModel::seat(PodId driver, int sign) {
    for (Seen& seen : pods_) {
        if (seen.gang == driver && seen.counted_on != nobody) {
            assign(seen, sign);
        }
    }
}

/// Slots that are made anew are made for the executors that run, also for those that were placed
/// while nobody could know of their gang.
void CapacityModel::seat_executors(PodId driver) {
    for (Seen& seen : pods_) {
        if (seen.owner == driver && seen.gang == nobody && !seen.is_surplus &&
            seen.counted_on != nobody && node(seen.counted_on).node_slots[driver].open() > 0) {
            assign(seen, -1);
            seen.gang = driver;
            assign(seen, 1);
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
        Seen* const seen = id < pods_.size() && id != anchor ? &pods_[id] : nullptr;
        if (seen != nullptr && seen->is_unmarked && seen->gang == nobody &&
            seen->counted_on != nobody && node(seen->counted_on).node_slots[anchor].open() > 0) {
            assign(*seen, -1);
            seen->gang = anchor;
            assign(*seen, 1);
        }
    }
}

/// Slots that were given up leave the others with other numbers than their pods say.
void CapacityModel::forget_numbers(PodId driver) {
    for (PodId id = 0; id < pods_.size(); ++id) {
        if (pods_[id].gang == driver) {
            pods_[id].binder = nobody_numbers | id;
        }
    }
}

/// An edit of something else changes no promise, unless the driver is not known for one any more.
void CapacityModel::tenant_edited(PodId driver, const core::Pod& pod) {
    const auto found = gangs_.find(driver);
    if (found == gangs_.end()) {
        return;
    }
    GangRecord& gang = found->second;
    const bool is_relabelled = core::find_value(pod.labels, "edited") != nullptr;
    gang.is_forsaken = gang.is_forsaken || (is_relabelled && !seal_.has_key());
    const bool is_whole = value_or_empty(pod, reservation_key) == gang.text &&
                          value_or_empty(pod, seal_key) == gang.seal;
    if (is_whole && !gang.is_forsaken) {
        return;
    }
    if (!gang.is_void) {
        gang.lost.clear();
        for (const NodeId id : gang.nodes) {
            std::int64_t slots = 0;
            for (const SizedSlots& one : node(id).node_slots[driver].sizes) {
                slots += one.slots;
            }
            gang.lost[id] = slots;
        }
    }
    gang.is_void = true;
    gang.text.clear();
    clear_slots(driver);
    lose_put_back(gang, pod);
}

/// An older text of ours that its tenant has put back: a new leader cannot tell, and goes on with
/// it.
void CapacityModel::lose_put_back(GangRecord& gang, core::Pod pod) const {
    if (!seal_.has_key() || !seal_.open(pod)) {
        return;
    }
    add_named(gang, value_or_empty(pod, reservation_key));
}

void CapacityModel::add_named(GangRecord& gang, const std::string& text) {
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

bool CapacityModel::is_restored(PodId driver, NodeId id) const {
    const GangRecord* gang = find_gang(driver);
    const auto before =
        gang == nullptr ? std::map<NodeId, std::int64_t>::const_iterator() : gang->lost.find(id);
    if (gang == nullptr || before == gang->lost.end()) {
        return false;
    }
    const auto here = nodes_[id].node_slots.find(driver);
    if (here == nodes_[id].node_slots.end()) {
        return true;
    }
    std::int64_t slots = 0;
    for (const SizedSlots& one : here->second.sizes) {
        slots += one.slots;
    }
    return slots <= before->second;
}

void CapacityModel::pod_changed(
    const Entry<core::Pod>& entry, const Author& author, std::int64_t now_ms) {
    const bool is_ours = author.actor == Actor::scheduler;
    if (entry.id >= pods_.size()) {
        pods_.resize(entry.id + 1);
    }
    Seen& seen = pods_[entry.id];
    const core::Pod& pod = entry.object;
    const bool was_bound = seen.is_bound;
    if (entry.change == Change::added) {
        seen.created_ms = now_ms;
    }
    if (seen.counted_on != nobody) {
        assign(seen, -1);
        seen.counted_on = nobody;
    }
    seen.is_over = entry.change == Change::deleted || core::is_terminal(pod);
    seen.is_gone = entry.change == Change::deleted;
    seen.is_bound = !pod.node_name.empty();
    seen.amount = amount_of(pod.requests);
    const core::OwnerReference* owner = core::find_controller(pod);
    seen.owner = owner == nullptr ? nobody : number_of(owner->uid);
    if (is_ours) {
        core::Pod opened = pod;
        seal_.open(opened);
        read_slot(opened, seen);
    } else if (author.actor == Actor::tenant) {
        const std::string* text = core::find_value(pod.annotations, slot_key);
        seen.tenant_slot = text == nullptr || seal_.has_key() ? std::string() : *text;
        core::Pod opened = pod;
        seal_.open(opened);
        seen.is_unmarked = core::find_value(opened.annotations, slot_key) == nullptr;
    }
    if (seen.is_bound && seen.bound_revision == 0) {
        seen.bound_revision = entry.revision;
        seen.binder = (std::uint64_t{author.replica} << 32U) | author.life;
    }
    if (const PodId heir = heir_of(seen.gang); heir != seen.gang) {
        seen.gang = heir == entry.id ? nobody : heir;
        seen.binder = nobody_numbers | entry.id;
    }
    seen.node = seen.is_bound && !seen.is_over ? number_of(pod.node_name) : nobody;
    if (seen.node != nobody) {
        seen.counted_on = seen.node;
        seen.was_on = seen.node;
        assign(seen, 1);
    }
    const std::string* text =
        is_ours ? core::find_value(pod.annotations, std::string(reservation_annotation)) : nullptr;
    if (text != nullptr && !(was_bound && is_older(entry.id, *text))) {
        const GangRecord* const known = find_gang(entry.id);
        const bool is_first = known == nullptr || !known->has_reservation || known->is_succeeded;
        const auto before = was_bound && is_first ? predecessor(entry.id) : std::nullopt;
        if (before) {
            move_seats(*before, entry.id);
        }
        read_reservation(entry.id, pod, *text);
        if (before) {
            succeed(*before, entry.id);
        }
        if (const auto read = gangs_.find(entry.id); read != gangs_.end()) {
            read->second.revision = entry.revision;
        }
    }
    if (author.actor == Actor::tenant && entry.change == Change::modified && !pod.deleting) {
        tenant_edited(entry.id, pod);
    }
    if (const auto gang = gangs_.find(entry.id); gang != gangs_.end()) {
        gang->second.is_live =
            seen.is_bound && !seen.is_over && !pod.deleting && !gang->second.is_succeeded;
        if (!gang->second.is_live) {
            clear_slots(entry.id);
        }
    }
}

void CapacityModel::forget_unsealed(PodId anchor) {
    const auto found = gangs_.find(anchor);
    if (found == gangs_.end() || seal_.has_key()) {
        return;
    }
    found->second.is_void = true;
    found->second.text.clear();
    clear_slots(anchor);
}

Amount CapacityModel::pods_on(NodeId id) const {
    return id < nodes_.size() ? nodes_[id].pods : Amount{};
}

Amount CapacityModel::allocatable(NodeId id) const {
    return id < nodes_.size() ? nodes_[id].allocatable : Amount{};
}

Amount CapacityModel::open_on(NodeId id) const {
    Amount sum;
    if (id < nodes_.size()) {
        for (const auto& [driver, node_slots] : nodes_[id].node_slots) {
            sum.add(node_slots.room(), 1);
        }
    }
    return sum;
}

Amount CapacityModel::usage(NodeId id) const {
    Amount sum = pods_on(id);
    sum.add(open_on(id), 1);
    return sum;
}

const GangRecord* CapacityModel::find_gang(PodId driver) const {
    const auto found = gangs_.find(driver);
    return found == gangs_.end() ? nullptr : &found->second;
}

std::int64_t CapacityModel::rivals(PodId pod) const {
    const Seen& one = pods_[pod];
    if (one.slot < 0) {
        return 0;  // its gang had no slots when it was bound
    }
    return std::count_if(
               pods_.begin(),
               pods_.end(),
               [&one](const Seen& other) {
                   return other.node != nobody && other.gang == one.gang &&
                          other.slot == one.slot && other.binder == one.binder &&
                          other.node == one.node;
               }) -
           1;
}

std::int64_t CapacityModel::open_for(PodId driver, const Amount& size) const {
    std::int64_t open = 0;
    if (const GangRecord* const gang = find_gang(driver)) {
        for (const auto& [unit, count] : gang->unplaced) {
            open += unit == size || gang->unplaced.size() == 1 ? count : 0;
        }
    }
    for (const NodeRecord& record : nodes_) {
        const auto found = record.node_slots.find(driver);
        if (found == record.node_slots.end()) {
            continue;
        }
        for (const SizedSlots& one : found->second.sizes) {
            open += one.unit == size || found->second.sizes.size() == 1 ? one.open() : 0;
        }
    }
    return open;
}

std::int64_t CapacityModel::assigned(PodId driver) const {
    return std::count_if(pods_.begin(), pods_.end(), [driver](const Seen& other) {
        return other.node != nobody && other.gang == driver && other.slot >= 0;
    });
}

}  // namespace gang::sim
