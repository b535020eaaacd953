#include "gang/sim/checkers/capacity/node_usage.hpp"

namespace gang::sim {

NodeUsage::Record& NodeUsage::record(NodeId node) {
    if (node >= nodes_.size()) {
        nodes_.resize(node + 1);
    }
    return nodes_[node];
}

void NodeUsage::node_changed(const Entry<core::Node>& entry) {
    Record& known = record(entry.id);
    known.allocatable = {};
    if (entry.change != Change::deleted) {
        known.allocatable = {
            entry.object.allocatable.cpu_milli,
            entry.object.allocatable.memory_bytes,
            entry.object.pods,
            entry.object.allocatable.extended_amount(gpu_resource),
            1,
            entry.object.allocatable.extended_amount(card_resource)};
    }
}

void NodeUsage::assign(Seen& pod, int sign) {
    Record& known = record(pod.counted_on);
    known.pods.add(pod.amount, sign);
    if (pod.gang == nobody) {
        return;
    }
    NodeSlots& slots = known.slots[pod.gang];
    if (sign > 0) {
        pod.slot_size = slots.open_for(pod.amount).unit;
    }
    slots.of(pod.slot_size).assigned += sign;
}

void NodeUsage::clear_slots(PodId driver, const std::vector<NodeId>& nodes) {
    for (const NodeId node : nodes) {
        for (SizedSlots& one : slots_of(driver, node).sizes) {
            one.slots = 0;
        }
    }
}

Amount NodeUsage::pods_on(NodeId node) const {
    return node < nodes_.size() ? nodes_[node].pods : Amount{};
}

Amount NodeUsage::allocatable(NodeId node) const {
    return node < nodes_.size() ? nodes_[node].allocatable : Amount{};
}

Amount NodeUsage::open_on(NodeId node) const {
    Amount sum;
    if (node < nodes_.size()) {
        for (const auto& [driver, slots] : nodes_[node].slots) {
            sum.add(slots.room(), 1);
        }
    }
    return sum;
}

Amount NodeUsage::usage(NodeId node) const {
    Amount sum = pods_on(node);
    sum.add(open_on(node), 1);
    return sum;
}

std::int64_t NodeUsage::named_slots(PodId driver, NodeId node) const {
    const auto found = nodes_[node].slots.find(driver);
    return found == nodes_[node].slots.end() ? 0 : found->second.named();
}

std::int64_t NodeUsage::open_for(PodId driver, const Amount& size) const {
    std::int64_t open = 0;
    for (const Record& known : nodes_) {
        const auto found = known.slots.find(driver);
        if (found == known.slots.end()) {
            continue;
        }
        for (const SizedSlots& one : found->second.sizes) {
            open += one.unit == size || found->second.sizes.size() == 1 ? one.open() : 0;
        }
    }
    return open;
}

}  // namespace gang::sim
