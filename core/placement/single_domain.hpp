#pragma once
// Places a gang within one domain: on nodes that have one value of a label (a zone, a rack).
//
//   capacities of the nodes, summed up by domain --> domains that may hold it, best first
//   one after another: the gang's shapes restricted to that domain's nodes, placed like any gang
//
// Best is, for `tightest`, the domain with the least room that is enough, else the one with the
// most; then the first by name. Nodes without the label are in no domain.

#include "core/cluster/cluster.hpp"
#include "core/domain/domain_index.hpp"
#include "core/placement/placement.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// The same request for the nodes of one domain, as long as this lives.
class RequestInDomain {
public:
    /// None: for no node. The cluster must outlive it, unchanged.
    RequestInDomain(
        Cluster& cluster,
        const DomainIndex& domains,
        TopologyKeyId key,
        DomainId domain,
        PlacementRequest request);
    ~RequestInDomain();
    RequestInDomain(const RequestInDomain&) = delete;
    RequestInDomain& operator=(const RequestInDomain&) = delete;
    const PlacementRequest& request() const { return request_; }

private:
    Cluster& cluster_;
    PlacementRequest request_;
};

class SingleDomain {
public:
    /// All outlive it.
    SingleDomain(Planner& planner, Cluster& cluster, const DomainIndex& domains, TopologyKeyId key)
        : planner_(planner), cluster_(cluster), domains_(domains), key_(key) {}

    /// Where all of it is in one domain. A rejection is that of the domain with the most room.
    Placement place(const PlacementRequest& request);
    std::optional<Plan> find(const PlacementRequest& request);
    bool fits(const PlacementRequest& request);

    /// Domains whose room, all nodes taken together, is enough for each shape by itself.
    std::vector<DomainId> candidates(const PlacementRequest& request);
    RequestInDomain within(DomainId domain, const PlacementRequest& request) {
        return {cluster_, domains_, key_, domain, request};
    }
    /// Nodes that were summed up, by all questions so far.
    std::int64_t nodes_asked() const { return nodes_asked_; }

private:
    struct Room {
        DomainId domain;
        std::int64_t pods = 0;  ///< of the first executor shape, or of the driver
        bool is_enough = true;  ///< for each shape by itself
    };
    std::vector<Room> rooms(const PlacementRequest& request);

    Planner& planner_;
    Cluster& cluster_;
    const DomainIndex& domains_;
    TopologyKeyId key_;
    std::int64_t nodes_asked_ = 0;
};

}  // namespace core
