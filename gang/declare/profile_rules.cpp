#include "gang/declare/profile_rules.hpp"

namespace gang {

core::FilterSet ProfileRules::left_out(std::string_view scheduler_name) const {
    const config::Profile* const profile = schema_.find_profile(scheduler_name);
    return profile == nullptr ? core::FilterSet{} : profile->left_out;
}

bool ProfileRules::asks_images(std::string_view scheduler_name) const {
    const config::Profile* const profile = schema_.find_profile(scheduler_name);
    return profile != nullptr && core::asks_images(profile->scores);
}

bool ProfileRules::spreads_alike(std::string_view scheduler_name) const {
    const config::Profile* const profile = schema_.find_profile(scheduler_name);
    return profile != nullptr && core::spreads_alike(profile->scores);
}

bool ProfileRules::has_gangs(std::string_view scheduler_name) const {
    const config::Profile* const profile = schema_.find_profile(scheduler_name);
    return profile == nullptr || profile->gangs;
}

}  // namespace gang
