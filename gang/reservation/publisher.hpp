#pragma once
// The reservation as the driver's annotation: what it says, when it is written again, and what came
// of that. Each write names the state of the pod that it was decided on, so one that an older
// leader has sent comes too late; what comes too late itself is decided again on the pod's next
// state.
//
//   rewrite_reservation() --publish--> writing --written, or shown by the watch--> stored
//                             ^-----changed, failed: after a pause-----'

#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"

#include <cstdint>
#include <string>

namespace gang {

class Publisher {
public:
    Publisher(Model& model, StepContext& step, StatusReporter& status_reporter)
        : model_(model), step_(step), status_reporter_(status_reporter) {}

    /// What the ledger holds of the gang is not what its driver says any more: it is written anew,
    /// with the generation that is returned. The only way to change a written reservation.
    std::int64_t rewrite(Application& app);
    /// The annotation's text, as the ledger has the gang now.
    std::string text_of(const Application& app) const;
    /// Sends the writes that are due; the others stay on the worklist.
    void publish_changed();
    /// A write of the gang's reservation was answered.
    void answered(Application& app, WriteOutcome outcome);
    /// The API server has this generation: what it no longer names is free.
    void stored(Application& app, std::int64_t generation);
    /// The leader's ledger is the truth; what a driver carries that is neither what was last sent
    /// nor a state of before that was written by a tenant, or by a leader of before us, and is
    /// overwritten.
    void observe(Application& app, const std::string* text);

private:
    bool may_publish(const Application& app) const;

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
};

}  // namespace gang
