#pragma once
// Pod groups: that so many of their pods start together as they ask, or none.
//
//   whole-group    bind of a pod of a group: with it the minimum is there (bound, or done), or open
//                  slots of the group make it up; of each role likewise. Excused: others took a pod
//                  of it away, or changed a text, after the revision that was seen; or slots were
//                  given up for want of pods
//   group-slots    a pod of a group sits in a slot of its own group, alone, and never more pods than
//                  slots
//   group-status   at rest, when nothing of a group has changed for two minutes: its object says how
//                  many pods run, and its condition or phase does not lag
//
// Worlds without groups are not looked at.

#include "gang/sim/base/store.hpp"
#include "gang/sim/plane/group_jobs.hpp"

#include <cstdint>
#include <map>
#include <set>

namespace gang::sim {

class Process;

class GroupChecker {
public:
    explicit GroupChecker(World& world) : world_(world) {}

    void pod_changed(const Entry<core::Pod>& entry, const Author& author);
    /// Another leader.
    void leads();
    /// A leader that has seen everything and has nothing to do.
    void inspect(const Process& process);

private:
    struct Known {
        std::uint64_t harmed = 0;  ///< revision: others took a pod, or changed a text
        std::uint64_t anchor_done = 0;  ///< revision at which its gang's first pod had done its work
        std::set<PodId> anchors;   ///< there ever were
        std::map<PodId, std::int64_t> slots;  ///< of each, at its last write
        bool gave_up = false;  ///< slots, for want of pods
        /// A tenant has changed what a pod says of its slot: one that sat in it may sit beside it now.
        bool is_edited = false;
    };
    void check_bind(const Entry<core::Pod>& entry, const Author& author, Known& known);
    void check_slot(PodId pod, GroupId group, bool is_edited);
    std::int64_t placed(GroupId group, const core::Resources* size) const;
    std::int64_t open(GroupId group, const core::Resources* size) const;

    World& world_;
    std::map<GroupId, Known> known_;
};

}  // namespace gang::sim
