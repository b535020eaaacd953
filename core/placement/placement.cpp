#include "core/placement/placement.hpp"

#include "core/base/result.hpp"
#include "core/placement/packing.hpp"
#include "core/placement/rejection.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <utility>

namespace core {

namespace {

/// What can be said without the capacities of all nodes.
enum class Glance : std::uint8_t { fits, does_not_fit, unclear };

}  // namespace

struct Planner::Scratch {
    /// One executor shape of the request, in packing order.
    struct Part {
        std::size_t in_request = 0;
        ShapeId shape;
        std::int64_t wanted = 0;
        Capacities* capacities = nullptr;  ///< before anything is planned
        std::vector<PositionCount> placed;
        std::int64_t placed_count = 0;
    };

    void prepare(const Cluster& cluster, const PlacementRequest& request);
    bool is_known(const PlacementRequest& request);
    Glance look_for_largest(const PlacementRequest& request);
    void scan_parts();
    bool search(const PlacementRequest& request);
    bool scan_and_search(const PlacementRequest& request);
    bool is_ranked(const PlacementRequest& request) const;
    bool scan_totals(const PlacementRequest& request);
    bool find_driver_nodes(const PlacementRequest& request);
    bool fits(const PlacementRequest& request);
    Placement plan_what_fits(const PlacementRequest& request);
    std::optional<Rejection> explain_shortage(const PlacementRequest& request);
    bool parts_fit_alone() const;
    std::int64_t loss_at(const Part& part, Position position, ShapeId driver) const;
    bool parts_fit_beside(Position position, ShapeId driver) const;
    void list_driver_nodes(ShapeId driver);
    bool find_first_driver_node(ShapeId driver);
    bool has_driver_node(ShapeId driver) const;
    void offer_driver_node(const NodeRank& node, ShapeId driver, std::size_t tried_max);
    std::optional<Position> find_least_loss(ShapeId driver);
    bool attempt(ShapeId driver, Position position);
    bool attempt_driver_last(ShapeId driver);
    bool pack_executors();
    void put_last_part();
    void pack(Part& part);
    Plan plan(const PlacementRequest& request) const;
    Shortfall shortfall(const PlacementRequest& request) const;

    Packing packing;
    std::vector<Part> parts;
    std::size_t parts_used = 0;  ///< parts beyond it are kept for their buffers
    Capacities* driver_capacities = nullptr;
    PackingPolicy policy = PackingPolicy::tightest;
    bool parts_are_scanned = false;
    std::vector<NodeRank> driver_nodes;  ///< that leave every part enough, in order
    std::optional<Position> driver_position;
};

/// Largest share of the cluster first: what is hardest to place gets the first choice. Shapes with
/// extended resources come before all others.
void Planner::Scratch::prepare(const Cluster& cluster, const PlacementRequest& request) {
    packing.begin(cluster, request.view, request.excluded);
    packing.order_by(request.scores);
    packing.choose_cards_by(card_choice(request.policy, request.scores));
    packing.prefer_by(request.preferring);
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
    for (std::size_t i = 0; i < parts_used; ++i) {
        parts[i].capacities = &packing.capacities(parts[i].shape);
    }
}

/// Every shape's capacities are kept: that is quicker than to look for the largest.
bool Planner::Scratch::is_known(const PlacementRequest& request) {
    bool known = !request.driver || packing.is_known(*request.driver);
    for (std::size_t i = 0; i < parts_used; ++i) {
        known = packing.is_known(parts[i].shape) && known;  // each is to be asked
    }
    return known;
}

/// The driver on the node with the largest room for it, the executors on the largest beside it: the
/// first choice of `fewest_nodes` in full, and proof for any policy that the gang fits.
Glance Planner::Scratch::look_for_largest(const PlacementRequest& request) {
    packing.clear();
    driver_position.reset();
    if (request.driver) {
        const auto found = packing.choose_largest(*request.driver, 1);
        if (!found) return Glance::unclear;
        if (found->empty()) return Glance::does_not_fit;
        driver_position = found->front().position;
        packing.put(*driver_position, *request.driver, 1);
    }
    for (std::size_t i = 0; i < parts_used; ++i) {
        Part& part = parts[i];
        const auto found = packing.choose_largest(part.shape, part.wanted);
        if (!found) return Glance::unclear;
        if (i + 1 < parts_used) packing.put_all(*found, part.shape);
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
        if (parts[i].capacities->total() < parts[i].wanted) return false;
    }
    return true;
}

/// Executors of this part that a driver displaces there.
std::int64_t Planner::Scratch::loss_at(const Part& part, Position position, ShapeId driver) const {
    const std::int64_t alone = part.capacities->at(position);
    return alone == 0 ? 0 : alone - packing.capacity_beside(position, part.shape, driver);
}

/// With one part this is exact: the other nodes keep their capacities, so the gang fits beside a
/// driver here if and only if the total less the loss here suffices. The loss is at most the whole
/// node, which settles most cases without computing it.
bool Planner::Scratch::parts_fit_beside(Position position, ShapeId driver) const {
    for (std::size_t i = 0; i < parts_used; ++i) {
        const Part& part = parts[i];
        const std::int64_t total = part.capacities->total();
        if (total - part.capacities->at(position) >= part.wanted) continue;
        if (total - loss_at(part, position, driver) < part.wanted) return false;
    }
    return true;
}

/// The very first node by the policy, if the executors fit beside it: mostly they do.
bool Planner::Scratch::find_first_driver_node(ShapeId driver) {
    const Capacities& capacities = *driver_capacities;
    std::optional<Position> first;
    const auto find = [&](std::int32_t level) {
        return [&capacities, &first, level](std::size_t block) {
            const std::uint64_t nodes = capacities.nodes_at(block, level);
            const auto at = static_cast<std::size_t>(std::countr_zero(nodes));
            first = static_cast<Position>(block * block_size + at);
            return false;
        };
    };
    if (policy == PackingPolicy::fewest_nodes) {
        capacities.for_each_block_from(capacities.most(), find(capacities.most()));
    } else {
        capacities.for_each_block_up_to(capacities.least(), find(capacities.least()));
    }
    if (!parts_fit_beside(*first, driver)) return false;
    driver_nodes.push_back({0, 0, 0, 0, *first});
    return true;
}

/// Whichever it is.
bool Planner::Scratch::has_driver_node(ShapeId driver) const {
    bool found = false;
    driver_capacities->for_each_block_from(1, [&](std::size_t block) {
        std::uint64_t nodes = bits_from(driver_capacities->of_block(block), 1);
        for (; nodes != 0 && !found; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            found = parts_fit_beside(static_cast<Position>(block * block_size + i), driver);
        }
        return !found;
    });
    return found;
}

/// Keeps the first few by the policy, in order.
void Planner::Scratch::list_driver_nodes(ShapeId driver) {
    const std::size_t tried_max = parts_used > 1 ? driver_attempts_max : 1;
    const bool ranked = packing.is_ranked(driver, policy);
    const bool largest = policy == PackingPolicy::fewest_nodes;
    const Capacities& capacities = *driver_capacities;
    driver_nodes.clear();
    if (tried_max == 1 && !ranked && find_first_driver_node(driver)) return;
    packing.begin_ranks(driver, policy);
    if (tried_max == 1) {
        const auto first = packing.find_first(capacities);
        if (first && parts_fit_beside(*first, driver)) {
            driver_nodes.push_back({0, 0, 0, 0, *first});
            return;
        }
    }
    capacities.for_each_block_from(1, [&](std::size_t block) {
        // The usual case, block by block: nothing comes before what is there already.
        const std::int64_t first_here = largest ? -std::int64_t{capacities.most_of_block(block)}
                                                : std::int64_t{capacities.least_of_block(block)};
        if (driver_nodes.size() == tried_max && !ranked &&
            first_here >= driver_nodes.back().measure) {
            return true;
        }
        const std::int32_t* const of_block = capacities.of_block(block);
        for (std::size_t i = 0; i < block_size; ++i) {
            if (of_block[i] == 0) continue;
            const auto position = static_cast<Position>(block * block_size + i);
            offer_driver_node(packing.rank(position, of_block[i]), driver, tried_max);
        }
        return true;
    });
}

void Planner::Scratch::offer_driver_node(
    const NodeRank& node, ShapeId driver, std::size_t tried_max) {
    const bool full = driver_nodes.size() == tried_max;
    if (full && !(node < driver_nodes.back())) return;
    if (!parts_fit_beside(node.position, driver)) return;
    if (full) driver_nodes.pop_back();
    const auto at = std::upper_bound(driver_nodes.begin(), driver_nodes.end(), node);
    driver_nodes.insert(at, node);
}

/// Chooses nodes for what fits of every part; true when that is all. The last part is not planned:
/// nothing comes after it.
bool Planner::Scratch::pack_executors() {
    bool complete = true;
    for (std::size_t i = 0; i < parts_used; ++i) {
        if (i > 0) packing.put_all(parts[i - 1].placed, parts[i - 1].shape);
        pack(parts[i]);
        complete = complete && parts[i].placed_count == parts[i].wanted;
    }
    return complete;
}

void Planner::Scratch::put_last_part() {
    if (parts_used == 0) return;
    const Part& last = parts[parts_used - 1];
    packing.put_all(last.placed, last.shape);
}

/// Only where something is planned already do the part's capacities differ from what is kept: those
/// few are set for the moment.
void Planner::Scratch::pack(Part& part) {
    Capacities& capacities = *part.capacities;
    const std::size_t set_before = capacities.set_count();
    packing.set_touched(capacities, part.shape);
    part.placed_count = std::min(capacities.total(), part.wanted);
    const auto chosen = packing.choose(part.shape, part.placed_count, capacities, policy);
    part.placed.assign(chosen.begin(), chosen.end());
    capacities.undo(set_before);
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
    put_last_part();
    Capacities& capacities = *driver_capacities;
    const std::size_t set_before = capacities.set_count();
    packing.set_touched(capacities, driver);
    if (capacities.total() > 0) {
        driver_position = packing.choose(driver, 1, capacities, policy).front().position;
    }
    capacities.undo(set_before);
    return driver_position.has_value();
}

bool Planner::Scratch::is_ranked(const PlacementRequest& request) const {
    if (request.driver && packing.is_ranked(*request.driver, policy)) return true;
    const auto end = parts.begin() + static_cast<std::ptrdiff_t>(parts_used);
    return std::any_of(parts.begin(), end, [this](const Part& part) {
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
    packing.order_by(nullptr);
    policy = PackingPolicy::tightest;
    return scan_and_search(request);
}

/// False: some shape has too little room even if it is alone.
bool Planner::Scratch::scan_totals(const PlacementRequest& request) {
    scan_parts();
    if (!parts_fit_alone()) return false;
    if (!request.driver) return true;
    driver_capacities = &packing.capacities(*request.driver);
    return driver_capacities->total() > 0;
}

/// False: it does not fit. True and none listed: there is no driver.
bool Planner::Scratch::find_driver_nodes(const PlacementRequest& request) {
    driver_nodes.clear();
    if (!scan_totals(request)) return false;
    if (!request.driver) return true;
    list_driver_nodes(*request.driver);
    return !driver_nodes.empty() || parts_used > 1;
}

bool Planner::Scratch::scan_and_search(const PlacementRequest& request) {
    packing.clear();
    if (!find_driver_nodes(request)) return false;
    if (!request.driver) return pack_executors();
    for (const NodeRank& node : driver_nodes) {
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
        packing.clear();
        return scan_totals(request) && (!request.driver || has_driver_node(*request.driver));
    }
    return search(request) || std::holds_alternative<Plan>(plan_what_fits(request));
}

std::optional<Position> Planner::Scratch::find_least_loss(ShapeId driver) {
    packing.clear();
    driver_capacities = &packing.capacities(driver);
    std::optional<Position> best;
    std::int64_t least = 0;
    driver_capacities->for_each_block_from(1, [&](std::size_t block) {
        std::array<std::int64_t, block_size> losses = {};
        for (std::size_t i = 0; i < parts_used; ++i) {
            const auto of_part =
                packing.losses_beside(block, parts[i].shape, *parts[i].capacities, driver);
            for (std::size_t j = 0; j < block_size; ++j) losses[j] += of_part[j];
        }
        std::uint64_t nodes = bits_from(driver_capacities->of_block(block), 1);
        for (; nodes != 0; nodes &= nodes - 1) {
            const auto i = static_cast<std::size_t>(std::countr_zero(nodes));
            if (best && losses[i] >= least) continue;
            best = static_cast<Position>(block * block_size + i);
            least = losses[i];
        }
        return !best || least > 0;
    });
    return best;
}

/// For the rejection's numbers: the driver where it costs the executors least, if anywhere, and as
/// many executors as fit beside it. Where shapes compete for nodes, this last way of packing may
/// succeed after all.
Placement Planner::Scratch::plan_what_fits(const PlacementRequest& request) {
    scan_parts();
    driver_position.reset();
    if (request.driver) driver_position = find_least_loss(*request.driver);
    packing.clear();
    if (driver_position) packing.put(*driver_position, *request.driver, 1);
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
    Part& part = parts[0];
    Capacities& capacities = *part.capacities;
    const std::size_t set_before = capacities.set_count();
    packing.set_touched(capacities, part.shape);
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
    const Capacities& of_shape = scratch_->packing.capacities(shape);
    std::vector<std::int32_t> by_position(scratch_->packing.size());
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
