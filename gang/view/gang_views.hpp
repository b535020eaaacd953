#pragma once
// What is shown of gangs: values copied out of the state, and sentences made for the asker. Nothing
// of that is kept: a question changes nothing, not even how long the next answer takes.

#include "gang/classify/executor_owners.hpp"
#include "gang/explain.hpp"
#include "gang/group/group_former.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/status/status_messages.hpp"
#include "gang/queue/status/status_refresh.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gang {

/// A gang's slots by what is in them.
struct SlotNumbers {
    std::int32_t open = 0;
    std::int32_t assumed = 0;
    std::int32_t bound = 0;  ///< draining ones too
    std::int32_t unplaced = 0;
};

class GangViews {
public:
    GangViews(
        Model& model,
        StepContext& step,
        StatusMessages& messages,
        StatusRefresh& refresh,
        ExecutorOwners& owners,
        GroupFormer& former)
        : model_(model),
          step_(step),
          messages_(messages),
          refresh_(refresh),
          owners_(owners),
          former_(former) {}

    /// See Scheduler::gangs.
    std::vector<GangView> gangs() const;
    /// See Scheduler::explain.
    std::optional<Explanation> explain(std::string_view pod_or_app) const;
    /// As it is shown.
    void add_times_of(const Application& app, GangView& view) const;
    GangState state_of(const Application& app) const;
    static SlotNumbers slot_numbers(const Application& app);
    static GangState state_of_ownerless(const PodEntry& entry);

private:
    GangView view_of(const Application& app, MessageContext& context) const;
    std::string application_name(const Application& app) const;
    GangView view_of_waiting(const PodEntry& entry, StatusMessage message) const;
    GangView view_of_ownerless(const PodEntry& entry) const;
    std::optional<GangView> view_of_member(const PodEntry& entry) const;
    std::optional<PodEntry> find_pod(std::string_view question) const;
    const Application* find_without_driver(std::string_view question) const;
    Explanation explain_gang(const Application& app, MessageContext& context) const;
    Explanation explain_waiting(const PodEntry& entry, GangView view) const;
    std::string member_note(
        const Application& app, const PodEntry& asked, MessageContext& context) const;
    void add_notes(
        const Application& app,
        const PodEntry& asked,
        MessageContext& context,
        std::vector<std::string>& notes) const;
    static void add_retry_note(const PodEntry& entry, std::vector<std::string>& notes);

    Model& model_;
    StepContext& step_;
    StatusMessages& messages_;
    StatusRefresh& refresh_;
    ExecutorOwners& owners_;
    GroupFormer& former_;
};

}  // namespace gang
