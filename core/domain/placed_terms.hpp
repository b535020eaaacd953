#pragma once
// The terms of the pods that are placed, by what they ask of pods that come later.

#include "core/domain/term_counts.hpp"
#include "core/value/pod_rules.hpp"

#include <cstdint>

namespace core {

/// False: which namespaces a preference means is not known, so it means nobody.
inline bool is_known(const PreferredPods& one) {
    return !one.term.needs_namespace_labels();
}

class PlacedTerms {
public:
    /// The pod's terms count on its node; `keys` gets their topology keys, read from the cluster.
    void placed(const PlacedPod& pod, DomainIndex& keys, const Cluster& cluster);
    /// With the terms and the node that it was placed with.
    void gone(const PlacedPod& pod, DomainIndex& keys);

    /// Required anti-affinity.
    const TermCounts& apart() const { return apart_; }
    /// Required affinity.
    const TermCounts& near() const { return near_; }
    /// Preferences of both kinds; those that speak against have a negative weight.
    const TermCounts& preferred() const { return preferred_; }

    std::size_t size() const { return apart_.size() + near_.size() + preferred_.size(); }
    friend bool operator==(const PlacedTerms&, const PlacedTerms&) = default;

private:
    TermCounts apart_;
    TermCounts near_;
    TermCounts preferred_;
};

}  // namespace core
