#include "gang/sim/checkers/volume_checker.hpp"

#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <set>

namespace gang::sim {
namespace {

bool is_there(const core::Pod& pod) {
    return !pod.node_name.empty() && !core::is_terminal(pod);
}

std::string claim_of(const core::Pod& pod, const core::ClaimUse& use) {
    return pod.namespace_name + "/" + use.name;
}

}  // namespace

void VolumeChecker::pod_changed(const Entry<core::Pod>& entry, const Author& author) {
    const core::Pod& pod = entry.object;
    const bool is_bind =
        world_.checkers.capacity_model().pods()[entry.id].bound_revision == entry.revision;
    if (author.actor != Actor::scheduler || !is_bind || !pod.claims) {
        return;
    }
    ++world_.record.counts.binds_with_volumes;
    const NodeId node = number_of(pod.node_name);
    check_limit(pod, node);
    check_claims(entry, node);
}

void VolumeChecker::check_limit(const core::Pod& pod, NodeId node) {
    const std::int64_t most = world_.cluster.volumes.limit(node);
    std::set<std::string> there;
    for (const auto& other : world_.store.pods) {
        if (!other || !other->claims || !is_there(*other) || other->node_name != pod.node_name) {
            continue;
        }
        for (const core::ClaimUse& use : *other->claims) {
            there.insert(claim_of(*other, use));
        }
    }
    if (most >= 0 && static_cast<std::int64_t>(there.size()) > most) {
        world_.checkers.violated(
            "volume-limit",
            fmt::format(
                "{} is bound to n{}, which has {} volumes now and can attach {}",
                full_name(pod),
                node,
                there.size(),
                most));
    }
}

void VolumeChecker::check_claims(const Entry<core::Pod>& entry, NodeId node) {
    const core::Pod& pod = entry.object;
    for (const core::ClaimUse& use : *pod.claims) {
        const std::string name = claim_of(pod, use);
        const Volumes::Record* const claim = world_.cluster.volumes.find(name);
        const bool is_bound = claim != nullptr && claim->claim.state == core::ClaimState::bound;
        if (!is_bound || (!claim->nodes.empty() && !claim->nodes.contains(node))) {
            world_.checkers.violated(
                "volume-nodes",
                fmt::format(
                    "{} is bound to n{}, where claim {} cannot be used", full_name(pod), node, name));
        }
        for (PodId id = 0; is_bound && claim->claim.one_pod && id < world_.store.pods.size(); ++id) {
            const core::Pod* const other = world_.store.find_pod(id);
            if (id == entry.id || other == nullptr || !other->claims || !is_there(*other)) {
                continue;
            }
            for (const core::ClaimUse& held : *other->claims) {
                if (claim_of(*other, held) == name) {
                    world_.checkers.violated(
                        "one-pod-claim",
                        fmt::format(
                            "{} is bound with claim {}, which {} has",
                            full_name(pod),
                            name,
                            full_name(*other)));
                }
            }
        }
    }
}

}  // namespace gang::sim
