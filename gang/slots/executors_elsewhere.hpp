#pragma once
// Executors of our drivers that another scheduler has bound.

#include "core/value/pod.hpp"
#include "gang/model/model.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/publisher.hpp"

#include <cstddef>
#include <set>
#include <string>

namespace gang {

class ExecutorsElsewhere {
public:
    ExecutorsElsewhere(Model& model, StatusReporter& status_reporter, Publisher& publisher)
        : model_(model), status_reporter_(status_reporter), publisher_(publisher) {}

    /// The pod is gone.
    void forget(const std::string& uid) { known_.erase(uid); }
    std::size_t remembered() const { return known_.size(); }

    /// A webhook may have given the executor to another scheduler: it counts where it runs, and the
    /// slot that nobody will come for is given back. What was bound before we led is not known to
    /// have been counted or not; those slots are kept, which costs room and breaks nothing.
    void observe(const core::Pod& pod);

private:
    Model& model_;
    StatusReporter& status_reporter_;
    Publisher& publisher_;
    std::set<std::string> known_;  ///< by uid
};

}  // namespace gang
