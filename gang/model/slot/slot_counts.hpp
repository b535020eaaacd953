#pragma once
// Counts of slots: of each gang by state, which gangs have open ones, and how much CPU all open
// slots hold. Kept as slots change, so that nothing that happens for each executor walks them.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"

#include <cstdint>
#include <set>

namespace gang {

class SlotCounts {
public:
    /// The cluster lives as long.
    explicit SlotCounts(const core::Cluster& cluster) : cluster_(cluster) {}

    /// The slot is in this state from now on.
    void set_state(Application& app, Slot& slot, SlotState state);
    /// So many slots without room have come to the gang's end.
    static void add_unplaced(Application& app, std::int64_t count);
    /// The gang has other slots than before.
    void count_anew(Application& app);

    /// The slot has its room, if it is open.
    void add_room(const Slot& slot) { open_milli_ += open_milli(slot); }
    /// Its room is about to be used, or given up, if it is open and has any.
    void remove_room(const Slot& slot) { open_milli_ -= open_milli(slot); }

    /// CPU of all open slots, in thousandths of a core.
    std::int64_t open_milli() const { return open_milli_; }
    /// Gangs with open slots: few, however many run or wait.
    const std::set<Rank>& unfilled() const { return unfilled_; }

private:
    void note_unfilled(const Application& app);
    std::int64_t open_milli(const Slot& slot) const;

    const core::Cluster& cluster_;
    std::int64_t open_milli_ = 0;
    std::set<Rank> unfilled_;
};

}  // namespace gang
