#pragma once
// The admission of one simulated kubelet: counts what runs on its node in exact integers and
// refuses what does not fit, in the order and with the texts of the real one (kubernetes
// pkg/kubelet/lifecycle/predicate.go). No clock, no store.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace k8s::embedded {

/// Why a pod is refused: status.reason and status.message.
struct Refusal {
    std::string reason;   ///< "OutOfcpu"
    std::string message;  ///< "Pod was rejected: Node didn't have enough resource: cpu, ..."
    friend bool operator==(const Refusal&, const Refusal&) = default;
};

class Referee {
public:
    explicit Referee(core::Node node) : node_(std::move(node)) {}

    const core::Node& node() const { return node_; }
    /// Labels, taints and allocatable may change while pods run; what runs is not judged again.
    void update(core::Node node) { node_ = std::move(node); }

    /// Takes the pod in, or says why not. A pod that is in already stays in.
    std::optional<Refusal> admit(const core::Pod& pod);
    /// Gives the room of a pod back; unknown uids are passed over.
    void release(const std::string& uid) { admitted_.erase(uid); }

    std::size_t pods() const { return admitted_.size(); }
    /// Sum over the admitted pods.
    core::Resources used() const;

private:
    std::optional<Refusal> find_shortage(const core::Resources& request) const;
    /// One of the node's ports that it wants is taken.
    bool has_taken_port(const core::Resources& request) const;

    core::Node node_;
    std::map<std::string, core::Resources> admitted_;  ///< by uid
};

}  // namespace k8s::embedded
