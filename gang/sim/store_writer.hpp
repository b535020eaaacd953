#pragma once
// The only writer of the store. Each write gets the next revision and is told to everybody whom it
// concerns, the checkers of groups last. It knows of each node how it was made, so that a node that
// comes back is as it was.

#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace gang::sim {

struct World;

class StoreWriter {
public:
    explicit StoreWriter(World& world) : world_(world) {}

    PodId create_pod(core::Pod pod, const Author& author);
    template <typename Edit>
    void change_pod(PodId id, const Author& author, Edit edit) {
        edit(pod_to_change(id));
        pod_is_changed(id, author, Change::modified);
    }
    void remove_pod(PodId id, const Author& author);
    /// Unbound or ended: gone at once; else it is marked, and goes after its grace.
    void delete_pod(PodId id, const Author& author, std::int64_t grace_ms);

    /// One that was never there. Its number, by which it is named.
    NodeId add_node(core::Node node, const Author& author);
    /// One that was removed, as it was made.
    void create_node(NodeId id, const Author& author);
    template <typename Edit>
    void change_node(NodeId id, const Author& author, Edit edit) {
        edit(node_to_change(id));
        node_is_changed(id, author, Change::modified);
    }
    void remove_node(NodeId id, const Author& author);
    /// From here on it is so by itself.
    void set_ready(NodeId id) { original_nodes_[id].ready = true; }
    /// As they are when nothing has happened to them, by number.
    const std::vector<core::Node>& original_nodes() const { return original_nodes_; }

    void set_lease(std::optional<k8s::protocol::Lease> lease);

private:
    core::Pod& pod_to_change(PodId id);
    core::Node& node_to_change(NodeId id);
    void pod_is_changed(PodId id, const Author& author, Change change);
    void node_is_changed(NodeId id, const Author& author, Change change);

    World& world_;
    std::vector<core::Node> original_nodes_;
    std::uint32_t node_lives_ = 0;  ///< each time that a node is created it has another uid
};

/// Sets each key, the way a write merges annotations.
void merge_annotations(core::Pod& pod, const core::StringMap& annotations);

}  // namespace gang::sim
