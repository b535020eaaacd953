#pragma once
// Whether every slot of a gang has room, and the event that says so.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/report/status_reporter.hpp"

namespace gang {

class GangHealth {
public:
    GangHealth(Model& model, StatusReporter& status_reporter)
        : model_(model), status_reporter_(status_reporter) {}

    /// The event and the worklist follow how many slots have no room.
    void report(Application& app);

private:
    Model& model_;
    StatusReporter& status_reporter_;
};

}  // namespace gang
