#include "gang/sim/store_writer.hpp"

#include "gang/sim/world.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>

namespace gang::sim {
namespace {

/// Changes of pods; a watch that is further behind gets 410.
constexpr std::uint64_t log_kept = 4'000;

}  // namespace

void merge_annotations(core::Pod& pod, const core::StringMap& annotations) {
    for (const auto& [key, value] : annotations) {
        const auto at = std::lower_bound(
            pod.annotations.begin(),
            pod.annotations.end(),
            key,
            [](const auto& entry, const std::string& wanted) { return entry.first < wanted; });
        if (at != pod.annotations.end() && at->first == key) {
            at->second = value;
        } else {
            pod.annotations.emplace(at, key, value);
        }
    }
}

core::Pod& StoreWriter::pod_to_change(PodId id) {
    return *world_.store.pods[id];
}

core::Node& StoreWriter::node_to_change(NodeId id) {
    return *world_.store.nodes[id];
}

PodId StoreWriter::create_pod(core::Pod pod, const Author& author) {
    Store& store = world_.store;
    const auto id = static_cast<PodId>(store.pods.size());
    pod.uid = "p" + std::to_string(id);
    store.pod_by_name[full_name(pod)] = id;
    store.pods.emplace_back(std::move(pod));
    pod_is_changed(id, author, Change::added);
    return id;
}

void StoreWriter::remove_pod(PodId id, const Author& author) {
    pod_is_changed(id, author, Change::deleted);
}

void StoreWriter::delete_pod(PodId id, const Author& author, std::int64_t grace_ms) {
    const core::Pod* pod = world_.store.find_pod(id);
    if (pod == nullptr) {
        return;
    }
    if (pod->node_name.empty() || core::is_terminal(*pod)) {
        return remove_pod(id, author);
    }
    if (pod->deleting) {
        return;
    }
    change_pod(id, author, [](core::Pod& marked) { marked.deleting = true; });
    world_.queue.plan(
        world_.now_ms + std::max<std::int64_t>(grace_ms, 1), Happening::kubelet_ends, id);
}

void StoreWriter::pod_is_changed(PodId id, const Author& author, Change change) {
    Store& store = world_.store;
    const std::uint64_t revision = ++store.revision;
    ++world_.record.counts.commits;
    core::Pod& pod = *store.pods[id];
    pod.resource_version = std::to_string(revision);
    store.pod_log.add(Entry<core::Pod>{revision, change, id, pod});
    if (store.pod_log.end() - store.pod_log.begin() > log_kept) {
        store.pod_log.forget_before(store.pod_log.end() - log_kept / 2);
    }
    const Entry<core::Pod> entry = store.pod_log.at(store.pod_log.end() - 1);
    world_.record.say([&] {
        return fmt::format(
            "{} {} {} node={} phase={} deleting={}",
            revision,
            change == Change::added     ? "pod+"
            : change == Change::deleted ? "pod-"
                                        : "pod",
            full_name(pod) + "/" + pod.uid,
            pod.node_name,
            static_cast<int>(pod.phase),
            pod.deleting);
    });
    if (change == Change::deleted) {
        store.pod_by_name.erase(full_name(pod));
        store.pods[id].reset();
    }
    world_.cluster.api.caches.store_changed();
    world_.checkers.pod_changed(entry, author);
    world_.checker_suite.pod_changed(entry, author);
    world_.cluster.pod_changed(entry);
    world_.checker_suite.groups.pod_changed(entry, author);  // the jobs know of it by now
}

NodeId StoreWriter::add_node(core::Node node, const Author& author) {
    const auto id = static_cast<NodeId>(original_nodes_.size());
    node.name = "n" + std::to_string(id);
    original_nodes_.push_back(std::move(node));
    create_node(id, author);
    return id;
}

void StoreWriter::create_node(NodeId id, const Author& author) {
    Store& store = world_.store;
    if (id >= store.nodes.size()) {
        store.nodes.resize(id + 1);
    }
    store.nodes[id] = original_nodes_[id];
    store.nodes[id]->uid = "u" + std::to_string(++node_lives_);
    node_is_changed(id, author, Change::added);
}

void StoreWriter::remove_node(NodeId id, const Author& author) {
    node_is_changed(id, author, Change::deleted);
}

void StoreWriter::node_is_changed(NodeId id, const Author& author, Change change) {
    Store& store = world_.store;
    const std::uint64_t revision = ++store.revision;
    ++world_.record.counts.commits;
    core::Node& node = *store.nodes[id];
    node.resource_version = std::to_string(revision);
    store.node_log.add(Entry<core::Node>{revision, change, id, node});
    const Entry<core::Node> entry = store.node_log.at(store.node_log.end() - 1);
    world_.record.say([&] {
        return fmt::format(
            "{} node {} change={} ready={} cordoned={} cpu={}",
            revision,
            node.name,
            static_cast<int>(change),
            node.ready,
            node.unschedulable,
            node.allocatable.cpu_milli);
    });
    if (change == Change::deleted) {
        store.nodes[id].reset();
    }
    world_.cluster.api.caches.store_changed();
    world_.checkers.node_changed(entry, author);
    if (change == Change::deleted) {
        world_.cluster.kubelets.node_removed(id);
    }
}

void StoreWriter::set_lease(std::optional<k8s::protocol::Lease> lease) {
    Store& store = world_.store;
    ++store.revision;
    if (lease) {
        lease->resource_version = std::to_string(store.revision);
    }
    store.lease_states.push_back(std::move(lease));
    const auto number = static_cast<std::uint64_t>(store.lease_states.size() - 1);
    for (std::uint32_t i = 0; i < world_.replicas.size(); ++i) {
        const Replica& replica = world_.replicas[i];
        if (replica.is_running() && replica.process().elector.is_following()) {
            world_.queue.plan(
                world_.now_ms + world_.random.between(1, world_.plan.latency_ms_max),
                Happening::lease_seen,
                i,
                (std::uint64_t{replica.life()} << 32U) | number);
        }
    }
}

}  // namespace gang::sim
