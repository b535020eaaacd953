#include "core/placement/placement.hpp"

#include "core/base/result.hpp"
#include "core/placement/driver_nodes.hpp"
#include "core/placement/gang_part.hpp"
#include "core/placement/packing/packing.hpp"
#include "core/placement/rejection.hpp"

#include <algorithm>
#include <span>
#include <utility>

namespace core {

namespace {

/// What can be said without the capacities of all nodes.
enum class Glance : std::uint8_t { fits, does_not_fit, unclear };

}  // namespace

struct Planner::Scratch {
    void prepare(const Cluster& cluster, const PlacementRequest& request);
    bool is_known(const PlacementRequest& request);
    Glance look_for_largest(const PlacementRequest& request);
    void scan_parts();
    bool search(const PlacementRequest& request);
    bool scan_and_search(const PlacementRequest& request);
    bool is_ranked(const PlacementRequest& request) const;
    bool scan_totals(const PlacementRequest& request);
    bool fits(const PlacementRequest& request);
    Placement plan_what_fits(const PlacementRequest& request);
    std::optional<Rejection> explain_shortage(const PlacementRequest& request);
    bool parts_fit_alone() const;
    bool attempt(ShapeId driver, Position position);
    bool attempt_driver_last(ShapeId driver);
    bool pack_executors();
    void put_last_part();
    void pack(GangPart& part);
    Plan plan(const PlacementRequest& request) const;
    Shortfall shortfall(const PlacementRequest& request) const;

    std::span<GangPart> parts() { return std::span(all_parts).first(parts_used); }
    std::span<const GangPart> parts() const { return std::span(all_parts).first(parts_used); }

    Packing packing;
    DriverNodes driver_nodes{packing};
    std::vector<GangPart> all_parts;  ///< in packing order; kept for their buffers
    std::size_t parts_used = 0;
    Capacities* driver_capacities = nullptr;
    PackingPolicy policy = PackingPolicy::tightest;
    bool parts_are_scanned = false;
    std::optional<Position> driver_position;
};

/// Largest share of the cluster first: what is hardest to place gets the first choice. Shapes with
/// extended resources come before all others.
void Planner::Scratch::prepare(const Cluster& cluster, const PlacementRequest& request) {
    packing.begin(
        cluster,
        request.view,
        request.excluded,
        {request.scores, request.preferring, card_choice(request.policy, request.scores)});
    driver_position.reset();
    policy = request.policy;
    parts_are_scanned = false;
    parts_used = 0;
    for (std::size_t i = 0; i < request.executors.size(); ++i) {
        const ShapeCount& wanted = request.executors[i];
        ENSURE(wanted.count >= 0);
        if (wanted.count == 0) continue;
        if (parts_used == all_parts.size()) all_parts.emplace_back();
        GangPart& part = all_parts[parts_used++];
        part.in_request = i;
        part.shape = wanted.shape;
        part.wanted = wanted.count;
        part.placed.clear();
        part.placed_count = 0;
    }
    if (parts_used < 2) return;
    std::stable_sort(
        parts().begin(), parts().end(), [&cluster](const GangPart& a, const GangPart& b) {
            return is_larger(cluster, a.shape, b.shape);
        });
}

void Planner::Scratch::scan_parts() {
    if (std::exchange(parts_are_scanned, true)) return;
    packing.planned().clear();
    for (GangPart& part : parts()) part.capacities = &packing.capacities().of(part.shape);
}

/// Every shape's capacities are kept: that is quicker than to look for the largest.
bool Planner::Scratch::is_known(const PlacementRequest& request) {
    bool known = !request.driver || packing.capacities().is_known(*request.driver);
    for (const GangPart& part : parts()) {
        known = packing.capacities().is_known(part.shape) && known;  // each is to be asked
    }
    return known;
}

/// The driver on the node with the largest room for it, the executors on the largest beside it: the
/// first choice of `fewest_nodes` in full, and proof for any policy that the gang fits.
Glance Planner::Scratch::look_for_largest(const PlacementRequest& request) {
    packing.planned().clear();
    driver_position.reset();
    if (request.driver) {
        const auto found = packing.choose_largest(*request.driver, 1);
        if (!found) return Glance::unclear;
        if (found->empty()) return Glance::does_not_fit;
        driver_position = found->front().position;
        packing.planned().put(*driver_position, *request.driver, 1);
    }
    for (std::size_t i = 0; i < parts_used; ++i) {
        GangPart& part = all_parts[i];
        const auto found = packing.choose_largest(part.shape, part.wanted);
        if (!found) return Glance::unclear;
        if (i + 1 < parts_used) packing.planned().put_all(*found, part.shape);
        part.placed.assign(found->begin(), found->end());
        part.placed_count = 0;
        for (const PositionCount& placed : part.placed) part.placed_count += placed.count;
        if (part.placed_count == part.wanted) continue;
        // Of the first part nothing is in the way but the driver.
        return i == 0 && !driver_position ? Glance::does_not_fit : Glance::unclear;
    }
    return Glance::fits;
}

bool Planner::Scratch::parts_fit_alone() const {
    return std::all_of(parts().begin(), parts().end(), [](const GangPart& part) {
        return part.capacities->total() >= part.wanted;
    });
}

/// Chooses nodes for what fits of every part; true when that is all. The last part is not planned:
/// nothing comes after it.
bool Planner::Scratch::pack_executors() {
    bool complete = true;
    for (std::size_t i = 0; i < parts_used; ++i) {
        GangPart& part = all_parts[i];
        if (i > 0) packing.planned().put_all(all_parts[i - 1].placed, all_parts[i - 1].shape);
        pack(part);
        complete = complete && part.placed_count == part.wanted;
    }
    return complete;
}

void Planner::Scratch::put_last_part() {
    if (parts_used == 0) return;
    const GangPart& last = parts().back();
    packing.planned().put_all(last.placed, last.shape);
}

/// Only where something is planned already do the part's capacities differ from what is kept: those
/// few are set for the moment.
void Planner::Scratch::pack(GangPart& part) {
    Capacities& capacities = *part.capacities;
    const std::size_t set_before = capacities.set_count();
    packing.planned().set_touched(capacities, part.shape);
    part.placed_count = std::min(capacities.total(), part.wanted);
    const auto chosen = packing.choose(part.shape, part.placed_count, capacities, policy);
    part.placed.assign(chosen.begin(), chosen.end());
    capacities.undo(set_before);
}

bool Planner::Scratch::attempt(ShapeId driver, Position position) {
    packing.planned().clear();
    packing.planned().put(position, driver, 1);
    driver_position = position;
    return pack_executors();
}

bool Planner::Scratch::attempt_driver_last(ShapeId driver) {
    packing.planned().clear();
    driver_position.reset();
    if (!pack_executors()) return false;
    put_last_part();
    Capacities& capacities = *driver_capacities;
    const std::size_t set_before = capacities.set_count();
    packing.planned().set_touched(capacities, driver);
    if (capacities.total() > 0) {
        driver_position = packing.choose(driver, 1, capacities, policy).front().position;
    }
    capacities.undo(set_before);
    return driver_position.has_value();
}

bool Planner::Scratch::is_ranked(const PlacementRequest& request) const {
    if (request.driver && packing.is_ranked(*request.driver, policy)) return true;
    return std::any_of(parts().begin(), parts().end(), [this](const GangPart& part) {
        return packing.is_ranked(part.shape, policy);
    });
}

/// True: there is a plan. No score may cost a gang its room: where it spreads one of several shapes
/// so that the next has no room, the gang is packed tightly.
bool Planner::Scratch::search(const PlacementRequest& request) {
    if (policy == PackingPolicy::fewest_nodes && !is_ranked(request) && !is_known(request)) {
        const Glance glance = look_for_largest(request);
        if (glance != Glance::unclear) return glance == Glance::fits;
    }
    if (scan_and_search(request)) return true;
    if (parts_used < 2 || !(packing.is_weighted() || find_score(policy) != nullptr)) return false;
    packing.leave_scores();
    policy = PackingPolicy::tightest;
    return scan_and_search(request);
}

/// False: some shape has too little room even if it is alone.
bool Planner::Scratch::scan_totals(const PlacementRequest& request) {
    scan_parts();
    if (!parts_fit_alone()) return false;
    if (!request.driver) return true;
    driver_capacities = &packing.capacities().of(*request.driver);
    driver_nodes.begin(parts(), *request.driver, *driver_capacities);
    return driver_capacities->total() > 0;
}

bool Planner::Scratch::scan_and_search(const PlacementRequest& request) {
    packing.planned().clear();
    if (!scan_totals(request)) return false;
    if (!request.driver) return pack_executors();
    for (const NodeRank& node : driver_nodes.list(policy)) {
        if (attempt(*request.driver, node.position)) return true;
    }
    return parts_used > 1 && attempt_driver_last(*request.driver);
}

/// With one part that is no matter of policy, and no plan has to be made.
bool Planner::Scratch::fits(const PlacementRequest& request) {
    if (parts_used <= 1) {
        if (!is_known(request)) {
            const Glance glance = look_for_largest(request);
            if (glance != Glance::unclear) return glance == Glance::fits;
        }
        packing.planned().clear();
        return scan_totals(request) && (!request.driver || driver_nodes.has_any());
    }
    return search(request) || std::holds_alternative<Plan>(plan_what_fits(request));
}

/// For the rejection's numbers: the driver where it costs the executors least, if anywhere, and as
/// many executors as fit beside it. Where shapes compete for nodes, this last way of packing may
/// succeed after all.
Placement Planner::Scratch::plan_what_fits(const PlacementRequest& request) {
    scan_parts();
    driver_position.reset();
    packing.planned().clear();
    if (request.driver) {
        driver_capacities = &packing.capacities().of(*request.driver);
        driver_nodes.begin(parts(), *request.driver, *driver_capacities);
        driver_position = driver_nodes.find_least_loss();
    }
    if (driver_position) packing.planned().put(*driver_position, *request.driver, 1);
    if (parts_used == 1) {
        if (auto rejection = explain_shortage(request)) return *std::move(rejection);
    }
    pack_executors();
    put_last_part();
    const Shortfall shortfall = this->shortfall(request);
    if (shortfall.is_none()) return plan(request);
    return make_rejection(packing, shortfall);
}

/// One part, of which too few fit, fills every node to its capacity: none of that has to be
/// planned. Nothing: enough fit.
std::optional<Rejection> Planner::Scratch::explain_shortage(const PlacementRequest& request) {
    GangPart& part = all_parts[0];
    Capacities& capacities = *part.capacities;
    const std::size_t set_before = capacities.set_count();
    packing.planned().set_touched(capacities, part.shape);
    std::optional<Rejection> rejection;
    if (capacities.total() < part.wanted) {
        part.placed_count = capacities.total();
        rejection = make_rejection(packing, shortfall(request), &capacities);
    }
    capacities.undo(set_before);
    return rejection;
}

Plan Planner::Scratch::plan(const PlacementRequest& request) const {
    Plan plan;
    if (driver_position) plan.driver = packing.view().node_at(*driver_position);
    plan.executors.resize(request.executors.size());
    for (const GangPart& part : parts()) {
        std::vector<NodeCount>& nodes = plan.executors[part.in_request];
        nodes.reserve(part.placed.size());
        for (const PositionCount& placed : part.placed) {
            nodes.push_back({packing.view().node_at(placed.position), placed.count});
        }
    }
    return plan;
}

Shortfall Planner::Scratch::shortfall(const PlacementRequest& request) const {
    Shortfall shortfall;
    if (request.driver) {
        shortfall.driver = request.driver;
        shortfall.driver_fits = driver_position.has_value();
    }
    for (const GangPart& part : parts()) {
        shortfall.executors.push_back({part.shape, part.wanted, part.placed_count});
    }
    return shortfall;
}

Planner::Planner() : scratch_(std::make_unique<Scratch>()) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

/// From the first look at the cluster until the kept capacities are as they were.
class Planner::Question {
public:
    Question(Scratch& scratch, const Cluster& cluster, const PlacementRequest& request)
        : scratch_(scratch) {
        scratch_.prepare(cluster, request);
    }
    ~Question() { scratch_.packing.end(); }
    Question(const Question&) = delete;
    Question& operator=(const Question&) = delete;

private:
    Scratch& scratch_;
};

Placement Planner::place(const Cluster& cluster, const PlacementRequest& request) {
    const Question question(*scratch_, cluster, request);
    if (scratch_->search(request)) return scratch_->plan(request);
    return scratch_->plan_what_fits(request);
}

std::optional<Plan> Planner::find(const Cluster& cluster, const PlacementRequest& request) {
    const Question question(*scratch_, cluster, request);
    if (scratch_->search(request)) return scratch_->plan(request);
    if (scratch_->parts_used <= 1) return std::nullopt;
    Placement placement = scratch_->plan_what_fits(request);
    auto* const plan = std::get_if<Plan>(&placement);
    return plan == nullptr ? std::nullopt : std::optional(std::move(*plan));
}

bool Planner::fits(const Cluster& cluster, const PlacementRequest& request) {
    const Question question(*scratch_, cluster, request);
    return scratch_->fits(request);
}

std::vector<std::int32_t> Planner::capacities(const Cluster& cluster, ShapeId shape, View view) {
    PlacementRequest request;
    request.view = view;
    const Question question(*scratch_, cluster, request);
    const Capacities& of_shape = scratch_->packing.capacities().of(shape);
    std::vector<std::int32_t> by_position(scratch_->packing.view().size());
    of_shape.for_each_block_from(1, [&](std::size_t block) {
        const std::int32_t* const of_block = of_shape.of_block(block);
        const std::size_t first = block * block_size;
        const std::size_t count = std::min(block_size, by_position.size() - first);
        std::copy_n(of_block, count, by_position.begin() + static_cast<std::ptrdiff_t>(first));
        return true;
    });
    return by_position;
}

std::uint64_t Planner::groups_scanned() const {
    return scratch_->packing.groups_scanned();
}

std::uint64_t Planner::nodes_ranked() const {
    return scratch_->packing.nodes_ranked();
}

}  // namespace core
