#pragma once
// Room that slots have left and that stays allocated until the reservation that no longer names it
// is stored, so that a restart never finds two owners for it. Each gang has its own releases
// (Application::pending_releases); here they are known of all gangs together.

#include "core/cluster/cluster.hpp"
#include "gang/model/application.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>

namespace gang {

class PendingReleases {
public:
    /// The cluster lives as long.
    explicit PendingReleases(core::Cluster& cluster) : cluster_(cluster) {}

    /// Allocates the room that an unplaced slot had on its node, until `generation` is written.
    void hold(Application& app, const Slot& slot, std::int64_t generation);
    /// The same for these amounts; as far as pods are counted, they are one.
    void hold(
        Application& app,
        std::string_view node,
        const core::Resources& amounts,
        std::int64_t generation);
    /// The same for what is allocated already.
    void keep(Application& app, core::AllocationId allocation, std::int64_t generation);

    /// The reservation of this generation is stored: what it no longer names is free.
    void finish(Application& app, std::int64_t generation);
    /// The gang holds nothing any more.
    void drop(Application& app);

    /// Whether others have taken more of the node than it has, as far as the shape asks for it.
    /// What is to be released is on its way out and does not count.
    bool is_overcommitted_for(core::NodeIndex node, core::ShapeId shape) const;
    /// Of all gangs.
    std::size_t size() const { return allocations_.size(); }

private:
    core::Cluster& cluster_;
    std::set<core::AllocationId> allocations_;
};

}  // namespace gang
