#pragma once
// Which card of its node a pod gets that asks for one: as the profile of its scheduler packs nodes,
// or as its gang asks for.

#include "config/schema.hpp"
#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"
#include "gang/model/pod/pods.hpp"

namespace gang {

class CardPolicy {
public:
    /// All live as long.
    CardPolicy(const core::Cluster& cluster, const Pods& pods, const config::Schema& schema)
        : cluster_(cluster), pods_(pods), schema_(schema) {}

    /// Of a pod in no slot, and what its annotations say of its cards.
    core::CardUse use_of(const core::Pod& pod) const;
    /// Of a slot, as its gang was planned.
    core::CardChoice choice_of(const Application& app, const Slot& slot) const;

private:
    const core::Cluster& cluster_;
    const Pods& pods_;
    const config::Schema& schema_;
};

}  // namespace gang
