#include "k8s/protocol/write/condition_queue.hpp"

#include <iterator>
#include <utility>

namespace k8s {

bool ConditionQueue::put(PatchJob&& job) {
    if (const auto known = of_pod_.find(job.patch.pod.uid); known != of_pod_.end()) {
        job.since_ms = known->second->since_ms;
        *known->second = std::move(job);
        return true;
    }
    if (jobs_.size() >= size_max_) return false;
    jobs_.push_back(std::move(job));
    const auto last = std::prev(jobs_.end());
    of_pod_.emplace(last->patch.pod.uid, last);
    return true;
}

void ConditionQueue::discard(const std::string& uid) {
    const auto known = of_pod_.find(uid);
    if (known == of_pod_.end()) return;
    jobs_.erase(known->second);
    of_pod_.erase(known);
}

void ConditionQueue::clear() {
    of_pod_.clear();
    jobs_.clear();
}

}  // namespace k8s
