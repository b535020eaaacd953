#pragma once
// What a profile of kube-scheduler is before its file says anything.

#include "config/schema.hpp"

#include <span>
#include <string_view>

namespace config::kube {

/// One of kube-scheduler's plugins. What it does here is by its name in core/filter and core/score.
struct DefaultPlugin {
    std::string_view name;
    std::int64_t weight = 0;  ///< of its score; 0: it has none
};

/// Those of a v1 profile, in order.
std::span<const DefaultPlugin> default_plugins();

/// A profile in the words of kube-scheduler, with all filters and the scores of v1.
Profile default_profile();

/// The scores that a Policy file without priorities had.
core::ScoreOrder policy_scores();

}  // namespace config::kube
