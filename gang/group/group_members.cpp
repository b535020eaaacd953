#include "gang/group/group_members.hpp"

#include "core/value/pod.hpp"

#include <algorithm>

namespace gang {

/// Who has done its work counts, as it does for Volcano: what takes the place of a last one that
/// failed must not wait for pods that nobody makes any more. Who is being deleted does not: a job
/// that is made anew starts as a whole, also while the pods before it end. Who is being bound does
/// not yet: the bind may fail.
std::int64_t count_placed(const Model& model, const PodGroup& group) {
    return std::count_if(group.members.begin(), group.members.end(), [&model](PodId member) {
        if (model.pods[member].phase() == core::PodPhase::succeeded) {
            return true;
        }
        if (!model.evicting.empty() && model.evicting.contains(model.pods.uid(member))) {
            return false;
        }
        if (model.pods.is_compacted(member)) {
            return model.pods[member].holds_capacity();
        }
        const PodEntry& entry = *model.pods.find_active(model.pods.uid(member));
        return entry.holds_capacity() && !entry.pod.node_name.empty() && !entry.pod.deleting;
    });
}

bool is_over(const Model& model, PodId anchor) {
    if (model.pods.is_compacted(anchor)) {
        return !model.pods[anchor].holds_capacity();
    }
    const core::Pod& pod = model.pods.at(anchor).pod;
    return core::is_terminal(pod) || pod.deleting;
}

bool is_gone(const PodGroup& group) {
    return group.missing && group.missing->problem == PodGroupProblem::not_found;
}

std::string first_problem(const std::vector<PodEntry*>& members) {
    const auto found = std::find_if(members.begin(), members.end(), [](const PodEntry* member) {
        return !member->pod.problem.empty();
    });
    return found == members.end()
               ? std::string()
               : "its pod " + (*found)->pod.name + " is not placed: " + (*found)->pod.problem;
}

}  // namespace gang
