#include "gang/model/volume/storage_room.hpp"

namespace gang {

void StorageRoom::note_change(const std::string& storage_class) {
    changed_.insert(storage_class);
    std::erase_if(answers_, [&](const auto& one) { return one.first.first == storage_class; });
}

void StorageRoom::listed(const StorageListed& event) {
    std::map<std::string, Segments> all;
    for (const core::StorageSegment& segment : event.segments) {
        all[segment.storage_class][segment.name] = segment;
    }
    by_class_.swap(all);
    for (const auto& [name, segments] : by_class_) {
        if (all[name] != segments) {
            note_change(name);
        }
        all.erase(name);
    }
    for (const auto& [name, segments] : all) {
        note_change(name);
    }
    is_known_ = true;
    is_limited_ = true;
}

/// Its storage class never changes.
void StorageRoom::changed(const StorageChanged& event) {
    const core::StorageSegment& segment = event.segment;
    Segments& segments = by_class_[segment.storage_class];
    if (!segment.nodes.is_set) {
        segments.erase(segment.name);
    } else {
        segments[segment.name] = segment;
    }
    if (segments.empty()) {
        by_class_.erase(segment.storage_class);
    }
    note_change(segment.storage_class);
}

void StorageRoom::missing() {
    for (const auto& [name, segments] : by_class_) {
        note_change(name);
    }
    by_class_.clear();
    answers_.clear();
    is_known_ = true;
    is_limited_ = false;
}

void StorageRoom::add_nodes(const core::Claim& claim, std::vector<core::VolumeNodes>& to) const {
    if (!is_limited_ || !core::needs_storage(claim)) {
        return;
    }
    const auto [answer, is_new] = answers_.try_emplace({claim.storage_class, claim.bytes});
    if (is_new) {
        std::vector<const core::StorageSegment*> segments;
        if (const auto found = by_class_.find(claim.storage_class); found != by_class_.end()) {
            for (const auto& [name, segment] : found->second) {
                segments.push_back(&segment);
            }
        }
        answer->second = core::nodes_with_storage(segments, claim.bytes);
    }
    core::add_storage_nodes(claim, answer->second, to);
}

}  // namespace gang
