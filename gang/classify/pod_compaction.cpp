#include "gang/classify/pod_compaction.hpp"

#include "core/value/pod.hpp"
#include "gang/explain.hpp"

namespace gang {
namespace {

/// What its slot annotation says may be of use yet: the anchor of its group is not known.
bool awaits_anchor(const PodEntry& entry, const Application* owner) {
    return !entry.group.empty() && owner == nullptr && entry.annotated_slot == SlotAnnotation::slot;
}

}  // namespace

void PodCompaction::compact_if_settled(PodEntry& entry) {
    const core::Pod& pod = entry.pod;
    const bool is_bound = !pod.node_name.empty() && !pod.deleting && !pod.gated &&
                          !entry.bind_in_flight && !entry.gone && pod.problem.empty() &&
                          entry.retry->code == ReasonCode::none;
    const Application* app = model_.gangs.find(pod.uid);
    const bool is_settled =
        is_bound &&
        (entry.is_driver ? app == nullptr || !declarations_.awaits_declaration(*app, pod)
                         : app == nullptr && !model_.worklist.dirty_pods.contains(pod.uid) &&
                               !owners_.has_unknown_driver(entry) &&
                               !awaits_anchor(entry, model_.gangs.find_owner(entry)));
    if (is_settled) {
        model_.pods.compact(entry.id);
    }
}

}  // namespace gang
