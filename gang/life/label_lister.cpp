#include "gang/life/label_lister.hpp"

#include "gang/decision.hpp"
#include "gang/model/work.hpp"

#include <cstddef>
#include <string_view>

namespace gang {
namespace {

/// A list of all pods is dear to the API server, and who names labels may be any tenant.
constexpr std::int64_t between_lists_ms = 2'000;

}  // namespace

/// A pod that is not known to hold room here is on its way by the watch, or gone.
void LabelLister::on(const PodListed& event) {
    core::NodeIndex node;
    if (const auto own = model_.pods.find(event.uid)) {
        if (model_.pods.holds_capacity(*own)) {
            node = model_.cluster.node_or_placeholder(model_.pods.node(*own));
        }
    } else if (const auto allocation = model_.cluster.find_pod(event.uid)) {
        node = model_.cluster.allocation_of(*allocation).node;
    }
    if (!node.is_none()) {
        model_.placed_pods.listed(
            event.uid, node, event.namespace_name, event.labels, event.deleting);
    }
}

void LabelLister::on(const PodsListed& event) {
    model_.placed_pods.list_ended(event.complete);
    not_before_ms_ = step_.now_ms + between_lists_ms;
}

/// With the labels that rules name by now.
void LabelLister::place_assumed() {
    model_.pods.for_each_active([this](const PodEntry& entry) {
        if (entry.pod.node_name.empty() && entry.holds_capacity()) {
            model_.placed_pods.place(entry.pod, entry.node());
            step_.work_left -= work_per_pod_counted;
        }
    });
}

void LabelLister::run() {
    PlacedPods& placed = model_.placed_pods;
    if (!placed.knows_labels() && !placed.is_listing()) {
        if (step_.now_ms < not_before_ms_) {
            step_.wake_at(not_before_ms_);
        } else {
            placed.list_began();
            place_assumed();
            ++step_.counters.label_lists;
            step_.decisions.emplace_back(ListPods{});
        }
    }
    const std::size_t counted = placed.fill();
    step_.work_left -= static_cast<std::int64_t>(counted) * work_per_pod_counted;
    if (counted == 0) {
        return;
    }
    model_.worklist.queue_changed = true;
    placed.for_each_waiting([this](std::string_view uid) {
        const PodEntry* const entry = model_.pods.find_active(uid);
        if (entry != nullptr && !entry->owner.empty()) {
            model_.worklist.dirty_gangs.insert(entry->owner);
        }
    });
}

}  // namespace gang
