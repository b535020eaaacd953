#include "gang/fence.hpp"

#include <algorithm>

namespace gang {

void Fence::raise(const std::vector<std::string>& uids, std::int64_t now_ms) {
    pods_.clear();
    for (const std::string& uid : uids) {
        pods_[uid].at_ms = now_ms;
    }
}

void Fence::answered(const std::string& uid, bool written, std::int64_t now_ms) {
    const auto it = pods_.find(uid);
    if (it == pods_.end() || !it->second.outstanding) {
        return;
    }
    Pod& pod = it->second;
    pod.outstanding = false;
    if (written || ++pod.refusals == fence_attempts_max) {
        pods_.erase(it);
        return;
    }
    pod.at_ms = now_ms + (fence_pause_ms_min << pod.refusals);
}

std::vector<std::string> Fence::due(std::int64_t now_ms) {
    std::size_t outstanding = static_cast<std::size_t>(std::count_if(
        pods_.begin(), pods_.end(), [](const auto& entry) { return entry.second.outstanding; }));
    std::vector<std::string> uids;
    for (auto& [uid, pod] : pods_) {
        if (outstanding == fence_outstanding_max) {
            break;
        }
        if (!pod.outstanding && pod.at_ms <= now_ms) {
            pod.outstanding = true;
            ++outstanding;
            uids.push_back(uid);
        }
    }
    return uids;
}

std::optional<std::int64_t> Fence::next_due_ms() const {
    std::optional<std::int64_t> next;
    std::size_t outstanding = 0;
    for (const auto& [uid, pod] : pods_) {
        if (pod.outstanding) {
            ++outstanding;
            continue;
        }
        next = next ? std::min(*next, pod.at_ms) : pod.at_ms;
    }
    return outstanding == fence_outstanding_max ? std::nullopt : next;
}

}  // namespace gang
