#pragma once
// What a pod of ours is: a driver, an executor, a member of a pod group, or none of them. Taken once,
// when it is first seen, for labels and owners can be edited later.

#include "gang/classify/executor_owners.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"

namespace gang {

class PodRoles {
public:
    PodRoles(Model& model, ExecutorOwners& owners) : model_(model), owners_(owners) {}

    /// It is new.
    void take(PodEntry& entry);
    /// Labels may come later than the pod: until it is bound, a pod may still turn out to be a
    /// driver. So may one that another leader knew, and has bound, as one.
    void promote(PodEntry& entry, bool behind_fence);
    /// Whoever makes the group may name it on the driver later.
    void name_driver_group(const PodEntry& entry);
    /// The object of a driver's group counts the driver and its executors.
    void note_driver_group(PodId id);

private:
    bool was_admitted(const PodEntry& entry) const;
    void join_group(PodEntry& entry);
    void join_controller(PodEntry& entry);

    Model& model_;
    ExecutorOwners& owners_;
};

}  // namespace gang
