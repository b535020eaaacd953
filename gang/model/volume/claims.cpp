#include "gang/model/volume/claims.hpp"

#include <algorithm>

namespace gang {
namespace {

bool is_class(const std::string& claim) {
    return claim.starts_with('/');
}

constexpr std::string_view executors_suffix = "/executors";

std::string executors_uid(std::string_view driver_uid) {
    return std::string(driver_uid).append(executors_suffix);
}

/// Nothing about it will change by itself. Whether storage is counted its driver may say otherwise.
bool is_settled(const std::string& name, const core::Claim& claim) {
    if (claim.is_storage_counted && claim.state == core::ClaimState::consumer) {
        return false;
    }
    if (is_class(name)) {
        return claim.problem.empty();
    }
    return !claim.is_deleting &&
           (claim.state == core::ClaimState::bound ||
            (claim.state == core::ClaimState::consumer && claim.selected_node.empty() &&
             !claim.is_never_made));
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
        for (const core::ClaimUse& use : *pod.claims) {
            wait(pod.uid, claim_name(pod.namespace_name, use.name), now_ms);
        }
    } else if (holds) {
        std::vector<std::string> claims;
        for (const core::ClaimUse& use : *pod.claims) {
            claims.push_back(claim_name(pod.namespace_name, use.name));
        }
        holders_.hold(pod.uid, claims);
    }
}

void Claims::wait(const std::string& uid, const std::string& claim, std::int64_t now_ms) {
    waiting_[uid].push_back(claim);
    KnownClaim& known = known_[claim];
    known.waiting.insert(uid);
    if (!known.claim || !is_settled(claim, *known.claim)) {
        asker_.want(claim, now_ms);
    }
}

void Claims::expect(
    const core::Pod& driver, const std::vector<ForeseenClaim>& claims, std::int64_t now_ms) {
    const std::string uid = executors_uid(driver.uid);
    for (const ForeseenClaim& claim : claims) {
        const std::string name = claim_name(driver, claim);
        const auto waits = waiting_.find(uid);
        if (waits == waiting_.end() ||
            std::find(waits->second.begin(), waits->second.end(), name) == waits->second.end()) {
            wait(uid, name, now_ms);
        }
    }
}

void Claims::forget_executors(std::string_view driver_uid) {
    if (!waiting_.empty()) {
        stop_waiting(executors_uid(driver_uid));
    }
}

/// Of executors to come their driver.
std::vector<std::string> Claims::waiting_for(const KnownClaim& known) const {
    std::vector<std::string> uids;
    for (const std::string& uid : known.waiting) {
        const bool is_of_executors = uid.ends_with(executors_suffix);
        uids.push_back(uid.substr(0, uid.size() - (is_of_executors ? executors_suffix.size() : 0)));
    }
    return uids;
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
            const std::vector<std::string> waiting = waiting_for(known->second);
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
    const std::string claim = claim_name(event.namespace_name, event.name);
    const auto known = known_.find(claim);
    if (known == known_.end()) {
        return {};
    }
    if (is_settled(claim, event.claim)) {
        asker_.forget(claim);
    } else {
        asker_.missing(claim, now_ms);
    }
    const bool is_same = known->second.claim == event.claim;
    known->second.claim = event.claim;
    is_storage_wanted_ = is_storage_wanted_ || event.claim.is_storage_counted;
    known->second.missing.reset();
    known->second.misses = 0;
    return is_same ? std::vector<std::string>() : waiting_for(known->second);
}

std::vector<std::string> Claims::missing(const ClaimMissing& event, std::int64_t now_ms) {
    const std::string claim = claim_name(event.namespace_name, event.name);
    const auto known = known_.find(claim);
    if (known == known_.end()) {
        return {};
    }
    // Whoever counts volumes asks for the same claims. Of a settled one this answers no question of
    // ours: that nothing could be read says nothing, and what is gone is followed again.
    const bool is_others = known->second.claim && is_settled(claim, *known->second.claim);
    if (is_others && event.problem == ClaimProblem::failed) {
        return {};
    }
    asker_.want(claim, now_ms);
    asker_.missing(claim, now_ms);
    const auto& before = known->second.missing;
    const bool is_same = before && before->problem == event.problem &&
                         before->message == event.message && !known->second.claim;
    known->second.claim.reset();
    known->second.missing = event;
    const bool is_said_now = ++known->second.misses == KnownClaim::misses_max;
    return is_same && !is_said_now ? std::vector<std::string>() : waiting_for(known->second);
}

const KnownClaim* Claims::find(const std::string& claim) const {
    const auto known = known_.find(claim);
    return known == known_.end() ? nullptr : &known->second;
}

std::vector<std::string> Claims::waiting_pods() const {
    std::set<std::string> uids;
    for (const auto& [claim, known] : known_) {
        for (std::string& uid : waiting_for(known)) {
            uids.insert(std::move(uid));
        }
    }
    return {uids.begin(), uids.end()};
}

std::vector<std::string> Claims::waiting_for_storage(const std::set<std::string>& classes) const {
    std::set<std::string> uids;
    for (const auto& [claim, known] : known_) {
        if (!known.claim || !known.claim->is_storage_counted ||
            !classes.contains(known.claim->storage_class)) {
            continue;
        }
        for (std::string& uid : waiting_for(known)) {
            uids.insert(std::move(uid));
        }
    }
    return {uids.begin(), uids.end()};
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
