#include "gang/classify/retry_pauses.hpp"

namespace gang {

void RetryPauses::pause(
    PodEntry& entry, ReasonCode code, std::int64_t pause_ms, bool until_changed) {
    Retry& retry = entry.retry.make();
    retry.code = code;
    retry.not_before_ms = step_.now_ms + pause_ms;
    retry.stale_version = until_changed ? entry.bound_version : std::string();
    ++retry.failures;
    retry_due_.add(retry.not_before_ms, entry.pod.uid);
}

void RetryPauses::end_pauses() {
    while (const auto uid = retry_due_.take(step_.now_ms)) {
        if (const PodEntry* entry = model_.pods.find_active(*uid);
            entry != nullptr && entry->is_bindable()) {
            model_.worklist.dirty_pods.insert(*uid);
            model_.worklist.queue_changed = true;
        }
    }
    step_.wake_at(retry_due_.next_ms());
}

}  // namespace gang
