#include "core/placement/single_domain.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>

namespace core {
namespace {

std::vector<ShapeCount> parts_of(const PlacementRequest& request) {
    std::vector<ShapeCount> parts = request.executors;
    if (request.driver) parts.push_back({*request.driver, 1});
    return parts;
}

}  // namespace

RequestInDomain::RequestInDomain(
    Cluster& cluster,
    const DomainIndex& domains,
    TopologyKeyId key,
    DomainId domain,
    PlacementRequest request)
    : cluster_(cluster), request_(std::move(request)) {
    NodeBitmap nodes;
    if (!domain.is_none()) nodes = domains.nodes_of(key, domain, cluster);
    const std::int64_t outside = static_cast<std::int64_t>(cluster.nodes().count()) - nodes.count();
    const std::string& name = domains.key_name(key);
    std::vector<ReasonCount> reasons;
    if (outside > 0) {
        reasons.push_back(
            {domain.is_none() ? "node(s) without the label " + name
                              : "node(s) outside " + name + "=" + domains.name(key, domain),
             outside});
    }
    const auto restrict = [&](ShapeId& shape) {
        shape = cluster_.restrict_shape(shape, nodes, reasons);
    };
    if (request_.driver) restrict(*request_.driver);
    for (ShapeCount& part : request_.executors) restrict(part.shape);
}

RequestInDomain::~RequestInDomain() {
    if (request_.driver) cluster_.release_shape(*request_.driver);
    for (const ShapeCount& part : request_.executors) cluster_.release_shape(part.shape);
}

std::vector<SingleDomain::Room> SingleDomain::rooms(const PlacementRequest& request) {
    std::vector<Room> rooms;
    for (const DomainId domain : domains_.by_name(key_)) rooms.push_back({domain});
    const DomainMap& map = domains_.map(key_, cluster_);
    const std::vector<ShapeCount> parts = parts_of(request);
    for (std::size_t part = 0; part < parts.size(); ++part) {
        const auto capacities = planner_.capacities(cluster_, parts[part].shape, request.view);
        nodes_asked_ += static_cast<std::int64_t>(capacities.size());
        for (Room& room : rooms) {
            std::int64_t pods = 0;
            for (const Position position : map.nodes_of(room.domain)) pods += capacities[position];
            room.is_enough = room.is_enough && pods >= parts[part].count;
            if (part == 0) room.pods = pods;
        }
    }
    return rooms;
}

std::vector<DomainId> SingleDomain::candidates(const PlacementRequest& request) {
    std::vector<Room> enough = rooms(request);
    std::erase_if(enough, [](const Room& room) { return !room.is_enough; });
    const bool smallest = request.policy == PackingPolicy::tightest && request.scores == nullptr;
    std::stable_sort(enough.begin(), enough.end(), [smallest](const Room& a, const Room& b) {
        return smallest ? a.pods < b.pods : a.pods > b.pods;
    });
    std::vector<DomainId> found;
    for (const Room& room : enough) found.push_back(room.domain);
    return found;
}

std::optional<Plan> SingleDomain::find(const PlacementRequest& request) {
    for (const DomainId domain : candidates(request)) {
        const RequestInDomain inside = within(domain, request);
        if (auto plan = planner_.find(cluster_, inside.request())) return plan;
    }
    return std::nullopt;
}

bool SingleDomain::fits(const PlacementRequest& request) {
    const std::vector<DomainId> domains = candidates(request);
    return std::any_of(domains.begin(), domains.end(), [&](DomainId domain) {
        const RequestInDomain inside = within(domain, request);
        return planner_.fits(cluster_, inside.request());
    });
}

Placement SingleDomain::place(const PlacementRequest& request) {
    if (auto plan = find(request)) return *std::move(plan);
    const std::vector<Room> all = rooms(request);
    const auto largest = std::max_element(
        all.begin(), all.end(), [](const Room& a, const Room& b) { return a.pods < b.pods; });
    const RequestInDomain inside =
        within(largest == all.end() ? DomainId{} : largest->domain, request);
    return planner_.place(cluster_, inside.request());
}

}  // namespace core
