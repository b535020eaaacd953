#include "gang/model/volume/claims.hpp"

#include <algorithm>

namespace gang {
namespace {

std::string quoted(const std::string& text) {
    return "\"" + text + "\"";
}

std::string claim_text(const std::string& name, const char* what) {
    return "persistentvolumeclaim " + quoted(name) + " " + what;
}

/// Who makes pods and claims makes them one after the other. So many misses take a second.
constexpr int misses_max = 3;

std::string name_of(const std::string& namespace_name, const std::string& name) {
    return namespace_name + "/" + name;
}

/// Nothing about it will change by itself.
bool is_settled(const core::Claim& claim) {
    return !claim.is_deleting &&
           (claim.state == core::ClaimState::bound ||
            (claim.state == core::ClaimState::consumer && claim.selected_node.empty()));
}

}  // namespace

void Claims::note(const core::Pod& pod, Mount mount, std::int64_t now_ms) {
    if (!pod.claims && waiting_.empty() && holders_.size() == 0) {
        return;
    }
    // What a pod mounts never changes.
    const bool waits = pod.claims && mount == Mount::waits;
    const bool holds = pod.claims && mount == Mount::holds;
    if (waits == waiting_.contains(pod.uid) && holds == holders_.holds(pod.uid)) {
        return;
    }
    forget(pod.uid);
    if (waits) {
        wait(pod, now_ms);
    } else if (holds) {
        std::vector<std::string> claims;
        for (const core::ClaimUse& use : *pod.claims) {
            claims.push_back(name_of(pod.namespace_name, use.name));
        }
        holders_.hold(pod.uid, claims);
    }
}

void Claims::wait(const core::Pod& pod, std::int64_t now_ms) {
    std::vector<std::string>& claims = waiting_[pod.uid];
    for (const core::ClaimUse& use : *pod.claims) {
        claims.push_back(name_of(pod.namespace_name, use.name));
        Known& known = known_[claims.back()];
        known.waiting.insert(pod.uid);
        if (!known.claim || !is_settled(*known.claim)) {
            asker_.want(claims.back(), now_ms);
        }
    }
}

void Claims::forget(std::string_view uid) {
    stop_waiting(uid);
    release(uid);
}

/// A claim that nobody waits for is not kept up to date: who waits for it next has it read anew.
void Claims::stop_waiting(std::string_view uid) {
    const auto waits = waiting_.find(uid);
    if (waits == waiting_.end()) {
        return;
    }
    for (const std::string& claim : waits->second) {
        const auto known = known_.find(claim);
        known->second.waiting.erase(waits->first);
        if (known->second.waiting.empty()) {
            asker_.forget(claim);
            known_.erase(known);
        }
    }
    waiting_.erase(waits);
}

void Claims::release(std::string_view uid) {
    for (const std::string& claim : holders_.release(uid)) {
        const auto known = known_.find(claim);
        if (known != known_.end() && known->second.claim && known->second.claim->one_pod) {
            const auto& waiting = known->second.waiting;
            freed_.insert(freed_.end(), waiting.begin(), waiting.end());
        }
    }
}

void Claims::read_again(const core::Pod& pod, std::int64_t now_ms) {
    const auto waits = waiting_.find(pod.uid);
    if (waits == waiting_.end()) {
        return;
    }
    for (const std::string& claim : waits->second) {
        known_.at(claim).claim.reset();
        asker_.want(claim, now_ms);
    }
}

std::vector<std::string> Claims::found(const ClaimFound& event, std::int64_t now_ms) {
    const std::string claim = name_of(event.namespace_name, event.name);
    const auto known = known_.find(claim);
    if (known == known_.end()) {
        return {};
    }
    if (is_settled(event.claim)) {
        asker_.forget(claim);
    } else {
        asker_.missing(claim, now_ms);
    }
    const bool is_same = known->second.claim == event.claim;
    known->second.claim = event.claim;
    known->second.missing.reset();
    known->second.misses = 0;
    const auto& waiting = known->second.waiting;
    return is_same ? std::vector<std::string>() : std::vector(waiting.begin(), waiting.end());
}

std::vector<std::string> Claims::missing(const ClaimMissing& event, std::int64_t now_ms) {
    const std::string claim = name_of(event.namespace_name, event.name);
    const auto known = known_.find(claim);
    if (known == known_.end()) {
        return {};
    }
    asker_.missing(claim, now_ms);
    const auto& before = known->second.missing;
    const bool is_same = before && before->problem == event.problem &&
                         before->message == event.message && !known->second.claim;
    known->second.claim.reset();
    known->second.missing = event;
    const bool is_said_now = ++known->second.misses == misses_max;
    const auto& waiting = known->second.waiting;
    return is_same && !is_said_now ? std::vector<std::string>()
                                   : std::vector(waiting.begin(), waiting.end());
}

const Claims::Known* Claims::find(const core::Pod& pod, const core::ClaimUse& use) const {
    const auto known = known_.find(name_of(pod.namespace_name, use.name));
    return known == known_.end() ? nullptr : &known->second;
}

std::optional<Claims::Obstacle> Claims::find_obstacle(const core::Pod& pod) const {
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

/// The texts are kube-scheduler's, where it has one.
std::optional<Claims::Obstacle> Claims::find_obstacle(
    const core::Pod& pod, const core::ClaimUse& use) const {
    const auto waiting = [](std::string text) {
        return Obstacle{ReasonCode::waiting_for_volumes, std::move(text)};
    };
    const Known* const known = find(pod, use);
    if (known == nullptr || (!known->claim && !known->missing)) {
        return Obstacle{};
    }
    if (!known->claim) {
        const ClaimMissing& missing = *known->missing;
        if (missing.problem == ClaimProblem::forbidden) {
            return Obstacle{
                ReasonCode::misconfigured,
                missing.message +
                    "; grant the scheduler get on persistentvolumeclaims, "
                    "persistentvolumes and storageclasses"};
        }
        if (known->misses < misses_max) {
            return Obstacle{};
        }
        if (missing.problem == ClaimProblem::failed) {
            return waiting(claim_text(use.name, "cannot be read: ") + missing.message);
        }
        return waiting(
            use.is_ephemeral ? "waiting for ephemeral volume controller to create the "
                               "persistentvolumeclaim " +
                                   quoted(use.name)
                             : claim_text(use.name, "not found"));
    }
    const core::Claim& claim = *known->claim;
    if (use.is_ephemeral && claim.owner_uid != pod.uid) {
        return waiting(
            "PVC " + quoted(pod.namespace_name + "/" + use.name) + " was not created for pod " +
            quoted(pod.namespace_name + "/" + pod.name) + " (pod is not owner)");
    }
    if (claim.state == core::ClaimState::lost) {
        return waiting(
            claim_text(use.name, "bound to non-existent persistentvolume ") + quoted(claim.volume));
    }
    if (claim.is_deleting) {
        return waiting(claim_text(use.name, "is being deleted"));
    }
    if (!claim.problem.empty()) {
        return waiting(claim_text(use.name, "has no volume: ") + claim.problem);
    }
    if (claim.state == core::ClaimState::immediate) {
        return waiting("pod has unbound immediate PersistentVolumeClaims");
    }
    if (claim.one_pod && holders_.is_held_beside(name_of(pod.namespace_name, use.name), pod.uid) &&
        !pod.constraints->left_out.contains(core::FilterId::volume_restrictions)) {
        return waiting(
            "node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access mode "
            "already in-use by another pod");
    }
    return std::nullopt;
}

std::vector<core::VolumeNodes> Claims::nodes_of(const core::Pod& pod) const {
    std::vector<core::VolumeNodes> nodes;
    if (!pod.claims) {
        return nodes;
    }
    for (const core::ClaimUse& use : *pod.claims) {
        const Known* const known = find(pod, use);
        if (known != nullptr && known->claim) {
            nodes.insert(nodes.end(), known->claim->nodes.begin(), known->claim->nodes.end());
        }
    }
    std::sort(nodes.begin(), nodes.end());
    nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());
    return nodes;
}

std::vector<std::string> Claims::to_provision(const core::Pod& pod) const {
    std::vector<std::string> names;
    if (!pod.claims || pod.constraints->left_out.contains(core::FilterId::volume_binding)) {
        return names;
    }
    for (const core::ClaimUse& use : *pod.claims) {
        const Known* const known = find(pod, use);
        if (known != nullptr && known->claim && known->claim->state == core::ClaimState::consumer) {
            names.push_back(use.name);
        }
    }
    return names;
}

std::vector<std::string> Claims::waiting_beside(std::string_view uid) const {
    std::vector<std::string> uids;
    for (const std::string& claim : holders_.claims_of(uid)) {
        if (const auto known = known_.find(claim); known != known_.end()) {
            const auto& waiting = known->second.waiting;
            uids.insert(uids.end(), waiting.begin(), waiting.end());
        }
    }
    return uids;
}

std::vector<Claims::Key> Claims::due(std::int64_t now_ms) {
    std::vector<Key> keys;
    for (const std::string& claim : asker_.due(now_ms)) {
        const auto slash = claim.find('/');
        keys.push_back({claim.substr(0, slash), claim.substr(slash + 1)});
    }
    return keys;
}

}  // namespace gang
