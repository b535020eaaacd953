#pragma once
// What the history says about volumes, at every bind of ours: no node has more different volumes
// than it can attach, a claim for one pod has one, and each volume can be used where its pod goes.
// Read from the pods that are there and their claims; our own view is not asked.

#include "gang/sim/base/store.hpp"

#include <string>

namespace gang::sim {

struct World;

class VolumeChecker {
public:
    explicit VolumeChecker(World& world) : world_(world) {}

    /// After the capacity model has been told.
    void pod_changed(const Entry<core::Pod>& entry, const Author& author);

private:
    void check_limit(const core::Pod& pod, NodeId node);
    void check_claims(const Entry<core::Pod>& entry, NodeId node);

    World& world_;
};

}  // namespace gang::sim
