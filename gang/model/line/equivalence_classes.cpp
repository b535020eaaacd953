#include "gang/model/line/equivalence_classes.hpp"

#include "core/base/result.hpp"

namespace gang {

void EquivalenceClasses::join(QueueEntry& entry, EquivalenceKey key, std::int64_t size) {
    ENSURE(entry.gang_class == nullptr);
    entry.gang_class = &*classes_.try_emplace(std::move(key)).first;
    entry.size = size;
    entry.is_attempted = false;
    EquivalenceClass& gang_class = entry.gang_class->second;
    gang_class.members.insert(entry.app);
    if (const Lane& lane = entry.gang_class->first.lane; lane.queue != no_queue) {
        lanes_[lane].insert(entry.app);
    }
    ++gang_class.sizes[size];
    ++gang_class.unattempted;
}

/// An empty class is kept for a cycle that stands in it, and knows nothing any more: the numbers of
/// its shapes may come to mean others.
void EquivalenceClasses::leave(QueueEntry& entry) {
    if (entry.gang_class == nullptr) return;
    EquivalenceClass& gang_class = entry.gang_class->second;
    gang_class.members.erase(entry.app);
    if (const Lane& lane = entry.gang_class->first.lane; lane.queue != no_queue) {
        const auto line = lanes_.find(lane);
        line->second.erase(entry.app);
        if (line->second.empty()) lanes_.erase(line);
    }
    const auto size = gang_class.sizes.find(entry.size);
    if (--size->second == 0) gang_class.sizes.erase(size);
    gang_class.unattempted -= entry.is_attempted ? 0 : 1;
    if (gang_class.members.empty()) {
        gang_class.verdicts = {};
        gang_class.over_quota_at = 0;
    }
    entry.gang_class = nullptr;
    entry.is_attempted = false;
    entry.is_reported = false;
}

void EquivalenceClasses::note_attempt(QueueEntry& entry) {
    if (entry.is_attempted) return;
    entry.is_attempted = true;
    if (entry.gang_class != nullptr) --entry.gang_class->second.unattempted;
}

void EquivalenceClasses::erase_empty() {
    std::erase_if(
        classes_, [](const auto& gang_class) { return gang_class.second.members.empty(); });
}

}  // namespace gang
