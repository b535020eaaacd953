#include "core/cluster/cluster.hpp"

#include "core/base/result.hpp"
#include "core/cluster/capacity.hpp"
#include "core/cluster/device/card_room.hpp"
#include "core/value/device/card_ask.hpp"
#include "core/value/device/card_dialect.hpp"
#include "core/value/device/gpu_wish.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/volume_limits.hpp"

#include <algorithm>
#include <set>

namespace core {

namespace {

/// What filters look at.
bool filters_alike(const Node& a, const Node& b) {
    return a.ready == b.ready && a.is_quarantined == b.is_quarantined &&
           a.refuses_host_ports == b.refuses_host_ports && a.unschedulable == b.unschedulable &&
           a.labels == b.labels && a.taints == b.taints;
}

/// How many pods on one node can ask for so much of what every node offers.
std::int32_t times_exclusive(std::int64_t amount) {
    return static_cast<std::int32_t>(std::min(times_it_fits(exclusive_all, amount), pod_slots_max));
}

/// Sorted by name, each name once.
void merge_amounts(std::vector<ExtendedResource>& amounts) {
    std::sort(amounts.begin(), amounts.end());
    std::vector<ExtendedResource> merged;
    for (ExtendedResource& one : amounts) {
        if (!merged.empty() && merged.back().name == one.name) {
            merged.back().amount = add_times(merged.back().amount, one.amount, 1);
        } else {
            merged.push_back(std::move(one));
        }
    }
    amounts = std::move(merged);
}

void sort_by_id(std::vector<ExtendedDemand>& demands) {
    std::sort(
        demands.begin(), demands.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

bool wishes_alike(const Resources& a, const Resources& b) {
    const std::string* const of_a = find_gpu_wish(a);
    const std::string* const of_b = find_gpu_wish(b);
    return of_a == nullptr || of_b == nullptr ? of_a == of_b : *of_a == *of_b;
}

bool alike_in_capacity(const Node& a, const Node& b) {
    return a.pods == b.pods && a.allocatable == b.allocatable;
}

}  // namespace

// --- nodes --------------------------------------------------------------------------------------

bool Cluster::upsert_node(const Node& node) {
    const NodeIndex index = node_or_placeholder(node.name);
    NodeEntry& entry = nodes_[index.value];
    const bool came = !entry.present;
    const bool cards_changed = !columns_.cards().has(index, node.cards);
    const bool free_capacity_changed =
        came || cards_changed || !alike_in_capacity(entry.node, node);
    const bool filters_changed = came || !filters_alike(entry.node, node);
    if (free_capacity_changed) set_allocatable(index, node);
    const bool images_changed = node.images && images_.set(index, *node.images);
    if (images_changed) classes_.forget_derived();
    if (came || entry.node.cost != node.cost) cost_levels_.levels.reset();
    if (!came) count_kinds(entry.node, -1);
    count_kinds(node, 1);
    entry.node = node;
    entry.node.uid = std::string();
    entry.node.resource_version = std::string();
    entry.node.cards.reset();
    entry.node.images.reset();
    entry.present = true;
    if (came) {
        classes_.filter_all(insert_in_order(index), entry.node);
    } else if (filters_changed) {
        classes_.filter_all(position_of(index), entry.node);
        index_.node_changed(index);
    }
    if (free_capacity_changed || filters_changed) note_gain(index);
    return free_capacity_changed || filters_changed || images_changed;
}

bool Cluster::remove_node(std::string_view name) {
    const std::optional<NodeIndex> index = find_node(name);
    if (!index) return false;
    NodeEntry& entry = nodes_[index->value];
    erase_from_order(*index);
    cost_levels_.levels.reset();
    images_.forget(*index);
    set_allocatable(*index, {});
    entry.present = false;
    count_kinds(entry.node, -1);
    entry.node = Node{};
    entry.node.name = name;
    note_if_idle(*index);
    return true;
}

std::optional<NodeIndex> Cluster::find_node(std::string_view name) const {
    const auto found = index_by_name_.find(name);
    if (found == index_by_name_.end() || !nodes_[found->second.value].present) return std::nullopt;
    return found->second;
}

Node Cluster::node_as_told(NodeIndex index) const {
    Node told = node(index);
    told.cards = columns_.cards().find(index);
    return told;
}

NodeIndex Cluster::node_or_placeholder(std::string_view name) {
    const auto found = index_by_name_.find(name);
    if (found != index_by_name_.end()) return found->second;
    const NodeIndex index = take_idle_entry();
    nodes_[index.value].node.name = name;
    index_by_name_.emplace(name, index);
    return index;
}

/// Entries are reused only here, when another name needs one: until then a placeholder's number is
/// valid even while nothing is allocated on it.
NodeIndex Cluster::take_idle_entry() {
    while (!idle_.empty()) {
        const NodeIndex index = idle_.back();
        idle_.pop_back();
        NodeEntry& entry = nodes_[index.value];
        entry.listed_idle = false;
        if (entry.present || entry.allocations > 0) continue;
        index_by_name_.erase(entry.node.name);
        return index;
    }
    nodes_.emplace_back();
    columns_.add_node();
    return {static_cast<std::uint32_t>(nodes_.size() - 1)};
}

void Cluster::note_if_idle(NodeIndex node) {
    NodeEntry& entry = nodes_[node.value];
    if (entry.present || entry.allocations > 0 || entry.listed_idle) return;
    entry.listed_idle = true;
    idle_.push_back(node);
}

std::vector<NodeIndex>::iterator Cluster::place_in_order(std::string_view name) {
    const auto before = [this](NodeIndex node, std::string_view wanted) {
        return node_name(node) < wanted;
    };
    return std::lower_bound(order_.begin(), order_.end(), name, before);
}

std::size_t Cluster::insert_in_order(NodeIndex node) {
    const auto at = place_in_order(node_name(node));
    const auto position = static_cast<std::size_t>(at - order_.begin());
    order_.insert(at, node);
    index_.node_came(node, position);
    classes_.node_came(position);
    return position;
}

void Cluster::erase_from_order(NodeIndex node) {
    const auto at = place_in_order(node_name(node));
    const auto position = static_cast<std::size_t>(at - order_.begin());
    order_.erase(at);
    index_.node_went(node, position);
    classes_.node_went(position);
}

void Cluster::count_kinds(const Node& node, int by) {
    costly_nodes_ += node.cost != 0 ? by : 0;
    scarce_nodes_ += node.is_scarce ? by : 0;
    closed_nodes_ += is_closed(node) ? by : 0;
    avoided_nodes_ += is_better_avoided(node) ? by : 0;
}

const std::vector<CostLevel>& Cluster::cost_levels() const {
    if (cost_levels_.levels) return *cost_levels_.levels;
    std::vector<CostLevel>& kept = cost_levels_.levels.emplace();
    std::map<std::int64_t, NodeBitmap> by_cost;
    for (std::size_t position = 0; position < order_.size(); ++position) {
        by_cost[node(order_[position]).cost].set(position, true);
        if (by_cost.size() > cost_levels_max) return kept;
    }
    for (auto& [cost, nodes] : by_cost) kept.push_back({cost, std::move(nodes)});
    return kept;
}

/// The names of a node's extended resources are held as long as it offers them. Nodes that are
/// alike share their amounts.
void Cluster::set_allocatable(NodeIndex node, const Node& offered) {
    const ResourcesId id = intern_amounts(offered.allocatable);
    NodeEntry& entry = nodes_[node.value];
    set_cards(node, offered.cards);
    columns_.set_allocatable(node, demands_[id.value], offered.pods);
    index_.node_changed(node);
    if (!entry.allocatable.is_none()) release_amounts(entry.allocatable);
    entry.allocatable = id;
}

/// So are the names by which its cards are counted.
void Cluster::set_cards(NodeIndex node, const Boxed<NodeCards>& said) {
    const std::vector<ExtendedId> before = columns_.cards().resources(node);
    std::vector<ExtendedId> resources;
    if (said) {
        for (const std::string_view name : counted_resources(*said)) {
            resources.push_back(hold_name(std::string(name)));
        }
    }
    columns_.set_cards(node, said ? &*said : nullptr, resources);
    for (const ExtendedId name : before) release_name(name);
}

// --- shapes -------------------------------------------------------------------------------------

ShapeId Cluster::intern_shape(const Resources& resources, const Constraints& constraints) {
    const ResourcesId amounts = intern_amounts(resources);
    const auto constraint_class = classes_.intern(constraints);
    if (constraint_class.is_new) {
        for (std::size_t i = 0; i < order_.size(); ++i) {
            classes_.filter(constraint_class.id, i, nodes_[order_[i].value].node);
        }
    }
    const auto shape = shapes_.intern({amounts, constraint_class.id});
    if (!shape.is_new) {  // the shape holds its parts already
        release_amounts(amounts);
        classes_.release(constraint_class.id);
    }
    return shape.id;
}

ShapeId Cluster::restrict_shape(
    ShapeId id, NodeBitmap nodes, std::vector<ReasonCount> reasons, PodScores scores) {
    const Shape shape = shapes_[id];
    amounts_.retain(shape.resources);
    const ClassId restricted = classes_.restrict(
        shape.constraint_class, std::move(nodes), std::move(reasons), std::move(scores));
    return shapes_.intern({shape.resources, restricted}).id;
}

std::optional<ShapeId> Cluster::find_unrestricted(ShapeId id) const {
    const Shape shape = shapes_[id];
    if (!ConstraintClasses::is_restricted(shape.constraint_class)) return std::nullopt;
    return shapes_.find({shape.resources, classes_.unrestricted(shape.constraint_class)});
}

bool Cluster::release_shape(ShapeId id) {
    const Shape shape = shapes_[id];
    if (!shapes_.release(id)) return false;
    capacity_cache_.forget(id);
    release_amounts(shape.resources);
    classes_.release(shape.constraint_class);
    return true;
}

const Constraints& Cluster::constraints(ShapeId shape) const {
    return classes_.constraints(class_of(shape));
}

ResourcesId Cluster::intern_amounts(const Resources& resources) {
    const auto interned = amounts_.intern(resources);
    if (!interned.is_new) return interned.id;
    Demand demand;
    demand.cpu_milli = resources.cpu_milli;
    demand.memory_bytes = resources.memory_bytes;
    demand.ephemeral_bytes = resources.ephemeral_bytes;
    for (const ExtendedResource& entry : resources.extended) {
        const ExtendedId name = hold_name(entry.name);
        demand.extended.push_back({name, entry.amount});
        const bool is_of_all = is_exclusive(entry.name);
        demand.wants_cards = demand.wants_cards || is_card_resource(entry.name) ||
                             columns_.find_card_ask(name) != nullptr;
        demand.wants_listed = demand.wants_listed || !is_of_all;
        demand.wants_exclusive = demand.wants_exclusive || is_of_all;
        demand.wants_gpus = demand.wants_gpus || is_gpu_wish(entry.name);
        demand.wants_volumes = demand.wants_volumes || is_volume(entry.name);
        if (is_of_all) demand.at_most = std::min(demand.at_most, times_exclusive(entry.amount));
    }
    if (demand.wants_volumes) add_limits(resources, demand);
    sort_by_id(demand.extended);
    if (interned.id.value >= demands_.size()) demands_.resize(interned.id.value + 1);
    demands_[interned.id.value] = std::move(demand);
    return interned.id;
}

/// A reference to the number of an extended resource; what a new one means is known from then on.
ExtendedId Cluster::hold_name(const std::string& name) {
    const auto held = extended_names_.intern(name);
    if (!held.is_new) return held.id;
    columns_.set_offered_by_all(held.id, is_exclusive(name) ? exclusive_all : 0);
    if (is_card_ask(name)) hold_card_ask(held.id, name);
    if (is_volume(name)) columns_.set_volume(held.id, hold_limit(name));
    if (notes_gpu_moves_ && is_gpu_wish(name)) new_gpu_wishes_.push_back(name);
    if (is_card(name)) {
        const auto resource = extended_names_.intern(std::string(resource_of_card(name)));
        if (resource.is_new) columns_.set_offered_by_all(resource.id, 0);
        columns_.set_card(held.id, resource.id, cut_card_id(id_of_card(name)));
    }
    return held.id;
}

void Cluster::release_name(ExtendedId name) {
    const ExtendedId resource = columns_.resource_of_card(name);
    const ExtendedId limit = columns_.limit_of_volume(name);
    if (!extended_names_.release(name)) return;
    if (!limit.is_none()) {
        columns_.set_volume(name, {});
        extended_names_.release(limit);
    }
    if (const auto asked = columns_.take_card_ask(name)) {
        for (const ExtendedId one : {asked->units, asked->cores, asked->slots}) {
            if (!one.is_none()) extended_names_.release(one);
        }
    }
    if (resource.is_none()) return;
    columns_.set_card(name, {}, {});
    extended_names_.release(resource);
}

/// A reference to the number of the volume's limit.
ExtendedId Cluster::hold_limit(const std::string& volume) {
    const auto held = extended_names_.intern(limit_of_volume(volume));
    if (held.is_new) columns_.set_offered_by_all(held.id, exclusive_all);
    return held.id;
}

/// Whoever asks for volumes is asked about their limits, which it may take nothing of by itself.
void Cluster::add_limits(const Resources& resources, Demand& demand) {
    std::set<std::string> limits;
    for (const ExtendedResource& entry : resources.extended) {
        if (is_volume(entry.name)) limits.insert(limit_of_volume(entry.name));
    }
    for (const std::string& name : limits) {
        if (resources.extended_amount(name) > 0) continue;
        const auto limit = extended_names_.intern(name);  // its volumes hold it: it is not new
        demand.extended.push_back({limit.id, 0});
    }
}

void Cluster::release_amounts(ResourcesId id) {
    if (!amounts_.release(id)) return;
    for (const ExtendedDemand& entry : demands_[id.value].extended) release_name(entry.id);
    demands_[id.value] = {};
    if (without_cards_.empty()) return;
    if (const auto found = without_cards_.find(id); found != without_cards_.end()) {
        const ResourcesId plain = found->second;
        without_cards_.erase(found);
        release_amounts(plain);
    }
}

// --- cards --------------------------------------------------------------------------------------

ResourcesId Cluster::without_cards(ResourcesId id) const {
    if (without_cards_.empty()) return id;
    const auto found = without_cards_.find(id);
    return found == without_cards_.end() ? id : found->second;
}

/// The reference to the amounts becomes one to those with the cards.
ResourcesId Cluster::add_cards(ResourcesId id, const std::vector<ExtendedResource>& cards) {
    if (cards.empty()) return id;
    Resources with = amounts_[id];
    with.extended.insert(with.extended.end(), cards.begin(), cards.end());
    std::sort(with.extended.begin(), with.extended.end());
    const ResourcesId made = intern_amounts(with);
    if (!without_cards_.emplace(made, id).second) release_amounts(id);
    return made;
}

std::vector<ExtendedResource> Cluster::cards_among(ResourcesId id) const {
    std::vector<ExtendedResource> cards;
    for (const ExtendedResource& entry : amounts_[id].extended) {
        if (is_card(entry.name)) cards.push_back(entry);
    }
    return cards;
}

/// Its cards are counted by resources whose names live as long as the ask.
void Cluster::hold_card_ask(ExtendedId name, const std::string& text) {
    const auto ask = card_ask_of(text);
    if (!ask) return;
    const auto hold = [this](std::string_view resource) {
        const auto held = extended_names_.intern(std::string(resource));
        if (held.is_new) columns_.set_offered_by_all(held.id, 0);
        return held.id;
    };
    const CardFamily& family = *ask->family;
    NodeColumns::AskedCards asked{*ask, hold(family.counted_units), {}, {}};
    if (!family.counted_cores.empty()) asked.cores = hold(family.counted_cores);
    if (!family.counted_slots.empty()) asked.slots = hold(family.counted_slots);
    columns_.set_card_ask(name, std::move(asked));
    columns_.set_offered_by_all(name, exclusive_all);  // no node runs out of it
}

/// Of units whose card nobody has said. A share of a card is one of the largest.
void Cluster::add_unknown(
    NodeIndex node, const ExtendedDemand& wanted, std::vector<ExtendedResource>& cards) const {
    const auto* const asked = columns_.find_card_ask(wanted.id);
    if (asked == nullptr) {
        cards.push_back({card_name(extended_names_[wanted.id], unknown_card), wanted.amount});
        return;
    }
    std::int64_t largest = 0;
    columns_.for_each_card(
        node, asked->units, View::allocatable, [&](const NodeColumns::CardRoom& card) {
            largest = std::max(largest, card.units);
        });
    const CardFamily& family = *asked->ask.family;
    cards.push_back({card_name(family.counted_units, unknown_card), units_of(asked->ask, largest)});
    if (asked->ask.cores > 0)
        cards.push_back({card_name(family.counted_cores, unknown_card), asked->ask.cores});
    if (!family.counted_slots.empty())
        cards.push_back({card_name(family.counted_slots, unknown_card), 1});
}

/// Where no card has enough left, that with the most is overdrawn, so that this is seen. Where none
/// is known, the units count on each that will be.
std::vector<ExtendedResource> Cluster::choose_cards(
    NodeIndex node, ResourcesId id, UsedBy used_by, CardChoice choice) const {
    std::vector<ExtendedResource> cards;
    std::vector<CardDemand> planned;
    for (const ExtendedDemand& wanted : demands_[id.value].extended) {
        if (!is_card_resource(extended_names_[wanted.id]) &&
            columns_.find_card_ask(wanted.id) == nullptr) {
            continue;
        }
        if (used_by == UsedBy::other_scheduler) {
            add_unknown(node, wanted, cards);
            continue;
        }
        auto taken = core::choose_cards(columns_, node, wanted, View::free, choice, planned);
        if (taken.empty()) taken = overdraw_cards(columns_, node, wanted, View::free);
        if (taken.empty()) add_unknown(node, wanted, cards);
        planned.insert(planned.end(), taken.begin(), taken.end());
    }
    for (const CardDemand& one : planned) {
        const std::string card = columns_.cards().id(node, one.order);
        cards.push_back({card_name(extended_names_[one.resource], card), one.amount});
    }
    merge_amounts(cards);
    return cards;
}

/// All of it; 0: the node has no such card.
std::int64_t Cluster::offered_by_card(NodeIndex node, const std::string& name) const {
    const auto resource = extended_names_.find(std::string(resource_of_card(name)));
    if (!resource) return 0;
    const auto* const offer =
        columns_.cards().find_offer(node, *resource, cut_card_id(id_of_card(name)));
    return offer == nullptr ? 0 : offer->amount;
}

/// What is said of cards in amounts that only the cards tell.
std::vector<ExtendedResource> Cluster::told_by_cards(
    NodeIndex node, ResourcesId id, std::vector<ExtendedResource> said) const {
    const NodeColumns::AskedCards* asked = nullptr;
    for (const ExtendedDemand& wanted : demands_[id.value].extended) {
        if (asked == nullptr) asked = columns_.find_card_ask(wanted.id);
    }
    for (ExtendedResource& one : said) {
        if (one.amount != by_the_card) continue;
        const std::int64_t whole = offered_by_card(node, one.name);
        const bool is_units =
            asked != nullptr && resource_of_card(one.name) == asked->ask.family->counted_units;
        one.amount = std::max<std::int64_t>(is_units ? units_of(asked->ask, whole) : whole, 1);
    }
    return said;
}

Allocation Cluster::with_cards(Allocation allocation, const CardUse& cards) {
    if (!demands_[allocation.resources.value].wants_cards) return allocation;
    ENSURE(allocation.count == 1);
    const auto chosen =
        !cards.said.empty()
            ? told_by_cards(allocation.node, allocation.resources, cards.said)
            : choose_cards(allocation.node, allocation.resources, allocation.used_by, cards.choice);
    allocation.resources = add_cards(allocation.resources, chosen);
    return allocation;
}

std::vector<ExtendedResource> Cluster::cards_of(AllocationId allocation) const {
    auto cards = cards_among(allocation_of(allocation).resources);
    std::erase_if(
        cards, [](const ExtendedResource& card) { return id_of_card(card.name) == unknown_card; });
    return cards;
}

bool Cluster::has_cards(NodeIndex node, ResourcesId id) const {
    const auto& extended = demands_[id.value].extended;
    return std::any_of(extended.begin(), extended.end(), [&](const ExtendedDemand& wanted) {
        return emptiest_card(columns_, node, wanted.id, View::allocatable).has_value();
    });
}

void Cluster::choose_card_anew(AllocationId id, CardChoice choice) {
    Allocation& allocation = allocations_[id.value];
    const ResourcesId plain = without_cards(allocation.resources);
    if (plain == allocation.resources) return;
    amounts_.retain(plain);
    apply(allocation, false);
    release_amounts(allocation.resources);
    allocation.resources = plain;
    allocation = with_cards(allocation, {choice, {}});
    apply(allocation, true);
    note_gain(allocation.node);
}

// --- room ---------------------------------------------------------------------------------------

AllocationId Cluster::allocate(
    NodeIndex node, const Resources& resources, UsedBy used_by, const CardUse& cards) {
    return attach(with_cards({node, intern_amounts(resources), 1, used_by}, cards));
}

AllocationId Cluster::allocate(
    NodeIndex node, ShapeId shape, UsedBy used_by, std::uint32_t count, CardChoice choice) {
    const ResourcesId amounts = shapes_[shape].resources;
    amounts_.retain(amounts);
    return attach(with_cards({node, amounts, count, used_by}, {choice, {}}));
}

void Cluster::release(AllocationId id) {
    const Allocation allocation = detach(id);
    release_amounts(allocation.resources);
    note_if_idle(allocation.node);
}

void Cluster::reallocate(
    AllocationId id, const Resources& resources, UsedBy used_by, const CardUse& cards) {
    Allocation& allocation = allocations_[id.value];
    ENSURE(!allocation.node.is_none());
    const ResourcesId amounts = intern_amounts(resources);
    const bool wants_cards = demands_[amounts.value].wants_cards;
    const bool is_same =
        amounts == without_cards(allocation.resources) && used_by == allocation.used_by;
    // Who had a card keeps it, unless the word is another; an unknown one is nobody's choice.
    CardUse use = cards;
    if (wants_cards && !use.said.empty()) {
        use.said = told_by_cards(allocation.node, amounts, std::move(use.said));
    }
    if (wants_cards && use.said.empty() && is_same) {
        if (used_by == UsedBy::other_scheduler) {
            use.said = choose_cards(allocation.node, amounts, used_by, use.choice);
        } else if (!cards_of(id).empty() || !has_cards(allocation.node, amounts)) {
            use.said = cards_among(allocation.resources);
        }
    }
    if (is_same && (!wants_cards || use.said == cards_among(allocation.resources))) {
        release_amounts(amounts);
        return;
    }
    // Whose wish stays the same is the same pod: what it uses is known as before.
    const bool is_other_wish =
        notes_gpu_moves_ && !wishes_alike(amounts_[allocation.resources], resources);
    if (is_other_wish && is_gpu_move(allocation)) note_gpu_move(id, allocation, false);
    apply(allocation, false);
    release_amounts(allocation.resources);
    allocation.resources = amounts;
    allocation.used_by = used_by;
    allocation = with_cards(allocation, use);
    apply(allocation, true);
    if (is_other_wish && is_gpu_move(allocation)) note_gpu_move(id, allocation, true);
    note_gain(allocation.node);
}

const Allocation& Cluster::allocation_of(AllocationId id) const {
    ENSURE(id.value < allocations_.size() && !allocations_[id.value].node.is_none());
    return allocations_[id.value];
}

const Resources& Cluster::resources_of(AllocationId id) const {
    return amounts_[without_cards(allocation_of(id).resources)];
}

void Cluster::upsert_pod(
    std::string_view uid,
    std::string_view node,
    const Resources& resources,
    UsedBy used_by,
    const CardUse& cards) {
    const std::optional<AllocationId> known = pods_.find(uid);
    if (known && node_name(allocation_of(*known).node) == node) {
        reallocate(*known, resources, used_by, cards);
        return;
    }
    if (known) remove_pod(uid);
    pods_.insert(uid, allocate(node_or_placeholder(node), resources, used_by, cards));
}

bool Cluster::remove_pod(std::string_view uid) {
    const std::optional<AllocationId> known = pods_.take(uid);
    if (!known) return false;
    release(*known);
    return true;
}

AllocationId Cluster::attach(const Allocation& allocation) {
    ENSURE(allocation.node.value < nodes_.size());
    AllocationId id{static_cast<std::uint32_t>(allocations_.size())};
    if (free_allocations_.empty()) {
        allocations_.emplace_back() = allocation;
    } else {
        id = free_allocations_.back();
        free_allocations_.pop_back();
        allocations_[id.value] = allocation;
    }
    ++nodes_[allocation.node.value].allocations;
    apply(allocation, true);
    if (is_gpu_move(allocation)) note_gpu_move(id, allocation, true);
    // Others who want a volume that is there now bring none any more.
    if (demands_[allocation.resources.value].wants_volumes) note_gain(allocation.node);
    return id;
}

/// The allocation's reference to its amounts passes to the caller.
Allocation Cluster::detach(AllocationId id) {
    const Allocation allocation = allocation_of(id);
    allocations_[id.value] = {};
    free_allocations_.push_back(id);
    apply(allocation, false);
    --nodes_[allocation.node.value].allocations;
    note_gain(allocation.node);
    if (is_gpu_move(allocation)) note_gpu_move(id, allocation, false);
    return allocation;
}

void Cluster::undo_attach(AllocationId id, bool was_appended) {
    const Allocation allocation = allocation_of(id);
    forget_gpu_move(allocation);
    apply(allocation, false);
    --nodes_[allocation.node.value].allocations;
    release_amounts(allocation.resources);
    if (was_appended) {
        allocations_.pop_back();
    } else {
        allocations_[id.value] = {};
        free_allocations_.push_back(id);
    }
}

void Cluster::undo_detach(AllocationId id, const Allocation& allocation) {
    ENSURE(!free_allocations_.empty() && free_allocations_.back() == id);
    free_allocations_.pop_back();
    allocations_[id.value] = allocation;
    apply(allocation, true);
    ++nodes_[allocation.node.value].allocations;
    forget_gpu_move(allocation);
}

void Cluster::note_gpu_move(AllocationId id, const Allocation& allocation, bool taken) {
    for (const ExtendedDemand& wanted : demands_[allocation.resources.value].extended) {
        const std::string& name = extended_names_[wanted.id];
        if (!is_gpu_wish(name)) continue;
        gpu_moves_.push_back({id, node_name(allocation.node), allocation.count, taken, name});
        return;  // a pod has one
    }
}

/// What is taken back was the last to be noted.
void Cluster::forget_gpu_move(const Allocation& allocation) {
    if (is_gpu_move(allocation)) gpu_moves_.pop_back();
}

void Cluster::apply(const Allocation& allocation, bool taken) {
    columns_.apply(
        demands_[allocation.resources.value],
        {allocation.node, allocation.count, allocation.used_by, taken});
    if (demands_[allocation.resources.value].wants_volumes) {
        index_.node_changed(allocation.node);  // a volume that is there is so to every view
        return;
    }
    // Our gangs' room shows in the free room alone, nobody's in what the node has.
    index_.node_changed(
        allocation.node, allocation.used_by == UsedBy::gang ? View::free : View::without_gangs);
}

// --- questions ----------------------------------------------------------------------------------

bool Cluster::is_eligible(NodeIndex node, ShapeId shape) const {
    const Position position = position_of(node);
    return position != no_position && classes_.eligible(class_of(shape)).test(position);
}

std::int64_t Cluster::capacity(NodeIndex node, ShapeId shape, View view) const {
    return is_eligible(node, shape) ? capacity_of({columns_, view, headroom_}, node, demand(shape))
                                    : 0;
}

std::int64_t Cluster::capacity_in_all(NodeIndex node, ShapeId shape, View view) const {
    return is_eligible(node, shape) ? capacity_of({columns_, view}, node, demand(shape)) : 0;
}

/// What every node offers is short where somebody holds some, and nowhere else: no column.
void Cluster::know_devices(ShapeId shape, View view) const {
    for (const ExtendedDemand& wanted : demand(shape).extended) {
        if (columns_.is_offered_by_all(wanted.id)) continue;
        index_.know_device(wanted.id, view, {columns_, order_, headroom_});
    }
}

const NodeBitmap& Cluster::eligible(ClassId constraint_class) const {
    return classes_.eligible(constraint_class);
}

OpenCapacity Cluster::capacity_if_open(ShapeId shape, View view) const {
    const NodeBitmap& passing = eligible(class_of(shape));
    const Constraints& wanted = constraints(shape);
    OpenCapacity free_capacity;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        const bool is_open = passing.test(i);
        if (!is_open && !passes_when_open(node(order_[i]), wanted)) continue;
        // No overflow: a node takes no more than pod_slots_max.
        const std::int64_t pods =
            capacity_of({columns_, view, headroom_}, order_[i], demand(shape));
        ++free_capacity.nodes;
        free_capacity.pods += pods;
        free_capacity.closed += is_open ? 0 : pods;
    }
    return free_capacity;
}

std::vector<ReasonCount> Cluster::exclusions(ClassId constraint_class) const {
    if (ConstraintClasses::is_restricted(constraint_class)) {
        std::vector<ReasonCount> reasons = exclusions(classes_.unrestricted(constraint_class));
        const auto& more = classes_.restrictions(constraint_class);
        reasons.insert(reasons.end(), more.begin(), more.end());
        std::sort(reasons.begin(), reasons.end(), [](const ReasonCount& a, const ReasonCount& b) {
            return a.count != b.count ? a.count > b.count : a.reason < b.reason;
        });
        return reasons;
    }
    if (const auto* known = classes_.find_exclusions(constraint_class)) return *known;
    const NodeBitmap& passing = classes_.eligible(constraint_class);
    const Constraints& constraints = classes_.constraints(constraint_class);
    // Texts are dear: one for each reason, and for each run of nodes with equal taints.
    std::map<std::string, std::int64_t> counts;
    std::array<std::int64_t, filter_reasons> by_reason = {};
    const Taint* last = nullptr;
    std::int64_t* of_last = nullptr;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (passing.test(i)) continue;
        const FilterVerdict verdict = filter_node(nodes_[order_[i].value].node, constraints);
        if (verdict.taint == nullptr) {
            ++by_reason[static_cast<std::size_t>(verdict.reason)];
            continue;
        }
        if (last == nullptr || *last != *verdict.taint) {
            last = verdict.taint;
            of_last = &counts[describe(verdict)];
        }
        ++*of_last;
    }
    for (std::size_t reason = 0; reason < filter_reasons; ++reason) {
        if (by_reason[reason] == 0) continue;
        counts[describe({static_cast<FilterReason>(reason), nullptr})] = by_reason[reason];
    }
    std::vector<ReasonCount> reasons;
    for (const auto& [reason, count] : counts) reasons.push_back({reason, count});
    std::stable_sort(reasons.begin(), reasons.end(), [](const auto& a, const auto& b) {
        return a.count > b.count;
    });
    classes_.keep_exclusions(constraint_class, reasons);
    return reasons;
}

const Preferences* Cluster::find_preferences(ClassId constraint_class) const {
    if (ConstraintClasses::is_restricted(constraint_class)) {
        return find_preferences(classes_.unrestricted(constraint_class));
    }
    const Constraints& constraints = classes_.constraints(constraint_class);
    const bool has_wishes = !constraints.preferred_affinity.empty() ||
                            !constraints.images.empty() || !constraints.points.empty();
    if (avoided_nodes_ == 0 && !has_wishes) return nullptr;
    const Preferences* kept = classes_.find_preferences(constraint_class);
    if (kept == nullptr) {
        kept = &classes_.keep_preferences(constraint_class, count_preferences(constraint_class));
    }
    return kept->tells_nodes_apart ? kept : nullptr;
}

Preferences Cluster::count_preferences(ClassId constraint_class) const {
    const NodeBitmap& passing = classes_.eligible(constraint_class);
    const Constraints& constraints = classes_.constraints(constraint_class);
    Preferences counted;
    counted.by_position.resize(order_.size());
    if (!constraints.images.empty()) counted.images.resize(order_.size());
    std::optional<std::size_t> first;
    for (std::size_t i = 0; i < order_.size(); ++i) {
        if (!passing.test(i)) continue;
        Preference& here = counted.by_position[i];
        here = find_preference(nodes_[order_[i].value].node, constraints);
        counted.most.taints = std::max(counted.most.taints, here.taints);
        counted.most.weight = std::max(counted.most.weight, here.weight);
        if (!counted.images.empty()) {
            counted.images[i] = static_cast<std::uint8_t>(
                images_.score(order_[i], constraints.images, order_.size()));
        }
        if (!first) first = i;
        counted.tells_nodes_apart =
            counted.tells_nodes_apart || here != counted.by_position[*first] ||
            (!counted.images.empty() && counted.images[i] != counted.images[*first]);
    }
    return counted;
}

bool Cluster::keeps_off_scarce(ShapeId shape) const {
    if (scarce_nodes_ == 0) return false;
    const Resources& asked = resources(shape);
    return std::none_of(scarce_names_.begin(), scarce_names_.end(), [&](const std::string& name) {
        return asked.extended_amount(name) > 0;
    });
}

std::vector<Account> Cluster::accounts() const {
    std::uint64_t amounts = allocation_count() + shapes_.size() + without_cards_.size();
    std::uint64_t allocations = 0;
    std::uint64_t names = columns_.card_name_count() + columns_.volume_name_count();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        amounts += nodes_[i].allocatable.is_none() ? 0 : 1;
        allocations += nodes_[i].allocations;
        names += columns_.cards().resources({static_cast<std::uint32_t>(i)}).size();
    }
    std::set<ExtendedId> asks;
    for (const Demand& demand : demands_) {
        names += demand.extended.size();
        for (const ExtendedDemand& wanted : demand.extended) {
            const auto* const asked = columns_.find_card_ask(wanted.id);
            if (asked == nullptr || !asks.insert(wanted.id).second) continue;
            for (const ExtendedId one : {asked->units, asked->cores, asked->slots}) {
                names += one.is_none() ? 0 : 1;
            }
        }
    }
    return {
        {"amounts", amounts_.references(), amounts},
        {"charges on nodes", allocation_count(), allocations},
        {"constraint classes", classes_.references(), shapes_.size()},
        {"extended names", extended_names_.references(), names},
        columns_.cards().account(),
        images_.account()};
}

}  // namespace core
