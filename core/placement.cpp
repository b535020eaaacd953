#include "core/placement.hpp"

#include "core/packing.hpp"
#include "core/rejection.hpp"
#include "core/result.hpp"

#include <algorithm>
#include <utility>

namespace core {

namespace {

/// A node that takes the driver.
struct DriverNode {
    Position position = 0;
    std::int64_t capacity = 0;  ///< for drivers
    std::int64_t cost = 0;
};

/// The policy's order of driver nodes: capacities are negative where the largest come first.
bool is_before(const DriverNode& a, const DriverNode& b) {
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.capacity != b.capacity) return a.capacity < b.capacity;
    return a.position < b.position;
}

/// What can be said without the capacities of all nodes.
enum class Glance : std::uint8_t { fits, does_not_fit, unclear };

}  // namespace

struct Planner::Scratch {
    /// One executor shape of the request, in packing order.
    struct Part {
        std::size_t in_request = 0;
        ShapeId shape;
        std::int64_t wanted = 0;
        Capacities capacities;  ///< before anything is planned
        std::vector<PositionCount> placed;
        std::int64_t placed_count = 0;
    };

    void prepare(const Cluster& cluster, const PlacementRequest& request);
    Glance look_for_largest(const PlacementRequest& request);
    void scan_parts();
    bool search(const PlacementRequest& request);
    bool scan_and_search(const PlacementRequest& request);
    void plan_what_fits(const PlacementRequest& request);
    bool parts_fit_alone() const;
    std::int64_t loss_at(const Part& part, Position position, ShapeId driver) const;
    bool parts_fit_beside(Position position, ShapeId driver) const;
    void list_driver_nodes(ShapeId driver);
    void offer_driver_node(const DriverNode& node, ShapeId driver, std::size_t tried_max);
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
    Capacities driver_capacities;
    PackingPolicy policy = PackingPolicy::tightest;
    bool parts_are_scanned = false;
    std::vector<PositionCount> corrected;  ///< capacities as they were scanned
    std::vector<DriverNode> driver_nodes;  ///< that leave every part enough, in order
    std::optional<Position> driver_position;
};

/// Largest share of the cluster first: what is hardest to place gets the first choice. Shapes with
/// extended resources come before all others.
void Planner::Scratch::prepare(const Cluster& cluster, const PlacementRequest& request) {
    packing.begin(cluster, request.view, request.excluded);
    driver_position.reset();
    policy = request.policy;
    parts_are_scanned = false;
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
    if (parts_used < 2) return;
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(parts_used);
    std::stable_sort(parts.begin(), end, [&cluster](const Part& a, const Part& b) {
        return is_larger(cluster, a.shape, b.shape);
    });
}

void Planner::Scratch::scan_parts() {
    if (std::exchange(parts_are_scanned, true)) return;
    packing.clear();
    for (std::size_t i = 0; i < parts_used; ++i) packing.scan(parts[i].shape, parts[i].capacities);
}

/// The driver on the node with the largest room for it, the executors on the largest beside it: the
/// first choice of `fewest_nodes` in full, and proof for any policy that the gang fits.
Glance Planner::Scratch::look_for_largest(const PlacementRequest& request) {
    packing.clear();
    driver_position.reset();
    if (request.driver) {
        const auto found = packing.fill_largest(*request.driver, 1);
        if (!found) return Glance::unclear;
        if (found->empty()) return Glance::does_not_fit;
        driver_position = found->front().position;
    }
    for (std::size_t i = 0; i < parts_used; ++i) {
        Part& part = parts[i];
        const auto found = packing.fill_largest(part.shape, part.wanted);
        if (!found) return Glance::unclear;
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
    for (std::size_t i = 0; i < parts_used; ++i) {
        if (parts[i].capacities.total < parts[i].wanted) return false;
    }
    return true;
}

/// Executors of this part that a driver displaces there.
std::int64_t Planner::Scratch::loss_at(const Part& part, Position position, ShapeId driver) const {
    const std::int64_t alone = part.capacities.at(position);
    return alone == 0 ? 0 : alone - packing.capacity_beside(position, part.shape, driver);
}

/// With one part this is exact: the other nodes keep their capacities, so the gang fits beside a
/// driver here if and only if the total less the loss here suffices. The loss is at most the whole
/// node, which settles most cases without computing it.
bool Planner::Scratch::parts_fit_beside(Position position, ShapeId driver) const {
    for (std::size_t i = 0; i < parts_used; ++i) {
        const Part& part = parts[i];
        const std::int64_t total = part.capacities.total;
        if (total - part.capacities.at(position) >= part.wanted) continue;
        if (total - loss_at(part, position, driver) < part.wanted) return false;
    }
    return true;
}

/// Keeps the first few by the policy, in order.
void Planner::Scratch::list_driver_nodes(ShapeId driver) {
    const std::size_t tried_max = parts_used > 1 ? driver_attempts_max : 1;
    const bool has_costs = packing.cluster().has_costs();
    const bool largest = policy == PackingPolicy::fewest_nodes;
    driver_nodes.clear();
    for (const std::uint32_t block : driver_capacities.blocks) {
        const std::int32_t* const of_block = &driver_capacities.by_position[block * block_size];
        const bool full = driver_nodes.size() == tried_max;
        // The usual case, block by block: nothing tighter than what is there already.
        if (full && !has_costs && !largest &&
            !has_between(of_block, static_cast<std::int32_t>(driver_nodes.back().capacity))) {
            continue;
        }
        for (std::size_t i = 0; i < block_size; ++i) {
            if (of_block[i] == 0) continue;
            const auto position = static_cast<Position>(block * block_size + i);
            offer_driver_node(
                {position,
                 largest ? -std::int64_t{of_block[i]} : of_block[i],
                 has_costs ? packing.cost_at(position) : 0},
                driver,
                tried_max);
        }
    }
}

void Planner::Scratch::offer_driver_node(
    const DriverNode& node, ShapeId driver, std::size_t tried_max) {
    const bool full = driver_nodes.size() == tried_max;
    if (full && !is_before(node, driver_nodes.back())) return;
    if (!parts_fit_beside(node.position, driver)) return;
    if (full) driver_nodes.pop_back();
    const auto at = std::upper_bound(driver_nodes.begin(), driver_nodes.end(), node, is_before);
    driver_nodes.insert(at, node);
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
    for (const Position position : packing.touched()) {
        if (!part.capacities.is_listed(position / block_size)) continue;
        corrected.push_back({position, part.capacities.at(position)});
        part.capacities.set(position, packing.capacity(position, part.shape));
    }
    part.placed_count = std::min(part.capacities.total, part.wanted);
    const auto filled = packing.fill(part.shape, part.placed_count, part.capacities, policy);
    part.placed.assign(filled.begin(), filled.end());
    for (const PositionCount& scanned : corrected) {
        part.capacities.set(scanned.position, scanned.count);
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
    if (!pack_executors()) return false;
    packing.scan(driver, driver_capacities);
    if (driver_capacities.total == 0) return false;
    driver_position = packing.fill(driver, 1, driver_capacities, policy).front().position;
    return true;
}

/// True: the packing holds the plan.
bool Planner::Scratch::search(const PlacementRequest& request) {
    if (policy == PackingPolicy::fewest_nodes && !packing.cluster().has_costs()) {
        const Glance glance = look_for_largest(request);
        if (glance != Glance::unclear) return glance == Glance::fits;
    }
    return scan_and_search(request);
}

bool Planner::Scratch::scan_and_search(const PlacementRequest& request) {
    scan_parts();
    if (!parts_fit_alone()) return false;
    if (!request.driver) {
        packing.clear();
        return pack_executors();
    }
    const ShapeId driver = *request.driver;
    packing.clear();
    packing.scan(driver, driver_capacities);
    if (driver_capacities.total == 0) return false;
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
    std::int64_t least = 0;
    for (const std::uint32_t block : driver_capacities.blocks) {
        for (std::size_t i = 0; i < block_size; ++i) {
            const auto position = static_cast<Position>(block * block_size + i);
            if (driver_capacities.by_position[position] == 0) continue;
            std::int64_t loss = 0;
            for (std::size_t j = 0; j < parts_used; ++j) {
                loss += loss_at(parts[j], position, driver);
            }
            if (best && loss >= least) continue;
            best = position;
            least = loss;
            if (least == 0) return best;
        }
    }
    return best;
}

/// For the rejection's numbers: the driver where it costs the executors least, if anywhere, and as
/// many executors as fit beside it.
void Planner::Scratch::plan_what_fits(const PlacementRequest& request) {
    scan_parts();
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

std::optional<Plan> Planner::find(const Cluster& cluster, const PlacementRequest& request) {
    scratch_->prepare(cluster, request);
    if (scratch_->search(request)) return scratch_->plan(request);
    if (scratch_->parts_used <= 1) return std::nullopt;
    scratch_->plan_what_fits(request);
    return scratch_->shortfall(request).is_none() ? std::optional(scratch_->plan(request))
                                                  : std::nullopt;
}

bool Planner::fits(const Cluster& cluster, const PlacementRequest& request) {
    scratch_->prepare(cluster, request);
    if (scratch_->parts_used <= 1) {  // whether it fits is no matter of policy then
        const Glance glance = scratch_->look_for_largest(request);
        return glance == Glance::unclear ? scratch_->scan_and_search(request)
                                         : glance == Glance::fits;
    }
    if (scratch_->search(request)) return true;
    scratch_->plan_what_fits(request);
    return scratch_->shortfall(request).is_none();
}

std::uint64_t Planner::groups_scanned() const {
    return scratch_->packing.groups_scanned();
}

}  // namespace core
