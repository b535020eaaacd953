#pragma once
// Writes what becomes of pod groups into the status of their objects, where those who defined the
// kind look for it. The leader alone writes, and only what changed:
//
//   a pod, an object or a sentence changed --a moment later--> object not read in this term: read
//                                                              status is another one: written
//
// Who else writes the same fields is left alone: the API server says so (gang/decision.hpp,
// GroupStatusOutcome::others), and that status is theirs from then on.

#include "gang/event.hpp"
#include "gang/group_status/status_rules.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <utility>

namespace gang {

class GroupStatuses {
public:
    GroupStatuses(Model& model, StepContext& step) : model_(model), step_(step) {}

    // After PodGroups knows of it.
    void on(const PodGroupFound& event);
    void on(const PodGroupMissing& event);
    void on(const GroupStatusWritten& event);
    void on(const LeadershipGained& event);
    void on(const LeadershipLost& event);

    /// Behind the fence, at the end of a tick.
    void run();

    std::size_t remembered() const { return due_.size(); }

private:
    void schedule(const std::string& key, GroupStatusRecord& record, std::int64_t at_ms);
    void forget_all();
    bool may_send();
    std::int64_t& paused_until(core::GroupDialect dialect) {
        return paused_until_ms_[static_cast<std::size_t>(dialect)];
    }
    void look(const std::string& key, PodGroup& group);
    void write(const std::string& key, PodGroup& group);
    GroupFacts facts_of(const PodGroup& group) const;
    void count(PodId id, GroupFacts& facts, std::optional<Rank>& first) const;
    void count_application(
        const std::string& driver, GroupFacts& facts, std::optional<Rank>& first) const;
    ApplicationEnd end_of(const std::set<std::string>& drivers) const;
    void tell_problem(PodGroup& group, const GroupFacts& facts);

    Model& model_;
    StepContext& step_;
    std::set<std::pair<std::int64_t, std::string>> due_;  ///< time and key
    /// By dialect: a write was forbidden, and before that time none is tried. 0: nothing is known
    /// against it.
    std::array<std::int64_t, static_cast<std::size_t>(core::last_group_dialect) + 1>
        paused_until_ms_{};
    std::int64_t second_ = 0;
    int sent_ = 0;  ///< in that second
};

}  // namespace gang
