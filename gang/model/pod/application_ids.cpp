#include "gang/model/pod/application_ids.hpp"

namespace gang {

void ApplicationIds::driver_ended(const std::string& key, PodId id) {
    if (const auto found = bearers_.find(key); found != bearers_.end()) {
        found->second.live.erase(id);
        found->second.ended.insert(id);
    }
}

void ApplicationIds::got_owner(const std::string& key, PodId id) {
    if (const auto found = bearers_.find(key); found != bearers_.end()) {
        found->second.ownerless.erase(id);
    }
}

void ApplicationIds::remove(const std::string& key, PodId id) {
    const auto found = bearers_.find(key);
    if (found == bearers_.end()) {
        return;
    }
    Bearers& bearers = found->second;
    bearers.live.erase(id);
    bearers.ended.erase(id);
    bearers.ownerless.erase(id);
    if (bearers.candidates().empty() && bearers.ownerless.empty()) {
        bearers_.erase(found);
    }
}

const ApplicationIds::Bearers& ApplicationIds::of(const std::string& key) const {
    static const Bearers nobody;
    const auto found = bearers_.find(key);
    return found == bearers_.end() ? nobody : found->second;
}

}  // namespace gang
