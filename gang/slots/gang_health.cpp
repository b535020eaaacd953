#include "gang/slots/gang_health.hpp"

#include <cstddef>
#include <string>

namespace gang {

void GangHealth::report(Application& app) {
    const std::size_t unplaced = app.count(SlotState::unplaced);
    if (unplaced > 0) {
        model_.worklist.degraded.insert(app.rank());
    } else {
        model_.worklist.degraded.erase(app.rank());
    }
    if (app.health.reported_unplaced == (unplaced > 0)) {
        return;
    }
    app.health.reported_unplaced = unplaced > 0;
    status_reporter_.event(
        model_.driver_of(app),
        app.health.reported_unplaced,
        app.health.reported_unplaced ? "GangDegraded" : "GangRepaired",
        app.health.reported_unplaced ? "no room now for " + std::to_string(unplaced) +
                                           " of the gang's slots, whose nodes were lost or are full"
                                     : "every slot of the gang has room again");
}

}  // namespace gang
