#include "gang/life/cluster_events.hpp"

#include "core/value/node.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace gang {
namespace {

/// Of a node's label; what is no whole number costs nothing.
std::int64_t read_cost(const std::string* text) {
    std::int64_t cost = 0;
    if (text == nullptr) {
        return cost;
    }
    const char* end = text->data() + text->size();
    const auto [stopped, error] = std::from_chars(text->data(), end, cost);
    return error == std::errc{} && stopped == end ? cost : 0;
}

}  // namespace

void ClusterEvents::on(const NodeUpserted& event) {
    core::Node node = event.node;
    note_costs(node);
    note_cards(node);
    if (model_.gpus.is_on()) {
        model_.gpus.offer(node);
        model_.gpus.node_changed(node.name);  // it may have pods already
    }
    model_.volume_counts.offer(node);
    model_.cluster_model.upsert_node(node);
}

void ClusterEvents::note_costs(core::Node& node) const {
    node.is_scarce = std::any_of(
        model_.schema.nodes.scarce.begin(),
        model_.schema.nodes.scarce.end(),
        [&node](const std::string& name) { return node.allocatable.extended_amount(name) > 0; });
    node.cost = read_cost(core::find_value(node.labels, model_.schema.nodes.cost_label));
}

/// A node of which nothing is another stays as it is, in quarantine too.
void ClusterEvents::read_nodes_again() {
    const config::Nodes& said = model_.schema.nodes;
    model_.cluster_model.set_reserve(
        {said.headroom_cpu_milli, said.headroom_memory_bytes}, said.scarce);
    const std::vector<core::NodeIndex> nodes(
        model_.cluster.nodes().by_name().begin(), model_.cluster.nodes().by_name().end());
    for (const core::NodeIndex index : nodes) {
        core::Node node = model_.cluster.room().node_as_told(index);
        note_costs(node);
        if (node.cost != model_.cluster.nodes().node(index).cost ||
            node.is_scarce != model_.cluster.nodes().node(index).is_scarce) {
            model_.cluster_model.upsert_node(node);
        }
    }
    model_.fit_cache.forget_all();
}

void ClusterEvents::note_cards(const core::Node& node) {
    if (!node.cards || node.cards->problem.empty()) {
        unreadable_.erase(node.name);
        return;
    }
    Unreadable& known = unreadable_[node.name];
    if (known.problem != node.cards->problem || known.uid != node.uid) {
        known = {node.uid, node.cards->problem, false};
        has_unreported_ = true;
    }
}

void ClusterEvents::report_unreadable(std::vector<Decision>& decisions) {
    if (!std::exchange(has_unreported_, false)) {
        return;
    }
    for (auto& [node, known] : unreadable_) {
        if (std::exchange(known.is_reported, true)) {
            continue;
        }
        decisions.emplace_back(RecordEvent{
            {"default", node, known.uid},
            true,
            "UnreadableCards",
            known.problem + "; its cards are unknown",
            true});
    }
}

void ClusterEvents::on(const NodeDeleted& event) {
    unreadable_.erase(event.name);
    model_.cluster_model.remove_node(event.name);
}

void ClusterEvents::on(const RelistBegun& event) {
    (event.kind == Kind::pods ? model_.pods_list : model_.nodes_list) = ListState::under_way;
}

void ClusterEvents::on(const RelistEnded& event) {
    (event.kind == Kind::pods ? model_.pods_list : model_.nodes_list) = ListState::complete;
}

}  // namespace gang
