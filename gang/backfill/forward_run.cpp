#include "gang/backfill/forward_run.hpp"

#include "core/value/exclusive.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace gang {
namespace {

/// About what it costs to release one allocation on a trial, and to take it back.
constexpr std::int64_t work_per_release = 200;

bool takes_nodes_whole(const core::Demand& demand) {
    return demand.wants_cards || demand.wants_exclusive || demand.wants_gpus;
}

}  // namespace

ForwardRun::~ForwardRun() {
    while (!trials_.empty()) {
        trials_.pop_back();
    }
}

std::optional<PlannedStart> ForwardRun::start(const Application& app) {
    const std::size_t trials = trials_.size();
    const bool fits = advance_to_fit(app);
    const auto plan = fits ? placer_.find_plan(app) : std::nullopt;
    if (plan) {
        return take(app, *plan);
    }
    while (trials_.size() > trials) {
        undo_last();
    }
    return std::nullopt;
}

/// The ends are let happen in steps that double, and the last step by halves: a room that only
/// grows is asked some tens of times, however many run. Those at one instant happen together.
bool ForwardRun::advance_to_fit(const Application& app) {
    const auto fits = [&] { return placer_.fits(app, core::View::free); };
    if (fits()) {
        return true;
    }
    std::size_t step = 1;
    std::size_t low = next_;  // it does not fit there
    while (true) {
        if (next_ == endings_.size()) {
            return false;
        }
        low = next_;
        end_until(group_end(std::min(next_ + step, endings_.size())));
        if (fits()) {
            break;
        }
        step *= 2;
    }
    std::size_t high = next_;
    undo_last();
    while (true) {
        std::size_t middle = group_end(low + (high - low) / 2);
        if (middle <= low || middle >= high) {
            middle = group_begin(low + (high - low) / 2);
        }
        if (middle <= low || middle >= high) {
            break;
        }
        end_until(middle);
        if (fits()) {
            high = middle;
            undo_last();
        } else {
            low = middle;
        }
    }
    end_until(high);
    time_ms_ = std::max(time_ms_, endings_[high - 1].at_ms);
    return true;
}

/// The first at or behind `at` that ends later than the one before it.
std::size_t ForwardRun::group_end(std::size_t at) const {
    while (at > 0 && at < endings_.size() && endings_[at].at_ms == endings_[at - 1].at_ms) {
        ++at;
    }
    return at;
}

std::size_t ForwardRun::group_begin(std::size_t at) const {
    while (at > 0 && at < endings_.size() && endings_[at].at_ms == endings_[at - 1].at_ms) {
        --at;
    }
    return at;
}

void ForwardRun::end_until(std::size_t to) {
    begun_.push_back(next_);
    core::Trial& trial = trials_.emplace_back(model_.cluster);
    for (; next_ < to; ++next_) {
        for (const core::AllocationId held : endings_[next_].room) {
            trial.release(held);
        }
        step_.work_left -=
            work_per_release * static_cast<std::int64_t>(endings_[next_].room.size());
    }
}

void ForwardRun::undo_last() {
    trials_.pop_back();
    next_ = begun_.back();
    begun_.pop_back();
}

PlannedStart ForwardRun::take(const Application& app, const core::Plan& plan) {
    begun_.push_back(next_);
    core::Trial& trial = trials_.emplace_back(model_.cluster);
    Ending ending{0, app.uid, {}};
    std::map<core::Position, core::NodeIndex> nodes;
    const auto put = [&](core::NodeIndex node, core::ShapeId shape, std::int64_t count) {
        nodes.emplace(model_.cluster.position_of(node), node);
        if (model_.cluster.demand(shape).wants_cards) {
            for (; count > 0; --count) {
                ending.room.push_back(trial.allocate(node, shape, core::UsedBy::gang));
            }
        } else {
            ending.room.push_back(trial.allocate(
                node, shape, core::UsedBy::gang, static_cast<std::uint32_t>(count)));
        }
    };
    put(plan.driver, *app.declared.driver_shape, 1);
    for (std::size_t i = 0; i < app.declared.shapes.size(); ++i) {
        for (const core::NodeCount& found : plan.executors[i]) {
            put(found.node, app.declared.shapes[i].id, found.count);
        }
    }
    PlannedStart planned{time_ms_, {}};
    for (const auto& [position, node] : nodes) {
        planned.rests.push_back(rest_of(node, app));
    }
    if (const auto expected = model_.run_times.expected(app.uid)) {
        const std::int64_t run_ms =
            kind_ == RunTimeKind::median ? expected->median_ms : expected->safe_ms;
        ending.at_ms = time_ms_ + run_ms;
        add_ending(endings_, std::move(ending));
    }
    return planned;
}

NodeRest ForwardRun::rest_of(core::NodeIndex node, const Application& app) const {
    const core::NodeColumns& columns = model_.cluster.columns();
    const core::View view = core::View::free;
    NodeRest rest;
    rest.node = node;
    rest.pods = columns.pods(view)[node.value];
    rest.left.cpu_milli = columns.cpu(view)[node.value];
    rest.left.memory_bytes = columns.memory(view)[node.value];
    rest.left.ephemeral_bytes = columns.ephemeral(view)[node.value];
    std::map<std::string, std::int64_t> extended;
    const auto look_at = [&](core::ShapeId shape) {
        const core::Demand& demand = model_.cluster.demand(shape);
        rest.is_whole = rest.is_whole || takes_nodes_whole(demand);
        for (const core::ExtendedDemand& wanted : demand.extended) {
            extended[model_.cluster.extended_names().name(wanted.id)] =
                columns.extended(node, wanted.id, view);
        }
    };
    look_at(*app.declared.driver_shape);
    for (const GangShape& shape : app.declared.shapes) {
        look_at(shape.id);
    }
    for (const auto& [name, amount] : extended) {
        rest.left.extended.push_back({name, amount});
    }
    return rest;
}

}  // namespace gang
