#pragma once
// A picture without the names of those whom the caller may not know. Sizes, states, codes and
// places stay: that others wait, and for how much, explains why one waits.

#include "gang/app/api/access/sight.hpp"
#include "gang/app/api/snapshot.hpp"
#include "gang/explain.hpp"

#include <string>
#include <string_view>

namespace gang::app {

/// Namespace of gangs of others.
inline constexpr std::string_view hidden_namespace = "(another)";

/// Whatever has the form NAMESPACE/NAME and is of no namespace that may be seen becomes "a pod of
/// another namespace"; "3/8" stays. Names in a command go, too: `-n NAMESPACE NAME`.
std::string masked_text(std::string_view text, const Sight& sight);

Snapshot masked(Snapshot snapshot, const Sight& sight);

/// Of a gang that may be seen.
Explanation masked(Explanation explanation, const Sight& sight);

}  // namespace gang::app
