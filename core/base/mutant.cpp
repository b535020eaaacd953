#include "core/base/mutant.hpp"

#ifdef GANG_MUTANTS

#include <algorithm>
#include <array>
#include <iterator>

namespace core {
namespace {

using enum Mutant;

constexpr MutantRow rows[] = {
    {pods_per_node_off_by_one, "pods_per_node_off_by_one", "a node takes one pod more than it may"},
    {headroom_ignored, "headroom_ignored", "gangs are placed in the nodes' headroom"},
    {node_shrink_ignored,
     "node_shrink_ignored",
     "a node that offers less than before is not noted"},
    {recreated_node_keeps_charges,
     "recreated_node_keeps_charges",
     "pods that go while their node is away stay charged on it"},
    {trial_keeps_a_step, "trial_keeps_a_step", "a trial's last step is not undone"},
    {cordon_ignored, "cordon_ignored", "pods are placed on cordoned nodes"},
    {slot_freed_twice, "slot_freed_twice", "a slot whose executor went gives its room away"},
    {slot_not_freed, "slot_not_freed", "of an ended gang one slot's room is lost"},
    {ended_slots_kept, "ended_slots_kept", "a gang keeps its slots when its driver has ended"},
    {terminating_not_counted, "terminating_not_counted", "pods being deleted take no room"},
    {foreign_not_counted, "foreign_not_counted", "pods of other schedulers take no room"},
    {foreign_counted_twice,
     "foreign_counted_twice",
     "pods of other schedulers take twice their room"},
    {claimed_driver_not_counted,
     "claimed_driver_not_counted",
     "a driver takes no room until the watch shows it bound"},
    {replacement_gets_extra_slot,
     "replacement_gets_extra_slot",
     "an executor in the place of a lost one is scheduled beside the gang's open slot"},
    {label_trusted,
     "label_trusted",
     "an executor takes the slots of whose application id it bears, not of its owner"},
    {half_gang,
     "half_gang",
     "a driver is bound when it fits, its executors' room is looked for later"},
    {gang_one_short, "gang_one_short", "of each gang one executor is forgotten"},
    {younger_overtakes, "younger_overtakes", "a gang that waits for room holds up nobody"},
    {memo_kept, "memo_kept", "who was refused once is not placed again when room appears"},
    {wake_up_lost, "wake_up_lost", "nobody is woken when a time has come"},
    {first_plan_not_waited,
     "first_plan_not_waited",
     "a new leader plans before it has asked for the confs of those who wait"},
    {gated_bound, "gated_bound", "pods with scheduling gates are bound"},
    {deleting_bound, "deleting_bound", "pods being deleted are bound"},
    {bind_without_version, "bind_without_version", "binds name no resourceVersion"},
    {older_state_taken, "older_state_taken", "a late event replaces a newer state of the pod"},
    {reservation_after_bind,
     "reservation_after_bind",
     "the reservation is written by a patch after the driver's bind"},
    {annotation_trusted,
     "annotation_trusted",
     "what a tenant writes into the reservation becomes the reservation"},
    {moved_slot_used_before_stored,
     "moved_slot_used_before_stored",
     "an executor goes to a moved slot before the API server has the new reservation"},
    {hold_released_early,
     "hold_released_early",
     "room that a slot left is given away before the API server has the new reservation"},
    {fence_left_out, "fence_left_out", "a new leader decides without a fence"},
    {queue_read_before_fence,
     "queue_read_before_fence",
     "a new leader admits gangs while its fence has not passed"},
    {epoch_not_raised, "epoch_not_raised", "a new leader takes the epoch of the one before it"},
    {old_leader_goes_on, "old_leader_goes_on", "who is told to lead no more goes on deciding"},
    {settled_too_early, "settled_too_early", "a leader hands over before its own fence has passed"},
    {handover_view_not_checked,
     "handover_view_not_checked",
     "to whom was handed over decides without having seen a write of its own"},
    {uid_ignored, "uid_ignored", "a pod of the same name is taken for the one before it"},
    {relist_without_deletes,
     "relist_without_deletes",
     "what is missing from a new list is still believed to be there"},
    {list_overwrites_newer,
     "list_overwrites_newer",
     "an older state of an object replaces a newer one"},
    {bookmark_runs_ahead,
     "bookmark_runs_ahead",
     "after a bookmark a watch goes on a little later than it says"},
    {expired_resumed, "expired_resumed", "410 is answered by the same watch again, not by a list"},
    {unknown_bind_failed, "unknown_bind_failed", "a bind without an answer is taken for failed"},
    {unknown_bind_succeeded,
     "unknown_bind_succeeded",
     "a bind without an answer is taken for carried out"},
    {lease_not_checked, "lease_not_checked", "who holds no valid lease writes on"},
    {lease_stolen_early, "lease_stolen_early", "the lease is taken before it has expired"},
    {handover_assumed, "handover_assumed", "every new leader believes that it was handed over"},
    {seal_not_checked, "seal_not_checked", "what has no valid seal is taken for our own"},
    {declaration_not_compared,
     "declaration_not_compared",
     "without a key a reservation counts beyond the declaration"},
    {lost_slots_not_rebuilt,
     "lost_slots_not_rebuilt",
     "a gang whose reservation was lost gets no slots any more"},
    {forged_slot_followed,
     "forged_slot_followed",
     "a pod that says to be in a gang's slot is its executor, whoever made it"},
};

constexpr bool are_in_order() {
    for (std::size_t i = 0; i < std::size(rows); ++i) {
        if (static_cast<std::size_t>(rows[i].mutant) != i + 1) {
            return false;
        }
    }
    return true;
}
static_assert(are_in_order());
static_assert(std::size(rows) == static_cast<std::size_t>(forged_slot_followed));

}  // namespace

std::span<const MutantRow> mutants() {
    return rows;
}

bool plant_mutant(std::string_view name) {
    const auto row = std::find_if(std::begin(rows), std::end(rows), [name](const MutantRow& known) {
        return known.name == name;
    });
    if (row == std::end(rows)) {
        return false;
    }
    planted_mutant = row->mutant;
    return true;
}

}  // namespace core

#endif
