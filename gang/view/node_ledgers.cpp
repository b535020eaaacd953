#include "gang/view/node_ledgers.hpp"

#include "core/value/device/card_ask.hpp"
#include "core/value/exclusive.hpp"
#include "core/value/volume/inline_volumes.hpp"
#include "core/value/resources.hpp"
#include "gang/model/application.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace gang {

namespace {

/// MiB of GPUs that are known by their metrics.
constexpr std::string_view measured_memory = "genius/gpu-memory";

std::string first_label(const core::Node& node, std::initializer_list<const char*> keys) {
    for (const char* key : keys) {
        if (const std::string* value = core::find_value(node.labels, std::string(key))) {
            return *value;
        }
    }
    return {};
}

/// What keeps pods off the node, whatever room it has.
std::string state_text(const core::Node& node) {
    std::string text;
    const auto add = [&text](const std::string& word) {
        text += (text.empty() ? "" : ", ") + word;
    };
    if (!node.ready) {
        add("not ready");
    }
    if (node.unschedulable) {
        add("cordoned");
    }
    if (node.is_quarantined) {
        add("refuses pods that should fit");
    }
    for (const core::Taint& taint : node.taints) {
        if (taint.effect != core::TaintEffect::prefer_no_schedule) {
            add("tainted " + taint.key + (taint.value.empty() ? "" : "=" + taint.value));
        }
    }
    return text;
}

}  // namespace

std::vector<NodeLedger> NodeLedgers::ledger() const {
    std::map<std::string, NodeLedger> nodes;
    for (const core::NodeIndex index : model_.cluster.nodes().by_name()) {
        NodeLedger& node = nodes[model_.cluster.nodes().name(index)];
        node.allocatable = model_.cluster.nodes().node(index).allocatable;
        node.pods_allocatable = model_.cluster.nodes().node(index).pods;
    }
    const auto node_of = [&](core::AllocationId allocation) -> NodeLedger& {
        return nodes[model_.cluster.nodes().name(model_.cluster.allocations().of(allocation).node)];
    };
    const auto bind = [&](core::AllocationId allocation) {
        NodeLedger& node = node_of(allocation);
        core::add_times(node.bound, model_.cluster.allocations().resources_of(allocation), 1);
        ++node.pods_bound;
    };
    const auto hold = [&](core::AllocationId allocation, HeldUnit unit) {
        NodeLedger& node = node_of(allocation);
        unit.requests = model_.cluster.allocations().resources_of(allocation);
        core::add_times(node.held, unit.requests, 1);
        node.units.push_back(std::move(unit));
    };
    const auto bind_for = [&](core::AllocationId allocation, const Application& app) {
        bind(allocation);
        std::vector<BoundShare>& shares = node_of(allocation).bound_by;
        const std::string name = app.namespace_name.str() + "/" + app.name;
        // Of one gang they come one after the other, but for drivers.
        auto at = std::find_if(shares.rbegin(), shares.rend(), [&name](const BoundShare& share) {
            return share.gang == name;
        });
        if (at == shares.rend()) {
            shares.push_back({name, 0, {}});
            at = shares.rbegin();
        }
        ++at->pods;
        core::add_times(at->requests, model_.cluster.allocations().resources_of(allocation), 1);
    };
    model_.cluster.pods().for_each([&](std::string_view uid, core::AllocationId allocation) {
        const Application* const app = model_.gangs.find(std::string(uid));
        if (app != nullptr && !app->slots.empty()) {
            bind_for(allocation, *app);
        } else {
            bind(allocation);
        }
    });
    for (const auto& [uid, app] : model_.gangs.all()) {
        HeldUnit unit{
            HeldUnit::State::open,
            app.namespace_name.str() + "/" + app.name,
            app.uid,
            -1,
            {},
            app.bound_ms};
        for (std::size_t i = 0; i < app.slots.size(); ++i) {
            const Slot& slot = app.slots[i];
            if (slot.allocation.is_none()) {
                continue;
            }
            if (slot.state == SlotState::bound || slot.state == SlotState::draining) {
                bind_for(slot.allocation, app);
                continue;
            }
            unit.state =
                slot.state == SlotState::assumed ? HeldUnit::State::assumed : HeldUnit::State::open;
            unit.slot = static_cast<std::int32_t>(i);
            hold(slot.allocation, unit);
        }
        unit.state = HeldUnit::State::leaving;
        unit.slot = -1;
        for (const PendingRelease& left : *app.pending_releases) {
            hold(left.allocation, unit);
        }
        if (const Nomination* const nomination = model_.nominations.find(app.uid)) {
            unit.state = HeldUnit::State::nominated;
            for (const core::AllocationId room : nomination->held) {
                hold(room, unit);
            }
        }
        if (const BoughtRoom* const bought = model_.bought.find(app.uid)) {
            unit.state = HeldUnit::State::nominated;
            for (const BoughtRoom::Place& place : bought->places) {
                hold(place.room, unit);
            }
        }
    }
    std::vector<NodeLedger> out;
    for (auto& [name, node] : nodes) {
        node.name = name;
        const auto index = model_.cluster.nodes().find(name);
        node.is_present = index.has_value();
        std::sort(node.bound_by.begin(), node.bound_by.end(), [](const auto& a, const auto& b) {
            return a.gang < b.gang;
        });
        // Who is the first with a volume takes one of the node's for all: they do not add up.
        for (core::Resources* const sum : {&node.allocatable, &node.bound, &node.held}) {
            *sum = core::without_all_volumes(std::move(*sum));
        }
        if (index) {
            read_free(*index, node);
        }
        out.push_back(std::move(node));
    }
    return out;
}

NodeSums NodeLedgers::sums() const {
    const core::NodeColumns& columns = model_.cluster.columns();
    const auto view = core::View::free;
    NodeSums sums;
    std::map<std::string_view, std::pair<std::int64_t, std::int64_t>> extended;  // all, and free
    const auto add = [](std::int64_t& sum, std::int64_t amount) {
        sum = core::add_times(sum, amount, 1);
    };
    for (const core::NodeIndex index : model_.cluster.nodes().by_name()) {
        const core::Resources& has = model_.cluster.nodes().node(index).allocatable;
        add(sums.allocatable.cpu_milli, has.cpu_milli);
        add(sums.allocatable.memory_bytes, has.memory_bytes);
        add(sums.allocatable.ephemeral_bytes, has.ephemeral_bytes);
        add(sums.free.cpu_milli, columns.cpu(view)[index.value]);
        add(sums.free.memory_bytes, columns.memory(view)[index.value]);
        add(sums.free.ephemeral_bytes, columns.ephemeral(view)[index.value]);
        for (const core::ExtendedResource& entry : has.extended) {
            const auto id = model_.cluster.extended_names().find(entry.name);
            if (id && !core::is_exclusive(entry.name) && !core::is_card_ask(entry.name)) {
                auto& [all, free] = extended[entry.name];
                add(all, entry.amount);
                add(free, columns.extended(index, *id, view));
            }
        }
    }
    for (const auto& [name, amounts] : extended) {
        sums.allocatable.extended.push_back({std::string(name), amounts.first});
        sums.free.extended.push_back({std::string(name), amounts.second});
    }
    sums.allocatable = core::without_volumes(std::move(sums.allocatable));
    sums.free = core::without_volumes(std::move(sums.free));
    return sums;
}

/// What placement sees, and whether it agrees with the sum of all that is allocated.
void NodeLedgers::read_free(core::NodeIndex index, NodeLedger& node) const {
    const core::NodeColumns& columns = model_.cluster.columns();
    const auto view = core::View::free;
    const core::Node& known = model_.cluster.nodes().node(index);
    node.pool = first_label(
        known,
        {"karpenter.sh/nodepool",
         "eks.amazonaws.com/nodegroup",
         "cloud.google.com/gke-nodepool",
         "kubernetes.azure.com/agentpool"});
    node.zone = first_label(known, {"topology.kubernetes.io/zone"});
    node.state = state_text(known);
    node.free.cpu_milli = columns.cpu(view)[index.value];
    node.free.memory_bytes = columns.memory(view)[index.value];
    node.free.ephemeral_bytes = columns.ephemeral(view)[index.value];
    node.pods_free = columns.pods(view)[index.value];
    core::Resources left = node.allocatable;
    core::add_times(left, node.bound, -1);
    core::add_times(left, node.held, -1);
    for (const core::ExtendedResource& entry : left.extended) {
        if (const auto id = model_.cluster.extended_names().find(entry.name)) {
            // What every node offers is no part of what it lists as allocatable.
            const bool is_of_all = core::is_exclusive(entry.name) || core::is_card_ask(entry.name);
            const std::int64_t by_all = is_of_all ? core::exclusive_all : 0;
            const std::int64_t free = columns.extended(index, *id, view) - by_all;
            node.free.extended.push_back({entry.name, free});
        }
    }
    if (const auto said = columns.cards().find(index); said && !said->cards.empty()) {
        std::vector<std::int64_t> free(said->cards.size());
        const core::CardFamily* const family = core::family_of_cards(said->resource);
        const std::string counted =
            family == nullptr ? said->resource : std::string(family->counted_units);
        if (const auto resource = model_.cluster.extended_names().find(counted)) {
            columns.for_each_card(
                index, *resource, view, [&](const core::NodeColumns::CardRoom& card) {
                    free[card.order] = card.free;
                });
        }
        for (std::size_t i = 0; i < said->cards.size(); ++i) {
            const core::Card& card = said->cards[i];
            node.cards.push_back({card.id, said->resource, card.units, free[i]});
        }
    }
    if (const core::GpuPromises* const gpus = model_.gpus.find_node(known.name)) {
        const std::vector<std::int64_t> free = gpus->free();
        for (std::size_t i = 0; i < gpus->gpus().size(); ++i) {
            const core::SampledGpu& gpu = gpus->gpus()[i];
            node.cards.push_back(
                {gpu.id,
                 std::string(measured_memory),
                 std::max<std::int64_t>(gpu.size_mib, 0),
                 free[i]});
        }
    }
    node.adds_up = left == node.free && node.pods_allocatable - node.pods_bound -
                                                static_cast<std::int64_t>(node.units.size()) ==
                                            node.pods_free;
}

}  // namespace gang
