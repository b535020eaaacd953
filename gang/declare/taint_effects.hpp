#pragma once
// The effects of taints by the names that Kubernetes has for them.

#include "core/value/constraints.hpp"

#include <array>
#include <string_view>
#include <utility>

namespace gang {

inline constexpr std::array<std::pair<std::string_view, core::TaintEffect>, 3> taint_effects = {
    {{"NoSchedule", core::TaintEffect::no_schedule},
     {"PreferNoSchedule", core::TaintEffect::prefer_no_schedule},
     {"NoExecute", core::TaintEffect::no_execute}}};

}  // namespace gang
