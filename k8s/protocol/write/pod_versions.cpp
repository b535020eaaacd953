#include "k8s/protocol/write/pod_versions.hpp"

#include "k8s/protocol/version.hpp"

namespace k8s {

void PodVersions::wrote(const std::string& uid, const std::string& version) {
    if (version.empty()) return;
    const auto [it, fresh] = pods_.try_emplace(uid);
    it->second.version = version;
    if (!fresh) return;
    order_.push_back(uid);
    if (order_.size() > kept_max) {
        pods_.erase(order_.front());
        order_.pop_front();
    }
}

std::string PodVersions::newest(const std::string& uid, const std::string& shown) const {
    const auto known = pods_.find(uid);
    if (known == pods_.end() || shown.empty()) return shown;
    const std::string& version = known->second.version;
    const auto order = protocol::compare_versions(shown, version);
    return order == std::partial_ordering::less ? version : shown;
}

void PodVersions::wrote_condition(const std::string& uid) {
    if (const auto known = pods_.find(uid); known != pods_.end()) {
        known->second.has_condition = true;
    }
}

bool PodVersions::has_condition(const std::string& uid) const {
    const auto known = pods_.find(uid);
    return known != pods_.end() && known->second.has_condition;
}

}  // namespace k8s
