#include "core/cluster/node_columns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace core {

namespace {

constexpr std::size_t at(View view) {
    return static_cast<std::size_t>(view);
}

/// By an eighth: a node has 248 bytes here, and doubling leaves up to half of all rows empty.
template <typename Row>
void add_to(std::vector<Row>& rows) {
    if (rows.size() == rows.capacity()) rows.reserve(rows.size() + rows.size() / 8 + 64);
    rows.emplace_back();
}

void add_row(Column& column) {
    for (std::vector<std::int64_t>& free_capacity : column.free_capacity) add_to(free_capacity);
    add_to(column.allocated);
    add_to(column.allocated_to_others);
}

void refresh_row(Column& column, std::size_t row) {
    const Wide allocatable = column.free_capacity[at(View::allocatable)][row];
    column.free_capacity[at(View::free)][row] = clamp_to_64_bits(allocatable - column.allocated[row]);
    column.free_capacity[at(View::without_gangs)][row] =
        clamp_to_64_bits(allocatable - column.allocated_to_others[row]);
}

void set_row(Column& column, std::size_t row, std::int64_t allocatable) {
    std::int64_t& free_capacity = column.free_capacity[at(View::allocatable)][row];
    column.allocatable += static_cast<Wide>(allocatable) - free_capacity;
    free_capacity = allocatable;
    refresh_row(column, row);
}

void allocate_row(Column& column, const NodeColumns::Change& change, std::int64_t amount) {
    if (amount == 0) return;
    const std::size_t row = change.node.value;
    const Wide product = static_cast<Wide>(amount) * change.count;
    const Wide delta = change.taken ? product : -product;
    column.allocated[row] += delta;
    if (change.used_by == UsedBy::other_scheduler) column.allocated_to_others[row] += delta;
    refresh_row(column, row);
}

}  // namespace

void NodeColumns::add_node() {
    for (Column* column : {&cpu_, &memory_, &ephemeral_, &pods_}) add_row(*column);
    add_to(extended_);
}

void NodeColumns::set_allocatable(NodeIndex node, const Demand& allocatable, std::int64_t pods) {
    set_row(cpu_, node.value, allocatable.cpu_milli);
    set_row(memory_, node.value, allocatable.memory_bytes);
    set_row(ephemeral_, node.value, allocatable.ephemeral_bytes);
    set_row(pods_, node.value, pods);
    for (Extended& entry : extended_[node.value]) {
        entry.allocatable = 0;
        offer_as_card(node, entry);
    }
    extended_[node.value].reserve(allocatable.extended.size());
    for (const ExtendedDemand& offered : allocatable.extended) {
        extended_entry(node, offered.id).allocatable = offered.amount;
    }
    drop_unused_extended(node);
}

void NodeColumns::apply(const Demand& demand, const Change& change) {
    allocate_row(cpu_, change, demand.cpu_milli);
    allocate_row(memory_, change, demand.memory_bytes);
    allocate_row(ephemeral_, change, demand.ephemeral_bytes);
    allocate_row(pods_, change, 1);
    if (demand.extended.empty()) return;
    for (const ExtendedDemand& wanted : demand.extended) {
        Extended& entry = extended_entry(change.node, wanted.id);
        const Extended before = entry;
        const Wide product = static_cast<Wide>(wanted.amount) * change.count;
        const Wide delta = change.taken ? product : -product;
        entry.allocated += delta;
        if (change.used_by == UsedBy::other_scheduler) entry.allocated_to_others += delta;
        if (const ExtendedId limit = names_.limit_of_volume(wanted.id); !limit.is_none()) {
            apply_volume(limit, before, Extended(entry), change.node);
        }
    }
    drop_unused_extended(change.node);
}

/// What the volume's holders add up to has become more than nothing, or nothing again.
void NodeColumns::apply_volume(
    ExtendedId limit, const Extended& before, const Extended& after, NodeIndex node) {
    const auto change = [](Wide was, Wide is) { return Wide{is > 0} - Wide{was > 0}; };
    Extended& counted = extended_entry(node, limit);
    counted.allocated += change(before.allocated, after.allocated);
    counted.allocated_to_others += change(before.allocated_to_others, after.allocated_to_others);
}

bool NodeColumns::is_attached(NodeIndex node, ExtendedId volume) const {
    const auto& entries = extended_[node.value];
    return std::any_of(entries.begin(), entries.end(), [&](const Extended& entry) {
        return entry.id == volume && entry.allocated > 0;
    });
}

std::int64_t NodeColumns::extended(NodeIndex node, ExtendedId id, View view) const {
    const Wide by_all = names_.offered_by_all(id);
    for (const Extended& entry : extended_[node.value]) {
        if (entry.id != id) continue;
        switch (view) {
            case View::free:
                return clamp_to_64_bits(by_all + entry.allocatable - entry.allocated);
            case View::without_gangs:
                return clamp_to_64_bits(by_all + entry.allocatable - entry.allocated_to_others);
            case View::allocatable:
                return clamp_to_64_bits(by_all + entry.allocatable);
        }
    }
    const CardTable::Offer* const card = find_card(node, id);
    return clamp_to_64_bits(by_all + (card == nullptr ? 0 : card->amount));
}

bool NodeColumns::is_overcommitted(NodeIndex node) const {
    const auto row = node.value;
    const auto free = at(View::free);
    const auto& extended = extended_[row];
    return cpu_.free_capacity[free][row] < 0 || memory_.free_capacity[free][row] < 0 ||
           ephemeral_.free_capacity[free][row] < 0 || pods_.free_capacity[free][row] < 0 ||
           std::any_of(extended.begin(), extended.end(), [this](const Extended& entry) {
               // What is on cards that the node does not list is in its sum, too.
               if (entry.allocatable == 0 && !names_.resource_of_card(entry.id).is_none()) return false;
               return Wide{entry.allocatable} + names_.offered_by_all(entry.id) < entry.allocated;
           });
}

void NodeColumns::set_cards(
    NodeIndex node, const NodeCards* cards, std::span<const ExtendedId> resources) {
    cards_.set(node, cards, resources);
    for (Extended& entry : extended_[node.value]) offer_as_card(node, entry);
}

/// nullptr: it is none of the node's cards, or offers nothing.
const CardTable::Offer* NodeColumns::find_card(NodeIndex node, ExtendedId card) const {
    const ExtendedId resource = names_.resource_of_card(card);
    if (resource.is_none()) return nullptr;
    return cards_.find_offer(node, resource, names_.card_id(card));
}

/// What is taken of a card is kept under its name, whether the node has that card or not.
void NodeColumns::offer_as_card(NodeIndex node, Extended& entry) const {
    if (names_.resource_of_card(entry.id).is_none()) return;
    const CardTable::Offer* const card = find_card(node, entry.id);
    entry.allocatable = card == nullptr ? 0 : card->amount;
    entry.card_order = card == nullptr ? std::uint16_t{0} : card->order;
}

NodeColumns::TakenOfCards NodeColumns::taken_of_cards(
    NodeIndex node, ExtendedId resource, View view, std::size_t cards) const {
    TakenOfCards taken;
    taken.by_order.resize(cards);
    if (!names_.has_cards()) return taken;
    for (const Extended& entry : extended_[node.value]) {
        if (!names_.is_card_of(entry.id, resource)) continue;
        if (names_.is_unknown_card(entry.id)) {
            taken.unknown += entry.taken(view);
        } else if (entry.allocatable != 0) {  // else the node does not have it
            taken.by_order[entry.card_order] += entry.taken(view);
        }
    }
    return taken;
}

bool NodeColumns::is_card_overdrawn(NodeIndex node, ExtendedId resource) const {
    if (const CountedCardAsk* const asked = names_.find_card_ask(resource)) {
        return is_card_overdrawn(node, asked->units) || is_card_overdrawn(node, asked->cores) ||
               is_card_overdrawn(node, asked->slots);
    }
    if (resource.is_none()) return false;
    const auto& extended = extended_[node.value];
    return std::any_of(extended.begin(), extended.end(), [&](const Extended& entry) {
        return entry.allocatable > 0 && names_.is_card_of(entry.id, resource) &&
               entry.allocatable < entry.allocated;
    });
}

NodeColumns::Extended& NodeColumns::extended_entry(NodeIndex node, ExtendedId id) {
    std::vector<Extended>& entries = extended_[node.value];
    const auto found = std::lower_bound(
        entries.begin(), entries.end(), id, [](const Extended& entry, ExtendedId wanted) {
            return entry.id < wanted;
        });
    if (found != entries.end() && found->id == id) return *found;
    Extended made{id, 0, 0, 0, 0};
    offer_as_card(node, made);
    return *entries.insert(found, made);
}

/// What nobody offers or holds must not outlive the name's number, which is used again.
void NodeColumns::drop_unused_extended(NodeIndex node) {
    std::erase_if(extended_[node.value], [this](const Extended& entry) {
        const bool is_listed = entry.allocatable != 0 && names_.resource_of_card(entry.id).is_none();
        return !is_listed && entry.allocated == 0 && entry.allocated_to_others == 0;
    });
}

}  // namespace core
