#pragma once
// New nodes are for the gang that an autoscaler was asked for: what it lacks is kept for it on nodes
// that come after the request was written, whoever else would fit there, by its turn or by backfill.
//
//   a node comes --a gang asked before, the first to ask first--> room is kept there
//     --it fits as a whole--> admitted by Admitter, with the room that was kept
//     --it waits for nodes no more, or no other node came for five minutes--> given back
//
// Nothing is remembered beyond the process: to a new leader no node is new.

#include "gang/event.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/admitter.hpp"
#include "gang/queue/domain_placer.hpp"
#include "gang/quota/quota_gate.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace gang {

class BoughtNodes {
public:
    /// After the last node that was of use to it came; autoscalers bring up nodes in minutes.
    static constexpr std::int64_t kept_ms = 5 * 60'000;
    /// A node that takes longer to become ready is nobody's.
    static constexpr std::int64_t young_ms = 30 * 60'000;
    static constexpr std::size_t young_max = 1'000;

    BoughtNodes(
        Model& model,
        StepContext& step,
        DomainPlacer& domain_placer,
        QuotaGate& quota,
        Admitter& admitter)
        : model_(model),
          step_(step),
          domain_placer_(domain_placer),
          quota_(quota),
          admitter_(admitter) {}

    /// Before the cluster knows of it.
    void on(const NodeUpserted& event);
    void on(const NodeDeleted& event);
    void on(const LeadershipLost& event);

    /// Before anybody is placed.
    void hold_room();
    /// Before the line: those who have their nodes start, and what they leave is for the next.
    void run();

private:
    void forget_all();
    void give_back_over();
    bool may_have_room(const std::string& gang) const;
    bool keeps_room(const std::string& gang) const;
    std::vector<Application*> in_order_of_asking() const;
    void hold_for(const Application& app);
    void hold_on(const Application& app, core::NodeIndex node, std::size_t shape);

    Model& model_;
    StepContext& step_;
    DomainPlacer& domain_placer_;
    QuotaGate& quota_;
    Admitter& admitter_;
    std::map<std::string, std::int64_t> young_;  ///< when they came (Unix ms), by name
    bool is_listed_ = false;  ///< who is there from the start is not new
};

}  // namespace gang
