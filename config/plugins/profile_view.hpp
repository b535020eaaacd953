#pragma once
// A profile in the names that a person knows: what `check-config` prints.

#include "config/schema.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace config {

struct ScoreView {
    std::string name;
    std::int64_t weight = 1;
    bool is_built = true;
};

struct ProfileView {
    std::string scheduler_name;
    std::vector<std::string> filters;    ///< that its pods are asked
    std::vector<std::string> not_built;  ///< of these, at which nobody looks
    std::vector<ScoreView> scores;       ///< empty: by packing
    std::string packing;                 ///< empty: by scores
    std::string messages;
    bool gangs = true;
};

ProfileView view(const Profile& profile);

/// "gang-scheduler", "kube-scheduler"
std::string_view to_string(Messages messages);

}  // namespace config
