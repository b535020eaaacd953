#pragma once
// What pods of this world ask of the pods around them, drawn so that it can be kept: what stands in
// a pod's way ends by itself, and a gang can do its work with one executor. Only who wants to be
// near a group that nobody is of may wait for ever.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/sim/base/random.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <string>

namespace gang::sim {

struct GangRules {
    std::string group;  ///< of all its pods; empty: of none
    core::PodRules driver;
    core::PodRules executors;
    bool needs_zone = false;   ///< some of its pods may go to nodes with a zone alone
    bool in_one_zone = false;  ///< the whole gang
    bool or_anywhere = false;  ///< if there is no room for it in one
    bool must_be_in_one_zone() const { return in_one_zone && !or_anywhere; }
};

/// Its host name, and mostly a zone; the first node has one.
void label_topology(core::Node& node, NodeId id, Random& random);
inline bool has_zone(const core::Node& node) {
    return core::find_value(node.labels, zone_label) != nullptr;
}

GangRules draw_gang_rules(const std::string& tenant, std::uint32_t application, Random& random);
/// Of a pod outside gangs, whose namespace is known.
void give_lone_rules(core::Pod& pod, Random& random);
/// Of a pod of another scheduler: labels that our rules name, or anti-affinity to pods of ours.
void give_foreign_rules(core::Pod& pod, Random& random);

/// What says so of a driver.
core::StringMap topology_annotations(const GangRules& rules);

/// The pod gets its group's label, and rules if they are any.
void put_rules(core::Pod& pod, const std::string& group, const core::PodRules& rules);

}  // namespace gang::sim
