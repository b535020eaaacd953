#pragma once
// Puts executors that run into slots that were read back or made anew.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"

#include <cstddef>
#include <vector>

namespace gang {

class SlotAssigner {
public:
    explicit SlotAssigner(Model& model) : model_(model) {}

    /// Bound executors take slots on their own nodes first. One that was bound to a slot which has
    /// moved since takes one from elsewhere, and so does one whose annotation is lost: the gang
    /// would hold room twice.
    void assign_members(Application& app);
    /// One that was bound while we looked elsewhere.
    void assign_bound(Application& app, PodEntry& entry);
    /// An executor has left its slot. One that runs there, and was in none, takes it: a follower may
    /// have seen the reservation become smaller before it saw who stays.
    void slot_opened(Application& app);
    /// Opens slots that nobody is in where they are, if there is room for them.
    void open_remaining(Application& app);

private:
    std::vector<PodId> members_in_no_slot(const Application& app) const;
    void assign(Application& app, std::size_t slot, PodId member);
    bool is_going(PodId member) const;
    bool is_bound_beyond_slots(PodId member) const;
    bool has_lost_annotation(PodId member) const;

    Model& model_;
};

}  // namespace gang
