#pragma once
// The reservation of a pod group's gang is a text on one of the group's pods, its anchor, and goes
// on to another pod when that one ends. So several pods of a group may bear one: the newest counts.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <string>

namespace gang {

/// What tells one text from a newer one: who wrote it, and how often that leader, or the one that
/// it went on from, had written it.
struct RecordAge {
    std::int64_t epoch = 0;
    std::int64_t generation = 0;
    friend auto operator<=>(const RecordAge&, const RecordAge&) = default;
};

struct GroupRecord {
    PodId bearer;
    RecordAge age;
};

/// The newest text that a pod of the group bears, whether it runs or has ended; nothing: none does,
/// or nobody can tell ours from a tenant's (there is no key). As it was shown: what is under way is
/// not in it.
std::optional<GroupRecord> newest_record(const Model& model, const std::string& group);

/// Whether this pod's text is that one. While we lead, what we know of a gang counts from when we
/// decide on it, not only from when it is shown.
bool bears_newest_record(const Model& model, const PodEntry& entry);

/// The gang of the group's that this pod anchors, or did; nullptr: it is no anchor.
Application* find_anchored(Model& model, PodId member);

/// The pod is its group's anchor from now on, and a member of nothing; what it was in is open. Its
/// gang has neither slots nor a phase yet.
Application& make_anchor(Model& model, PodEntry& entry);

/// Another pod's text counts: this one is a member like any other, and its gang is forgotten.
void unmake_anchor(Model& model, PodEntry& entry);

}  // namespace gang
