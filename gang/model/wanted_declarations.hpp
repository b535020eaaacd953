#pragma once
// Gangs whose slots no valid text vouches for, and what they declare as far as it was found.

#include "gang/declare/gang_size.hpp"
#include "gang/model/application.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>

namespace gang {

struct WantedDeclarations {
    std::set<Rank> to_rebuild;       ///< bound drivers whose declaration is wanted
    std::set<Rank> unverified;       ///< of these, whose unsealed text is held but not compared yet
    std::map<Rank, GangSize> found;  ///< of these, what was found: not settled yet
    std::uint64_t settled_capacity = 0;  ///< FreeCapacityGains::version() when that was last tried

    std::size_t size() const { return to_rebuild.size() + unverified.size() + found.size(); }
};

}  // namespace gang
