#pragma once
// Gangs begin, learn their size, are bound, and end.

#include "gang/classify/executor_owners.hpp"
#include "gang/declare/spark/conf.hpp"
#include "gang/lead/leadership.hpp"
#include "gang/life/anchor_handover.hpp"
#include "gang/model/application.hpp"
#include "gang/model/group/member_choice.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/report/status_reporter.hpp"
#include "gang/reservation/declarations.hpp"
#include "gang/reservation/publisher.hpp"
#include "gang/slots/stuck_drivers.hpp"

#include <string>
#include <vector>

namespace gang {

class GangLife {
public:
    GangLife(
        Model& model,
        StepContext& step,
        StatusReporter& status_reporter,
        Declarations& declarations,
        Publisher& publisher,
        Leadership& leadership,
        ExecutorOwners& owners,
        StuckDrivers& stuck,
        AnchorHandover& handover)
        : model_(model),
          step_(step),
          status_reporter_(status_reporter),
          declarations_(declarations),
          publisher_(publisher),
          leadership_(leadership),
          owners_(owners),
          stuck_(stuck),
          handover_(handover) {}

    /// The driver is not bound: what it declares is read, and it takes its place in the line.
    void driver_waits(Application& app, PodEntry& entry);
    /// The API server shows the driver on a node, by us or by somebody else. `behind_fence`: as it
    /// was before this event.
    void driver_is_bound(Application& app, PodEntry& entry, bool behind_fence);
    /// The object of the group that the driver names is known, or no conf will be: it says how large
    /// the gang is, if anything does.
    void look_at_group(Application& app);
    /// What the object of that group says of a gang that waits, beside its size: its queue, its
    /// priority and for how long it waits at most.
    void follow_group(Application& app, const PodEntry& entry);
    /// `conf` is nullptr when there is none, or none that can be read.
    void set_sizes(Application& app, const spark::Conf* conf);
    /// Of a pod group: what the anchor's pods beside it are, and what is to be said of them.
    /// `topology_key` is what its object asks, empty: nothing; what the anchor says counts before it.
    void set_members(
        Application& app,
        const std::string& source,
        std::vector<MemberShape> shapes,
        std::vector<std::string> warnings,
        const std::string& topology_key);
    /// The same of a gang that runs: its members that come later stay in its domain.
    void set_topology(Application& app, const std::string& topology_key);
    /// Asks for those whose turn it is.
    void ask_for_confs();
    /// Our bind of the driver was carried out: the gang runs.
    void confirm(Application& app, PodEntry& entry);
    /// The Scheduled event; of executors none, they are counted.
    void report_bound(const PodEntry& entry);
    /// The driver has ended or is gone: the gang holds nothing any more. Of a pod group another member
    /// goes on with what it held.
    void end(Application& app);

private:
    void expect_claims(
        const core::Pod& driver, const spark::ExecutorShape& from, GangShape& shape);
    void take_choices(Application& app, const Declaration& declaration);
    void learn_anew(Application& app, const PodEntry& entry);
    void note_executor_bound(Application& gang) const;

    Model& model_;
    StepContext& step_;
    StatusReporter& status_reporter_;
    Declarations& declarations_;
    Publisher& publisher_;
    Leadership& leadership_;
    ExecutorOwners& owners_;
    StuckDrivers& stuck_;
    AnchorHandover& handover_;
};

}  // namespace gang
