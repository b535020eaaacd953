#pragma once
// One term of leadership: from the moment when the Lease is ours until it is not.
//
//   begin --raise_fence: our epoch is past all others'--> fence is raised
//         --the view is current--------------------------> fence is complete: who comes now needs
//         none
//         --first plan: confs of who waits are asked for-> admission
//   end

#include <algorithm>
#include <cstdint>

namespace gang {

/// So long a new leader waits for confs before it plans for the first time.
inline constexpr std::int64_t first_plan_wait_ms_max = 2'000;

/// A pod that nobody can write to (annotations past the API server's limit, an admission webhook
/// that refuses) would stop every other gang for ever. After so many refusals and so long a time,
/// in which a lease has come to its end, the older leader's bind cannot be in flight any more.
inline constexpr int fence_refusals_max = 6;
inline constexpr std::int64_t fence_give_up_ms = 30'000;

struct LeadershipTerm {
    bool leads = false;
    std::int64_t epoch = 0;
    bool was_handed_over = false;  ///< nothing of an older leader's is under way
    bool fence_is_raised = false;
    std::int64_t fence_raised_ms = 0;
    bool fence_is_complete = false;
    bool first_plan_done = false;
    std::int64_t first_plan_until_ms = 0;  ///< at most, it waits

    void begin(std::int64_t new_epoch, bool handed_over) {
        leads = true;
        epoch = new_epoch;
        was_handed_over = handed_over;
        fence_is_raised = false;
        fence_is_complete = false;
        first_plan_done = false;
        first_plan_until_ms = 0;
    }
    void end() { leads = false; }
    /// `highest` is the highest epoch that is found in the cluster.
    void raise_fence(std::int64_t highest, std::int64_t now_ms) {
        fence_is_raised = true;
        fence_raised_ms = now_ms;
        epoch = std::max(epoch, highest + 1);
        first_plan_until_ms = now_ms + first_plan_wait_ms_max;
    }
};

}  // namespace gang
