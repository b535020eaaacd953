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
        if (model_.pods[*own].holds_capacity()) {
            node = model_.cluster.node_or_placeholder(model_.pods[*own].node());
        }
    } else if (const auto allocation = model_.cluster.pods().find(event.uid)) {
        node = model_.cluster.allocations().of(*allocation).node;
    }
    if (!node.is_none()) {
        model_.pod_rules.placed().listed(
            event.uid, node, event.namespace_name, event.labels, event.deleting);
    }
}

void LabelLister::on(const PodsListed& event) {
    model_.pod_rules.labels().list_ended(event.complete);
    not_before_ms_ = step_.now_ms + between_lists_ms;
}

/// With the labels that rules name by now.
void LabelLister::place_assumed() {
    model_.pods.for_each_active([this](const PodEntry& entry) {
        if (entry.pod.node_name.empty() && entry.holds_capacity()) {
            model_.pod_rules.placed().place(entry.pod, entry.node());
            step_.work_left -= work_per_pod_counted;
        }
    });
}

void LabelLister::run() {
    RuleLabels& labels = model_.pod_rules.labels();
    if (!labels.are_known() && !labels.is_listing()) {
        if (step_.now_ms < not_before_ms_) {
            step_.wake_at(not_before_ms_);
        } else {
            labels.list_began();
            place_assumed();
            ++step_.counters.label_lists;
            step_.decisions.emplace_back(ListPods{});
        }
    }
    const std::size_t counted = model_.pod_rules.placed().fill();
    step_.work_left -= static_cast<std::int64_t>(counted) * work_per_pod_counted;
    if (counted == 0) {
        return;
    }
    model_.worklist.queue_changed = true;
    model_.pod_rules.waiting().for_each([this](std::string_view uid) {
        const PodEntry* const entry = model_.pods.find_active(uid);
        if (entry != nullptr && !entry->owner.empty()) {
            model_.worklist.dirty_gangs.insert(entry->owner);
        }
    });
}

}  // namespace gang
