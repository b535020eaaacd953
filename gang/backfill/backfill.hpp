#pragma once
// After a scheduling cycle: gangs that wait behind others are admitted, if all who wait before them
// still start when they were promised. Does nothing unless some queue has backfill.
//
//   who waits, in order --> promises (forward run) --> each later gang: does it fit beside the room
//   that must be kept?  yes: it is admitted, and those before it have been passed once more

#include "gang/backfill/kept_room.hpp"
#include "gang/backfill/promises.hpp"
#include "gang/backfill/run_observer.hpp"
#include "gang/backfill/waiters.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/admitter.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/queue/placer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace gang {

class Backfill {
public:
    Backfill(
        Model& model,
        StepContext& step,
        Placer& placer,
        DomainPlacer& domain_placer,
        RunObserver& runs,
        WaiterList& list,
        Promises& promises,
        Admitter& admitter)
        : model_(model),
          step_(step),
          placer_(placer),
          domain_placer_(domain_placer),
          runs_(runs),
          list_(list),
          promises_(promises),
          admitter_(admitter) {}

    /// Once everybody who waits was tried in this Tick. True: somebody has passed others.
    bool run();

private:
    /// What decides what a pass finds, as far as it is counted.
    using Seen = std::array<std::uint64_t, 7>;
    Seen state() const;
    void pause();
    void forget_started();
    void count_broken(const std::vector<Waiter>& waiters);
    bool pass_by(std::vector<Waiter>& waiters);
    bool may_pass(const Waiter& waiter, const core::NodeBitmap& strict) const;
    std::optional<core::Plan> find_plan(const Waiter& waiter, KeptRoom& kept);
    void count_bypass(
        const std::vector<Waiter>& waiters, std::size_t passing, core::NodeBitmap& strict);

    Model& model_;
    StepContext& step_;
    Placer& placer_;
    DomainPlacer& domain_placer_;
    RunObserver& runs_;
    WaiterList& list_;
    Promises& promises_;
    Admitter& admitter_;
    Seen seen_{};
    std::int64_t next_pass_ms_ = 0;
    bool are_starts_due_ = false;  ///< expected ones: in the Tick after a pass, for they cost more
    std::int64_t next_overdue_ms_ = 0;  ///< somebody is past his time then; 0: nobody will be
};

}  // namespace gang
