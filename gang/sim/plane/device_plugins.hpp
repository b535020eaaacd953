#pragma once
// Cards of nodes, what pods ask of them, and the device plugins. A plugin chooses the card of a pod when
// the kubelet admits it, mostly as the scheduler has written, and writes its word on the pod. Where
// no card has enough left it takes some of several, as Alnair's does.

#include "core/value/node.hpp"
#include "core/value/pod.hpp"
#include "gang/sim/base/store.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace gang::sim {

struct World;
class Random;

/// Units by the id of a card.
using CardUnits = std::map<std::string, std::int64_t>;

/// Some nodes have cards, a few list units and say nothing of their cards.
void give_cards(core::Node& node, Random& random);
/// What a pod asks for; no more than the largest card of these nodes has, 0 if there is none.
std::int64_t draw_card_units(const std::vector<core::Node>& nodes, Random& random);
void ask_for_units(core::Resources& requests, std::int64_t units);
/// How many pods of so many units each go on the empty node.
std::int64_t times_on_cards(const core::Node& node, std::int64_t units);

/// What the plugin has written ("U1_0,U1_1"), or else the scheduler ("U1:2"); empty: nobody.
CardUnits word_of_plugin(const core::Pod& pod);
CardUnits word_of_scheduler(const core::Pod& pod);

class DevicePlugins {
public:
    explicit DevicePlugins(World& world) : world_(world) {}

    /// Annotations for the pod, which asks for units; none: its node says nothing of cards.
    core::StringMap allocate(PodId id, const core::Pod& pod, const core::Node& node);
    void release(PodId id);

private:
    struct Held {
        std::string node;
        CardUnits cards;
    };
    CardUnits choose(
        const core::Pod& pod, const core::Node& node, const CardUnits& free, std::int64_t units);

    World& world_;
    std::map<PodId, Held> held_;
};

}  // namespace gang::sim
