#pragma once
// What is true: the objects, and every change of them with its revision. Watch caches, checkers and
// all that live in the cluster read it; only StoreWriter writes to it, so that nobody misses a change.

#include "core/value/exclusive.hpp"
#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "k8s/protocol/election/lease.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gang::sim {

using PodId = std::uint32_t;
using NodeId = std::uint32_t;
inline constexpr std::uint32_t nobody = 0xFFFFFFFFU;
/// Of nodes; and what node selectors name.
inline constexpr std::string_view pool_label = "pool";
/// Topology keys of rules between pods, and the label of pods that these rules name.
inline constexpr std::string_view zone_label = "zone";
inline constexpr std::string_view host_label = "kubernetes.io/hostname";
inline constexpr std::string_view group_label = "group";
inline constexpr std::string_view gpu_resource = "nvidia.com/gpu";
/// Units of it are parts of cards.
inline constexpr std::string_view card_resource = "alnair/vgpu-memory";
/// The one port of the node that pods of this world ask for.
inline const core::HostPort host_port{"", "TCP", 7078};
inline bool wants_host_port(const core::Resources& requests) {
    return requests.extended_amount("host port 7078/TCP") > 0;
}

enum class Actor : std::uint8_t { scheduler, foreign, kubelet, spark, tenant, controller, admin };

/// Who changed something, and for a scheduler: what it had seen when it decided.
struct Author {
    Actor actor = Actor::admin;
    std::uint32_t replica = nobody;
    std::uint32_t life = 0;
    std::int64_t epoch = 0;
    std::uint64_t pods_seen = 0;   ///< revision
    std::uint64_t nodes_seen = 0;  ///< revision
};

enum class Change : std::uint8_t { added, modified, deleted };

template <typename Object>
struct Entry {
    std::uint64_t revision = 0;
    Change change = Change::added;
    std::uint32_t id = nobody;
    Object object;
};

/// The changes of one kind, oldest first; the oldest are forgotten (compaction). Places count from
/// the first change ever.
template <typename Object>
class ChangeLog {
public:
    void add(Entry<Object> entry) {
        newest_ = entry.revision;
        entries_.push_back(std::move(entry));
    }
    std::uint64_t newest_revision() const { return newest_; }
    std::uint64_t begin() const { return begin_; }
    std::uint64_t end() const { return begin_ + entries_.size(); }
    const Entry<Object>& at(std::uint64_t place) const { return entries_[place - begin_]; }
    void forget_before(std::uint64_t place) {
        while (begin_ < place && !entries_.empty()) {
            compacted_ = entries_.front().revision;
            entries_.pop_front();
            ++begin_;
        }
    }
    /// The newest change that is forgotten: a watch can begin there or later.
    std::uint64_t compacted_revision() const { return compacted_; }
    /// The first place with a later revision.
    std::uint64_t place_after(std::uint64_t revision) const {
        std::uint64_t low = begin_;
        std::uint64_t high = end();
        while (low < high) {
            const std::uint64_t middle = low + (high - low) / 2;
            at(middle).revision > revision ? high = middle : low = middle + 1;
        }
        return low;
    }

private:
    std::deque<Entry<Object>> entries_;
    std::uint64_t begin_ = 0;
    std::uint64_t compacted_ = 0;
    std::uint64_t newest_ = 0;
};

struct Store {
    std::uint64_t revision = 100;
    std::vector<std::optional<core::Pod>> pods;  ///< by PodId; empty: gone
    std::map<std::string, PodId> pod_by_name;    ///< "namespace/name"
    std::vector<std::optional<core::Node>> nodes;
    ChangeLog<core::Pod> pod_log;
    ChangeLog<core::Node> node_log;
    std::vector<std::optional<k8s::protocol::Lease>> lease_states;  ///< every one; the last counts

    const core::Pod* find_pod(PodId id) const {
        return id < pods.size() && pods[id] ? &*pods[id] : nullptr;
    }
    const core::Node* find_node(NodeId id) const {
        return id < nodes.size() && nodes[id] ? &*nodes[id] : nullptr;
    }
    const std::optional<k8s::protocol::Lease>& lease() const { return lease_states.back(); }
};

/// "p17" is pod 17, "n3" is node 3: names of the model are one letter and a number.
inline std::uint32_t number_of(const std::string& text) {
    if (text.size() < 2) {
        return nobody;
    }
    std::uint32_t number = 0;
    for (std::size_t i = 1; i < text.size(); ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return nobody;
        }
        number = number * 10 + static_cast<std::uint32_t>(text[i] - '0');
    }
    return number;
}

inline std::string full_name(const core::Pod& pod) {
    return pod.namespace_name + "/" + pod.name;
}

}  // namespace gang::sim
