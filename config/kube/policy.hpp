#pragma once
// kube-scheduler's Policy (kind Policy, apiVersion v1): predicates, priorities, extenders. What is
// not named there is left out; a list that is absent means the defaults.

#include "config/kube/notes.hpp"
#include "config/schema.hpp"

namespace config::kube {

/// Gives the profile the filters and scores of the file.
void read_policy(const Tree& document, Profile& profile, Notes& notes);

/// How much required affinity counts as preferred one, which no score here looks at: 0 to 100.
Key hard_affinity_weight(std::string name, Notes& notes);

}  // namespace config::kube
