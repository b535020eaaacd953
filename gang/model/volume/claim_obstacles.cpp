// Why a pod, or a gang with the executors that it will have, cannot be placed yet for its claims.
#include "gang/model/volume/claim_queries.hpp"

#include <utility>

namespace gang {
namespace {

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

std::string claim_text(const std::string& name) {
    return "persistentvolumeclaim " + quoted(name);
}

std::string class_text(const std::string& name) {
    return "storageclass.storage.k8s.io " + quoted(name);
}

ClaimObstacle waiting(std::string text) {
    return {ReasonCode::waiting_for_volumes, std::move(text)};
}

/// The texts of these two are kube-scheduler's, where it has one.
std::optional<ClaimObstacle> why_unusable(const std::string& name, const core::Claim& claim) {
    if (claim.state == core::ClaimState::lost) {
        return waiting(
            claim_text(name) + " bound to non-existent persistentvolume " + quoted(claim.volume));
    }
    if (claim.is_deleting) {
        return waiting(claim_text(name) + " is being deleted");
    }
    if (!claim.problem.empty()) {
        return waiting(claim_text(name) + " has no volume: " + claim.problem);
    }
    if (claim.state == core::ClaimState::immediate) {
        return waiting("pod has unbound immediate PersistentVolumeClaims");
    }
    return std::nullopt;
}

/// `absent`: said instead of "not found"; empty: nothing instead.
ClaimObstacle why_missing(
    const KnownClaim& known, const std::string& what, std::string absent = {}) {
    const ClaimMissing& missing = *known.missing;
    if (missing.problem == ClaimProblem::forbidden) {
        return {
            ReasonCode::misconfigured,
            missing.message +
                "; grant the scheduler get on persistentvolumeclaims, persistentvolumes and "
                "storageclasses"};
    }
    if (known.misses < KnownClaim::misses_max) {
        return {};
    }
    if (missing.problem == ClaimProblem::failed) {
        return waiting(what + " cannot be read: " + missing.message);
    }
    return waiting(absent.empty() ? what + " not found" : std::move(absent));
}

}  // namespace

/// It cannot be said yet where there is enough for it.
bool ClaimQueries::awaits_storage(const core::Claim& claim) const {
    return claim.is_storage_counted && claim.state == core::ClaimState::consumer &&
           !storage_.is_known();
}

std::optional<ClaimObstacle> ClaimQueries::find_obstacle(const core::Pod& pod) const {
    if (!pod.claims) {
        return std::nullopt;
    }
    for (const core::ClaimUse& use : *pod.claims) {
        if (auto obstacle = find_obstacle(pod, use)) {
            return obstacle;
        }
    }
    return std::nullopt;
}

std::optional<ClaimObstacle> ClaimQueries::find_obstacle(
    const core::Pod& pod, const core::ClaimUse& use) const {
    const std::string name = claim_name(pod.namespace_name, use.name);
    const KnownClaim* const known = claims_.find(name);
    if (known == nullptr || (!known->claim && !known->missing)) {
        return ClaimObstacle{};
    }
    if (!known->claim) {
        return why_missing(
            *known,
            claim_text(use.name),
            use.is_ephemeral ? "waiting for ephemeral volume controller to create the "
                               "persistentvolumeclaim " +
                                   quoted(use.name)
                             : std::string());
    }
    const core::Claim& claim = *known->claim;
    if (use.is_ephemeral && claim.owner_uid != pod.uid) {
        return waiting(
            "PVC " + quoted(pod.namespace_name + "/" + use.name) + " was not created for pod " +
            quoted(pod.namespace_name + "/" + pod.name) + " (pod is not owner)");
    }
    if (auto obstacle = why_unusable(use.name, claim)) {
        return obstacle;
    }
    if (awaits_storage(claim)) {
        return ClaimObstacle{};
    }
    if (claim.one_pod && claims_.holders().is_held_beside(name, pod.uid) &&
        !pod.constraints->left_out.contains(core::FilterId::volume_restrictions)) {
        return waiting(
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
            "already in-use by another pod");
    }
    return std::nullopt;
}

/// Who uses a claim beside them does not matter to executors that are yet to come.
std::optional<ClaimObstacle> ClaimQueries::find_obstacle(
    const core::Pod& driver, const std::vector<ForeseenClaim>& claims) const {
    for (const ForeseenClaim& one : claims) {
        const KnownClaim* const known = claims_.find(claim_name(driver, one));
        if (known == nullptr || (!known->claim && !known->missing)) {
            return ClaimObstacle{};
        }
        std::optional<ClaimObstacle> obstacle;
        if (!known->claim) {
            obstacle =
                why_missing(*known, one.is_class ? class_text(one.name) : claim_text(one.name));
        } else if (one.is_class) {
            if (!known->claim->problem.empty()) {
                obstacle = waiting(known->claim->problem);
            }
        } else {
            obstacle = why_unusable(one.name, *known->claim);
        }
        if (!obstacle && known->claim && awaits_storage(*known->claim)) {
            obstacle = ClaimObstacle{};
        }
        if (obstacle && !obstacle->text.empty()) {
            obstacle->text.insert(0, "its executors: ");
        }
        if (obstacle) {
            return obstacle;
        }
    }
    return std::nullopt;
}

}  // namespace gang
