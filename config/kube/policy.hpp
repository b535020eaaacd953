#pragma once
// kube-scheduler's Policy (kind Policy, apiVersion v1): predicates, priorities, extenders. What is
// not named there is left out; a list that is absent means the defaults.

#include "config/kube/notes.hpp"
#include "config/schema.hpp"

namespace config::kube {

/// Gives the profile the filters and scores of the file, and the schema its extenders.
void read_policy(
    const Tree& document,
    Profile& profile,
    std::vector<CalledExtender>& extenders,
    Notes& notes);

/// How much the required affinity of placed pods counts as if it were preferred: 0 to 100.
Key hard_affinity_weight(std::string name, Profile& profile, Notes& notes);

}  // namespace config::kube
