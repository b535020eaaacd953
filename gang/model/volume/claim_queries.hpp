#pragma once
// Questions about the claims of a pod, or of the executors that a driver will have: whether it can
// be placed yet, which nodes and volumes they come to, and what is chosen for them on a node.

#include "core/value/claim.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "core/value/volume/volume_limits.hpp"
#include "gang/decision.hpp"
#include "gang/explain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/volume/claims.hpp"
#include "gang/model/volume/storage_room.hpp"

#include <optional>
#include <string>
#include <vector>

namespace gang {

/// Why a pod cannot be placed yet, whatever room there is.
struct ClaimObstacle {
    ReasonCode code = ReasonCode::none;
    std::string text;  ///< empty: nothing that is worth saying yet
};

class ClaimQueries {
public:
    /// Both outlive it.
    ClaimQueries(const Claims& claims, const StorageRoom& storage)
        : claims_(claims), storage_(storage) {}

    /// Nothing: as far as its claims go, it can be placed.
    std::optional<ClaimObstacle> find_obstacle(const core::Pod& pod) const;
    /// What its claims ask of a node, as far as they are known.
    std::vector<core::VolumeNodes> nodes_of(const core::Pod& pod) const;
    /// The volumes that drivers attach for it, as far as its claims are known.
    std::vector<core::DriverVolume> volumes_of(const core::Pod& pod) const;

    /// The same of executors to come.
    std::optional<ClaimObstacle> find_obstacle(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const;
    std::vector<core::VolumeNodes> nodes_of(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const;
    std::vector<core::DriverVolume> volumes_of(
        const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const;

    /// What its claims without a volume get on this node: a volume that is there, the smallest one
    /// for the smallest claim first, or one that is made.
    struct Choice {
        std::vector<std::string> made;
        std::vector<ClaimedVolume> there;  ///< with no volume: none is left for the claim
    };
    Choice choose_volumes(const core::Pod& pod, const core::Node& node) const;

private:
    bool awaits_storage(const core::Claim& claim) const;
    std::optional<ClaimObstacle> find_obstacle(
        const core::Pod& pod, const core::ClaimUse& use) const;

    const Claims& claims_;
    const StorageRoom& storage_;
};

}  // namespace gang
