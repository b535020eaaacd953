#pragma once
// Who leads. A new leader first moves what an older one may have in flight out of the way (the
// fence, design: fence.hpp) and sees that its own view is not from before; an old one that sees the
// fencing token of a newer one stops.

#include "gang/event.hpp"
#include "gang/lead/fence.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace gang {

class Leadership {
public:
    Leadership(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Declarations& declarations,
        Publisher& publisher)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          declarations_(declarations),
          publisher_(publisher) {}

    /// Whom the fence still has to write to.
    Fence& fence() { return fence_; }
    const Fence& fence() const { return fence_; }
    /// Whoever appears behind a current view needs no fence.
    void complete_fence() {
        model_.term.fence_is_complete = model_.term.fence_is_complete || fence_.view_is_current();
    }
    std::size_t remembered() const { return fence_.size() + gangs_to_fence_.size(); }

    void on(const LeadershipGained& event);
    void on(const LeadershipLost&);
    /// What an older leader wrote, and the watch shows only now, is the truth until our own write
    /// of this reservation has passed, or until our view is current. Nonsense is nobody's truth.
    bool is_rewritten_by_another(const Application& app, const std::string* text) const;
    /// Everything that may be in an older leader's hands: what starts a gang and is unbound, and
    /// what is bound and may be rewritten. Whoever appears behind a current view is nobody's but
    /// ours.
    void fence_step();
    /// Whose fence wrote to this pod last.
    void observe_fencing_token(const PodEntry& entry);
    /// Who wrote the reservation of this bound pod last. A sealed one of a younger leader, whose
    /// fence we have not met yet, ends our term as that fence would.
    void observe_reservation(const core::Pod& pod);
    /// Nothing that an older leader may have in flight can be carried out any more, as far as we
    /// can know.
    bool is_fence_passed() const;
    /// We lead, and so does nobody who led before.
    bool is_behind_fence() const;
    /// We lead, and no older leader has a write under way that could still be carried out.
    bool is_settled() const;
    /// True: a new leader still waits for answers about gangs that came before those it knows.
    bool is_first_plan_waiting();

private:
    /// A live gang with slots to fill, whose reservation an older leader may be moving. See
    /// fence_gangs().
    struct GangFence {
        std::string text;           ///< that we began from
        std::int64_t again_ms = 0;  ///< our write should have been shown by then
    };

    std::int64_t highest_epoch() const;
    void raise_fence();
    bool needs_another_fence() const;
    void fence_gangs();
    void fence_members();
    bool is_younger(std::int64_t epoch) const;
    void step_down(std::int64_t epoch, const char* met);

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Declarations& declarations_;
    Publisher& publisher_;
    Fence fence_;
    std::map<std::string, GangFence> gangs_to_fence_;  ///< by uid
};

}  // namespace gang
