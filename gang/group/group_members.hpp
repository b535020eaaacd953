#pragma once
// What is true of a pod group by the pods that it has now. Remembers nothing.

#include "gang/model/application.hpp"
#include "gang/model/group/pod_groups.hpp"
#include "gang/model/model.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace gang {

/// How many of its members count for its minimum already.
std::int64_t count_placed(const Model& model, const PodGroup& group);
/// Its pod has ended, or is being deleted: so it was when its text was read.
bool is_over(const Model& model, PodId anchor);
/// Nobody says any more what the group asks: who runs stays, who comes now waits for its object.
bool is_gone(const PodGroup& group);
/// Of a member that cannot be placed as it is; empty: all can.
std::string first_problem(const std::vector<PodEntry*>& members);

}  // namespace gang
