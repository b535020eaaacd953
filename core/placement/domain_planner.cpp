#include "core/placement/domain_planner.hpp"

#include "core/base/result.hpp"
#include "core/cluster/allocation/trial.hpp"
#include "core/domain/domain_room.hpp"
#include "core/domain/score/domain_scores.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <utility>

namespace core {

namespace {

/// A shape with fewer nodes, given back at the end.
class RestrictedShape {
public:
    RestrictedShape(Cluster& cluster, ShapeId shape, AllowedNodes allowed, PodScores scores = {})
        : cluster_(cluster) {
        std::vector<ReasonCount> reasons = reasons_of(allowed);
        id_ = cluster.restrict_shape(
            shape, std::move(allowed.nodes), std::move(reasons), std::move(scores));
    }
    ~RestrictedShape() { cluster_.release_shape(id_); }
    RestrictedShape(const RestrictedShape&) = delete;
    RestrictedShape& operator=(const RestrictedShape&) = delete;
    ShapeId id() const { return id_; }

private:
    Cluster& cluster_;
    ShapeId id_;
};

/// In the order of names, each node once.
void sort_and_merge(std::vector<NodeCount>& nodes, const Cluster& cluster) {
    std::sort(nodes.begin(), nodes.end(), [&cluster](const NodeCount& a, const NodeCount& b) {
        return cluster.position_of(a.node) < cluster.position_of(b.node);
    });
    std::size_t kept = 0;
    for (const NodeCount& one : nodes) {
        if (kept > 0 && nodes[kept - 1].node == one.node) {
            nodes[kept - 1].count += one.count;
        } else {
            nodes[kept++] = one;
        }
    }
    nodes.resize(kept);
}

}  // namespace

/// One try with the driver in one place; all that it has changed is taken back with it.
class DomainPlanner::Attempt {
public:
    Attempt(DomainPlanner& in, const RuledRequest& request, bool heeds_preferences)
        : in_(in), request_(request), nodes_(in.nodes_), trial_(in.cluster_) {
        nodes_.heed(heeds_preferences ? &request.pod_scoring : nullptr);
        plan_.executors.resize(request.executors.size());
    }
    ~Attempt() {
        for (const PlacedPod& pod : placed_) in_.rules_.pod_gone(pod);
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;

    /// False: why() says why not. `within`: the driver's nodes, if not all.
    bool run(const NodeBitmap* within) {
        if (!place_driver(within)) return false;
        for (std::size_t i = 0; i < request_.executors.size(); ++i) {
            if (!place_part(request_.executors[i], i)) return false;
        }
        return true;
    }
    Plan take_plan();
    /// In numbers of the whole request: the first part that does not fit is what is explained.
    Rejection why() const;

private:
    bool place_driver(const NodeBitmap* within);
    bool place_part(const RuledPart& part, std::size_t index);
    bool place_freely(const RuledPart& part, std::size_t index, AllowedNodes allowed);
    bool place_by_domain(const RuledPart& part, std::size_t index, RuleRef rule);
    bool place_one(const RuledPart& part, std::size_t index);
    bool place_preferring(const RuledPart& part, std::size_t index, AllowedNodes allowed);
    bool take(Placement placement, std::size_t index);
    void place_shares(
        const RuledPart& part,
        std::size_t index,
        const RoomByDomain& room,
        const NodeBitmap& open,
        const DomainQuotas& quotas);
    std::int64_t place_apart(
        const RuledPart& part,
        std::size_t index,
        const NodeBitmap& open,
        std::span<const std::int32_t> capacities);
    void place_in_domain(
        const RuledPart& part, std::size_t index, NodeBitmap nodes, std::int64_t count);
    bool prefers_smallest() const {
        return request_.policy == PackingPolicy::tightest && request_.scores == nullptr;
    }
    void put(std::size_t index, NodeIndex node, std::int64_t count);
    void charge(const RuledPart& part, NodeIndex node, std::int64_t count);
    void charge_all(const RuledPart& part, std::size_t index);
    PlacementRequest executors(ShapeId shape, std::int64_t count) const;
    bool refuse(Placement placement);

    DomainPlanner& in_;
    const RuledRequest& request_;
    RuledNodes& nodes_;
    Trial trial_;
    std::vector<PlacedPod> placed_;
    Plan plan_;
    std::int64_t executors_placed_ = 0;
    bool is_driver_placed_ = false;
    Rejection rejection_;
};

void DomainPlanner::Attempt::charge(const RuledPart& part, NodeIndex node, std::int64_t count) {
    trial_.allocate(
        node,
        part.shape,
        UsedBy::gang,
        static_cast<std::uint32_t>(count),
        card_choice(request_.policy, request_.scores));
    if (!part.pod) return;
    const IncomingPod& pod = *part.pod;
    const PodRules* const rules = find_rules(in_.rules_, pod.rules);
    for (std::int64_t i = 0; i < count; ++i) {
        placed_.push_back({node, pod.namespace_name, pod.labels, rules, false});
        in_.rules_.pod_placed(placed_.back(), in_.cluster_);
    }
}

void DomainPlanner::Attempt::put(std::size_t index, NodeIndex node, std::int64_t count) {
    plan_.executors[index].push_back({node, count});
    executors_placed_ += count;
}

void DomainPlanner::Attempt::charge_all(const RuledPart& part, std::size_t index) {
    for (const NodeCount& one : plan_.executors[index]) charge(part, one.node, one.count);
}

PlacementRequest DomainPlanner::Attempt::executors(ShapeId shape, std::int64_t count) const {
    PlacementRequest request;
    request.policy = request_.policy;
    request.scores = request_.scores;
    request.executors = {{shape, count}};
    return request;
}

bool DomainPlanner::Attempt::refuse(Placement placement) {
    rejection_ = std::get<Rejection>(std::move(placement));
    return false;
}

/// Where there is room for the executors, too, rules among them aside.
bool DomainPlanner::Attempt::place_driver(const NodeBitmap* within) {
    if (!request_.driver) return true;
    AllowedNodes nodes = nodes_.allowed(*request_.driver);
    if (within != nullptr) nodes.nodes.intersect(*within);
    PodScores by_pods = nodes_.scores(*request_.driver, nodes.nodes);
    std::optional<RestrictedShape> fewer;
    if (within != nullptr || nodes.refused != AllowedNodes{}.refused || !by_pods.empty()) {
        fewer.emplace(
            in_.cluster_, request_.driver->shape, std::move(nodes), std::move(by_pods));
    }
    PlacementRequest request;
    request.policy = request_.policy;
    request.scores = request_.scores;
    request.driver = fewer ? fewer->id() : request_.driver->shape;
    for (const RuledPart& part : request_.executors) {
        request.executors.push_back({part.shape, part.count});
    }
    Placement placement = in_.planner_.place(in_.cluster_, request);
    if (!std::holds_alternative<Plan>(placement)) return refuse(std::move(placement));
    plan_.driver = std::get<Plan>(placement).driver;
    charge(*request_.driver, plan_.driver, 1);
    is_driver_placed_ = true;
    return true;
}

bool DomainPlanner::Attempt::place_part(const RuledPart& part, std::size_t index) {
    if (part.count == 0) return true;
    std::vector<RuleRef> among;
    if (part.pod && !part.pod->rules.is_none()) {
        among = rules_among_themselves(
            in_.rules_.rules(part.pod->rules),
            std::string(part.pod->namespace_name),
            part.pod->labels);
    }
    const bool is_one_by_one = among.size() > 1 || (!among.empty() && nodes_.may_be_choosy(part));
    if (is_one_by_one) {
        for (std::int64_t i = 0; i < part.count; ++i) {
            if (!place_one(part, index)) return false;
        }
        return true;
    }
    const bool is_preferring = nodes_.prefers_its_like(part) || nodes_.may_be_choosy(part);
    const bool fits = !among.empty()  ? place_by_domain(part, index, among.front())
                      : is_preferring ? place_preferring(part, index, nodes_.allowed(part))
                                      : place_freely(part, index, nodes_.allowed(part));
    if (fits && index + 1 < request_.executors.size()) charge_all(part, index);
    return fits;
}

bool DomainPlanner::Attempt::place_freely(
    const RuledPart& part, std::size_t index, AllowedNodes nodes) {
    PodScores by_pods = nodes_.scores(part, nodes.nodes);
    const RestrictedShape shape(in_.cluster_, part.shape, std::move(nodes), std::move(by_pods));
    return take(in_.planner_.place(in_.cluster_, executors(shape.id(), part.count)), index);
}

bool DomainPlanner::Attempt::take(Placement placement, std::size_t index) {
    if (auto* const found = std::get_if<Plan>(&placement)) {
        for (const NodeCount& one : found->executors[0]) put(index, one.node, one.count);
        return true;
    }
    executors_placed_ += std::get<Rejection>(placement).executors_fit;
    return refuse(std::move(placement));
}

/// Each changes what is best for the next: by itself, or because the node that it fills is no
/// longer one of those that the others are measured by.
bool DomainPlanner::Attempt::place_preferring(
    const RuledPart& part, std::size_t index, AllowedNodes nodes) {
    DomainScores scores(
        in_.rules_, *part.pod, nodes_.feasible(part, nodes.nodes), in_.cluster_, request_.pod_scoring);
    const RestrictedShape shape(in_.cluster_, part.shape, std::move(nodes));
    PlacementRequest request = executors(shape.id(), part.count);
    request.preferring = &scores;
    return take(in_.planner_.place(in_.cluster_, request), index);
}

bool DomainPlanner::Attempt::place_one(const RuledPart& part, std::size_t index) {
    AllowedNodes nodes = nodes_.allowed(part);
    PodScores by_pods = nodes_.scores(part, nodes.nodes);
    const RestrictedShape shape(in_.cluster_, part.shape, std::move(nodes), std::move(by_pods));
    if (!take(in_.planner_.place(in_.cluster_, executors(shape.id(), 1)), index)) return false;
    charge(part, plan_.executors[index].back().node, 1);
    return true;
}

bool DomainPlanner::Attempt::place_by_domain(
    const RuledPart& part, std::size_t index, RuleRef rule) {
    const Cluster& cluster = in_.cluster_;
    const NodeBitmap& eligible = cluster.shapes().eligible(part.shape);
    nodes_.note_all_asked();
    const TopologyKeyId key = in_.rules_.key_of(part.pod->rules, rule);
    const DomainMap& map = in_.rules_.domains().map(key, cluster);
    const bool is_one_by_one = rule.kind == RuleKind::anti_affinity && map.has_one_node_each;
    NodeBitmap open =
        in_.rules_
            .allowed(
                *part.pod, eligible, cluster, is_one_by_one ? std::nullopt : std::optional(rule))
            .nodes;
    const auto capacities = in_.planner_.capacities(cluster, part.shape);
    std::int64_t count = 0;
    if (is_one_by_one && !open.intersects(map.without_key)) {
        count = place_apart(part, index, open, capacities);
    } else {
        if (is_one_by_one) open = in_.rules_.allowed(*part.pod, eligible, cluster, rule).nodes;
        RoomByDomain room = in_.rules_.room_by_domain(*part.pod, rule, open, capacities, cluster);
        for (DomainRoom& one : room.domains) {  // in the order in which the policy would have nodes
            one.preference = prefers_smallest() ? one.capacity : -one.capacity;
        }
        count = std::min(part.count, most_pods(room));
        place_shares(part, index, room, open, *share_out(room, count));
    }
    if (count == part.count) return true;
    charge_all(part, index);
    const bool fits_one_more = place_one(part, index);
    ENSURE(!fits_one_more);
    return false;
}

/// One on each node; answers how many there were nodes for. Of nodes with small capacities it is
/// counted how many there are of each, so nothing is sorted.
std::int64_t DomainPlanner::Attempt::place_apart(
    const RuledPart& part,
    std::size_t index,
    const NodeBitmap& open,
    std::span<const std::int32_t> capacities) {
    constexpr std::int32_t large = 256;  // of these one is like another
    std::array<std::int64_t, large + 1> nodes_at = {};
    open.for_each([&](std::size_t position) {
        ++nodes_at[static_cast<std::size_t>(std::min(capacities[position], large))];
    });
    std::int64_t wanted = part.count;
    const auto take_at = [&](std::int32_t level) {
        std::int64_t& here = nodes_at[static_cast<std::size_t>(level)];
        here = std::min(here, wanted);
        wanted -= here;
    };
    if (prefers_smallest()) {
        for (std::int32_t level = 1; level <= large; ++level) take_at(level);
    } else {
        for (std::int32_t level = large; level >= 1; --level) take_at(level);
    }
    nodes_at[0] = 0;
    std::int64_t left = part.count - wanted;
    open.for_each([&](std::size_t position) {
        std::int64_t& here =
            nodes_at[static_cast<std::size_t>(std::min(capacities[position], large))];
        if (left == 0 || here == 0) return;
        --here;
        --left;
        put(index, in_.cluster_.nodes().by_name()[position], 1);
    });
    return part.count - wanted;
}

void DomainPlanner::Attempt::place_shares(
    const RuledPart& part,
    std::size_t index,
    const RoomByDomain& room,
    const NodeBitmap& open,
    const DomainQuotas& quotas) {
    const DomainIndex& domains = in_.rules_.domains();
    const auto place = [&](DomainId domain, std::int64_t count) {
        if (count == 0) return;
        NodeBitmap nodes = domains.nodes_of(room.key, domain, in_.cluster_);
        nodes.intersect(open);
        place_in_domain(part, index, std::move(nodes), count);
    };
    place({}, quotas.without_key);
    for (std::size_t i = 0; i < room.domains.size(); ++i) {
        place(room.domains[i].domain, quotas.by_domain[i]);
    }
}

/// There is room, as the caller knows. A domain of one node, as with host names, is not searched.
void DomainPlanner::Attempt::place_in_domain(
    const RuledPart& part, std::size_t index, NodeBitmap nodes, std::int64_t count) {
    if (const auto only = nodes.find_only()) {
        put(index, in_.cluster_.nodes().by_name()[*only], count);
        return;
    }
    const RestrictedShape shape(in_.cluster_, part.shape, {std::move(nodes), {}});
    const auto found = in_.planner_.find(in_.cluster_, executors(shape.id(), count));
    ENSURE(found.has_value());
    for (const NodeCount& one : found->executors[0]) put(index, one.node, one.count);
}

Plan DomainPlanner::Attempt::take_plan() {
    for (auto& nodes : plan_.executors) sort_and_merge(nodes, in_.cluster_);
    return std::move(plan_);
}

Rejection DomainPlanner::Attempt::why() const {
    Rejection rejection = rejection_;
    if (request_.driver && !is_driver_placed_) return rejection;
    rejection.wants_driver = request_.driver.has_value();
    rejection.driver_fits = is_driver_placed_;
    rejection.executors_wanted = 0;
    rejection.wanted = {};
    rejection.missing = {};
    std::int64_t placed = executors_placed_;
    if (request_.driver) {
        rejection.wanted = in_.cluster_.resources(request_.driver->shape);
    }
    for (const RuledPart& part : request_.executors) {
        const Resources& one = in_.cluster_.resources(part.shape);
        const std::int64_t here = std::min(part.count, placed);
        placed -= here;
        rejection.executors_wanted += part.count;
        add_times(rejection.wanted, one, part.count);
        add_times(rejection.missing, one, part.count - here);
    }
    rejection.executors_fit = executors_placed_;
    return rejection;
}

/// A gang that waits is refused for the price of a plain plan.
Placement DomainPlanner::place(const RuledRequest& request) {
    Placement plain = place_plainly(request);
    if (!std::holds_alternative<Plan>(plain) || !has_preferences(request)) return plain;
    Attempt choosy(*this, request, true);
    return choosy.run(nullptr) ? choosy.take_plan() : std::move(plain);
}

bool DomainPlanner::has_preferences(const RuledRequest& request) const {
    if (request.scores != nullptr && !asks_pods(*request.scores)) return false;
    const auto has_any = [&](const RuledPart& part) {
        return part.pod && core::has_preferences(rules_, *part.pod, request.pod_scoring);
    };
    return (request.driver && has_any(*request.driver)) ||
           std::any_of(request.executors.begin(), request.executors.end(), has_any);
}

/// As if nobody preferred anything.
Placement DomainPlanner::place_plainly(const RuledRequest& request) {
    Rejection why;
    {
        Attempt first(*this, request, false);
        if (first.run(nullptr)) return first.take_plan();
        why = first.why();
        if (!request.driver || !why.driver_fits) return why;
    }
    auto plan = try_driver_domains(request);
    return plan ? Placement(*std::move(plan)) : Placement(std::move(why));
}

/// The driver in one domain after another, of the first key that executors have.
std::optional<Plan> DomainPlanner::try_driver_domains(const RuledRequest& request) {
    std::optional<TopologyKeyId> key;
    for (const RuledPart& part : request.executors) {
        if (!part.pod || key) continue;
        const auto keys = rules_.keys_of(part.pod->rules);
        if (!keys.empty()) key = keys.front();
    }
    if (!key) return std::nullopt;
    const std::vector<DomainId> domains = rules_.domains().by_name(*key);
    for (std::size_t i = 0; i < domains.size() && i < driver_domains_max; ++i) {
        const NodeBitmap within = rules_.domains().nodes_of(*key, domains[i], cluster_);
        Attempt next(*this, request, false);
        if (next.run(&within)) return next.take_plan();
    }
    return std::nullopt;
}

}  // namespace core
