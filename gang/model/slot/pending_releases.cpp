#include "gang/model/slot/pending_releases.hpp"

#include <algorithm>
#include <vector>

namespace gang {

void PendingReleases::hold(Application& app, const Slot& slot, std::int64_t generation) {
    const core::AllocationId allocation = cluster_.allocate(
        cluster_.node_or_placeholder(slot.node.str()),
        app.declared.shapes[slot.shape].id,
        core::UsedBy::gang);
    keep(app, allocation, generation);
}

void PendingReleases::hold(
    Application& app,
    std::string_view node,
    const core::Resources& amounts,
    std::int64_t generation) {
    const core::AllocationId allocation = cluster_.allocations().allocate(
        cluster_.node_or_placeholder(node), amounts, core::UsedBy::gang);
    keep(app, allocation, generation);
}

void PendingReleases::keep(
    Application& app, core::AllocationId allocation, std::int64_t generation) {
    app.pending_releases.make().push_back({allocation, generation});
    allocations_.insert(allocation);
}

void PendingReleases::finish(Application& app, std::int64_t generation) {
    if (!app.pending_releases.is_made()) {
        return;
    }
    std::erase_if(app.pending_releases.make(), [this, generation](const PendingRelease& pending) {
        if (pending.generation > generation) {
            return false;
        }
        allocations_.erase(pending.allocation);
        cluster_.allocations().release(pending.allocation);
        return true;
    });
    if (app.pending_releases->empty()) {
        app.pending_releases.reset();
    }
}

void PendingReleases::drop(Application& app) {
    for (const PendingRelease& pending : *app.pending_releases) {
        allocations_.erase(pending.allocation);
        cluster_.allocations().release(pending.allocation);
    }
    app.pending_releases.reset();
}

bool PendingReleases::is_overcommitted_for(core::NodeIndex node, core::ShapeId shape) const {
    if (!cluster_.columns().is_overcommitted(node)) {
        return false;  // nearly always, and then what is to be released need not be added up
    }
    core::Wide cpu = 0;
    core::Wide memory = 0;
    core::Wide ephemeral = 0;
    core::Wide pods = 0;
    std::vector<const core::Resources*> pending;
    for (const core::AllocationId allocation : allocations_) {
        if (cluster_.allocations().of(allocation).node == node) {
            const core::Resources& amounts = cluster_.allocations().resources_of(allocation);
            cpu += amounts.cpu_milli;
            memory += amounts.memory_bytes;
            ephemeral += amounts.ephemeral_bytes;
            ++pods;
            pending.push_back(&amounts);
        }
    }
    const core::NodeColumns& columns = cluster_.columns();
    const auto free = core::View::free;
    const auto at = node.value;
    const auto is_short = [&](const core::ExtendedDemand& demand) {
        core::Wide left = columns.extended(node, demand.id, free);
        for (const core::Resources* amounts : pending) {
            left += amounts->extended_amount(cluster_.extended_names().name(demand.id));
        }
        return left < 0;
    };
    const auto& extended = cluster_.demand(shape).extended;
    return columns.cpu(free)[at] + cpu < 0 || columns.memory(free)[at] + memory < 0 ||
           columns.ephemeral(free)[at] + ephemeral < 0 || columns.pods(free)[at] + pods < 0 ||
           std::any_of(extended.begin(), extended.end(), is_short) ||
           std::any_of(extended.begin(), extended.end(), [&](const core::ExtendedDemand& demand) {
               return columns.is_card_overdrawn(node, demand.id);
           });
}

}  // namespace gang
