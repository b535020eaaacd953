#include "gang/sim/checkers/capacity/gang_records.hpp"

namespace gang::sim {

GangRecord* GangRecords::find(PodId driver) {
    const auto found = gangs_.find(driver);
    return found == gangs_.end() ? nullptr : &found->second;
}

const GangRecord* GangRecords::find(PodId driver) const {
    const auto found = gangs_.find(driver);
    return found == gangs_.end() ? nullptr : &found->second;
}

bool GangRecords::is_forsaken(PodId driver) const {
    const GangRecord* const gang = find(driver);
    return gang != nullptr && gang->is_forsaken;
}

std::optional<PodId> GangRecords::predecessor(PodId anchor) const {
    std::optional<PodId> found;
    const GroupId group = group_jobs_.find(anchor);
    if (group == nobody) {
        return found;
    }
    for (const PodId other : group_jobs_.pods_of(group)) {
        const GangRecord* const gang = find(other);
        if (other != anchor && gang != nullptr && gang->has_reservation &&
            (!found || gang->revision > gangs_.at(*found).revision)) {
            found = other;
        }
    }
    return found;
}

PodId GangRecords::heir_of(PodId anchor) const {
    const GangRecord* gang = find(anchor);
    while (gang != nullptr && gang->is_succeeded) {
        anchor = gang->heir;
        gang = find(anchor);
    }
    return anchor;
}

}  // namespace gang::sim
