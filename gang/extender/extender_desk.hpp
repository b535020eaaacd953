#pragma once
// kube-scheduler asks about one pod at a time: where may it go? Pods of gangs are placed as all
// others are, the gang as a whole, but only while kube-scheduler asks about them, and their binds
// are held until it says that the pod goes there.
//
//   unasked --asked--> waits, or is placed --binds--> bound
//      ^---not asked about for a while---'   (its room is given back)
//
// kube-scheduler may offer a part of the nodes. A pod that is placed on another one is placed anew
// among those; of an executor the slot moves there, if there is room.
//
// Pods of no gang are kept off what gangs have reserved, and are nobody's business beyond that.

#include "core/base/shared.hpp"
#include "core/value/constraints.hpp"
#include "gang/classify/executor_owners.hpp"
#include "gang/decision.hpp"
#include "gang/event.hpp"
#include "gang/life/answers.hpp"
#include "gang/life/pod_events.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/view/gang_views.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// An answer that nobody asks for again in this time is not kept: kube-scheduler has forgotten its
/// pod, or places it some other way.
inline constexpr std::int64_t answer_kept_ms = 60'000;
/// A pod that was refused keeps its place in the line for as long. kube-scheduler tries each again
/// after five minutes at the latest (its podMaxInUnschedulablePodsDuration).
inline constexpr std::int64_t refused_kept_ms = 6 * 60'000;
/// Whoever asked has given up by then.
inline constexpr std::int64_t question_kept_ms = 5'000;

class ExtenderDesk {
public:
    ExtenderDesk(
        Model& model,
        StepContext& step,
        ExecutorOwners& owners,
        PodEvents& pod_events,
        Answers& answers,
        GangViews& views)
        : model_(model),
          step_(step),
          owners_(owners),
          pod_events_(pod_events),
          answers_(answers),
          views_(views) {}

    void on(const ExtenderAsked& event);
    void on(const ExtenderBinds& event);
    void on(const LeadershipLost& event);

    /// Before the tick's plan: pods that are asked about may be placed in it, and those that have
    /// not been for long lose their place.
    void begin_tick();
    /// After it. `is_planned`: it went through to its end, so who has no node by now waits for
    /// something. Conditions of these pods are kube-scheduler's to write: what we say of them goes
    /// into our answers.
    void end_tick(bool is_planned);

    /// See Scheduler::is_of_extender, Scheduler::is_needed.
    bool is_of_extender(std::string_view uid) const;
    bool is_needed(std::string_view uid) const;

    /// Pods that are remembered because they were asked about.
    std::size_t remembered() const { return pods_.size(); }

private:
    /// A pod of a gang, from its first question until it is bound or gone.
    struct Asked {
        std::int64_t last_ms = 0;
        std::string said;  ///< why it waits, as its condition would say
        /// Its own constraints, while it is placed among the nodes that were offered for it.
        std::optional<core::Shared<core::Constraints>> own = {};
    };
    struct Question {
        ExtenderAsked asked;
        std::int64_t since_ms = 0;
        bool is_noted = false;        ///< its pod is known
        bool is_placed_anew = false;  ///< among the nodes that it offers
    };

    void note_questions();
    void forget_settled();
    void give_back(PodEntry& entry);
    void place_among(PodEntry& entry, Asked& asked, const std::vector<std::string>& nodes);
    void place_anywhere(PodEntry& entry, Asked& asked);
    void reshape(const PodEntry& entry);
    void take_conditions();
    void write_reservations();
    std::optional<AnswerExtender> answer_of(Question& question, bool is_planned);
    std::optional<AnswerExtender> answer_of_member(Question& question, PodEntry& entry);
    AnswerExtender answer_of_lone(const ExtenderAsked& asked) const;
    std::optional<std::string> reason_of(const PodEntry& entry) const;

    Model& model_;
    StepContext& step_;
    ExecutorOwners& owners_;
    PodEvents& pod_events_;
    Answers& answers_;
    GangViews& views_;
    std::vector<Question> questions_;    ///< not answered yet, the oldest first
    std::map<std::string, Asked> pods_;  ///< by uid
};

}  // namespace gang
