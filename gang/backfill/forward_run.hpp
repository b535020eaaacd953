#pragma once
// When would it fit? The cluster is run forward on a trial: what runs ends when it is expected to,
// in that order, until those who wait fit whole, one after the other. What is found is exact for
// these ends; nothing of it stays when the run is over.

#include "core/cluster/allocation/trial.hpp"
#include "core/value/resources.hpp"
#include "gang/backfill/endings.hpp"
#include "gang/model/application.hpp"
#include "gang/model/model.hpp"
#include "gang/model/step_context.hpp"
#include "gang/queue/placer.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <optional>
#include <vector>

namespace gang {

/// What one node has left at an instant, when all who were planned by then are placed.
struct NodeRest {
    core::NodeIndex node;
    std::int64_t pods = 0;
    core::Resources left;   ///< of extended resources those that are asked for there
    bool is_whole = false;  ///< cards or ports: the node is for nobody else until then
};

struct PlannedStart {
    std::int64_t at_ms = 0;       ///< Unix ms
    std::vector<NodeRest> rests;  ///< of the nodes that it would go to
};

class ForwardRun {
public:
    ForwardRun(Model& model, StepContext& step, Placer& placer, Endings endings, RunTimeKind kind)
        : model_(model),
          step_(step),
          placer_(placer),
          endings_(std::move(endings)),
          kind_(kind),
          time_ms_(step.now_ms) {}
    ~ForwardRun();
    ForwardRun(const ForwardRun&) = delete;
    ForwardRun& operator=(const ForwardRun&) = delete;

    /// The earliest instant, not before that of those who were asked about earlier, at which it
    /// fits; it stays there from then on. Nothing: at none that is known, and nothing has changed.
    std::optional<PlannedStart> start(const Application& app);

private:
    bool advance_to_fit(const Application& app);
    void end_until(std::size_t to);
    std::size_t group_end(std::size_t at) const;
    std::size_t group_begin(std::size_t at) const;
    void undo_last();
    PlannedStart take(const Application& app, const core::Plan& plan);
    NodeRest rest_of(core::NodeIndex node, const Application& app) const;

    Model& model_;
    StepContext& step_;
    Placer& placer_;
    Endings endings_;
    RunTimeKind kind_;
    std::int64_t time_ms_;
    std::size_t next_ = 0;           ///< in endings_: the first that has not ended yet
    std::list<core::Trial> trials_;  ///< like a stack
    std::vector<std::size_t> begun_;  ///< parallel: next_ before each
};

}  // namespace gang
