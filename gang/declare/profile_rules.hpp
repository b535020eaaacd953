#pragma once
// What the profile of a scheduler name makes of its pods. A name without a profile changes nothing.

#include "config/schema.hpp"

#include <string_view>

namespace gang {

class ProfileRules {
public:
    /// `schema` outlives it, and may become another one.
    explicit ProfileRules(const config::Schema& schema) : schema_(schema) {}

    /// The filters that pods of this scheduler name are not asked.
    core::FilterSet left_out(std::string_view scheduler_name) const;
    /// Nodes are better for its pods if they have their images.
    bool asks_images(std::string_view scheduler_name) const;
    /// Its pods spread, if they do not say how: see add_default_spread().
    bool spreads_alike(std::string_view scheduler_name) const;
    /// False: every pod is placed by itself.
    bool has_gangs(std::string_view scheduler_name) const;

private:
    const config::Schema& schema_;
};

}  // namespace gang
