#pragma once
// Waiting gangs, first come first served, each as a whole or not at all. The first gang that could
// fit the cluster and does not fit now blocks those behind it; a gang that could not fit even an
// emptier cluster is passed over, as is one whose conf is not known.
//
// Gangs that ask for the same are of one equivalence class (model/waiting_line.hpp), and one answer
// does for the class (class_verdicts.hpp).
//
// Executors without a slot are surplus executors. They keep their place, so that gangs which came
// later do not starve them, and hold up nobody: what does not fit now is passed over. An
// application that runs with the executors it has may want more for as long as it lives; gangs do
// not wait for that.
//
// What they are told meanwhile: status/status_refresh.hpp.

#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/queue/admitter.hpp"
#include "gang/queue/class_verdicts.hpp"
#include "gang/queue/head_of_line.hpp"
#include "gang/queue/line_classifier.hpp"
#include "gang/queue/scheduling_cycle.hpp"
#include "gang/queue/status/status_refresh.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/quota/quota_gate.hpp"
#include "gang/quota/turns.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace gang {

class Admission {
public:
    Admission(
        Model& model,
        StepContext& step,
        ClassVerdicts& verdicts,
        WaitingStatus& status,
        HeadOfLine& head,
        StatusRefresh& refresh,
        QuotaGate& quota,
        LineClassifier& classifier,
        Admitter& admitter)
        : model_(model),
          step_(step),
          verdicts_(verdicts),
          status_(status),
          head_(head),
          refresh_(refresh),
          quota_(quota),
          classifier_(classifier),
          admitter_(admitter) {}

    /// Room and gangs that have changed are tried at once, by equivalence class. What is said to
    /// those who wait behind others has time: everybody is looked at once a second, if anything has
    /// changed.
    /// False: the tick's work was used up before everybody was looked at.
    bool run();
    /// Queues, limits or nodes are counted otherwise: nothing goes on where it stopped.
    void begin_anew() {
        rest_ = {};
        refresh_.begin_anew();
    }

private:
    /// What the last cycle saw.
    struct Seen {
        std::uint64_t capacity = 0;
        std::uint64_t ceiling = 0;
        std::uint64_t nodes = 0;
        std::uint64_t rules = 0;
        std::uint64_t usage = 0;
    };
    /// Of a cycle whose tick had no work left.
    struct Rest {
        std::optional<Rank> from;
        SchedulingCycle cycle;  ///< what it knew there
        /// With queues: where each class goes on; nothing: nowhere. Others are new.
        std::map<EquivalenceKey, std::optional<Rank>> positions;
    };
    /// What an attempt for a gang says of those of its class that come later.
    enum class AttemptResult : std::uint8_t { next, none };

    void run_cycle();
    std::vector<Attempt> first_attempts(const std::optional<Rank>& start, SchedulingCycle& cycle);
    void stop_cycle(const Turns& turns, const Attempt& next, const SchedulingCycle& cycle);
    std::optional<Attempt> find_attempt(
        KeyedClass& entry, Line::const_iterator from, SchedulingCycle& cycle);
    AttemptResult attempt(Application& app, KeyedClass& gang_class, SchedulingCycle& cycle);
    std::optional<AttemptResult> keep_to_quota(
        Application& app, PodEntry& entry, KeyedClass& gang_class, SchedulingCycle& cycle);

    Model& model_;
    StepContext& step_;
    ClassVerdicts& verdicts_;
    WaitingStatus& status_;
    HeadOfLine& head_;
    StatusRefresh& refresh_;
    QuotaGate& quota_;
    LineClassifier& classifier_;
    Admitter& admitter_;
    Seen seen_;
    Rest rest_;
};

}  // namespace gang
