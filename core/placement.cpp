#include "core/placement.hpp"

#include "core/packing.hpp"
#include "core/rejection.hpp"
#include "core/result.hpp"

#include <algorithm>

namespace core {

namespace {

/// A node that takes the driver.
struct DriverNode {
    Position position = 0;
    std::int64_t capacity = 0;  ///< for drivers
    std::int64_t cost = 0;
};

/// The driver's own kind of `tightest`, after the cost.
bool tighter(const DriverNode& a, const DriverNode& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.capacity != b.capacity) return a.capacity < b.capacity;
    return a.position < b.position;
}

}  // namespace

struct Planner::Scratch {
    /// One executor shape of the request, in packing order.
    struct Part {
        std::size_t in_request = 0;
        ShapeId shape;
        std::int64_t wanted = 0;
        std::vector<std::int64_t> capacities;  ///< by position, before anything is planned
        Wide total = 0;
        std::vector<PositionCount> placed;
        std::int64_t placed_count = 0;
    };

    void prepare(const Cluster& cluster, const PlacementRequest& request);
    bool search(const PlacementRequest& request);
    void plan_what_fits(const PlacementRequest& request);
    bool parts_fit_alone() const;
    std::int64_t loss_at(const Part& part, Position position, ShapeId driver) const;
    bool parts_fit_beside(Position position, ShapeId driver) const;
    void list_driver_nodes(ShapeId driver);
    std::optional<Position> find_least_loss(ShapeId driver);
    bool attempt(ShapeId driver, Position position);
    bool attempt_driver_last(ShapeId driver);
    bool pack_executors();
    void pack(Part& part);
    Plan plan(const PlacementRequest& request) const;
    Shortfall shortfall(const PlacementRequest& request) const;

    Packing packing;
    std::vector<Part> parts;
    std::size_t parts_used = 0;  ///< parts beyond it are kept for their buffers
    std::vector<std::int64_t> driver_capacities;
    std::vector<PositionCount> corrected;  ///< capacities as they were scanned
    std::vector<DriverNode> driver_nodes;  ///< that leave every part enough, tightest first
    std::optional<Position> driver_position;
};

/// Largest share of the cluster first: what is hardest to place gets the first choice. Shapes with
/// extended resources come before all others.
void Planner::Scratch::prepare(const Cluster& cluster, const PlacementRequest& request) {
    packing.begin(cluster, request.view, request.excluded);
    driver_position.reset();
    parts_used = 0;
    for (std::size_t i = 0; i < request.executors.size(); ++i) {
        const ShapeCount& wanted = request.executors[i];
        ENSURE(wanted.count >= 0);
        if (wanted.count == 0) continue;
        if (parts_used == parts.size()) parts.emplace_back();
        Part& part = parts[parts_used++];
        part.in_request = i;
        part.shape = wanted.shape;
        part.wanted = wanted.count;
        part.placed.clear();
        part.placed_count = 0;
    }
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(parts_used);
    std::stable_sort(parts.begin(), end, [&cluster](const Part& a, const Part& b) {
        return is_larger(cluster, a.shape, b.shape);
    });
    for (auto part = parts.begin(); part != end; ++part) {
        part->total = packing.scan(part->shape, part->capacities);
    }
}

bool Planner::Scratch::parts_fit_alone() const {
    for (std::size_t i = 0; i < parts_used; ++i) {
        if (parts[i].total < parts[i].wanted) return false;
    }
    return true;
}

/// Executors of this part that a driver displaces there.
std::int64_t Planner::Scratch::loss_at(const Part& part, Position position, ShapeId driver) const {
    const std::int64_t alone = part.capacities[position];
    return alone == 0 ? 0 : alone - packing.capacity_beside(position, part.shape, driver);
}

/// With one part this is exact: the other nodes keep their capacities, so the gang fits beside a
/// driver here if and only if the total less the loss here suffices. The loss is at most the whole
/// node, which settles most cases without computing it.
bool Planner::Scratch::parts_fit_beside(Position position, ShapeId driver) const {
    for (std::size_t i = 0; i < parts_used; ++i) {
        const Part& part = parts[i];
        if (part.total - part.capacities[position] >= part.wanted) continue;
        if (part.total - loss_at(part, position, driver) < part.wanted) return false;
    }
    return true;
}

/// Keeps the tightest few, in order.
void Planner::Scratch::list_driver_nodes(ShapeId driver) {
    const std::size_t tried_max = parts_used > 1 ? driver_attempts_max : 1;
    const bool has_costs = packing.cluster().has_costs();
    driver_nodes.clear();
    for (std::size_t i = 0; i < driver_capacities.size(); ++i) {
        if (driver_capacities[i] == 0) continue;
        const auto position = static_cast<Position>(i);
        const DriverNode node{
            position, driver_capacities[i], has_costs ? packing.cost_at(position) : 0};
        const bool full = driver_nodes.size() == tried_max;
        if (full && !tighter(node, driver_nodes.back())) continue;
        if (!parts_fit_beside(node.position, driver)) continue;
        if (full) driver_nodes.pop_back();
        const auto at = std::upper_bound(driver_nodes.begin(), driver_nodes.end(), node, tighter);
        driver_nodes.insert(at, node);
    }
}

/// Packs what fits of every part; true when that is all.
bool Planner::Scratch::pack_executors() {
    bool complete = true;
    for (std::size_t i = 0; i < parts_used; ++i) {
        pack(parts[i]);
        complete = complete && parts[i].placed_count == parts[i].wanted;
    }
    return complete;
}

/// Only where something is planned already do the part's capacities differ from what was scanned:
/// those few are corrected for the moment.
void Planner::Scratch::pack(Part& part) {
    corrected.clear();
    Wide total = part.total;
    for (const Position position : packing.touched()) {
        std::int64_t& capacity = part.capacities[position];
        corrected.push_back({position, capacity});
        total -= capacity;
        capacity = packing.capacity(position, part.shape);
        total += capacity;
    }
    part.placed_count = static_cast<std::int64_t>(std::min<Wide>(total, part.wanted));
    const auto filled = packing.fill(part.shape, part.placed_count, part.capacities);
    part.placed.assign(filled.begin(), filled.end());
    for (const PositionCount& scanned : corrected) {
        part.capacities[scanned.position] = scanned.count;
    }
}

bool Planner::Scratch::attempt(ShapeId driver, Position position) {
    packing.clear();
    packing.put(position, driver, 1);
    driver_position = position;
    return pack_executors();
}

bool Planner::Scratch::attempt_driver_last(ShapeId driver) {
    packing.clear();
    driver_position.reset();
    if (!pack_executors() || packing.scan(driver, driver_capacities) == 0) return false;
    driver_position = packing.fill(driver, 1, driver_capacities).front().position;
    return true;
}

/// True: the packing holds the plan.
bool Planner::Scratch::search(const PlacementRequest& request) {
    if (!parts_fit_alone()) return false;
    if (!request.driver) return pack_executors();
    const ShapeId driver = *request.driver;
    if (packing.scan(driver, driver_capacities) == 0) return false;
    list_driver_nodes(driver);
    for (const DriverNode& node : driver_nodes) {
        if (attempt(driver, node.position)) return true;
    }
    return parts_used > 1 && attempt_driver_last(driver);
}

std::optional<Position> Planner::Scratch::find_least_loss(ShapeId driver) {
    packing.clear();
    packing.scan(driver, driver_capacities);
    std::optional<Position> best;
    Wide least = 0;
    for (std::size_t i = 0; i < driver_capacities.size(); ++i) {
        if (driver_capacities[i] == 0) continue;
        const auto position = static_cast<Position>(i);
        Wide loss = 0;
        for (std::size_t j = 0; j < parts_used; ++j) loss += loss_at(parts[j], position, driver);
        if (best && loss >= least) continue;
        best = position;
        least = loss;
    }
    return best;
}

/// For the rejection's numbers: the driver where it costs the executors least, if anywhere, and as
/// many executors as fit beside it.
void Planner::Scratch::plan_what_fits(const PlacementRequest& request) {
    driver_position.reset();
    if (request.driver) driver_position = find_least_loss(*request.driver);
    packing.clear();
    if (driver_position) packing.put(*driver_position, *request.driver, 1);
    pack_executors();
}

Plan Planner::Scratch::plan(const PlacementRequest& request) const {
    Plan plan;
    if (driver_position) plan.driver = packing.node_at(*driver_position);
    plan.executors.resize(request.executors.size());
    for (std::size_t i = 0; i < parts_used; ++i) {
        std::vector<NodeCount>& nodes = plan.executors[parts[i].in_request];
        nodes.reserve(parts[i].placed.size());
        for (const PositionCount& placed : parts[i].placed) {
            nodes.push_back({packing.node_at(placed.position), placed.count});
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
    for (std::size_t i = 0; i < parts_used; ++i) {
        shortfall.executors.push_back({parts[i].shape, parts[i].wanted, parts[i].placed_count});
    }
    return shortfall;
}

Planner::Planner() : scratch_(std::make_unique<Scratch>()) {}
Planner::~Planner() = default;
Planner::Planner(Planner&&) noexcept = default;
Planner& Planner::operator=(Planner&&) noexcept = default;

Placement Planner::place(const Cluster& cluster, const PlacementRequest& request) {
    scratch_->prepare(cluster, request);
    if (scratch_->search(request)) return scratch_->plan(request);
    scratch_->plan_what_fits(request);
    const Shortfall shortfall = scratch_->shortfall(request);
    // Where shapes compete for nodes, this last way of packing may succeed after all.
    if (shortfall.is_none()) return scratch_->plan(request);
    return make_rejection(scratch_->packing, shortfall);
}

bool Planner::fits(const Cluster& cluster, const PlacementRequest& request) {
    scratch_->prepare(cluster, request);
    if (scratch_->search(request)) return true;
    if (scratch_->parts_used <= 1) return false;
    scratch_->plan_what_fits(request);
    return scratch_->shortfall(request).is_none();
}

}  // namespace core
