#pragma once
// What is shown of queues. Without queues in the file there is one, in which everybody is, and it
// is counted when somebody asks.

#include "gang/model/model.hpp"
#include "gang/queue_view.hpp"
#include "gang/quota/quota_gate.hpp"

#include <vector>

namespace gang {

class QueueViews {
public:
    QueueViews(Model& model, QuotaGate& quota) : model_(model), quota_(quota) {}

    /// By name, so that each stands behind those above it.
    std::vector<QueueView> queues() const;

private:
    std::vector<QueueView> one_queue() const;
    bool could_be_admitted(const Application& app) const;
    void add_waiting(std::vector<QueueView>& views) const;

    Model& model_;
    QuotaGate& quota_;
};

}  // namespace gang
