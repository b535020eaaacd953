#include "gang/model/volume/volume_counts.hpp"

#include <algorithm>
#include <utility>

namespace gang {
namespace {

std::string claim_key(const std::string& namespace_name, const std::string& name) {
    return namespace_name + "/" + name;
}

}  // namespace

bool VolumeCounts::ask() {
    return !std::exchange(is_asked_, true);
}

void VolumeCounts::set(const core::NodeVolumeLimits& node, std::vector<std::string>& changed) {
    auto& known = limits_[node.node];
    if (known != node.limits) {
        known = node.limits;
        changed.push_back(node.node);
    }
    if (known.empty()) {
        limits_.erase(node.node);
    }
    for (const core::VolumeLimit& limit : node.limits) {
        has_news_ = limited_.insert(limit.driver).second || has_news_;
    }
}

std::vector<std::string> VolumeCounts::listed(const VolumeLimitsListed& event) {
    are_known_ = true;
    std::set<std::string, std::less<>> gone;
    for (const auto& [node, limits] : limits_) {
        gone.insert(node);
    }
    std::vector<std::string> changed;
    for (const core::NodeVolumeLimits& node : event.nodes) {
        gone.erase(node.node);
        set(node, changed);
    }
    for (const std::string& node : gone) {
        set({node, {}}, changed);
    }
    return changed;
}

std::vector<std::string> VolumeCounts::changed(const VolumeLimitsChanged& event) {
    std::vector<std::string> changed;
    set(event.node, changed);
    return changed;
}

void VolumeCounts::offer(core::Node& node) const {
    if (limited_.empty()) {
        return;
    }
    const auto limits = limits_.find(node.name);
    core::set_volume_limits(
        node.allocatable,
        limits == limits_.end() ? std::vector<core::VolumeLimit>{} : limits->second);
}

std::vector<core::DriverVolume> VolumeCounts::limited(
    std::vector<core::DriverVolume> volumes) const {
    std::erase_if(
        volumes, [this](const auto& volume) { return !limited_.contains(volume.driver); });
    return volumes;
}

bool VolumeCounts::is_awaited_for(const std::vector<core::DriverVolume>& volumes) const {
    if (volumes.empty()) {
        return false;
    }
    if (!are_known_) {
        return true;
    }
    return !limited(volumes).empty() && (!has_begun_ || !first_.empty());
}

void VolumeCounts::want(const std::vector<core::DriverVolume>& volumes) {
    if (!is_counting_ && !limited(volumes).empty()) {
        is_counting_ = true;
        has_news_ = true;
    }
}

void VolumeCounts::hold(const std::set<std::string>& claims, std::int64_t now_ms) {
    for (auto it = held_.begin(); it != held_.end();) {
        if (claims.contains(it->first)) {
            ++it;
            continue;
        }
        asker_.forget(it->first);
        first_.erase(it->first);
        it = held_.erase(it);
    }
    for (const std::string& claim : claims) {
        if (held_.try_emplace(claim).second) {
            asker_.want(claim, now_ms);
            if (!has_begun_) {
                first_.insert(claim);
            }
        }
    }
    has_begun_ = true;
}

void VolumeCounts::read(const std::string& claim, std::optional<core::DriverVolume> volume) {
    Held& held = held_.at(claim);
    has_news_ = has_news_ || !held.is_read || held.volume != volume || first_.contains(claim);
    held = {true, std::move(volume)};
    first_.erase(claim);
}

/// One that has no volume yet gets it soon, and its name with it.
void VolumeCounts::found(const ClaimFound& event, std::int64_t now_ms) {
    const std::string claim = claim_key(event.namespace_name, event.name);
    if (!held_.contains(claim)) {
        return;
    }
    if (event.claim.state == core::ClaimState::bound) {
        asker_.forget(claim);
    } else {
        asker_.missing(claim, now_ms);
    }
    if (event.claim.driver.empty()) {
        read(claim, std::nullopt);
    } else {
        read(claim, core::DriverVolume{event.claim.driver, event.claim.handle});
    }
}

/// kube-scheduler does not count those that are gone either. What may not be read counts as it was
/// known before, and is waited for by nobody.
void VolumeCounts::missing(const ClaimMissing& event, std::int64_t now_ms) {
    const std::string claim = claim_key(event.namespace_name, event.name);
    if (!held_.contains(claim)) {
        return;
    }
    if (event.problem != ClaimProblem::not_found) {
        asker_.missing(claim, now_ms);
        const bool is_first = event.problem == ClaimProblem::forbidden && first_.erase(claim) > 0;
        has_news_ = has_news_ || is_first;
        return;
    }
    asker_.forget(claim);
    read(claim, std::nullopt);
}

std::optional<std::vector<core::DriverVolume>> VolumeCounts::volumes_of(
    const std::vector<std::string>& claims) const {
    std::vector<core::DriverVolume> volumes;
    for (const std::string& claim : claims) {
        const auto held = held_.find(claim);
        if (held == held_.end() || !held->second.is_read) {
            return std::nullopt;
        }
        if (held->second.volume) {
            volumes.push_back(*held->second.volume);
        }
    }
    return limited(std::move(volumes));
}

bool VolumeCounts::take_news() {
    return std::exchange(has_news_, false);
}

}  // namespace gang
