#pragma once
// What waiting gangs are told while nobody tries them: what is kept of a gang is its entry in the
// line.
//
// A status refresh, once a second while anything changes, finds places and reasons: numbers and
// comparisons alone, since one answer does for all of an equivalence class
// (model/waiting_line.hpp). Whose reason is another one is told at once. Where only numbers in the
// text may have changed, it is said anew in turns, soft_per_second a second: that is as fast as it
// may be written.

#include "gang/explain.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/model/waiting_line.hpp"
#include "gang/queue/class_verdicts.hpp"
#include "gang/queue/head_of_line.hpp"
#include "gang/queue/scheduling_cycle.hpp"
#include "gang/queue/status/status_messages.hpp"
#include "gang/queue/status/waiting_status.hpp"
#include "gang/quota/quota_gate.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace gang {

/// Gangs behind a blocked head are looked at (for what is said about them) this often.
inline constexpr std::int64_t status_refresh_ms = 1'000;

class StatusRefresh {
public:
    StatusRefresh(
        Model& model,
        StepContext& step,
        ClassVerdicts& verdicts,
        StatusMessages& messages,
        WaitingStatus& status,
        HeadOfLine& head,
        QuotaGate& quota)
        : model_(model),
          step_(step),
          verdicts_(verdicts),
          messages_(messages),
          status_(status),
          head_(head),
          quota_(quota) {}

    /// Somebody's place or reason may be another one now.
    void request() { is_refresh_due_ = true; }
    /// Queues are others: a refresh that is under way does not go on.
    void begin_anew() {
        pass_ = {};
        request();
    }
    /// Uid of the first who was blocked in the last refresh; empty: nobody was.
    const std::string& head() const { return refreshed_head_; }

    /// What has time: once a second, and over as many ticks as it takes.
    void run();

private:
    /// A refresh, which may take several ticks.
    struct Pass {
        std::optional<SchedulingCycle> cycle;  ///< under way
        std::optional<Rank> from;              ///< where it goes on
        std::uint64_t nodes = 0;               ///< nodes_version when it began
        // With queues: in which order, and where it goes on.
        std::vector<Lane> lanes;
        std::size_t lane = 0;  ///< in `lanes`
    };
    /// Gangs whose message may have other numbers by now.
    struct Turns {
        std::size_t left = 0;
        std::optional<Rank> from;  ///< whose turn it is
    };

    void refresh_all();
    bool refresh_in_order();
    void begin_in_turn();
    bool refresh_in_turn();
    bool refresh_line(const Line& line);
    bool keeps_to_quota(QueueEntry& queue_entry, SchedulingCycle& cycle);
    void refresh_entry(QueueEntry& queue_entry, SchedulingCycle& cycle);
    bool find_place(QueueEntry& queue_entry, SchedulingCycle& cycle);
    ReasonCode infeasible_code(const Application& app, KeyedClass& gang_class, std::int64_t size);
    void refresh_messages();
    bool refresh_message(Application& app);

    Model& model_;
    StepContext& step_;
    ClassVerdicts& verdicts_;
    StatusMessages& messages_;
    WaitingStatus& status_;
    HeadOfLine& head_;
    QuotaGate& quota_;
    std::int64_t next_refresh_ms_ = 0;
    bool is_refresh_due_ = false;
    Pass pass_;
    std::string refreshed_head_;
    Turns turns_;
};

}  // namespace gang
