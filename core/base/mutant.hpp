#pragma once
// Schedulers that are wrong on purpose, for finding out whether the simulation and the tests would
// notice. Each mutant is one line, at the place where the right line is; at most one is planted at
// a time. Only builds with GANG_MUTANTS can be told to be wrong: in all others is_mutant() is a
// constant, and what it guards is not there (scripts/mutants.py looks into the binary).
//
// What each one is, is in the table of mutant.cpp; what catches it, in docs/reliability.md.

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace core {

enum class Mutant : std::uint8_t {
    none,
    // core/
    pods_per_node_off_by_one,
    headroom_ignored,
    node_shrink_ignored,
    recreated_node_keeps_charges,
    trial_keeps_a_step,
    cordon_ignored,
    // gang/: room
    slot_freed_twice,
    slot_not_freed,
    ended_slots_kept,
    terminating_not_counted,
    foreign_not_counted,
    foreign_counted_twice,
    claimed_driver_not_counted,
    replacement_gets_extra_slot,
    label_trusted,
    // gang/: admission
    half_gang,
    gang_one_short,
    younger_overtakes,
    memo_kept,
    wake_up_lost,
    first_plan_not_waited,
    // gang/: binds and reservations
    gated_bound,
    deleting_bound,
    bind_without_version,
    older_state_taken,
    reservation_after_bind,
    annotation_trusted,
    moved_slot_used_before_stored,
    hold_released_early,
    // gang/: leadership
    fence_left_out,
    queue_read_before_fence,
    epoch_not_raised,
    old_leader_goes_on,
    settled_too_early,
    handover_view_not_checked,
    // k8s/protocol/
    uid_ignored,
    relist_without_deletes,
    list_overwrites_newer,
    bookmark_runs_ahead,
    expired_resumed,
    unknown_bind_failed,
    unknown_bind_succeeded,
    lease_not_checked,
    lease_stolen_early,
    handover_assumed,
    // gang/: what tenants may edit
    seal_not_checked,
    declaration_not_compared,
    lost_slots_not_rebuilt,
    forged_slot_followed,
};

#ifdef GANG_MUTANTS

inline Mutant planted_mutant = Mutant::none;

/// Whether this one is planted.
inline bool is_mutant(Mutant mutant) {
    return planted_mutant == mutant;
}

struct MutantRow {
    Mutant mutant;
    std::string_view name;
    std::string_view wrong;  ///< what it does
};

/// Every mutant but `none`.
std::span<const MutantRow> mutants();

/// Plants the mutant of this name; false: there is none.
bool plant_mutant(std::string_view name);

#else

constexpr bool is_mutant(Mutant) {
    return false;
}

#endif

}  // namespace core
