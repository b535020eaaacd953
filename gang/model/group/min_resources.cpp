#include "gang/model/group/min_resources.hpp"

#include <algorithm>
#include <cstdint>

namespace gang {
namespace {

/// A node that is overcommitted takes nothing from the others.
std::int64_t added(std::int64_t total, std::int64_t free, std::int64_t headroom) {
    return core::add_times(total, std::max<std::int64_t>(free - headroom, 0), 1);
}

}  // namespace

core::Resources sum_of_nodes(
    const core::Cluster& cluster, const core::Resources& wanted, core::View view) {
    core::Resources sum;
    for (const core::ExtendedResource& one : wanted.extended) {
        sum.extended.push_back({one.name, 0});
    }
    const core::NodeColumns& columns = cluster.columns();
    for (const core::NodeIndex index : cluster.nodes().by_name()) {
        const core::Node& node = cluster.nodes().node(index);
        if (node.unschedulable || !node.ready) {
            continue;
        }
        sum.cpu_milli =
            added(sum.cpu_milli, columns.cpu(view)[index.value], cluster.room().headroom().cpu_milli);
        sum.memory_bytes = added(
            sum.memory_bytes, columns.memory(view)[index.value], cluster.room().headroom().memory_bytes);
        sum.ephemeral_bytes = added(sum.ephemeral_bytes, columns.ephemeral(view)[index.value], 0);
        for (core::ExtendedResource& one : sum.extended) {
            if (const auto id = cluster.extended_names().find(one.name)) {
                one.amount = added(one.amount, columns.extended(index, *id, view), 0);
            }
        }
    }
    return sum;
}

bool covers(const core::Resources& there, const core::Resources& wanted) {
    return core::difference(wanted, there) == core::difference(wanted, wanted);
}

}  // namespace gang
