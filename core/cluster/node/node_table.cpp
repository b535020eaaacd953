#include "core/cluster/node/node_table.hpp"

#include <algorithm>

namespace core {

namespace {

constexpr std::size_t cost_levels_max = 64;

}  // namespace

std::optional<NodeIndex> NodeTable::find(std::string_view name) const {
    const auto found = index_by_name_.find(name);
    if (found == index_by_name_.end() || !is_present(found->second)) return std::nullopt;
    return found->second;
}

NodeIndex NodeTable::find_or_add(std::string_view name) {
    const auto found = index_by_name_.find(name);
    if (found != index_by_name_.end()) return found->second;
    const NodeIndex index = take_idle_entry();
    entries_[index.value].node.name = name;
    index_by_name_.emplace(name, index);
    return index;
}

/// Entries are reused only here, when another name needs one: until then a placeholder's number is
/// valid even while nothing is allocated on it.
NodeIndex NodeTable::take_idle_entry() {
    while (!idle_.empty()) {
        const NodeIndex index = idle_.back();
        idle_.pop_back();
        Entry& entry = entries_[index.value];
        entry.listed_idle = false;
        if (entry.present || entry.allocations > 0) continue;
        index_by_name_.erase(entry.node.name);
        return index;
    }
    entries_.emplace_back();
    return {static_cast<std::uint32_t>(entries_.size() - 1)};
}

void NodeTable::note_if_idle(NodeIndex node) {
    Entry& entry = entries_[node.value];
    if (entry.present || entry.allocations > 0 || entry.listed_idle) return;
    entry.listed_idle = true;
    idle_.push_back(node);
}

std::vector<NodeIndex>::iterator NodeTable::place_in_order(std::string_view wanted) {
    return std::lower_bound(
        order_.begin(), order_.end(), wanted, [this](NodeIndex node, std::string_view before) {
            return name(node) < before;
        });
}

NodeTable::Put NodeTable::put(NodeIndex index, const Node& node) {
    Entry& entry = entries_[index.value];
    const bool came = !entry.present;
    Put done;
    done.images_changed = node.images && images_.set(index, *node.images);
    if (came || entry.node.cost != node.cost) cost_levels_.levels.reset();
    if (!came) count_kinds(entry.node, -1);
    count_kinds(node, 1);
    entry.node = node;
    entry.node.uid = std::string();
    entry.node.resource_version = std::string();
    entry.node.cards.reset();
    entry.node.images.reset();
    entry.present = true;
    if (!came) return done;
    const auto at = place_in_order(node.name);
    done.came_at = static_cast<std::size_t>(at - order_.begin());
    order_.insert(at, index);
    return done;
}

std::size_t NodeTable::remove(NodeIndex index) {
    Entry& entry = entries_[index.value];
    const auto at = place_in_order(entry.node.name);
    const auto position = static_cast<std::size_t>(at - order_.begin());
    order_.erase(at);
    cost_levels_.levels.reset();
    images_.forget(index);
    count_kinds(entry.node, -1);
    entry.present = false;
    std::string name = std::move(entry.node.name);
    entry.node = Node{};
    entry.node.name = std::move(name);
    return position;
}

void NodeTable::count_kinds(const Node& node, int by) {
    kinds_.costly += node.cost != 0 ? by : 0;
    kinds_.scarce += node.is_scarce ? by : 0;
    kinds_.closed += is_closed(node) ? by : 0;
    kinds_.avoided += is_better_avoided(node) ? by : 0;
}

const std::vector<CostLevel>& NodeTable::cost_levels() const {
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

bool NodeTable::keeps_off_scarce(const Resources& asked) const {
    if (kinds_.scarce == 0) return false;
    return std::none_of(scarce_names_.begin(), scarce_names_.end(), [&](const std::string& name) {
        return asked.extended_amount(name) > 0;
    });
}

}  // namespace core
