#pragma once
// Sees gangs and lone pods begin and end, and learns how long they run: from those that end while
// we look, and from drivers that have ended and are still listed. Does nothing unless backfill is
// on.

#include "config/queues/backfill_modes.hpp"
#include "gang/event.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <string>

namespace gang {

class RunObserver {
public:
    RunObserver(Model& model, StepContext& step) : model_(model), step_(step) {}

    bool is_on() const { return is_on_; }
    /// The file is another one. Switched on: seen are those who begin from here on. Switched off:
    /// what was seen is forgotten.
    void config_changed();
    /// After everybody else has had the event.
    void on(const PodUpserted& event);
    void on(const PodDeleted& event);

private:
    bool starts_gang(const core::Pod& pod) const;
    std::string queue_of(const core::Pod& pod) const;

    Model& model_;
    StepContext& step_;
    bool is_on_ = config::has_backfill(model_.schema);
};

}  // namespace gang
