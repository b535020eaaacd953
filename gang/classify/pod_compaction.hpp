#pragma once
// When a pod need not be kept whole any more.

#include "gang/classify/executor_owners.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/reservation/declarations.hpp"

namespace gang {

class PodCompaction {
public:
    PodCompaction(Model& model, Declarations& declarations, ExecutorOwners& owners)
        : model_(model), declarations_(declarations), owners_(owners) {}

    /// Bound, and nothing of it is awaited but its end: it need not be kept whole. An executor is
    /// whose driver may still turn out to be another.
    void compact_if_settled(PodEntry& entry);

private:
    Model& model_;
    Declarations& declarations_;
    ExecutorOwners& owners_;
};

}  // namespace gang
